/* SPDX-License-Identifier: BSD-3-Clause
 *
 * torch_save.c - a zip with a pickle and the bytes of tensors, as torch/serialization.py writes it,
 * without its random number; or a pickle with these bytes inside it.
 */
#include "records/torch_save.h"

#include <stdio.h>

const etr_torch_object etr_torch_empty_dict = {.pickle = {"\x80\x02}q\x00.", 6}},
                       etr_torch_no_inputs = {.pickle = {"\x80\x02)}q\x00\x86q\x01.", 10}};

static etr_status add_all(etr_archive_writer *writer, const etr_torch_object *object,
                          etr_error *error) {
  ETR_TRY(etr_archive_writer_add_bytes(writer, "archive/data.pkl", object->pickle, error));
  ETR_TRY(etr_archive_writer_add_bytes(writer, "archive/byteorder", ETR_SLICE("little"), error));
  for (size_t i = 0; i < object->storage_count; i++) {
    char name[48];
    (void)snprintf(name, sizeof name, "archive/data/%zu", i);
    ETR_TRY(etr_archive_writer_add_bytes(writer, name, object->storages[i], error));
  }

  ETR_TRY(etr_archive_writer_add_bytes(writer, "archive/version", ETR_SLICE("3\n"), error));
  return etr_archive_writer_finish(writer, error);
}

etr_status etr_torch_save(void *context, const etr_sink *sink, etr_error *error) {
  const etr_torch_object *object = context;
  if (object->is_inline) {
    /* Writes the pieces of the pickle, with a storage after each piece but the last. */
    size_t at = 0;
    bool is_taken = true;
    for (size_t i = 0; i <= object->storage_count && is_taken; i++) {
      size_t end = i < object->storage_count ? object->offsets[i] : object->pickle.size;
      is_taken = sink->write(sink->context, object->pickle.data + at, end - at);
      if (is_taken && i < object->storage_count && object->storages[i].size)
        is_taken = sink->write(sink->context, object->storages[i].data, object->storages[i].size);
      at = end;
    }
    return is_taken ? ETR_OK : etr_fail_sink(error);
  }
  etr_archive_writer *writer = etr_archive_writer_new(sink);
  etr_status status = writer ? add_all(writer, object, error) : etr_fail_memory(error);
  etr_archive_writer_close(writer);
  return status;
}
