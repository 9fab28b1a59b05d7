/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_reaching.c - which writes of a value reach its readers, along the ways that jumps allow.
 *
 * Instructions are joined by ' ' and numbered from 0: "w0" writes value 0, "r0" reads it, "." does
 * neither; "j0>5" jumps to instruction 5 if value 0 is false; "F>5" and "T>5" do if a constant is,
 * which is false or true; "I>5" if an input is. "end" is the number of instructions; an instruction
 * that does not exist is none. A last "r0" behind "|" is a result of the method.
 *
 * Wanted of each reader, joined by ';': the instructions that write what it reads, joined by ',';
 * "start", if that may be what the value was before; "none", if the reader cannot run.
 */
#include "inputs/uses.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { CONSTANT_FALSE = 8, CONSTANT_TRUE, INPUT, VALUES };

typedef struct reaching_case {
  const char *title, *instructions, *want;
} reaching_case;

static const reaching_case cases[] = {
    {"the last write", "w0 r0 w0 r0", "0;2"},
    {"a value that nothing writes", "w1 r0", "start"},
    {"code that cannot run", "w0 F>4 w0 r0 r0", "none;0"},
    {"a write behind the reader", "r0 w0", "start"},
    {"the results of both branches", ". j1>4 w0 F>5 w0 r0", "2,4"},
    {"no result of the other branch", "w0 j1>4 w0 F>5 r0 r0", "0;0,2"},
    {"a branch that may be left out", "w0 j1>3 w0 r0", "0,2"},
    {"branches in branches", "j1>6 j2>4 w0 F>5 w0 F>7 w0 r0", "2,4,6"},
    {"a branch in a branch, of which only one writes", "w0 j1>6 j2>4 . F>5 w0 . r0", "0,5"},
    {"the pass before and what is before the loop", "w0 r0 w0 j1>1 r0", "0,2;2"},
    {"a counter reads itself", "r0 w0 j1>0", "start,1"},
    {"a loop in a loop", "w0 r0 r0 w0 j1>2 j2>1 r0", "0,3;0,3;3"},
    {"a loop whose first instruction writes", "w0 w0 r0 j1>1 r0", "1;1"},
    {"jumps from two places to one", "w0 j1>5 w0 j2>5 w0 r0", "0,2,4"},
    {"the constant true never jumps", "w0 T>3 w0 r0", "2"},
    {"the constant false always jumps", "w0 F>3 w0 r0", "0"},
    {"an input is no constant", "w0 I>3 w0 r0", "0,2"},
    {"results", "w0 j1>end w0|r0", "0,2"},
    {"results of a method that always jumps", "w0 F>end w0|r0", "0"},
    {"a jump to itself may end", "w0 j1>1 r0", "0"},
    {"a jump to itself that does not end", "w0 F>1 r0", "none"},
    {"a jump to nowhere", "w0 j1>99 r0", "0"},
    {"nothing behind a jump to nowhere", "w0 F>99 r0", "none"},
    {"a way back to what is written later", "F>3 r0 F>5 w0 F>1 .", "3"},
    {"no instructions", "|r0", "start"},
};

/* ---- Programs ---- */

typedef struct reaching_program {
  etr_arena arena;
  etr_pte_method method;
  etr_pte_value values[VALUES];
  etr_instruction *instructions;
  int32_t input;
  etr_reaching reaching;
} reaching_program;

static void begin(reaching_program *p, size_t count) {
  *p = (reaching_program){.input = INPUT};
  p->instructions = etr_arena_alloc_array(&p->arena, count, sizeof *p->instructions);
  p->values[CONSTANT_FALSE].kind = p->values[CONSTANT_TRUE].kind = p->values[INPUT]
                                                                       .kind = ETR_PTE_VALUE_BOOL;
  p->values[CONSTANT_TRUE].scalar.integer = true;
  p->method = (etr_pte_method){.values = p->values,
                               .value_count = VALUES,
                               .inputs = &p->input,
                               .input_count = 1,
                               .instructions = p->instructions,
                               .instruction_count = count};
  etr_reaching_init(&p->reaching, &p->method, &p->arena);
}

static void set_jump(reaching_program *p, size_t at, int32_t condition, long target) {
  int32_t *args = etr_arena_alloc_array(&p->arena, 1, sizeof *args);
  *args = condition;
  bool exists = target >= 0 && (size_t)target <= p->method.instruction_count;
  p->instructions[at] = (etr_instruction){.kind = ETR_INSTRUCTION_JUMP_FALSE,
                                          .args = args,
                                          .arg_count = 1,
                                          .jump_target = exists ? (int32_t)target : -1};
}

static void parse_instruction(reaching_program *p, size_t at, const char *text) {
  const char *target = strchr(text, '>');
  p->instructions[at] = (etr_instruction){.kind = ETR_INSTRUCTION_KERNEL, .jump_target = -1};
  if (*text == 'w')
    cr_assert(etr_reaching_add(&p->reaching, text[1] - '0', (int32_t)at));
  if (!target)
    return;
  int32_t condition = *text == 'F'   ? CONSTANT_FALSE
                      : *text == 'T' ? CONSTANT_TRUE
                      : *text == 'I' ? INPUT
                                     : text[1] - '0';
  bool is_end = strcmp(target + 1, "end") == 0;
  set_jump(p, at, condition,
           is_end ? (long)p->method.instruction_count : strtol(target + 1, NULL, 10));
}

/* ---- What is found ---- */

static size_t describe(reaching_program *p, int32_t value, size_t at, char *out) {
  size_t used = 0;
  const etr_reaching *r = &p->reaching;
  cr_assert(etr_reaching_find(&p->reaching, value, (int32_t)at));
  if (r->from_start)
    used += (size_t)sprintf(out, "start");
  for (size_t i = 0; i < r->found.count; i++)
    used += (size_t)sprintf(out + used, "%s%d", used ? "," : "",
                            (int)r->writes.data[r->found.data[i]].instruction);
  if (used == 0)
    used = (size_t)sprintf(out, "none");
  return used;
}

Test(reaching, writes_are_found_along_all_ways) {
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    char text[256], got[256] = "", *words[32];
    size_t count = 0, used = 0;
    snprintf(text, sizeof text, "%s", cases[i].instructions);
    char *results = strchr(text, '|');
    if (results)
      *results++ = '\0';
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
      words[count++] = word;
    reaching_program p;
    begin(&p, count);
    for (size_t k = 0; k < count; k++)
      parse_instruction(&p, k, words[k]);
    cr_assert(etr_reaching_finish(&p.reaching));
    if (results)
      words[count++] = results;
    for (size_t k = 0; k < count; k++) {
      if (*words[k] != 'r')
        continue;
      used += (size_t)sprintf(got + used, "%s", used ? ";" : "");
      used += describe(&p, words[k][1] - '0', k, got + used);
    }
    cr_expect_str_eq(got, cases[i].want, "%s: %s", cases[i].title, got);
    cr_expect_not(p.reaching.is_cut);
    etr_arena_clear(&p.arena);
  }
}

/* ---- Many jumps ---- */

enum { MANY = 100000 };

/* The first instruction writes value 0, and each other one jumps to the instruction that `target`
 * says. The last may also write the value. */
static void begin_many(reaching_program *p, long (*target)(size_t at), bool last_writes) {
  begin(p, MANY);
  p->instructions[0] = (etr_instruction){.kind = ETR_INSTRUCTION_KERNEL, .jump_target = -1};
  for (size_t i = 1; i < MANY; i++)
    set_jump(p, i, 1, target(i));
  cr_assert(etr_reaching_add(&p->reaching, 0, 0));
  cr_assert(!last_writes || etr_reaching_add(&p->reaching, 0, MANY - 1));
  cr_assert(etr_reaching_finish(&p->reaching));
}

static long to_next(size_t at) {
  return (long)at + 1;
}
static long to_end(size_t at) {
  return (void)at, MANY;
}
static long to_start(size_t at) {
  return (void)at, 1;
}
static long to_before(size_t at) {
  return (long)at - 1;
}
static long to_anywhere(size_t at) {
  return (long)(at * 7919 % MANY);
}

/* Each instruction reads the value, whose only write is the first instruction. */
Test(reaching, one_write_is_found_from_everywhere) {
  static long (*const targets[])(size_t at) = {to_next, to_end, to_start, to_before, to_anywhere};
  for (size_t k = 0; k < ETR_COUNT(targets); k++) {
    reaching_program p;
    begin_many(&p, targets[k], false);
    for (size_t i = 1; i <= MANY; i++) {
      cr_assert(etr_reaching_find(&p.reaching, 0, (int32_t)i));
      cr_assert(p.reaching.found.count == 1 && p.reaching.found.data[0] == 0,
                "%zu: instruction %zu", k, i);
    }
    cr_expect_not(p.reaching.is_cut, "%zu", k);
    etr_arena_clear(&p.arena);
  }
}

/* The first and the last instruction write the value, and all others read what either wrote. */
Test(reaching, searches_that_take_too_long_find_the_last_write) {
  reaching_program p;
  begin_many(&p, to_before, true);
  cr_assert(etr_reaching_find(&p.reaching, 0, 1));
  cr_expect(p.reaching.found.count == 2 && !p.reaching.is_cut);
  for (size_t i = 1; i < MANY; i++)
    cr_assert(etr_reaching_find(&p.reaching, 0, (int32_t)i));
  cr_expect(p.reaching.is_cut);
  cr_expect(p.reaching.found.count == 1 && p.reaching.found.data[0] == 0 && !p.reaching.from_start);
  etr_arena_clear(&p.arena);
}
