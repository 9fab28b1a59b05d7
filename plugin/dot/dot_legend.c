/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dot_legend.c - the legend of a DOT file: what it shows and what its colours mean.
 */
#include "dot/dot_label.h"

#include "output/label.h"
#include "output/ranking.h"
#include "views/balance.h"
#include "views/heat.h"

#include <inttypes.h>
#include <math.h>

enum { MOST_DELEGATES = 8 /* in the legend: as many as there are colours */ };

double etr_dot_heat(const etr_dot_plan *plan, double ticks) {
  return plan->hottest > 0 && ticks > 0 ? sqrt(ticks / plan->hottest) : 0;
}

static void put_time(etr_writer *writer, const etr_dot_view *view, double ticks) {
  const char *time = etr_label_time(view->arena, etr_ticks_to_ns(view->profile, ticks));
  if (time != NULL) etr_puts(writer, time);
}

static void put_title(etr_writer *writer, const etr_dot_view *view) {
  etr_puts(writer, "<TR><TD ALIGN=\"LEFT\"><FONT POINT-SIZE=\"16\"><B>");
  etr_dot_put_html(writer, view->graph->module);
  etr_puts(writer, "/");
  etr_dot_put_html(writer, view->graph->method);
  etr_puts(writer, "</B></FONT></TD></TR>");
}

static void put_plural(etr_writer *writer, size_t count, const char *noun) {
  etr_putf(writer, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

static bool by_p50(const etr_dot_view *view) { return etr_ranks_by_p50(view->profile); }

static void put_totals(etr_writer *writer, const etr_dot_view *view) {
  etr_puts(writer, "<TR><TD ALIGN=\"LEFT\">");
  put_plural(writer, view->plan->total.ops, "operator");
  if (!view->plan->total.timed || view->method == NULL) {
    bool ran = view->method && view->method->run_count > 0;
    etr_puts(writer, ran ? ", none of them timed" : ", no run times");
  } else {
    etr_puts(writer, ", ");
    put_plural(writer, view->method->run_count, "run");
    etr_puts(writer, " of ");
    put_time(writer, view, view->method->execute.avg);
    etr_puts(writer, view->method->run_count == 1 ? "" : " on average");
    if (view->method->skipped_run_count)
      etr_putf(writer, " (%zu more left out%s)", view->method->skipped_run_count,
               view->profile->skip == ETR_SKIP_RANGE ? "" : " as warm-up");
    etr_puts(writer, by_p50(view) ? "; on operators, sum of medians: " : "; on operators: ");
    put_time(writer, view, view->plan->total.ticks);
    if (!by_p50(view) && view->method->execute.avg > 0) {
      etr_puts(writer, ", ");
      etr_dot_put_share(writer, view->plan->total.ticks / view->method->execute.avg);
    }
  }
  etr_puts(writer, "</TD></TR>");
}

/* The same parts as everywhere, to the nanosecond: they add up to Method::execute. */
static void put_balance(etr_writer *writer, const etr_dot_view *view) {
  etr_balance_part parts[ETR_BALANCE_PARTS];
  etr_balance_list(view->method, parts);
  etr_puts(writer, "<TR><TD ALIGN=\"LEFT\"><FONT COLOR=\"#4b5563\">average ns:");
  for (size_t i = 0; i < ETR_BALANCE_PARTS; i++) {
    if (parts[i].is_part_of_previous) continue;
    etr_putf(writer, "%s %s ", i == 0 ? "" : " +", parts[i].name);
    etr_put_fixed(writer, etr_ticks_to_ns(view->profile, (double)parts[i].ticks / (double)view->method->run_count), 3);
  }
  etr_puts(writer, " = execute ");
  etr_put_fixed(
      writer, etr_ticks_to_ns(view->profile, (double)view->method->execute_ticks / (double)view->method->run_count), 3);
  etr_puts(writer, "</FONT></TD></TR>");
}

static void begin_row(etr_writer *writer, const char *title) {
  etr_putf(writer,
           "<TR><TD ALIGN=\"LEFT\"><TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"4\" CELLPADDING=\"3\"><TR><TD "
           "ALIGN=\"LEFT\">%s</TD>",
           title);
}

static void end_row(etr_writer *writer) { etr_puts(writer, "</TR></TABLE></TD></TR>"); }

static void put_heat(etr_writer *writer, const etr_dot_view *view) {
  enum { SWATCHES = 6 };
  begin_row(writer, by_p50(view) ? "median per run" : "time per run");
  for (int i = 0; i < SWATCHES; i++) {
    double heat = (double)i / (SWATCHES - 1);
    etr_putf(writer, "<TD BORDER=\"1\" COLOR=\"#9ca3af\" BGCOLOR=\"%s\">", etr_heat_color(heat).text);
    put_time(writer, view, heat * heat * view->plan->hottest);
    etr_puts(writer, "</TD>");
  }
  etr_puts(writer, "<TD BORDER=\"1\" COLOR=\"#d1d5db\"><FONT COLOR=\"#6b7280\">not timed</FONT></TD>");
  end_row(writer);
}

static void put_delegate(etr_writer *writer, const etr_dot_view *view, size_t index) {
  const char *label = etr_dot_delegate_label(view, index);
  if (label == NULL) return;
  etr_putf(writer, "<TD BORDER=\"2\" COLOR=\"%s\">%s (%" PRIu32 ")</TD>", etr_delegate_color(index), label,
           view->plan->delegates[index].ops);
}

static void put_delegates(etr_writer *writer, const etr_dot_view *view) {
  size_t count = view->plan->delegate_count;
  begin_row(writer, "delegate (operators)");
  for (size_t i = 0; i < count && i < MOST_DELEGATES; i++) put_delegate(writer, view, i);
  if (count > MOST_DELEGATES) etr_putf(writer, "<TD>and %zu more</TD>", count - MOST_DELEGATES);
  end_row(writer);
}

static void put_note(etr_writer *writer, const char *note) {
  etr_putf(writer, "<TR><TD ALIGN=\"LEFT\"><FONT COLOR=\"#4b5563\">%s</FONT></TD></TR>", note);
}

/* What "~" stands for. */
static void put_estimates(etr_writer *writer, const etr_dot_view *view) {
  const etr_method *method = view->method;
  bool some_times = method && method->estimated_time_ticks > 0;
  bool some_matches = !method || method->estimated_confidence > 0 || !some_times;
  if (some_matches) put_note(writer, "~ estimated: matched by the order of operator classes, not by an id");
  if (some_times) put_note(writer, "~ estimated: the time was not measured operator by operator");
}

/* Sums by module, which count them for the model itself, would seem to contradict the picture. */
static void put_guests(etr_writer *writer, const etr_dot_view *view) {
  etr_puts(writer, "<TR><TD ALIGN=\"LEFT\"><FONT COLOR=\"#4b5563\">modules include adjacent quantizers, "
                   "which belong to no module: ");
  put_time(writer, view, view->plan->total.guest_ticks);
  etr_puts(writer, "</FONT></TD></TR>");
}

static void put_focus(etr_writer *writer, const etr_dot_view *view) {
  etr_puts(writer, "<TR><TD ALIGN=\"LEFT\">only module <B>");
  etr_dot_put_html(writer, view->plan->choice.focus);
  etr_puts(writer, "</B>; its neighbours in grey</TD></TR>");
}

static void put_top(etr_writer *writer, const etr_dot_view *view) {
  const etr_dot_choice *choice = &view->plan->choice;
  etr_puts(writer, choice->top == 1 ? "<TR><TD ALIGN=\"LEFT\">#1: the slowest node" : "<TR><TD ALIGN=\"LEFT\">");
  if (choice->top > 1) etr_putf(writer, "#1 to #%zu: the slowest nodes", choice->top);
  etr_puts(writer, choice->top == 1 ? ", " : ", together ");
  put_time(writer, view, choice->top_ticks);
  if (etr_dot_whole(view) > 0) {
    etr_puts(writer, ", ");
    etr_dot_put_share(writer, choice->top_ticks / etr_dot_whole(view));
  }
  etr_puts(writer, "; the rest in grey, runs of operators and whole modules as one box</TD></TR>");
}

static void put_folded(etr_writer *writer, uint32_t operators) {
  etr_puts(writer,
           "<TR><TD ALIGN=\"LEFT\"><FONT COLOR=\"#4b5563\">\xC3\x97N: N modules that are the same, drawn once with "
           "the time of all; not drawn: ");
  put_plural(writer, operators, "operator");
  etr_puts(writer, "</FONT></TD></TR>");
}

char *etr_dot_legend(const etr_dot_view *view) {
  const etr_dot_plan *plan = view->plan;
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, view->arena, &writer);
  etr_puts(&writer, "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"2\">");
  put_title(&writer, view);
  put_totals(&writer, view);
  if (view->method != NULL && view->method->run_count > 0) put_balance(&writer, view);
  if (plan->total.timed) put_heat(&writer, view);
  if (plan->total.timed && by_p50(view))
    put_note(&writer, "times are medians, of several nodes the sum of theirs; shares are of the summed p50");
  if (plan->delegate_count > 0) put_delegates(&writer, view);
  if (plan->total.estimated) put_estimates(&writer, view);
  if (plan->total.guest_ticks > 0) put_guests(&writer, view);
  if (plan->choice.focus != NULL) put_focus(&writer, view);
  if (plan->choice.top > 0) put_top(&writer, view);
  if (plan->folded > 0) put_folded(&writer, plan->folded);
  if (plan->fold.stand_in != NULL && plan->folded == 0)
    put_note(&writer, "no two modules are the same: none are folded");
  if (plan->has_closed) put_note(&writer, "a rounded box stands for a whole module");
  etr_puts(&writer, "</TABLE>");
  return etr_text_end(&text, &writer);
}
