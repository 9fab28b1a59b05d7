/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pickle.c - a stack machine for a few opcodes.
 */
#include "inputs/pickle.h"

#include "inputs/tensor_data.h"

#include <limits.h>

typedef etr_pickle_value value;

typedef struct machine {
  etr_arena *arena;
  const uint8_t *bytes;
  size_t size, at;
  size_t instruction;  /* where the present instruction begins */
  size_t raw_bytes;    /* those read that are no instructions: byte strings */
  bool is_in_storage;  /* runs the pickles of a storage inside another pickle */
  const char *message; /* the first failure */
  size_t value_count;  /* of this pickle and of the storages inside it */
  size_t most_values;
  size_t inner_bytes, most_bytes; /* instructions: of the storages inside it; of all */
  etr_vec(value *) stack;
  etr_vec(size_t) marks; /* heights of the stack */
  etr_vec(value *) memo;
} machine;

/* Fails and returns NULL, which every caller can return in turn. */
static void *fail(machine *m, const char *message) {
  if (!m->message)
    m->message = message ? message : "out of memory";
  return NULL;
}

/* ---- Reading ---- */

/* Returns the next bytes of the pickle. At its end the machine fails; small reads give zeros, so
 * that callers need no check. */
static const uint8_t *take_bytes(machine *m, uint64_t size) {
  static const uint8_t zeros[8] = {0};
  if (size > m->size - m->at) {
    fail(m, "it ends in the middle of an instruction");
    return size <= sizeof zeros ? zeros : NULL;
  }
  m->at += (size_t)size;
  return m->bytes + m->at - size;
}

static uint64_t take_number(machine *m, unsigned size) {
  return etr_load_le(take_bytes(m, size), size);
}

static etr_slice take_text(machine *m, uint64_t size) {
  const uint8_t *bytes = take_bytes(m, size);
  return m->message ? (etr_slice){"", 0} : (etr_slice){(const char *)bytes, (size_t)size};
}

/* Returns the rest of a line, without its end. */
static etr_slice take_line(machine *m) {
  size_t start = m->at;
  while (m->at < m->size && m->bytes[m->at] != '\n')
    m->at++;
  etr_slice line = {(const char *)m->bytes + start, m->at - start};
  take_bytes(m, 1);
  return line;
}

/* Returns the bytes of instructions read so far, including those in storages inside the pickle. */
static size_t instruction_bytes(const machine *m) {
  return m->at - m->raw_bytes + m->inner_bytes;
}

/* ---- The stack ---- */

/* Makes a value that is on no stack yet; NULL if there are too many. */
static value *make_value(machine *m, etr_pickle_kind kind) {
  if (++m->value_count > m->most_values)
    return fail(m, "it has implausibly many values");
  value *made = etr_arena_alloc(m->arena, sizeof *made);
  if (!made)
    return fail(m, NULL);
  made->kind = kind;
  return made;
}

/* Pushes a value onto the stack and returns it; NULL stays NULL. */
static value *push_value(machine *m, value *pushed) {
  value **slot = pushed ? etr_vec_push(m->arena, &m->stack) : NULL;
  if (pushed && !slot)
    return fail(m, NULL);
  if (slot)
    *slot = pushed;
  return pushed;
}

static value *push(machine *m, etr_pickle_kind kind) {
  return push_value(m, make_value(m, kind));
}

/* Returns the start of the part of the stack that instructions may take, which is never below a
 * mark. */
static size_t floor_of(const machine *m) {
  return m->marks.count ? m->marks.data[m->marks.count - 1] : 0;
}

static value *top(machine *m) {
  return m->stack.count > floor_of(m) ? m->stack.data[m->stack.count - 1]
                                      : fail(m, "its stack is empty");
}

static value *pop(machine *m) {
  value *popped = top(m);
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

static value **pop_several(machine *m, size_t count) {
  if (m->stack.count - floor_of(m) < count)
    return fail(m, "its stack is empty");
  m->stack.count -= count;
  return m->stack.data + m->stack.count;
}

/* Appends items to a list or dict; the machine fails when out of memory. */
static void append_items(machine *m, value *container, value **items, size_t count) {
  for (size_t i = 0; i < count && container && !m->message; i++) {
    value **slot = etr_vec_push(m->arena, &container->items);
    if (slot)
      *slot = items[i];
    else
      fail(m, NULL);
  }
}

static void push_tuple(machine *m, value **items, size_t count) {
  value *tuple = make_value(m, ETR_PICKLE_LIST);
  append_items(m, tuple, items, count);
  push_value(m, tuple);
}

/* Appends to the list, or puts pairs into the dict, that is now on top. */
static void extend(machine *m, etr_pickle_kind kind, value **items, size_t count) {
  value *to = top(m);
  if (to && (to->kind != kind || (kind == ETR_PICKLE_DICT && count % 2)))
    fail(m, "it adds items to something that is not a container");
  append_items(m, to, items, count);
}

/* ---- The memo ---- */

/* Stores the top of the stack in the memo. The machine fails if there are fewer values than the
 * index. */
static void put_in_memo(machine *m, uint64_t index) {
  value *stored = top(m);
  if (index >= m->value_count)
    fail(m, "its memo has gaps");
  while (!m->message && m->memo.count <= index)
    if (!etr_vec_push(m->arena, &m->memo))
      fail(m, NULL);
  if (!m->message)
    m->memo.data[index] = stored;
}

static void get_memo(machine *m, uint64_t index) {
  if (index < m->memo.count && m->memo.data[index])
    push_value(m, m->memo.data[index]);
  else
    fail(m, "it reads a memo entry that it never wrote");
}

/* ---- Names ---- */

/* Pushes a name that is known, with the number type that it stands for, if any. */
static void push_meaning_of_name(machine *m, etr_pickle_name name, const etr_element *element) {
  value *pushed = push(m, ETR_PICKLE_NAME);
  if (!pushed)
    return;
  pushed->name = name;
  pushed->element = element;
}

/* Pushes what an imported name means. Names that no tensor needs are refused, because they could
 * run code. */
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
      push_meaning_of_name(m, known[i].meaning, NULL);
      return;
    }
  char dtype[32] = "";
  if (name.size < sizeof dtype && name.size)
    memcpy(dtype, name.data, name.size);
  const etr_element *storage = etr_element_of_storage(name), *element = etr_element_of_dtype(dtype);
  if (etr_slice_is(module, "torch") && storage)
    push_meaning_of_name(m, ETR_NAME_STORAGE, storage);
  else if (etr_slice_is(module, "torch") && element)
    push_meaning_of_name(m, ETR_NAME_DTYPE, element);
  else
    fail(m, etr_arena_format(m->arena, "it imports %.*s.%.*s, which no tensor needs",
                             (int)ETR_MIN(module.size, 80), module.data,
                             (int)ETR_MIN(name.size, 80), name.data));
}

/* Replaces a module and a name on the stack by what they mean. */
static void push_name_on_stack(machine *m) {
  const value *name = pop(m), *module = pop(m);
  if (m->message)
    return;
  if (name->kind == ETR_PICKLE_STRING && module->kind == ETR_PICKLE_STRING)
    push_imported_name(m, module->text, name->text);
  else
    fail(m, "a name is not a string");
}

/* ---- Tensors ---- */

/* Loads a storage from ("storage", class, key, location, number of elements). A storage inside a
 * pickle also says of what it is a view, which must be nothing. */
static void load_storage(machine *m) {
  const value *id = pop(m);
  if (m->message)
    return;
  value *const *item = id->items.data;
  size_t count = id->items.count;
  bool is_whole = m->is_in_storage ? count == 6 && item[4]->kind == ETR_PICKLE_INT &&
                                         item[5]->kind == ETR_PICKLE_NONE
                                   : count == 5;
  bool good = id->kind == ETR_PICKLE_LIST && is_whole && item[0]->kind == ETR_PICKLE_STRING &&
              etr_slice_is(item[0]->text, "storage") && item[1]->kind == ETR_PICKLE_NAME &&
              item[1]->name == ETR_NAME_STORAGE && item[2]->kind == ETR_PICKLE_STRING;
  value *storage = good ? push(m, ETR_PICKLE_STORAGE)
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
  return numbers ? numbers : fail(m, NULL);
}

/* Pushes the tensor that torch's rebuild function would make of these arguments, whose type is
 * one of them if `has_dtype` is set. The machine fails if they do not fit. */
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

/* Returns true if the description of a machine, which torch.save used to write, is little-endian.
 */
static bool is_little_endian(const value *system) {
  for (size_t i = 0; system->kind == ETR_PICKLE_DICT && i + 1 < system->items.count; i += 2) {
    const value *key = system->items.data[i], *answer = system->items.data[i + 1];
    if (key->kind == ETR_PICKLE_STRING && etr_slice_is(key->text, "little_endian"))
      return answer->kind == ETR_PICKLE_BOOL && answer->number;
  }
  return false;
}

/* Reads a storage as torch.save once wrote it: three pickles follow the heading, namely the
 * machine, the storage, and the keys of storages whose numbers follow. Returns NULL, and the
 * machine has failed, if it is written otherwise. */
static value *read_saved_storage(machine *m) {
  enum { HEADING = sizeof ETR_SAVED_STORAGE - 1 };
  if (m->size < HEADING || memcmp(m->bytes, ETR_SAVED_STORAGE, HEADING) != 0)
    return fail(m, "the bytes of a storage are not what torch.save writes");
  m->at = HEADING;
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
  uint64_t count = take_number(m, sizeof count),
           width = storage->element ? storage->element->size : 1;
  etr_slice memory = {(const char *)m->bytes + m->at, m->size - m->at};
  if (!m->message) {
    if (storage->number < 0 || count != (uint64_t)storage->number || memory.size % width ||
        count != memory.size / width)
      fail(m, "a storage has another size than it says");
    storage->memory = memory;
  }
  return m->message ? NULL : storage;
}

/* Runs the pickle of a storage on a machine of its own, with what is left of the outer one's limits
 * and without its memo. */
static void load_saved_storage(machine *m, etr_slice bytes) {
  if (m->is_in_storage) {
    fail(m, "a storage is inside a storage");
    return;
  }
  machine inner = {.arena = m->arena,
                   .bytes = (const uint8_t *)bytes.data,
                   .size = bytes.size,
                   .is_in_storage = true,
                   .most_values = m->most_values - m->value_count,
                   .most_bytes = m->most_bytes - ETR_MIN(instruction_bytes(m), m->most_bytes)};
  value *storage = read_saved_storage(&inner);
  m->value_count += ETR_MIN(inner.value_count, inner.most_values);
  m->inner_bytes += ETR_MIN(instruction_bytes(&inner), bytes.size);
  if (storage) {
    push_value(m, storage);
    return;
  }
  m->instruction = (size_t)(inner.bytes - m->bytes) + inner.instruction;
  fail(m, inner.message);
}

/* Replaces a function and its arguments on the stack by the result, for the few functions that a
 * pickle may call; others fail the machine. */
static void call_function(machine *m) {
  const value *arguments = pop(m), *function = pop(m);
  if (m->message)
    return;
  bool callable = function->kind == ETR_PICKLE_NAME && arguments->kind == ETR_PICKLE_LIST;
  if (callable && function->name == ETR_NAME_ORDERED_DICT && arguments->items.count == 0)
    push(m, ETR_PICKLE_DICT);
  else if (callable && function->name == ETR_NAME_REBUILD_PARAMETER && arguments->items.count > 0 &&
           arguments->items.data[0]->kind == ETR_PICKLE_TENSOR)
    push_value(m, arguments->items.data[0]);
  else if (callable && (function->name == ETR_NAME_REBUILD_TENSOR ||
                        function->name == ETR_NAME_REBUILD_TYPED_TENSOR))
    build_tensor(m, arguments, function->name == ETR_NAME_REBUILD_TYPED_TENSOR);
  else if (callable && function->name == ETR_NAME_LOAD_STORAGE && arguments->items.count == 1 &&
           arguments->items.data[0]->kind == ETR_PICKLE_BYTES)
    load_saved_storage(m, arguments->items.data[0]->text);
  else
    fail(m, "it calls something that no tensor needs");
}

/* ---- Instructions ---- */

static void push_int(machine *m, int64_t number) {
  value *pushed = push(m, ETR_PICKLE_INT);
  if (pushed)
    pushed->number = number;
}

/* Pushes a number in little-endian two's complement of up to eight bytes; a longer one fails the
 * machine. */
static void push_long_integer(machine *m) {
  unsigned size = (unsigned)take_number(m, 1);
  if (size > sizeof(int64_t)) {
    fail(m, "an integer is too large");
    return;
  }
  unsigned unused = 64 - 8 * size;
  uint64_t bits = take_number(m, size);
  push_int(m, size ? (int64_t)(bits << unused) >> unused : 0);
}

static void push_bool(machine *m, bool truth) {
  value *pushed = push(m, ETR_PICKLE_BOOL);
  if (pushed)
    pushed->number = truth;
}

/* Pushes a string or bytes. */
static void push_text(machine *m, etr_pickle_kind kind, uint64_t size) {
  etr_slice text = take_text(m, size);
  value *pushed = m->message ? NULL : push(m, kind);
  if (pushed)
    pushed->text = text;
  if (pushed && kind == ETR_PICKLE_BYTES)
    m->raw_bytes += text.size;
}

static void tuple_of(machine *m, size_t count) {
  value **items = pop_several(m, count);
  if (items)
    push_tuple(m, items, count);
}

static void extend_by(machine *m, etr_pickle_kind kind, size_t count) {
  value **items = pop_several(m, count);
  if (items)
    extend(m, kind, items, count);
}

/* Runs an instruction on the values above the last mark: a tuple, or items of a list or dict. */
static void run_marked(machine *m, uint8_t opcode) {
  size_t count;
  value **items = pop_to_mark(m, &count);
  if (m->message)
    return;
  if (opcode == 't')
    push_tuple(m, items, count);
  else
    extend(m, opcode == 'e' ? ETR_PICKLE_LIST : ETR_PICKLE_DICT, items, count);
}

/* Runs an instruction that builds containers and tensors. Returns false if it is not one. */
static bool run_structure(machine *m, uint8_t opcode) {
  switch (opcode) {
  case '(': {
    size_t *mark = etr_vec_push(m->arena, &m->marks);
    if (mark)
      *mark = m->stack.count;
    else
      fail(m, NULL);
  } break;
  case '}':
    push(m, ETR_PICKLE_DICT);
    break;
  case ']':
  case ')':
    push(m, ETR_PICKLE_LIST);
    break;
  case 't':
  case 'e':
  case 'u':
    run_marked(m, opcode);
    break;
  case 0x85:
    tuple_of(m, 1);
    break;
  case 0x86:
    tuple_of(m, 2);
    break;
  case 0x87:
    tuple_of(m, 3);
    break;
  case 'a':
    extend_by(m, ETR_PICKLE_LIST, 1);
    break;
  case 's':
    extend_by(m, ETR_PICKLE_DICT, 2);
    break;
  case 'q':
    put_in_memo(m, take_number(m, 1));
    break;
  case 'r':
    put_in_memo(m, take_number(m, 4));
    break;
  case 0x94:
    put_in_memo(m, m->memo.count);
    break;
  case 'h':
    get_memo(m, take_number(m, 1));
    break;
  case 'j':
    get_memo(m, take_number(m, 4));
    break;
  case 'c': {
    etr_slice module = take_line(m), name = take_line(m);
    if (!m->message)
      push_imported_name(m, module, name);
  } break;
  case 0x93:
    push_name_on_stack(m);
    break;
  case 'Q':
    load_storage(m);
    break;
  case 'R':
    call_function(m);
    break;
  default:
    return false;
  }
  return true;
}

/* Runs an instruction that pushes a number, a text or nothing. Returns false if it is another one.
 */
static bool run_scalar(machine *m, uint8_t opcode) {
  switch (opcode) {
  case 'N':
    push(m, ETR_PICKLE_NONE);
    break;
  case 0x88:
    push_bool(m, true);
    break;
  case 0x89:
    push_bool(m, false);
    break;
  case 'J':
    push_int(m, (int32_t)(uint32_t)take_number(m, 4));
    break;
  case 'K':
    push_int(m, (int64_t)take_number(m, 1));
    break;
  case 'M':
    push_int(m, (int64_t)take_number(m, 2));
    break;
  case 0x8A:
    push_long_integer(m);
    break;
  case 'G': {
    const uint8_t *bytes = take_bytes(m, 8);
    value *pushed = push(m, ETR_PICKLE_FLOAT);
    uint64_t bits = 0;
    for (int i = 0; i < 8; i++)
      bits = bits << 8 | bytes[i]; /* big-endian, for once */
    if (pushed)
      memcpy(&pushed->real, &bits, sizeof bits);
  } break;
  case 'X':
    push_text(m, ETR_PICKLE_STRING, take_number(m, 4));
    break;
  case 0x8C:
    push_text(m, ETR_PICKLE_STRING, take_number(m, 1));
    break;
  case 0x8D:
    push_text(m, ETR_PICKLE_STRING, take_number(m, 8));
    break;
  case 'B':
    push_text(m, ETR_PICKLE_BYTES, take_number(m, 4));
    break;
  case 'C':
    push_text(m, ETR_PICKLE_BYTES, take_number(m, 1));
    break;
  case 0x8E:
    push_text(m, ETR_PICKLE_BYTES, take_number(m, 8));
    break;
  case 0x80:
    take_number(m, 1);
    break; /* protocol */
  case 0x95:
    take_number(m, 8);
    break; /* frame */
  default:
    return false;
  }
  return true;
}

/* Runs instructions to the end of a pickle, which may be before the end of the bytes. Returns its
 * value; NULL if it failed. */
static value *run_pickle(machine *m) {
  uint8_t opcode = 0;
  m->stack.count = m->marks.count = 0;
  memset(&m->memo, 0, sizeof m->memo);
  if (!etr_vec_push(m->arena, &m->stack))
    fail(m, NULL); /* an empty part of the stack needs an address, too */
  m->stack.count = 0;
  while (!m->message && opcode != '.') {
    m->instruction = m->at;
    opcode = (uint8_t)take_number(m, 1);
    if (!m->message && opcode != '.' && !run_scalar(m, opcode) && !run_structure(m, opcode))
      fail(m, etr_arena_format(m->arena, "its opcode 0x%02X is not one that data needs", opcode));
    if (instruction_bytes(m) > m->most_bytes)
      fail(m, "it is implausibly long");
  }
  value *result = m->message ? NULL : pop(m);
  if (!m->message && m->marks.count)
    fail(m, "a mark is left over");
  return m->message ? NULL : result;
}

/* Runs the pickle. Returns NULL, or what is wrong with it; *offset is that of the last
 * instruction. */
const char *etr_pickle_read(const etr_pickle_value **out, etr_arena *arena, etr_slice bytes,
                            uint64_t *offset) {
  machine m = {.arena = arena,
               .bytes = (const uint8_t *)bytes.data,
               .size = bytes.size,
               .most_values = ETR_MOST_PICKLE_VALUES,
               .most_bytes = ETR_MOST_PICKLE_BYTES};
  *out = run_pickle(&m);
  *offset = m.instruction;
  return m.message;
}
