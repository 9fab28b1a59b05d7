/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What lib/formats/json.h takes for the reading that limit.cpp does with simdjson: read_json
 * walk|pick FILE... prints CPU seconds, best of several.
 */
#include "base/file.h"
#include "formats/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t seen; /* of what is read, so that reading it cannot be left out */

static void walk(etr_json *json) {
  etr_slice key;
  switch (etr_json_peek(json)) {
  case ETR_JSON_ARRAY:
    for (etr_json_array(json); etr_json_element(json);)
      walk(json);
    break;
  case ETR_JSON_OBJECT:
    for (etr_json_object(json); etr_json_key(json, &key); walk(json))
      seen += key.size;
    break;
  case ETR_JSON_STRING:
    seen += etr_json_string(json).size;
    break;
  default:
    etr_json_skip(json);
    seen++;
  }
}

static void read_text(etr_json *json) {
  if (etr_json_peek(json) == ETR_JSON_STRING)
    seen += etr_json_string(json).size;
  else
    etr_json_skip(json);
}

static void pick_texts(etr_json *json) {
  etr_slice key;
  for (etr_json_object(json); etr_json_key(json, &key);) {
    bool wanted = etr_slice_is(key, "stack_trace") || etr_slice_is(key, "nn_module_stack") ||
                  etr_slice_is(key, "debug_handle") || etr_slice_is(key, "from_node");
    (wanted ? read_text : etr_json_skip)(json);
  }
}

static void pick_node(etr_json *json) {
  etr_slice key;
  for (etr_json_object(json); etr_json_key(json, &key);) {
    bool text = etr_slice_is(key, "name") || etr_slice_is(key, "target"),
         all = etr_slice_is(key, "inputs") || etr_slice_is(key, "outputs");
    (text                            ? read_text
     : all                           ? walk
     : etr_slice_is(key, "metadata") ? pick_texts
                                     : etr_json_skip)(json);
  }
}

static void pick_values(etr_json *json) {
  etr_slice key;
  for (etr_json_object(json); etr_json_key(json, &key);) {
    seen += key.size;
    for (etr_json_object(json); etr_json_key(json, &key);)
      (etr_slice_is(key, "dtype") || etr_slice_is(key, "sizes") ? walk : etr_json_skip)(json);
  }
}

static void pick_graph(etr_json *json) {
  etr_slice key;
  for (etr_json_object(json); etr_json_key(json, &key);) {
    if (etr_slice_is(key, "nodes"))
      for (etr_json_array(json); etr_json_element(json);)
        pick_node(json);
    else if (etr_slice_is(key, "tensor_values"))
      pick_values(json);
    else
      etr_json_skip(json);
  }
}

static void pick(etr_json *json) {
  etr_slice key;
  for (etr_json_object(json); etr_json_key(json, &key);) {
    if (!etr_slice_is(key, "graph_module")) {
      etr_json_skip(json);
      continue;
    }
    for (etr_json_object(json); etr_json_key(json, &key);)
      (etr_slice_is(key, "graph")       ? pick_graph
       : etr_slice_is(key, "signature") ? walk
                                        : etr_json_skip)(json);
  }
}

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
  bool all = argc > 1 && strcmp(argv[1], "walk") == 0, good = argc > 2;
  double total = 0;
  for (int i = 2; i < argc && good; i++) {
    double best = 1e9;
    etr_file file;
    if (etr_file_read(&file, argv[i], UINT64_C(1) << 40, NULL) != ETR_OK)
      return EXIT_FAILURE;
    for (int k = 0; k < 20; k++) {
      double start = cpu_seconds();
      etr_json *json = etr_json_open_memory((etr_slice){(const char *)file.data, file.size}, NULL);
      (all ? walk : pick)(json);
      etr_json_end(json);
      good = good && !etr_json_failed(json);
      etr_json_close(json);
      best = ETR_MIN(best, cpu_seconds() - start);
    }
    etr_file_clear(&file);
    total += best;
  }
  printf("%.9f\n", total);
  return good && seen ? EXIT_SUCCESS : EXIT_FAILURE;
}
