/* SPDX-License-Identifier: BSD-3-Clause
 *
 * writer.c - has Parquet and Arrow files written by the Python package, which reads rows from a
 * pipe.
 */
#include "command/command.h"
#include "command/runner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Starts the package's writer, or says in one line what is missing. */
static const char start_writer[] = "import sys\n"
                                   "try:\n"
                                   "    from etrecord_tb.rows import main\n"
                                   "except ImportError as error:\n"
                                   "    sys.exit('etrecord-tb: --format parquet and arrow need "
                                   "Python with the package and pyarrow: "
                                   "pip install \"etrecord-tb[arrow]\" (%s)' % error)\n"
                                   "sys.exit(main(*sys.argv[1:]))\n";

static pid_t process; /* the writer; 0: none */

exit_status writer_start(const cli_settings *settings) {
  const char *python = getenv("ETRECORD_TB_PYTHON"), *name = settings->command->name;
  const char *format = settings->format == FORMAT_PARQUET ? "parquet" : "arrow",
             *path = settings->output;
  int ends[2];
  if (!writer_is_wanted(settings))
    return EXIT_DONE;
  if (!path && settings->format == FORMAT_PARQUET)
    return message_usage(name, "--format parquet needs the file to write: -o FILE.parquet");
  if (!path && isatty(STDOUT_FILENO))
    return message_usage(name, "--format arrow needs a file: -o FILE.arrow");
  if (pipe(ends) != 0)
    return message_failed("cannot make a pipe: %s", strerror(errno));
  const char *const arguments[] = {python && python[0] ? python : "python3",
                                   "-c",
                                   start_writer,
                                   format,
                                   path ? path : "-",
                                   NULL};
  FILE *input = fdopen(ends[0], "rb");
  int reason = input ? runner_start(&process,
                                    &(runner_program){.arguments = arguments,
                                                      .input = input,
                                                      .output = stdout,
                                                      .shows_errors = true},
                                    ends[1])
                     : errno;
  if (input)
    (void)fclose(input);
  if (reason)
    return message_failed(
        "cannot start %s: %s: install Python and `pip install \"etrecord-tb[arrow]\"`, or name a "
        "Python with ETRECORD_TB_PYTHON",
        arguments[0], strerror(reason));
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
