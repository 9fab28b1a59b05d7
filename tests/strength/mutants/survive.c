/* SPDX-License-Identifier: BSD-3-Clause
 *
 * survive.c - reads "NUMBER FOLDER" from standard input, line by line, and says what became of
 * each: "opened", "refused", or how it died. A folder is opened as the command opens one; whatever
 * comes out is walked, written, read again and compared. A process of its own looks at some of
 * them; when it dies another goes on with the next. What was said of one is in FOLDER.said.
 */
#include "../../fuzz/walk.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

enum { MOST_SECONDS = 20, MOST_KILOBYTES = 2 << 20, BATCH = 50 };
enum { MORE = 10, END, LEAKED }; /* how a process ends that nothing happened to */

#ifdef __SANITIZE_ADDRESS__
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "quarantine_size_mb=16:malloc_context_size=6";
} /* fast rather than telling */
static bool leaks(void) {
  return __lsan_do_recoverable_leak_check();
}
#else
static bool leaks(void) {
  return false;
}
#endif

static void check_memory(int signal_number) {
  static const char message[] = "too much memory\n";
  struct rusage used;
  (void)signal_number;
  getrusage(RUSAGE_SELF, &used);
  if (used.ru_maxrss > MOST_KILOBYTES)
    _exit(write(2, message, sizeof message - 1) > 0 ? 4 : 5);
}

/* Processor time from now on, not time: other processes may be busy. */
static void set_limits(void) {
  struct itimerval often = {{0, 50000}, {0, 50000}};
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  rlim_t seconds = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + MOST_SECONDS);
  setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, RLIM_INFINITY});
  signal(SIGPROF, check_memory);
  setitimer(ITIMER_PROF, &often, NULL);
}

static void require_message(const etr_error *error) {
  if (!error->message[0])
    abort();
}

/* A quarter as the commands that look at times alone open it; a tenth with the method of runs
 * chosen. */
static etr_profile *open_profile(const etr_inputs *inputs, unsigned long number, etr_error *error) {
  etr_profile *profile;
  const etr_method_choice choice = {.run = 0, .last = 1, .method = "forward"};
  const etr_options options = {
      .edge_only = number % 4 == 1, .choices = &choice, .choice_count = number % 10 == 3};
  etr_status status = etr_profile_open(&profile, inputs, &options, error);
  if ((status == ETR_OK) != (profile != NULL))
    abort();
  return profile;
}

static bool throw_away(void *context, const void *data, size_t size) {
  (void)context;
  (void)data;
  (void)size;
  return true;
}

static void compare(const etr_profile *old, const etr_profile *new) {
  static const etr_sink sink = {throw_away, NULL};
  etr_comparison *comparison;
  etr_error error = {.offset = ETR_NO_OFFSET};
  if (etr_compare(&comparison, old, new, NULL, &error) != ETR_OK)
    return require_message(&error);
  if (etr_emit_diff_json(comparison, NULL, ETR_UNIT_MS, &sink, &error) != ETR_OK)
    abort();
  if (etr_emit_diff_tables(comparison, NULL, NULL, &sink, &error) != ETR_OK)
    abort();
  etr_comparison_close(comparison);
}

/* Compares logged values with the reference among the files, for the outputs that follow. */
static void compare_values(etr_profile *profile, const etr_inputs *inputs) {
  static const etr_sink sink = {throw_away, NULL};
  etr_error error = {.offset = ETR_NO_OFFSET};
  for (size_t i = 0; i < inputs->reference_count && !profile->accuracy; i++) {
    const etr_accuracy_options options = {
        .reference = inputs->references[i], .on_aten = i % 2 == 1, .spreads = 8};
    if (etr_accuracy_open(&profile->accuracy, profile, &options, &error) != ETR_OK)
      require_message(&error);
  }
  if (!profile->accuracy)
    return;
  if (etr_emit_accuracy_json(profile->accuracy, &sink, &error) != ETR_OK)
    abort();
  if (etr_emit_accuracy_table(profile->accuracy, NULL, NULL, NULL, &sink, &error) != ETR_OK)
    abort();
}

/* True if there was something to look at. */
static bool look_at(const char *folder, unsigned long number, const etr_profile *base) {
  etr_inputs inputs;
  etr_error error = {.offset = ETR_NO_OFFSET};
  bool found = etr_inputs_find(&inputs, folder, NULL, &error) == ETR_OK;
  etr_profile *profile = found ? open_profile(&inputs, number, &error) : NULL;
  bool opened = profile != NULL;
  if (opened) {
    compare_values(profile, &inputs);
    walk_profile(profile);
    compare(base, profile);
    compare(profile, base);
  } else
    require_message(&error);
  if (opened)
    etr_accuracy_close(profile->accuracy);
  etr_profile_close(profile);
  etr_inputs_clear(&inputs);
  return opened;
}

static etr_profile *open_base(const char *folder) {
  etr_inputs inputs;
  etr_profile *profile = NULL;
  if (etr_inputs_find(&inputs, folder, NULL, NULL) != ETR_OK ||
      etr_profile_open(&profile, &inputs, NULL, NULL) != ETR_OK)
    abort();
  etr_inputs_clear(&inputs);
  return profile;
}

/* What one says goes into a file of its own. */
static void listen_to(const char *folder) {
  char said[4096];
  snprintf(said, sizeof said, "%s.said", folder);
  int descriptor = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (descriptor < 0 || dup2(descriptor, STDERR_FILENO) < 0)
    abort();
  close(descriptor);
}

/* Ends a process. A build that counts what was run writes the counts when it exits. */
#ifdef ETR_COUNTS
#define end_with exit
#else
#define end_with _exit
#endif

/* In a process of its own: looks at some. Gives an exit status: END when there are no more. */
static int look_at_some(const etr_profile *base) {
  char folder[4000];
  unsigned long number;
  for (int i = 0; i < BATCH; i++) {
    if (scanf("%lu %3999s", &number, folder) != 2)
      return END;
    listen_to(folder);
    set_limits();
    bool opened = look_at(folder, number, base);
    if (i == BATCH - 1 && leaks())
      return LEAKED;
    puts(opened ? "opened" : "refused");
    fflush(stdout);
  }
  return MORE;
}

static void tell(int status) {
  if (WIFSIGNALED(status))
    printf("died of signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
  else if (WEXITSTATUS(status) == LEAKED)
    puts("leaked memory, or one of those before");
  else
    printf("ended with status %d\n", WEXITSTATUS(status));
  fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  setvbuf(stdin, NULL, _IONBF, 0); /* what one process did not take is there for the next */
  etr_profile *base = open_base(argv[1]);
  while (true) {
    pid_t child = fork();
    int status = 0;
    if (child == 0)
      end_with(look_at_some(base));
    if (child < 0 || waitpid(child, &status, 0) != child)
      abort();
    if (WIFEXITED(status) && WEXITSTATUS(status) == END)
      break;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != MORE)
      tell(status);
  }
  etr_profile_close(base);
  return 0;
}
