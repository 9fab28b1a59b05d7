/* SPDX-License-Identifier: BSD-3-Clause
 *
 * headline.c - chooses the parts of the time that one sentence names, and writes it.
 */
#include "views/headline.h"

#include "base/method_parts.h"
#include "base/natural.h"
#include "base/utf8.h"
#include "output/label.h"
#include "output/text_table.h"
#include "views/phases.h"
#include "views/steadiness.h"

#include <math.h>

/** Least share of a part that the sentence names; of none that large it names the largest. */
#define LEAST_SHARE 0.1
/** Kernels of one type that are this much of all kernels are named instead of all. */
#define MOST_OF_KERNELS 0.6

const char *etr_headline_kind_name(etr_headline_kind kind) {
  static const char *const names[] = {"operators", "kernels", "calls",   "copies",
                                      "opaque",    "phase",   "runtime", "unexplained"};
  return (size_t)kind < ETR_COUNT(names) ? names[kind] : "";
}

etr_unit etr_unit_of_ticks(const etr_profile *profile, double ticks) {
  double ns = etr_ticks_to_ns(profile, ticks);
  if (profile->takes_cycles_as_ns)
    return ETR_UNIT_CYCLES;
  if (ns > 0 && ns < 1e6)
    return ETR_UNIT_US;
  return ns < 1e10 ? ETR_UNIT_MS : ETR_UNIT_S;
}

etr_unit etr_unit_of_method(const etr_profile *profile, const etr_method *method) {
  return etr_unit_of_ticks(profile, method->execute.typical);
}

etr_unit etr_unit_of_single_time(const etr_profile *profile, const etr_table_options *options,
                                 double ticks) {
  bool is_default = !options->has_unit && options->unit != ETR_UNIT_CYCLES;
  return is_default ? etr_unit_of_ticks(profile, ticks) : options->unit;
}

void etr_put_percent(etr_writer *writer, double share) {
  double percent = 100 * share;
  if (percent > 0 && percent < 0.05)
    etr_puts(writer, "<0.1");
  else
    etr_put_fixed(writer, percent, percent > 0 && percent < 0.95 ? 1 : 0);
  etr_puts(writer, " %");
}

void etr_put_uninterrupted(etr_writer *writer, const etr_profile *profile, const etr_method *method,
                           etr_unit unit, int digits) {
  const double times[] = {etr_uninterrupted_least(method), etr_uninterrupted_most(method)};
  bool is_range = etr_is_uninterrupted_range(method);
  etr_puts(writer, etr_is_uninterrupted_bound(method) ? "at most " : "");
  for (size_t i = is_range ? 0 : 1; i < ETR_COUNT(times); i++) {
    etr_puts(writer, is_range && i ? " \xE2\x80\x93 " : "");
    etr_put_fixed(writer, etr_ticks_to_unit(profile, times[i], unit),
                  etr_time_decimals(profile, times[i], unit, digits));
  }
}

/* ---- Parts that the sentence may name ---- */

/* All parts of a method's time. */
typedef struct part_list {
  etr_vec(etr_headline_part) list;
  uint32_t *of_row; /* per row of the groups: the number of its part; ETR_NONE: none */
  double kernels, kernels_between; /* typical time of all kernels, and of those between delegates */
  size_t kernel_count;
  bool has_delegates;
} part_list;

/* Returns the kind of part that a row of the groups is summed into. Operators on no node count as
 * operators, too. */
static etr_headline_kind kind_of_group(const etr_group *group) {
  static const etr_headline_kind kinds[ETR_TIME_PARTS] = {
      [ETR_TIME_OPERATORS] = ETR_HEADLINE_OPERATORS,
      [ETR_TIME_UNPLACED] = ETR_HEADLINE_OPERATORS,
      [ETR_TIME_INSERTED] = ETR_HEADLINE_COPIES,
      [ETR_TIME_DELEGATE_PHASES] = ETR_HEADLINE_PHASE,
      [ETR_TIME_OPAQUE] = ETR_HEADLINE_OPAQUE,
      [ETR_TIME_CALL_OVERHEAD] = ETR_HEADLINE_CALLS,
      [ETR_TIME_RUNTIME] = ETR_HEADLINE_RUNTIME,
      [ETR_TIME_UNEXPLAINED] = ETR_HEADLINE_UNEXPLAINED};
  return kinds[group->part];
}

static bool is_same_text(const char *a, const char *b) {
  return strcmp(etr_or_empty(a), etr_or_empty(b)) == 0;
}

/* Returns true if two rows are summed up in one part: operators of one type, number type and
 * backend, phases of one kind, or other time of one backend. Linear layers are one type, however
 * they are written. */
static bool is_same_part(const etr_headline_part *part, const etr_headline_part *other) {
  if (part->kind != other->kind || !is_same_text(part->backend, other->backend))
    return false;
  if (part->kind == ETR_HEADLINE_PHASE)
    return part->phase == other->phase;
  if (part->kind != ETR_HEADLINE_OPERATORS)
    return true;
  return part->has_graph == other->has_graph && is_same_text(part->dtype, other->dtype) &&
         ((part->is_linear && other->is_linear) || is_same_text(part->op, other->op));
}

/* Returns the part that sums up a row of the groups, without figures. A row has a pattern only if
 * its operators have nodes in a graph. */
static etr_headline_part part_of_group(const etr_group *group) {
  etr_headline_part part = {.kind = kind_of_group(group),
                            .phase = group->phase,
                            .backend = group->backend,
                            .has_graph = group->pattern != NULL};
  if (part.kind != ETR_HEADLINE_OPERATORS)
    return part;
  part.op = group->op;
  part.dtype = group->dtype;
  part.is_linear = etr_group_is_linear(group);
  part.is_convolution = etr_group_is_convolution(group);
  return part;
}

bool etr_headline_has(const etr_headline_part *part, const etr_group *group) {
  const etr_headline_part of = part_of_group(group);
  if (group->is_interruptions)
    return false;
  if (part->kind == ETR_HEADLINE_KERNELS)
    return of.kind == ETR_HEADLINE_OPERATORS && !of.backend;
  return is_same_part(part, &of);
}

/* Adds a row of the groups to its part, which is added if it is new. The part's `low` leaves out
 * time of calls that may be of operators. Interruptions are in no part. row: index of the group,
 * for which c->of_row gets the part's number. Returns false when out of memory. */
static bool add_group_to_part(part_list *c, etr_arena *arena, const etr_group *group, size_t row) {
  const etr_headline_part part = part_of_group(group);
  double ticks = group->stats.typical;
  c->of_row[row] = ETR_NONE;
  if (group->is_interruptions)
    return true;
  if (part.kind == ETR_HEADLINE_OPERATORS && !group->backend) {
    c->kernels += ticks;
    c->kernels_between += group->between;
    c->kernel_count += group->count;
  }
  c->has_delegates |= group->backend != NULL;
  size_t index = 0;
  while (index < c->list.count && !is_same_part(&c->list.data[index], &part))
    index++;
  if (index == c->list.count) {
    etr_headline_part *added = etr_vec_push(arena, &c->list);
    if (!added)
      return false;
    *added = part;
    added->number = (uint32_t)index;
  }
  etr_headline_part *sum = &c->list.data[index];
  sum->ticks += ticks;
  sum->count += group->count;
  sum->high += ticks; /* ticks, until etr_headline_make() divides them by the whole */
  sum->low += ETR_MAX(ticks - group->hidden, 0);
  c->of_row[row] = (uint32_t)index;
  return true;
}

/* Compares parts for qsort(): by the most ticks that they may take, the longest first, then by kind
 * and operator. `high` is not a share yet. */
static int by_ticks(const void *a, const void *b) {
  const etr_headline_part *x = a, *y = b;
  if (x->high != y->high)
    return x->high < y->high ? 1 : -1;
  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  return etr_natural_compare(etr_or_empty(x->op), etr_or_empty(y->op));
}

/* Adds a part for all kernels on the CPU together if they are of several types beside delegates,
 * and none of these is large enough to be named alone. whole: ticks of the typical run without
 * interruptions, as `high` and `kernels` are. Returns false when out of memory. */
static bool add_part_of_all_kernels(part_list *c, etr_arena *arena, double whole) {
  double most = 0;
  size_t types = 0;
  for (size_t i = 0; i < c->list.count; i++) {
    const etr_headline_part *part = &c->list.data[i];
    if (part->kind != ETR_HEADLINE_OPERATORS || part->backend)
      continue;
    most = ETR_MAX(most, part->high);
    types++;
  }
  bool is_one_named = most >= LEAST_SHARE * whole || most >= MOST_OF_KERNELS * c->kernels;
  if (!c->has_delegates || types < 2 || is_one_named)
    return true;
  etr_headline_part *added = etr_vec_push(arena, &c->list);
  if (!added)
    return false;
  *added = (etr_headline_part){.kind = ETR_HEADLINE_KERNELS,
                               .number = (uint32_t)(c->list.count - 1),
                               .count = c->kernel_count,
                               .ticks = c->kernels,
                               .low = c->kernels,
                               .high = c->kernels,
                               .is_between = c->kernels_between >= 0.9 * c->kernels};
  return true;
}

/* Sets is_beside of the phases of backends whose operators have times of their own. */
static void mark_phases_beside_operators(part_list *c) {
  for (size_t i = 0; i < c->list.count; i++) {
    etr_headline_part *phase = &c->list.data[i];
    for (size_t k = 0; k < c->list.count; k++) {
      const etr_headline_part *other = &c->list.data[k];
      phase->is_beside |= phase->kind == ETR_HEADLINE_PHASE &&
                          other->kind == ETR_HEADLINE_OPERATORS && other->ticks > 0 &&
                          is_same_text(phase->backend, other->backend);
    }
  }
}

/* Returns true if no time is in both parts. Only the part of all kernels overlaps others: those of
 * operators on the CPU. */
static bool are_disjoint(const etr_headline_part *a, const etr_headline_part *b) {
  bool has_kernels = a->kind == ETR_HEADLINE_KERNELS || b->kind == ETR_HEADLINE_KERNELS;
  const etr_headline_part *other = a->kind == ETR_HEADLINE_KERNELS ? b : a;
  return !has_kernels || other->kind != ETR_HEADLINE_OPERATORS || other->backend;
}

/* ---- The sentence ---- */

const char *etr_headline_operators(etr_arena *arena, const etr_headline_part *part) {
  if (part->is_linear && part->has_graph)
    return part->count == 1 ? "linear layer" : "linear layers";
  if (part->is_convolution && part->has_graph)
    return part->count == 1 ? "convolution" : "convolutions";
  etr_slice op = part->has_graph ? etr_label_op(part->op) : etr_slice_of(part->op);
  const char *from = part->has_graph || !part->backend ? NULL : strstr(part->op, " (");
  const char *to = from ? strchr(from, ')') : NULL;
  if (!to)
    return etr_arena_copy(arena, op);
  /* "Convolution DWConv" and "Convolution IGEMM" are two. */
  return etr_arena_format(arena, "%.*s%s", (int)(from - part->op), part->op, to + 1);
}

/* Returns where a part runs, to follow its name: " in XNNPACK", " on the CPU". */
static const char *backend_words(etr_arena *arena, const etr_headline_part *part) {
  if (!part->backend)
    return " on the CPU";
  if (strcmp(part->backend, ETR_UNKNOWN_BACKEND) == 0)
    return " in delegates";
  const char *name = etr_label_backend(arena, part->backend);
  return name ? etr_arena_format(arena, " in %s", name) : "";
}

/* Returns what delegates do in a phase, as a sentence has it. Static. */
static const char *phase_words(etr_phase phase) {
  switch (phase) {
  case ETR_PHASE_COMPUTE:
    return "computing";
  case ETR_PHASE_COPY_IN:
    return "copying inputs";
  case ETR_PHASE_COPY_OUT:
    return "copying outputs";
  case ETR_PHASE_WAIT:
    return "waiting";
  default:
    return "other work";
  }
}

/* Returns "waiting in QNN", "computing in QNN, outside its operators". */
static const char *phase_text(etr_arena *arena, const etr_headline_part *part) {
  bool is_rest = part->is_beside && part->phase == ETR_PHASE_COMPUTE;
  return etr_arena_format(arena, "%s%s%s", phase_words(part->phase),
                          etr_or_empty(backend_words(arena, part)),
                          is_rest ? ", outside its operators" : "");
}

/* Returns true if a part has a range that can be seen in whole percent. */
static bool is_range(const etr_headline_part *part) {
  return 100 * part->high >= 1 && floor(100 * part->low + 0.5) < floor(100 * part->high + 0.5);
}

/* Returns true if nearly all of a part may be operator time that a coarse clock hides: a range such
 * as "3 – 64 %" says little but its most. */
static bool is_mostly_hidden(const etr_headline_part *part) {
  const double least = 0.2; /* of `high` */
  return is_range(part) && part->low < least * part->high;
}

void etr_headline_put_share(etr_writer *writer, const etr_headline_part *part, bool is_row) {
  if (is_mostly_hidden(part)) {
    etr_puts(writer, is_row ? "\xE2\x89\xA4" : "up to ");
    etr_put_percent(writer, part->high);
    return;
  }
  if (is_range(part)) {
    etr_put_fixed(writer, 100 * part->low, 0);
    etr_puts(writer, is_row ? "\xE2\x80\x93" : " \xE2\x80\x93 ");
  }
  etr_put_percent(writer, part->high);
}

/* How many words a sentence has: all, without remarks, and with the shortest names. */
typedef enum sentence_length { WHOLE, SHORT, SHORTEST } sentence_length;

/* How a part is written: in few words if the sentence would be too long, and without its place if
 * the part before it says that. */
typedef struct part_style {
  sentence_length length;
  bool is_backend_said;
} part_style;

/* Writes a part as a clause of a sentence, with its share in words and not as in a table (false):
 * "67 % is 49 float32 linear layers in XNNPACK". */
static void put_part_clause(etr_writer *writer, etr_arena *arena, const etr_method *method,
                            const etr_headline_part *part, part_style style) {
  const char *name = part->backend ? etr_label_backend(arena, part->backend) : NULL;
  bool is_unnamed = part->backend && strcmp(part->backend, ETR_UNKNOWN_BACKEND) == 0;
  etr_headline_put_share(writer, part, false);
  switch (part->kind) {
  case ETR_HEADLINE_OPERATORS:
    etr_putf(writer, " is %zu %s%s%s%s", part->count, etr_or_empty(part->dtype),
             part->dtype ? " " : "", etr_or_empty(etr_headline_operators(arena, part)),
             style.is_backend_said ? "" : etr_or_empty(backend_words(arena, part)));
    break;
  case ETR_HEADLINE_KERNELS:
    etr_putf(writer, " is %zu CPU kernels %s its %zu delegate%s", part->count,
             part->is_between ? "between" : "beside", method->delegate_count,
             etr_plural(method->delegate_count));
    break;
  case ETR_HEADLINE_CALLS:
    etr_puts(writer, " goes into calling ");
    if (part->count == 1)
      etr_puts(writer, is_unnamed ? "its delegate" : etr_or_empty(name));
    else if (is_unnamed)
      etr_putf(writer, "%zu delegates", part->count);
    else
      etr_putf(writer, "%s %zu times", etr_or_empty(name), part->count);
    if (method->logs_values)
      etr_puts(writer, style.length == SHORTEST ? "" : " and logging values");
    else if (is_mostly_hidden(part))
      etr_puts(writer, " (coarse clock)");
    else if (style.length == WHOLE)
      etr_puts(writer, ", not into computing");
    break;
  case ETR_HEADLINE_COPIES:
    etr_putf(writer, " is %zu inserted cop%s%s", part->count, part->count == 1 ? "y" : "ies",
             style.is_backend_said ? "" : etr_or_empty(backend_words(arena, part)));
    break;
  case ETR_HEADLINE_OPAQUE:
    etr_putf(writer, " is in %s, which record%s no operators",
             is_unnamed ? "delegates" : etr_or_empty(name), is_unnamed ? "" : "s");
    break;
  case ETR_HEADLINE_PHASE:
    etr_putf(writer, " is %s", etr_or_empty(phase_text(arena, part)));
    break;
  case ETR_HEADLINE_RUNTIME:
    etr_puts(writer,
             style.length == SHORTEST ? " is the runtime" : " is the runtime, outside operators");
    break;
  default:
    etr_puts(writer, " is unexplained");
  }
}

/* Writes which share of the time interruptions take, and what an inference takes without them: "12
 * % is interruptions: about 3.1 ms without", "24 – 37 ms without". usual: that time as text, with
 * its unit. */
static void put_interruptions(etr_writer *writer, const etr_headline *headline, const char *usual,
                              bool is_about) {
  etr_put_percent(writer, headline->interrupted);
  etr_putf(writer, " is interruptions: %s%s without", is_about ? "about " : "", usual);
}

/* Returns where the time goes: the first `count` parts as clauses, and interruptions, which come
 * first if they are the largest. usual: the time of an inference without them. NULL when out of
 * memory. */
static const char *where_text(etr_arena *arena, const etr_method *method,
                              const etr_headline *headline, const char *usual, size_t count,
                              sentence_length length) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, arena, &writer);
  bool is_interrupted_first = headline->count && headline->interrupted > headline->parts[0].high;
  bool is_about = length != SHORTEST && !etr_is_uninterrupted_range(method) &&
                  !etr_is_uninterrupted_bound(method);
  if (is_interrupted_first)
    put_interruptions(&writer, headline, usual, is_about);
  for (size_t i = 0; i < count; i++) {
    const etr_headline_part *part = &headline->parts[i];
    bool is_one_backend = count > 1 && part->backend &&
                          is_same_text(headline->parts[0].backend, headline->parts[1].backend);
    /* Two parts of one backend: one of them need not name it. */
    bool is_backend_said = is_one_backend && (i ? headline->parts[0].kind == ETR_HEADLINE_CALLS
                                                : length > WHOLE && headline->parts[1].kind ==
                                                                        ETR_HEADLINE_OPERATORS);
    etr_puts(&writer, i || is_interrupted_first ? "; " : "");
    put_part_clause(&writer, arena, method, part, (part_style){length, is_backend_said});
  }
  if (headline->interrupted > 0 && !is_interrupted_first) {
    etr_puts(&writer, "; ");
    put_interruptions(&writer, headline, usual, is_about);
  }
  etr_puts(&writer, count ? "." : "");
  return etr_text_end(&text, &writer);
}

/* Counts the characters of a text in UTF-8. */
static size_t count_characters(const char *text) {
  size_t count = 0;
  for (const char *at = text; *at; at++)
    count += !etr_utf8_continues(*at);
  return count;
}

const char *etr_headline_part_name(etr_arena *arena, const etr_headline_part *part) {
  bool is_unnamed = part->backend && strcmp(part->backend, ETR_UNKNOWN_BACKEND) == 0;
  const char *name = part->backend ? etr_label_backend(arena, part->backend) : "CPU";
  switch (part->kind) {
  case ETR_HEADLINE_OPERATORS:
    return etr_arena_format(arena, "%s%s%s", etr_or_empty(part->dtype), part->dtype ? " " : "",
                            etr_or_empty(etr_headline_operators(arena, part)));
  case ETR_HEADLINE_KERNELS:
    return "CPU kernels";
  case ETR_HEADLINE_CALLS:
    return etr_arena_format(arena, "calling %zu delegate%s", part->count, etr_plural(part->count));
  case ETR_HEADLINE_COPIES:
    return "inserted copies";
  case ETR_HEADLINE_OPAQUE:
    return etr_arena_format(arena, "in %s (no operators recorded)",
                            is_unnamed ? "delegates" : etr_or_empty(name));
  case ETR_HEADLINE_PHASE:
    return phase_text(arena, part);
  case ETR_HEADLINE_RUNTIME:
    return "runtime, outside operators";
  default:
    return "unexplained";
  }
}

/* Sets out->types to all parts, and out->type_of_row to the part of each row. The parts add up, so
 * kernels are either one part, if the sentence has them so, or one for each type. Returns false
 * when out of memory. */
static bool set_types(etr_headline *out, etr_arena *arena, part_list *c, const etr_groups *groups) {
  bool has_kernels = false;
  for (size_t i = 0; i < out->count; i++)
    has_kernels |= out->parts[i].kind == ETR_HEADLINE_KERNELS;
  etr_headline_part *types = etr_arena_alloc_array(arena, c->list.count, sizeof *types);
  uint32_t *index = etr_arena_alloc_raw_array(arena, c->list.count, sizeof *index);
  uint32_t *type_of_row = etr_arena_alloc_raw_array(arena, groups->count, sizeof *type_of_row);
  uint32_t kernels = ETR_NONE;
  if (!types || !index || !type_of_row)
    return false;
  for (size_t i = 0; i < c->list.count; i++) {
    const etr_headline_part *part = &c->list.data[i];
    bool is_kernel = part->kind == ETR_HEADLINE_OPERATORS && !part->backend;
    bool is_left_out = has_kernels ? is_kernel : part->kind == ETR_HEADLINE_KERNELS;
    index[part->number] = ETR_NONE;
    if (is_left_out)
      continue;
    if (part->kind == ETR_HEADLINE_KERNELS)
      kernels = (uint32_t)out->type_count;
    index[part->number] = (uint32_t)out->type_count;
    types[out->type_count++] = *part;
  }
  for (size_t i = 0; i < groups->count; i++) {
    uint32_t part = c->of_row[i];
    uint32_t type = part == ETR_NONE ? ETR_NONE : index[part];
    type_of_row[i] = part != ETR_NONE && type == ETR_NONE ? kernels : type;
  }
  out->types = types;
  out->type_of_row = type_of_row;
  return true;
}

/* Returns a time with its unit; "" when out of memory. */
static const char *time_text(etr_arena *arena, const etr_profile *profile, double ticks,
                             etr_unit unit) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, arena, &writer);
  etr_put_time(&writer, profile, ticks, unit);
  etr_putf(&writer, " %s", etr_unit_name(unit));
  return etr_or_empty(etr_text_end(&text, &writer));
}

/* Returns the time as the first line of a summary has it, "8 ms ± 4" or "25.5 or 37.0 ms". That
 * line may be about another statistic: then the spread, which is around it, is left out. "" when
 * out of memory. */
static const char *execute_text(etr_arena *arena, const etr_profile *profile,
                                const etr_method *method, etr_unit unit) {
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, arena, &writer);
  if (profile->statistic == ETR_STATISTIC_TYPICAL)
    etr_put_execute(&writer, profile, method, unit);
  else if (!etr_put_modes(&writer, profile, method, unit))
    etr_puts(&writer, time_text(arena, profile, method->execute.typical, unit));
  return etr_or_empty(etr_text_end(&text, &writer));
}

bool etr_headline_make(etr_headline *out, etr_arena *arena, const etr_profile *profile,
                       const etr_method *method, const etr_groups *groups, etr_unit unit) {
  part_list c = {.of_row = etr_arena_alloc_raw_array(arena, groups->count, sizeof *c.of_row)};
  etr_text text;
  etr_writer writer;
  *out = (etr_headline){.time = "", .where = "", .text = ""};
  if (groups->count == 0 || !(groups->whole > 0) || !c.of_row)
    return c.of_row != NULL;
  out->interrupted = groups->interrupted / groups->whole;
  out->usual = groups->whole - groups->interrupted;
  for (size_t i = 0; i < groups->count; i++)
    if (!add_group_to_part(&c, arena, &groups->list[i], i))
      return false;
  mark_phases_beside_operators(&c);
  if (!add_part_of_all_kernels(&c, arena, out->usual))
    return false;
  etr_sort(c.list.data, c.list.count, sizeof *c.list.data, by_ticks);
  for (size_t i = 0; i < c.list.count; i++) {
    etr_headline_part *part = &c.list.data[i];
    part->low = ETR_MAX(part->low, 0) / groups->whole;
    part->high = ETR_MIN(part->high / groups->whole, 1);
    bool has_room = out->count < ETR_COUNT(out->parts);
    bool is_large = part->high >= LEAST_SHARE || out->count == 0;
    if (has_room && is_large && (out->count == 0 || are_disjoint(&out->parts[0], part)))
      out->parts[out->count++] = *part;
  }
  if (!set_types(out, arena, &c, groups))
    return false;
  out->time = etr_arena_format(arena, "%s per inference",
                               time_text(arena, profile, method->execute.typical, unit));
  etr_text_begin(&text, arena, &writer);
  etr_put_uninterrupted(&writer, profile, method, unit, 2); /* two digits: it is an estimate */
  etr_putf(&writer, " %s", etr_unit_name(unit));
  const char *usual = etr_or_empty(etr_text_end(&text, &writer));
  for (sentence_length length = WHOLE; length <= SHORTEST; length++)
    if (length == WHOLE || (out->where && count_characters(out->where) > ETR_HEADLINE_LONGEST))
      out->where = where_text(arena, method, out, usual, out->count, length);
  if (out->where && out->interrupted > 0 && count_characters(out->where) > ETR_HEADLINE_LONGEST)
    out->where = where_text(arena, method, out, usual, 1, SHORT); /* no room for three parts */
  out->text = etr_arena_format(arena, "%s per inference. %s",
                               execute_text(arena, profile, method, unit),
                               etr_or_empty(out->where));
  return !etr_arena_failed(arena);
}
