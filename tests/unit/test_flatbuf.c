/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_flatbuf.c - lib/formats/flatbuf.c: every kind of field, present and absent, at any
 * alignment; every way a buffer can lie; the visit budget.
 */
#include "formats/flatbuf.h"

#include "tiny_flatbuf.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { U8, I32, U32, I64, U64, F32, TABLE, STRING, TABLES, INTS, LONGS, BYTES, MISSING, FIELDS };
enum { TABLE_BYTES = 60, CAPACITY = 512 };

typedef struct sample {
  uint8_t bytes[CAPACITY];
  uint32_t size, root, child, string, tables, longs;
} sample;

static void build(sample *out) {
  static const uint16_t places[FIELDS] = {4, 5, 9, 13, 21, 29, 33, 37, 41, 45, 49, 53, 0};
  *out = (sample){0};
  tiny_fb fb = {out->bytes, CAPACITY, 0};
  tiny_start(&fb, "TEST");
  out->root = tiny_table(&fb, places, FIELDS, TABLE_BYTES);
  tiny_point(&fb, 0, out->root);
  tiny_set(&fb, out->root + places[U8], 1, 200);
  tiny_set(&fb, out->root + places[I32], 4, (uint64_t)-7);
  tiny_set(&fb, out->root + places[U32], 4, 0xFEDCBA98);
  tiny_set(&fb, out->root + places[I64], 8, (uint64_t)INT64_MIN);
  tiny_set(&fb, out->root + places[U64], 8, 0xFEDCBA9876543210);
  tiny_set(&fb, out->root + places[F32], 4, 0x3FC00000);
  out->tables = tiny_vector(&fb, 2, 4);
  tiny_point(&fb, out->root + places[TABLES], out->tables);
  out->child = tiny_table(&fb, (uint16_t[]){4}, 1, 8);
  tiny_set(&fb, out->child + 4, 4, 42);
  tiny_point(&fb, out->root + places[TABLE], out->child);
  tiny_point(&fb, out->tables + 4, out->child);
  tiny_point(&fb, out->tables + 8, out->child);
  uint32_t ints = tiny_vector(&fb, 2, 4);
  tiny_set(&fb, ints + 8, 4, (uint64_t)-3);
  tiny_point(&fb, out->root + places[INTS], ints);
  out->longs = tiny_vector(&fb, 1, 8);
  tiny_set(&fb, out->longs + 4, 8, (uint64_t)-5);
  tiny_point(&fb, out->root + places[LONGS], out->longs);
  out->string = tiny_string(&fb, "no NUL");
  tiny_point(&fb, out->root + places[STRING], out->string);
  tiny_point(&fb, out->root + places[BYTES], out->string);
  out->size = fb.size;
}

static int32_t last_int(etr_fb *fb, etr_fb_at table) {
  uint32_t count;
  etr_fb_at vector = etr_fb_vector(fb, table, INTS, 4, &count);
  return count ? etr_fb_i32_at(fb, vector, count - 1) : 0;
}

/* Reads every field, and vectors to their end. */
static void read_all(etr_fb *fb) {
  uint32_t count;
  etr_fb_at root = etr_fb_root(fb), child = etr_fb_table(fb, root, TABLE);
  etr_fb_i32(fb, child, 0, 0);
  etr_fb_u8(fb, root, U8, 0);
  etr_fb_u64(fb, root, U64, 0);
  etr_fb_f32(fb, root, F32, 0);
  volatile size_t used = etr_fb_string(fb, root, STRING).size + etr_fb_bytes(fb, root, BYTES).size;
  (void)used;
  last_int(fb, root);
  etr_fb_at tables = etr_fb_vector(fb, root, TABLES, 4, &count);
  for (uint32_t i = 0; i < count && !etr_fb_failed(fb); i++)
    etr_fb_i32(fb, etr_fb_table_at(fb, tables, i), 0, 0);
  etr_fb_at longs = etr_fb_vector(fb, root, LONGS, 8, &count);
  for (uint32_t i = 0; i < count && !etr_fb_failed(fb); i++)
    etr_fb_i64_at(fb, longs, i);
}

Test(flatbuf, fields_at_any_alignment) {
  sample it;
  build(&it);
  for (size_t shift = 0; shift < 8; shift++) {
    uint8_t moved[CAPACITY + 8];
    etr_fb fb;
    uint32_t count;
    memcpy(moved + shift, it.bytes, it.size);
    etr_fb_init(&fb, moved + shift, it.size);
    etr_fb_at root = etr_fb_root(&fb);
    cr_expect_eq(root, it.root);
    cr_expect(etr_fb_has_identifier(&fb, "TEST") && !etr_fb_has_identifier(&fb, "TESU"));
    cr_expect_eq(etr_fb_u8(&fb, root, U8, 1), 200);
    cr_expect_eq(etr_fb_i32(&fb, root, I32, 1), -7);
    cr_expect_eq(etr_fb_u32(&fb, root, U32, 1), 0xFEDCBA98);
    cr_expect_eq(etr_fb_i64(&fb, root, I64, 1), INT64_MIN);
    cr_expect_eq(etr_fb_u64(&fb, root, U64, 1), 0xFEDCBA9876543210);
    cr_expect_float_eq(etr_fb_f32(&fb, root, F32, 1), 1.5f, 0);
    cr_expect_eq(etr_fb_i32(&fb, etr_fb_table(&fb, root, TABLE), 0, 1), 42);
    cr_expect(etr_slice_is(etr_fb_string(&fb, root, STRING), "no NUL"));
    cr_expect(etr_slice_is(etr_fb_bytes(&fb, root, BYTES), "no NUL"));
    etr_fb_at tables = etr_fb_vector(&fb, root, TABLES, 4, &count);
    cr_expect(count == 2 && etr_fb_table_at(&fb, tables, 1) == it.child);
    cr_expect_eq(last_int(&fb, root), -3);
    etr_fb_at longs = etr_fb_vector(&fb, root, LONGS, 8, &count);
    cr_expect(count == 1 && etr_fb_i64_at(&fb, longs, 0) == -5);
    cr_expect_not(etr_fb_failed(&fb), "%s", fb.message);
  }
}

Test(flatbuf, absent_fields_have_the_default) {
  sample it;
  etr_fb fb;
  build(&it);
  etr_fb_init(&fb, it.bytes, it.size);
  etr_fb_at root = etr_fb_root(&fb);
  const struct {
    etr_fb_at table;
    unsigned field;
  } cases[] = {{0, 0}, {root, MISSING}, {root, FIELDS}, {root, 100000}};
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    etr_fb_at table = cases[i].table;
    unsigned field = cases[i].field;
    uint32_t count = 9;
    cr_expect_eq(etr_fb_u8(&fb, table, field, 3), 3);
    cr_expect_eq(etr_fb_i32(&fb, table, field, -4), -4);
    cr_expect_eq(etr_fb_u32(&fb, table, field, 5), 5);
    cr_expect_eq(etr_fb_i64(&fb, table, field, -6), -6);
    cr_expect_eq(etr_fb_u64(&fb, table, field, 7), 7);
    cr_expect_float_eq(etr_fb_f32(&fb, table, field, 0.5f), 0.5f, 0);
    cr_expect_eq(etr_fb_table(&fb, table, field), 0);
    cr_expect_null(etr_fb_string(&fb, table, field).data);
    cr_expect_null(etr_fb_bytes(&fb, table, field).data);
    cr_expect(etr_fb_vector(&fb, table, field, 4, &count) == 0 && count == 0);
  }
  cr_expect(etr_fb_table_at(&fb, 0, 0) == 0 && etr_fb_i32_at(&fb, 0, 0) == 0 &&
            etr_fb_i64_at(&fb, 0, 0) == 0);
  cr_expect_not(etr_fb_failed(&fb));
}

/* An overwritten number, at an offset relative to a position in the sample. */
enum { AT_START, AT_VTABLE, AT_ROOT, AT_CHILD, AT_STRING, AT_LONGS };

static uint32_t place_of(const sample *it, int place) {
  const uint32_t places[] = {0, 8, it->root, it->child, it->string, it->longs};
  return places[place];
}

Test(flatbuf, damage_is_reported_at_its_offset) {
  static const struct {
    const char *what;
    int place;
    uint32_t plus;
    unsigned width;
    uint64_t value;
    int error_place;
    uint32_t error_plus;
  } cases[] = {
      {"root offset beyond the end", AT_START, 0, 4, 0x7FFFFFFF, AT_START, 0},
      {"root offset beyond 32 bits of anything", AT_START, 0, 4, 0xFFFFFFFF, AT_START, 0},
      {"root offset 0", AT_START, 0, 4, 0, AT_START, 0},
      {"vtable before the buffer", AT_ROOT, 0, 4, 0x7FFFFFFF, AT_ROOT, 0},
      {"vtable behind the buffer", AT_ROOT, 0, 4, 0x80000000, AT_ROOT, 0},
      {"vtable size odd", AT_VTABLE, 0, 2, 5, AT_VTABLE, 0},
      {"vtable size 2", AT_VTABLE, 0, 2, 2, AT_VTABLE, 0},
      {"vtable size beyond the end", AT_VTABLE, 0, 2, 0xFFFE, AT_VTABLE, 0},
      {"table size 0", AT_VTABLE, 2, 2, 0, AT_VTABLE, 2},
      {"table size beyond the end", AT_VTABLE, 2, 2, 0xFFFF, AT_VTABLE, 2},
      {"field over the vtable offset", AT_VTABLE, 4 + 2 * U64, 2, 3, AT_VTABLE, 4 + 2 * U64},
      {"field behind the table", AT_VTABLE, 4 + 2 * U64, 2, TABLE_BYTES, AT_VTABLE, 4 + 2 * U64},
      {"child offset 0", AT_ROOT, 33, 4, 0, AT_ROOT, 33},
      {"child offset beyond the end", AT_ROOT, 33, 4, 0xFFFFFFF0, AT_ROOT, 33},
      {"string longer than the buffer", AT_STRING, 0, 4, 7, AT_STRING, 0},
      {"string of 4 GiB", AT_STRING, 0, 4, 0xFFFFFFFF, AT_STRING, 0},
      {"vector whose bytes overflow 32 bits", AT_LONGS, 0, 4, 0x20000001, AT_LONGS, 0},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    sample it;
    etr_fb fb;
    build(&it);
    tiny_fb patch = {it.bytes, CAPACITY, it.size};
    tiny_set(&patch, place_of(&it, cases[i].place) + cases[i].plus, cases[i].width, cases[i].value);
    etr_fb_init(&fb, it.bytes, it.size);
    read_all(&fb);
    cr_expect(etr_fb_failed(&fb), "%s", cases[i].what);
    uint32_t expected = place_of(&it, cases[i].error_place) + cases[i].error_plus;
    cr_expect_eq(fb.offset, expected, "%s: at %u, not %u (%s)", cases[i].what, (unsigned)fb.offset,
                 expected, fb.message ? fb.message : "");
  }
}

Test(flatbuf, an_element_beyond_the_vector_fails) {
  sample it;
  build(&it);
  for (int kind = 0; kind < 3; kind++) {
    etr_fb fb;
    uint32_t count;
    etr_fb_init(&fb, it.bytes, it.size);
    etr_fb_at vector = etr_fb_vector(&fb, etr_fb_root(&fb), TABLES, 4, &count);
    int64_t got = kind == 0   ? etr_fb_table_at(&fb, vector, count)
                  : kind == 1 ? etr_fb_i32_at(&fb, vector, count)
                              : etr_fb_i64_at(&fb, vector, count);
    cr_expect(got == 0 && etr_fb_failed(&fb));
  }
}

Test(flatbuf, every_truncation_fails_or_reads) {
  sample it;
  build(&it);
  for (uint32_t size = 0; size < it.size; size++) {
    uint8_t *exact = malloc(ETR_MAX(size, 1u)); /* on the heap, so that a sanitizer sees the end */
    etr_fb fb;
    memcpy(exact, it.bytes, size);
    etr_fb_init(&fb, exact, size);
    etr_fb_has_identifier(&fb, "TEST");
    read_all(&fb);
    cr_expect(etr_fb_failed(&fb), "%u bytes", size);
    free(exact);
  }
}

Test(flatbuf, the_first_failure_stays_and_stops_all) {
  sample it;
  etr_fb fb;
  build(&it);
  etr_fb_init(&fb, it.bytes, it.size);
  etr_fb_at root = etr_fb_root(&fb);
  etr_fb_fail(&fb, 17, "first");
  etr_fb_fail(&fb, 18, "second");
  cr_expect(strcmp(fb.message, "first") == 0 && fb.offset == 17);
  cr_expect_eq(etr_fb_u8(&fb, root, U8, 1), 1);
  cr_expect_eq(etr_fb_root(&fb), 0);
}

Test(flatbuf, visits_are_bounded_by_the_size) {
  sample it;
  etr_fb fb;
  build(&it);
  etr_fb_init(&fb, it.bytes, it.size);
  etr_fb_at root = etr_fb_root(&fb);
  size_t tables = 1, strings = 0, budget = (size_t)it.size * 16; /* the root is paid for */
  while (etr_fb_table(&fb, root, TABLE))
    tables++;
  cr_expect(etr_fb_failed(&fb));
  cr_expect_eq(tables, budget / 32, "%zu visits of %u bytes", tables, it.size);
  etr_fb_init(&fb, it.bytes, it.size);
  root = etr_fb_root(&fb);
  while (etr_fb_string(&fb, root, STRING).data)
    strings++;
  cr_expect_eq(strings, (budget - 32) / (8 + strlen("no NUL")), "%zu visits of %u bytes", strings,
               it.size);
}

Test(flatbuf, larger_than_2_gib_is_refused) {
  etr_fb fb;
  etr_fb_init(&fb, "", (size_t)INT32_MAX + 1); /* must not be touched */
  cr_expect(etr_fb_failed(&fb) && etr_fb_root(&fb) == 0);
}
