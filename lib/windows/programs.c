/* SPDX-License-Identifier: BSD-3-Clause
 *
 * programs.c - starting a program, waiting for it and ending it. Each is in a job, which ends what
 * the program has started in turn, and all of it with this process.
 */
#include "windows/handle.h"

enum { MOST_PROGRAMS = 8, MOST_COMMAND = 32767, A_MOMENT = 10 /* ms */ };

char **etr_win_environ;

static SRWLOCK guard = SRWLOCK_INIT;
static struct program {
  pid_t id; /* 0: none */
  HANDLE process, job;
  bool was_killed;
} programs[MOST_PROGRAMS];

/* Returns the entry of a program that this process has started; NULL if it is not known. An id of 0
 * finds a free entry. Call it with the guard held. */
static struct program *find_started(pid_t id) {
  for (size_t i = 0; i < MOST_PROGRAMS; i++)
    if (programs[i].id == id)
      return &programs[i];
  return NULL;
}

/* ---- What it gets ---- */

/* Starts with the program's standard streams being those of this process (-1 each). Returns 0. */
int posix_spawn_file_actions_init(posix_spawn_file_actions_t *files) {
  *files = (posix_spawn_file_actions_t){{-1, -1, -1}, false};
  return 0;
}

/* Gives the program this process's descriptor `from` as its standard stream `to`. Returns 0. */
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *files, int from, int to) {
  files->files[to] = from;
  return 0;
}

/* Opens the file for a stream of the program at once, not when the program starts. Callers do that
 * only for its standard input (0). If it cannot be opened (-1), the program gets the stream of this
 * process. Returns 0. */
int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *files, int to, const char *path,
                                     int flags, int mode) {
  files->files[to] = open(path, flags, mode);
  files->opens_input = true;
  return 0;
}

/* Closes the file that posix_spawn_file_actions_addopen() opened for standard input. Returns 0. */
int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *files) {
  if (files->opens_input && files->files[0] >= 0)
    (void)close(files->files[0]);
  return 0;
}

/* Returns a copy of a descriptor's handle that started programs inherit; NULL on failure. */
static HANDLE inheritable_copy(int file) {
  HANDLE copy = NULL, process = GetCurrentProcess(), handle = etr_win_handle(file);
  if (handle == INVALID_HANDLE_VALUE)
    return NULL;
  return DuplicateHandle(process, handle, process, &copy, 0, TRUE, DUPLICATE_SAME_ACCESS) ? copy
                                                                                          : NULL;
}

/* ---- The command line, as the C library of the program takes it apart ---- */

typedef struct command_line {
  wchar_t text[MOST_COMMAND];
  size_t size;
} command_line;

static void put_characters(command_line *line, wchar_t character, size_t times) {
  for (; times > 0 && line->size < MOST_COMMAND - 1; times--)
    line->text[line->size++] = character;
}

/* Appends an argument to a command line, in quotes as the C library of the program expects them:
 * quotes in it, and the backslashes just before a quote, get a backslash each. Returns false, with
 * errno in some cases, if it is not UTF-8 or too long. */
static bool add_argument(command_line *line, const char *argument) {
  wchar_t text[MOST_COMMAND / 4];
  size_t slashes = 0;
  if (!etr_win_wide(text, MOST_COMMAND / 4, argument))
    return false;
  if (line->size > 0)
    put_characters(line, L' ', 1);
  put_characters(line, L'"', 1);
  for (const wchar_t *at = text; *at != L'\0'; at++) {
    slashes = *at == L'\\' ? slashes + 1 : 0;
    if (*at != L'"') {
      put_characters(line, *at, 1);
      continue;
    }
    const wchar_t *before = at;
    while (before > text && before[-1] == L'\\')
      before--;
    put_characters(line, L'\\', (size_t)(at - before) + 1);
    put_characters(line, L'"', 1);
  }
  put_characters(line, L'\\', slashes);
  put_characters(line, L'"', 1);
  return line->size < MOST_COMMAND - 1;
}

/* Joins arguments into one command line, as CreateProcess() wants it. The caller frees it. NULL,
 * with errno, on failure. */
static command_line *make_command_line(char *const *arguments) {
  command_line *line = calloc(1, sizeof *line);
  bool fits = line != NULL;
  errno = ENOMEM;
  for (size_t i = 0; fits && arguments[i] != NULL; i++) {
    fits = add_argument(line, arguments[i]);
    if (!fits)
      errno = E2BIG;
  }
  if (fits)
    return line;
  free(line);
  return NULL;
}

/* Removes the folders that are not absolute from a list like PATH, in place: they would be searched
 * in the working directory, where anybody may have put a program. */
static void remove_relative_folders(wchar_t *folders) {
  wchar_t *to = folders;
  for (const wchar_t *at = folders; *at != L'\0';) {
    size_t length = wcscspn(at, L";");
    bool has_drive = length > 2 && at[1] == L':' && (at[2] == L'\\' || at[2] == L'/');
    bool is_share = length > 2 && at[0] == L'\\' && at[1] == L'\\';
    size_t kept = length + (at[length] == L';');
    if (has_drive || is_share) {
      wmemmove(to, at, kept);
      to += kept;
    }
    at += kept;
  }
  *to = L'\0';
}

/* Writes the whole path of a program to `out`: of the one at this path, or of the first with this
 * name in PATH. CreateProcess() would look into the working directory first, where anybody may have
 * put a program of that name. Returns false, with errno, if there is none. */
static bool find_program(wchar_t out[ETR_WIN_ROOM], const char *name) {
  wchar_t wide[ETR_WIN_ROOM];
  bool is_path = strpbrk(name, "/\\:") != NULL;
  if (!etr_win_wide(wide, ETR_WIN_ROOM, name))
    return false;
  wchar_t *folders = is_path ? NULL : calloc(MOST_COMMAND, sizeof *folders);
  errno = ENOENT;
  if (!is_path &&
      (folders == NULL || GetEnvironmentVariableW(L"PATH", folders, MOST_COMMAND) == 0)) {
    free(folders);
    return false;
  }
  if (!is_path)
    remove_relative_folders(folders);
  DWORD size = SearchPathW(is_path ? L"." : folders, wide, L".exe", ETR_WIN_ROOM, out, NULL);
  free(folders);
  return size > 0 && size < ETR_WIN_ROOM;
}

/* ---- Starting ---- */

static void set_limits(HANDLE job, DWORD flags) {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.BasicLimitInformation = {.LimitFlags = flags}};
  (void)SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
}

/* Returns a new job whose programs end when its last handle is closed, as when this process
 * ends; NULL on failure. */
static HANDLE make_job(void) {
  HANDLE job = CreateJobObjectW(NULL, NULL);
  if (job != NULL)
    set_limits(job, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE);
  return job;
}

/* Adds a program to those that waitpid() and kill() know. Returns false if there are too many. */
static bool add_started(const PROCESS_INFORMATION *made, HANDLE job) {
  AcquireSRWLockExclusive(&guard);
  struct program *free_one = find_started(0);
  if (free_one != NULL)
    *free_one = (struct program){(pid_t)made->dwProcessId, made->hProcess, job, false};
  ReleaseSRWLockExclusive(&guard);
  return free_one != NULL;
}

/* Starts a program with these standard streams, in a job, so that it and what it starts can be
 * ended together. It is suspended until it is in the job. Sets *out to its id. Returns 0, or an
 * errno: ENOEXEC stands for errors that POSIX has no name for, and EAGAIN for too many programs. */
static int start_program(pid_t *out, const wchar_t *program, command_line *line,
                         const HANDLE streams[3]) {
  STARTUPINFOW how = {.cb = sizeof how,
                      .dwFlags = STARTF_USESTDHANDLES,
                      .hStdInput = streams[0],
                      .hStdOutput = streams[1],
                      .hStdError = streams[2]};
  PROCESS_INFORMATION made;
  if (!CreateProcessW(program, line->text, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL, &how,
                      &made)) {
    (void)etr_win_fail_last();
    return errno == EIO ? ENOEXEC : errno;
  }
  HANDLE job = make_job();
  if (job != NULL)
    (void)AssignProcessToJobObject(job, made.hProcess);
  bool is_kept = add_started(&made, job);
  if (is_kept)
    (void)ResumeThread(made.hThread);
  else
    (void)TerminateProcess(made.hProcess, 1);
  (void)CloseHandle(made.hThread);
  *out = (pid_t)made.dwProcessId;
  return is_kept ? 0 : EAGAIN;
}

/* Starts a program with its standard streams, as POSIX's function does. Returns 0, or an
 * errno; attributes and environment are not used. */
int posix_spawnp(pid_t *out, const char *name, const posix_spawn_file_actions_t *files,
                 const posix_spawnattr_t *with, char *const *arguments, char **environment) {
  wchar_t program[ETR_WIN_ROOM];
  HANDLE streams[3];
  (void)with;
  (void)environment;
  command_line *line = find_program(program, name) ? make_command_line(arguments) : NULL;
  if (line == NULL)
    return errno;
  for (int i = 0; i < 3; i++)
    streams[i] = inheritable_copy(files->files[i] >= 0 ? files->files[i] : i);
  int reason = start_program(out, program, line, streams);
  for (int i = 0; i < 3; i++)
    if (streams[i] != NULL)
      (void)CloseHandle(streams[i]);
  free(line);
  return reason;
}

/* ---- Its end ---- */

/* Returns the status that waitpid() gives for an exit status of Windows, where faults of the
 * processor are exit statuses. */
static int status_of(DWORD exit_status, bool was_killed) {
  enum { SEGMENTATION = 11, ABORTED = 6 };
  if (was_killed)
    return SIGKILL;
  if (exit_status == EXCEPTION_ACCESS_VIOLATION)
    return SEGMENTATION;
  return exit_status >= 0xC0000000 ? ABORTED : (int)(exit_status & 0xFFFF) << 8;
}

/* Waits until a started program has ended, sets its status and forgets it, as POSIX's function
 * does. Returns its id; 0 if it still runs and WNOHANG is given; -1, with errno, if it is not
 * known. */
pid_t waitpid(pid_t id, int *status, int flags) {
  DWORD exit_status = 0;
  AcquireSRWLockShared(&guard);
  struct program *program = find_started(id);
  ReleaseSRWLockShared(&guard);
  errno = ECHILD;
  if (id == 0 || program == NULL)
    return -1;
  if (WaitForSingleObject(program->process, flags & WNOHANG ? 0 : INFINITE) == WAIT_TIMEOUT)
    return 0;
  (void)GetExitCodeProcess(program->process, &exit_status);
  *status = status_of(exit_status, program->was_killed);
  AcquireSRWLockExclusive(&guard);
  (void)CloseHandle(program->process);
  if (program->job != NULL) {
    set_limits(program->job, 0); /* what it has started and left stays, such as adb's server */
    (void)CloseHandle(program->job);
  }
  *program = (struct program){0};
  ReleaseSRWLockExclusive(&guard);
  return id;
}

/* Ends a started program and all that it has started (its job), whatever the signal. Does nothing
 * if the program is not known. Returns 0. */
int kill(pid_t id, int number) {
  (void)number;
  AcquireSRWLockExclusive(&guard);
  struct program *program = find_started(id < 0 ? -id : id);
  if (program != NULL) {
    program->was_killed = true;
    if (program->job == NULL || !TerminateJobObject(program->job, 1))
      (void)TerminateProcess(program->process, 1);
  }
  ReleaseSRWLockExclusive(&guard);
  return 0;
}

/* ---- Pipes ---- */

int pipe(int ends[2]) {
  return _pipe(ends, 1 << 16, _O_BINARY | _O_NOINHERIT);
}

/* Returns true if the other end of a pipe is closed: then it can be neither read (`reads`) nor
 * written. */
static bool is_pipe_broken(HANDLE handle, bool reads) {
  DWORD none = 0;
  bool good = reads ? PeekNamedPipe(handle, NULL, 0, NULL, NULL, NULL)
                    : WriteFile(handle, "", 0, &none, NULL);
  return !good;
}

/* Waits, at most for the given time, until a pipe can be read or its other end is closed, which
 * counts as something to read: the end. Asks again every A_MOMENT, because Windows cannot wait for
 * a pipe. Returns 1 if so, and 0 if not in time or for anything but a single pipe. */
int poll(struct pollfd *files, unsigned count, int milliseconds) {
  HANDLE handle = etr_win_handle(files->fd);
  bool reads = files->events & POLLIN;
  files->revents = 0;
  if (count != 1 || GetFileType(handle) != FILE_TYPE_PIPE)
    return 0;
  for (int left = milliseconds;; left -= A_MOMENT) {
    DWORD waiting = 0;
    bool is_ready = reads && PeekNamedPipe(handle, NULL, 0, NULL, &waiting, NULL) && waiting > 0;
    if (is_ready)
      files->revents = POLLIN;
    if (!is_ready && is_pipe_broken(handle, reads))
      files->revents = reads ? POLLIN : POLLERR;
    if (files->revents != 0)
      return 1;
    if (left <= 0)
      return 0;
    Sleep(A_MOMENT);
  }
}
