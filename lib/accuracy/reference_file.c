/* SPDX-License-Identifier: BSD-3-Clause
 *
 * reference_file.c - finds values in a reference by input, graph, node and output.
 */
#include "accuracy/reference_file.h"

#include "formats/json.h"

#include <inttypes.h>
#include <stdio.h>

enum { KEY_ROOM = 1024 }; /* bytes of a key; names of nodes are far shorter */

/* ---- Opening ---- */

static const char *text_of(const etr_reference_file *file, const char *key) {
  etr_slice text = etr_safetensors_metadata(&file->table, key);
  return text.data ? etr_arena_text(file->arena, text) : "";
}

/* Reads the keys that share the bytes of another key. Keys that lead nowhere are left out. */
static etr_status read_aliases(etr_reference_file *file, etr_error *error) {
  etr_slice text = etr_safetensors_metadata(&file->table, "aliases"), key;
  etr_map_init(&file->aliases, file->arena);
  if (!text.data) return ETR_OK;
  etr_json *json = etr_json_open_memory(text, NULL);
  if (!json) return etr_fail_memory_of(error, file->path, NULL);
  for (etr_json_object(json); etr_json_key(json, &key);) {
    etr_map_slot *slot = etr_map_at(&file->aliases, key);
    uint32_t tensor = etr_map_get(&file->table.by_name, etr_json_string(json));
    if (slot) slot->value = tensor;
  }
  etr_json_end(json);
  etr_status status = ETR_OK;
  if (etr_json_out_of_memory(json) || etr_arena_failed(file->arena))
    status = etr_fail_memory_of(error, file->path, NULL);
  else if (etr_json_failed(json))
    status = etr_fail(error, ETR_ERROR_FORMAT, file->path, NULL, ETR_NO_OFFSET,
                      "damaged reference: its aliases are no JSON object: %s", etr_json_message(json));
  etr_json_close(json);
  return status;
}

static etr_status read_texts(etr_reference_file *file, etr_error *error) {
  int64_t inputs = 0;
  etr_slice producer = etr_safetensors_metadata(&file->table, "producer");
  if (!producer.data || !etr_slice_starts(producer, ETR_SLICE("etrecord-tb reference/1")))
    return etr_fail(error, ETR_ERROR_FORMAT, file->path, NULL, ETR_NO_OFFSET,
                    "not a reference that this version reads: write one with `etrecord-tb reference RECORD -o FILE`");
  if (!etr_slice_to_int(etr_safetensors_metadata(&file->table, "inputs"), &inputs) || inputs < 0)
    return etr_fail(error, ETR_ERROR_FORMAT, file->path, NULL, ETR_NO_OFFSET,
                    "damaged reference: it does not say how many inputs it has");
  file->input_count = (size_t)ETR_MIN(inputs, (int64_t)UINT32_MAX - 1);
  file->method = text_of(file, "method");
  file->state = text_of(file, "state");
  file->random = text_of(file, "random");
  file->record = text_of(file, "record");
  ETR_TRY(read_aliases(file, error));
  return etr_arena_failed(file->arena) ? etr_fail_memory_of(error, file->path, NULL) : ETR_OK;
}

etr_status etr_reference_open(etr_reference_file *out, etr_arena *arena, const char *path, etr_error *error) {
  *out = (etr_reference_file){.arena = arena, .path = path};
  ETR_TRY(etr_seekable_open(&out->file, path, error));
  out->is_open = true;
  ETR_TRY(etr_safetensors_read(&out->table, arena, &out->file, path, error));
  return read_texts(out, error);
}

void etr_reference_close(etr_reference_file *file) {
  if (file->is_open) etr_seekable_close(&file->file);
  file->is_open = false;
}

/* ---- Finding ---- */

static const etr_safetensor *find_key(const etr_reference_file *file, const char *key, int size) {
  if (size < 0 || size >= KEY_ROOM) return NULL;
  etr_slice bytes = {key, (size_t)size};
  const etr_safetensor *found = etr_safetensors_find(&file->table, bytes);
  uint32_t alias = found ? ETR_NONE : etr_map_get(&file->aliases, bytes);
  return alias == ETR_NONE ? found : &file->table.tensors.data[alias];
}

const etr_safetensor *etr_reference_find(const etr_reference_file *file, uint32_t input, const etr_reference_key *key) {
  char text[KEY_ROOM];
  int size = snprintf(text, sizeof text, "%" PRIu32 "/%s/%s/%" PRIu32, input, key->graph, key->node, key->output);
  const etr_safetensor *found = find_key(file, text, size);
  if (found || key->output > 0) return found;
  size = snprintf(text, sizeof text, "%" PRIu32 "/%s/%s", input, key->graph, key->node);
  return find_key(file, text, size);
}

const etr_safetensor *etr_reference_constant(const etr_reference_file *file, const char *name) {
  char text[KEY_ROOM];
  int size = snprintf(text, sizeof text, "constant/edge/%s", name);
  return find_key(file, text, size);
}

bool etr_reference_view(etr_tensor_view *view, const etr_reference_file *file, const etr_safetensor *tensor) {
  *view = (etr_tensor_view){.element = tensor->element,
                            .sizes = tensor->sizes,
                            .strides = tensor->strides,
                            .rank = tensor->rank,
                            .offset = tensor->offset,
                            .file = &file->file};
  return tensor->element != NULL;
}

/* ---- Which record ---- */

static uint64_t hash_number(uint64_t hash, uint64_t number) { return etr_mixed(hash ^ number); }

static uint64_t hash_text(uint64_t hash, const char *text) {
  uint64_t own = 0xcbf29ce484222325u; /* FNV-1a */
  for (; text && *text; text++) own = (own ^ (uint8_t)*text) * 0x100000001b3u;
  return hash_number(hash, own);
}

static uint64_t hash_node(uint64_t hash, const etr_node *node) {
  hash = hash_text(hash_text(hash, node->name), node->target);
  for (size_t i = 0; i < node->input_count; i++)
    hash = hash_number(hash, (uint64_t)node->inputs[i].node << 32 | node->inputs[i].output);
  for (size_t i = 0; i < node->argument_count; i++)
    hash = hash_text(hash_text(hash, node->arguments[i].name), node->arguments[i].value);
  for (size_t i = 0; i < node->output_count; i++) {
    hash = hash_text(hash, node->outputs[i].dtype);
    for (int32_t k = 0; k < node->outputs[i].rank; k++)
      hash = hash_number(hash, (uint64_t)node->outputs[i].dims[k].size);
  }
  return hash;
}

void etr_record_hash(char hash[17], const etr_profile *profile) {
  uint64_t sum = 0; /* of graphs, whose order depends on times */
  for (size_t i = 0; i < profile->graph_count; i++) {
    const etr_graph *graph = &profile->graphs[i];
    if (strcmp(graph->module, "edge") != 0) continue;
    uint64_t own = hash_text(1, graph->method);
    for (size_t k = 0; k < graph->node_count; k++) own = hash_node(own, &graph->nodes[k]);
    sum += own;
  }
  sum = hash_text(sum, profile->export_graph_id);
  (void)snprintf(hash, 17, "%016" PRIx64, sum);
}
