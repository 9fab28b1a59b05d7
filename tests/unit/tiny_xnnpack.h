/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tiny_xnnpack.h - small payloads of XNNPACK from texts, after
 * executorch/backends/xnnpack/serialization/runtime_schema.fbs.
 *
 * Values are joined by ';', their ids are their places: "2x3" (dimensions, "-" for none), then in
 * any order "q" (int8), "Q" (int8 in a quantized tensor's table), "const" (16 bytes), "lost" (a
 * constant that is not there), "channels" or
 * "groups" (it is quantized by them, with 8 bytes of scales), "in2", "out0" (which argument of the
 * call it is). XNodes are joined by ' ': "Add#7(0,1)>2" reads the values 0 and 1
 * and writes 2; "#7" is its handle, none is 65535; "{}" behind it are finite limits,
 * "{inf}" infinite ones.
 */
#ifndef TINY_XNNPACK_H
#define TINY_XNNPACK_H

#include "tiny_flatbuf.h"
#include "tiny_graph.h"

/* The number of a type in XNodeUnion, the field of its first input and the field of its output. */
static const struct {
  const char *name;
  uint8_t number, input, output;
} tiny_xnode_types[] = {
    {"Add", 1, 0, 2},        {"FullyConnected", 2, 0, 3}, {"Softmax", 3, 0, 1},
    {"Sigmoid", 4, 0, 1},    {"Transpose", 5, 2, 3},      {"Clamp", 6, 0, 1},
    {"Conv2d", 7, 15, 18},   {"Multiply", 15, 0, 2},      {"Subtract", 16, 0, 2},
    {"Convert", 18, 0, 1},   {"Reshape", 20, 2, 3},       {"Sqrt", 22, 0, 1},
    {"Hardswish", 24, 0, 1}, {"Concatenate2", 32, 1, 5},  {"Concatenate4", 34, 1, 5},
    {"Bmm", 37, 0, 2},       {"Concatenate5", 38, 1, 5},  {"Deconv2d", 39, 15, 18},
    {"Rsqrt", 40, 0, 1},     {"Copy", 46, 0, 1},          {"None", 0, 0, 0},
    {"Unheard", 200, 0, 1},
};

/* The numbers of constants: 0 is none. */
enum { TINY_WEIGHTS = 1, TINY_SCALES, TINY_CONSTANTS };

/* Appends a table of fields of 4 bytes; field i is at offset 4 + 4 * i. */
static inline uint32_t tiny_words(tiny_fb *fb, uint16_t count) {
  uint16_t places[24];
  for (uint16_t i = 0; i < count; i++)
    places[i] = (uint16_t)(4 + 4 * i);
  return tiny_table(fb, places, count, (uint16_t)(4 + 4 * count));
}

static inline uint32_t tiny_field(uint32_t table, unsigned field) {
  return table + 4 + 4 * field;
}

static inline uint32_t tiny_xvalue(tiny_fb *fb, uint32_t id, char *text) {
  enum {
    TYPE_FLOAT = 1,
    TYPE_INT8 = 3,
    INPUT = 1,
    OUTPUT = 2,
    PLAIN = 1,
    QUANTIZED = 2,
    BY_CHANNEL = 1,
    BY_GROUP = 4
  };
  uint32_t value = tiny_words(fb, 2), outer = ETR_NONE, rank = 0;
  char *dims = tiny_piece(&text, " ");
  bool in_table = strchr(text, 'Q') != NULL, is_int8 = in_table || strchr(text, 'q'),
       has_scales = strstr(text, "channels") || strstr(text, "groups");
  tiny_set(fb, tiny_field(value, 0), 1, in_table ? QUANTIZED : PLAIN);
  if (in_table)
    tiny_point(fb, tiny_field(value, 1), outer = tiny_words(fb, has_scales ? 3 : 1));
  uint32_t tensor = tiny_words(fb, 7);
  tiny_point(fb, in_table ? tiny_field(outer, 0) : tiny_field(value, 1), tensor);
  tiny_set(fb, tiny_field(tensor, 0), 1, is_int8 ? TYPE_INT8 : TYPE_FLOAT);
  tiny_set(fb, tiny_field(tensor, 6), 4, id);
  for (char *token; (token = tiny_piece(&text, " "));) {
    bool by_channel = strcmp(token, "channels") == 0, by_group = strcmp(token, "groups") == 0;
    if (by_channel || by_group) {
      uint32_t parameters = tiny_words(fb, 5);
      tiny_set(fb, tiny_field(outer, 1), 1, by_channel ? BY_CHANNEL : BY_GROUP);
      tiny_point(fb, tiny_field(outer, 2), parameters);
      tiny_set(fb, tiny_field(parameters, by_channel ? 2 : 4), 4, TINY_SCALES);
    }
    bool is_in = strncmp(token, "in", 2) == 0, is_out = strncmp(token, "out", 3) == 0;
    if (strcmp(token, "lost") == 0)
      tiny_set(fb, tiny_field(tensor, 3), 4, TINY_CONSTANTS);
    if (strcmp(token, "const") == 0)
      tiny_set(fb, tiny_field(tensor, 3), 4, TINY_WEIGHTS);
    if (is_in || is_out)
      tiny_set(fb, tiny_field(tensor, 4), 4, (uint64_t)atoi(token + (is_in ? 2 : 3)));
    if (is_in || is_out)
      tiny_set(fb, tiny_field(tensor, 5), 4, is_in ? INPUT : OUTPUT);
  }
  uint32_t vector = tiny_vector(fb, 0, 4);
  for (char *size; (size = tiny_piece(&dims, "x")) && *size != '-'; rank++)
    tiny_put(fb, 4, (uint64_t)atoi(size));
  tiny_set(fb, vector, 4, rank);
  tiny_point(fb, tiny_field(tensor, 2), vector);
  return value;
}

static inline uint32_t tiny_xnode(tiny_fb *fb, char *text) {
  enum {
    NO_HANDLE = 65535,
    PLUS_INFINITY = 0x7f800000,
    MINUS_INFINITY = 0xff800000,
    SIX = 0x40c00000
  };
  char *limits = strchr(text, '{'), *output = strchr(text, '>'), *inputs = strchr(text, '('),
       *handle = strchr(text, '#');
  size_t type = 0, length = strcspn(text, "#(");
  while (strlen(tiny_xnode_types[type].name) != length ||
         strncmp(tiny_xnode_types[type].name, text, length) != 0)
    cr_assert_lt(++type, ETR_COUNT(tiny_xnode_types), "%s", text);
  uint32_t node = tiny_words(fb, limits ? 4 : 3), value = tiny_words(fb, 19),
           field = tiny_xnode_types[type].input;
  tiny_set(fb, tiny_field(node, 0), 1, tiny_xnode_types[type].number);
  tiny_point(fb, tiny_field(node, 1), value);
  tiny_set(fb, tiny_field(node, 2), 4, handle ? (uint64_t)atoi(handle + 1) : NO_HANDLE);
  for (char *rest = inputs ? inputs + 1 : NULL; rest && *rest != ')'; rest += *rest == ',')
    tiny_set(fb, tiny_field(value, field++), 4, strtoul(rest, &rest, 10));
  if (output)
    tiny_set(fb, tiny_field(value, tiny_xnode_types[type].output), 4,
             strtoul(output + 1, NULL, 10));
  if (!limits)
    return node;
  uint32_t range = tiny_words(fb, 2);
  bool is_finite = limits[1] == '}';
  tiny_set(fb, tiny_field(range, 0), 4, is_finite ? 0 : MINUS_INFINITY);
  tiny_set(fb, tiny_field(range, 1), 4, is_finite ? SIX : PLUS_INFINITY);
  tiny_point(fb, tiny_field(node, 3), range);
  return node;
}

/* Counts the pieces. */
static inline uint32_t tiny_count(const char *text, char separator) {
  uint32_t count = 0;
  for (char before = separator; *text; before = *text++)
    count += before == separator && *text != separator;
  return count;
}

/* Appends the constants as bytes inside the graph, or as entries of named data. Returns their
 * vector. */
static inline uint32_t tiny_constants(tiny_fb *fb, bool is_named) {
  static const uint16_t entry[] = {4, 12, 20}; /* offset, size, key */
  static const uint32_t sizes[TINY_CONSTANTS] = {0, 16, 8};
  static const char *const keys[TINY_CONSTANTS] = {"", "weights", "scales"};
  uint32_t vector = tiny_vector(fb, TINY_CONSTANTS, 4);
  for (uint32_t i = 0; i < TINY_CONSTANTS; i++) {
    uint32_t table = is_named ? tiny_table(fb, entry, ETR_COUNT(entry), 24) : tiny_words(fb, 1);
    tiny_point(fb, vector + 4 + 4 * i, table);
    if (is_named) {
      tiny_set(fb, table + 12, 8, sizes[i]);
      tiny_point(fb, table + 20, tiny_string(fb, keys[i]));
    } else {
      tiny_point(fb, tiny_field(table, 0), tiny_vector(fb, sizes[i], 1));
    }
  }
  return vector;
}

/* Makes the payload in the format before the header XH00. */
static inline etr_slice tiny_xnnpack_of(etr_arena *arena, const char *values, const char *xnodes,
                                        bool has_named_data) {
  enum { CAPACITY = 32 << 10 };
  tiny_fb fb = {.bytes = etr_arena_alloc(arena, CAPACITY), .capacity = CAPACITY};
  char *rest = etr_arena_copy(arena, etr_slice_of(xnodes));
  tiny_start(&fb, "XN01");
  const uint16_t fields[] = {0, 4, 8, 0, 0, 0, has_named_data ? 0 : 12, 0, has_named_data ? 12 : 0};
  uint32_t root = tiny_table(&fb, fields, ETR_COUNT(fields), 16), at = 0,
           vector = tiny_vector(&fb, tiny_count(xnodes, ' '), 4);
  tiny_point(&fb, 0, root);
  tiny_point(&fb, tiny_field(root, 0), vector);
  for (char *piece; (piece = tiny_piece(&rest, " ")); at++)
    tiny_point(&fb, vector + 4 + 4 * at, tiny_xnode(&fb, piece));
  rest = etr_arena_copy(arena, etr_slice_of(values));
  vector = tiny_vector(&fb, tiny_count(values, ';'), 4);
  tiny_point(&fb, tiny_field(root, 1), vector);
  at = 0;
  for (char *piece; (piece = tiny_piece(&rest, ";")); at++)
    tiny_point(&fb, vector + 4 + 4 * at, tiny_xvalue(&fb, at, piece));
  tiny_point(&fb, tiny_field(root, 2), tiny_constants(&fb, has_named_data));
  cr_assert_lt(fb.size, CAPACITY);
  return (etr_slice){(const char *)fb.bytes, fb.size};
}

static inline etr_slice tiny_xnnpack(etr_arena *arena, const char *values, const char *xnodes) {
  return tiny_xnnpack_of(arena, values, xnodes, false);
}

#endif
