/* SPDX-License-Identifier: BSD-3-Clause
 *
 * finding_code.c - code before and after the change that a finding advises. docs/findings.md has
 * the same lines in whole programs, which a test runs.
 */
#include "views/findings.h"

#define SPLIT_BEFORE "first, second = x.chunk(2, dim=1)"
#define SPLIT_AFTER "first, second = x[:, :8], x[:, 8:]"
#define MEAN_BEFORE "before = x.mean((2, 3))"
#define POOL_BEFORE "pooled = torch.nn.functional.adaptive_avg_pool2d(x, 1)"
#define POOL_AFTER "pooled = x.mean((2, 3), keepdim=True)"
#define MEAN_AFTER "after = x.mean((2, 3), keepdim=True).flatten(1)"

#define EXPORT "program = torch.export.export(model, inputs)"
#define QUANTIZER                                                                                  \
  "quantizer = XNNPACKQuantizer().set_global("                                                     \
  "get_symmetric_quantization_config(is_per_channel=True))\n"
#define QUANTIZED                                                                                  \
  "prepared = prepare_pt2e(torch.export.export(model, inputs).module(), quantizer)\n"              \
  "prepared(*inputs)\n"                                                                            \
  "program = torch.export.export(convert_pt2e(prepared), inputs)"

/* Code for what a partitioner leaves out, from ETR_VARIANT_SPLITS on. */
static const etr_finding_code refused[] = {
    {SPLIT_BEFORE, SPLIT_AFTER},
    {MEAN_BEFORE, MEAN_AFTER},
    {SPLIT_BEFORE "\n" MEAN_BEFORE, SPLIT_AFTER "\n" MEAN_AFTER},
    {"before = avg_pool2d(x, 3, 2, padding=1)", "after = avg_pool2d(pad(x, (1, 1, 1, 1)), 3, 2)"},
    {"before = x.sum((2, 3), keepdim=True)",
     "after = x.mean((2, 3), keepdim=True) * float(x.shape[2] * x.shape[3])"},
    {"before = x.softmax(1)",
     "after = x.flatten(2).transpose(1, 2).softmax(-1).transpose(1, 2).reshape(x.shape)"}};

/* Returns the code, before and after, of a finding whose variant asks for other code than its kind:
 * copies that the export makes, constants that the lowering makes, transposes for values of few
 * dimensions, pools of channels-last images, quantizing to 8da4w, and splits, means, sums and
 * softmaxes that a partitioner leaves out. NULL otherwise. */
static const etr_finding_code *variant_code(const etr_finding *finding) {
  static const etr_finding_code
      from_export = {"to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])",
                     "class WithoutExpands(ExportPass):\n"
                     "    def call_operator(self, op, args, kwargs, meta):\n"
                     "        is_expand = op == ops.edge.aten.expand_copy.default\n"
                     "        if is_expand and args[0].data.shape == meta[\"val\"].shape:\n"
                     "            return args[0]\n"
                     "        return super().call_operator(op, args, kwargs, meta)\n\n\n"
                     "to_edge_transform_and_lower(program, transform_passes=[WithoutExpands()], "
                     "partitioner=[XnnpackPartitioner()])"},
      groups = {EXPORT, "config = Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, "
                        "weight_granularity=PerGroup(32))\n"
                        "quantize_(model, config, lambda module, name: isinstance(module, "
                        "torch.nn.Linear) and module.in_features % 32 == 0)\n" EXPORT},
      layer = {EXPORT,
               "config = Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, "
               "weight_granularity=PerGroup(32))\n"
               "quantize_(model, config, lambda module, name: name == \"output\")\n" EXPORT},
      but_depthwise = {EXPORT,
                       "def is_taken(node):\n"
                       "    if node.target != torch.ops.aten.conv2d.default or "
                       "len(node.args) < 7:\n"
                       "        return True\n"
                       "    filters, groups = node.args[1].meta[\"val\"].shape, node.args[6]\n"
                       "    return groups == 1 or filters[1] > 1 or filters[2] * filters[3] <= 9\n"
                       "\n"
                       "\n" QUANTIZER "quantizer.set_filter_function(is_taken)\n" QUANTIZED},
      dims = {"scale = torch.nn.Parameter(torch.rand(8, 1, 1))",
              "scale = torch.nn.Parameter(scale.data[None])"},
      inputs_and_pools = {"inputs = (image,)\n" POOL_BEFORE,
                          "inputs = (image.to(memory_format=torch.channels_last),)\n" POOL_AFTER},
      pools = {POOL_BEFORE, POOL_AFTER},
      late = {"lowered.to_executorch()", "lowered.to_executorch(ExecutorchBackendConfig("
                                         "do_quant_fusion_and_const_prop=True))"};
  const etr_finding_variant variant = finding->variant;
  if (variant >= ETR_VARIANT_SPLITS && variant <= ETR_VARIANT_SOFTMAX)
    return &refused[variant - ETR_VARIANT_SPLITS];
  if (variant == ETR_VARIANT_DEPTHWISE)
    return &but_depthwise;
  if (finding->variant == ETR_VARIANT_LATE)
    return &late;
  if (finding->variant == ETR_VARIANT_DIMS)
    return &dims;
  if (finding->variant == ETR_VARIANT_POOLS)
    return finding->kind == ETR_FINDING_LAYOUT ? &inputs_and_pools : &pools;
  if (finding->kind == ETR_FINDING_COPIES && finding->variant == ETR_VARIANT_EXPORT)
    return &from_export;
  if (finding->variant != ETR_VARIANT_8DA4W)
    return NULL;
  return finding->kind == ETR_FINDING_OUTPUT_LAYER ? &layer : &groups;
}

/* The code of each kind that has some. */
static const etr_finding_code codes[] = {
    [ETR_FINDING_CONSTANTS] = {EXPORT,
                               EXPORT "\n"
                                      "quantized = {node.target for node in program.graph.nodes if "
                                      "\"dequantize\" in str(node.target)}\n"
                                      "program = constant_prop_pass(program, quantized)"},
    [ETR_FINDING_LAYOUT] = {"inputs = (image,)",
                            "inputs = (image.to(memory_format=torch.channels_last),)"},
    [ETR_FINDING_NOT_DELEGATED] = {"to_edge_transform_and_lower(program)",
                                   "to_edge_transform_and_lower(program, "
                                   "partitioner=[XnnpackPartitioner()])"},
    [ETR_FINDING_DELEGATE] = {"to_edge_transform_and_lower(program)",
                              "to_edge_transform_and_lower(program, "
                              "partitioner=[XnnpackPartitioner()])"},
    [ETR_FINDING_QUANTIZE] = {EXPORT, QUANTIZER QUANTIZED},
    [ETR_FINDING_SOFTMAX_CHECK] = {"before = scaled_dot_product_attention(q, k, v, mask)",
                                   "after = torch.softmax(q @ k.transpose(-2, -1) * scale + "
                                   "mask, dim=-1) @ v"},
    [ETR_FINDING_SPLIT_DEPTHWISE] =
        {"before = conv(x)",
         "class Split(torch.nn.Module):\n"
         "    def __init__(self, conv):\n"
         "        super().__init__()\n"
         "        pads = [n // 2 for n in conv.kernel_size] if conv.padding == \"same\" else "
         "conv.padding\n"
         "        self.parts = torch.nn.ModuleList()\n"
         "        for row, column in ((0, 0), (0, 1), (1, 0), (1, 1)):\n"
         "            weight = conv.weight.data[:, :, row::2, column::2].clone()\n"
         "            padding = pads[0] - row, pads[1] - column\n"
         "            count, has_bias = len(weight), not self.parts and conv.bias is not None\n"
         "            part = torch.nn.Conv2d(count, count, weight.shape[2:], conv.stride, "
         "padding, "
         "2, count, has_bias)\n"
         "            part.weight.data = weight\n"
         "            if has_bias:\n"
         "                part.bias.data = conv.bias.data\n"
         "            self.parts.append(part)\n"
         "\n"
         "    def forward(self, x):\n"
         "        a, b, c, d = self.parts\n"
         "        return a(x) + b(x) + c(x) + d(x)\n"
         "\n"
         "\n"
         "conv = fuse_conv_bn_eval(conv, norm)  # first, if a batch norm follows\n"
         "after = Split(conv)(x)"},
    [ETR_FINDING_BRANCHES] = {"before = three(x) + one(x) + norm(x)",
                              "identity = torch.nn.Conv2d(8, 8, 1).eval()\n"
                              "torch.nn.init.dirac_(identity.weight)\n"
                              "torch.nn.init.zeros_(identity.bias)\n"
                              "for branch in (one, fuse_conv_bn_eval(identity, norm)):\n"
                              "    three.weight.data += pad(branch.weight.data, (1, 1, 1, 1))\n"
                              "    three.bias.data += branch.bias.data\n"
                              "after = three(x)"},
    [ETR_FINDING_BATCH_NORM] = {"before = torch.nn.Sequential(conv, norm)",
                                "after = fuse_conv_bn_eval(conv, norm)"},
    [ETR_FINDING_COPIES] = {"before = x.expand(x.shape)[:, 0:32]", "after = x"},
    [ETR_FINDING_MERGE] = {"before = torch.cat([head(x) for head in heads], dim=-1)",
                           "one = torch.nn.Linear(16, 48 * 4)\n"
                           "one.weight.data = torch.cat([head.weight.data for head in heads])"},
    [ETR_FINDING_REPEATED_HEADS] = {"before = query @ keys.repeat_interleave(rows, 1)"
                                    ".transpose(-2, -1)",
                                    "after = torch.bmm(query.reshape(-1, rows, size), "
                                    "keys.flatten(0, 1).transpose(-2, -1))"},
    [ETR_FINDING_OUTPUT_LAYER] = {"before = output(hidden)[:, -1:]",
                                  "after = output(hidden[:, -1:])"},
    [ETR_FINDING_CACHE_COPIES] = {"before = torch.cat([cache[:, :position], new, "
                                  "cache[:, position + 1 :]], dim=1)",
                                  "torch.ops.llama.update_cache(new, cache, position)"},
};

const etr_finding_code *etr_finding_code_of(const etr_finding *finding) {
  const etr_finding_kind kind = finding->kind;
  const etr_finding_code *other = variant_code(finding);
  if (other)
    return other;
  /* What to write instead depends on the model. */
  if (finding->variant == ETR_VARIANT_MOVES || finding->variant == ETR_VARIANT_LEFT)
    return NULL;
  bool is_known = (size_t)kind < ETR_COUNT(codes) && codes[kind].before;
  return is_known ? &codes[kind] : NULL;
}
