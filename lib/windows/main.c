/* SPDX-License-Identifier: BSD-3-Clause
 *
 * main.c - where the command starts: its arguments as UTF-8 and as they were given, without '*'
 * being taken for files; bytes as they are in its streams; UTF-8 and colors in the console.
 */
#include "etrecord.h"
#include "windows/handle.h"

int main(int argc, char **argv);
ETR_API int wmain(int argc, wchar_t **argv);

int _dowildcard = 0; /* what the start files go by */

static UINT code_page; /* of the console; 0: it stays */

static void restore_console(void) {
  (void)SetConsoleOutputCP(code_page);
}

/* Makes a console, if the descriptor is one, understand escape sequences and UTF-8, until the
 * process ends: its code page is restored then. */
static void prepare_console(int file) {
  DWORD mode;
  HANDLE handle = etr_win_handle(file);
  if (handle == INVALID_HANDLE_VALUE || !GetConsoleMode(handle, &mode))
    return;
  (void)SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
  if (code_page != 0)
    return;
  code_page = GetConsoleOutputCP();
  if (SetConsoleOutputCP(CP_UTF8))
    (void)atexit(restore_console);
}

/* Returns the arguments of the program in UTF-8, which takes at most three bytes for each unit of
 * UTF-16, in one block that lives as long as the process. An argument that cannot be converted is
 * empty. NULL when out of memory. */
static char **convert_arguments(int count, wchar_t **texts) {
  size_t room = 0;
  for (int i = 0; i < count; i++)
    room += wcslen(texts[i]) * 3 + 1;
  char **out = calloc(1, ((size_t)count + 1) * sizeof *out + room),
       *at = out != NULL ? (char *)(out + count + 1) : NULL;
  for (int i = 0; out != NULL && i < count; i++) {
    size_t most = wcslen(texts[i]) * 3 + 1;
    if (!etr_win_narrow(at, (int)most, texts[i]))
      *at = '\0';
    out[i] = at;
    at += most;
  }
  return out;
}

/* Calls main() with arguments in UTF-8. Standard streams are binary, so that line ends are not
 * changed, and consoles understand UTF-8. */
int wmain(int argc, wchar_t **argv) {
  char **arguments = convert_arguments(argc, argv);
  if (arguments == NULL)
    return 1;
  for (int file = 0; file < 3; file++)
    (void)_setmode(file, _O_BINARY);
  prepare_console(1);
  prepare_console(2);
  return main(argc, arguments);
}
