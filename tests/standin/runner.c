/* SPDX-License-Identifier: BSD-3-Clause
 *
 * runner.c - stands in for a program that runs a model: leaves a recorded ETDump.
 *
 *   runner --dump RECORDED [--steps STEP,STEP,...] [--count FILE] [--scale F,F,...] [--lock FILE]
 * [--wait FIFO] [--llm]
 *          [--etdump_path FILE]
 *
 * --scale multiplies all times of the dump, counted from its first event, by the call's own factor
 * (default: 1). Each call is another recording: the first event takes a tick more than that of the
 * call before. Each call takes the next step and factor, counted in FILE (default: steps), and the
 * last one again and again: ok; fail (exit status 3); crash; hang (with a child that hangs, too,
 * and a lock on FILE); wait (for FIFO, then ok); none (no dump); cut (half of one); elsewhere (in
 * model.etdump). Without --etdump_path there is no dump, but elsewhere.
 */
#define _DEFAULT_SOURCE /* flock() */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char *option(int argc, char **argv, const char *name) {
  size_t size = strlen(name);
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], name) == 0)
      return i + 1 < argc ? argv[i + 1] : "";
    if (strncmp(argv[i], name, size) == 0 && argv[i][size] == '=')
      return argv[i] + size + 1;
  }
  return NULL;
}

static long next_step(const char *path) {
  long step = 0;
  FILE *file = fopen(path, "r");
  if (file != NULL && fscanf(file, "%ld", &step) != 1)
    step = 0;
  if (file != NULL)
    (void)fclose(file);
  file = fopen(path, "w");
  if (file == NULL || fprintf(file, "%ld", step + 1) < 0 || fclose(file) != 0)
    exit(9);
  return step;
}

/* What a list separated by commas has for a step. */
static void find_word(const char *list, long step, char word[32]) {
  for (; step > 0 && strchr(list, ',') != NULL; step--)
    list = strchr(list, ',') + 1;
  (void)snprintf(word, 32, "%.*s", (int)strcspn(list, ","), list);
}

/* ---- Times of an ETDump, a flatbuffer of little endian ---- */

static uint64_t number_at(const char *data, size_t at, size_t size) {
  uint64_t number = 0;
  for (size_t i = size; i > 0; i--)
    number = number << 8 | (unsigned char)data[at + i - 1];
  return number;
}

/* Sets a number of 8 bytes. */
static void set_number(char *data, size_t at, uint64_t number) {
  for (size_t i = 0; i < 8; i++)
    data[at + i] = (char)(number >> 8 * i & 0xff);
}

static size_t follow(const char *data, size_t at) {
  return at + (size_t)number_at(data, at, 4);
}

/* Where a table has a field; 0: it has none. */
static size_t field_at(const char *data, size_t table, size_t index) {
  size_t vtable = (size_t)((int64_t)table - (int32_t)number_at(data, table, 4));
  if (4 + 2 * index >= number_at(data, vtable, 2))
    return 0;
  size_t offset = (size_t)number_at(data, vtable + 4 + 2 * index, 2);
  return offset > 0 ? table + offset : 0;
}

static void scale_time(char *data, size_t at, uint64_t first, double factor) {
  set_number(data, at, first + (uint64_t)((double)(number_at(data, at, 8) - first) * factor + 0.5));
}

/* Of each profiled event; first NULL: scales its times, otherwise finds the earliest start. */
static void visit_event(char *data, size_t event, uint64_t *first, uint64_t origin, double factor) {
  size_t profile = field_at(data, event, 0), start, end;
  if (profile == 0)
    return;
  profile = follow(data, profile);
  start = field_at(data, profile, 6);
  end = field_at(data, profile, 7);
  if (start == 0 || end == 0)
    return;
  if (first != NULL && number_at(data, start, 8) < *first)
    *first = number_at(data, start, 8);
  if (first != NULL)
    return;
  scale_time(data, start, origin, factor);
  scale_time(data, end, origin, factor);
}

static void visit_events(char *data, uint64_t *first, uint64_t origin, double factor) {
  enum { ROOT = 4, RUNS = 1, EVENTS = 3 }; /* the size of the buffer stands in front of it */
  size_t runs = field_at(data, follow(data, ROOT), RUNS);
  if (runs == 0)
    return;
  runs = follow(data, runs);
  for (size_t i = 0; i < number_at(data, runs, 4); i++) {
    size_t events = field_at(data, follow(data, runs + 4 + 4 * i), EVENTS);
    if (events == 0)
      continue;
    events = follow(data, events);
    for (size_t k = 0; k < number_at(data, events, 4); k++)
      visit_event(data, follow(data, events + 4 + 4 * k), first, origin, factor);
  }
}

/* Makes the first event of the first run, which is a load, `more` ticks longer. */
static void lengthen_first_event(char *data, long more) {
  enum { ROOT = 4, RUNS = 1, EVENTS = 3, PROFILE_EVENT = 0, END = 7 };
  size_t run = follow(data, follow(data, field_at(data, follow(data, ROOT), RUNS)) + 4);
  size_t event = follow(data, follow(data, field_at(data, run, EVENTS)) + 4);
  size_t end = field_at(data, follow(data, field_at(data, event, PROFILE_EVENT)), END);
  set_number(data, end, number_at(data, end, 8) + (uint64_t)more);
}

static void scale(char *data, double factor) {
  uint64_t first = UINT64_MAX;
  visit_events(data, &first, 0, 1);
  visit_events(data, NULL, first, factor);
}

/* ---- Steps ---- */

static void copy(const char *from, const char *to, bool half, double factor, long call) {
  static char bytes[64 << 20];
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  if (in == NULL || out == NULL)
    exit(8);
  size_t size = fread(bytes, 1, sizeof bytes, in);
  if (factor != 1)
    scale(bytes, factor);
  if (call > 0)
    lengthen_first_event(bytes, call);
  if (fwrite(bytes, 1, half ? size / 2 : size, out) != (half ? size / 2 : size))
    exit(8);
  if (fclose(out) != 0 || fclose(in) != 0)
    exit(8);
}

/* Until somebody has opened it for writing and closed it. */
static void wait_for(const char *fifo) {
  char byte;
  int file = open(fifo, O_RDONLY);
  if (file < 0 || read(file, &byte, 1) < 0)
    exit(6);
}

static void hang(const char *lock, const char *fifo) {
  int file = lock != NULL ? open(lock, O_WRONLY | O_CREAT, 0666) : -1;
  if (file >= 0 && flock(file, LOCK_EX) != 0)
    exit(7);
  if (fifo != NULL)
    wait_for(fifo);
  (void)fork();
  for (;;)
    (void)pause();
}

static void print_llm(void) {
  puts("some generated text, and then:");
  puts("PyTorchObserver "
       "{\"prompt_tokens\":8,\"generated_tokens\":55,\"model_load_start_ms\":1000,\"model_load_end_"
       "ms\":1700,"
       "\"inference_start_ms\":1700,\"inference_end_ms\":2900,\"prompt_eval_end_ms\":1800,\"first_"
       "token_ms\":1810,"
       "\"aggregate_sampling_time_ms\":5,\"SCALING_FACTOR_UNITS_PER_SECOND\":1000}");
}

int main(int argc, char **argv) {
  char word[32], factor[32];
  const char *count = option(argc, argv, "--count"), *factors = option(argc, argv, "--scale");
  const char *dump = option(argc, argv, "--dump"), *steps = option(argc, argv, "--steps");
  const char *path = option(argc, argv, "--etdump_path");
  long step = next_step(count != NULL ? count : "steps");
  find_word(steps != NULL ? steps : "ok", step, word);
  find_word(factors != NULL ? factors : "1", step, factor);
  printf("step %s\n", word);
  (void)fflush(stdout);
  if (strcmp(word, "hang") == 0)
    hang(option(argc, argv, "--lock"), option(argc, argv, "--wait"));
  if (strcmp(word, "wait") == 0)
    wait_for(option(argc, argv, "--wait"));
  if (strcmp(word, "fail") == 0)
    return 3;
  if (strcmp(word, "crash") == 0)
    (void)raise(SIGKILL);
  if (strcmp(word, "elsewhere") == 0)
    copy(dump, path != NULL ? path : "model.etdump", false, atof(factor), step);
  if (path != NULL && strcmp(word, "none") != 0 && strcmp(word, "elsewhere") != 0)
    copy(dump, path, word[0] == 'c', atof(factor), step);
  if (option(argc, argv, "--llm") != NULL)
    print_llm();
  return 0;
}
