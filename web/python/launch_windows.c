/* SPDX-License-Identifier: BSD-3-Clause
 *
 * launch_windows.c - what launch.c does elsewhere: finds the library of the package from where this
 * program lies, and has it run the command. It formats no text by the printf family, of which
 * start files of MinGW link 100 KB.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

enum { UNUSABLE = 1, ROOM = 4096 };

typedef int (*main_function)(int, wchar_t **);
typedef const char *(*version_function)(void);

int wmain(int argc, wchar_t **argv);

int _dowildcard = 0; /* what the start files go by: '*' is the command's */

static bool cut_last_part(wchar_t *path) {
  wchar_t *slash = wcsrchr(path, L'\\');
  if (slash)
    *slash = 0;
  return slash != NULL;
}

/* The command in the library of the package below a folder; NULL where there is none, or that of
 * another version. */
static main_function command_below(const wchar_t *prefix, const wchar_t *below) {
  static const wchar_t inside[] = L"\\etrecord_tb\\lib\\" ETR_LIBRARY;
  wchar_t path[ROOM];
  if (wcslen(prefix) + wcslen(below) + wcslen(inside) >= ROOM)
    return NULL;
  wcscpy(path, prefix);
  wcscat(path, below);
  wcscat(path, inside);
  HMODULE library = LoadLibraryExW(path, NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
  if (!library)
    return NULL;
  version_function version = (version_function)(void (*)(void))GetProcAddress(library,
                                                                              "etr_version");
  if (!version || strcmp(version(), ETR_VERSION) != 0)
    return NULL;
  return (main_function)(void (*)(void))GetProcAddress(library, "etr_command_wmain");
}

/* pip's layouts: PREFIX\Scripts beside PREFIX\Lib; of `--user`, beside site-packages; of
 * `--target`, bin beside all. */
static main_function find_command(const wchar_t *prefix) {
  static const wchar_t *const packages[] = {L"\\Lib\\site-packages", L"\\site-packages", L""};
  main_function found = NULL;
  for (size_t i = 0; i < sizeof packages / sizeof *packages && !found; i++)
    found = command_below(prefix, packages[i]);
  return found;
}

int wmain(int argc, wchar_t **argv) {
  wchar_t path[ROOM];
  DWORD size = GetModuleFileNameW(NULL, path, ROOM);
  bool is_known = size > 0 && size < ROOM && cut_last_part(path) && cut_last_part(path);
  main_function command = is_known ? find_command(path) : NULL;
  if (command)
    return command(argc, argv);
  (void)fputs("etrecord-tb: there is no Python package etrecord_tb " ETR_VERSION " below '",
              stderr);
  (void)fputws(is_known ? path : L"", stderr);
  (void)fputs("', where pip put this program; install it anew: pip install --force-reinstall "
              "with its wheel or its sources\n",
              stderr);
  return UNUSABLE;
}
