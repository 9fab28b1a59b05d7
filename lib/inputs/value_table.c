/* SPDX-License-Identifier: BSD-3-Clause
 *
 * value_table.c - names of values, and what is told of each.
 */
#include "inputs/value_table.h"

#include "inputs/signature.h"

void etr_value_table_init(etr_value_table *table, etr_tensor_metas *metas, etr_arena *scratch) {
  *table = (etr_value_table){.scratch = scratch, .metas = metas};
  etr_map_init(&table->by_name, scratch);
}

/* The value with this name, which is added if it is new; NULL when out of memory. */
static etr_table_value *value_of(etr_value_table *table, etr_slice name) {
  etr_map_slot *slot = etr_map_at(&table->by_name, name);
  if (!slot || slot->value != ETR_NONE) return slot ? &table->values.data[slot->value] : NULL;
  etr_table_value *added = etr_vec_push(table->scratch, &table->values);
  if (!added) return NULL;
  slot->value = (uint32_t)(table->values.count - 1);
  *added = (etr_table_value){.node = ETR_NONE, .meta = {.name = etr_intern(table->metas->strings, name), .rank = -1}};
  return added;
}

static void add_to_list(etr_value_table *table, etr_value_list *list, etr_slice name) {
  const etr_table_value *value = value_of(table, name);
  uint32_t *slot = value ? etr_vec_push(table->scratch, list) : NULL;
  if (slot) *slot = (uint32_t)(value - table->values.data);
}

void etr_value_table_collect(etr_value_table *table, etr_value_list *list, etr_json *json) {
  etr_slice key;
  switch (etr_json_peek(json)) {
  case ETR_JSON_ARRAY:
    etr_json_array(json);
    while (etr_json_element(json)) etr_value_table_collect(table, list, json);
    break;
  case ETR_JSON_OBJECT:
    etr_json_object(json);
    while (etr_json_key(json, &key)) {
      if ((etr_slice_is(key, "name") || etr_slice_is(key, "as_name")) && etr_json_peek(json) == ETR_JSON_STRING)
        add_to_list(table, list, etr_json_string(json));
      else if (etr_names_values(key))
        etr_value_table_collect(table, list, json);
      else
        etr_json_skip(json);
    }
    break;
  default: etr_json_skip(json);
  }
}

/* NULL if it is told in no way that is known. */
static const char *read_expression(etr_value_table *table, etr_json *json) {
  etr_dim dim = {.size = ETR_DIM_SYMBOLIC};
  if (etr_json_peek(json) != ETR_JSON_OBJECT) {
    etr_json_skip(json);
    return NULL;
  }
  etr_dim_read(&dim, table->metas->strings, json);
  if (dim.symbol || dim.size == ETR_DIM_SYMBOLIC) return dim.symbol;
  return etr_arena_format(table->scratch, "%lld", (long long)dim.size);
}

void etr_value_table_read_shapes(etr_value_table *table, const char *symbolic_type, etr_json *json) {
  etr_slice key;
  etr_json_object(json);
  while (etr_json_key(json, &key)) {
    etr_table_value *value = value_of(table, key);
    if (!value) return;
    value->meta = (etr_value){.name = value->meta.name, .dtype = symbolic_type, .rank = -1};
    if (symbolic_type)
      value->expression = read_expression(table, json);
    else
      etr_tensor_metas_read(table->metas, &value->meta, json);
  }
}

const char *etr_value_table_expression(void *context, etr_slice name) {
  const etr_value_table *table = context;
  uint32_t index = etr_map_get(&table->by_name, name);
  return index == ETR_NONE ? NULL : table->values.data[index].expression;
}
