/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decoder_output.c - writes kinds of layers, caches, the first token and growth over the cache.
 */
#include "tables/decoder_output.h"

#include "tables/sums.h"
#include "views/decoder.h"
#include "views/throughput.h"

/* ---- Kinds of layers ---- */

typedef struct layer_kind_row {
  const etr_method *method;
  const etr_layer_sum *layer;
  etr_sum sum;
} layer_kind_row;

static etr_cell layer_kind_name(const void *row) {
  return etr_cell_text(etr_layer_kind_name(((const layer_kind_row *)row)->layer->kind));
}
/* Returns the share of Method::execute that layers of this kind take. */
static etr_cell layer_kind_share(const void *row) {
  return etr_sum_additive_share(&((const layer_kind_row *)row)->sum);
}

static const etr_field layer_kind_fields[] = {
    {NULL, "method", ETR_CELL_NAME, ETR_IN_FULL, ETR_VIA(layer_kind_row, method, etr_method, name)},
    {"kind", NULL, ETR_CELL_WORD, ETR_IN_JSON, .get = layer_kind_name, .type = "layer"},
    {"layer_kind", "kind of layer", ETR_CELL_WORD, ETR_IN_TABLES, .get = layer_kind_name},
    /* Medians do not add up to those of kinds. */
    {"typical", "typical", ETR_CELL_TIME, ETR_IN_ALL, ETR_AT(layer_kind_row, sum.times.typical),
     .unit_in = ETR_IN_TEXT, .stats = 1u << ETR_STATISTIC_TYPICAL | 1u << ETR_STATISTIC_P50},
    {"avg", "avg", ETR_CELL_TIME, ETR_IN_ALL, ETR_AT(layer_kind_row, sum.times.avg),
     .unit_in = ETR_IN_TEXT, .stats = 1u << ETR_STATISTIC_AVG},
    {NULL, "unit", .kind = ETR_CELL_UNIT, .in = ETR_IN_FULL},
    {"share", "share", ETR_CELL_SHARE, ETR_IN_ALL, .get = layer_kind_share, .nullable = true,
     .says = ETR_SAYS("of Method::execute")},
    {NULL, "operators", ETR_CELL_COUNT, ETR_IN_TABLES,
     ETR_VIA(layer_kind_row, layer, etr_layer_sum, count), .says = ETR_SAYS("that ran")},
    {"count", NULL, ETR_CELL_COUNT, ETR_IN_JSON,
     ETR_VIA(layer_kind_row, layer, etr_layer_sum, count), .says = ETR_SAYS("operators that ran")},
};
ETR_ROW_TYPE(layer_kind, layer_kind_fields);

/* Makes a row for each kind of layer (attention, feed forward, ...) that a decoder's method has.
 * There are none if the method is not of a transformer decoder. Returns false when out of memory.
 */
static bool make_kind_rows(layer_kind_row **rows, size_t *count, etr_arena *arena,
                           const etr_profile *profile, const etr_method *method) {
  etr_layers *layers = etr_arena_alloc(arena, sizeof *layers);
  *rows = etr_arena_alloc_array(arena, ETR_LAYER_KINDS, sizeof **rows);
  *count = 0;
  if (!layers || !*rows || !etr_layers_find(layers, arena, profile, method))
    return false;
  for (size_t i = 0; layers->is_decoder && i < ETR_LAYER_KINDS; i++) {
    const etr_layer_sum *layer = &layers->sums[i];
    if (layer->count == 0)
      continue;
    layer_kind_row *row = &(*rows)[(*count)++];
    *row = (layer_kind_row){method, layer, etr_sum_make(method, layer->ticks, layer->typical)};
    row->sum.profile = profile;
  }
  return true;
}

bool etr_layer_kinds_add_rows(etr_table *table, const etr_method *method) {
  layer_kind_row *rows;
  size_t count;
  if (!make_kind_rows(&rows, &count, &table->answer->arena, table->answer->profile, method))
    return false;
  for (size_t i = 0; i < count; i++)
    /* "", 0: rows stay in the order in which they are added. */
    etr_table_add_row(table, &rows[i], "", 0);
  return true;
}

double etr_layer_kinds_rest(const etr_table *table, const etr_method *method) {
  double rest = method->execute.typical;
  for (size_t i = 0; i < table->rows.count; i++)
    rest -= ((const layer_kind_row *)table->rows.data[i].row)->sum.times.typical;
  return rest;
}

/* ---- Caches ---- */

typedef struct cache_buffer_row {
  const char *module;
  const etr_node *buffer;
  const etr_cache_buffer *cache;
} cache_buffer_row;

#define BUFFER(kind, name)                                                                         \
  NULL, kind, ETR_IN_JSON, ETR_VIA(cache_buffer_row, cache, etr_cache_buffer, name)

static const etr_field cache_buffer_fields[] = {
    {"module", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(cache_buffer_row, module),
     .says = ETR_SAYS("of the operator that writes it")},
    {"buffer", NULL, ETR_CELL_NAME, ETR_IN_JSON,
     ETR_VIA(cache_buffer_row, buffer, etr_node, weight_name), .nullable = true},
    {"bytes", BUFFER(ETR_CELL_BYTES, bytes)},
    {"context", BUFFER(ETR_CELL_BYTES, context), .says = ETR_SAYS("positions that it holds")},
};
ETR_ROW_TYPE(cache_buffer, cache_buffer_fields);

typedef struct kv_cache_row {
  const etr_kv_cache *cache;
  const cache_buffer_row *buffers;
  size_t buffer_count;
} kv_cache_row;

#define CACHE(name)                                                                                \
  NULL, ETR_CELL_BYTES, ETR_IN_JSON, ETR_VIA(kv_cache_row, cache, etr_kv_cache, name)

static const etr_field kv_cache_fields[] = {
    {"bytes", CACHE(bytes),
     .says = ETR_SAYS("of all buffers; those with the most positions double with the context")},
    {"per_token", CACHE(per_token), .says = ETR_SAYS("bytes for each position")},
    {"context", CACHE(context), .says = ETR_SAYS("positions: those of the buffer with the most")},
    {"by_layer", NULL, ETR_CELL_LIST, ETR_IN_JSON,
     ETR_ARRAY_AT(kv_cache_row, buffers, buffer_count), .parts = &etr_cache_buffer_fields,
     .type = "cache_buffers"},
};
ETR_ROW_TYPE(kv_cache, kv_cache_fields);

bool etr_decoder_put_cache(const etr_fields *fields, etr_arena *arena, const etr_method *method) {
  etr_kv_cache cache;
  if (!etr_kv_cache_find(&cache, arena, fields->profile, method))
    return false;
  cache_buffer_row *rows = etr_arena_alloc_array(arena, cache.count, sizeof *rows);
  if (!rows)
    return false;
  const etr_graph *graph = cache.count ? &fields->profile->graphs[method->graph] : NULL;
  for (size_t i = 0; i < cache.count; i++) {
    const etr_cache_buffer *buffer = &cache.buffers[i];
    uint32_t module = graph->nodes[buffer->writer].module;
    rows[i] = (cache_buffer_row){module < graph->module_count ? graph->modules[module].path : "",
                                 &graph->nodes[buffer->node], buffer};
  }
  const kv_cache_row row = {&cache, rows, cache.count};
  etr_field_put_row_or_null(fields, "kv_cache", &etr_kv_cache_fields, cache.count ? &row : NULL);
  return true;
}

bool etr_decoder_put_method(const etr_fields *fields, etr_arena *arena, const etr_method *method) {
  layer_kind_row *rows;
  size_t count;
  if (!make_kind_rows(&rows, &count, arena, fields->profile, method))
    return false;
  etr_field_put_rows(fields, "layer_kinds", &etr_layer_kind_fields, ETR_ROWS(rows, count));
  return etr_decoder_put_cache(fields, arena, method);
}

/* ---- The first token ---- */

typedef struct first_token_row {
  const char *method, *phase;
  const etr_first_token *first;
} first_token_row;

#define FIRST(name)                                                                                \
  NULL, ETR_CELL_TIME, ETR_IN_JSON, ETR_VIA(first_token_row, first, etr_first_token, name)

static const etr_field first_token_fields[] = {
    {"method", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(first_token_row, method)},
    {"phase", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(first_token_row, phase), .nullable = true,
     .says = ETR_SAYS("null: all runs of the method")},
    {"typical", FIRST(ticks), .says = ETR_SAYS("of the run that reads the prompt")},
    {"with_load", FIRST(with_load), .nullable = true,
     .says = ETR_SAYS("with the loads of the methods that ran; null: no load was recorded")},
};
ETR_ROW_TYPE(first_token, first_token_fields);

/* Writes the key first_token: the time to the first token, and the method and phase of the run that
 * makes it; null if the time is unknown. */
static void put_first_token(const etr_fields *fields) {
  const etr_first_token *first = fields->profile->first_token;
  first_token_row row = {.first = first};
  if (first) {
    const etr_method *method = &fields->profile->methods[first->method];
    row.method = method->name;
    row.phase = first->phase == ETR_NONE ? NULL : method->run_phases[first->phase].name;
  }
  etr_field_put_row_or_null(fields, "first_token", &etr_first_token_fields, first ? &row : NULL);
}

/* ---- Growth over the cache ---- */

#define POINT(kind, name) NULL, kind, ETR_IN_JSON, ETR_AT(etr_position_time, name)

static const etr_field position_time_fields[] = {
    {"position", POINT(ETR_CELL_NUMBER, position),
     .says = ETR_SAYS("tokens before it in its sequence, the mean of its runs, rounded down")},
    {"ms_per_token", POINT(ETR_CELL_NUMBER, ms),
     .says = ETR_SAYS("median of its runs, in milliseconds")},
    {"runs", POINT(ETR_CELL_COUNT, run_count)},
};
ETR_ROW_TYPE(position_time, position_time_fields);

typedef struct cache_growth_row {
  const char *method, *text;
  const etr_cache_growth *growth;
} cache_growth_row;

#define GROWTH(kind, name)                                                                         \
  NULL, kind, ETR_IN_JSON, ETR_VIA(cache_growth_row, growth, etr_cache_growth, name)

static const etr_field cache_growth_fields[] = {
    {"method", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(cache_growth_row, method)},
    {"ms_per_token_per_1000", GROWTH(ETR_CELL_NUMBER, ms_per_1000),
     .says = ETR_SAYS(
         "milliseconds, whatever time_unit is, that a token takes longer for each 1,000 "
         "positions: the median slope over pairs of runs")},
    {"low", GROWTH(ETR_CELL_NUMBER, low), .says = ETR_SAYS("of its 95 % interval")},
    {"high", GROWTH(ETR_CELL_NUMBER, high)},
    {"sequences", GROWTH(ETR_CELL_COUNT, sequence_count),
     .says = ETR_SAYS("sequences of tokens: one begins with each prompt and each recording")},
    {"text", NULL, ETR_CELL_NAME, ETR_IN_JSON, ETR_AT(cache_growth_row, text),
     .says = ETR_SAYS("whether a token takes longer at later positions, for people")},
    {"curve", NULL, ETR_CELL_LIST, ETR_IN_JSON,
     ETR_ARRAY_VIA(cache_growth_row, growth, etr_cache_growth, curve, curve_count),
     .parts = &etr_position_time_fields, .type = "position_times"},
};
ETR_ROW_TYPE(cache_growth, cache_growth_fields);

bool etr_decoder_put_profile(const etr_fields *fields, etr_arena *arena) {
  const etr_cache_growth *growth = fields->profile->cache_growth;
  put_first_token(fields);
  const cache_growth_row row = {.method = growth ? fields->profile->methods[growth->method].name
                                                 : NULL,
                                .text = etr_cache_growth_text(arena, growth),
                                .growth = growth};
  etr_field_put_row_or_null(fields, "cache_growth", &etr_cache_growth_fields, growth ? &row : NULL);
  return !etr_arena_failed(arena);
}
