/* SPDX-License-Identifier: BSD-3-Clause
 *
 * command_filter.c - what --op, --module and --backend may have been meant to name, where nothing is called so.
 */
#include "command.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MOST_NAMES = 6 };

/* Looks through the names there are of one kind. */
typedef struct search {
  const char *wanted;
  bool is_path; /* a module: what is below it counts, too */
  bool found;
  const char *alike[MOST_NAMES]; /* names that contain it */
  size_t alike_count;
} search;

static bool contains(const char *text, const char *part) {
  size_t size = strlen(part);
  for (; *text; text++)
    if (strncasecmp(text, part, size) == 0) return true;
  return false;
}

static void look_at(search *s, const char *name) {
  size_t size = strlen(s->wanted);
  if (!name || s->found) return;
  s->found = strncmp(name, s->wanted, size) == 0 && (name[size] == '\0' || (s->is_path && name[size] == '.'));
  if (s->alike_count == MOST_NAMES || !contains(name, s->wanted)) return;
  for (size_t i = 0; i < s->alike_count; i++)
    if (strcmp(s->alike[i], name) == 0) return;
  s->alike[s->alike_count++] = name;
}

static void look_at_operators(search *s, const etr_profile *profile) {
  for (size_t i = 0; i < profile->graph_count; i++)
    for (size_t k = 0; k < profile->graphs[i].node_count && !s->found; k++)
      if (profile->graphs[i].nodes[k].kind == ETR_NODE_OP) look_at(s, profile->graphs[i].nodes[k].target);
}

static void look_at_modules(search *s, const etr_profile *profile) {
  for (size_t i = 0; i < profile->graph_count; i++)
    for (size_t k = 0; k < profile->graphs[i].module_count; k++) look_at(s, profile->graphs[i].modules[k].path);
}

static void look_at_backends(search *s, const etr_profile *profile) {
  look_at(s, "cpu");
  for (size_t i = 0; i < profile->method_count; i++)
    for (size_t k = 0; k < profile->methods[i].delegate_count; k++) look_at(s, profile->methods[i].delegates[k].backend);
  for (size_t i = 0; i < profile->block_count; i++)
    for (size_t k = 0; k < profile->blocks[i].event_count; k++) look_at(s, profile->blocks[i].events[k].backend);
}

static void say(const search *s, const char *what) {
  char text[1024] = "";
  size_t used = 0;
  if (s->found) return;
  for (size_t i = 0; i < s->alike_count && used < sizeof text; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s %s", i ? "" : "; there is:", s->alike[i]);
  message_warning("no %s is called %s%s", what, s->wanted, text);
}

static bool is_glob(const char *text) { return strpbrk(text, "*?") != NULL; }

void command_hint(const etr_profile *profile, const cli_settings *settings) {
  if (settings->op && !is_glob(settings->op) && profile->graph_count) {
    search s = {.wanted = settings->op};
    look_at_operators(&s, profile);
    say(&s, "operator");
  }
  if (settings->module && settings->module[0] && profile->graph_count) {
    search s = {.wanted = settings->module, .is_path = true};
    look_at_modules(&s, profile);
    say(&s, "module");
  }
  if (settings->backend && !is_glob(settings->backend)) {
    search s = {.wanted = settings->backend};
    look_at_backends(&s, profile);
    say(&s, "backend");
  }
}
