/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Framing of records, and what happens when the sink refuses.
 */
#include "tensorboard/tfrecord.h"

#include <criterion/criterion.h>

typedef struct collector {
  unsigned char bytes[256];
  size_t size;
  size_t refuse_after; /* bytes */
  int calls;
} collector;

static bool collect(void *context, const void *data, size_t size) {
  collector *c = context;
  c->calls++;
  if (c->size + size > c->refuse_after)
    return false;
  memcpy(c->bytes + c->size, data, size);
  c->size += size;
  return true;
}

/* Written by tensorboard's own RecordWriter: Event(wall_time=1.5, file_version="brain.Event:2"),
 * and an empty record.
 */
static const unsigned char event_record[] = {
    0x18, 0,   0,   0,   0,   0,    0,    0,    0xa3, 0x7f, 0x4b, 0x22, 0x09, 0,
    0,    0,   0,   0,   0,   0xf8, 0x3f, 0x1a, 0x0d, 'b',  'r',  'a',  'i',  'n',
    '.',  'E', 'v', 'e', 'n', 't',  ':',  '2',  0x2a, 0x28, 0x64, 0x6c,
};
static const unsigned char empty_record[] = {0,    0,    0,    0,    0,    0,    0,    0,
                                             0x29, 0x03, 0x98, 0x07, 0xd8, 0xea, 0x82, 0xa2};

Test(tfrecord, records_are_those_of_tensorboard) {
  const struct {
    etr_slice data;
    const unsigned char *expected;
    size_t size;
  } cases[] = {
      {{(const char *)event_record + 12, 24}, event_record, sizeof event_record},
      {{NULL, 0}, empty_record, sizeof empty_record},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    collector out = {.refuse_after = sizeof out.bytes};
    etr_sink sink = {collect, &out};
    etr_tfrecord writer = {.sink = &sink};
    etr_tfrecord_write(&writer, cases[i].data);
    cr_expect_not(writer.failed, "case %zu", i);
    cr_expect(out.size == cases[i].size && memcmp(out.bytes, cases[i].expected, out.size) == 0,
              "case %zu", i);
  }
}

Test(tfrecord, a_failure_is_remembered) {
  collector out = {.refuse_after = 20};
  etr_sink sink = {collect, &out};
  etr_tfrecord writer = {.sink = &sink};
  etr_tfrecord_write(&writer, (etr_slice){"0123456789", 10});
  cr_expect(writer.failed);
  int calls = out.calls;
  out.refuse_after = sizeof out.bytes;
  etr_tfrecord_write(&writer, (etr_slice){"x", 1});
  cr_expect_eq(out.calls, calls, "the sink was asked again");
}
