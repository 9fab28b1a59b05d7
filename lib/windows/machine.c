/* SPDX-License-Identifier: BSD-3-Clause
 *
 * machine.c - the machine, the terminal and the environment.
 */
#include "windows/handle.h"

#include <stdatomic.h>

BOOLEAN NTAPI SystemFunction036(void *to, ULONG size); /* RtlGenRandom() */

/* Fills memory with random bytes that nobody can guess. Returns 0; -1, with errno, on failure. */
int getentropy(void *to, size_t size) {
  if (SystemFunction036(to, (ULONG)size))
    return 0;
  errno = EIO;
  return -1;
}

unsigned geteuid(void) {
  return 0;
}

/* Fills *out with the name of the system and of the processor's architecture, as Linux calls it.
 * Returns 0. */
int uname(struct utsname *out) {
  SYSTEM_INFO about;
  GetNativeSystemInfo(&about);
  const char *machine = about.wProcessorArchitecture == PROCESSOR_ARCHITECTURE_ARM64 ? "aarch64"
                                                                                     : "x86_64";
  (void)snprintf(out->sysname, sizeof out->sysname, "Windows");
  (void)snprintf(out->machine, sizeof out->machine, "%s", machine);
  return 0;
}

/* Writes the host name of this machine to `room`, as POSIX's function does. Returns 0; -1, with
 * errno, on failure. */
int gethostname(char *room, size_t size) {
  wchar_t name[256];
  DWORD most = sizeof name / sizeof name[0];
  if (!GetComputerNameExW(ComputerNameDnsHostname, name, &most))
    return etr_win_fail_last();
  return etr_win_narrow(room, (int)size, name) ? 0 : -1;
}

/* ---- The terminal ---- */

/* Returns 1 for a console, else 0. */
int isatty(int file) {
  DWORD mode;
  HANDLE handle = etr_win_handle(file);
  return handle != INVALID_HANDLE_VALUE && GetConsoleMode(handle, &mode);
}

/* Fills *out with the size of the console's window in characters, for TIOCGWINSZ only, which is all
 * that callers ask for. Returns 0; -1 if the file is no console. */
int ioctl(int file, int request, struct winsize *out) {
  CONSOLE_SCREEN_BUFFER_INFO about;
  HANDLE handle = etr_win_handle(file);
  if (request != TIOCGWINSZ || handle == INVALID_HANDLE_VALUE)
    return -1;
  if (!GetConsoleScreenBufferInfo(handle, &about))
    return etr_win_fail_last();
  *out = (struct winsize){
      .ws_row = (unsigned short)(about.srWindow.Bottom - about.srWindow.Top + 1),
      .ws_col = (unsigned short)(about.srWindow.Right - about.srWindow.Left + 1)};
  return 0;
}

/* ---- The environment ---- */

/* Returns the value of a variable of the environment in UTF-8; NULL if it has none, or when out of
 * memory. It is never freed, because the command asks for few. */
static char *value_of_variable(const char *name) {
  wchar_t wide[64];
  const wchar_t *value = etr_win_wide(wide, sizeof wide / sizeof wide[0], name) ? _wgetenv(wide)
                                                                                : NULL;
  size_t room = value != NULL ? wcslen(value) * 3 + 1 : 0;
  char *text = room > 0 ? malloc(room) : NULL;
  if (text != NULL && etr_win_narrow(text, (int)room, value))
    return text;
  free(text);
  return NULL;
}

char *getenv(const char *name) {
  char *value = value_of_variable(name);
  return value == NULL && strcmp(name, "HOME") == 0 ? value_of_variable("USERPROFILE") : value;
}
