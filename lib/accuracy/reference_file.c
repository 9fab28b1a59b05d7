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

/* Returns a text of the metadata; "" if there is none. */
static const char *metadata_text(const etr_reference_file *file, const char *key) {
  etr_slice text = etr_safetensors_metadata(&file->table, key);
  return text.data ? etr_arena_text(file->arena, text) : "";
}

/* Reads the aliases into file->aliases: an object from keys to the keys of the tensors with the
 * same bytes, which become indices into the table. An alias of a tensor that the file lacks is
 * ETR_NONE and finds nothing. */
static void read_aliases(etr_reference_file *file, etr_json *json) {
  etr_slice key;
  for (etr_json_object(json); etr_json_key(json, &key);) {
    etr_map_slot *slot = etr_map_at(&file->aliases, key);
    uint32_t tensor = etr_map_get(&file->table.by_name, etr_json_string(json));
    if (slot)
      slot->value = tensor;
  }
}

/* Reads the text `name` of the metadata, which is a JSON document, by read_content(), with the
 * default limits (NULL); nothing if there is no such text. Fails if it is damaged, or when out of
 * memory. */
static etr_status read_metadata_object(etr_reference_file *file, const char *name,
                                       void (*read_content)(etr_reference_file *, etr_json *),
                                       etr_error *error) {
  etr_slice text = etr_safetensors_metadata(&file->table, name);
  etr_status status = ETR_OK;
  if (!text.data)
    return ETR_OK;
  etr_json *json = etr_json_open_memory(text, NULL);
  if (!json)
    return etr_fail_memory_of(error, file->path, NULL);
  read_content(file, json);
  etr_json_end(json);
  if (etr_json_out_of_memory(json) || etr_arena_failed(file->arena))
    status = etr_fail_memory_of(error, file->path, NULL);
  else if (etr_json_failed(json))
    status = etr_fail(error, ETR_ERROR_FORMAT, file->path, NULL, ETR_NO_OFFSET,
                      "damaged reference: %s: %s", name, etr_json_message(json));
  etr_json_close(json);
  return status;
}

/* Reads one method: an object with its number of inputs, its state and its random operators. When
 * out of memory, the object is read all the same, and the arena has failed. */
static void read_method(etr_reference_file *file, etr_json *json, const char *name) {
  etr_reference_method *method = etr_vec_push(file->arena, &file->methods), unused;
  etr_slice key;
  if (!method)
    method = &unused;
  *method = (etr_reference_method){name, "", "", 0};
  for (etr_json_object(json); etr_json_key(json, &key);)
    if (etr_slice_is(key, "inputs")) {
      int64_t inputs = etr_json_int(json);
      method->input_count = inputs < 0 ? 0 : (size_t)ETR_MIN(inputs, (int64_t)UINT32_MAX - 1);
    } else if (etr_slice_is(key, "state"))
      method->state = etr_arena_text(file->arena, etr_json_string(json));
    else if (etr_slice_is(key, "random"))
      method->random = etr_arena_text(file->arena, etr_json_string(json));
    else
      etr_json_skip(json);
}

/* Reads the methods of the reference into file->methods: an object from names to methods. */
static void read_methods(etr_reference_file *file, etr_json *json) {
  etr_slice key;
  for (etr_json_object(json); etr_json_key(json, &key);)
    read_method(file, json, etr_arena_text(file->arena, key));
}

/* Reads the texts of the file's metadata: hashes of the record and of the recording of local
 * values, the aliases and the methods. Fails if another version wrote the file (the number behind
 * the slash), if it is damaged, or when out of memory. */
static etr_status read_metadata_texts(etr_reference_file *file, etr_error *error) {
  etr_slice producer = etr_safetensors_metadata(&file->table, "producer");
  if (!producer.data || !etr_slice_starts(producer, ETR_SLICE("etrecord-tb reference/2")))
    return etr_fail(error, ETR_ERROR_FORMAT, file->path, NULL, ETR_NO_OFFSET,
                    "not a reference that this version reads: write one with `etrecord-tb "
                    "reference RECORD -o FILE`");
  file->record = metadata_text(file, "record");
  file->local = metadata_text(file, "local");
  etr_map_init(&file->aliases, file->arena);
  ETR_TRY(read_metadata_object(file, "aliases", read_aliases, error));
  ETR_TRY(read_metadata_object(file, "methods", read_methods, error));
  return etr_arena_failed(file->arena) ? etr_fail_memory_of(error, file->path, NULL) : ETR_OK;
}

etr_status etr_reference_open(etr_reference_file *out, etr_arena *arena, const char *path,
                              etr_error *error) {
  *out = (etr_reference_file){.arena = arena, .path = path};
  ETR_TRY(etr_seekable_open(&out->file, path, error));
  out->is_open = true;
  ETR_TRY(etr_safetensors_read(&out->table, arena, &out->file, path, error));
  return read_metadata_texts(out, error);
}

void etr_reference_close(etr_reference_file *file) {
  if (file->is_open)
    etr_seekable_close(&file->file);
  file->is_open = false;
}

/* ---- Finding ---- */

/* Returns the tensor of a key, or of the key of which it is an alias; NULL if there is none. `size`
 * is what snprintf() returned for the key: one that was cut, or failed, is not looked up. */
static const etr_safetensor *find_tensor(const etr_reference_file *file, const char *key,
                                         int size) {
  if (size < 0 || size >= KEY_ROOM)
    return NULL;
  etr_slice bytes = {key, (size_t)size};
  const etr_safetensor *found = etr_safetensors_find(&file->table, bytes);
  uint32_t alias = found ? ETR_NONE : etr_map_get(&file->aliases, bytes);
  return alias == ETR_NONE ? found : &file->table.tensors.data[alias];
}

bool etr_reference_choose_method(etr_reference_file *file, const char *method) {
  file->method = NULL;
  for (size_t i = 0; i < file->methods.count && !file->method; i++)
    if (strcmp(file->methods.data[i].name, method) == 0)
      file->method = &file->methods.data[i];
  return file->method != NULL;
}

/* The key is METHOD/NUMBER/GRAPH/NODE/OUTPUT. Values of nodes with one output have keys without the
 * output's number. */
const etr_safetensor *etr_reference_find(const etr_reference_file *file, uint32_t number,
                                         const etr_reference_key *key) {
  char text[KEY_ROOM];
  if (!file->method)
    return NULL;
  int size = snprintf(text, sizeof text, "%s/%" PRIu32 "/%s/%s/%" PRIu32, file->method->name,
                      number, key->graph, key->node, key->output);
  const etr_safetensor *found = find_tensor(file, text, size);
  if (found || key->output > 0)
    return found;
  size = snprintf(text, sizeof text, "%s/%" PRIu32 "/%s/%s", file->method->name, number, key->graph,
                  key->node);
  return find_tensor(file, text, size);
}

const etr_safetensor *etr_reference_constant(const etr_reference_file *file, const char *name) {
  char text[KEY_ROOM];
  int size = file->method
                 ? snprintf(text, sizeof text, "%s/constant/edge/%s", file->method->name, name)
                 : -1;
  return find_tensor(file, text, size);
}

bool etr_reference_view(etr_tensor_view *view, const etr_reference_file *file,
                        const etr_safetensor *tensor) {
  *view = (etr_tensor_view){.element = tensor->element,
                            .sizes = tensor->sizes,
                            .strides = tensor->strides,
                            .rank = tensor->rank,
                            .offset = tensor->offset,
                            .file = &file->file};
  return tensor->element != NULL;
}

/* ---- Which record ---- */

static uint64_t hash_number(uint64_t hash, uint64_t number) {
  return etr_mixed(hash ^ number);
}

/* Adds a text to a hash; NULL counts as "". */
static uint64_t hash_text(uint64_t hash, const char *text) {
  uint64_t own = 0xcbf29ce484222325u; /* FNV-1a */
  for (; text && *text; text++)
    own = (own ^ (uint8_t)*text) * 0x100000001b3u;
  return hash_number(hash, own);
}

/* Adds to a hash what a node computes: its name, target, inputs, arguments, and the types and
 * shapes of its outputs. */
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

/* The hashes of graphs are added up, because the order of graphs in a profile depends on times. */
void etr_record_hash(char hash[17], const etr_profile *profile) {
  uint64_t sum = 0; /* of graphs, whose order depends on times */
  for (size_t i = 0; i < profile->graph_count; i++) {
    const etr_graph *graph = &profile->graphs[i];
    if (strcmp(graph->module, "edge") != 0)
      continue;
    uint64_t own = hash_text(1, graph->method);
    for (size_t k = 0; k < graph->node_count; k++)
      own = hash_node(own, &graph->nodes[k]);
    sum += own;
  }
  sum = hash_text(sum, profile->export_graph_id);
  (void)snprintf(hash, 17, "%016" PRIx64, sum);
}

/* Of logged values, their places in the debug buffer count, but not their numbers, which would all
 * have to be read. */
void etr_recording_hash(char hash[17], const etr_profile *profile) {
  uint64_t sum = 1;
  for (size_t i = 0; i < profile->run_count; i++)
    sum = hash_number(sum, profile->runs[i].execute_ticks);
  for (size_t i = 0; i < profile->debug_value_count; i++) {
    const etr_debug_value *value = &profile->debug_values[i];
    sum = hash_number(sum, (uint64_t)value->run << 32 | (uint32_t)value->instruction_id);
    sum = hash_number(hash_number(sum, value->offset), value->byte_size);
  }
  (void)snprintf(hash, 17, "%016" PRIx64, sum);
}
