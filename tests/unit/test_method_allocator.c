/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_method_allocator.c - the least size of the method allocator.
 *
 * The sizes of fixtures for 64 bits are what ExecuTorch's own runtime takes from a MemoryAllocator
 * while it loads them, measured with runtime/executor/method.cpp of August 2026 and backends whose
 * init takes nothing.
 */
#include "memory/method_allocator.h"
#include "open_fixture.h"

typedef struct measured_case {
  const char *fixture, *method;
  uint64_t bytes;
} measured_case;

static const measured_case measured[] = {
    {"mv2_portable", "forward", 98416},
    {"dynamic_xnnpack", "forward", 608},
    {"control_flow_map", "forward", 1280},
    {"multi_method", "decode", 2072},
    {"multi_method", "encode", 312},
    {"quantized_xnnpack", "forward", 1616},
    {"p_map", "forward", 2832},
    {"b_ethosu", "forward", 1008},
    {"scan_two", "forward", 3096},
};

Test(method_allocator, is_what_the_runtime_takes) {
  for (size_t i = 0; i < ETR_COUNT(measured); i++) {
    etr_profile *profile = open_fixture(measured[i].fixture, NULL);
    const etr_method *method = NULL;
    for (size_t k = 0; k < profile->method_count; k++)
      if (strcmp(profile->methods[k].name, measured[i].method) == 0)
        method = &profile->methods[k];
    cr_assert(method && method->memory, "%s: %s", measured[i].fixture, measured[i].method);
    cr_expect_eq(method->memory->allocator_bytes_64, measured[i].bytes, "%s: %llu, not %llu",
                 measured[i].fixture, (unsigned long long)method->memory->allocator_bytes_64,
                 (unsigned long long)measured[i].bytes);
    cr_expect(method->memory->allocator_bytes_32 < method->memory->allocator_bytes_64);
    etr_profile_close(profile);
  }
}

/* Every kind of thing once; the sums are computed by hand. */
Test(method_allocator, aligns_each_allocation) {
  static const int32_t sizes[] = {1, 5};
  static const int32_t items[] = {0, 0, 0};
  static const etr_pte_value values[] = {
      {.kind = ETR_PTE_VALUE_TENSOR, .sizes = sizes, .rank = 2, .dynamic = true},
      {.kind = ETR_PTE_VALUE_INT_LIST, .items = items, .item_count = 3},
  };
  static const etr_pte_delegate delegates[] = {{.backend = "B", .spec_count = 2}};
  static const etr_instruction instructions[] = {
      {.kind = ETR_INSTRUCTION_KERNEL, .args = items, .arg_count = 3},
      {.kind = ETR_INSTRUCTION_DELEGATE, .args = items, .arg_count = 2},
      {.kind = ETR_INSTRUCTION_MOVE, .args = items, .arg_count = 2},
  };
  const etr_pte_method method = {.values = values,
                                 .value_count = 2,
                                 .input_count = 1,
                                 .delegates = delegates,
                                 .delegate_count = 1,
                                 .instructions = instructions,
                                 .instruction_count = 3};
  /* Values and flags 33; sizes, order and strides of the tensor from 36 to 56, then its 32 bytes;
   * the list's pointers to 100, its numbers from 104 to 128, its box to 140; the delegate from 144
   * to 184 and its specs to 208; the chain to 224, kernels to 236, arrays to 260, arguments. */
  cr_expect_eq(etr_method_allocator_bytes(&method, ETR_PROCESSOR_32), 280);
  /* The same, with pointers of 8 bytes: 56, 120; 144, 168, 192; 248, 296; 328, 352, 400. */
  cr_expect_eq(etr_method_allocator_bytes(&method, ETR_PROCESSOR_64), 440);
}
