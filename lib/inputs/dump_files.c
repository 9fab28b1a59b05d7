/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dump_files.c - one file after the other; a log gives as many ETDumps as it holds.
 */
#include "base/file.h"
#include "formats/gunzip.h"
#include "inputs/dump.h"
#include "inputs/serial_log.h"

typedef struct dump_source {
  const etr_dump_files *files;
  const char *path;
} dump_source;

static void warn_of_dump(void *context, uint64_t offset, const char *message) {
  const dump_source *source = context;
  etr_warn(source->files->warnings, source->path, NULL, offset, "%s", message);
}

/* Returns true if two runs have the same events with the same times, in ticks: they are copies of
 * one run, because a clock never gives two runs the same times. Names and delegate ids are
 * interned, so that equal texts have equal pointers. */
static bool have_equal_events(const etr_dump_run *a, const etr_dump_run *b) {
  if (a->event_count != b->event_count || a->allocation_count != b->allocation_count)
    return false;
  for (size_t i = 0; i < a->event_count; i++) {
    const etr_dump_event *left = &a->events[i];
    const etr_dump_event *right = &b->events[i];
    bool is_equal = left->name == right->name && left->delegate_id == right->delegate_id &&
                    left->instruction_id == right->instruction_id &&
                    left->start_ticks == right->start_ticks &&
                    left->duration_ticks == right->duration_ticks;
    if (!is_equal)
      return false;
  }
  return true;
}

/* Returns true if two ETDumps are copies of one recording: all their events are equal, with equal
 * times. Without any times that cannot be known, and it returns false. */
static bool are_one_recording(const etr_dump *a, const etr_dump *b) {
  if (a->ticks != b->ticks || a->run_count != b->run_count || a->ticks == 0)
    return false;
  for (size_t i = 0; i < a->run_count; i++)
    if (!have_equal_events(&a->runs[i], &b->runs[i]))
      return false;
  return true;
}

/* Removes the ETDump read last if it is a copy of one before it, and warns. Returns whether it did.
 */
static bool drop_repeated_dump(etr_dump_files *f) {
  size_t last = f->dumps.count - 1;
  for (size_t i = 0; i < last; i++) {
    if (!are_one_recording(&f->dumps.data[i], &f->dumps.data[last]))
      continue;
    etr_warn(f->warnings, f->paths.data[last], NULL, ETR_NO_OFFSET,
             "the same recording as %s: counted once", f->paths.data[i]);
    f->dumps.count--;
    f->paths.count--;
    return true;
  }
  return false;
}

/* Adds the ETDump in `bytes` to f->dumps, unless it is a copy of one before it, which counts as
 * success, with a warning. Fails if it is damaged, or if the durations of the events of all ETDumps
 * together exceed 64 bits of ticks, so that no sum of them can overflow. */
static etr_status read_dump(etr_dump_files *f, etr_slice bytes, const char *path,
                            etr_error *error) {
  dump_source source = {f, etr_arena_copy(f->arena, etr_slice_of(path))};
  etr_dump *dump = etr_vec_push(f->arena, &f->dumps);
  const char **name = etr_vec_push(f->arena, &f->paths);
  if (!source.path || !dump || !name)
    return etr_fail_memory(error);
  *name = source.path;
  etr_dump_shared shared = {
      .arena = f->runs,
      .names = f->names,
      .budget = f->budget,
      .warn = warn_of_dump,
      .context = &source,
  };
  ETR_TRY(etr_dump_read(dump, &shared, bytes, path, error));
  if (drop_repeated_dump(f))
    return ETR_OK;
  if (dump->ticks > UINT64_MAX - f->ticks)
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, ETR_NO_OFFSET,
                    "with the ETDumps before it, there are too many ticks to count; leave it out");
  f->ticks += dump->ticks;
  etr_warn_of_cut_names(f->warnings, path, NULL, &f->names->cut);
  return ETR_OK;
}

/* ---- Logs ---- */

/* Adds one ETDump of a log under the name LOG#NUMBER, or LOG if it is the only one. If the ETDump
 * logged tensors, copies its debug buffer into the arena as the debug buffer of the profile, unless
 * one is set already: a profile has only one. */
static etr_status read_log_dump(etr_dump_files *f, const etr_log_dump *dump, const char *path,
                                bool is_only_dump, etr_error *error) {
  const char *name = is_only_dump ? path : etr_arena_format(f->arena, "%s#%zu", path, dump->number);
  if (!name)
    return etr_fail_memory(error);
  ETR_TRY(read_dump(f, dump->bytes, name, error));
  if (f->dumps.count == 0 || f->debug_buffer.size || !dump->debug_buffer.size)
    return ETR_OK;
  if (!etr_dump_has_tensors(&f->dumps.data[f->dumps.count - 1]))
    return ETR_OK;
  const char *copy = etr_arena_copy(f->arena, dump->debug_buffer);
  if (!copy)
    return etr_fail_memory(error);
  f->debug_buffer = (etr_slice){copy, dump->debug_buffer.size};
  f->debug_buffer_path = f->paths.data[f->paths.count - 1];
  return ETR_OK;
}

/* Adds the ETDump of a log with this number, or all of them if `number` is 0. The only ETDump of a
 * log (log->found is 1) is called by the log's path, without a number. Fails if there is no such
 * ETDump, or none at all. Where any was added, damage of other ETDumps (log->problem) is only a
 * warning, and is not even that if one ETDump was asked for by its number. */
static etr_status read_dumps_of_log(etr_dump_files *f, const etr_serial_log *log, const char *path,
                                    size_t number, etr_error *error) {
  size_t read_count = 0;
  size_t first = ETR_MIN(number, log->dump_count);
  size_t end = number ? first : log->dump_count;
  /* Numbers ascend, and there are gaps only where an ETDump is incomplete. */
  while (number && first > 0 && log->dumps[first - 1].number >= number)
    first--;
  for (size_t i = number ? first : 0; i < end; i++) {
    if (number && log->dumps[i].number != number)
      break;
    ETR_TRY(read_log_dump(f, &log->dumps[i], path, log->found == 1, error));
    read_count++;
  }
  if (read_count > 0) {
    if (log->problem && !number)
      etr_warn(f->warnings, path, NULL, ETR_NO_OFFSET, "%s: left out", log->problem);
    if (log->lost_buffer)
      etr_warn(f->warnings, path, NULL, ETR_NO_OFFSET, "%s", log->lost_buffer);
    return ETR_OK;
  }
  if (log->problem)
    return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, ETR_NO_OFFSET, "%s", log->problem);
  return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, ETR_NO_OFFSET,
                  "this log holds %zu ETDumps, no number %zu", log->found, number);
}

/* Adds the ETDumps of a serial log: the one with this number, or all if it is 0. A file that
 * contains none is read as an ETDump, whose error says what the file is not. Fails if none can be
 * read. */
static etr_status read_log(etr_dump_files *f, etr_slice bytes, const char *path, size_t number,
                           etr_error *error) {
  etr_serial_log log;
  etr_arena scratch = {0};
  etr_status status = ETR_OK;
  if (!etr_serial_log_read(&log, &scratch, bytes))
    status = etr_fail_memory(error);
  else if (log.found == 0 && !log.problem)
    status = read_dump(f, bytes, path, error);
  else
    status = read_dumps_of_log(f, &log, path, number, error);
  etr_arena_clear(&scratch);
  return status;
}

/* ---- Files ---- */

/* Fails if an ETDump of 64 MiB or more has more events than the budget allows. The events are
 * counted in the file before it is loaded, because loading takes as much memory as the file has
 * bytes. The budget is asked only to refuse, which gives the message, and so nothing is taken from
 * it here. A file that cannot be opened is no failure here, because reading it says why. */
static etr_status fail_if_too_many_events(const etr_dump_files *f, const char *path,
                                          etr_error *error) {
  static const off_t large = (off_t)64 << 20; /* smaller files are loaded without a count */
  FILE *file = etr_file_open_regular(path);
  uint64_t events_left = f->budget->left[ETR_EVENTS];
  uint64_t events = 0;
  if (!file)
    return ETR_OK; /* reading it says why */
  if (fseeko(file, 0, SEEK_END) == 0 && ftello(file) >= large)
    events = etr_dump_count_events(file, events_left);
  (void)fclose(file);
  const char *refused = events > events_left ? etr_budget_take(f->budget, ETR_EVENTS, events)
                                             : NULL;
  return refused ? etr_fail(error, ETR_ERROR_FORMAT, path, NULL, ETR_NO_OFFSET, "%s", refused)
                 : ETR_OK;
}

/* Reads a whole file, and unpacks it if it was compressed with gzip. Fails if it is larger than
 * max_bytes or cannot be read, or when out of memory. */
static etr_status read_unpacked(etr_file *out, const char *path, uint64_t max_bytes,
                                etr_error *error) {
  ETR_TRY(etr_file_read(out, path, max_bytes, error));
  if (!etr_gzip_is(etr_file_bytes(out)))
    return ETR_OK;
  etr_file packed = *out;
  etr_status status = etr_gunzip(out, etr_file_bytes(&packed), path, max_bytes, error);
  etr_file_clear(&packed);
  return status;
}

/* Adds the ETDumps of a path: an ETDump, a log, or LOG#NUMBER. The bytes of the unpacked file are
 * taken from the budget, which cannot refuse, because a file of more than max_bytes is not read. A
 * log that was decoded before is not read again, but its bytes are taken all the same. For
 * LOG#NUMBER these are its bytes divided by the number of its ETDumps, so that all of them together
 * take the log's bytes once. Fails if the file cannot be read or has no ETDump. */
static etr_status read_dumps_of_path(etr_dump_files *f, const char *path, etr_error *error) {
  etr_file file;
  size_t number = 0;
  const char *log = etr_arena_copy(f->arena, (etr_slice){path, etr_input_file(path, &number)});
  uint64_t max_bytes = ETR_MIN(f->max_file_bytes, f->budget->left[ETR_BYTES]);
  if (!log)
    return etr_fail_memory(error);
  const etr_decoded_log *decoded = etr_decoded_logs_find(f->logs, etr_slice_of(log));
  if (decoded && decoded->log.found > 0 && decoded->file_bytes <= max_bytes) {
    etr_budget_take(f->budget, ETR_BYTES,
                    number ? decoded->file_bytes / decoded->log.found : decoded->file_bytes);
    return read_dumps_of_log(f, &decoded->log, log, number, error);
  }
  ETR_TRY(fail_if_too_many_events(f, log, error));
  ETR_TRY(read_unpacked(&file, log, max_bytes, error));
  etr_budget_take(f->budget, ETR_BYTES, file.size);
  etr_slice bytes = etr_file_bytes(&file);
  etr_status status = etr_dump_is(bytes) || file.size == 0 ? read_dump(f, bytes, path, error)
                                                           : read_log(f, bytes, log, number, error);
  etr_file_clear(&file);
  return status;
}

etr_status etr_dump_files_read(etr_dump_files *files, const char *const *paths, size_t count,
                               etr_error *error) {
  for (size_t i = 0; i < count; i++)
    ETR_TRY(read_dumps_of_path(files, paths[i], error));
  return ETR_OK;
}
