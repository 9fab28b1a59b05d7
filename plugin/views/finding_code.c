/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_code.c - code before and after the change that a finding advises. docs/findings.md has
 * the same lines in whole programs, which a test runs.
 */
#include "views/findings.h"

const etr_finding_code *etr_finding_code_of(etr_finding_kind kind) {
  static const etr_finding_code codes[] = {
      [ETR_FINDING_CONSTANTS] = {"program = torch.export.export(model, inputs)",
                                 "program = constant_prop_pass(torch.export.export(model, inputs)"
                                 ".run_decompositions())"},
      [ETR_FINDING_LAYOUT] = {"inputs = (image,)",
                              "inputs = (image.to(memory_format=torch.channels_last),)"},
      [ETR_FINDING_NOT_DELEGATED] = {"to_edge_transform_and_lower(program)",
                                     "to_edge_transform_and_lower(program, "
                                     "partitioner=[XnnpackPartitioner()])"},
      [ETR_FINDING_DELEGATE] = {"to_edge_transform_and_lower(program)",
                                "to_edge_transform_and_lower(program, "
                                "partitioner=[XnnpackPartitioner()])"},
      [ETR_FINDING_QUANTIZE] = {"program = torch.export.export(model, inputs)",
                                "prepared = prepare_pt2e(torch.export.export(model, inputs)"
                                ".module(), quantizer)\nprepared(*inputs)\n"
                                "program = torch.export.export(convert_pt2e(prepared), inputs)"},
      [ETR_FINDING_BATCH_NORM] = {"before = torch.nn.Sequential(conv, norm)",
                                  "after = fuse_conv_bn_eval(conv, norm)"},
      [ETR_FINDING_COPIES] = {"before = x.expand(x.shape)[:, 0:32]", "after = x"},
      [ETR_FINDING_MERGE] = {"before = torch.cat([head(x) for head in heads], dim=-1)",
                             "one = torch.nn.Linear(16, 48 * 4)\n"
                             "one.weight.data = torch.cat([head.weight.data for head in heads])"},
      [ETR_FINDING_REPEATED_HEADS] = {"before = query @ keys.repeat_interleave(rows, 1)"
                                      ".transpose(-2, -1)",
                                      "after = query.reshape(1, groups, rows, size) @ "
                                      "keys.transpose(-2, -1)"},
      [ETR_FINDING_OUTPUT_LAYER] = {"before = output(hidden)[:, -1:]",
                                    "after = output(hidden[:, -1:])"},
      [ETR_FINDING_CACHE_COPIES] = {"before = torch.cat([cache[:, :position], new, "
                                    "cache[:, position + 1 :]], dim=1)",
                                    "torch.ops.llama.update_cache(new, cache, position)"},
  };
  bool is_known = (size_t)kind < ETR_COUNT(codes) && codes[kind].before;
  return is_known ? &codes[kind] : NULL;
}
