/* SPDX-License-Identifier: BSD-3-Clause
 *
 * command_names.c - what --method, --graph and --entry name, and what there is to be named.
 */
#include "command.h"

#include <stdio.h>
#include <string.h>

/* The names there are to choose from; some may be there twice, or be "". */
typedef struct name_source {
  const char *what; /* "method" */
  size_t count;
  const char *(*at)(const etr_profile *profile, size_t index);
} name_source;

static const char *module_at(const etr_profile *profile, size_t index) { return profile->graphs[index].module; }

static const char *method_at(const etr_profile *profile, size_t index) {
  return index < profile->method_count ? profile->methods[index].name : profile->graphs[index - profile->method_count].method;
}

static bool is_new(const etr_profile *profile, const name_source *source, size_t index) {
  const char *name = source->at(profile, index);
  for (size_t i = 0; i < index; i++)
    if (strcmp(source->at(profile, i), name) == 0) return false;
  return name[0] != '\0';
}

static exit_status check_name(const etr_profile *profile, const char *name, const name_source *source) {
  etr_error error = {.offset = ETR_NO_OFFSET};
  for (size_t i = 0; i < source->count; i++)
    if (strcmp(source->at(profile, i), name) == 0) return EXIT_DONE;
  size_t start = (size_t)snprintf(error.message, sizeof error.message, "there is no %s %s here; there are:", source->what, name), used = start;
  for (size_t i = 0; i < source->count && used < sizeof error.message; i++)
    if (is_new(profile, source, i)) used += (size_t)snprintf(error.message + used, sizeof error.message - used, " %s", source->at(profile, i));
  if (used == start) (void)snprintf(error.message, sizeof error.message, "there is no %s %s here, nor any other that is known", source->what, name);
  return message_error(&error);
}

exit_status command_check_names(const etr_profile *profile, const cli_settings *settings) {
  const name_source methods = {"method", profile->method_count + profile->graph_count, method_at};
  const name_source modules = {"graph module", profile->graph_count, module_at};
  exit_status status = settings->method ? check_name(profile, settings->method, &methods) : EXIT_DONE;
  return status == EXIT_DONE && settings->graph ? check_name(profile, settings->graph, &modules) : status;
}

static bool is_entry(const etr_graph *graph, const char *entry) {
  size_t size = strlen(graph->module);
  return strncmp(graph->module, entry, size) == 0 && entry[size] == '/' && strcmp(graph->method, entry + size + 1) == 0;
}

etr_status command_entry(size_t *graph, const etr_profile *profile, const cli_settings *settings, etr_error *error) {
  for (size_t i = 0; i < profile->graph_count; i++) {
    const etr_graph *g = &profile->graphs[i];
    if ((settings->entry && !is_entry(g, settings->entry)) || (settings->method && strcmp(g->method, settings->method) != 0)) continue;
    *graph = i;
    return ETR_OK;
  }
  *error = (etr_error){.offset = ETR_NO_OFFSET};
  if (profile->graph_count == 0) {
    (void)snprintf(error->message, sizeof error->message, "there is no graph here: an ETDump alone has none, give its ETRecord too");
    return ETR_ERROR_CHOICE;
  }
  size_t used = (size_t)snprintf(error->message, sizeof error->message,
                                 "there is no entry point %s%s%s here; there are:", settings->entry ? settings->entry : "",
                                 settings->entry && settings->method ? " of method " : "", settings->method ? settings->method : "");
  for (size_t i = 0; i < profile->graph_count && used < sizeof error->message; i++)
    used += (size_t)snprintf(error->message + used, sizeof error->message - used, " %s/%s", profile->graphs[i].module, profile->graphs[i].method);
  return ETR_ERROR_CHOICE;
}
