/* SPDX-License-Identifier: BSD-3-Clause
 *
 * unfinished.c - lists that a signal handler can read at any moment, because an item is complete
 * before it is linked.
 */
#include "output/unfinished.h"

#include "etrecord_tb.h"
#include "output/below.h"

#include <fcntl.h>
#include <unistd.h>

enum { MOST_LISTS = 64 };

static _Atomic(etr_unfinished *) lists[MOST_LISTS];

/* Replaces the first entry of the table of lists that is `old` by `new_list`; either may be NULL
 * for "no list". Does nothing if there is no such entry. It is atomic, because a signal handler may
 * read the table at any moment. */
static void exchange_list(etr_unfinished *old, etr_unfinished *new_list) {
  for (size_t i = 0; i < MOST_LISTS; i++) {
    etr_unfinished *expected = old;
    if (atomic_compare_exchange_strong(&lists[i], &expected, new_list))
      return;
  }
}

void etr_unfinished_begin(etr_unfinished *list) {
  exchange_list(NULL, list);
}

void etr_unfinished_end(etr_unfinished *list) {
  exchange_list(list, NULL);
}

bool etr_unfinished_add(etr_unfinished *list, etr_arena *arena, int root, const char *path,
                        bool is_folder) {
  etr_unfinished_item *item = etr_arena_alloc(arena, sizeof *item);
  if (item == NULL)
    return false;
  *item = (etr_unfinished_item){
      .older = atomic_load(&list->newest), .path = path, .root = root, .is_folder = is_folder};
  atomic_store(&list->newest, item);
  return true;
}

void etr_unfinished_remove(etr_unfinished *list) {
  for (const etr_unfinished_item *item = atomic_load(&list->newest); item != NULL;
       item = item->older) {
    if (item->root >= 0)
      (void)etr_below_remove(item->root, item->path, item->is_folder);
    else
      (void)unlinkat(AT_FDCWD, item->path, item->is_folder ? AT_REMOVEDIR : 0);
  }
  atomic_store(&list->newest, NULL);
}

void etr_remove_unfinished(void) {
  for (size_t i = 0; i < MOST_LISTS; i++) {
    etr_unfinished *list = atomic_load(&lists[i]);
    if (list != NULL)
      etr_unfinished_remove(list);
  }
}
