/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory_order.c - another order of the instructions.
 */
#include "output/writer.h"
#include "views/memory_rules.h"

/* The first moves, and how many more there are. */
static const char *moves_text(const etr_memory_finder *f, const etr_memory_order *order) {
  enum { LISTED = 3 };
  etr_text text;
  etr_writer writer;
  etr_text_begin(&text, f->arena, &writer);
  for (size_t i = 0; i < order->move_count && i < LISTED; i++) {
    etr_puts(&writer, i ? ", " : "");
    /* "aten.sum.dim_IntList (instruction 9) right after instruction 2" */
    const etr_order_move *move = &order->moves[i];
    if (move->first == move->last)
      etr_putf(&writer, "%.*s (instruction %d)", ETR_HEAD(etr_memory_step_op(f->profile, f->method, move->first), 128),
               (int)move->first);
    else
      etr_putf(&writer, "instructions %d to %d", (int)move->first, (int)move->last);
    if (move->after < 0)
      etr_puts(&writer, " to the start");
    else
      etr_putf(&writer, " right after instruction %d", (int)move->after);
  }
  if (order->move_count > LISTED)
    etr_putf(&writer, ", and %zu more move%s", order->move_count - LISTED, order->move_count - LISTED == 1 ? "" : "s");
  const char *made = etr_text_end(&text, &writer);
  return made ? made : "";
}

void etr_memory_find_order(etr_memory_finder *f) {
  etr_memory_order *order = etr_arena_alloc(f->arena, sizeof *order);
  if (!order || !etr_memory_order_find(order, f->plan, f->arena)) return;
  etr_memory_finding *added = etr_memory_finder_add(f, ETR_MEMORY_ORDER, f->plan->peak_bytes - order->peak_bytes,
                                                    f->plan->peak_bytes);
  if (!added) return;
  added->title = etr_arena_format(f->arena, "another order of the instructions would lower the peak to %s bytes",
                                  etr_bytes_text(f->arena, order->peak_bytes));
  added->evidence = etr_arena_format(
      f->arena,
      "move %s; the results stay the same. The peak counts live bytes; how much is planned "
      "also depends on where memory planning puts each tensor",
      moves_text(f, order));
  added->instruction = order->moves[0].first;
  added->order = order;
}
