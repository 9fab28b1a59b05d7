/* SPDX-License-Identifier: BSD-3-Clause
 *
 * threads.c - handles are independent, a profile may be read by many, and many may join ETDumps to
 * one opened record: 4 threads each open a record of their own and write all outputs, then all
 * write from one profile, then all join ETDumps to one record, then all open the same bytes in
 * memory. The bytes written are those of one thread alone. Run it with the tsan preset to see races
 * (which criterion does not start under).
 */
#include "../fault/emitters.h"
#include "base/arena.h"
#include "tensorboard/tfrecord.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, MAX_EMITTERS = 64 };

typedef struct work {
  const char *record;              /* opened by the thread itself; NULL: */
  const etr_profile *shared;       /* this one; NULL: */
  const etr_opened_record *opened; /* to which the thread joins the ETDumps of `inputs` */
  const etr_inputs *inputs;        /* without `opened` the thread opens these itself */
  uint32_t sums[MAX_EMITTERS];
  bool failed;
} work;

static bool add_up(void *context, const void *data, size_t size) {
  uint32_t *sum = context;
  *sum = etr_crc32c(*sum, data, size);
  return true;
}

static void write_all(work *w, const etr_profile *profile) {
  for (size_t i = 0; emitters[i].name; i++)
    if (i == MAX_EMITTERS ||
        emitters[i].emit(profile, &(etr_sink){add_up, &w->sums[i]}, NULL) != ETR_OK)
      w->failed = true;
}

static etr_profile *open_record(const char *record) {
  etr_profile *profile = NULL;
  etr_inputs inputs;
  if (etr_inputs_find(&inputs, record, NULL, NULL) == ETR_OK)
    (void)!etr_profile_open(&profile, &inputs, NULL, NULL);
  etr_inputs_clear(&inputs);
  return profile;
}

static void *run(void *context) {
  work *w = context;
  etr_profile *joined = NULL;
  if (w->opened)
    (void)!etr_join_dumps(&joined, w->opened, w->inputs, NULL, NULL);
  else if (w->inputs)
    (void)!etr_profile_open(&joined, w->inputs, NULL, NULL);
  etr_profile *own = w->inputs ? joined : w->shared ? NULL : open_record(w->record);
  const etr_profile *profile = w->shared ? w->shared : own;
  if (profile)
    write_all(w, profile);
  w->failed |= !profile;
  etr_profile_close(own);
  return NULL;
}

/* libzip asks for local times; the C library has a lock of its own around that, which the sanitizer
 * does not see. */
ETR_API const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void) {
  return "race:tzset_internal\n";
}

static bool is_same(const work *alone, const work *together) {
  bool same = !alone->failed && !together->failed;
  for (size_t k = 0; emitters[k].name; k++) {
    if (alone->sums[k] == together->sums[k])
      continue;
    printf("%s: %s differs\n", alone->record, emitters[k].name);
    same = false;
  }
  return same;
}

/* Each record's outputs from one thread, then from all at once. With a shared profile or record all
 * write from that. */
static bool is_same_everywhere(const work *shared, const char *const *records,
                               size_t record_count) {
  work alone[THREADS] = {0}, together[THREADS] = {0};
  pthread_t threads[THREADS];
  bool same = true;
  for (size_t i = 0; i < record_count; i++) {
    alone[i] = *shared;
    alone[i].record = records[i];
    if (shared->opened) { /* so that joining gives what opening gives */
      alone[i].opened = NULL;
      alone[i].inputs = NULL;
    }
    run(&alone[i]);
  }
  for (size_t i = 0; i < THREADS; i++) {
    together[i] = *shared;
    together[i].record = records[i % record_count];
  }
  for (size_t i = 0; i < THREADS; i++)
    if (pthread_create(&threads[i], NULL, run, &together[i]) != 0)
      abort();
  for (size_t i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
    same &= is_same(&alone[i % record_count], &together[i]);
  }
  return same;
}

/* Returns the content of a file, in memory of just its size, so that the address sanitizer sees
 * reads beyond its end. */
static void *read_file(size_t *size, const char *folder, const char *name) {
  char path[512];
  (void)snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0)
    abort();
  *size = (size_t)ftell(file);
  rewind(file);
  void *data = malloc(*size);
  if (!data || fread(data, 1, *size, file) != *size)
    abort();
  (void)fclose(file);
  return data;
}

/* The record is opened from memory by all threads at once, which hold the same buffers. Among them
 * is a debug buffer, which is read while outputs are written. */
static bool is_same_from_memory(const char *const *record) {
  static const char *const names[] = {"etrecord.bin", "etdump.etdp", "model.pte",
                                      "debug_buffer.bin"};
  etr_buffer buffers[ETR_COUNT(names)];
  void *contents[ETR_COUNT(names)];
  for (size_t i = 0; i < ETR_COUNT(names); i++) {
    buffers[i].name = names[i];
    buffers[i].data = contents[i] = read_file(&buffers[i].size, *record, names[i]);
  }
  etr_inputs inputs = {.buffers = buffers, .buffer_count = ETR_COUNT(names)};
  bool same = is_same_everywhere(&(work){.inputs = &inputs}, record, 1);
  for (size_t i = 0; i < ETR_COUNT(names); i++)
    free(contents[i]);
  return same;
}

int main(void) {
  static const char *const records[] = {FIXTURES "/add_mul", FIXTURES "/multi_method",
                                        FIXTURES "/quantized_xnnpack", FIXTURES "/control_flow"};
  static const char *const one[] = {FIXTURES "/mv2_xnnpack"};
  static const char *const placed[] = {FIXTURES "/quantized_xnnpack"};
  static const char *const logged[] = {FIXTURES "/add_mul_debug"};
  etr_profile *profile = open_record(one[0]);
  etr_opened_record *opened = NULL;
  etr_inputs inputs = {0};
  bool is_opened = etr_inputs_find(&inputs, placed[0], NULL, NULL) == ETR_OK &&
                   etr_open_record(&opened, &inputs, NULL, NULL) == ETR_OK;
  int failed = !is_same_everywhere(&(work){0}, records, ETR_COUNT(records)) +
               !(profile && is_same_everywhere(&(work){.shared = profile}, one, 1)) +
               !(is_opened &&
                 is_same_everywhere(&(work){.opened = opened, .inputs = &inputs}, placed, 1)) +
               !is_same_from_memory(logged);
  etr_profile_close(profile);
  etr_close_record(opened);
  etr_inputs_clear(&inputs);
  printf("%d passed, %d failed\n", 4 - failed, failed);
  return failed > 0;
}
