/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_buffers.c - records are read from memory as they are read from files.
 */
#include "base/memory_file.h"
#include "base/writer.h"
#include "etrecord_tb.h"
#include "open_fixture.h"

#include <stdlib.h>

enum { FILES = 4 };

/* The files of a record in memory of their own size, so that a sanitizer sees each byte that is
 * read behind them. */
static etr_buffer buffers[FILES];
static size_t count;

static void load(const char *record, const char *file, const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s/%s", FIXTURES, record, file);
  FILE *stream = fopen(path, "rb");
  cr_assert(stream, "%s", path);
  cr_assert_eq(fseek(stream, 0, SEEK_END), 0);
  long size = ftell(stream);
  rewind(stream);
  char *data = malloc((size_t)size);
  cr_assert(data && fread(data, 1, (size_t)size, stream) == (size_t)size);
  fclose(stream);
  buffers[count++] = (etr_buffer){name, data, (size_t)size};
}

static void forget(void) {
  while (count > 0)
    free(etr_for_foreign(buffers[--count].data));
}

static bool append(void *context, const void *data, size_t size) {
  etr_put(context, (etr_slice){data, size});
  return true;
}

static const char *events_of(const etr_profile *profile, etr_arena *arena) {
  etr_text text;
  etr_writer writer;
  etr_error error;
  etr_text_begin(&text, arena, &writer);
  cr_assert_eq(
      etr_emit_events_json(profile, NULL, ETR_UNIT_NS, &(etr_sink){append, &writer}, &error),
      ETR_OK, "%s", error.message);
  return etr_text_end(&text, &writer);
}

/* Compares the events of a record in memory with those of its folder. */
static void compare(const char *record, const etr_inputs *inputs) {
  etr_arena arena;
  etr_error error;
  etr_profile *of_memory, *of_files = open_fixture(record, NULL);
  etr_arena_init(&arena);
  cr_assert_eq(etr_profile_open(&of_memory, inputs, NULL, &error), ETR_OK, "%s: %s", error.file,
               error.message);
  cr_expect_eq(of_memory->graph_count, of_files->graph_count);
  cr_expect_eq(of_memory->debug_value_count, of_files->debug_value_count);
  cr_expect_str_eq(events_of(of_memory, &arena), events_of(of_files, &arena), "%s", record);
  etr_profile_close(of_memory);
  etr_profile_close(of_files);
  etr_arena_clear(&arena);
}

Test(buffers, content_says_what_they_are, .fini = forget) {
  load("mv2_xnnpack", "model.pte", "a");
  load("mv2_xnnpack", "etdump.etdp", "b");
  load("mv2_xnnpack", "etrecord.bin", "c");
  compare("mv2_xnnpack", &(etr_inputs){.buffers = buffers, .buffer_count = count});
}

Test(buffers, a_debug_buffer_is_known_by_its_name, .fini = forget) {
  load("add_mul_debug", "etrecord.bin", "record");
  load("add_mul_debug", "etdump.etdp", "dump");
  load("add_mul_debug", "debug_buffer.bin", "debug_buffer.bin");
  load("add_mul_debug", "model.pte", "program");
  compare("add_mul_debug", &(etr_inputs){.buffers = buffers, .buffer_count = count});
}

Test(buffers, paths_name_them, .fini = forget) {
  char record[512];
  const char *dump = "dump";
  snprintf(record, sizeof record, "%s/add_mul/etrecord.bin", FIXTURES);
  load("add_mul", "etdump.etdp", dump);
  load("add_mul", "model.pte", "program");
  const etr_inputs inputs = {.etrecord = record,
                             .etdumps = &dump,
                             .etdump_count = 1,
                             .pte = "program",
                             .buffers = buffers,
                             .buffer_count = count};
  compare("add_mul", &inputs);
}

Test(buffers, inputs_that_were_found_may_be_cleared, .fini = forget) {
  etr_inputs inputs;
  etr_error error;
  etr_profile *profile, *other;
  load("add_mul", "etrecord.bin", "same name");
  load("add_mul", "etdump.etdp", "same name");
  const etr_inputs chosen = {.buffers = buffers, .buffer_count = count};
  cr_assert_eq(etr_inputs_find_all(&inputs, NULL, 0, &chosen, &error), ETR_OK, "%s", error.message);
  cr_assert_eq(etr_profile_open(&profile, &inputs, NULL, &error), ETR_OK, "%s", error.message);
  etr_inputs_clear(&inputs);
  cr_expect_str_eq(profile->etrecord, "memory:/same name");
  cr_assert_eq(etr_profile_open(&other, &chosen, NULL, &error), ETR_OK, "%s", error.message);
  etr_comparison *comparison; /* which reads the records again */
  cr_expect_eq(etr_compare(&comparison, profile, other, NULL, &error), ETR_OK, "%s", error.message);
  etr_comparison_close(comparison);
  etr_profile_close(profile);
  etr_profile_close(other);
  etr_slice bytes;
  cr_expect(!etr_memory_file_find("memory:/same name", &bytes), "nobody holds it any more");
  cr_expect(!etr_memory_file_find("memory:2/same name", &bytes), "nobody holds it any more");
}

Test(buffers, a_record_is_joined_to_dumps_in_memory, .fini = forget) {
  etr_error error;
  etr_opened_record *record;
  etr_profile *profile;
  load("add_mul", "etrecord.bin", "record");
  load("add_mul", "etdump.etdp", "dump");
  const etr_inputs first = {.buffers = buffers, .buffer_count = 1};
  const etr_inputs second = {.buffers = buffers + 1, .buffer_count = 1};
  cr_assert_eq(etr_open_record(&record, &first, NULL, &error), ETR_OK, "%s", error.message);
  cr_assert_eq(etr_join_dumps(&profile, record, &second, NULL, &error), ETR_OK, "%s",
               error.message);
  cr_expect_gt(profile->run_count, 0);
  etr_profile_close(profile);
  etr_close_record(record);
}

/* A record that was opened before its dumps gives the same as all at once, each time. */
Test(buffers, dumps_are_joined_to_a_record_again_and_again) {
  static const char *const records[] = {
      "mv2_xnnpack", "quantized_xnnpack", "multi_method",    "bundled_update",
      "p_gru",       "twin_methods",      "external_weights"};
  for (size_t i = 0; i < ETR_COUNT(records); i++) {
    etr_arena arena = {0};
    etr_error error;
    etr_inputs inputs, dumps_alone = {.etdump_count = 0};
    etr_opened_record *record;
    etr_profile *whole, *joined;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", FIXTURES, records[i]);
    cr_assert_eq(etr_inputs_find(&inputs, path, NULL, &error), ETR_OK, "%s", error.message);
    cr_assert_eq(etr_profile_open(&whole, &inputs, NULL, &error), ETR_OK, "%s", error.message);
    cr_assert_eq(etr_open_record(&record, &inputs, NULL, &error), ETR_OK, "%s", error.message);
    dumps_alone.etdumps = inputs.etdumps;
    dumps_alone.etdump_count = inputs.etdump_count;
    dumps_alone.debug_buffer = inputs.debug_buffer;
    const char *want = events_of(whole, &arena);
    for (size_t time = 0; time < 2; time++) {
      cr_assert_eq(etr_join_dumps(&joined, record, &dumps_alone, NULL, &error), ETR_OK, "%s: %s",
                   records[i], error.message);
      cr_expect_str_eq(events_of(joined, &arena), want, "%s", records[i]);
      cr_assert_eq(joined->warning_count, whole->warning_count, "%s", records[i]);
      for (size_t k = 0; k < whole->warning_count; k++)
        cr_expect_str_eq(joined->warnings[k].message, whole->warnings[k].message);
      etr_profile_close(joined);
    }
    etr_close_record(record);
    etr_profile_close(whole);
    etr_inputs_clear(&inputs);
    etr_arena_clear(&arena);
  }
}

Test(buffers, what_is_no_part_of_a_record_is_an_error) {
  static const etr_buffer wrong[] = {
      {"text", "hello", 5}, {"nothing", NULL, 0}, {"pointer", "version https://git-lfs", 23}};
  for (size_t i = 0; i < ETR_COUNT(wrong); i++) {
    etr_profile *profile;
    etr_error error;
    const etr_inputs inputs = {.buffers = &wrong[i], .buffer_count = 1};
    cr_expect_neq(etr_profile_open(&profile, &inputs, NULL, &error), ETR_OK);
    cr_expect(strstr(error.file, wrong[i].name), "%s: %s", error.file, error.message);
  }
  etr_profile *profile;
  etr_error error;
  const etr_buffer nameless = {NULL, "ED00", 4};
  cr_expect_eq(etr_profile_open(&profile, &(etr_inputs){.buffers = &nameless, .buffer_count = 1},
                                NULL, &error),
               ETR_ERROR_OPTION);
}

Test(buffers, a_limit_holds_for_them, .fini = forget) {
  etr_profile *profile;
  etr_error error;
  load("add_mul", "etdump.etdp", "dump");
  cr_expect_eq(etr_profile_open(&profile, &(etr_inputs){.buffers = buffers, .buffer_count = count},
                                &(etr_options){.max_bytes = 100}, &error),
               ETR_ERROR_FORMAT);
}
