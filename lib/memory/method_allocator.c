/* SPDX-License-Identifier: BSD-3-Clause
 *
 * method_allocator.c - what Method::init allocates, in its order.
 */
#include "memory/method_allocator.h"

/* A type of the runtime: its size and its alignment, in bytes. */
typedef struct runtime_type {
  uint8_t size, align;
} runtime_type;

/* The types of which Method::init allocates some. */
typedef struct runtime_types {
  runtime_type pointer;         /* also of a kernel: OpFunction */
  runtime_type value;           /* EValue: a number of 64 bits and a tag */
  runtime_type tensor_impl;     /* TensorImpl */
  runtime_type optional_tensor; /* std::optional<Tensor>; a Tensor is a pointer */
  runtime_type array;           /* ArrayRef and Span: a pointer and a length */
  runtime_type boxed_list;      /* BoxedEvalueList: an array and a pointer */
  runtime_type delegate;        /* BackendDelegate: a FreeableBuffer and two pointers */
  runtime_type compile_spec;    /* CompileSpec: a pointer and an array */
  runtime_type chain;           /* Chain: an array and two pointers */
  runtime_type external;        /* NamedData: a pointer and a FreeableBuffer */
} runtime_types;

/* Those of 64 bits are what a compiler says of ExecuTorch 1.5.1's headers; those of 32 bits follow
 * from the same members by the rules of Arm's procedure call standard. */
static const runtime_types types[] = {
    [ETR_PROCESSOR_32] = {.pointer = {4, 4},
                          .value = {16, 8},
                          .tensor_impl = {32, 4},
                          .optional_tensor = {8, 4},
                          .array = {8, 4},
                          .boxed_list = {12, 4},
                          .delegate = {40, 8},
                          .compile_spec = {12, 4},
                          .chain = {16, 4},
                          .external = {40, 8}},
    [ETR_PROCESSOR_64] = {.pointer = {8, 8},
                          .value = {16, 8},
                          .tensor_impl = {64, 8},
                          .optional_tensor = {16, 8},
                          .array = {16, 8},
                          .boxed_list = {24, 8},
                          .delegate = {56, 8},
                          .compile_spec = {24, 8},
                          .chain = {32, 8},
                          .external = {48, 8}},
};

static const runtime_type flag = {1, 1}, size_of_dim = {4, 4}, number = {8, 8};

/* Adds `count` objects of a type to the bytes used, as MemoryAllocator::allocate does: one behind
 * the other, each allocation aligned. */
static void add_allocation(uint64_t *used, runtime_type type, size_t count) {
  uint64_t start = (*used + type.align - 1) / type.align * type.align;
  *used = start + (uint64_t)type.size * count;
}

/* Adds to *used the bytes that the runtime's parseTensor allocates. A static tensor uses the sizes
 * and the order of dimensions in the file, so that only its strides and the tensor itself take
 * memory. `t` has the sizes of types on the processor. */
static void add_tensor_allocations(uint64_t *used, const runtime_types *t,
                                   const etr_pte_value *value) {
  size_t rank = (size_t)value->rank;
  if (value->dynamic) {
    add_allocation(used, size_of_dim, rank);
    add_allocation(used, flag, rank); /* DimOrderType has one byte */
  }
  add_allocation(used, size_of_dim, rank); /* strides */
  add_allocation(used, t->tensor_impl, 1);
}

/* Adds to *used the bytes that the runtime's Method::parse_values allocates for one value, of types
 * with the sizes `t`: for a list, a pointer to each item, the items themselves and the list; for a
 * text or plain numbers, only a span of the file. Other values need none beyond their EValue. */
static void add_value_allocations(uint64_t *used, const runtime_types *t,
                                  const etr_pte_value *value) {
  switch (value->kind) {
  case ETR_PTE_VALUE_TENSOR:
    add_tensor_allocations(used, t, value);
    break;
  case ETR_PTE_VALUE_INT_LIST:
    add_allocation(used, t->pointer, value->item_count);
    add_allocation(used, number, value->item_count);
    add_allocation(used, t->boxed_list, 1);
    break;
  case ETR_PTE_VALUE_TENSOR_LIST:
    add_allocation(used, t->pointer, value->item_count);
    add_allocation(used, value->has_optional ? t->optional_tensor : t->pointer, value->item_count);
    add_allocation(used, t->boxed_list, 1);
    break;
  case ETR_PTE_VALUE_DOUBLE_LIST:
  case ETR_PTE_VALUE_BOOL_LIST:
  case ETR_PTE_VALUE_STRING:
    add_allocation(used, t->array, 1);
    break;
  case ETR_PTE_VALUE_OTHER:
  case ETR_PTE_VALUE_INT:
  case ETR_PTE_VALUE_BOOL:
  case ETR_PTE_VALUE_DOUBLE:
    break;
  }
}

/* Counts the constant tensors whose data is in another file, for each of which Method::init
 * allocates an entry. */
static size_t count_external(const etr_pte_method *method) {
  size_t count = 0;
  for (size_t i = 0; i < method->value_count; i++)
    count += method->values[i].external && method->values[i].constant;
  return count;
}

/* Repeats the allocations of the runtime's Method::init in its order, because alignment depends on
 * it. */
uint64_t etr_method_allocator_bytes(const etr_pte_method *method, etr_processor processor) {
  const runtime_types *t = &types[processor];
  uint64_t used = 0;
  add_allocation(&used, t->value, method->value_count);
  add_allocation(&used, flag, method->input_count);
  size_t external = count_external(method);
  if (external)
    add_allocation(&used, t->external, external);
  for (size_t i = 0; i < method->value_count; i++)
    add_value_allocations(&used, t, &method->values[i]);
  add_allocation(&used, t->delegate, method->delegate_count);
  for (size_t i = 0; i < method->delegate_count; i++)
    add_allocation(&used, t->compile_spec, method->delegates[i].spec_count);
  add_allocation(&used, t->chain, 1);
  add_allocation(&used, t->pointer, method->instruction_count);
  add_allocation(&used, t->array, method->instruction_count);
  for (size_t i = 0; i < method->instruction_count; i++) {
    const etr_instruction *instruction = &method->instructions[i];
    if (instruction->kind == ETR_INSTRUCTION_KERNEL ||
        instruction->kind == ETR_INSTRUCTION_DELEGATE)
      add_allocation(&used, t->pointer, instruction->arg_count);
  }
  return used;
}
