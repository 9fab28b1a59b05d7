/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_redaction.c - what lib/records/redaction.c makes of names, in one record from the first name
 * on.
 */
#include "records/redaction.h"

#include <criterion/criterion.h>

typedef struct change {
  etr_slice (*hide)(etr_redaction *, etr_slice);
  const char *from, *to;
} change;

static void check(etr_redaction *redaction, const change *changes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    etr_slice to = changes[i].hide(redaction, etr_slice_of(changes[i].from));
    cr_expect(etr_slice_equal(to, etr_slice_of(changes[i].to)), "%s became %.*s, not %s",
              changes[i].from, (int)to.size, to.data, changes[i].to);
  }
}

Test(redaction, names_are_replaced_consistently) {
  static const change changes[] = {
      {etr_redact_path, "blocks.3.self_attn.weight", "m0.3.m1.weight"},
      {etr_redact_path, "blocks.12.mlp", "m0.12.m2"},
      {etr_redact_path, "weight.mlp", "m3.m2"}, /* not at the end of the name */
      {etr_redact_path, "", ""},
      {etr_redact_path, "mlp@1", "m2@1"},
      {etr_redact_path, "L['self'].blocks['mlp'].inners[0]", "L['self'].m0['m2'].m4[0]"},
      {etr_redact_path, "_empty_nn_module_stack_from_metadata_hook",
       "_empty_nn_module_stack_from_metadata_hook"},
      {etr_redact_module_stack,
       "L__self__,,my.Net;L__self__blocks_3,blocks.3,torch.nn.modules.linear.Linear",
       "L__self__,,C0;L__self__m0.3,m0.3,torch.nn.modules.linear.Linear"},
      {etr_redact_module_stack, "L__self__,,my.Net;K,,;K,mlp,my.Mlp",
       "L__self__,,C0;L__self__root_1,,;L__self__m2,m2,C1"},
      {etr_redact_name, "p_blocks_3_self_attn_weight", "p_m0_3_m1_weight"},
      {etr_redact_name, "l_self_modules_mlp_parameters_weight_",
       "l_self_modules_m2_parameters_m3_"},
      {etr_redact_name, "getattr_L__self___blocks___0___mlp", "getattr_L__self___m0___0___m2"},
      {etr_redact_name, "aten_mlp_default", "aten_mlp_default"}, /* an operator's */
      {etr_redact_name, "x", "x"},
      {etr_redact_name, "", ""},
  };
  etr_redaction redaction;
  etr_redaction_init(&redaction, true);
  check(&redaction, changes, ETR_COUNT(changes));
  etr_redaction_clear(&redaction);
}

/* Names in a damaged record may contain NUL. */
Test(redaction, names_with_nul_end) {
  static const char name[] = "p_mlp\0\0_x";
  etr_redaction redaction;
  etr_redaction_init(&redaction, true);
  etr_slice to = etr_redact_name(&redaction, (etr_slice){name, sizeof name - 1});
  cr_expect(etr_slice_equal(to, (etr_slice){name, sizeof name - 1}));
  etr_redaction_clear(&redaction);
}

/* Two weights whose new names would be equal, and a name that was learned before. */
Test(redaction, new_names_are_unique) {
  const etr_node nodes[] = {{.name = "p_a_b", .weight_name = "a.b"},
                            {.name = "p_a_b_1", .weight_name = "a.b"},
                            {.name = "p_a_b", .weight_name = "other"},
                            {.name = "arg0_1", .weight_name = "a.c"},
                            {.name = "x"}};
  const etr_graph graph = {.nodes = nodes, .node_count = ETR_COUNT(nodes)};
  static const change changes[] = {{etr_redact_name, "p_a_b", "p_m0_m1"},
                                   {etr_redact_name, "p_a_b_1", "p_m0_m1_1"},
                                   {etr_redact_name, "arg0_1", "arg0_1"},
                                   {etr_redact_name, "p_a_other", "p_m0_m2"}};
  etr_redaction redaction;
  etr_redaction_init(&redaction, true);
  etr_redaction_learn(&redaction, &graph);
  check(&redaction, changes, ETR_COUNT(changes));
  etr_redaction_clear(&redaction);
}

Test(redaction, source_lines_are_removed) {
  static const char trace[] =
      "File \"/home/me/net.py\", line 5, in secret\n    return self.a(x)\n"
      "  File \"/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py\", line 134, in "
      "forward\n"
      "    return F.linear(x)\n  File \"<eval_with_key>.3\", line 1, in forward\n"
      "  File \"/home/me/net.py\", line 7, in forward\n  File \"/home/me/other.py\", line 1\n";
  static const char hidden[] = "  File \"f0.py\", line 5, in function\n"
                               "  File \"torch/nn/modules/linear.py\", line 134, in forward\n"
                               "  File \"<generated>\", line 1, in forward\n"
                               "  File \"f0.py\", line 7, in forward\n  File \"f1.py\", line 1\n";
  static const change changes[] = {
      {etr_redact_trace, trace, hidden},
      {etr_redact_trace, "no traceback at all", ""},
      {etr_redact_path, "blocks.3", "blocks.3"}, /* which stay */
      {etr_redact_module_stack, "L__self__,,my.Net", "L__self__,,my.Net"},
      {etr_redact_name, "p_blocks_weight", "p_blocks_weight"}};
  etr_redaction redaction;
  etr_redaction_init(&redaction, false);
  check(&redaction, changes, ETR_COUNT(changes));
  etr_redaction_clear(&redaction);
}
