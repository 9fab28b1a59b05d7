/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_dump.c - lib/inputs/dump.c on all real ETDumps, on damaged ones, and on some built by hand.
 */
#include "base/file.h"
#include "inputs/dump.h"

#include "tiny_flatbuf.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_BYTES = 1 << 26 };

typedef struct warnings {
  size_t count;
  char last[256];
  uint64_t last_offset;
} warnings;

static void note_warning(void *context, uint64_t offset, const char *message) {
  warnings *seen = context;
  seen->count++;
  seen->last_offset = offset;
  snprintf(seen->last, sizeof seen->last, "%s", message);
}

/** A dump that was read from a file, with its warnings and errors. */
typedef struct reading {
  etr_file file;
  etr_arena arena;
  etr_map names;
  etr_dump dump;
  etr_error error;
  warnings warnings;
  etr_status status;
} reading;

static void read_bytes(reading *out, etr_slice bytes) {
  out->warnings = (warnings){0};
  etr_map_init(&out->names, &out->arena);
  etr_error_clear(&out->error);
  etr_dump_shared shared = {
      .arena = &out->arena, .names = &out->names, .warn = note_warning, .context = &out->warnings};
  out->status = etr_dump_read(&out->dump, &shared, bytes, "dump", &out->error);
}

static void read_fixture(reading *out, const char *path) {
  char full[256];
  *out = (reading){0};
  snprintf(full, sizeof full, FIXTURES "/%s", path);
  cr_assert_eq(etr_file_read(&out->file, full, MAX_BYTES, NULL), ETR_OK, "%s", full);
  read_bytes(out, (etr_slice){(const char *)out->file.data, out->file.size});
}

static void clear(reading *it) {
  etr_arena_clear(&it->arena);
  etr_file_clear(&it->file);
}

/* ---- Real dumps ---- */

Test(dump, fixtures_have_the_runs_of_truth_json) {
  static const struct {
    const char *fixture;
    size_t times;
    const char *name;
    int32_t bundled_input_index;
    size_t profile, debug, allocation;
  } rows[] = {
      /* etdump_blocks of each truth.json: `times` equal runs in a row */
      {"add_mul", 1, "Default", -1, 2, 0, 0},
      {"add_mul", 20, "Execute", -1, 67, 0, 0},
      {"add_mul_debug", 1, "Default", -1, 2, 0, 0},
      {"add_mul_debug", 3, "Execute", -1, 67, 35, 0},
      {"bundled_update", 1, "Default", -1, 2, 0, 0},
      {"bundled_update", 3, "Execute", -1, 26, 19, 0},
      {"control_flow", 1, "Default", -1, 2, 0, 0},
      {"control_flow", 1, "Execute", -1, 17, 0, 0},
      {"control_flow", 2, "Execute", -1, 21, 0, 0},
      {"control_flow", 1, "Execute", -1, 17, 0, 0},
      {"control_flow", 2, "Execute", -1, 21, 0, 0},
      {"control_flow", 1, "Execute", -1, 17, 0, 0},
      {"control_flow", 2, "Execute", -1, 21, 0, 0},
      {"control_flow_map", 1, "Default", -1, 2, 0, 0},
      {"control_flow_map", 3, "Execute", -1, 63, 0, 0},
      {"cpp_rich", 1, "Init", -1, 1, 0, 3},
      {"cpp_rich", 4, "Execute", -1, 22, 6, 0},
      {"dynamic_xnnpack", 1, "Default", -1, 2, 0, 0},
      {"dynamic_xnnpack", 6, "Execute", -1, 9, 0, 0},
      {"extra_modules", 1, "Default", -1, 2, 0, 0},
      {"extra_modules", 2, "Execute", -1, 67, 0, 0},
      {"llama_portable", 1, "Default", -1, 2, 0, 0},
      {"llama_portable", 3, "Execute", -1, 3997, 0, 0},
      {"llama_xnnpack", 1, "Default", -1, 2, 0, 0},
      {"llama_xnnpack", 5, "Execute", -1, 1249, 0, 0},
      {"lowered_in_record", 1, "Default", -1, 2, 0, 0},
      {"lowered_in_record", 3, "Execute", -1, 26, 0, 0},
      {"masked_attention", 1, "Default", -1, 2, 0, 0},
      {"masked_attention", 5, "Execute", -1, 95, 0, 0},
      {"multi_method", 1, "Default", -1, 2, 0, 0},
      {"multi_method", 4, "Execute", -1, 5, 0, 0},
      {"multi_method", 1, "Default", -1, 2, 0, 0},
      {"multi_method", 4, "Execute", -1, 13, 0, 0},
      {"mv2_portable", 1, "Default", -1, 2, 0, 0},
      {"mv2_portable", 3, "Execute", -1, 307, 0, 0},
      {"mv2_xnnpack", 1, "Default", -1, 2, 0, 0},
      {"mv2_xnnpack", 10, "Execute", -1, 70, 0, 0},
      {"old_0_6_add_mul", 1, "Default", -1, 2, 0, 0},
      {"old_0_6_add_mul", 10, "Execute", -1, 67, 0, 0},
      {"old_1_0_1_add_mul", 1, "Default", -1, 2, 0, 0},
      {"old_1_0_1_add_mul", 5, "Execute", -1, 67, 0, 0},
      {"quantized_xnnpack", 1, "Default", -1, 2, 0, 0},
      {"quantized_xnnpack", 6, "Execute", -1, 33, 0, 0},
      {"vit_xnnpack", 1, "Default", -1, 2, 0, 0},
      {"vit_xnnpack", 3, "Execute", -1, 989, 0, 0},
      {"from_executorch/dump_2023", 1, "Default", -1, 2, 0, 0},
      {"from_executorch/dump_2023", 1, "Execute", -1, 29, 0, 0},
      {"", 0, "", 0, 0, 0, 0},
  };
  reading it = {0};
  size_t at = 0;
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    if (i == 0 || strcmp(rows[i].fixture, rows[i - 1].fixture) != 0) {
      cr_expect_eq(at, it.dump.run_count, "runs of %s", i ? rows[i - 1].fixture : "");
      clear(&it);
      if (!*rows[i].fixture)
        break;
      char path[128];
      snprintf(path, sizeof path, "%s/etdump.etdp", rows[i].fixture);
      read_fixture(&it, path);
      cr_expect(it.status == ETR_OK && it.warnings.count == 0, "%s: %s", rows[i].fixture,
                it.error.message);
      at = 0;
    }
    for (size_t end = at + rows[i].times; at < end && at < it.dump.run_count; at++) {
      const etr_dump_run *run = &it.dump.runs[at];
      cr_expect_str_eq(run->name, rows[i].name);
      cr_expect_eq(run->bundled_input_index, rows[i].bundled_input_index);
      size_t timed = 0;
      for (size_t j = 0; j < run->event_count; j++)
        timed += !run->events[j].is_debug;
      cr_expect(timed == rows[i].profile && run->debug_events == rows[i].debug &&
                    run->allocation_events == rows[i].allocation,
                "%s run %zu: %zu %zu %zu", rows[i].fixture, at, timed, run->debug_events,
                run->allocation_events);
    }
  }
}

static bool same_text(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

Test(dump, events_as_flatc_shows_them) {
  static const struct {
    const char *path;
    size_t run, index;
    etr_dump_event event;
  } rows[] = {
      {"dynamic_xnnpack/etdump.etdp",
       0,
       1,
       {"Program::load_method", NULL, false, false, false, -1, -1, 19440899883, 165383, {0}}},
      {"dynamic_xnnpack/etdump.etdp",
       1,
       1,
       {"OPERATOR_CALL", NULL, false, false, false, 0, 1, 19441080065, 685, {0}}},
      {"dynamic_xnnpack/etdump.etdp",
       1,
       2,
       {"",
        "Fully Connected (NC, F32) GEMM #1",
        false,
        false,
        false,
        0,
        2,
        19441092582,
        1000,
        {0}}},
      {"dynamic_xnnpack/etdump.etdp",
       1,
       7,
       {"DELEGATE_CALL", NULL, false, false, false, 0, 2, 19441081157, 70337, {0}}},
      {"dynamic_xnnpack/etdump.etdp",
       1,
       8,
       {"Method::execute", NULL, false, false, false, -1, -1, 19441071366, 80533, {0}}},
      {"cpp_rich/etdump.etdp",
       1,
       0,
       {"native_call_add.out", NULL, false, false, false, 0, 0, 1151455, 85192, {0}}},
      {"cpp_rich/etdump.etdp", 1, 6, {"", "0", true, false, false, 0, 3, 0, 100, {0}}},
      {"cpp_rich/etdump.etdp", 1, 17, {"", "11", true, false, false, 0, 3, 11000, 100, {0}}},
      {"cpp_rich/etdump.etdp",
       1,
       18,
       {"",
        "aten_conv2d_default_cast_fp16:conv",
        false,
        false,
        false,
        0,
        3,
        4294967290,
        11,
        {0}}}, /* the counter
                  wrapped */
      {"cpp_rich/etdump.etdp", 2, 6, {"", "0", true, false, false, 0, 3, 0, 101, {0}}},
      {"cpp_rich/etdump.etdp", 1, 20, {"", "2", true, true, false, 0, 3, 0, 0, {0}}},
      {"cpp_rich/etdump.etdp",
       1,
       21,
       {"", "str id with spaces", false, true, false, 0, 3, 0, 0, {0}}},
      {"cpp_rich/etdump.etdp", 1, 24, {"", NULL, false, true, false, 0, 3, 0, 0, {0}}},
      {"add_mul_debug/etdump.etdp", 1, 0, {"", NULL, false, true, false, 0, 0, 0, 0, {0}}},
      {"from_executorch/dump_2023/etdump.etdp",
       1,
       0,
       {"native_call_convolution.out", NULL, false, false, false, 0, 0, 426786, 544783, {0}}},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    reading it;
    read_fixture(&it, rows[i].path);
    cr_assert(rows[i].run < it.dump.run_count &&
                  rows[i].index < it.dump.runs[rows[i].run].event_count,
              "row %zu", i);
    const etr_dump_event *got = &it.dump.runs[rows[i].run].events[rows[i].index],
                         *want = &rows[i].event;
    cr_expect(same_text(got->name, want->name) && same_text(got->delegate_id, want->delegate_id),
              "row %zu: %s", i, got->name);
    cr_expect(got->delegate_id_is_int == want->delegate_id_is_int &&
                  got->is_debug == want->is_debug && !got->is_untimed,
              "row %zu", i);
    cr_expect(got->chain_index == want->chain_index && got->instruction_id == want->instruction_id,
              "row %zu: %d %d", i, got->chain_index, got->instruction_id);
    cr_expect(got->start_ticks == want->start_ticks && got->duration_ticks == want->duration_ticks,
              "row %zu", i);
    clear(&it);
  }
}

Test(dump, logged_outputs_of_a_run_are_no_events) {
  static const struct {
    const char *path;
    size_t timed, debug, outputs;
  } rows[] = {{"add_mul_debug/etdump.etdp", 67, 35, 2},
              {"bundled_update/etdump.etdp", 26, 19, 2},
              {"cpp_rich/etdump.etdp", 22, 6, 0}};
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    reading it;
    read_fixture(&it, rows[i].path);
    cr_assert(it.dump.run_count > 1);
    cr_expect_eq(it.dump.runs[1].debug_events, rows[i].debug);
    cr_expect_eq(it.dump.runs[1].event_count, rows[i].timed + rows[i].debug - rows[i].outputs, "%s",
                 rows[i].path);
    clear(&it);
  }
}

Test(dump, equal_names_are_one_pointer) {
  reading it;
  read_fixture(&it, "dynamic_xnnpack/etdump.etdp");
  const etr_dump_run *a = &it.dump.runs[1], *b = &it.dump.runs[2];
  cr_assert(a->event_count == 9 && b->event_count == 9);
  for (size_t i = 0; i < 9; i++)
    cr_expect(a->events[i].name == b->events[i].name &&
              a->events[i].delegate_id == b->events[i].delegate_id);
  clear(&it);
}

/* ---- Damaged dumps ---- */

Test(dump, hostile_files_are_refused_or_read) {
  static const struct {
    const char *file;
    etr_status status;
    size_t runs, warnings;
    uint64_t offset;
    const char *message;
  } cases[] = {
      {"bad_ident", ETR_ERROR_FORMAT, 0, 0, 8, "not an ETDump"},
      {"bad_root", ETR_ERROR_FORMAT, 0, 0, 4, "cut short or damaged"},
      {"empty_file", ETR_ERROR_FORMAT, 0, 0, 0, "empty"},
      {"no_size_prefix", ETR_OK, 7, 0, ETR_NO_OFFSET, ""},
      {"size_prefix_wrong", ETR_OK, 7, 1, ETR_NO_OFFSET, ""},
      {"trailing_garbage", ETR_OK, 7, 0, ETR_NO_OFFSET, ""},
      {"trunc_12", ETR_ERROR_FORMAT, 0, 1, 4, "it has 12 bytes and needs 4440"},
      {"trunc_half", ETR_ERROR_FORMAT, 0, 1, 36, "it has 2220 bytes and needs 4440"},
      {"trunc_minus1", ETR_OK, 7, 1, ETR_NO_OFFSET, ""},
      {"trunc_prefix_only", ETR_ERROR_FORMAT, 0, 0, 8, "not an ETDump"},
      {"zeros", ETR_ERROR_FORMAT, 0, 0, 8, "not an ETDump"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    char path[128];
    reading it;
    snprintf(path, sizeof path, "hostile/%s.etdp", cases[i].file);
    read_fixture(&it, path);
    cr_expect_eq(it.status, cases[i].status, "%s: %s", cases[i].file, it.error.message);
    cr_expect_eq(it.dump.run_count, cases[i].runs, "%s", cases[i].file);
    cr_expect_eq(it.warnings.count, cases[i].warnings, "%s: %zu warnings", cases[i].file,
                 it.warnings.count);
    cr_expect_eq(it.error.offset, cases[i].offset, "%s: at %llu", cases[i].file,
                 (unsigned long long)it.error.offset);
    cr_expect(strstr(it.error.message, cases[i].message) &&
                  (*cases[i].message || !*it.error.message),
              "%s: %s", cases[i].file, it.error.message);
    clear(&it);
  }
}

Test(dump, every_truncation_fails_or_reads) {
  reading whole;
  read_fixture(&whole, "dynamic_xnnpack/etdump.etdp");
  for (size_t size = 0; size < whole.file.size; size++) {
    char *exact = malloc(
        ETR_MAX(size, (size_t)1)); /* on the heap, so that a sanitizer sees the end */
    reading it = {0};
    memcpy(exact, whole.file.data, size);
    read_bytes(&it, (etr_slice){exact, size});
    if (it.status == ETR_OK)
      cr_expect(it.dump.run_count == 7 && it.warnings.count == 1, "%zu bytes", size);
    else
      cr_expect(it.status == ETR_ERROR_FORMAT && it.dump.run_count == 0 && it.error.message[0] &&
                    it.error.offset <= ETR_MAX(size, 8u),
                "%zu bytes", size);
    clear(&it);
    free(exact);
  }
  clear(&whole);
}

/* ---- Dumps built by hand
 * --------------------------------------------------------------------------------
 */

/* Fields of a ProfileEvent, as it is built here. */
enum {
  NAME = 4,
  CHAIN = 8,
  INSTRUCTION = 12,
  ID_INT = 16,
  ID_STR = 20,
  START = 24,
  END = 32,
  PROFILE_BYTES = 40
};

/** Positions of the parts of a built dump. */
typedef struct parts {
  uint32_t event, profile;
} parts;

/* Builds a dump without a size prefix: `runs` times the same run, each of `events` times the same
 * event, which has only a name. */
static parts build(tiny_fb *fb, uint32_t runs, uint32_t events, const char *name) {
  parts out;
  tiny_start(fb, "ED00");
  uint32_t dump = tiny_table(fb, (uint16_t[]){0, 4}, 2, 8), run_vector = tiny_vector(fb, runs, 4);
  uint32_t run = tiny_table(fb, (uint16_t[]){0, 0, 0, 4}, 4, 8),
           event_vector = tiny_vector(fb, events, 4);
  out.event = tiny_table(fb, (uint16_t[]){4}, 1, 8);
  out.profile = tiny_table(
      fb, (uint16_t[]){NAME, CHAIN, INSTRUCTION, ID_INT, ID_STR, 0, START, END}, 8, PROFILE_BYTES);
  uint32_t text = tiny_string(fb, name);
  tiny_point(fb, 0, dump);
  tiny_point(fb, dump + 4, run_vector);
  tiny_point(fb, run + 4, event_vector);
  tiny_point(fb, out.event + 4, out.profile);
  tiny_point(fb, out.profile + NAME, text);
  tiny_point(fb, out.profile + ID_STR, text);
  for (uint32_t i = 0; i < runs; i++)
    tiny_point(fb, run_vector + 4 + 4 * i, run);
  for (uint32_t i = 0; i < events; i++)
    tiny_point(fb, event_vector + 4 + 4 * i, out.event);
  return out;
}

Test(dump, events_have_ids_instructions_and_times) {
  static const struct {
    int32_t chain, instruction, id;
    const char *text; /* both the name and the string id */
    uint64_t start, end;
    int32_t want_instruction;
    const char *want_id;
    uint64_t want_duration;
    const char *want_warning; /* "": the event is timed */
  } cases[] = {
      {0, 5, -1, "text", 10, 15, 5, "text", 5, ""},
      {0, 5, 0, "text", 10, 10, 5, "0", 0, ""},
      {0, -7, -1, "", 0, 0, -1, NULL, 0, ""},
      {-1, 0, -1, "", 0, 0, -1, NULL, 0, ""},
      {-1, 9, -1, "a\xFFz", 0, 0, -1, "a\xEF\xBF\xBDz", 0, ""},
      /* a counter of 32 bits wrapped */
      {0, 0, -1, "", UINT32_MAX, 0, 0, NULL, 1, ""},
      {0, 0, -1, "", 4294967290, 5, 0, NULL, 11, ""},
      {0, 0, -1, "", UINT32_MAX, 0x7FFFFFFF, 0, NULL, 0x80000000, ""},
      /* none did */
      {0, 0, -1, "", UINT32_MAX, 0x80000000, 0, NULL, 0,
       "\"\" ends before it starts (2 events in total)"},
      {0, 0, -1, "text", 1001, 1000, 0, "text", 0,
       "\"text\" ends before it starts (2 events in total)"},
      {0, 0, 7, "text", 0x100000000, 5, 0, "7", 0, "\"7\" ends before it starts"},
      {0, 0, -1, "", UINT64_MAX, 0, 0, NULL, 0, "ends before it starts"},
      /* both events fit exactly, or only the first, or neither */
      {0, 0, -1, "", 10, 10 + ETR_DUMP_MOST_TICKS / 2, 0, NULL, ETR_DUMP_MOST_TICKS / 2, ""},
      {0, 0, -1, "text", 10, 11 + ETR_DUMP_MOST_TICKS / 2, 0, "text", 0,
       "\"text\" takes impossibly many ticks (1 event in total)"},
      {0, -1, INT32_MIN, "text", 0, UINT64_MAX, -1, "-2147483648", 0,
       "\"-2147483648\" takes impossibly many ticks (2 events in total)"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    uint8_t bytes[512] = {0};
    tiny_fb fb = {bytes, sizeof bytes, 0};
    reading it = {0};
    parts at = build(&fb, 1, 2, cases[i].text);
    tiny_set(&fb, at.profile + CHAIN, 4, (uint32_t)cases[i].chain);
    tiny_set(&fb, at.profile + INSTRUCTION, 4, (uint32_t)cases[i].instruction);
    tiny_set(&fb, at.profile + ID_INT, 4, (uint32_t)cases[i].id);
    tiny_set(&fb, at.profile + START, 8, cases[i].start);
    tiny_set(&fb, at.profile + END, 8, cases[i].end);
    read_bytes(&it, (etr_slice){(const char *)bytes, fb.size});
    cr_assert(it.status == ETR_OK && it.dump.run_count == 1 && it.dump.runs[0].event_count == 2,
              "case %zu: %s", i, it.error.message);
    const etr_dump_event *got = &it.dump.runs[0].events[1];
    cr_expect_eq(got->instruction_id, cases[i].want_instruction, "case %zu", i);
    cr_expect(same_text(got->delegate_id, cases[i].want_id), "case %zu: %s", i, got->delegate_id);
    cr_expect_eq(got->delegate_id_is_int, cases[i].id != -1, "case %zu", i);
    cr_expect(got->start_ticks == cases[i].start && got->duration_ticks == cases[i].want_duration,
              "case %zu", i);
    bool is_untimed = *cases[i].want_warning;
    cr_expect_eq(got->is_untimed, is_untimed, "case %zu", i);
    cr_expect_eq(it.warnings.count, is_untimed, "case %zu: said once for both events", i);
    cr_expect(strstr(it.warnings.last, cases[i].want_warning), "case %zu: %s", i, it.warnings.last);
    if (is_untimed)
      cr_expect_eq(it.warnings.last_offset, at.profile);
    cr_expect_eq(it.dump.ticks, it.dump.runs[0].events[0].duration_ticks + got->duration_ticks,
                 "case %zu", i);
    clear(&it);
  }
}

Test(dump, an_event_without_content_is_skipped) {
  uint8_t bytes[512] = {0};
  tiny_fb fb = {bytes, sizeof bytes, 0};
  reading it = {0};
  parts at = build(&fb, 2, 3, "name");
  tiny_set(&fb, at.event - 2, 2, 0); /* the vtable's only entry */
  read_bytes(&it, (etr_slice){(const char *)bytes, fb.size});
  cr_expect(it.status == ETR_OK && it.dump.run_count == 2 && it.warnings.count == 0);
  for (size_t i = 0; i < it.dump.run_count; i++)
    cr_expect(it.dump.runs[i].event_count == 0 && !*it.dump.runs[i].name);
  clear(&it);
}

Test(dump, a_dump_without_runs_is_read) {
  uint8_t bytes[64] = {0};
  tiny_fb fb = {bytes, sizeof bytes, 0};
  reading it = {0};
  tiny_start(&fb, "ED00");
  tiny_point(&fb, 0, tiny_table(&fb, (uint16_t[]){0}, 0, 4));
  read_bytes(&it, (etr_slice){(const char *)bytes, fb.size});
  cr_expect(it.status == ETR_OK && it.dump.run_count == 0);
  clear(&it);
}

Test(dump, shared_tables_do_not_expand_without_bound) {
  static const struct {
    uint32_t runs, events;
    etr_status status;
  } cases[] = {
      {20000, 20000, ETR_ERROR_FORMAT}, /* 160 kB for 4e8 events */
      {1, 40000, ETR_ERROR_FORMAT},
      {40000, 1, ETR_ERROR_FORMAT},
      {1, 2, ETR_OK}, /* some sharing is legal */
  };
  static uint8_t bytes[1 << 18];
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    tiny_fb fb = {bytes, sizeof bytes, 0};
    reading it = {0};
    memset(bytes, 0, sizeof bytes);
    build(&fb, cases[i].runs, cases[i].events, "name");
    read_bytes(&it, (etr_slice){(const char *)bytes, fb.size});
    cr_expect_eq(it.status, cases[i].status, "case %zu", i);
    if (it.status != ETR_OK)
      cr_expect(strstr(it.error.message, "shared"), "case %zu: %s", i, it.error.message);
    clear(&it);
  }
}
