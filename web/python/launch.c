/* SPDX-License-Identifier: BSD-3-Clause
 *
 * launch.c - the program that pip puts on the path. The command itself is part of the package's
 * library, which a wheel so holds once; this finds the library from where it lies itself, and has
 * it run the command.
 */
#if defined __APPLE__
#define _DARWIN_C_SOURCE
#include <mach-o/dyld.h>
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { UNUSABLE = 1 };

typedef int (*main_function)(int, char **);

/* Where this program lies, without links: pipx and the like put one on the path. */
static bool ask_system(char path[PATH_MAX]) {
#if defined __APPLE__
  char raw[PATH_MAX];
  uint32_t size = sizeof raw;
  return _NSGetExecutablePath(raw, &size) == 0 && realpath(raw, path);
#else
  return realpath("/proc/self/exe", path) != NULL;
#endif
}

static bool cut_last_part(char *path) {
  char *slash = strrchr(path, '/');
  if (slash)
    *slash = 0;
  return slash != NULL;
}

/* The command in the library of the package below a folder; NULL where there is none, or that of
 * another version. One that does not load ends the program with the reason. */
static main_function command_below(const char *prefix, const char *folder, const char *below) {
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, "%s/%s%s/etrecord_tb/lib/" ETR_LIBRARY, prefix, folder,
                        below);
  if (length < 0 || length >= (int)sizeof path || access(path, R_OK) != 0)
    return NULL;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "etrecord-tb: %s\n", dlerror());
    exit(UNUSABLE);
  }
  const char *(*version)(void) = (const char *(*)(void))dlsym(library, "etr_version");
  if (version && strcmp(version(), ETR_VERSION) == 0)
    return (main_function)dlsym(library, "etr_command_main");
  (void)dlclose(library);
  return NULL;
}

/* pip's layouts: PREFIX/lib/python3.N/site-packages, Debian's dist-packages, `--home`. */
static main_function command_of_python(const char *prefix, const char *folder) {
  static const char *const packages[] = {"/site-packages", "/dist-packages", ""};
  main_function found = NULL;
  for (size_t i = 0; i < sizeof packages / sizeof *packages && !found; i++)
    found = command_below(prefix, folder, packages[i]);
  return found;
}

static main_function command_in(const char *prefix, const char *library_folder) {
  char path[PATH_MAX];
  int length = snprintf(path, sizeof path, "%s/%s", prefix, library_folder);
  DIR *folder = length < 0 || length >= (int)sizeof path ? NULL : opendir(path);
  if (!folder)
    return NULL;
  main_function found = NULL;
  struct dirent *entry;
  while (!found && (entry = readdir(folder)) != NULL)
    if (strncmp(entry->d_name, "python", strlen("python")) == 0) {
      length = snprintf(path, sizeof path, "%s/%s", library_folder, entry->d_name);
      if (length > 0 && length < (int)sizeof path)
        found = command_of_python(prefix, path);
    }
  (void)closedir(folder);
  return found;
}

/* The command of the package that was installed with the program of this path, which is cut down to
 * pip's prefix. Last comes the layout of `pip install --target`. */
static main_function find_command(char *path) {
  if (!cut_last_part(path) || !cut_last_part(path))
    return NULL;
  main_function found = command_in(path, "lib");
  if (!found)
    found = command_in(path, "lib64");
  return found ? found : command_below(path, ".", "");
}

int main(int argc, char **argv) {
  char path[PATH_MAX] = "";
  main_function command = ask_system(path) ? find_command(path) : NULL;
  /* Without /proc, or started as an argument of the dynamic loader, the system knows no path, or
   * that of another. */
  if (!command && argc > 0 && strchr(argv[0], '/') && realpath(argv[0], path))
    command = find_command(path);
  if (command)
    return command(argc, argv);
  fprintf(stderr,
          "etrecord-tb: there is no Python package etrecord_tb " ETR_VERSION
          " below '%s', where pip put this program; "
          "install it anew: pip install --force-reinstall with its wheel or its sources\n",
          path);
  return UNUSABLE;
}
