/* SPDX-License-Identifier: BSD-3-Clause
 *
 * debug_handle_map and delegate_map.
 */
#include "inputs/maps.h"

#include <criterion/criterion.h>
#include <stdio.h>

typedef struct reading {
  etr_arena arena;
  etr_map strings;
  etr_maps *maps;
} reading;

static void begin(reading *r) {
  *r = (reading){0};
  etr_map_init(&r->strings, &r->arena);
  r->maps = etr_maps_new(&r->strings, "only");
}

/* Returns whether the document could be read. */
static bool read_map(reading *r, const char *document, void (*read)(etr_maps *, etr_json *)) {
  etr_json *json = etr_json_open_memory(etr_slice_of(document), NULL);
  read(r->maps, json);
  etr_json_end(json);
  bool failed = etr_json_failed(json);
  etr_json_close(json);
  return !failed;
}

static size_t put_handles(char *out, size_t size, const uint32_t *handles, size_t count) {
  size_t used = 0;
  for (size_t i = 0; i < count; i++)
    used += (size_t)snprintf(out + used, size - used, "%s%u", i ? "," : "", handles[i]);
  return used;
}

/* Writes "METHOD: ID=HANDLE,HANDLE!BACKEND{ID:HANDLE,...}" for each method, joined by '; '. */
static void describe(reading *r, char *out, size_t size) {
  size_t count, used = 0;
  const etr_map_method *methods = etr_maps_finish(r->maps, &count);
  out[0] = '\0';
  for (size_t i = 0; i < count; i++) {
    used += (size_t)snprintf(out + used, size - used, "%s%s:", i ? "; " : "", methods[i].name);
    for (size_t k = 0; k < methods[i].instruction_count; k++) {
      const etr_map_instruction *in = &methods[i].instructions[k];
      used += (size_t)snprintf(out + used, size - used, " %d=", in->id);
      used += put_handles(out + used, size - used, in->handles, in->handle_count);
      if (in->is_delegate)
        used += (size_t)snprintf(out + used, size - used, "!%s", in->backend ? in->backend : "?");
      for (size_t d = 0; d < in->id_count; d++) {
        used += (size_t)snprintf(out + used, size - used, "{%s:", in->ids[d].id);
        used += put_handles(out + used, size - used, in->ids[d].handles, in->ids[d].handle_count);
        used += (size_t)snprintf(out + used, size - used, "}");
      }
    }
  }
}

Test(maps, handles_and_delegate_ids_are_read) {
  static const struct {
    const char *handles, *delegates, *expected;
  } cases[] = {
      {"{}", "{}", ""},
      {"{\"forward\": {}}", "{\"forward\": {}}", "forward:"},
      {"{\"forward\": {\"0\": 1, \"1\": 2}}", "{}", "forward: 0=1 1=2"},
      {"{\"forward\": {\"10\": 1, \"9\": 2}}", "{}", "forward: 9=2 10=1"},
      {"{\"forward\": {\"0\": [3, 3, 1]}}",
       "{\"forward\": {\"0\": {\"name\": \"X\", \"delegate_map\": {}}}}", "forward: 0=3,3,1!X"},
      {"{\"f\": {\"1\": 1}}",
       "{\"f\": {\"0\": {\"name\": \"X\", \"delegate_map\": {\"a:b\": [1, 2], \"7\": [3]}}}}",
       "f: 0=!X{7:3}{a:b:1,2} 1=1"},
      {"{\"encode\": {\"0\": 1}, \"decode\": {\"0\": 2}}", "{\"decode\": {}, \"other\": {}}",
       "encode: 0=1; decode: 0=2; other:"},
      {"{\"f\": null, \"g\": {\"0\": null, \"1\": [null, 4]}}", "null", "f:; g: 0= 1=4"},
      {"{\"f\": {\"3\": 1, \"03\": 2}}", "{\"f\": {\"003\": {\"name\": \"X\"}}}", "f: 3=2!X"},
      {"{\"0\": 1, \"1\": [2, 3], \"2\": null}", "{\"only\": {\"1\": {\"name\": \"X\"}}}",
       "only: 0=1 1=2,3!X 2="},
      {"{\"0\": {\"0\": 1}}", "{}", "0: 0=1"},
      {"{\"f\": {\"0\": 4294967294}}", "{\"f\": {\"0\": {\"later\": [1, {}]}}}",
       "f: 0=4294967294!?"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    reading r;
    char text[1024];
    begin(&r);
    cr_expect(read_map(&r, cases[i].handles, etr_maps_read_handles), "%s", cases[i].handles);
    cr_expect(read_map(&r, cases[i].delegates, etr_maps_read_delegates), "%s", cases[i].delegates);
    describe(&r, text, sizeof text);
    cr_expect_str_eq(text, cases[i].expected, "%s", text);
    etr_arena_clear(&r.arena);
  }
}

Test(maps, maps_that_no_exporter_writes_are_refused) {
  static const char *const cases[] = {"[]",
                                      "7",
                                      "{\"f\": 7}",
                                      "{\"f\": {\"x\": 1}}",
                                      "{\"f\": {\"-1\": 1}}",
                                      "{\"f\": {\"2147483648\": 1}}",
                                      "{\"f\": {\"0\": -1}}",
                                      "{\"f\": {\"0\": 4294967295}}",
                                      "{\"f\": {\"0\": \"a\"}}",
                                      "{\"f\": {\"0\": [[1]]}}",
                                      "{\"f\": {\"0\": 1",
                                      "{} {}",
                                      ""};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    reading r;
    begin(&r);
    cr_expect_not(read_map(&r, cases[i], etr_maps_read_handles), "%s", cases[i]);
    etr_arena_clear(&r.arena);
  }
}
