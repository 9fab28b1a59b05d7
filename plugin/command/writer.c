/* SPDX-License-Identifier: BSD-3-Clause
 *
 * writer.c - has Parquet and Arrow files written by the Python package, which reads rows from a
 * pipe.
 */
#include "command/command.h"
#include "command/output_file.h"
#include "command/python.h"
#include "command/runner.h"
#include "command/sandbox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t process; /* the writer; 0: none */

/* Starts the writer with the reading end of a pipe as its input, and `output` as its output. It
 * does not get the writing end, so that its input ends when this process closes it. Returns 0 or an
 * errno. */
static int start_writer(const python_start *python, const cli_settings *settings,
                        const int pipe_ends[2], FILE *output) {
  const char *arguments[PYTHON_ARGUMENTS + 4];
  size_t count = PYTHON_ARGUMENTS;
  memcpy(arguments, python->arguments, sizeof python->arguments);
  arguments[count++] = settings->format == FORMAT_PARQUET ? "parquet" : "arrow";
  arguments[count++] = output_is_file() ? "file" : "stream";
  arguments[count++] = settings->output ? settings->output : "-"; /* for its messages */
  arguments[count] = NULL;
  FILE *input = fdopen(pipe_ends[0], "rb");
  if (!input)
    return errno;
  int reason = runner_start(
      &process,
      &(runner_program){
          .arguments = arguments, .input = input, .output = output, .shows_errors = true},
      pipe_ends[1]);
  (void)fclose(input);
  return reason;
}

exit_status writer_start(const cli_settings *settings) {
  const char *name = settings->command->name;
  python_start python;
  int ends[2];
  if (!writer_is_wanted(settings))
    return EXIT_DONE;
  if (!settings->output && settings->format == FORMAT_PARQUET)
    return message_usage(name, "--format parquet needs the file to write: -o FILE.parquet");
  if (!settings->output && isatty(STDOUT_FILENO))
    return message_usage(name, "--format arrow needs a file: -o FILE.arrow");
  python_prepare(&python, "rows", "--format parquet and arrow need", "arrow");
  exit_status status = sandbox_enter_with_writer();
  if (status != EXIT_DONE)
    return status;
  if (pipe(ends) != 0)
    return message_failed("cannot make a pipe: %s", strerror(errno));
  output_share();
  FILE *output = output_descriptor() >= 0 ? fdopen(output_descriptor(), "wb") : stdout;
  int reason = output ? start_writer(&python, settings, ends, output) : errno;
  if (reason)
    return message_failed("cannot start %s: %s: install Python and `pip install "
                          "\".[arrow]\"` in the sources of etrecord-tb, or name a Python with "
                          "ETRECORD_TB_PYTHON",
                          python.interpreter, strerror(reason));
  (void)dup2(ends[1], STDOUT_FILENO);
  (void)close(ends[1]);
  return EXIT_DONE;
}

exit_status writer_finish(exit_status status) {
  int ended = 0;
  if (!process)
    return status;
  (void)fflush(stdout);
  (void)close(STDOUT_FILENO);
  while (waitpid(process, &ended, 0) < 0 && errno == EINTR)
    continue;
  bool is_done = WIFEXITED(ended) && WEXITSTATUS(ended) == 0; /* otherwise it has said why */
  return is_done || status == EXIT_USAGE ? status : EXIT_BAD_INPUT;
}
