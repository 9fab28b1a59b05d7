/* SPDX-License-Identifier: BSD-3-Clause
 *
 * client.c - the library from C: prints the ten nodes of a record that take longest in the typical
 * run.
 *
 *   cc client.c $(pkg-config --cflags --libs etrecord_tb) -o client && ./client RECORD_DIR
 */
#include <etrecord.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  etr_inputs inputs;
  etr_error error;
  etr_profile *profile = NULL;
  if (argc != 2) {
    fprintf(stderr, "usage: client RECORD_DIR\n");
    return 2;
  }
  if (etr_inputs_find(&inputs, argv[1], NULL, &error) ||
      etr_profile_open(&profile, &inputs, NULL, &error)) {
    fprintf(stderr, "%s: %s%s%s\n", error.file, error.entry, error.entry[0] ? ": " : "",
            error.message);
    etr_inputs_clear(&inputs);
    return 1;
  }
  const etr_graph *graph = profile->graph_count
                               ? &profile->graphs[0]
                               : NULL; /* the one with the most to say comes first */
  bool *printed = calloc(graph ? graph->node_count + 1 : 1, sizeof *printed);
  for (int row = 0; printed && graph && graph->times && row < 10; row++) {
    size_t best = graph->node_count;
    for (size_t i = 0; i < graph->node_count; i++)
      if (!printed[i] && graph->times[i].runs &&
          (best == graph->node_count || graph->times[i].typical > graph->times[best].typical))
        best = i;
    if (best == graph->node_count)
      break;
    printed[best] = true;
    printf("%12.3f us  %-14s  %s\n", etr_ticks_to_ns(profile, graph->times[best].typical) / 1e3,
           etr_match_name(graph->times[best].match), graph->nodes[best].name);
  }
  free(printed);
  etr_profile_close(profile);
  etr_inputs_clear(&inputs);
  return 0;
}
