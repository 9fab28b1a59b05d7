/* SPDX-License-Identifier: BSD-3-Clause
 *
 * runner.c - stands in for a program that runs a model: leaves a recorded ETDump.
 *
 *   runner --dump RECORDED [--steps STEP,STEP,...] [--lock FILE] [--wait FIFO] [--llm] [--etdump_path FILE]
 *
 * Each call takes the next step, counted in the file `steps`, and the last one again and again: ok; fail (exit status
 * 3); crash; hang (with a child that hangs, too, and a lock on FILE); wait (for FIFO, then ok); none (no dump); cut
 * (half of one); elsewhere (in model.etdump). Without --etdump_path there is no dump, but elsewhere.
 */
#define _DEFAULT_SOURCE /* flock() */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char *option(int argc, char **argv, const char *name) {
  size_t size = strlen(name);
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], name) == 0) return i + 1 < argc ? argv[i + 1] : "";
    if (strncmp(argv[i], name, size) == 0 && argv[i][size] == '=') return argv[i] + size + 1;
  }
  return NULL;
}

static long next_step(void) {
  long step = 0;
  FILE *file = fopen("steps", "r");
  if (file != NULL && fscanf(file, "%ld", &step) != 1) step = 0;
  if (file != NULL) (void)fclose(file);
  file = fopen("steps", "w");
  if (file == NULL || fprintf(file, "%ld", step + 1) < 0 || fclose(file) != 0) exit(9);
  return step;
}

/* The step's word. */
static void find_step(const char *steps, char word[32]) {
  for (long step = next_step(); step > 0 && strchr(steps, ',') != NULL; step--) steps = strchr(steps, ',') + 1;
  (void)snprintf(word, 32, "%.*s", (int)strcspn(steps, ","), steps);
}

static void copy(const char *from, const char *to, bool half) {
  static char bytes[64 << 20];
  FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
  if (in == NULL || out == NULL) exit(8);
  size_t size = fread(bytes, 1, sizeof bytes, in);
  if (fwrite(bytes, 1, half ? size / 2 : size, out) != (half ? size / 2 : size)) exit(8);
  if (fclose(out) != 0 || fclose(in) != 0) exit(8);
}

/* Until somebody has opened it for writing and closed it. */
static void wait_for(const char *fifo) {
  char byte;
  int file = open(fifo, O_RDONLY);
  if (file < 0 || read(file, &byte, 1) < 0) exit(6);
}

static void hang(const char *lock, const char *fifo) {
  int file = lock != NULL ? open(lock, O_WRONLY | O_CREAT, 0666) : -1;
  if (file >= 0 && flock(file, LOCK_EX) != 0) exit(7);
  if (fifo != NULL) wait_for(fifo);
  (void)fork();
  for (;;) (void)pause();
}

static void print_llm(void) {
  puts("some generated text, and then:");
  puts("PyTorchObserver "
       "{\"prompt_tokens\":8,\"generated_tokens\":55,\"model_load_start_ms\":1000,\"model_load_end_ms\":1700,"
       "\"inference_start_ms\":1700,\"inference_end_ms\":2900,\"prompt_eval_end_ms\":1800,\"first_token_ms\":1810,"
       "\"aggregate_sampling_time_ms\":5,\"SCALING_FACTOR_UNITS_PER_SECOND\":1000}");
}

int main(int argc, char **argv) {
  char word[32];
  const char *dump = option(argc, argv, "--dump"), *steps = option(argc, argv, "--steps");
  const char *path = option(argc, argv, "--etdump_path");
  find_step(steps != NULL ? steps : "ok", word);
  printf("step %s\n", word);
  (void)fflush(stdout);
  if (strcmp(word, "hang") == 0) hang(option(argc, argv, "--lock"), option(argc, argv, "--wait"));
  if (strcmp(word, "wait") == 0) wait_for(option(argc, argv, "--wait"));
  if (strcmp(word, "fail") == 0) return 3;
  if (strcmp(word, "crash") == 0) (void)raise(SIGKILL);
  if (strcmp(word, "elsewhere") == 0) copy(dump, path != NULL ? path : "model.etdump", false);
  if (path != NULL && strcmp(word, "none") != 0 && strcmp(word, "elsewhere") != 0) copy(dump, path, word[0] == 'c');
  if (option(argc, argv, "--llm") != NULL) print_llm();
  return 0;
}
