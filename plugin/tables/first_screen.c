/* SPDX-License-Identifier: BSD-3-Clause
 *
 * first_screen.c - the sentence, the boxes, the findings and the rows of a method.
 */
#include "tables/first_screen.h"

#include "base/stats.h"
#include "output/label.h"
#include "output/plain_text.h"
#include "output/section.h"
#include "output/text_table.h"

#include <math.h>

#define DOT " \xC2\xB7 "
#define TIMES "\xC3\x97"
#define DASH " \xE2\x80\x93 "
#define LINE "\xE2\x94\x82"
#define SOLID "\xE2\x96\x88"
#define SHADE "\xE2\x96\x92"
#define ABOUT "\xE2\x89\x88 "
#define AT_MOST "\xE2\x89\xA4 "

enum {
  WIDEST = 100,      /* columns of a screen; more would only spread it */
  NARROW = 97,       /* below this, bars and the time of one are left out */
  BAR = 14,          /* columns of the bar of a saving */
  NAME_COLUMNS = 44, /* of titles and of rows */
};

/* A module whose time holds this much of all operators' is said once, in the heading. */
#define PREFIX_SHARE 0.9
/* The least share of what the line below the boxes names. */
#define LEAST_NAMED 0.01

/* Returns the longest path of a module that contains at least PREFIX_SHARE of the time of operators
 * on nodes; "" if only the top level does. Paths are patterns such as "decoder.blocks.*": '*'
 * stands for the numbers of modules that repeat. */
static etr_slice find_common_prefix(const etr_groups *groups) {
  /* Rows are sorted by time. What contains most of the time contains one of the longest rows. */
  enum { LONG_ROWS = 64 };
  double whole = 0;
  etr_slice best = {"", 0};
  for (size_t i = 0; i < groups->count; i++)
    whole += groups->list[i].pattern ? groups->list[i].stats.typical : 0;
  for (size_t i = 0; i < groups->count && i < LONG_ROWS; i++) {
    const char *pattern = groups->list[i].pattern;
    for (size_t size = 1; pattern && size <= strlen(pattern); size++) {
      double inside = 0;
      bool is_path_end = !pattern[size] || pattern[size] == '.';
      if (!is_path_end || size <= best.size)
        continue;
      for (size_t k = 0; k < groups->count; k++) {
        const char *other = groups->list[k].pattern;
        bool is_inside = other && strncmp(other, pattern, size) == 0 &&
                         (!other[size] || other[size] == '.');
        inside += is_inside ? groups->list[k].stats.typical : 0;
      }
      if (inside >= PREFIX_SHARE * whole)
        best = (etr_slice){pattern, size};
    }
  }
  return best;
}

bool etr_first_screen_make(etr_first_screen *out, etr_answer *answer, const etr_method *method,
                           const etr_findings *findings, etr_unit unit, const bool *chosen) {
  *out = (etr_first_screen){
      .method = method, .findings = findings, .unit = unit, .is_part = chosen != NULL};
  if (!chosen && findings->groups.list)
    out->groups = findings->groups;
  else if (!etr_groups_make(&out->groups, &answer->arena, answer->profile, method, chosen))
    return false;
  out->prefix = find_common_prefix(&out->groups);
  return etr_headline_make(&out->headline, &answer->arena, answer->profile, method, &out->groups,
                           unit);
}

/* Returns a text with names from a file as a copy that cannot steer a terminal. */
static const char *sanitized(etr_answer *answer, const char *text) {
  return text ? etr_or_empty(etr_sanitized_copy(&answer->arena, text)) : "";
}

static size_t screen_width(const etr_answer *answer) {
  return ETR_MIN(etr_answer_text_width(answer), (size_t)WIDEST);
}

bool etr_first_screen_is_narrow(const etr_answer *answer) {
  return screen_width(answer) < NARROW;
}

/* Returns how many columns of the terminal titles and names of rows may take: what the other cells
 * of a line leave, within limits. */
static size_t name_columns(const etr_answer *answer) {
  enum {
    OTHERS = 36, /* columns beside them on a narrow screen */
    LEAST = 16   /* fewer columns cannot tell names apart */
  };
  size_t width = screen_width(answer);
  size_t room = width > OTHERS + LEAST ? width - OTHERS : LEAST;
  return ETR_MIN(room, (size_t)NAME_COLUMNS);
}

/* Writes a time, given in ticks, in the screen's unit without its name. The decimals are those that
 * show the whole time with three digits, so that parts add up. A time of less than 100 units of its
 * last digit gets one decimal more, and one that would be rounded to 0, or is 0 because it is below
 * the clock's step, is written as "<0.01", that is, less than one unit of its last digit. */
static void put_time(etr_writer *w, const etr_answer *answer, const etr_first_screen *s,
                     double ticks) {
  double time = etr_ticks_to_unit(answer->profile, ticks, s->unit);
  int decimals = etr_time_decimals(answer->profile, s->groups.whole, s->unit, ETR_TIME_DIGITS);
  double step = pow(10, -decimals);
  if (time < 100 * step) {
    decimals++;
    step /= 10;
  }
  if (time < step / 2) {
    etr_puts(w, "<");
    time = step;
  }
  etr_put_fixed(w, time, decimals);
}

/* Writes a saving, given in ticks, with two digits, since it is a guess, but never more than
 * `most`, the ticks that there are to save. */
static void put_saving(etr_writer *w, const etr_answer *answer, etr_unit unit, double ticks,
                       double most) {
  double time = etr_ticks_to_unit(answer->profile, ticks, unit), step = 1;
  while (time / step >= 100)
    step *= 10;
  while (time > 0 && time / step < 10)
    step /= 10;
  double rounded = floor(time / step + 0.5) * step, written = step > 1 ? rounded : time;
  if (rounded > etr_ticks_to_unit(answer->profile, most, unit))
    written = rounded - step;
  etr_put_fixed(w, written, etr_time_decimals(answer->profile, ticks, unit, 2));
}

/* Returns what a change saves as text, as put_saving() writes it: ticks in the unit, without its
 * name, and never more than `most`. */
static const char *saving_text(etr_answer *answer, etr_unit unit, double ticks, double most) {
  etr_text text;
  etr_writer w;
  etr_text_begin(&text, &answer->arena, &w);
  put_saving(&w, answer, unit, ticks, most);
  return etr_or_empty(etr_text_end(&text, &w));
}

/* Returns a time as text, "741", or with unit and share if has_unit, "741 ms 81 %". share: part of
 * the whole, 0 to 1. */
static const char *time_text(etr_answer *answer, const etr_first_screen *s, double ticks,
                             bool has_unit, double share) {
  etr_text text;
  etr_writer w;
  etr_text_begin(&text, &answer->arena, &w);
  put_time(&w, answer, s, ticks);
  if (has_unit)
    etr_putf(&w, " %s ", etr_unit_name(s->unit));
  if (has_unit)
    etr_put_percent(&w, share);
  return etr_or_empty(etr_text_end(&text, &w));
}

/* ---- The sentence ---- */

void etr_first_screen_put_sentence(etr_answer *answer, const etr_first_screen *s,
                                   bool names_method) {
  const char *text = s->headline.where;
  if (!text || !text[0])
    return;
  if (!etr_section_is_markdown(answer)) {
    if (names_method && s->method->name[0])
      text = etr_arena_format(&answer->arena, "%s: %s", etr_label_method(s->method->name), text);
    etr_put_wrapped(&answer->writer, ETR_STYLE_PLAIN, sanitized(answer, text), 0,
                    screen_width(answer));
    return;
  }
  /* "67 % is ...; up to 18 % is ...": each share begins with the first digit of its part,
   * or with "<", and ends with "%". */
  for (const char *at = text; at;) {
    const char *next = strchr(at, ';'), *share_at = at + strcspn(at, "<0123456789"),
               *end = strchr(share_at, '%');
    if (!end)
      break;
    etr_put_markdown(
        &answer->writer,
        etr_or_empty(etr_arena_copy(&answer->arena, (etr_slice){at, (size_t)(share_at - at)})));
    at = share_at;
    etr_puts(&answer->writer, "**");
    char *share = etr_arena_copy(&answer->arena, (etr_slice){at, (size_t)(end + 1 - at)});
    etr_put_markdown(&answer->writer, etr_or_empty(share));
    etr_puts(&answer->writer, "**");
    const char *stop = next ? next + 2 : text + strlen(text);
    char *rest = etr_arena_copy(&answer->arena, (etr_slice){end + 1, (size_t)(stop - end - 1)});
    etr_put_markdown(&answer->writer, etr_or_empty(rest));
    at = next ? next + 2 : NULL;
  }
  etr_puts(&answer->writer, "\n");
}

/* ---- Names ---- */

/* Returns a module's path relative to the prefix: for the prefix "model" it is "blocks.*" for
 * "model.blocks.*", "" for "model", and "/head" for "head", which is outside of it. */
static const char *path_below_prefix(etr_answer *answer, const char *pattern, etr_slice prefix) {
  if (prefix.size == 0)
    return pattern;
  bool is_inside = strncmp(pattern, prefix.data, prefix.size) == 0;
  if (is_inside && !pattern[prefix.size])
    return "";
  if (is_inside && pattern[prefix.size] == '.')
    return pattern + prefix.size + 1;
  return etr_arena_format(&answer->arena, "/%s", pattern);
}

/* Returns true if the first part of a path is no name, but a number or '*'. */
static bool starts_with_number(const char *path) {
  return path[0] == '*' || (path[0] >= '0' && path[0] <= '9');
}

/* Returns a module's path relative to the prefix, but with the name before it if it begins with a
 * number, which says nothing alone: "features.0" for the prefix "features". */
static const char *name_below(etr_answer *answer, const char *pattern, etr_slice prefix) {
  const char *name = path_below_prefix(answer, pattern, prefix);
  if (name == pattern || name[0] == '/' || !starts_with_number(name))
    return name;
  const char *start = name - 1;
  while (start > pattern && start[-1] != '.')
    start--;
  return start;
}

/* Returns the operator of a row: "linear", or "aten.linear.default" with full names; "" when out of
 * memory. */
static const char *operator_of(etr_answer *answer, const etr_first_screen *s,
                               const etr_group *group) {
  if (s->full_names || !group->pattern)
    return group->op;
  return etr_or_empty(etr_arena_copy(&answer->arena, etr_label_op(group->op)));
}

static const char *backend_name(etr_answer *answer, const char *backend) {
  return backend ? etr_or_empty(etr_label_backend(&answer->arena, backend)) : "CPU";
}

/* Returns the part of the sentence that a row belongs to: all rows of one operator, type and
 * backend, or of one part of the time; NULL if the sentence was not made. */
static const etr_headline_part *headline_part_of_row(const etr_first_screen *s,
                                                     const etr_group *group) {
  const etr_headline *headline = &s->headline;
  uint32_t type = headline->type_of_row ? headline->type_of_row[group - s->groups.list] : ETR_NONE;
  return type == ETR_NONE ? NULL : &headline->types[type];
}

/* Returns the name of a row that is no operator: that of its part of the sentence, as "calling 82
 * delegates", or else of its part of the time. Interruptions are no part of the model, so their
 * name says what to do. */
static const char *part_name(etr_answer *answer, const etr_first_screen *s,
                             const etr_group *group) {
  const etr_headline_part *type = headline_part_of_row(s, group);
  if (group->is_interruptions)
    return "interruptions (measure again)";
  return type ? etr_or_empty(etr_headline_part_name(&answer->arena, type))
              : etr_time_part_name(group->part);
}

/* Returns true if one node of a row takes so much that the average of its nodes misleads: at least
 * eight times what the others take on average, and 2 % of the whole time, which is in ticks. */
static bool has_long_outlier(const etr_group *group, double whole) {
  const double times = 8, least = 0.02;
  double others = group->stats.typical - group->largest;
  return group->count > 1 && group->largest >= least * whole &&
         group->largest * (double)(group->count - 1) >= times * others;
}

/* Returns " (one: 5.40)" for a row with a node that takes much longer than the others: its time in
 * the screen's unit, without unit and share (false, 0). Returns "" for other rows. */
static const char *outlier_remark(etr_answer *answer, const etr_first_screen *s,
                                  const etr_group *group) {
  if (!has_long_outlier(group, s->groups.whole))
    return "";
  const char *text = time_text(answer, s, group->largest, false, 0);
  return etr_or_empty(etr_arena_format(&answer->arena, " (one: %s)", text));
}

/* Returns a text without what could steer a terminal, cut in the middle to so many columns. */
static const char *cut_to(etr_answer *answer, const char *text, size_t columns) {
  etr_text cut;
  etr_writer w;
  etr_text_begin(&cut, &answer->arena, &w);
  (void)etr_put_cut(&w, sanitized(answer, text), columns, ETR_CUT_MIDDLE);
  return etr_or_empty(etr_text_end(&cut, &w));
}

/* Returns true if another row has the same name, but for the number type. */
static bool has_other_type(const etr_first_screen *s, const etr_group *group) {
  for (const etr_group *other = s->groups.list; other < s->groups.list + s->groups.count; other++)
    if (other->op && strcmp(other->op, group->op) == 0 && other->part == group->part &&
        strcmp(etr_or_empty(other->pattern), etr_or_empty(group->pattern)) == 0 &&
        strcmp(etr_or_empty(other->backend), etr_or_empty(group->backend)) == 0 &&
        strcmp(etr_or_empty(other->dtype), etr_or_empty(group->dtype)) != 0)
      return true;
  return false;
}

/* Returns the name of a row: "attention.wq · linear", "calling 82 delegates", "Transpose (ND, X32)
 * (inserted)", or "attention · expand_copy (one: 5.40)" if one of the row's nodes takes much
 * longer than the others: 5.40 in the screen's unit. prefix: the path that names of modules leave
 * out, "" for none. In text the name is cut so that its remark fits into `width` columns (0: no
 * limit). Returns NULL when out of memory. */
static const char *row_name(etr_answer *answer, const etr_first_screen *s, const etr_group *group,
                            etr_slice prefix, size_t width) {
  etr_arena *arena = &answer->arena;
  if (!group->op)
    return part_name(answer, s, group);
  if (group->part == ETR_TIME_INSERTED)
    return etr_arena_format(arena, "%s (inserted)", group->op);
  const char *op = operator_of(answer, s, group);
  if (group->dtype && has_other_type(s, group))
    op = etr_arena_format(arena, "%s %s", group->dtype, op);
  const char *module = group->pattern ? name_below(answer, group->pattern, prefix) : NULL;
  const char *name = module && module[0] ? etr_arena_format(arena, "%s" DOT "%s", module, op) : op;
  const char *remark = outlier_remark(answer, s, group);
  size_t used = etr_plain_width(&answer->writer, remark);
  /* A name gives way to its remark, which says how to read the time. */
  if (used && used < width && !etr_section_is_markdown(answer))
    name = cut_to(answer, etr_or_empty(name), width - used);
  return etr_arena_format(arena, "%s%s", etr_or_empty(name), remark);
}

/* Returns what runs a row: a backend, "CPU", "runtime", or "others" for interruptions. */
static const char *runs_on(etr_answer *answer, const etr_group *group) {
  if (group->is_interruptions)
    return "others";
  if (group->part == ETR_TIME_RUNTIME || group->part == ETR_TIME_CALL_OVERHEAD)
    return "runtime";
  return backend_name(answer, group->backend);
}

/* ---- Boxes ---- */

/* A box, which is as wide as its part of the time. */
typedef struct box {
  const char *name;
  double ticks;
} box;

enum { MOST_BOXES = 16 };

typedef struct boxes {
  box list[MOST_BOXES];
  size_t count;
  double whole;
} boxes;

/* Adds ticks to the box of this name, which is made if it is new. When there are MOST_BOXES, the
 * last one is renamed to "others" and takes the time of all further names. */
static void add_time_to_box(boxes *b, const char *name, double ticks) {
  size_t at = 0;
  while (at < b->count && strcmp(b->list[at].name, name) != 0)
    at++;
  if (at == MOST_BOXES) {
    b->list[MOST_BOXES - 1].name = "others";
    at = MOST_BOXES - 1;
  }
  if (at == b->count)
    b->list[b->count++] = (box){.name = name};
  b->list[at].ticks += ticks;
  b->whole += ticks;
}

/* Orders boxes by time, the longest first. */
static int by_box_time(const void *a, const void *b) {
  const box *x = a, *y = b;
  if (x->ticks != y->ticks)
    return x->ticks < y->ticks ? 1 : -1;
  return strcmp(x->name, y->name);
}

/* Returns under which name the line below the boxes counts a row: the backend that runs it, "CPU
 * kernels", or what kind of time it is. */
static const char *legend_name(etr_answer *answer, const etr_group *group) {
  if (group->is_interruptions)
    return "interruptions";
  switch (group->part) {
  case ETR_TIME_OPAQUE:
  case ETR_TIME_DELEGATE_PHASES:
    return backend_name(answer, group->backend);
  case ETR_TIME_INSERTED:
    return "inserted copies";
  case ETR_TIME_UNEXPLAINED:
    return "unexplained";
  default:
    break;
  }
  if (!group->op)
    return "calls and runtime";
  return group->backend ? backend_name(answer, group->backend) : "CPU kernels";
}

/* Returns the name of the box for operators of the prefix's own module: "blocks itself" for the
 * prefix "decoder.blocks.*", the last part of which that is no number; "top level" if there is
 * none. */
static const char *own_box_name(etr_answer *answer, etr_slice prefix) {
  size_t end = prefix.size, start = end;
  while (end > 0) {
    start = end;
    while (start > 0 && prefix.data[start - 1] != '.')
      start--;
    if (!starts_with_number(prefix.data + start))
      break;
    end = start > 0 ? start - 1 : 0;
  }
  if (end == 0)
    return "top level";
  return etr_or_empty(
      etr_arena_format(&answer->arena, "%.*s itself", (int)(end - start), prefix.data + start));
}

/* Returns true if some operators of a row's backend have a module, so that their time is in the
 * boxes of modules, and a box of the backend's name would seem to be all of its time. */
static bool has_operators_elsewhere(const etr_first_screen *s, const etr_group *group) {
  for (size_t i = 0; i < s->groups.count; i++) {
    const etr_group *other = &s->groups.list[i];
    if (other->pattern && other->backend && group->backend &&
        strcmp(other->backend, group->backend) == 0)
      return true;
  }
  return false;
}

/* Returns whether a row has operators that quantization inserted into a model with modules. They
 * have none, though they are between operators of one. */
static bool is_of_quantization(const etr_first_screen *s, const etr_group *group) {
  bool has_modules = false;
  if (!group->op || !group->pattern || group->pattern[0])
    return false;
  if (!strstr(group->op, "quantize") && !strstr(group->op, "choose_qparams"))
    return false;
  for (size_t i = 0; i < s->groups.count; i++)
    has_modules |= s->groups.list[i].pattern && s->groups.list[i].pattern[0];
  return has_modules;
}

/* Returns the name of a row's box in the upper line: the first name of its module's path below the
 * prefix, "quantization" for what that inserted, or what runs the row if it has no module or is at
 * the top level. Time in a delegate that is on no operator is called "XNNPACK, outside operators"
 * if operators of that backend are in other boxes. */
static const char *upper_box_name(etr_answer *answer, const etr_first_screen *s,
                                  const etr_group *group) {
  etr_slice prefix = s->prefix;
  bool is_inside = group->part == ETR_TIME_OPAQUE || group->part == ETR_TIME_DELEGATE_PHASES;
  if (!group->pattern && is_inside && has_operators_elsewhere(s, group))
    return etr_or_empty(
        etr_arena_format(&answer->arena, "%s, outside operators", legend_name(answer, group)));
  if (is_of_quantization(s, group))
    return "quantization";
  if (!group->pattern || !group->pattern[0])
    return legend_name(answer, group);
  const char *name = path_below_prefix(answer, group->pattern, prefix);
  size_t size = 0;
  bool has_letter = false;
  /* A number alone says nothing: "conv.1", not "1". */
  while (name[size] && (name[size] != '.' || !has_letter)) {
    has_letter |= name[size] >= 'A' && name[size] <= 'z';
    size++;
  }
  if (size == 0)
    return own_box_name(answer, prefix);
  if (!has_letter)
    return name_below(answer, group->pattern, prefix);
  return etr_or_empty(etr_arena_copy(&answer->arena, (etr_slice){name, size}));
}

/* Writes a box's name into `room` columns, filled up with blanks: the whole name if it fits; else
 * cut before its first "_", "," or "(", or at the right with "…"; or nothing if fewer than four
 * columns would remain of it, or it has fewer than eight. `more`, the time, follows if it fits
 * behind the name. */
static void put_box_label(etr_writer *w, const char *name, const char *more, size_t room) {
  static const char prefix[] = "native_"; /* says nothing of what an operator does */
  size_t width = etr_plain_width(w, name), used = 0;
  if (width > room && strncmp(name, prefix, sizeof prefix - 1) == 0) {
    name += sizeof prefix - 1;
    width = etr_plain_width(w, name);
  }
  if (width <= room) {
    etr_put_sanitized(w, name);
    used = width;
  } else if (width >= 8 && room >= 4) {
    const char *cut = strpbrk(name, "_,(");
    size_t size = cut && (size_t)(cut - name) >= 4 ? (size_t)(cut - name) : width;
    while (size > 1 && name[size - 1] == ' ')
      size--;
    bool is_short = size > room; /* and so ends within a word */
    size = ETR_MIN(size, is_short ? room - 1 : room);
    for (used = 0; used < size && (unsigned char)name[used] < 0x80; used++)
      etr_put_byte(w, name[used] >= ' ' && name[used] != 0x7F ? name[used] : '?');
    etr_puts(w, is_short ? "\xE2\x80\xA6" : "");
    used += is_short;
  }
  if (used && more[0] && used + 1 + etr_plain_width(w, more) <= room) {
    etr_put_byte(w, ' ');
    etr_puts(w, more);
    used += 1 + etr_plain_width(w, more);
  }
  etr_put_blanks(w, room - used);
}

/* Writes boxes, which are sorted by time, into the columns from `first` to before `end`, each as
 * wide as its time. As soon as one would be narrower than LEAST columns, it and all further ones
 * become one box with their number, "+3". Labels have the time, and with has_unit its unit and its
 * share in the whole method, not in these boxes. */
static void put_boxes(etr_answer *answer, const etr_first_screen *s, const boxes *b, size_t first,
                      size_t end, bool has_unit) {
  enum { LEAST = 4 }; /* columns of a box with a label */
  etr_writer *w = &answer->writer;
  double done = 0;
  size_t at = first;
  for (size_t i = 0; i < b->count; i++) {
    size_t stop = first +
                  (size_t)((done + b->list[i].ticks) / b->whole * (double)(end - first) + 0.5);
    if (stop < at + LEAST && at < end) { /* the rest: they are sorted */
      etr_puts(w, LINE);
      size_t room = end - at - 1;
      const char *rest = etr_arena_format(&answer->arena, "+%zu", b->count - i);
      bool fits = etr_plain_width(w, etr_or_empty(rest)) <= room;
      put_box_label(w, fits ? etr_or_empty(rest) : "", "", room);
      return;
    }
    if (stop <= at)
      continue;
    etr_puts(w, LINE);
    put_box_label(
        w, b->list[i].name,
        time_text(answer, s, b->list[i].ticks, has_unit, b->list[i].ticks / s->groups.whole),
        stop - at - 1);
    done += b->list[i].ticks;
    at = stop;
  }
}

/* Writes what runs where, the longest first, with time, unit and share (true) in the whole time:
 * "XNNPACK 741 ms 81 % · CPU kernels 163 ms 18 % · calls and ...". What takes less than
 * LEAST_NAMED of the whole time is left out. */
static void put_where_it_runs(etr_answer *answer, const etr_first_screen *s) {
  boxes places = {.count = 0};
  for (size_t i = 0; i < s->groups.count; i++) {
    const etr_group *group = &s->groups.list[i];
    add_time_to_box(&places, legend_name(answer, group), group->stats.typical);
  }
  etr_sort(places.list, places.count, sizeof *places.list, by_box_time);
  etr_text text;
  etr_writer w;
  etr_text_begin(&text, &answer->arena, &w);
  for (size_t i = 0; i < places.count; i++) {
    const box *place = &places.list[i];
    double share = place->ticks / s->groups.whole;
    if (i == 0 || place->ticks >= LEAST_NAMED * s->groups.whole)
      etr_putf(&w, "%s%s %s", i ? DOT : "", place->name,
               time_text(answer, s, place->ticks, true, share));
  }
  const char *legend = etr_text_end(&text, &w);
  if (legend)
    etr_put_wrapped(&answer->writer, ETR_STYLE_DIM, sanitized(answer, legend), 1,
                    screen_width(answer));
}

void etr_first_screen_put_boxes(etr_answer *answer, const etr_first_screen *s) {
  etr_writer *w = &answer->writer;
  boxes upper = {.count = 0};
  if (etr_section_is_markdown(answer) || s->groups.count == 0 || !(s->groups.whole > 0))
    return;
  for (size_t i = 0; i < s->groups.count; i++)
    add_time_to_box(&upper, upper_box_name(answer, s, &s->groups.list[i]),
                    s->groups.list[i].stats.typical);
  if (!(upper.whole > 0)) /* the clock counted nothing of the chosen nodes */
    return;
  etr_sort(upper.list, upper.count, sizeof *upper.list, by_box_time);
  size_t width = screen_width(answer) - 1;
  etr_puts(w, "\n");
  /* Only the upper boxes have units and shares (true): the lower ones are narrower. */
  put_boxes(answer, s, &upper, 0, width, true);
  etr_puts(w, LINE "\n");
  double done = 0;
  for (size_t i = 0, at = 0; i < upper.count && at < width; i++) {
    size_t stop = (size_t)((done + upper.list[i].ticks) / upper.whole * (double)width + 0.5);
    boxes lower = {.count = 0};
    size_t end = stop < at + 4 ? width : stop; /* the rest, as in the upper line */
    for (size_t k = 0; k < s->groups.count; k++) {
      const etr_group *group = &s->groups.list[k];
      const char *name = upper_box_name(answer, s, group);
      bool is_in = strcmp(name, upper.list[i].name) == 0;
      if (end == width && stop != width)
        for (size_t other = i + 1; other < upper.count; other++)
          is_in |= strcmp(name, upper.list[other].name) == 0;
      if (is_in)
        add_time_to_box(&lower,
                        group->op ? operator_of(answer, s, group) : part_name(answer, s, group),
                        group->stats.typical);
    }
    etr_sort(lower.list, lower.count, sizeof *lower.list, by_box_time);
    if (lower.whole > 0 && end > at)
      put_boxes(answer, s, &lower, at, end, false);
    done += upper.list[i].ticks;
    at = end;
  }
  etr_puts(w, LINE "\n");
  put_where_it_runs(answer, s);
}

/* ---- Levers ---- */

/* Returns what a change saves in each inference, at most all of its time: "300 – 450 ms", "up to
 * 130 ms", "11 ms", or "190 ms once" for a time that is not spent in each inference. Returns
 * "unknown, of 41 ms" if only the time that it is about is known, "a surer time" for measuring
 * again, and "" if there is nothing to say. */
static const char *saving_range_text(etr_answer *answer, const etr_first_screen *s,
                                     const etr_finding *finding) {
  etr_text text;
  etr_writer w;
  if (isnan(finding->potential) && isnan(finding->cost))
    return "";
  if (isnan(finding->potential) && !(finding->cost > 0))
    return "no time";
  if (isnan(finding->potential) && !etr_finding_effort_text(finding)[0])
    return "unknown"; /* looking saves nothing itself */
  double least = finding->least, most = finding->potential;
  if (finding->saves_words)
    return finding->saves_words;
  etr_unit unit = finding->is_once ? etr_unit_of_single_time(answer->profile, answer->options, most)
                                   : s->unit;
  double whole = finding->is_once ? (double)INFINITY : s->method->execute.typical;
  etr_text_begin(&text, &answer->arena, &w);
  if (isnan(most)) {
    etr_puts(&w, "unknown, of ");
    most = finding->cost;
  } else if (!(least > 0)) {
    etr_puts(&w, "up to ");
  } else if (strcmp(saving_text(answer, unit, least, whole),
                    saving_text(answer, unit, most, whole)) != 0) {
    put_saving(&w, answer, unit, least, whole);
    etr_puts(&w, DASH);
  }
  put_saving(&w, answer, unit, most, whole);
  if (unit != ETR_UNIT_CYCLES || !etr_first_screen_is_narrow(answer)) /* numbers are long */
    etr_putf(&w, " %s", etr_unit_name(unit));
  etr_puts(&w, finding->is_once ? " once" : "");
  return etr_or_empty(etr_text_end(&text, &w));
}

/* Draws a bar of BAR columns for the whole time (all in ticks): solid for what a change saves at
 * least, shaded for what it saves at most. */
static void put_saving_bar(etr_writer *w, double low, double high, double whole) {
  size_t solid = low > 0 ? (size_t)(low / whole * BAR + 0.5) : 0;
  size_t shade = high > 0 ? (size_t)(high / whole * BAR + 0.5) : 0;
  for (size_t i = 0; i < BAR; i++) {
    const char *rest = i < shade ? SHADE : "\xC2\xB7";
    etr_puts(w, i < solid ? SOLID : rest);
  }
}

/* Returns "; shares time with 1, 2": the numbers of the findings on the screen whose savings are
 * partly the same, so that they do not add up; "" if there are none. */
static const char *shared_text(etr_answer *answer, const etr_finding *finding) {
  etr_text text;
  etr_writer w;
  etr_text_begin(&text, &answer->arena, &w);
  for (size_t i = 0; i < finding->overlap_count; i++)
    etr_putf(&w, "%s%u", i ? ", " : "; shares time with ", (unsigned)finding->overlaps[i] + 1);
  return etr_or_empty(etr_text_end(&text, &w));
}

/* Returns a text that is cut at a blank, with "…", so that it has at most so many columns. */
static const char *cut_at_blank(etr_answer *answer, const char *text, size_t columns) {
  size_t cut = 0, used = 0;
  for (size_t i = 0; text[i]; i++) {
    bool begins_character = ((unsigned char)text[i] & 0xC0) != 0x80; /* of UTF-8 */
    used += begins_character;
    if (text[i] == ' ' && used <= columns)
      cut = i;
  }
  while (cut > 0 && strchr(" ,;:", text[cut - 1]))
    cut--;
  return etr_or_empty(etr_arena_format(&answer->arena, "%.*s\xE2\x80\xA6", (int)cut, text));
}

/* Returns a fact without the command at its end, "`etrecord-tb delegation RECORD`". Sets *command
 * to a line that a person can copy, with the path of the record in place of RECORD; "" if the fact
 * ends in no command. */
static const char *without_command(etr_answer *answer, const char *fact, const char **command) {
  static const char record[] = "RECORD`";
  const char *start = strstr(fact, "`etrecord-tb "), *end = start ? strstr(start, record) : NULL;
  *command = "";
  if (!end || end[sizeof record - 1])
    return fact;
  const char *named = answer->options->record ? answer->options->record : "RECORD";
  *command = etr_or_empty(
      etr_arena_format(&answer->arena, "%.*s%s", (int)(end - start - 1), start + 1, named));
  size_t size = (size_t)(start - fact);
  while (size && fact[size - 1] == ' ')
    size--;
  return etr_or_empty(etr_arena_copy(&answer->arena, (etr_slice){fact, size}));
}

/* Writes the line below a finding: what it takes and why, "Re-export: they take 614 ms in
 * float32; shares time with 1", and on a line of its own the command that says more. If there is no
 * room for all, the reason is cut, which --explain has whole. */
static void put_why(etr_answer *answer, const etr_finding *finding) {
  enum { INDENT = 3, LEAST_REASON = 24 };
  const char *effort = etr_finding_effort_text(finding), *command;
  const char *reason = without_command(answer, finding->fact, &command);
  if (effort[0] && (strncmp(reason, "They ", 5) == 0 || strncmp(reason, "It ", 3) == 0))
    reason = etr_arena_format(&answer->arena, "%c%s", reason[0] - 'A' + 'a', reason + 1);
  if (!reason)
    return;
  if (effort[0])
    reason = etr_arena_format(&answer->arena, "%c%s%s%s", effort[0] - 'a' + 'A', effort + 1,
                              reason[0] ? ": " : "", reason);
  const char *shares = shared_text(answer, finding);
  size_t width = screen_width(answer) - INDENT, after = etr_plain_width(&answer->writer, shares);
  reason = sanitized(answer, reason);
  size_t room = width > after + LEAST_REASON ? width - after : LEAST_REASON;
  if (after && etr_plain_width(&answer->writer, reason) > room)
    reason = cut_at_blank(answer, reason, room);
  reason = etr_arena_format(&answer->arena, "%s%s", etr_or_empty(reason), shares);
  etr_put_wrapped(&answer->writer, ETR_STYLE_DIM, etr_or_empty(reason), INDENT, width + INDENT);
  if (!command[0])
    return;
  etr_put_blanks(&answer->writer, INDENT);
  etr_put_sanitized(&answer->writer, command);
  etr_puts(&answer->writer, "\n");
}

/* Writes a finding as text: its number and title, a bar and the range of what it saves, how sure
 * that is; below that, why. There is no bar for what saves nothing in each inference, or only makes
 * the time surer, or if it is not known what it saves. */
static void put_finding(etr_answer *answer, const etr_first_screen *s, size_t number,
                        const etr_finding *finding, bool is_narrow) {
  etr_writer *w = &answer->writer;
  const char *saves = saving_range_text(answer, s, finding);
  etr_putf(w, "%2zu ", number);
  etr_put_style(w, ETR_STYLE_BOLD);
  size_t used = etr_put_cut(w, sanitized(answer, finding->title), name_columns(answer),
                            ETR_CUT_MIDDLE);
  etr_put_style(w, ETR_STYLE_PLAIN);
  etr_put_blanks(w, name_columns(answer) + 1 - used); /* the bar is not beside the title */
  bool has_bar = !is_narrow && !finding->is_once && !isnan(finding->potential) &&
                 !finding->saves_words;
  if (has_bar)
    put_saving_bar(w, finding->least, finding->potential, s->groups.whole);
  enum { SAVES_COLUMNS = 19, NARROW_SAVES_COLUMNS = 16 }; /* of the column "saves" */
  size_t room = is_narrow ? NARROW_SAVES_COLUMNS : SAVES_COLUMNS;
  size_t width = etr_plain_width(w, saves);
  room += is_narrow || has_bar ? 0 : BAR; /* a long saving takes the place of the bar */
  size_t least = is_narrow ? 0 : 1;       /* a bar is before it, or the blank behind a title */
  etr_put_blanks(w, room > width ? room - width : least);
  etr_put_sanitized(w, saves);
  etr_putf(w, "   %s\n", etr_sureness_text(finding->sureness));
  put_why(answer, finding);
}

/* Writes a fact as Markdown. The first command in it, `etrecord-tb ...`, is written as code; all
 * else is escaped, because it may contain names from hostile files. A command has only letters of
 * `allowed`, which no such name could add markup to. */
static void put_markdown_fact(etr_answer *answer, const char *fact) {
  static const char start[] = "`etrecord-tb ";
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzRECORD -";
  etr_writer *w = &answer->writer;
  const char *code = strstr(fact, start);
  size_t size = code ? 1 + strspn(code + 1, allowed) : 0;
  if (!code || code[size] != '`') {
    etr_put_markdown(w, fact);
    return;
  }
  etr_put_markdown(
      w, etr_or_empty(etr_arena_format(&answer->arena, "%.*s", (int)(code - fact), fact)));
  etr_put(w, (etr_slice){code, size + 1});
  etr_put_markdown(w, code + size + 1);
}

/* Returns the title of the list of the first `shown` findings, with the rule of its order if it
 * fits into so many columns (SIZE_MAX: no limit). advice:
 * index of the finding that advises to measure again; SIZE_MAX if there is none. */
static const char *findings_title(etr_answer *answer, const etr_first_screen *s, size_t shown,
                                  size_t advice, size_t columns) {
  etr_arena *arena = &answer->arena;
  bool overlap = false;
  for (size_t i = 0; i < shown; i++)
    overlap |= s->findings->list[i].overlap_count > 0;
  const char *title = "what to change", *rule = " (by saving " TIMES " how sure)";
  bool has_advice = advice < s->findings->count;
  if (s->is_part)
    return "what to change (in the whole method)";
  if (has_advice)
    title = etr_or_empty(
        etr_arena_format(arena, "what to change, but first measure again as %zu says", advice + 1));
  else if (overlap)
    rule = " (by saving " TIMES " how sure; savings overlap)";
  const char *ruled = etr_or_empty(etr_arena_format(arena, "%s%s", title, rule));
  bool has_room = etr_plain_width(&answer->writer, ruled) < columns;
  return has_room && shown > 1 ? ruled : title;
}

/* Writes a finding as a row of a Markdown table: its number, what to do and why, what it saves and
 * how sure that is, and what it takes. */
static void put_finding_row(etr_answer *answer, const etr_first_screen *s, size_t number,
                            const etr_finding *finding) {
  etr_writer *w = &answer->writer;
  etr_putf(w, "| %zu. **", number);
  etr_put_markdown(w, finding->title);
  etr_puts(w, finding->fact[0] ? "** (" : "**");
  put_markdown_fact(answer, finding->fact);
  /* TensorBoard breaks words in narrow columns, so how sure it is has none of its own. */
  const char *saves = saving_range_text(answer, s, finding),
             *effort = etr_finding_effort_text(finding);
  const char *sureness = effort[0] ? etr_sureness_text(finding->sureness) : "";
  etr_putf(w, "%s%s | %s%s%s | %s |\n", finding->fact[0] ? ")" : "", shared_text(answer, finding),
           saves, saves[0] && sureness[0] ? ", " : "", sureness, effort);
}

/* Writes how many findings or rows a list leaves out, and the option that shows them. */
static void put_hidden_number(etr_answer *answer, size_t count, const char *what,
                              const char *option) {
  if (count == 0)
    return;
  if (etr_section_is_markdown(answer))
    etr_putf(&answer->writer, "\n%zu more %s%s: `etrecord-tb summary RECORD %s`\n", count, what,
             etr_plural(count), option);
  else
    etr_putf(&answer->writer, " %zu more %s%s: %s\n", count, what, etr_plural(count), option);
}

void etr_first_screen_put_findings(etr_answer *answer, const etr_first_screen *s) {
  etr_writer *w = &answer->writer;
  bool is_markdown = etr_section_is_markdown(answer),
       is_narrow = etr_first_screen_is_narrow(answer);
  if (!s->findings || s->findings->count == 0)
    return;
  size_t shown = ETR_MIN(s->findings->count, s->most_findings), advice = s->findings->advice;
  size_t before = name_columns(answer) + strlen("what to change") + (is_narrow ? 1 : 18);
  const char *title = findings_title(answer, s, shown, advice, is_markdown ? SIZE_MAX : before);
  if (is_markdown) {
    etr_putf(w, "\n| %s | saves | effort |\n|---|---|---|\n", title);
  } else {
    etr_puts(w, "\n");
    etr_put_style(w, ETR_STYLE_BOLD);
    etr_puts(w, title);
    etr_put_blanks(w, before - ETR_MIN(before, etr_plain_width(w, title)));
    etr_puts(w, "saves   how sure\n");
    etr_put_style(w, ETR_STYLE_PLAIN);
  }
  for (size_t i = 0; i < shown; i++) {
    /* Measuring again is in the list also where it is further behind, unless a number was given. */
    bool is_advice = i + 1 == shown && advice < s->findings->count && advice > i &&
                     !answer->options->findings;
    size_t at = is_advice ? advice : i;
    const etr_finding *finding = &s->findings->list[at];
    if (is_markdown)
      put_finding_row(answer, s, at + 1, finding);
    else
      put_finding(answer, s, at + 1, finding, is_narrow);
  }
  put_hidden_number(answer, s->findings->count - shown, "change", "--findings 0");
}

/* ---- Rows ---- */

/* A line of the table: a row, or the sum of all rows of a type, below which some of them are. */
typedef struct table_line {
  const etr_headline_part *type; /* NULL: the row of interruptions, or types are not known */
  const etr_group *group;        /* NULL: the sum of the type's rows */
  bool is_inner;                 /* it is in the sum above it */
  double estimated;              /* as in etr_group */
  double ticks;
} table_line;

/* The lines of a table, in the order in which they are written. */
typedef struct table_lines {
  table_line *list;
  size_t count;
  size_t left_out; /* rows that no line has */
} table_lines;

/* Adds a line for each row and, before the first of several rows of one type (operator, number type
 * and backend), a line for their sum. Times are those of the typical run. The sum of a type is
 * added up again at each of its rows, but written once. */
static void add_all_lines(table_lines *out, const etr_first_screen *s) {
  for (size_t i = 0; i < s->groups.count; i++) {
    const etr_headline_part *type = headline_part_of_row(s, &s->groups.list[i]);
    table_line sum = {.type = type};
    size_t rows = 0, first = i;
    for (size_t k = 0; type && k < s->groups.count; k++) {
      if (headline_part_of_row(s, &s->groups.list[k]) != type)
        continue;
      first = rows ? first : k;
      rows++;
      sum.ticks += s->groups.list[k].stats.typical;
      sum.estimated += s->groups.list[k].estimated;
    }
    if (rows > 1 && first == i)
      out->list[out->count++] = sum;
    const etr_group *group = &s->groups.list[i];
    out->list[out->count++] = (table_line){.type = type,
                                           .group = group,
                                           .is_inner = rows > 1,
                                           .estimated = group->estimated,
                                           .ticks = group->stats.typical};
  }
}

/* Orders lines by time, the longest first; a sum is before the rows in it. */
static int by_ticks(const void *a, const void *b) {
  const table_line *x = a, *y = b;
  if (x->ticks != y->ticks)
    return x->ticks < y->ticks ? 1 : -1;
  if (x->is_inner != y->is_inner)
    return x->is_inner ? 1 : -1;
  return (x->group > y->group) - (x->group < y->group);
}

/* Moves the rows of each type directly below the line of its sum. The lines are sorted by time, and
 * stay so among sums and single rows, and among the rows of each sum. sorted: room for all lines,
 * which becomes their list. */
static void move_rows_below_sums(table_lines *lines, table_line *sorted) {
  size_t count = 0;
  for (size_t i = 0; i < lines->count; i++) {
    const table_line *line = &lines->list[i];
    if (line->is_inner)
      continue;
    sorted[count++] = *line;
    for (size_t k = 0; !line->group && k < lines->count; k++)
      if (lines->list[k].is_inner && lines->list[k].type == line->type)
        sorted[count++] = lines->list[k];
  }
  lines->list = sorted;
}

/* Removes rows below a sum that are smaller than ETR_LEAST_INSIDE of the whole time of the rows,
 * and lines whose time is 0, because it is below the clock's step; but not the first line, so that
 * some line remains. Adds the number of removed rows, not of sums, to lines->left_out. */
static void leave_out_small(table_lines *lines, const etr_first_screen *s) {
  size_t kept = 0;
  double whole = 0;
  for (size_t i = 0; i < s->groups.count; i++)
    whole += s->groups.list[i].stats.typical;
  for (size_t i = 0; i < lines->count; i++) {
    const table_line *line = &lines->list[i];
    bool is_small = line->is_inner ? line->ticks < ETR_LEAST_INSIDE * whole
                                   : line->ticks == 0 && kept > 0;
    if (is_small)
      lines->left_out += line->group != NULL;
    else
      lines->list[kept++] = *line;
  }
  lines->count = kept;
}

/* Chooses the lines of the table: at most s->most_rows (0: all, also small ones) of the longest
 * sums of a type and single rows. out->left_out counts the rows, not the sums, that have no line.
 * Returns false when out of memory. */
static bool choose_lines(table_lines *out, etr_answer *answer, const etr_first_screen *s) {
  size_t most = 2 * s->groups.count; /* each row, and a sum for each at most */
  table_line *sorted = etr_arena_alloc_array(&answer->arena, most, sizeof *sorted);
  *out = (table_lines){.list = etr_arena_alloc_array(&answer->arena, most, sizeof *out->list)};
  if (!out->list || !sorted)
    return false;
  add_all_lines(out, s);
  etr_sort(out->list, out->count, sizeof *out->list, by_ticks);
  if (s->most_rows)
    leave_out_small(out, s);
  size_t shown = s->most_rows ? ETR_MIN(out->count, s->most_rows) : out->count;
  for (size_t i = shown; i < out->count; i++)
    out->left_out += out->list[i].group != NULL;
  out->count = shown;
  move_rows_below_sums(out, sorted);
  return true;
}

/* Returns the time of a line, marked with "≤" if it is an upper bound, or with "≈" if it
 * contains estimates. */
static const char *line_time(etr_answer *answer, const etr_first_screen *s,
                             const table_line *line) {
  etr_text text;
  etr_writer w;
  etr_text_begin(&text, &answer->arena, &w);
  if (line->type && line->type->high > line->type->low)
    etr_puts(&w, AT_MOST);
  else if (etr_is_estimated(line->estimated, line->ticks))
    etr_puts(&w, ABOUT);
  put_time(&w, answer, s, line->ticks);
  return etr_or_empty(etr_text_end(&text, &w));
}

/* Returns the share of a line in the whole time as text. For all rows of a type it has the digits
 * that the sentence at the top of the screen has, and is a range ("38–61 %", "≤41 %") if a
 * clock hides something. Such ranges are short, as in a cell (true). "" for a time of 0. */
static const char *line_share(etr_answer *answer, const etr_first_screen *s,
                              const table_line *line) {
  etr_text text;
  etr_writer w;
  etr_text_begin(&text, &answer->arena, &w);
  bool is_sum = line->type && !line->is_inner;
  if (is_sum && line->ticks > 0)
    etr_headline_put_share(&w, line->type, true);
  else if (line->ticks > 0)
    etr_put_percent(&w, line->ticks / s->groups.whole);
  return etr_or_empty(etr_text_end(&text, &w));
}

/* Writes a text at the right end of `width` columns. */
static void put_right_aligned(etr_writer *w, const char *text, size_t width) {
  size_t used = etr_plain_width(w, text);
  etr_put_blanks(w, width > used ? width - used : 0);
  etr_put_sanitized(w, text);
}

/* Draws a bar of at most 11 columns in proportion to the largest share, `most`. is_padded: blanks
 * fill the columns up. */
static void put_share_bar(etr_writer *w, double share, double most, bool is_padded) {
  enum { COLUMNS = 11 };
  size_t count = most > 0 ? (size_t)(share / most * COLUMNS + 0.5) : 0;
  for (size_t i = 0; i < count && i < COLUMNS; i++)
    etr_puts(w, SOLID);
  if (is_padded)
    etr_put_blanks(w, COLUMNS - ETR_MIN(count, (size_t)COLUMNS));
}

/* Returns how many operators, kernels or delegates a line has. */
static size_t line_count(const table_line *line) {
  return line->group ? line->group->count : line->type->count;
}

/* Returns the name of a row, cut to so many columns, or of a sum of rows. */
static const char *line_name(etr_answer *answer, const etr_first_screen *s, const table_line *line,
                             size_t columns) {
  if (line->group)
    return etr_or_empty(row_name(answer, s, line->group, s->prefix, columns));
  return etr_or_empty(etr_headline_part_name(&answer->arena, line->type));
}

/* Returns what runs the operators of a line. */
static const char *line_runs_on(etr_answer *answer, const table_line *line) {
  return line->group ? runs_on(answer, line->group) : backend_name(answer, line->type->backend);
}

/* Writes a line as a row of a Markdown table: sums are bold, rows below a sum begin with an arrow.
 * Names are not cut, and bars are not filled up with blanks (false). most: share of the longest
 * line, which has the longest bar. */
static void put_markdown_line(etr_answer *answer, const etr_first_screen *s, const table_line *line,
                              double most) {
  etr_writer *w = &answer->writer;
  size_t count = line_count(line);
  bool has_count = count > 0 && (!line->group || line->group->part != ETR_TIME_CALL_OVERHEAD);
  etr_puts(w, line->is_inner ? "| \xE2\x86\xB3 " : "| ");
  etr_puts(w, line->group ? "" : "**");
  etr_put_markdown(w, line_name(answer, s, line, 0));
  etr_puts(w, line->group ? "" : "**");
  if (has_count) /* the name of a call has the number */
    etr_putf(w, " " TIMES "%zu", count);
  etr_putf(w, " | %s | %s | ", line_time(answer, s, line), line_share(answer, s, line));
  put_share_bar(w, line->ticks / s->groups.whole, most, false);
  etr_puts(w, " | ");
  etr_put_markdown(w, line_runs_on(answer, line));
  etr_puts(w, " |\n");
}

/* Writes a line as text: name, time, share, bar, number of operators, time of each (in the screen's
 * unit, without its name), what runs them. Bars are filled up with blanks (true). A narrow screen
 * has no bar and no time of each. most: share of the longest line, which has the longest bar. */
static void put_text_line(etr_answer *answer, const etr_first_screen *s, const table_line *line,
                          double most) {
  enum { LEAST_PLACE = 8 /* columns of what a row runs on */ };
  etr_writer *w = &answer->writer;
  bool is_narrow = etr_first_screen_is_narrow(answer);
  size_t indent = line->is_inner ? 3 : 1, room = name_columns(answer) - indent;
  size_t count = line_count(line);
  etr_put_blanks(w, indent);
  size_t used = etr_put_cut(w, sanitized(answer, line_name(answer, s, line, room)), room,
                            ETR_CUT_MIDDLE);
  etr_put_blanks(w, room - used);
  put_right_aligned(w, line_time(answer, s, line), 10); /* widths as in put_rows_head() */
  put_right_aligned(w, line_share(answer, s, line), 8);
  etr_puts(w, "  ");
  if (!is_narrow)
    put_share_bar(w, line->ticks / s->groups.whole, most, true);
  put_right_aligned(w,
                    count ? etr_or_empty(etr_arena_format(&answer->arena, TIMES "%zu", count)) : "",
                    is_narrow ? 6 : 7);
  if (!is_narrow)
    put_right_aligned(w, count ? time_text(answer, s, line->ticks / (double)count, false, 0) : "",
                      8);
  etr_puts(w, "  ");
  size_t before = name_columns(answer) + (is_narrow ? 28 : 48); /* the columns written so far */
  size_t width = screen_width(answer) > before + LEAST_PLACE ? screen_width(answer) - before
                                                             : LEAST_PLACE;
  (void)etr_put_cut(w, sanitized(answer, line_runs_on(answer, line)), width, ETR_CUT_MIDDLE);
  etr_puts(w, "\n");
}

/* Writes the title of the table of rows, with the last bytes of the common prefix, and the titles
 * of its columns, whose widths are those of put_text_line(): the column of times is titled with the
 * unit. */
static void put_rows_head(etr_answer *answer, const etr_first_screen *s) {
  enum { LONGEST_PREFIX = 15 };
  etr_writer *w = &answer->writer;
  etr_slice prefix = s->prefix;
  const char *unit = etr_unit_name(s->unit);
  bool is_narrow = etr_first_screen_is_narrow(answer);
  size_t left_out = prefix.size > LONGEST_PREFIX ? prefix.size - LONGEST_PREFIX + 1 : 0;
  const char *title = "where the time goes", *dots = left_out ? "\xE2\x80\xA6" : "";
  if (prefix.size)
    title = etr_arena_format(&answer->arena, "where the time goes (module %s%.*s)", dots,
                             (int)(prefix.size - left_out), prefix.data + left_out);
  etr_puts(w, "\n");
  if (etr_section_is_markdown(answer)) {
    etr_puts(w, "| ");
    etr_put_markdown(w, etr_or_empty(title));
    etr_putf(w, " | %s | share | | runs on |\n|---|---:|---:|---|---|\n", unit);
    return;
  }
  etr_put_style(w, ETR_STYLE_BOLD);
  size_t used = etr_put_cut(w, sanitized(answer, title), name_columns(answer), ETR_CUT_MIDDLE);
  etr_put_blanks(w, name_columns(answer) - used);
  put_right_aligned(w, unit, 10);
  etr_puts(w, is_narrow ? "   share   count" : "   share               count    each");
  etr_puts(w, "  runs on\n");
  etr_put_style(w, ETR_STYLE_PLAIN);
}

void etr_first_screen_put_rows(etr_answer *answer, const etr_first_screen *s) {
  table_lines lines;
  if (s->groups.count == 0 || !choose_lines(&lines, answer, s))
    return;
  put_rows_head(answer, s);
  bool is_markdown = etr_section_is_markdown(answer);
  double most = lines.list[0].ticks / s->groups.whole;
  for (size_t i = 0; i < lines.count; i++) {
    if (is_markdown)
      put_markdown_line(answer, s, &lines.list[i], most);
    else
      put_text_line(answer, s, &lines.list[i], most);
  }
  put_hidden_number(answer, lines.left_out, "row", "--top 0");
}
