/* SPDX-License-Identifier: BSD-3-Clause
 *
 * names.c - checks what --method, --graph, --entry, --op, --module and --backend name in the
 * profile.
 */
#include "command/option_table.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Looks for a name among those of one kind, and collects candidates. */
typedef struct search {
  const char *wanted;
  bool is_path;   /* names are paths of modules, and a path also matches the modules that it
                   * contains
                   */
  bool lists_all; /* candidates are all names; otherwise only names that contain `wanted` */
  bool found;
  size_t count;
  const char *candidates[MAX_LIST]; /* each name once */
  const char *nearest; /* the name that is most like `wanted`; NULL: no name is like it */
} search;

enum { MOST_HINTS = 6 };

/* Returns true if a text contains a part, ignoring case. */
static bool contains_text(const char *text, const char *part) {
  size_t size = strlen(part);
  for (; *text; text++)
    if (strncasecmp(text, part, size) == 0)
      return true;
  return false;
}

/* Compares a name of the profile, or NULL, with the one that is wanted. Sets s->found if it is that
 * one or, for paths, a module inside it; once found, other names are passed over. Otherwise keeps
 * it as a candidate for the message if it contains the wanted one or if all names are listed, and
 * as s->nearest if it is more like the wanted one than those before. */
static void compare_name(search *s, const char *name) {
  size_t size = strlen(s->wanted);
  if (!name || s->found)
    return;
  s->found = strncmp(name, s->wanted, size) == 0 &&
             (name[size] == '\0' || (s->is_path && name[size] == '.'));
  s->nearest = etr_nearer_word(s->wanted, size, s->nearest, name);
  if (s->count == (s->lists_all ? MAX_LIST : MOST_HINTS) || !name[0])
    return;
  if (!s->lists_all && !contains_text(name, s->wanted))
    return;
  for (size_t i = 0; i < s->count; i++)
    if (strcmp(s->candidates[i], name) == 0)
      return;
  s->candidates[s->count++] = name;
}

/* Sets s->found if a method that ran or has a graph has the wanted name; otherwise the names become
 * candidates for the message. */
static void compare_methods(search *s, const etr_profile *profile) {
  for (size_t i = 0; i < profile->method_count; i++)
    compare_name(s, profile->methods[i].name);
  for (size_t i = 0; i < profile->graph_count; i++)
    compare_name(s, profile->graphs[i].method);
}

static void compare_graph_modules(search *s, const etr_profile *profile) {
  for (size_t i = 0; i < profile->graph_count; i++)
    compare_name(s, profile->graphs[i].module);
}

/* Sets s->found if some operator of the profile is the wanted one, which may be a short name
 * such as "conv". Without a graph there are no operators, and any is accepted. If none is found,
 * adds the operators that are like it to the candidates of the message. */
static void compare_operators(search *s, const etr_profile *profile) {
  const etr_node_filter filter = {.op = s->wanted};
  s->found = profile->graph_count == 0 || etr_count_nodes(profile, &filter) > 0;
  for (size_t i = 0; i < profile->graph_count; i++)
    for (size_t k = 0; k < profile->graphs[i].node_count && !s->found; k++)
      if (profile->graphs[i].nodes[k].kind == ETR_NODE_OP)
        compare_name(s, profile->graphs[i].nodes[k].target);
}

/* Returns true if a name is how torch writes a module's path where only an identifier is allowed,
 * as in the Inspector's documents: "L__self___blocks_0_conv" for blocks.0.conv. */
static bool is_identifier_of(const char *name, const char *path) {
  static const char start[] = "L__self___";
  if (strncmp(name, start, sizeof start - 1) != 0 || !path[0])
    return false;
  name += sizeof start - 1;
  while (*name && (*name == *path || (*name == '_' && *path == '.'))) {
    name++;
    path++;
  }
  return !*name && !*path;
}

/* Sets s->found if a module has the wanted path, or if there is no graph and so no path to check.
 * Otherwise paths that are like it become candidates for the message; if torch's identifier of a
 * path was given, that path. */
static void compare_modules(search *s, const etr_profile *profile) {
  s->found = profile->graph_count == 0;
  for (size_t i = 0; i < profile->graph_count; i++)
    for (size_t k = 0; k < profile->graphs[i].module_count; k++) {
      const char *path = profile->graphs[i].modules[k].path;
      compare_name(s, path);
      if (s->count == 0 && !s->found && is_identifier_of(s->wanted, path))
        s->candidates[s->count++] = path;
    }
}

/* Sets s->found if the wanted name is "cpu" or that of a backend of a delegate or an event.
 * Otherwise these become candidates for the message. An ETDump alone does not name the backend of a
 * call. */
static void compare_backends(search *s, const etr_profile *profile) {
  compare_name(s, "cpu");
  for (size_t i = 0; i < profile->method_count; i++) {
    const etr_method *method = &profile->methods[i];
    for (size_t k = 0; k < method->delegate_count; k++)
      compare_name(s, method->delegates[k].backend);
  }
  for (size_t i = 0; i < profile->block_count; i++) {
    const etr_block *block = &profile->blocks[i];
    for (size_t k = 0; k < block->event_count; k++) {
      const etr_event *event = &block->events[k];
      bool is_unnamed = !event->backend && event->kind == ETR_EVENT_DELEGATE_CALL;
      compare_name(s, is_unnamed ? ETR_UNKNOWN_BACKEND : event->backend);
    }
  }
}

/* The names that options give. A glob with wildcards is not checked here, but by the nodes that it
 * selects. */
static const struct {
  const char *kind;
  size_t offset;
  void (*compare)(search *s, const etr_profile *profile);
  bool lists_all, is_path, is_glob;
} names[] = {
    {"method", offsetof(cli_settings, method), compare_methods, .lists_all = true},
    {"graph module", offsetof(cli_settings, graph), compare_graph_modules, .lists_all = true},
    {"operator", offsetof(cli_settings, op), compare_operators, .is_glob = true},
    {"module", offsetof(cli_settings, module), compare_modules, .is_path = true},
    {"backend", offsetof(cli_settings, backend), compare_backends, .is_glob = true},
};

/* Appends the candidates of a search to a message: "; did you mean: a, b", or all that there are.
 * Appends nothing without any. */
static void append_candidates(char *text, size_t room, const search *s) {
  size_t used = strlen(text);
  const char *introduction = s->lists_all ? "; there are:" : "; did you mean:";
  if (s->count == 0 && s->nearest)
    (void)snprintf(text + used, room - used, "%s %s", introduction, s->nearest);
  for (size_t i = 0; i < s->count && used < room; i++)
    used += (size_t)snprintf(text + used, room - used, "%s%s%s", i ? ", " : introduction,
                             i ? "" : " ", s->candidates[i]);
}

/* Reports that there is nothing of this name, and fails. With --force it is only a warning, except
 * for methods and graph modules, of which the message lists all (lists_all): the command cannot
 * continue without them. */
static exit_status report_unknown(const search *s, const char *kind, bool is_forced) {
  char text[1024];
  (void)snprintf(text, sizeof text, "no %s named %s", kind, s->wanted);
  append_candidates(text, sizeof text, s);
  if (!is_forced || s->lists_all)
    return message_failed("%s", text);
  message_warning("%s", text);
  return EXIT_DONE;
}

/* Returns true if delegates ran whose backends nothing names, as in an ETDump alone:
 * compare_backends() gives them the name ETR_UNKNOWN_BACKEND, and sets s.found if there is one. */
static bool has_unnamed_backends(const etr_profile *profile) {
  search s = {.wanted = ETR_UNKNOWN_BACKEND};
  compare_backends(&s, profile);
  return s.found && !profile->etrecord && !profile->pte;
}

/* Reports that the backend that --backend wants is not named by an ETDump alone, and fails. */
static exit_status report_unnamed_backends(const char *wanted) {
  return message_failed("nothing of backend %s: an ETDump alone does not name its backends; "
                        "--backend " ETR_UNKNOWN_BACKEND " selects what its delegates logged, and "
                        "the .pte or the ETRecord names them",
                        wanted);
}

exit_status command_check_names(const etr_profile *profile, const cli_settings *settings) {
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *wanted = *(const char *const *)(const void *)((const char *)settings +
                                                              names[i].offset);
    search s = {.wanted = wanted, .is_path = names[i].is_path, .lists_all = names[i].lists_all};
    /* The module "" is the whole model; a glob is checked by what it selects. */
    if (!wanted || (names[i].is_path && !wanted[0]) || (names[i].is_glob && strpbrk(wanted, "*?")))
      continue;
    names[i].compare(&s, profile);
    bool is_backend = names[i].compare == compare_backends;
    if (is_backend && !s.found && !settings->force && has_unnamed_backends(profile))
      return report_unnamed_backends(wanted);
    exit_status checked = s.found ? EXIT_DONE : report_unknown(&s, names[i].kind, settings->force);
    if (checked != EXIT_DONE)
      return checked;
  }
  return EXIT_DONE;
}

etr_node_filter command_filter(const cli_settings *settings) {
  return (etr_node_filter){.method = settings->method,
                           .graph_module = settings->graph,
                           .module = settings->module,
                           .op = settings->op,
                           .backend = settings->backend};
}

/* Reports that a filter of nodes has none to select in an ETDump alone, with the command that
 * selects its events, and fails. */
static exit_status report_no_nodes(const etr_node_filter *filter) {
  bool has_events = filter->op || filter->backend;
  return message_failed(
      "an ETDump alone has no nodes to select: %s%s%s%s%s%s%s`summary --by "
      "kernel` lists kernels. The .pte or the ETRecord adds nodes",
      has_events ? "`events" : "", filter->op ? " --op '" : "", filter->op ? filter->op : "",
      filter->op ? "'" : "", filter->backend ? " --backend " : "",
      filter->backend ? filter->backend : "", has_events ? "` has its events, and " : "");
}

exit_status command_check_filter(const etr_profile *profile, const cli_settings *settings) {
  const etr_node_filter filter = command_filter(settings);
  bool of_events = settings->command->bit == FOR_EVENTS || profile->graph_count == 0;
  if (settings->force || (!filter.module && !filter.op && !filter.backend))
    return EXIT_DONE;
  bool selects_nodes = settings->command->bit == FOR_SUMMARY || filter.module ||
                       (filter.op && settings->command->bit != FOR_EVENTS);
  if (selects_nodes && profile->graph_count == 0 && profile->run_count)
    return report_no_nodes(&filter);
  if (of_events ? etr_count_events(profile, &filter) : etr_count_nodes(profile, &filter))
    return EXIT_DONE;
  if (of_events && filter.backend && has_unnamed_backends(profile))
    return report_unnamed_backends(filter.backend);
  return message_failed(
      "no %s matches%s%s%s%s%s%s: correct the filter, or print the empty answer with --force",
      of_events ? "event" : "node", filter.module ? " --module " : "",
      filter.module ? filter.module : "", filter.op ? " --op " : "", filter.op ? filter.op : "",
      filter.backend ? " --backend " : "", filter.backend ? filter.backend : "");
}

exit_status command_check_dump(const etr_profile *profile, const cli_settings *settings) {
  size_t known_runs = 0;
  if (!profile->foreign_run_count || settings->force || !(settings->command->bit & FORCIBLE))
    return EXIT_DONE;
  for (size_t i = 0; i < profile->method_count; i++)
    known_runs += profile->methods[i].name[0] ? profile->methods[i].run_count : 0;
  if (known_runs)
    return EXIT_DONE;
  const char *record = profile->etrecord ? profile->etrecord : profile->pte;
  bool has_both = profile->etrecord && profile->pte && strcmp(profile->etrecord, profile->pte) != 0;
  (void)message_failed("%s: this ETDump is of another model or export (none of its %zu runs fits a "
                       "method of %s%s%s): give the record of the export that ran, or --force to "
                       "continue without nodes",
                       profile->etdump_count ? profile->etdumps[0] : "", profile->foreign_run_count,
                       record ? record : "", has_both ? " and " : "", has_both ? profile->pte : "");
  return EXIT_BAD_INPUT;
}

/* ---- Entry points ---- */

/* Returns true if a graph is of the method of --method, and is MODULE/METHOD of --entry; either
 * option may be missing. */
static bool is_entry(const etr_graph *graph, const cli_settings *settings) {
  const char *entry = settings->entry;
  size_t size = strlen(graph->module);
  if (settings->method && strcmp(graph->method, settings->method) != 0)
    return false;
  return !entry || (strncmp(graph->module, entry, size) == 0 && entry[size] == '/' &&
                    strcmp(graph->method, entry + size + 1) == 0);
}

etr_status command_find_entry_point(size_t *graph, const etr_profile *profile,
                                    const cli_settings *settings, etr_error *error) {
  char text[sizeof error->message];
  for (*graph = 0; *graph < profile->graph_count; ++*graph)
    if (is_entry(&profile->graphs[*graph], settings))
      return ETR_OK;
  if (profile->graph_count == 0)
    return message_fail(error, ETR_ERROR_CHOICE, MESSAGE_NO_GRAPH);
  size_t used = (size_t)snprintf(
      text, sizeof text, "no entry point%s%s%s%s; there are:", settings->entry ? " " : "",
      settings->entry ? settings->entry : "", settings->method ? " of method " : "",
      settings->method ? settings->method : "");
  for (size_t i = 0; i < profile->graph_count && used < sizeof text; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s %s/%s", i ? "," : "",
                             profile->graphs[i].module, profile->graphs[i].method);
  return message_fail(error, ETR_ERROR_CHOICE, "%s", text);
}
