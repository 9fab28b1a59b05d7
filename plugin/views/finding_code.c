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
                              "model, inputs = model.to(memory_format=torch.channels_last), "
                              "(image.to(memory_format=torch.channels_last),)"},
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
      [ETR_FINDING_BATCH_NORM] = {"program = torch.export.export(model, inputs)",
                                  "model.conv = fuse_conv_bn_eval(model.conv, model.norm)\n"
                                  "model.norm = torch.nn.Identity()"},
  };
  bool is_known = (size_t)kind < ETR_COUNT(codes) && codes[kind].before;
  return is_known ? &codes[kind] : NULL;
}
