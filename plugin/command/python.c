/* SPDX-License-Identifier: BSD-3-Clause
 *
 * python.c - the interpreter, the folder of the package, and the first lines that Python runs.
 */
#define _GNU_SOURCE /* dladdr() */
#include "command/python.h"
#include "command/runner.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined __APPLE__
#include <mach-o/dyld.h>
#endif
#if !defined _WIN32
#include <dlfcn.h>
#endif

/* Imports the package from its own folder, and nothing else from there: the other modules in it may
 * be those of another version of Python. Packages of the user are searched last, as the isolated
 * mode leaves them out. The gaps are for the module, for what needs it, and for the extra. */
static const char script[] =
    "import importlib.machinery, importlib.util, os, site, sys\n"
    "own = sys.argv.pop(1)\n"
    "user = site.getusersitepackages() if sys.prefix == sys.base_prefix else ''\n"
    "try:\n"
    "    spec = importlib.machinery.PathFinder.find_spec('etrecord_tb', [own]) if own else None\n"
    "    if spec:\n"
    "        sys.modules['etrecord_tb'] = importlib.util.module_from_spec(spec)\n"
    "        spec.loader.exec_module(sys.modules['etrecord_tb'])\n"
    "    sys.path += [own] if own and own not in sys.path else []\n"
    "    if os.path.isabs(user) and 'PYTHONNOUSERSITE' not in os.environ:\n"
    "        site.addsitedir(user)\n"
    "    from etrecord_tb.%s import main\n"
    "except ImportError as error:\n"
    "    sys.exit('etrecord-tb: %s Python with the package and its extra: pip install "
    "\".[%s]\" in its sources, or name a Python that has them with ETRECORD_TB_PYTHON "
    "(%%s: %%s)' %% (sys.executable, error))\n"
    "sys.exit(main(sys.argv[1:]))\n";

#if defined _WIN32
/* Leaves the interpreter to PATH: where this program is says nothing on Windows. */
static void find_own_python(python_start *out) {
  (void)out;
}
#else
/* Cuts the last part of a path off, in place, with the slash before it. Returns false if it has no
 * slash. */
static bool cut_last_part(char *path) {
  char *slash = strrchr(path, '/');
  if (slash != NULL)
    *slash = '\0';
  return slash != NULL;
}

/* Fills the path of a program in a folder. Returns false if there is none. */
static bool take_program(char out[PATH_MAX], const char *folder, const char *name) {
  int size = snprintf(out, PATH_MAX, "%s/%s", folder, name);
  return size > 0 && size < PATH_MAX && access(out, X_OK) == 0;
}

/* Returns true if there is a file of this name in a folder. */
static bool has_file(const char *folder, const char *name) {
  char path[PATH_MAX];
  int size = snprintf(path, sizeof path, "%s/%s", folder, name);
  return size > 0 && (size_t)size < sizeof path && access(path, F_OK) == 0;
}

/* Sets the path of this program, with links resolved. Returns false if it cannot be found. */
static bool find_program_path(char path[PATH_MAX]) {
#if defined __APPLE__
  char raw[PATH_MAX];
  uint32_t size = sizeof raw;
  return _NSGetExecutablePath(raw, &size) == 0 && realpath(raw, path) != NULL;
#else
  return realpath("/proc/self/exe", path) != NULL;
#endif
}

/* Sets out->packages, a folder such as site-packages, if this code is in the package's library,
 * PACKAGES/etrecord_tb/lib/FILE. Returns false if it is not. */
static bool find_packages(python_start *out) {
  static const char library_folder[] = "/etrecord_tb/lib";
  char path[PATH_MAX];
  Dl_info about;
  if (dladdr((const void *)(uintptr_t)&python_prepare, &about) == 0 || about.dli_fname == NULL ||
      realpath(about.dli_fname, path) == NULL || !cut_last_part(path))
    return false;
  size_t size = strlen(path), end_size = sizeof library_folder - 1;
  if (size <= end_size || strcmp(path + size - end_size, library_folder) != 0)
    return false;
  (void)snprintf(out->packages, sizeof out->packages, "%.*s", (int)(size - end_size), path);
  return true;
}

/* Finds the interpreter to which a folder of packages belongs: PREFIX/bin/python3.11 for
 * PREFIX/lib/python3.11/... Returns false if there is none. */
static bool find_packages_interpreter(char out[PATH_MAX], const char *packages) {
  char prefix[PATH_MAX], name[PATH_MAX], folder[PATH_MAX];
  (void)snprintf(prefix, sizeof prefix, "%s", packages);
  if (!cut_last_part(prefix))
    return false;
  const char *version = strrchr(prefix, '/');
  if (version == NULL || strncmp(version, "/python", strlen("/python")) != 0)
    return false;
  (void)snprintf(name, sizeof name, "%s", version + 1);
  if (!cut_last_part(prefix) || !cut_last_part(prefix))
    return false;
  int size = snprintf(folder, sizeof folder, "%s/bin", prefix);
  return size > 0 && (size_t)size < sizeof folder && take_program(out, folder, name);
}

/* Finds the interpreter beside this program, if both are in a virtual or a conda environment.
 * Returns false if they are not. */
static bool find_interpreter_beside(char out[PATH_MAX]) {
  char folder[PATH_MAX], prefix[PATH_MAX];
  if (!find_program_path(folder) || !cut_last_part(folder))
    return false;
  (void)snprintf(prefix, sizeof prefix, "%s", folder);
  if (!cut_last_part(prefix))
    return false;
  bool is_environment = has_file(prefix, "pyvenv.cfg") || has_file(prefix, "conda-meta");
  return is_environment && take_program(out, folder, "python3");
}

/* Finds the package and the interpreter that belong to this program: those of the package that
 * contains it, or the interpreter of the environment beside it, or else python3 of PATH. */
static void find_own_python(python_start *out) {
  bool is_found = find_packages(out) && find_packages_interpreter(out->interpreter, out->packages);
  if (!is_found && !find_interpreter_beside(out->interpreter))
    (void)snprintf(out->interpreter, sizeof out->interpreter, "python3");
}
#endif

void python_prepare(python_start *out, const char *module, const char *what, const char *extra) {
  const char *given = getenv("ETRECORD_TB_PYTHON");
  *out = (python_start){.interpreter = "python3"};
  find_own_python(out);
  if (given != NULL && given[0] != '\0')
    (void)snprintf(out->interpreter, sizeof out->interpreter, "%s", given);
  (void)snprintf(out->script, sizeof out->script, script, module, what, extra);
  const char *const first[PYTHON_ARGUMENTS] = {out->interpreter, "-I", "-c", out->script,
                                               out->packages};
  memcpy(out->arguments, first, sizeof first);
}

void python_add_option(const char **arguments, size_t *count, const char *name, const char *value) {
  if (!value)
    return;
  arguments[(*count)++] = name;
  arguments[(*count)++] = value;
}

enum { A_YEAR = 366 * 24 * 3600 }; /* in seconds: a model may take as long as it needs */

exit_status python_run(const char *const *arguments, const char *extra, FILE *output) {
  runner_outcome outcome;
  runner_run(&outcome, &(runner_program){.arguments = arguments,
                                         .seconds = A_YEAR,
                                         .output = output,
                                         .shows_errors = true});
  exit_status result = EXIT_DONE;
  if (outcome.start_error)
    result = message_failed(
        "cannot start %s: %s: install Python and `pip install \".[%s]\"` in the "
        "sources of etrecord-tb, or name a Python with ETRECORD_TB_PYTHON",
        arguments[0], strerror(outcome.start_error), extra);
  else if (!runner_succeeded(&outcome))
    result = EXIT_BAD_INPUT; /* it has said why, unless a signal ended it */
  if (outcome.signal_number > 0)
    result = message_failed("%s was killed by signal %d%s", arguments[0], outcome.signal_number,
                            outcome.signal_number == SIGKILL
                                ? ": perhaps there is too little memory for the model"
                                : "");
  runner_clear(&outcome);
  return result;
}
