/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_layout.c - plugin/command/layout.c with programs named `dot` that behave in all ways in
 * which Graphviz may.
 */
#include "base/base.h"
#include "command/layout.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct layout_case {
  const char *title;
  const char *script; /* script that acts as `dot`; NULL: not installed */
  layout_patience patience;
  bool sink_refuses, emit_fails;
  etr_status status;
  const char *want; /* the picture, or part of the message */
} layout_case;

static etr_status emit(void *context, const etr_sink *sink, etr_error *error) {
  const layout_case *c = context;
  (void)error;
  if (c->emit_fails)
    return ETR_ERROR_FORMAT;
  return sink->write(sink->context, "digraph", 7) ? ETR_OK : ETR_ERROR_IO;
}

static bool append(void *context, const void *data, size_t size) {
  return strncat(context, data, size) != NULL;
}

static bool refuse(void *context, const void *data, size_t size) {
  (void)context;
  (void)data;
  (void)size;
  return false;
}

static void make_dot(const char *folder, const char *script) {
  char path[128];
  snprintf(path, sizeof path, "%s/dot", folder);
  unlink(path);
  if (!script)
    return;
  FILE *file = fopen(path, "w");
  fprintf(file, "#!/bin/sh\nPATH=/usr/bin:/bin\n%s\n", script);
  fclose(file);
  cr_assert_eq(chmod(path, 0755), 0);
}

static const layout_case cases[] = {
    {"a picture", "echo \"$1\"; cat", {10, 300}, false, false, ETR_OK, "-Tsvg\ndigraph"},
    {"a picture with warnings",
     "echo one >&2; echo two >&2; cat",
     {10, 300},
     false,
     false,
     ETR_OK,
     "digraph"},
    {"more said than is kept",
     "i=0; while [ $i -lt 99 ]; do i=$((i + 1)); echo a warning of some length >&2; done; cat",
     {10, 300},
     false,
     false,
     ETR_OK,
     "digraph"},
    {"it never ends",
     "exec sleep 1000",
     {0, 0},
     false,
     false,
     ETR_ERROR_CHOICE,
     "within 0 s: draw less"},
    {"it never ends, and has said something",
     "echo wait >&2; exec sleep 1000",
     {0, 0},
     false,
     false,
     ETR_ERROR_CHOICE,
     "within 0 s: draw less"},
    {"it fails, and says why",
     "echo; echo no memory >&2; exit 3",
     {10, 300},
     false,
     false,
     ETR_ERROR_CHOICE,
     "failed (exit status 3): no memory"},
    {"it fails silently",
     "exit 4",
     {10, 300},
     false,
     false,
     ETR_ERROR_CHOICE,
     "failed (exit status 4)"},
    {"it draws nothing",
     "cat >/dev/null",
     {10, 300},
     false,
     false,
     ETR_ERROR_CHOICE,
     "failed (exit status 0)"},
    {"it crashes",
     "kill -KILL $$",
     {10, 300},
     false,
     false,
     ETR_ERROR_CHOICE,
     "killed by signal 9"},
    {"it is not installed", NULL, {10, 300}, false, false, ETR_ERROR_CHOICE, "install graphviz"},
    {"the output is full", "cat", {10, 300}, true, false, ETR_ERROR_IO, "cannot write the output"},
    {"there is nothing to draw", "cat", {10, 300}, false, true, ETR_ERROR_FORMAT, ""},
};

Test(layout, any_result_of_dot_is_reported) {
  char folder[] = "/tmp/etr_layout_XXXXXX";
  cr_assert_not_null(mkdtemp(folder));
  cr_assert_eq(setenv("PATH", folder, 1), 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const layout_case *c = &cases[i];
    char picture[256] = "";
    etr_error error = {.offset = ETR_NO_OFFSET};
    make_dot(folder, c->script);
    etr_status status = layout_write("svg", c->patience, emit, etr_for_foreign(c),
                                     &(etr_sink){c->sink_refuses ? refuse : append, picture},
                                     &error);
    cr_expect_eq(status, c->status, "%s: %d, %s", c->title, (int)status, error.message);
    cr_expect(strstr(status == ETR_OK ? picture : error.message, c->want), "%s: \"%s\", \"%s\"",
              c->title, picture, error.message);
    cr_expect(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "%s: dot still runs", c->title);
  }
  make_dot(folder, NULL);
  rmdir(folder);
}
