/* SPDX-License-Identifier: BSD-3-Clause
 *
 * held_buffers.c - the buffers of etr_inputs as files in memory.
 */
#include "inputs/held_buffers.h"

#include "base/memory_file.h"

#include <stdlib.h>

struct etr_held_buffers {
  size_t count;
  etr_memory_file *files[];
};

/* Fails if a buffer has no name. */
static etr_status check_names(const etr_inputs *inputs, etr_error *error) {
  for (size_t i = 0; i < inputs->buffer_count; i++)
    if (!inputs->buffers[i].name || !inputs->buffers[i].name[0])
      return etr_fail(error, ETR_ERROR_OPTION, NULL, NULL, ETR_NO_OFFSET,
                      "buffer %zu has no name: give it one, which messages call it by", i);
  return ETR_OK;
}

/* Makes a file in memory of each buffer, whose bytes are not copied. A buffer without data is an
 * empty file. */
etr_status etr_held_buffers_hold(etr_held_buffers **out, const etr_inputs *inputs,
                                 etr_error *error) {
  *out = NULL;
  if (inputs->buffer_count == 0)
    return ETR_OK;
  ETR_TRY(check_names(inputs, error));
  etr_held_buffers *held = calloc(1, sizeof *held + inputs->buffer_count * sizeof *held->files);
  if (!held)
    return etr_fail_memory(error);
  for (; held->count < inputs->buffer_count; held->count++) {
    const etr_buffer *buffer = &inputs->buffers[held->count];
    etr_slice bytes = {buffer->data ? buffer->data : "", buffer->data ? buffer->size : 0};
    held->files[held->count] = etr_memory_file_hold(buffer->name, bytes);
    if (!held->files[held->count]) {
      etr_held_buffers_release(held);
      return etr_fail_memory(error);
    }
  }
  *out = held;
  return ETR_OK;
}

/* Makes a second holder of the same files. Fails when out of memory. */
etr_status etr_held_buffers_share(etr_held_buffers **out, const etr_held_buffers *held,
                                  etr_error *error) {
  *out = NULL;
  if (!held)
    return ETR_OK;
  etr_held_buffers *copy = calloc(1, sizeof *copy + held->count * sizeof *copy->files);
  if (!copy)
    return etr_fail_memory(error);
  for (; copy->count < held->count; copy->count++) {
    copy->files[copy->count] = held->files[copy->count];
    etr_memory_file_share(copy->files[copy->count]);
  }
  *out = copy;
  return ETR_OK;
}

void etr_held_buffers_release(etr_held_buffers *held) {
  for (size_t i = 0; held && i < held->count; i++)
    etr_memory_file_release(held->files[i]);
  free(held);
}

const char *etr_held_buffer_path(const etr_held_buffers *held, size_t index) {
  return etr_memory_file_path(held->files[index]);
}

const char *etr_held_buffer_named(const etr_held_buffers *held, const etr_inputs *inputs,
                                  const char *name) {
  for (size_t i = 0; name && i < inputs->buffer_count; i++)
    if (strcmp(inputs->buffers[i].name, name) == 0)
      return etr_held_buffer_path(held, i);
  return name;
}
