/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pickle.c - a stack machine for a few opcodes.
 */
#include "inputs/pickle.h"

#include "inputs/tensor_data.h"

#include <limits.h>

typedef etr_pickle_value value;

/* The opcodes that data needs, by the names of CPython's Lib/pickle.py. */
enum {
  OP_MARK = '(',
  OP_EMPTY_DICT = '}',
  OP_EMPTY_LIST = ']',
  OP_EMPTY_TUPLE = ')',
  OP_TUPLE = 't',
  OP_APPENDS = 'e',
  OP_SETITEMS = 'u',
  OP_TUPLE1 = 0x85,
  OP_TUPLE2 = 0x86,
  OP_TUPLE3 = 0x87,
  OP_APPEND = 'a',
  OP_SETITEM = 's',
  OP_BINPUT = 'q',
  OP_LONG_BINPUT = 'r',
  OP_MEMOIZE = 0x94,
  OP_BINGET = 'h',
  OP_LONG_BINGET = 'j',
  OP_GLOBAL = 'c',
  OP_STACK_GLOBAL = 0x93,
  OP_BINPERSID = 'Q',
  OP_REDUCE = 'R',
  OP_NONE = 'N',
  OP_NEWTRUE = 0x88,
  OP_NEWFALSE = 0x89,
  OP_BININT = 'J',
  OP_BININT1 = 'K',
  OP_BININT2 = 'M',
  OP_LONG1 = 0x8A,
  OP_BINFLOAT = 'G',
  OP_BINUNICODE = 'X',
  OP_SHORT_BINUNICODE = 0x8C,
  OP_BINUNICODE8 = 0x8D,
  OP_BINBYTES = 'B',
  OP_SHORT_BINBYTES = 'C',
  OP_BINBYTES8 = 0x8E,
  OP_PROTO = 0x80,
  OP_FRAME = 0x95,
  OP_STOP = '.',
};

typedef struct machine {
  etr_arena *arena;
  const uint8_t *bytes;
  size_t size, position; /* bytes of the pickle; the offset of the next one to read */
  size_t instruction;    /* where the present instruction begins */
  size_t raw_bytes;      /* those read that are no instructions: byte strings */
  bool is_in_storage;    /* runs the pickles of a storage inside another pickle */
  const char *message;   /* the first failure */
  size_t value_count;    /* of this pickle and of the storages inside it */
  size_t most_values;
  size_t inner_instruction_bytes; /* of the storages inside this pickle */
  size_t most_instruction_bytes;  /* limit for this pickle and the storages inside it */
  etr_vec(value *) stack;
  etr_vec(size_t) marks; /* heights of the stack at its MARK opcodes */
  etr_vec(value *) memo;
} machine;

static const char out_of_memory[] = "out of memory";

/* Stops the machine with a message, unless it failed before. Returns NULL, which every caller can
 * return in turn. */
static void *fail(machine *m, const char *message) {
  if (!m->message)
    m->message = message ? message : out_of_memory; /* making the message took too much memory */
  return NULL;
}

/* ---- Reading ---- */

/* Returns the next `size` bytes of the pickle. If fewer are left, the machine fails and it returns
 * NULL; for up to 8 bytes it returns zeros instead, so that those who read numbers need no check.
 */
static const uint8_t *read_bytes(machine *m, uint64_t size) {
  static const uint8_t zeros[8] = {0};
  if (size > m->size - m->position) {
    fail(m, "it ends in the middle of an instruction");
    return size <= sizeof zeros ? zeros : NULL;
  }
  m->position += (size_t)size;
  return m->bytes + m->position - size;
}

static uint64_t read_number(machine *m, unsigned size) {
  return etr_load_le(read_bytes(m, size), size);
}

/* Returns the next `size` bytes of the pickle, not copied; empty, and the machine has failed, if it
 * ends before. */
static etr_slice read_text(machine *m, uint64_t size) {
  const uint8_t *bytes = read_bytes(m, size);
  if (m->message)
    return (etr_slice){"", 0};
  return (etr_slice){(const char *)bytes, (size_t)size};
}

/* Reads up to the next line feed, and returns what is before it. */
static etr_slice read_line(machine *m) {
  size_t start = m->position;
  while (m->position < m->size && m->bytes[m->position] != '\n')
    m->position++;
  etr_slice line = {(const char *)m->bytes + start, m->position - start};
  read_bytes(m, 1);
  return line;
}

/* Returns the bytes of instructions read so far, including those in storages inside the pickle. */
static size_t instruction_bytes(const machine *m) {
  return m->position - m->raw_bytes + m->inner_instruction_bytes;
}

/* ---- The stack ---- */

/* Allocates a value without pushing it. Fails the machine, and returns NULL, if there are too many
 * values or when out of memory. */
static value *make_value(machine *m, etr_pickle_kind kind) {
  if (++m->value_count > m->most_values)
    return fail(m, "it has implausibly many values");
  value *made = etr_arena_alloc(m->arena, sizeof *made);
  if (!made)
    return fail(m, out_of_memory);
  made->kind = kind;
  return made;
}

/* Pushes a value onto the stack and returns it. NULL, from a failed machine, is returned unpushed.
 */
static value *push_value(machine *m, value *pushed) {
  value **slot = pushed ? etr_vec_push(m->arena, &m->stack) : NULL;
  if (pushed && !slot)
    return fail(m, out_of_memory);
  if (slot)
    *slot = pushed;
  return pushed;
}

static value *push_new(machine *m, etr_pickle_kind kind) {
  return push_value(m, make_value(m, kind));
}

/* Returns the index of the lowest value that an instruction may take from the stack: the first
 * above the last mark. */
static size_t start_above_mark(const machine *m) {
  return m->marks.count ? m->marks.data[m->marks.count - 1] : 0;
}

/* Returns the top of the stack, which stays there. If nothing is above the last mark, the machine
 * fails and it returns NULL. */
static value *top_of_stack(machine *m) {
  if (m->stack.count <= start_above_mark(m))
    return fail(m, "its stack is empty");
  return m->stack.data[m->stack.count - 1];
}

/* Pops the top of the stack; NULL, and the machine has failed, if nothing is above the last mark.
 */
static value *pop(machine *m) {
  value *popped = top_of_stack(m);
  if (popped)
    m->stack.count--;
  return popped;
}

/* Removes the mark and the *count values above it from the stack, and returns these values, which
 * stay in memory until the next push. Without a mark the machine fails and it returns NULL. */
static value **pop_to_mark(machine *m, size_t *count) {
  *count = 0;
  if (m->marks.count == 0)
    return fail(m, "a mark is missing");
  size_t start = m->marks.data[--m->marks.count];
  *count = m->stack.count - start;
  m->stack.count = start;
  return m->stack.data + start;
}

/* Pops `count` values and returns the lowest; they stay in memory until the next push. If there are
 * fewer above the last mark, the machine fails and it returns NULL. */
static value **pop_values(machine *m, size_t count) {
  if (m->stack.count - start_above_mark(m) < count)
    return fail(m, "its stack is empty");
  m->stack.count -= count;
  return m->stack.data + m->stack.count;
}

/* Appends items to a list or dict, which may be NULL if the machine failed. The machine fails when
 * out of memory. */
static void append_items(machine *m, value *container, value **items, size_t count) {
  for (size_t i = 0; i < count && container && !m->message; i++) {
    value **slot = etr_vec_push(m->arena, &container->items);
    if (slot)
      *slot = items[i];
    else
      fail(m, out_of_memory);
  }
}

/* Pushes a tuple of these items, which is a list here. If it cannot be made, the machine has
 * failed, and nothing is pushed. */
static void push_tuple(machine *m, value **items, size_t count) {
  value *tuple = make_value(m, ETR_PICKLE_LIST);
  append_items(m, tuple, items, count);
  push_value(m, tuple);
}

/* Appends items to the list, or keys and values to the dict, that is on top of the stack. The
 * machine fails if the top is of another kind, or a key has no value. */
static void add_to_container(machine *m, etr_pickle_kind kind, value **items, size_t count) {
  value *to = top_of_stack(m);
  if (to && (to->kind != kind || (kind == ETR_PICKLE_DICT && count % 2)))
    fail(m, "it adds items to something that is not a container");
  append_items(m, to, items, count);
}

/* ---- The memo ---- */

/* Stores the top of the stack in the memo, from which later instructions push it again. Pickles
 * number memo entries in order, so an index above the number of values is damage, and fails the
 * machine before it makes the memo that long. */
static void store_in_memo(machine *m, uint64_t index) {
  value *stored = top_of_stack(m);
  if (index >= m->value_count)
    fail(m, "its memo has gaps");
  while (!m->message && m->memo.count <= index)
    if (!etr_vec_push(m->arena, &m->memo))
      fail(m, out_of_memory);
  if (!m->message)
    m->memo.data[index] = stored;
}

/* Pushes the value at this index of the memo. The machine fails if nothing was stored there. */
static void push_from_memo(machine *m, uint64_t index) {
  if (index < m->memo.count && m->memo.data[index])
    push_value(m, m->memo.data[index]);
  else
    fail(m, "it reads a memo entry that it never wrote");
}

/* ---- Names ---- */

/* Pushes a function or class, with the number type that it names; `element` is NULL if it names
 * none. */
static void push_name(machine *m, etr_pickle_name name, const etr_element *element) {
  value *pushed = push_new(m, ETR_PICKLE_NAME);
  if (!pushed)
    return;
  pushed->name = name;
  pushed->element = element;
}

/* Pushes the function, class or number type that a pickle imports by module and name. Names that no
 * tensor needs fail the machine, because calling them could run any code. */
static void push_imported_name(machine *m, etr_slice module, etr_slice name) {
  static const struct {
    const char *module, *name;
    etr_pickle_name meaning;
  } known[] = {
      {"torch._utils", "_rebuild_tensor_v2", ETR_NAME_REBUILD_TENSOR},
      {"torch._utils", "_rebuild_tensor_v3", ETR_NAME_REBUILD_TYPED_TENSOR},
      {"torch._utils", "_rebuild_parameter", ETR_NAME_REBUILD_PARAMETER},
      {"collections", "OrderedDict", ETR_NAME_ORDERED_DICT},
      {"torch.storage", "_load_from_bytes", ETR_NAME_LOAD_STORAGE},
      {"torch.storage", "UntypedStorage", ETR_NAME_STORAGE},
      {"torch", "UntypedStorage", ETR_NAME_STORAGE},
  };
  for (size_t i = 0; i < ETR_COUNT(known); i++)
    if (etr_slice_equal(module, etr_slice_of(known[i].module)) &&
        etr_slice_equal(name, etr_slice_of(known[i].name))) {
      push_name(m, known[i].meaning, NULL);
      return;
    }
  char dtype[32] = "";
  if (name.size < sizeof dtype && name.size)
    memcpy(dtype, name.data, name.size);
  const etr_element *storage = etr_element_of_storage(name);
  const etr_element *element = etr_element_of_dtype(dtype);
  if (etr_slice_is(module, "torch") && storage)
    push_name(m, ETR_NAME_STORAGE, storage);
  else if (etr_slice_is(module, "torch") && element)
    push_name(m, ETR_NAME_DTYPE, element);
  else
    fail(m, etr_arena_format(m->arena, "it imports %.*s.%.*s, which no tensor needs",
                             (int)ETR_MIN(module.size, 80), module.data,
                             (int)ETR_MIN(name.size, 80), name.data));
}

/* Pops a name and its module from the stack, and pushes what they mean (STACK_GLOBAL). */
static void replace_by_imported_name(machine *m) {
  const value *name = pop(m);
  const value *module = pop(m);
  if (m->message)
    return;
  if (name->kind == ETR_PICKLE_STRING && module->kind == ETR_PICKLE_STRING)
    push_imported_name(m, module->text, name->text);
  else
    fail(m, "a name is not a string");
}

/* ---- Tensors ---- */

/* Pops the persistent id of a storage, and pushes the storage, whose numbers are read later. The id
 * is the tuple ("storage", class, key, location, number of elements). Inside another pickle a sixth
 * item says of what the storage is a view, and must be None. The machine fails for other ids. */
static void push_storage_of_id(machine *m) {
  const value *id = pop(m);
  if (m->message)
    return;
  value *const *item = id->items.data;
  size_t count = id->items.count;
  bool has_known_length = count == 5;
  if (m->is_in_storage)
    has_known_length = count == 6 && item[4]->kind == ETR_PICKLE_INT &&
                       item[5]->kind == ETR_PICKLE_NONE;
  bool good = id->kind == ETR_PICKLE_LIST && has_known_length &&
              item[0]->kind == ETR_PICKLE_STRING && etr_slice_is(item[0]->text, "storage") &&
              item[1]->kind == ETR_PICKLE_NAME && item[1]->name == ETR_NAME_STORAGE &&
              item[2]->kind == ETR_PICKLE_STRING;
  value *storage = good ? push_new(m, ETR_PICKLE_STORAGE)
                        : fail(m, "it refers to something other than a tensor's storage");
  if (!storage)
    return;
  storage->text = item[2]->text;
  storage->element = item[1]->element;
  storage->number = item[4]->number;
}

/* Returns the integers of a tuple that is a shape or strides, and their count. For another value,
 * or when out of memory, the machine fails and it returns NULL. */
static const int64_t *read_numbers(machine *m, const value *tuple, size_t *count) {
  *count = tuple->items.count;
  if (tuple->kind != ETR_PICKLE_LIST || *count > ETR_MOST_RANK)
    return fail(m, "a tensor has an invalid shape");
  int64_t *numbers = etr_arena_alloc_array(m->arena, *count, sizeof *numbers);
  for (size_t i = 0; numbers && i < *count; i++) {
    if (tuple->items.data[i]->kind != ETR_PICKLE_INT)
      return fail(m, "a tensor has an invalid shape");
    numbers[i] = tuple->items.data[i]->number;
  }
  return numbers ? numbers : fail(m, out_of_memory);
}

/* Pushes the tensor that torch's _rebuild_tensor_v2 would make of these arguments, or, if
 * `has_dtype` is set, _rebuild_tensor_v3, to which the number type is passed, too. The machine
 * fails if they are of other kinds. */
static void build_tensor(machine *m, const value *arguments, bool has_dtype) {
  enum { STORAGE, OFFSET, SIZES, STRIDES, DTYPE = 6 };
  size_t rank = 0, stride_count = 0;
  value *const *a = arguments->items.data;
  bool good = arguments->items.count > (has_dtype ? DTYPE : STRIDES) &&
              a[STORAGE]->kind == ETR_PICKLE_STORAGE && a[OFFSET]->kind == ETR_PICKLE_INT &&
              a[OFFSET]->number >= 0 &&
              (!has_dtype ||
               (a[DTYPE]->kind == ETR_PICKLE_NAME && a[DTYPE]->name == ETR_NAME_DTYPE));
  value *tensor = good ? make_value(m, ETR_PICKLE_TENSOR)
                       : fail(m, "a tensor is rebuilt in an unknown way");
  if (!tensor)
    return;
  tensor->storage = a[STORAGE];
  tensor->element = has_dtype ? a[DTYPE]->element : a[STORAGE]->element;
  tensor->offset = (uint64_t)a[OFFSET]->number;
  tensor->sizes = read_numbers(m, a[SIZES], &rank);
  tensor->strides = tensor->sizes ? read_numbers(m, a[STRIDES], &stride_count) : NULL;
  tensor->rank = (int32_t)rank;
  if (!tensor->element || rank != stride_count)
    fail(m, "a tensor is rebuilt in an unknown way");
  else
    push_value(m, tensor);
}

/* ---- Storages inside a pickle ---- */

static value *run_pickle(machine *m);

/* Returns true if the description of a computer that torch.save used to write, a dict, says that
 * its numbers are little-endian. */
static bool is_little_endian(const value *system) {
  for (size_t i = 0; system->kind == ETR_PICKLE_DICT && i + 1 < system->items.count; i += 2) {
    const value *key = system->items.data[i];
    const value *answer = system->items.data[i + 1];
    if (key->kind == ETR_PICKLE_STRING && etr_slice_is(key->text, "little_endian"))
      return answer->kind == ETR_PICKLE_BOOL && answer->number;
  }
  return false;
}

/* Reads one storage as torch.save wrote it before it wrote zips. After a heading follow three
 * pickles: a description of the computer, the storage, and the keys of the storages whose numbers
 * follow, here only this one. Returns NULL, and the machine has failed, if it is written otherwise.
 */
static value *read_saved_storage(machine *m) {
  enum { HEADING = sizeof ETR_SAVED_STORAGE - 1 };
  if (m->size < HEADING || memcmp(m->bytes, ETR_SAVED_STORAGE, HEADING) != 0)
    return fail(m, "the bytes of a storage are not what torch.save writes");
  m->position = HEADING;
  const value *system = run_pickle(m);
  value *storage = system ? run_pickle(m) : NULL;
  const value *keys = storage ? run_pickle(m) : NULL;
  if (!keys)
    return NULL;
  if (!is_little_endian(system))
    return fail(m, "the numbers of a storage are not little-endian");
  bool is_alone = storage->kind == ETR_PICKLE_STORAGE && keys->kind == ETR_PICKLE_LIST &&
                  keys->items.count == 1 && keys->items.data[0]->kind == ETR_PICKLE_STRING &&
                  etr_slice_equal(keys->items.data[0]->text, storage->text);
  if (!is_alone)
    return fail(m, "the bytes of a storage are not what torch.save writes");
  /* The number of elements and the elements follow. */
  uint64_t count = read_number(m, sizeof count);
  uint64_t width = storage->element ? storage->element->size : 1;
  etr_slice memory = {(const char *)m->bytes + m->position, m->size - m->position};
  if (!m->message) {
    if (storage->number < 0 || count != (uint64_t)storage->number || memory.size % width ||
        count != memory.size / width)
      fail(m, "a storage has another size than it says");
    storage->memory = memory;
  }
  return m->message ? NULL : storage;
}

/* Reads a storage that is inside the pickle, and pushes it. It has pickles of its own, with their
 * own memos, so a machine of their own runs them, within the limits that are left of the outer one.
 * What they use counts in the outer machine. Their failure becomes one of the outer machine, at the
 * inner position. */
static void push_saved_storage(machine *m, etr_slice bytes) {
  if (m->is_in_storage) {
    fail(m, "a storage is inside a storage");
    return;
  }
  machine inner = {
      .arena = m->arena,
      .bytes = (const uint8_t *)bytes.data,
      .size = bytes.size,
      .is_in_storage = true,
      .most_values = m->most_values - m->value_count,
      .most_instruction_bytes = m->most_instruction_bytes -
                                ETR_MIN(instruction_bytes(m), m->most_instruction_bytes),
  };
  value *storage = read_saved_storage(&inner);
  m->value_count += ETR_MIN(inner.value_count, inner.most_values);
  m->inner_instruction_bytes += ETR_MIN(instruction_bytes(&inner), bytes.size);
  if (storage) {
    push_value(m, storage);
    return;
  }
  m->instruction = (size_t)(inner.bytes - m->bytes) + inner.instruction;
  fail(m, inner.message);
}

/* Pops arguments and a function, and pushes the result (REDUCE). Nothing is really called: the few
 * functions that rebuild tensors are imitated, and others fail the machine. */
static void call_function(machine *m) {
  const value *arguments = pop(m);
  const value *function = pop(m);
  if (m->message)
    return;
  bool callable = function->kind == ETR_PICKLE_NAME && arguments->kind == ETR_PICKLE_LIST;
  if (callable && function->name == ETR_NAME_ORDERED_DICT && arguments->items.count == 0)
    push_new(m, ETR_PICKLE_DICT);
  else if (callable && function->name == ETR_NAME_REBUILD_PARAMETER && arguments->items.count > 0 &&
           arguments->items.data[0]->kind == ETR_PICKLE_TENSOR)
    push_value(m, arguments->items.data[0]);
  else if (callable && (function->name == ETR_NAME_REBUILD_TENSOR ||
                        function->name == ETR_NAME_REBUILD_TYPED_TENSOR))
    build_tensor(m, arguments, function->name == ETR_NAME_REBUILD_TYPED_TENSOR);
  else if (callable && function->name == ETR_NAME_LOAD_STORAGE && arguments->items.count == 1 &&
           arguments->items.data[0]->kind == ETR_PICKLE_BYTES)
    push_saved_storage(m, arguments->items.data[0]->text);
  else
    fail(m, "it calls something that no tensor needs");
}

/* ---- Instructions ---- */

static void push_int(machine *m, int64_t number) {
  value *pushed = push_new(m, ETR_PICKLE_INT);
  if (pushed)
    pushed->number = number;
}

/* Pushes a number in little-endian two's complement of up to eight bytes; a longer one fails the
 * machine. */
static void push_long_integer(machine *m) {
  unsigned size = (unsigned)read_number(m, 1);
  if (size > sizeof(int64_t)) {
    fail(m, "an integer is too large");
    return;
  }
  unsigned unused = 64 - 8 * size;
  uint64_t bits = read_number(m, size);
  push_int(m, size ? (int64_t)(bits << unused) >> unused : 0);
}

static void push_bool(machine *m, bool truth) {
  value *pushed = push_new(m, ETR_PICKLE_BOOL);
  if (pushed)
    pushed->number = truth;
}

/* Reads `size` bytes and pushes them as a string or as bytes. Bytes do not count as instructions,
 * because they are numbers of tensors, which may be many. */
static void push_text(machine *m, etr_pickle_kind kind, uint64_t size) {
  etr_slice text = read_text(m, size);
  value *pushed = m->message ? NULL : push_new(m, kind);
  if (pushed)
    pushed->text = text;
  if (pushed && kind == ETR_PICKLE_BYTES)
    m->raw_bytes += text.size;
}

/* Replaces the `count` values on top of the stack by a tuple of them. */
static void make_tuple_of_top(machine *m, size_t count) {
  value **items = pop_values(m, count);
  if (items)
    push_tuple(m, items, count);
}

/* Pops `count` values and adds them to the list or dict below them. */
static void add_top_to_container(machine *m, etr_pickle_kind kind, size_t count) {
  value **items = pop_values(m, count);
  if (items)
    add_to_container(m, kind, items, count);
}

/* Pops the values above the last mark, and makes a tuple of them (TUPLE), or adds them to the list
 * (APPENDS) or dict (SETITEMS) below the mark. */
static void run_on_values_above_mark(machine *m, uint8_t opcode) {
  size_t count;
  value **items = pop_to_mark(m, &count);
  if (m->message)
    return;
  if (opcode == OP_TUPLE)
    push_tuple(m, items, count);
  else
    add_to_container(m, opcode == OP_APPENDS ? ETR_PICKLE_LIST : ETR_PICKLE_DICT, items, count);
}

/* Runs an instruction that builds containers and tensors. Returns false if it is not one. */
static bool run_container_opcode(machine *m, uint8_t opcode) {
  switch (opcode) {
  case OP_MARK: {
    size_t *mark = etr_vec_push(m->arena, &m->marks);
    if (mark)
      *mark = m->stack.count;
    else
      fail(m, out_of_memory);
  } break;
  case OP_EMPTY_DICT:
    push_new(m, ETR_PICKLE_DICT);
    break;
  case OP_EMPTY_LIST:
  case OP_EMPTY_TUPLE:
    push_new(m, ETR_PICKLE_LIST);
    break;
  case OP_TUPLE:
  case OP_APPENDS:
  case OP_SETITEMS:
    run_on_values_above_mark(m, opcode);
    break;
  case OP_TUPLE1:
    make_tuple_of_top(m, 1);
    break;
  case OP_TUPLE2:
    make_tuple_of_top(m, 2);
    break;
  case OP_TUPLE3:
    make_tuple_of_top(m, 3);
    break;
  case OP_APPEND:
    add_top_to_container(m, ETR_PICKLE_LIST, 1);
    break;
  case OP_SETITEM:
    add_top_to_container(m, ETR_PICKLE_DICT, 2);
    break;
  case OP_BINPUT:
    store_in_memo(m, read_number(m, 1));
    break;
  case OP_LONG_BINPUT:
    store_in_memo(m, read_number(m, 4));
    break;
  case OP_MEMOIZE:
    store_in_memo(m, m->memo.count);
    break;
  case OP_BINGET:
    push_from_memo(m, read_number(m, 1));
    break;
  case OP_LONG_BINGET:
    push_from_memo(m, read_number(m, 4));
    break;
  case OP_GLOBAL: {
    etr_slice module = read_line(m);
    etr_slice name = read_line(m);
    if (!m->message)
      push_imported_name(m, module, name);
  } break;
  case OP_STACK_GLOBAL:
    replace_by_imported_name(m);
    break;
  case OP_BINPERSID:
    push_storage_of_id(m);
    break;
  case OP_REDUCE:
    call_function(m);
    break;
  default:
    return false;
  }
  return true;
}

/* Runs an instruction that pushes a number, a text or nothing. Returns false if it is another one.
 */
static bool run_scalar_opcode(machine *m, uint8_t opcode) {
  switch (opcode) {
  case OP_NONE:
    push_new(m, ETR_PICKLE_NONE);
    break;
  case OP_NEWTRUE:
    push_bool(m, true);
    break;
  case OP_NEWFALSE:
    push_bool(m, false);
    break;
  case OP_BININT:
    push_int(m, (int32_t)(uint32_t)read_number(m, 4));
    break;
  case OP_BININT1:
    push_int(m, (int64_t)read_number(m, 1));
    break;
  case OP_BININT2:
    push_int(m, (int64_t)read_number(m, 2));
    break;
  case OP_LONG1:
    push_long_integer(m);
    break;
  case OP_BINFLOAT: {
    const uint8_t *bytes = read_bytes(m, 8);
    value *pushed = push_new(m, ETR_PICKLE_FLOAT);
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
      bits = bits << 8 | bytes[i]; /* big-endian, for once */
    if (pushed)
      memcpy(&pushed->real, &bits, sizeof bits);
  } break;
  case OP_BINUNICODE:
    push_text(m, ETR_PICKLE_STRING, read_number(m, 4));
    break;
  case OP_SHORT_BINUNICODE:
    push_text(m, ETR_PICKLE_STRING, read_number(m, 1));
    break;
  case OP_BINUNICODE8:
    push_text(m, ETR_PICKLE_STRING, read_number(m, 8));
    break;
  case OP_BINBYTES:
    push_text(m, ETR_PICKLE_BYTES, read_number(m, 4));
    break;
  case OP_SHORT_BINBYTES:
    push_text(m, ETR_PICKLE_BYTES, read_number(m, 1));
    break;
  case OP_BINBYTES8:
    push_text(m, ETR_PICKLE_BYTES, read_number(m, 8));
    break;
  case OP_PROTO:
    read_number(m, 1);
    break;
  case OP_FRAME:
    read_number(m, 8);
    break;
  default:
    return false;
  }
  return true;
}

/* Runs instructions from the present position up to the first STOP, behind which other pickles may
 * follow. Returns the value on top of the stack; NULL if the machine failed. */
static value *run_pickle(machine *m) {
  uint8_t opcode = 0;
  m->stack.count = m->marks.count = 0;
  memset(&m->memo, 0, sizeof m->memo);
  if (!etr_vec_push(m->arena, &m->stack))
    fail(m, out_of_memory); /* an empty part of the stack needs an address, too */
  m->stack.count = 0;
  while (!m->message && opcode != OP_STOP) {
    m->instruction = m->position;
    opcode = (uint8_t)read_number(m, 1);
    if (!m->message && opcode != OP_STOP && !run_scalar_opcode(m, opcode) &&
        !run_container_opcode(m, opcode))
      fail(m, etr_arena_format(m->arena, "its opcode 0x%02X is not one that data needs", opcode));
    if (instruction_bytes(m) > m->most_instruction_bytes)
      fail(m, "it is implausibly long");
  }
  value *result = m->message ? NULL : pop(m);
  if (!m->message && m->marks.count)
    fail(m, "a mark is left over");
  return m->message ? NULL : result;
}

const char *etr_pickle_read(const etr_pickle_value **out, etr_arena *arena, etr_slice bytes,
                            uint64_t *offset) {
  machine m = {
      .arena = arena,
      .bytes = (const uint8_t *)bytes.data,
      .size = bytes.size,
      .most_values = ETR_MOST_PICKLE_VALUES,
      .most_instruction_bytes = ETR_MOST_PICKLE_BYTES,
  };
  *out = run_pickle(&m);
  *offset = m.instruction;
  return m.message;
}
