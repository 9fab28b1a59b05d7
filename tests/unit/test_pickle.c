/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_pickle.c - lib/inputs/pickle.c: pickles that it reads, and pickles that it refuses.
 */
#include "inputs/pickle.h"

#include <criterion/criterion.h>

#define BYTES(literal) {(literal), sizeof(literal) - 1}

/* ("storage", FloatStorage, "0", "cpu", 4) */
#define STORAGE                                                                                    \
  "(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0"                                               \
  "0X\3\0\0\0cpuK\4tQ"
#define REBUILD "ctorch._utils\n_rebuild_tensor_v2\n"
#define TYPED "ctorch._utils\n_rebuild_tensor_v3\n"
#define WORD "X\7\0\0\0storage"
#define UNTYPED                                                                                    \
  "(" WORD "ctorch.storage\nUntypedStorage\nX\1\0\0\0"                                             \
  "0X\3\0\0\0cpuK\4tQ"
#define TEN "K\1K\1K\1K\1K\1K\1K\1K\1K\1K\1"
#define LONG                                                                                       \
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" \
  "aa"
#define HOOKS "ccollections\nOrderedDict\n)R"

/* A storage of two numbers in the format of torch.save before zips, and the call that loads it. */
#define MACHINE "\x80\2}X\15\0\0\0little_endian\x88s."
#define SAVED(count)                                                                               \
  "\x80\2(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0"                                         \
  "kX\3\0\0\0cpuK" count "NtQ."
#define KEYS "\x80\2]X\1\0\0\0ka."
#define NUMBERS "\2\0\0\0\0\0\0\0\0\0\x80\x3F\0\0\0\x40"
#define WHOLE ETR_SAVED_STORAGE MACHINE SAVED("\2") KEYS NUMBERS
#define WHOLE_SIZE "\177"
#define LOAD "ctorch.storage\n_load_from_bytes\n"
#define LOADED(size, bytes) LOAD "C" size bytes "\x85R"
#define LOADED_TENSOR(size, bytes)                                                                 \
  REBUILD "(" LOADED(size, bytes) "K\0K\2\x85K\1\x85\x89" HOOKS "tR."

typedef struct run {
  etr_arena arena;
  const etr_pickle_value *value;
  const char *message;
  uint64_t offset;
} run;

static run run_of(etr_slice bytes) {
  run r = {0};
  r.message = etr_pickle_read(&r.value, &r.arena, bytes, &r.offset);
  return r;
}

Test(pickle, scalars_are_read) {
  static const struct {
    etr_slice bytes;
    etr_pickle_kind kind;
    int64_t number;
    double real;
  } rows[] = {
      {BYTES("\x80\2N."), ETR_PICKLE_NONE, 0, 0},
      {BYTES("\x88."), ETR_PICKLE_BOOL, 1, 0},
      {BYTES("\x89."), ETR_PICKLE_BOOL, 0, 0},
      {BYTES("K\xFF."), ETR_PICKLE_INT, 255, 0},
      {BYTES("M\0\1."), ETR_PICKLE_INT, 256, 0},
      {BYTES("J\xFE\xFF\xFF\xFF."), ETR_PICKLE_INT, -2, 0},
      {BYTES("\x8A\0."), ETR_PICKLE_INT, 0, 0},
      {BYTES("\x8A\1\xFF."), ETR_PICKLE_INT, -1, 0},
      {BYTES("\x8A\x08\0\0\0\0\0\0\0\x80."), ETR_PICKLE_INT, INT64_MIN, 0},
      {BYTES("G\x3F\xF8\0\0\0\0\0\0."), ETR_PICKLE_FLOAT, 0, 1.5},
      {BYTES("\x80\4\x95\3\0\0\0\0\0\0\0\x88."), ETR_PICKLE_BOOL, 1, 0},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    run r = run_of(rows[i].bytes);
    cr_assert(r.value, "row %zu: %s", i, r.message);
    cr_expect(r.value->kind == rows[i].kind && r.value->number == rows[i].number &&
                  r.value->real == rows[i].real,
              "row %zu", i);
    etr_arena_clear(&r.arena);
  }
}

Test(pickle, structures_and_references_are_read) {
  /* {"a": [1, (2, 3, 4)], "b": the list again, "a": ()}: equal keys are kept */
  run r = run_of((etr_slice)BYTES("\x80\2}q\0(X\1\0\0\0aq\1]q\2(K\1K\2K\3K\4\x87"
                                  "eX\1\0\0\0bh\2h\1)u."));
  cr_assert(r.value, "%s", r.message);
  cr_assert(r.value->kind == ETR_PICKLE_DICT && r.value->items.count == 6);
  const etr_pickle_value *b = r.value->items.data[3], *a = r.value->items.data[5];
  cr_expect(r.value->items.data[1] == b && etr_slice_is(r.value->items.data[2]->text, "b"));
  cr_assert(a->kind == ETR_PICKLE_LIST && a->items.count == 0 && b->items.count == 2);
  cr_expect(b->items.data[0]->number == 1 && b->items.data[1]->items.data[2]->number == 4);
  etr_arena_clear(&r.arena);
}

Test(pickle, other_protocols_are_read) {
  /* ["a", "b", "a"], as protocol 4 writes it, and with long numbers */
  run r = run_of((etr_slice)BYTES("\x80\4]\x94(\x8C\1a\x94\x8D\1\0\0\0\0\0\0\0bj\1\0\0\0e."));
  cr_assert(r.value && r.value->items.count == 3, "%s", r.message);
  cr_expect(etr_slice_is(r.value->items.data[1]->text, "b") &&
            r.value->items.data[0] == r.value->items.data[2]);
  etr_arena_clear(&r.arena);
  r = run_of((etr_slice)BYTES("}(K\1K\2X\1\0\0\0aK\3u."));
  cr_assert(r.value, "%s", r.message);
  cr_assert_eq(r.value->items.count, 4);
  cr_expect_eq(r.value->items.data[3]->number, 3);
  etr_arena_clear(&r.arena);
}

Test(pickle, a_cyclic_list_is_a_list) {
  run r = run_of((etr_slice)BYTES("]q\0h\0a."));
  cr_assert(r.value && r.value->items.count == 1, "%s", r.message);
  cr_expect_eq(r.value->items.data[0], r.value);
  etr_arena_clear(&r.arena);
}

Test(pickle, tensors_are_read) {
  static const struct {
    etr_slice bytes;
    const char *dtype;
    uint64_t offset;
    int64_t size, stride;
  } rows[] = {
      {BYTES("\x80\2" REBUILD "(" STORAGE "K\1K\3\x85K\1\x85\x89" HOOKS "tR."), "float32", 1, 3, 1},
      {BYTES("\x80\2"
             "ctorch._utils\n_rebuild_parameter\n(" REBUILD "(" STORAGE
             "K\0K\2\x85K\2\x85\x89" HOOKS "tR\x88" HOOKS "tR."),
       "float32", 0, 2, 2},
      {BYTES("\x80\2"
             "ctorch._utils\n_rebuild_tensor_v3\n((X\7\0\0\0storagectorch."
             "storage\nUntypedStorage\nX\1\0\0\0"
             "0X\3\0\0\0cpuK\4tQ"
             "K\0K\2\x85K\1\x85\x89" HOOKS "ctorch\nuint16\ntR."),
       "uint16", 0, 2, 1},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    run r = run_of(rows[i].bytes);
    cr_assert(r.value, "row %zu: %s", i, r.message);
    cr_assert(r.value->kind == ETR_PICKLE_TENSOR && r.value->rank == 1, "row %zu", i);
    cr_expect_str_eq(r.value->element->dtype, rows[i].dtype);
    cr_expect(r.value->offset == rows[i].offset && r.value->sizes[0] == rows[i].size &&
                  r.value->strides[0] == rows[i].stride,
              "row %zu", i);
    cr_expect(etr_slice_is(r.value->storage->text, "0"));
    etr_arena_clear(&r.arena);
  }
}

Test(pickle, storages_inside_the_pickle_are_read) {
  static const float expected[] = {1, 2};
  run r = run_of((etr_slice)BYTES("\x80\4" LOADED_TENSOR(WHOLE_SIZE, WHOLE)));
  cr_assert(r.value, "%s", r.message);
  cr_assert(r.value->kind == ETR_PICKLE_TENSOR && r.value->rank == 1 && r.value->sizes[0] == 2);
  cr_expect_str_eq(r.value->element->dtype, "float32");
  cr_assert_eq(r.value->storage->memory.size, sizeof expected);
  cr_expect_arr_eq(r.value->storage->memory.data, expected, sizeof expected);
  etr_arena_clear(&r.arena);
}

Test(pickle, invalid_storages_are_refused) {
  static const struct {
    const char *bytes;
    size_t size;
    const char *message;
  } rows[] = {
#define ROW(literal, message) {(literal), sizeof(literal) - 1, (message)}
      ROW("", "not what torch.save writes"),
      ROW("\x80\2K\1.", "not what torch.save writes"),
      ROW(ETR_SAVED_STORAGE, "ends in the middle"),
      ROW(ETR_SAVED_STORAGE "\x80\2}.", "ends in the middle"),
      ROW(ETR_SAVED_STORAGE "\x80\2}." SAVED("\2") KEYS NUMBERS, "not little-endian"),
      ROW(ETR_SAVED_STORAGE "\x80\2K\1." SAVED("\2") KEYS NUMBERS, "not little-endian"),
      ROW(ETR_SAVED_STORAGE "\x80\2}X\15\0\0\0little_endian\x89s." SAVED("\2") KEYS NUMBERS,
          "not little-endian"),
      ROW(ETR_SAVED_STORAGE MACHINE "K\1." KEYS NUMBERS, "not what torch.save writes"),
      ROW(ETR_SAVED_STORAGE MACHINE SAVED("\2") "]." NUMBERS, "not what torch.save writes"),
      ROW(ETR_SAVED_STORAGE MACHINE SAVED("\2") "]X\1\0\0\0la." NUMBERS,
          "not what torch.save writes"),
      ROW(ETR_SAVED_STORAGE MACHINE SAVED("\2") "]K\1a." NUMBERS, "not what torch.save writes"),
      ROW(ETR_SAVED_STORAGE MACHINE SAVED("\2") "K\1." NUMBERS, "not what torch.save writes"),
      ROW(ETR_SAVED_STORAGE MACHINE SAVED("\3") KEYS NUMBERS, "another size"),
      ROW(ETR_SAVED_STORAGE MACHINE SAVED("\2") KEYS NUMBERS "a", "another size"),
      ROW(ETR_SAVED_STORAGE MACHINE SAVED("\2") KEYS "\2\0\0\0\0\0\0\0", "another size"),
      ROW(ETR_SAVED_STORAGE MACHINE SAVED("\2") KEYS "\2", "ends in the middle"),
      ROW(ETR_SAVED_STORAGE MACHINE "cos\nsystem\n.", "it imports os.system"),
      ROW(ETR_SAVED_STORAGE MACHINE STORAGE ".",
          "other than a tensor's storage"), /* that of an archive */
      ROW(ETR_SAVED_STORAGE "N(.", "stack is empty"),
      ROW(ETR_SAVED_STORAGE "h\0.", "never wrote"), /* the outer pickle has another memo */
      ROW(ETR_SAVED_STORAGE LOADED("\1", "a") ".", "a storage is inside a storage"),
#undef ROW
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    static const char before[] = "]q\0" LOAD "C";
    char bytes[512];
    size_t size = sizeof before - 1;
    memcpy(bytes, before, size);
    bytes[size++] = (char)rows[i].size;
    memcpy(bytes + size, rows[i].bytes, rows[i].size);
    size_t inner = size;
    size += rows[i].size;
    memcpy(bytes + size, "\x85R.", 3);
    run r = run_of((etr_slice){bytes, size + 3});
    cr_expect(!r.value && r.message && strstr(r.message, rows[i].message), "row %zu: %s", i,
              r.message ? r.message : "was read");
    cr_expect(r.offset >= inner && r.offset <= size, "row %zu: at %d of %zu bytes from %zu on", i,
              (int)r.offset, rows[i].size, inner);
    etr_arena_clear(&r.arena);
  }
}

/* The bytes of a storage may be loaded repeatedly, each time as new values. */
Test(pickle, storages_inside_are_bounded) {
  enum { SIZE = 4 << 20 };
  static char bytes[SIZE];
  static const char before[] = LOAD "q\0C" WHOLE_SIZE WHOLE "\x85q\1", again[] = "h\0h\1R";
  size_t size = sizeof before - 1;
  memcpy(bytes, before, size);
  for (; size + sizeof again < SIZE; size += sizeof again - 1)
    memcpy(bytes + size, again, sizeof again - 1);
  run r = run_of((etr_slice){bytes, size});
  cr_expect(r.message && strstr(r.message, "implausibly many values"), "%s", r.message);
  etr_arena_clear(&r.arena);
}

/* The number of instructions is limited, the number of values is not. */
Test(pickle, numbers_do_not_count_as_instructions) {
  enum { SIZE = 8 << 20, BEFORE = 6 };
  static char bytes[SIZE + 1];
  static const char before[] = "B\xFA\xFF\x7F\0";
  memcpy(bytes, before, sizeof before - 1);
  bytes[SIZE - 1] = '.';
  run r = run_of((etr_slice){bytes, SIZE});
  cr_expect(r.value && r.value->kind == ETR_PICKLE_BYTES && r.value->text.size == SIZE - BEFORE,
            "%s", r.message);
  etr_arena_clear(&r.arena);
  bytes[0] = 'X';
  r = run_of((etr_slice){bytes, SIZE});
  cr_expect(r.message && strstr(r.message, "implausibly long"), "%s", r.message);
  etr_arena_clear(&r.arena);
}

Test(pickle, unsafe_or_damaged_pickles_are_refused) {
  static const struct {
    etr_slice bytes;
    const char *message; /* part of it */
  } rows[] = {
      {BYTES(""), "ends in the middle"},
      {BYTES("."), "stack is empty"},
      {BYTES("N"), "ends in the middle"},
      {BYTES("X\xFF\xFF\xFF\xFF"
             "a."),
       "ends in the middle"},
      {BYTES("\x8D\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
             "a."),
       "ends in the middle"},
      {BYTES("cos\nsystem\n."), "it imports os.system"},
      {BYTES("X\2\0\0\0osX\6\0\0\0system\x93."), "it imports os.system"},
      {BYTES("cos"), "ends in the middle"},
      {BYTES("ctorch\n\n."), "it imports torch.,"},
      {BYTES("ctorch\n" LONG "\n."), "it imports torch.aaaa"},
      {BYTES("c" LONG "\nfloat32\n."), "aaaa.float32"},
      {BYTES("cTORCH\nfloat32\n."), "it imports TORCH.float32"},
      {BYTES("cTORCH\nFloatStorage\n."), "it imports TORCH.FloatStorage"},
      {BYTES("cos\nFloatStorage\n."), "it imports os.FloatStorage"},
      {BYTES("K\1K\2\x93."), "a name is not a string"},
      {BYTES("X\1\0\0\0aK\2\x93."), "a name is not a string"},
      {BYTES("K\1X\1\0\0\0a\x93."), "a name is not a string"},
      {BYTES("\x93."), "stack is empty"},
      {BYTES("R."), "stack is empty"},
      {BYTES("Q."), "stack is empty"},
      {BYTES("a."), "stack is empty"},
      {BYTES("(e."), "stack is empty"},
      {BYTES("]K\1s."), "stack is empty"},
      {BYTES("K\1)R."), "calls something"},
      {BYTES("ccollections\nOrderedDict\nK\1R."), "calls something"},
      {BYTES("ctorch._utils\n_rebuild_parameter\n)R."), "calls something"},
      {BYTES("ctorch._utils\n_rebuild_parameter\nK\1\x85R."), "calls something"},
      {BYTES("ctorch\nFloatStorage\n)R."), "calls something"},
      {BYTES("ccollections\nOrderedDict\nK\1\x85R."), "calls something"},
      {BYTES("ccollections\nOrderedDict\n)R}b."), "opcode 0x62"}, /* BUILD */
      {BYTES("(ios\nsystem\n."), "opcode 0x69"},                  /* INST */
      {BYTES("S'a'\n."), "opcode 0x53"},
      {BYTES("2."), "opcode 0x32"}, /* DUP */
      {BYTES("t."), "a mark is missing"},
      {BYTES("(N."), "a mark is left over"},
      {BYTES("N(a."), "stack is empty"}, /* not below the mark */
      {BYTES("N(\x85."), "stack is empty"},
      {BYTES("N(q\0."), "stack is empty"},
      {BYTES("N(Q."), "stack is empty"},
      {BYTES("NNa."), "not a container"},
      {BYTES("](K\1u."), "not a container"},
      {BYTES("}(K\1u."), "not a container"},
      {BYTES("h\0."), "never wrote"},
      {BYTES("NNq\1h\0."), "never wrote"},
      {BYTES("Nq\1."), "memo has gaps"},
      {BYTES("Nr\xFF\xFF\xFF\xFF."), "memo has gaps"},
      {BYTES("\x8A\xFF"
             "aaaaaaaaaa."),
       "too large"},
      {BYTES("K\1Q."), "other than a tensor's storage"},
      {BYTES("(NNNNNtQ."), "other than a tensor's storage"},
      {BYTES("(" WORD "NNNtQ."), "other than a tensor's storage"},
      {BYTES("(X\7\0\0\0STORAGENNNNtQ."), "other than a tensor's storage"},
      {BYTES("(X\1\0\0\0sNNNNtQ."), "other than a tensor's storage"},
      {BYTES("(" WORD "NNNNtQ."), "other than a tensor's storage"},
      {BYTES("(" WORD "ctorch\nfloat32\nNNNtQ."), "other than a tensor's storage"},
      {BYTES("(" WORD "ctorch\nFloatStorage\nNNNtQ."), "other than a tensor's storage"},
      {BYTES(REBUILD ")R."), "unknown way"},
      {BYTES(REBUILD "(NK\0K\2\x85K\1\x85\x89tR."), "unknown way"},
      {BYTES(REBUILD "(" STORAGE "NK\2\x85K\1\x85\x89tR."), "unknown way"},
      {BYTES(REBUILD "(" UNTYPED "K\0K\2\x85K\1\x85\x89tR."), "unknown way"},
      {BYTES(TYPED "(" UNTYPED "K\0K\2\x85K\1\x85\x89" HOOKS "NtR."), "unknown way"},
      {BYTES(TYPED "(" UNTYPED "K\0K\2\x85K\1\x85\x89" HOOKS "ctorch\nFloatStorage\ntR."),
       "unknown way"},
      {BYTES(REBUILD "(" STORAGE "K\0(" TEN TEN TEN "K\1K\1K\1tK\1\x85\x89tR."), "invalid shape"},
      {BYTES(REBUILD "(" STORAGE "K\0K\2\x85K\1\x85\x89" HOOKS "tR" STORAGE "b."), "opcode 0x62"},
      {BYTES(REBUILD "(" STORAGE "J\xFF\xFF\xFF\xFFK\2\x85K\1\x85\x89" HOOKS "tR."), "unknown way"},
      {BYTES(REBUILD "(" STORAGE "K\0K\2\x85)\x89" HOOKS "tR."), "unknown way"},
      {BYTES(REBUILD "(" STORAGE "K\0N\x85K\1\x85\x89" HOOKS "tR."), "invalid shape"},
      {BYTES(REBUILD "(" STORAGE "K\0NK\1\x85\x89" HOOKS "tR."), "invalid shape"},
  };
  for (size_t i = 0; i < ETR_COUNT(rows); i++) {
    run r = run_of(rows[i].bytes);
    cr_expect(!r.value && r.message && strstr(r.message, rows[i].message), "row %zu: %s", i,
              r.message ? r.message : "was read");
    cr_expect(r.offset <= rows[i].bytes.size);
    etr_arena_clear(&r.arena);
  }
}

Test(pickle, bombs_are_bounded) {
  enum { SIZE = 4 << 20 };
  static const char openings[] = {']', '(', ')', '}', 'N'};
  static char bytes[SIZE];
  for (size_t i = 0; i < sizeof openings; i++) {
    memset(bytes, openings[i], SIZE);
    run r = run_of((etr_slice){bytes, SIZE});
    cr_expect_not_null(r.message, "'%c'", openings[i]);
    etr_arena_clear(&r.arena);
  }
  /* lists of ten times the list before: 10^k elements, and k lists */
  size_t at = 0;
  memcpy(bytes, "]q\0", 3);
  at = 3;
  for (uint8_t k = 0; k < 100; k++) {
    char step[] = {']', 'q',     (char)(k + 1), '(',     'h', (char)k, 'h', (char)k,
                   'h', (char)k, 'h',           (char)k, 'h', (char)k, 'e'};
    memcpy(bytes + at, step, sizeof step);
    at += sizeof step;
  }
  bytes[at++] = '.';
  run r = run_of((etr_slice){bytes, at});
  cr_expect(r.value && r.value->items.count == 5, "%s", r.message);
  etr_arena_clear(&r.arena);
}
