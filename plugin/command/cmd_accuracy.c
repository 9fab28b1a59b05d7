/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cmd_accuracy.c - `etrecord-tb accuracy` and `etrecord-tb reference`.
 */
#include "command/command.h"
#include "command/python.h"
#include "command/runner.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- accuracy ---- */

/* Returns which rows of the table to write, in which order, and for which input of the model. The
 * words of --by are in the order of the enum, from ETR_ACCURACY_OF_MODULE on. */
static etr_accuracy_choice accuracy_choice(const cli_settings *settings) {
  return (etr_accuracy_choice){.by = settings->has_by ? ETR_ACCURACY_OF_MODULE + settings->by
                                                      : ETR_ACCURACY_OF_VALUE,
                               .order = (etr_accuracy_order)settings->order,
                               .has_input = settings->has_input,
                               .input = (uint32_t)settings->input};
}

etr_status command_accuracy_table(const etr_profile *profile, const etr_node_filter *filter,
                                  const etr_table_options *options, const etr_sink *sink,
                                  etr_error *error) {
  const etr_accuracy none = {.profile = profile, .method = ETR_NONE};
  return etr_emit_accuracy_table(&none, filter, NULL, options, sink, error);
}

/* The records that are compared, and the one that the reference is of. */
typedef struct accuracy_job {
  const cli_settings *settings;
  etr_profile *profiles[ETR_MOST_VARIANTS];
  etr_profile *reference_record; /* NULL if it is not given */
  etr_accuracy *accuracies[ETR_MOST_VARIANTS];
  const char *names[ETR_MOST_VARIANTS];
  size_t count;
} accuracy_job;

/* Writes the accuracy of one record, or that of several side by side, in the format of the
 * settings. */
static etr_status emit_job(void *context, const etr_sink *sink, etr_error *error) {
  const accuracy_job *job = context;
  const etr_accuracy_choice choice = accuracy_choice(job->settings);
  const etr_node_filter filter = command_filter(job->settings);
  const etr_table_options options = command_table_options(job->settings);
  bool is_json = job->settings->format == FORMAT_JSON;
  if (job->count == 1)
    return is_json ? etr_emit_accuracy_json(job->accuracies[0], sink, error)
                   : etr_emit_accuracy_table(job->accuracies[0], &filter, &choice, &options, sink,
                                             error);
  const etr_accuracy_variants variants = {
      .accuracies = (const etr_accuracy *const *)job->accuracies,
      .names = job->names,
      .count = job->count,
      .reference_record = job->reference_record ? job->reference_record : job->profiles[0]};
  return is_json ? etr_emit_accuracy_variants_json(&variants, &choice, sink, error)
                 : etr_emit_accuracy_variants(&variants, &choice, &options, sink, error);
}

/* Returns true if the arguments are several records. Returns false if there is one, or if all are
 * files of one record: only then they can be found together, as two files of one kind contradict
 * each other. */
static bool are_several(const cli_settings *settings) {
  etr_inputs found;
  if (settings->more_count == 0)
    return false;
  const char *const *paths = settings->more - 1; /* the first argument is in front of the others */
  if (etr_inputs_find_all(&found, paths, 1 + settings->more_count, NULL, NULL) != ETR_OK)
    return true;
  etr_inputs_clear(&found);
  return false;
}

/* ---- Several records ---- */

/* Returns the last part of a path with any slashes after it, "int8/" of "out/int8/". */
static const char *last_part(const char *path) {
  const char *name = path;
  for (const char *start = path; *start; start++)
    if (*start == '/' && start[1] && start[1] != '/')
      name = start + 1;
  return name;
}

/* Opens the records that are compared, and the record of the reference if one is named. Without
 * --reference, opening a record compares it with a reference among its files. Fails with a message
 * for too many records, or for several without --reference. The caller closes what was opened, on
 * failure too. */
static exit_status open_records(accuracy_job *job) {
  cli_settings own = *job->settings;
  cli_command command = *job->settings->command;
  bool has_several = are_several(job->settings);
  size_t count = has_several ? 1 + job->settings->more_count : 1;
  if (count > ETR_MOST_VARIANTS)
    return message_usage("accuracy", "at most %d records are put side by side",
                         (int)ETR_MOST_VARIANTS);
  if (has_several && !job->settings->reference)
    return message_usage("accuracy",
                         "several records need --reference FILE, with which all are compared");
  if (has_several)
    own.more_count = 0;
  own.command = &command;
  own.reference = NULL;
  command.compares_values = !job->settings->reference; /* with a reference among the files */
  for (size_t i = 0; i < count; i++) {
    if (i > 0)
      own.record = job->settings->more[i - 1];
    exit_status status = command_open(&job->profiles[i], &own);
    if (status != EXIT_DONE)
      return status;
    job->names[i] = last_part(own.record);
    job->count++;
  }
  if (!job->settings->reference_record)
    return EXIT_DONE;
  return command_open_reference(&job->reference_record, job->settings);
}

/* Compares each record with the reference. A comparison that was made when the record was opened is
 * moved from its profile to the job, which closes it. The graphs of the reference are those of the
 * reference record, or else those of the first record. accuracy_graph is the index in the words of
 * --graph, "edge|aten". */
static exit_status compare_records(accuracy_job *job) {
  etr_error error;
  for (size_t i = 0; i < job->count; i++) {
    job->accuracies[i] = job->profiles[i]->accuracy;
    job->profiles[i]->accuracy = NULL;
    if (job->accuracies[i])
      continue;
    const etr_accuracy_options options = {.reference = job->settings->reference,
                                          .on_aten = job->settings->accuracy_graph == 1,
                                          .reference_record = job->reference_record || i == 0
                                                                  ? job->reference_record
                                                                  : job->profiles[0]};
    if (etr_accuracy_open(&job->accuracies[i], job->profiles[i], &options, &error) != ETR_OK)
      return message_error(&error);
    message_accuracy_warnings(job->accuracies[i]);
  }
  return EXIT_DONE;
}

/* Returns EXIT_ABOVE_LIMIT if an output is less accurate than --fail-below, EXIT_CANNOT_TELL if no
 * output of a record was compared, each with a message, and else EXIT_DONE. */
static exit_status check_limit(const accuracy_job *job) {
  exit_status result = EXIT_DONE;
  for (size_t i = 0; job->settings->has_fail_below && i < job->count; i++) {
    const etr_value_accuracy *output = etr_accuracy_worst_output(job->accuracies[i]);
    if (!output) {
      message_failed("%s: --fail-below: no output of the model was compared", job->names[i]);
      if (result == EXIT_DONE)
        result = EXIT_CANNOT_TELL;
    } else if (output->gap.unlike > 0 || output->gap.snr_db < job->settings->fail_below) {
      char why[64];
      if (output->gap.unlike > 0)
        (void)snprintf(why, sizeof why, "%llu wrong NaN or infinities",
                       (unsigned long long)output->gap.unlike);
      else
        (void)snprintf(why, sizeof why, "%.1f dB", output->gap.snr_db);
      message_failed("%s: output %s is below the limit of %g dB: %s", job->names[i], output->name,
                     job->settings->fail_below, why);
      result = EXIT_ABOVE_LIMIT;
    }
  }
  return result;
}

/* Returns EXIT_CANNOT_TELL, with a message for each record of which no value was compared, so that
 * a script does not take that for a good result. Otherwise returns EXIT_DONE. */
static exit_status check_compared(const accuracy_job *job) {
  exit_status result = EXIT_DONE;
  for (size_t i = 0; i < job->count; i++) {
    if (job->accuracies[i]->ranked_count > 0)
      continue;
    message_failed("%s: no value was compared", job->names[i]);
    result = EXIT_CANNOT_TELL;
  }
  return result;
}

exit_status command_accuracy(const cli_settings *settings) {
  accuracy_job job = {.settings = settings};
  exit_status result = EXIT_DONE;
  if (settings->columns && settings->format == FORMAT_JSON)
    return message_usage("accuracy", "--columns applies to tables; JSON has all columns");
  result = open_records(&job);
  if (result == EXIT_DONE)
    result = command_check_names(job.profiles[0], settings);
  if (result == EXIT_DONE)
    result = compare_records(&job);
  if (result == EXIT_DONE)
    result = command_emit(settings, emit_job, &job);
  if (result == EXIT_DONE)
    result = settings->has_fail_below ? check_limit(&job) : check_compared(&job);
  for (size_t i = 0; i < ETR_MOST_VARIANTS; i++) {
    etr_accuracy_close(job.accuracies[i]);
    etr_profile_close(job.profiles[i]);
  }
  etr_profile_close(job.reference_record);
  return result;
}

/* ---- reference ---- */

enum { OWN_ARGUMENTS = 26 + 4 * MAX_LIST };

exit_status command_make_reference(cli_settings *settings) {
  python_start python;
  size_t count = PYTHON_ARGUMENTS;
  if (!settings->output)
    return message_usage("reference", "reference needs the file to write: -o REF.safetensors");
  size_t room = OWN_ARGUMENTS + 2 * settings->etdump_count + settings->more_count;
  const char **arguments = calloc(room, sizeof *arguments);
  if (!arguments)
    return message_failed("out of memory");
  python_prepare(&python, "reference", "`reference` needs", "reference");
  memcpy(arguments, python.arguments, sizeof python.arguments);
  python_add_option(arguments, &count, "--output", settings->output);
  python_add_option(arguments, &count, "--inputs", settings->inputs_file);
  python_add_option(arguments, &count, "--kept", settings->kept);
  python_add_option(arguments, &count, "--etrecord", settings->etrecord);
  python_add_option(arguments, &count, "--pte", settings->pte);
  python_add_option(arguments, &count, "--debug-buffer", settings->debug_buffer);
  for (size_t i = 0; i < settings->etdump_count; i++)
    python_add_option(arguments, &count, "--etdump", settings->etdumps[i]);
  for (size_t i = 0; i < settings->device_count; i++)
    python_add_option(arguments, &count, "--for", settings->device_texts[i]);
  for (size_t i = 0; i < settings->map_count; i++)
    python_add_option(arguments, &count, "--map", settings->map_texts[i]);
  if (settings->all)
    arguments[count++] = "--all";
  if (settings->local)
    arguments[count++] = "--local";
  arguments[count++] = "--";
  if (settings->record)
    arguments[count++] = settings->record;
  for (size_t i = 0; i < settings->more_count; i++)
    arguments[count++] = settings->more[i];
  arguments[count] = NULL;
  exit_status result = python_run(arguments, "reference", NULL);
  free(arguments);
  return result;
}

exit_status command_reference(const cli_settings *settings) {
  const char *of = settings->record;
  size_t count = settings->device_count;
  if (!of)
    of = settings->etrecord ? settings->etrecord : "RECORD";
  printf("etrecord-tb accuracy");
  for (size_t i = 0; i < count; i++)
    printf(" %s", settings->device_texts[i]);
  if (count == 0)
    printf(" %s", of);
  printf(" --reference %s", settings->output);
  if (count > 0)
    printf(" --reference-record %s", of);
  for (size_t i = 0; i < settings->map_count; i++)
    printf(" --map %s", settings->map_texts[i]);
  printf("\n");
  return message_written(ETR_OK, NULL);
}

/* ---- A reference that `accuracy` makes ---- */

enum { HASH_ROOM = 17 }; /* 16 hexadecimal digits and a NUL */

/* Returns the hash continued by the bytes of a file (FNV-1a); unchanged if the file cannot be
 * opened. Nothing in them is interpreted: this runs before the command gives up rights. */
static uint64_t hash_file(uint64_t hash, const char *path) {
  unsigned char piece[1 << 14];
  FILE *file = fopen(path, "rb");
  if (!file)
    return hash;
  for (size_t size; (size = fread(piece, 1, sizeof piece, file)) > 0;)
    for (size_t i = 0; i < size; i++)
      hash = (hash ^ piece[i]) * 0x100000001b3u;
  (void)fclose(file);
  return hash;
}

/* Returns a hash of a file, or of the files directly in a folder except references. The order in
 * which the system lists them does not count. */
static uint64_t hash_record(const char *path) {
  static const uint64_t start = 0xcbf29ce484222325u;
  DIR *folder = opendir(path);
  uint64_t sum = 0;
  if (!folder)
    return hash_file(start, path);
  for (const struct dirent *entry; (entry = readdir(folder));) {
    char file[PATH_MAX];
    int size = snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
    bool is_reference = command_ends_with(entry->d_name, ".safetensors");
    if (size > 0 && (size_t)size < sizeof file && !is_reference && !command_is_folder(file))
      sum += hash_file(start, file);
  }
  closedir(folder);
  return sum;
}

/* Returns true if a file is a reference that was made from both records as they are now. A
 * reference that is kept is a safetensors file, an 8-byte length and JSON, whose metadata begins
 * with the hash of both records. */
static bool is_current_reference(const char *path, const char *record_hash) {
  char start[64], read_start[64];
  int size = snprintf(start, sizeof start, "{\"__metadata__\": {\"kept\": \"%s\"", record_hash);
  FILE *file = fopen(path, "rb");
  if (!file)
    return false;
  bool is_read = fseek(file, 8, SEEK_SET) == 0 &&
                 fread(read_start, 1, (size_t)size, file) == (size_t)size;
  (void)fclose(file);
  return is_read && memcmp(read_start, start, (size_t)size) == 0;
}

/* Sets `name` to the last part of a record's path without its extension, "int8" for "out/int8/"; to
 * "record" if it is empty, hidden or so long (NAME_MAX / 2) that the name of a reference, which
 * adds a hash and an extension, could be too long. */
static void name_record(char name[NAME_MAX + 1], const char *path) {
  const char *part = last_part(path);
  size_t size = strcspn(part, "/");
  const char *dot = command_is_folder(path) ? NULL : strrchr(part, '.');
  if (dot && dot > part)
    size = (size_t)(dot - part);
  if (size == 0 || size > NAME_MAX / 2 || part[0] == '.') {
    part = "record";
    size = strlen(part);
  }
  (void)snprintf(name, NAME_MAX + 1, "%.*s", (int)size, part);
}

/* Makes the folder of this program in the user's cache, $XDG_CACHE_HOME or ~/.cache, and sets
 * `folder` to it. Returns false if there is no cache, or if its path is too long, but not if a
 * folder cannot be made: the caller checks that it can be written. */
static bool make_cache_folder(char folder[PATH_MAX]) {
  static const char name[] = "/etrecord-tb";
  const char *cache = getenv("XDG_CACHE_HOME");
  const char *home = getenv("HOME");
  int size = -1;
  if (cache && cache[0] == '/')
    size = snprintf(folder, PATH_MAX, "%s", cache);
  else if (home && home[0])
    size = snprintf(folder, PATH_MAX, "%s/.cache", home);
  if (size < 0 || (size_t)size >= PATH_MAX - sizeof name)
    return false;
  (void)mkdir(folder, 0700);
  (void)snprintf(folder + size, PATH_MAX - (size_t)size, "%s", name);
  (void)mkdir(folder, 0700);
  return true;
}

/* Sets `folder` to the folder of a record: the record itself if it is one, else the folder of the
 * file, without slashes at the end. Returns false if its path is too long. */
static bool find_record_folder(char folder[PATH_MAX], const char *record) {
  size_t size = command_is_folder(record) ? strlen(record) : (size_t)(last_part(record) - record);
  if (size >= PATH_MAX)
    return false;
  (void)snprintf(folder, PATH_MAX, "%.*s", size ? (int)size : 1, size ? record : ".");
  for (size_t end = strlen(folder); end > 1 && folder[end - 1] == '/';)
    folder[--end] = '\0';
  return true;
}

/* Sets `path` to where the reference of a record is kept: beside the record if that folder can be
 * written, or else in the user's cache, where the hash in its name keeps records of one name apart.
 * Returns false if neither can be written. */
static bool find_reference_path(char path[PATH_MAX], const char *record, const char *hash) {
  char name[NAME_MAX + 1], folder[PATH_MAX];
  int size = -1;
  name_record(name, record);
  if (find_record_folder(folder, record) && access(folder, W_OK) == 0)
    size = snprintf(path, PATH_MAX, "%s/%s" COMMAND_KEPT_REFERENCE, folder, name);
  else if (make_cache_folder(folder) && access(folder, W_OK) == 0)
    size = snprintf(path, PATH_MAX, "%s/%s-%s" COMMAND_KEPT_REFERENCE, folder, name, hash);
  return size > 0 && size < PATH_MAX;
}

/* The reference that is not kept, and its folder. */
static char temporary_path[PATH_MAX], temporary_folder[PATH_MAX];

static void remove_temporary(void) {
  (void)unlink(temporary_path);
  (void)rmdir(temporary_folder);
}

#if defined _WIN32
/* Makes a folder for a reference that is not kept. Sets temporary_folder to its path, and returns
 * false, with errno set, on failure. */
static bool make_temporary_folder(void) {
  const char *parent = getenv("TEMP");
  (void)snprintf(temporary_folder, sizeof temporary_folder, "%s/etrecord-tb.%d",
                 parent && parent[0] ? parent : ".", (int)getpid());
  return mkdir(temporary_folder, 0700) == 0;
}

static void remove_reference_at_end(void) {
  (void)atexit(remove_temporary);
}
#else
/* Makes a folder for a reference that is not kept. Sets temporary_folder to its path, and returns
 * false, with errno set, on failure. */
static bool make_temporary_folder(void) {
  const char *parent = getenv("TMPDIR");
  (void)snprintf(temporary_folder, sizeof temporary_folder, "%s/etrecord-tb.XXXXXX",
                 parent && parent[0] ? parent : "/tmp");
  return mkdtemp(temporary_folder) != NULL;
}

/* Has the reference that is not kept removed when the command ends. The command gives up the right
 * to remove files, so this process forks, waits for the child, removes the file, and ends with the
 * child's exit status. Returns in the child only, which runs the rest of the command. */
static void remove_reference_at_end(void) {
  int status = 0;
  pid_t child = fork();
  if (child <= 0)
    return; /* without a child the file stays in the temporary folder */
  (void)signal(SIGINT, SIG_IGN);
  (void)signal(SIGTERM, SIG_IGN);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  remove_temporary();
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_BAD_INPUT);
}
#endif

/* Sets out->device_texts to the files of the record that logged the values on the device, all that
 * the settings name: the record and further arguments, the files of three options, and ETDumps.
 * Returns false if there may be more than it holds. */
static bool list_device_files(cli_settings *out, const cli_settings *settings) {
  size_t most_files = 1 + settings->more_count + settings->etdump_count + 3;
  if (most_files > MAX_LIST)
    return false;
  const char *const named_files[] = {settings->record, settings->etrecord, settings->pte,
                                     settings->debug_buffer};
  size_t count = 0;
  for (size_t i = 0; i < sizeof named_files / sizeof named_files[0]; i++)
    if (named_files[i])
      out->device_texts[count++] = named_files[i];
  for (size_t i = 0; i < settings->more_count; i++)
    out->device_texts[count++] = settings->more[i];
  for (size_t i = 0; i < settings->etdump_count; i++)
    out->device_texts[count++] = settings->etdumps[i];
  out->device_count = count;
  return true;
}

/* Returns a hash of all files of the record that logged the values. Their order does not count. See
 * hash_record(). */
static uint64_t hash_device_files(const cli_settings *device) {
  uint64_t sum = 0;
  for (size_t i = 0; i < device->device_count; i++)
    sum += hash_record(device->device_texts[i]);
  return sum;
}

/* Returns true if the values were logged by one record, whose files are device->device_texts, as
 * far as the command line shows: it names a single folder, or files. */
static bool is_one_device(const cli_settings *device) {
  for (size_t i = 1; i < device->device_count; i++)
    if (command_is_folder(device->device_texts[i]))
      return false;
  return device->device_count > 0;
}

/* Returns a hash of all that a reference is made from: the files of both records, the inputs of the
 * model, and the choices of --map. */
static uint64_t hash_sources(const cli_settings *device) {
  uint64_t sum = hash_device_files(device) * 31 + hash_record(device->reference_record);
  if (device->inputs_file)
    sum = sum * 31 + hash_record(device->inputs_file);
  for (size_t i = 0; i < device->map_count; i++)
    for (const char *letter = device->map_texts[i]; *letter; letter++)
      sum = sum * 31 + (unsigned char)*letter;
  return sum;
}

/* Sets `path` to the file of a reference that is not kept, in a new temporary folder. Fails with a
 * message if that cannot be made. */
static exit_status find_temporary_path(char path[PATH_MAX]) {
  if (!make_temporary_folder())
    return message_failed("%s: cannot make a temporary folder: %s", temporary_folder,
                          strerror(errno));
  (void)snprintf(path, PATH_MAX, "%.*s/reference.safetensors", PATH_MAX - 32, temporary_folder);
  return EXIT_DONE;
}

/* Runs `reference --local` on the reference record, with the values of the device, and writes
 * `path`. Removes a temporary folder on failure. */
static exit_status make_local_reference(const cli_settings *device, const char *path,
                                        const char *hash) {
  cli_settings settings = *device;
  bool is_same_record = strcmp(device->reference_record, device->device_texts[0]) == 0;
  if (is_same_record) {
    settings.device_count = 0; /* its files, as they were given, have the values, too */
  } else {
    settings.record = device->reference_record;
    settings.more_count = settings.etdump_count = 0;
    settings.etrecord = settings.pte = settings.debug_buffer = NULL;
  }
  settings.output = path;
  settings.local = true;
  settings.kept = hash;
  exit_status made = command_make_reference(&settings);
  if (made != EXIT_DONE && device->no_keep)
    remove_temporary();
  return made;
}

/* Returns true if a folder of a record has a debug buffer under its usual name. */
static bool has_debug_buffer(const char *folder) {
  char path[PATH_MAX];
  int size = snprintf(path, sizeof path, "%s/debug_buffer.bin", folder);
  return size > 0 && (size_t)size < sizeof path && access(path, F_OK) == 0;
}

/* Takes RECORD/values in place of RECORD, whose runs logged no values, if `record --debug-buffer`
 * has left them there, and says so. */
static void take_logged_values(cli_settings *settings) {
  static char path[PATH_MAX];
  const char *record = settings->record;
  if (!record || settings->debug_buffer || settings->etdump_count || has_debug_buffer(record))
    return;
  int size = snprintf(path, sizeof path, "%s/values", record);
  if (size <= 0 || (size_t)size >= sizeof path || !has_debug_buffer(path))
    return;
  message_warning("%s logged no values: taking %s, which did", record, path);
  settings->record = path;
}

exit_status command_prepare_accuracy(cli_settings *settings) {
  static char kept_path[PATH_MAX];
  take_logged_values(settings);
  const char *path = settings->no_keep ? temporary_path : kept_path;
  char hash[HASH_ROOM];
  exit_status status = EXIT_DONE;
  if (!settings->reference_record || settings->reference) {
    if (settings->inputs_file || settings->no_keep)
      return message_usage("accuracy",
                           "--%s is for a reference that accuracy makes: with --reference-record, "
                           "and without --reference",
                           settings->no_keep ? "no-keep" : "inputs");
    return EXIT_DONE;
  }
  cli_settings device = *settings;
  if (!list_device_files(&device, settings) || !is_one_device(&device))
    return message_usage("accuracy", "--reference-record without --reference is for one record: "
                                     "make the reference of others with `reference --local "
                                     "--for`, and name it with --reference");
  const char *record = device.device_texts[0];
  (void)snprintf(hash, sizeof hash, "%016" PRIx64, hash_sources(&device));
  if (settings->no_keep)
    status = find_temporary_path(temporary_path);
  else if (!find_reference_path(kept_path, record, hash))
    status = message_failed("%s: the reference can be kept neither beside the record nor in the "
                            "user's cache: --no-keep",
                            record);
  bool is_kept = status == EXIT_DONE && !settings->no_keep && is_current_reference(path, hash);
  if (status == EXIT_DONE && !is_kept)
    status = make_local_reference(&device, path, hash);
  if (status != EXIT_DONE)
    return status;
  settings->reference = path;
  if (settings->no_keep)
    remove_reference_at_end();
  return EXIT_DONE;
}
