/* SPDX-License-Identifier: BSD-3-Clause
 *
 * torch_archive.c - the zip around a pickle, where there is one.
 */
#include "inputs/torch_archive.h"

#define PICKLE "data.pkl"

static etr_status fail(const etr_torch_archive *archive, etr_error *error, uint64_t offset,
                       const char *what) {
  return etr_fail(error, ETR_ERROR_FORMAT, archive->path, archive->entry, offset, "%s", what);
}

/* If reading the zip failed, makes the error name the record and the entry in which the zip is.
 * Returns the status unchanged. */
static etr_status add_entry_to_error(const etr_torch_archive *archive, etr_status status,
                                     etr_error *error) {
  if (status == ETR_OK || !error)
    return status;
  etr_error inner = *error;
  return etr_fail(error, status, archive->path, archive->entry, ETR_NO_OFFSET, "%s%s%s",
                  inner.entry, inner.entry[0] ? ": " : "", inner.message);
}

/* Reads an entry of the zip, named without the folder that contains everything. Fails if it is
 * missing, damaged or larger than max_bytes, or when out of memory. */
static etr_status read_entry(etr_file *out, etr_torch_archive *archive, const char *name,
                             uint64_t max_bytes, etr_error *error) {
  char *full = etr_arena_format(&archive->arena, "%s%s", archive->prefix, name);
  if (!full)
    return etr_fail_memory_of(error, archive->path, archive->entry);
  size_t index = etr_archive_find(archive->zip, full);
  if (index == SIZE_MAX)
    return etr_fail(error, ETR_ERROR_FORMAT, archive->path, archive->entry, ETR_NO_OFFSET,
                    "%.*s is missing", ETR_HEAD(full, 200));
  return add_entry_to_error(archive, etr_archive_read(out, archive->zip, index, max_bytes, error),
                            error);
}

/* Sets the prefix to the folder that contains everything, by where data.pkl is, because torch.save
 * names it after the file. Fails if there is no data.pkl, or when out of memory. */
static etr_status find_prefix(etr_torch_archive *archive, etr_error *error) {
  etr_slice pickle = ETR_SLICE("/" PICKLE);
  for (size_t i = 0; i < etr_archive_count(archive->zip); i++) {
    etr_slice name = etr_slice_of(etr_archive_name(archive->zip, i));
    if (!etr_slice_ends(name, pickle))
      continue;
    archive->prefix = etr_arena_copy(&archive->arena,
                                     (etr_slice){name.data, name.size - pickle.size + 1});
    return archive->prefix ? ETR_OK : etr_fail_memory_of(error, archive->path, archive->entry);
  }
  return fail(archive, error, ETR_NO_OFFSET, "not written by torch.save: there is no " PICKLE);
}

/* Fails if the archive says that its numbers are not little-endian. Archives without the entry
 * "byteorder" are older, and are little-endian. An entry that cannot be read for another reason
 * counts as missing; only out of memory is a failure. */
static etr_status fail_if_big_endian(etr_torch_archive *archive, etr_error *error) {
  etr_file byteorder = {0};
  etr_error ignored;
  etr_status status = read_entry(&byteorder, archive, "byteorder", 64, &ignored);
  if (status != ETR_OK)
    return status == ETR_ERROR_MEMORY ? etr_fail_memory_of(error, archive->path, archive->entry)
                                      : ETR_OK;
  bool little = etr_slice_is(etr_file_bytes(&byteorder), "little");
  etr_file_clear(&byteorder);
  return little ? ETR_OK : fail(archive, error, ETR_NO_OFFSET, "its numbers are not little-endian");
}

/* Reads the pickled value of the archive. Fails if the pickle cannot be read, or when out of
 * memory. */
static etr_status run_pickle(etr_torch_archive *archive, etr_slice pickle, etr_error *error) {
  uint64_t offset;
  const char *problem = etr_pickle_read(&archive->root, &archive->arena, pickle, &offset);
  if (etr_arena_failed(&archive->arena))
    return etr_fail_memory_of(error, archive->path, archive->entry);
  if (!problem)
    return ETR_OK;
  return etr_fail(error, ETR_ERROR_FORMAT, archive->path, archive->entry, offset,
                  "its pickle cannot be read: %s", problem);
}

/* Opens what torch.save wrote: a zip, or a pickle alone as older versions wrote. Fails if it is
 * damaged or written by something else. */
static etr_status open_archive(etr_torch_archive *archive, etr_slice bytes, etr_error *error) {
  if (etr_is_pickle(bytes))
    return run_pickle(archive, bytes, error);
  ETR_TRY(add_entry_to_error(
      archive, etr_archive_open_memory(&archive->zip, bytes, archive->path, error), error));
  ETR_TRY(find_prefix(archive, error));
  ETR_TRY(fail_if_big_endian(archive, error));
  ETR_TRY(read_entry(&archive->pickle, archive, PICKLE, ETR_MOST_PICKLE_BYTES, error));
  return run_pickle(archive, etr_file_bytes(&archive->pickle), error);
}

etr_status etr_torch_open(etr_torch_archive *out, etr_slice bytes, const char *path,
                          const char *entry, etr_error *error) {
  *out = (etr_torch_archive){.path = path, .entry = entry};
  etr_map_init(&out->storages, &out->arena);
  etr_status status = open_archive(out, bytes, error);
  if (status != ETR_OK)
    etr_torch_close(out);
  return status;
}

void etr_torch_close(etr_torch_archive *archive) {
  for (size_t i = 0; i < archive->loaded.count; i++)
    etr_file_clear(&archive->loaded.data[i]);
  etr_file_clear(&archive->pickle);
  etr_archive_close(archive->zip);
  etr_arena_clear(&archive->arena);
  *archive = (etr_torch_archive){0};
}

/* Returns in *out the bytes of the storage with this key, which are in an entry of their own beside
 * the pickle. They are loaded once, because tensors share storages. Fails if the entry is missing,
 * if all storages together exceed ETR_MOST_TORCH_BYTES, or when out of memory. */
static etr_status load_storage(etr_slice *out, etr_torch_archive *archive, etr_slice key,
                               etr_error *error) {
  if (!archive->zip)
    return fail(archive, error, ETR_NO_OFFSET, "the numbers of a tensor are missing");
  uint32_t index = etr_map_get(&archive->storages, key);
  if (index == ETR_NONE) {
    char *name = etr_arena_format(&archive->arena, "data/%.*s", (int)ETR_MIN(key.size, 64),
                                  key.data);
    etr_file *file = name ? etr_vec_push(&archive->arena, &archive->loaded) : NULL;
    if (!file)
      return etr_fail_memory_of(error, archive->path, archive->entry);
    *file = (etr_file){0};
    ETR_TRY(read_entry(file, archive, name, ETR_MOST_TORCH_BYTES - archive->loaded_bytes, error));
    archive->loaded_bytes += file->size;
    index = (uint32_t)(archive->loaded.count - 1);
    if (!etr_map_set(&archive->storages, key, index))
      return etr_fail_memory_of(error, archive->path, archive->entry);
  }
  *out = etr_file_bytes(&archive->loaded.data[index]);
  return ETR_OK;
}

/* An offset that is too large for 64 bits of bytes becomes UINT64_MAX, which etr_tensor_fault()
 * refuses. An element has at most eight bytes. */
etr_status etr_torch_view(etr_tensor_view *out, etr_torch_archive *archive,
                          const etr_pickle_value *tensor, etr_error *error) {
  *out = (etr_tensor_view){
      .element = tensor->element,
      .sizes = tensor->sizes,
      .strides = tensor->strides,
      .rank = tensor->rank,
  };
  out->offset = tensor->offset <= UINT64_MAX / 8 ? tensor->offset * tensor->element->size
                                                 : UINT64_MAX;
  out->memory = tensor->storage->memory;
  if (!out->memory.data) /* beside the pickle */
    ETR_TRY(load_storage(&out->memory, archive, tensor->storage->text, error));
  const char *fault = etr_tensor_fault(out);
  if (!fault)
    return ETR_OK;
  return etr_fail(error, ETR_ERROR_FORMAT, archive->path, archive->entry, ETR_NO_OFFSET,
                  "a tensor cannot be read: %s", fault);
}
