/* SPDX-License-Identifier: BSD-3-Clause
 *
 * method_allocator.h - computes what the runtime's method allocator holds at least. Layer 3.
 *
 * Method::init takes from it what it makes of a program: values, tensors' metadata, delegates,
 * instructions and their arguments (runtime/executor/method.cpp and tensor_parser_portable.cpp of
 * ExecuTorch 1.5). What backends take in their init is in no file, so the result is a lower bound.
 */
#ifndef ETR_METHOD_ALLOCATOR_H
#define ETR_METHOD_ALLOCATOR_H

#include "inputs/pte.h"

/** The processor that a method runs on. */
typedef enum etr_processor {
  ETR_PROCESSOR_32, /* pointers of 32 bits, numbers of 64 bits aligned to 8 bytes, as on Arm */
  ETR_PROCESSOR_64,
} etr_processor;

/** Returns how many bytes Method::init allocates for a method, with a temporary allocator given,
 * and without what backends take. */
uint64_t etr_method_allocator_bytes(const etr_pte_method *method, etr_processor processor);

#endif
