/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_file_parts.c - each byte of a program's file belongs to one part, whatever its segments and
 * constants say.
 */
#include "memory/program_memory.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* A constant whose data is at an offset in the file. */
static void add_constant(etr_program_constants *constants, const char *name, uint64_t offset,
                         uint64_t size) {
  etr_constant *added = etr_vec_push(constants->arena, &constants->list);
  *added = (etr_constant){
      .tensor = {.name = name, .rank = -1}, .offset_bytes = offset, .size_bytes = size, .uses = 1};
}

typedef struct parts_case {
  const char *title;
  uint64_t file_bytes, program_at, program_bytes, segment_base;
  etr_segment segments[2];
  uint64_t constants[2][2]; /* offset and size */
  const char *want;         /* "CONTENT OFFSET+SIZE" of each part */
} parts_case;

static const parts_case cases[] = {
    {"a program alone", 100, 0, 100, 0, .want = "program 0+100; "},
    {"segments after padding",
     200,
     0,
     90,
     128,
     {{0, 32, ETR_SEGMENT_UNUSED, NULL}, {48, 10, ETR_SEGMENT_NAMED, "key"}},
     .want = "padding 0+68; program 0+90; unused 128+32; named 176+10; "},
    {"constants in a segment, and inside the program",
     200,
     0,
     100,
     100,
     {{0, 100, ETR_SEGMENT_CONSTANTS, NULL}},
     {{20, 16}, {116, 60}},
     "program 0+84; constant 20+16; padding 100+40; constant 116+60; "},
    {"a bundle around the program", 120, 40, 50, 0, .constants = {{60, 8}},
     .want = "tests 0+70; program 40+42; constant 60+8; "},
    {"a segment beyond the end",
     100,
     0,
     60,
     64,
     {{0, UINT64_MAX, ETR_SEGMENT_UNUSED, NULL}},
     .want = "padding 0+4; program 0+60; unused 64+36; "},
    {"a segment that begins beyond the end",
     100,
     0,
     100,
     64,
     {{UINT64_MAX - 2, 8, ETR_SEGMENT_UNUSED, NULL}},
     .want = "program 0+100; "},
    {"constants that overlap: the later one is cut", 100, 0, 100, 0,
     .constants = {{10, 30}, {30, 30}}, .want = "program 0+70; constant 10+20; constant 30+10; "},
    {"a constant of all bytes, and more", 100, 0, 100, 0, .constants = {{0, 1000}},
     .want = "constant 0+100; "},
    {"an empty file", 0, 0, 0, 0, .want = ""},
};

static void write_parts(char *text, size_t room, const etr_program_memory *memory) {
  text[0] = '\0';
  for (size_t i = 0; i < memory->part_count; i++) {
    const etr_file_part *part = &memory->parts[i];
    size_t used = strlen(text);
    snprintf(text + used, room - used, "%s %llu+%llu; ", etr_content_name(part->kind),
             (unsigned long long)part->offset_bytes, (unsigned long long)part->size_bytes);
  }
}

Test(file_parts, each_byte_is_in_one_part) {
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    const parts_case *it = &cases[i];
    etr_arena arena = {0};
    etr_segment segments[2] = {it->segments[0], it->segments[1]};
    const etr_pte_data data = {.file_bytes = it->file_bytes,
                               .program_at = it->program_at,
                               .program_bytes = it->program_bytes,
                               .segment_base = it->segment_base,
                               .segments = segments,
                               .segment_count = ETR_COUNT(segments)};
    etr_program_constants constants;
    etr_program_memory memory = {0};
    char text[512];
    uint64_t sum = 0;
    etr_program_constants_init(&constants, &data, &arena);
    for (size_t k = 0; k < ETR_COUNT(it->constants); k++)
      if (it->constants[k][1] > 0)
        add_constant(&constants, "w", it->constants[k][0], it->constants[k][1]);
    cr_assert(etr_file_parts_find(&memory, &constants, NULL, 0), "%s", it->title);
    write_parts(text, sizeof text, &memory);
    cr_expect_str_eq(text, it->want, "%s: %s", it->title, text);
    for (size_t k = 0; k < memory.part_count; k++)
      sum += memory.parts[k].size_bytes;
    cr_expect(sum == it->file_bytes && memory.file_bytes == it->file_bytes, "%s", it->title);
    etr_arena_clear(&arena);
  }
}
