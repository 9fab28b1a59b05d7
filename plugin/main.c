/* SPDX-License-Identifier: BSD-3-Clause
 *
 * main.c - the command etrecord-tb.
 */
#include "command.h"

#include <signal.h>

const cli_command commands[] = {
    {"write", COMMAND_WRITE, "RECORD", "write TensorBoard run folders and DOT files (the default)",
     "Writes LOGDIR/NAME/K_MODULE/METHOD/events.out.tfevents... and LOGDIR/NAME/dot/MODULE/METHOD.dot for\n"
     "every entry point of the record, and prints what it wrote. Writing the same record twice replaces\n"
     "the files of the first time.",
     command_write},
    {"info", COMMAND_INFO, "RECORD", "what is in the record: graphs, methods, delegates, runs, what is missing",
     "Prints what is in the inputs: entry points with dialect and node counts, methods with their\n"
     "delegates, runs with the method each was found to be of, and what is missing or unknown.",
     command_info},
    {"nodes", COMMAND_NODES, "RECORD", "the graphs' nodes, with the times joined to them",
     "Prints the nodes of the graphs with the times joined to them: the text table has the nodes of timed\n"
     "graphs by time; JSON has every node of every graph.",
     command_nodes},
    {"events", COMMAND_EVENTS, "RECORD", "the event table, as ExecuTorch's Inspector has it, joined to nodes",
     "Prints the events of the ETDump in blocks of runs with the same events, as ExecuTorch's Inspector\n"
     "groups them, with the node each event's time was attributed to and how it was matched.",
     command_events},
    {"summary", COMMAND_SUMMARY, "RECORD", "where the time goes: per method, operator, module, backend, source line",
     "Prints where each method's time goes: on graph nodes, in delegates only, in the framework,\n"
     "unexplained; these add up to Method::execute. Then the share of each operator type, module,\n"
     "backend and source line.",
     command_summary},
    {"delegation", COMMAND_DELEGATION, "RECORD", "what is delegated, per operator type, with times",
     "Prints how many nodes of each operator type are delegated and how many are not, as ExecuTorch's\n"
     "print_delegation_info counts them, from the saved record alone, with their times.",
     command_delegation},
    {NULL, 0, NULL, NULL, NULL, NULL},
};

int main(int argc, char **argv) {
  cli_settings settings;
  const cli_command *chosen;
  signal(SIGPIPE, SIG_IGN); /* a closed pipe shows as an error of write */
  exit_status status = option_parse(&settings, &chosen, argc, argv);
  if (status != EXIT_DONE) return status;
  if (settings.version) {
    printf("etrecord-tb %s\n", etr_version());
    return message_written(ETR_OK, NULL);
  }
  if (settings.help) {
    option_print_help(stdout, chosen);
    return message_written(ETR_OK, NULL);
  }
  return chosen->run(&settings);
}
