/* SPDX-License-Identifier: BSD-3-Clause
 *
 * record_entry.c - the names that ExecuTorch gives to entries, and those that etrecord-tb knows besides.
 */
#include "inputs/record_entry.h"

const char *const etr_sibling_suffixes[] = {"_state_dict", "_constants", "_example_inputs"};

static const struct {
  const char *name;
  etr_entry_kind kind;
} known[] = {
    {ETR_IDENTIFIER_ENTRY, ETR_ENTRY_IDENTIFIER},
    {"debug_handle_map", ETR_ENTRY_HANDLE_MAP},
    {"delegate_map", ETR_ENTRY_DELEGATE_MAP},
    {"instruction_id_to_num_outs_map", ETR_ENTRY_OUTPUT_COUNTS},
    {"export_graph_id", ETR_ENTRY_GRAPH_ID},
    {"reference_outputs", ETR_ENTRY_REFERENCE_OUTPUTS},
    {"representative_inputs", ETR_ENTRY_REPRESENTATIVE_INPUTS},
    {ETR_ATEN_ENTRY, ETR_ENTRY_OTHER_PROGRAM},
    {"program_buffer", ETR_ENTRY_PTE},
    {ETR_RECORD_PTE_ENTRY, ETR_ENTRY_PTE},
};

etr_slice etr_entry_program(etr_slice name, etr_sibling *sibling) {
  for (size_t i = 0; i < ETR_COUNT(etr_sibling_suffixes); i++) {
    etr_slice suffix = etr_slice_of(etr_sibling_suffixes[i]);
    if (name.size <= suffix.size || !etr_slice_ends(name, suffix)) continue;
    if (sibling) *sibling = (etr_sibling)i;
    return (etr_slice){name.data, name.size - suffix.size};
  }
  return (etr_slice){0};
}

/* Is it MODULE, or MODULE/METHOD? */
static bool is_of_module(const char *name, const char *module) {
  size_t length = strlen(module);
  return strncmp(name, module, length) == 0 && (!name[length] || name[length] == '/');
}

etr_entry_kind etr_entry_kind_of(const char *name, const char *edge_entry) {
  for (size_t i = 0; i < ETR_COUNT(known); i++)
    if (strcmp(name, known[i].name) == 0) return known[i].kind;
  if (etr_entry_program(etr_slice_of(name), NULL).size) return ETR_ENTRY_WEIGHTS;
  if (is_of_module(name, edge_entry)) return ETR_ENTRY_EDGE_PROGRAM;
  return strchr(name, '/') ? ETR_ENTRY_OTHER_PROGRAM : ETR_ENTRY_UNKNOWN;
}

const char *etr_entry_name(etr_entry_kind kind) {
  for (size_t i = 0; i < ETR_COUNT(known); i++)
    if (known[i].kind == kind && kind != ETR_ENTRY_PTE) return known[i].name;
  return kind == ETR_ENTRY_PTE ? ETR_RECORD_PTE_ENTRY : NULL;
}

const char *etr_entry_loss(etr_entry_kind kind) {
  switch (kind) {
  case ETR_ENTRY_EDGE_PROGRAM: return "times cannot be joined to nodes";
  case ETR_ENTRY_HANDLE_MAP: return "instructions cannot be joined to nodes by debug handles";
  case ETR_ENTRY_DELEGATE_MAP: return "delegates and their backends are unknown";
  case ETR_ENTRY_GRAPH_ID: return "times do not reach aten/forward";
  case ETR_ENTRY_OTHER_PROGRAM: return "there is no graph of the model before it was lowered";
  case ETR_ENTRY_REFERENCE_OUTPUTS: return "outputs of runs cannot be compared with a reference";
  case ETR_ENTRY_PTE: return "operators in delegates are matched by order, not exactly";
  default: return "";
  }
}

bool etr_entry_is_reserved(const char *module) {
  static const char *const graphs[] = {ETR_EDGE_ENTRY, ETR_EARLY_ENTRY};
  for (size_t i = 0; i < ETR_COUNT(graphs); i++)
    if (strstr(module, graphs[i])) return true;
  for (size_t i = 0; i < ETR_COUNT(known); i++)
    if (known[i].kind != ETR_ENTRY_PTE && strstr(module, known[i].name)) return true;
  return false;
}
