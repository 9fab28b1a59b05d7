/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Patterns of modules: recognizing the numbers in paths that count repetitions.
 */
#include "join/module_pattern.h"

#include <criterion/criterion.h>

enum { MOST = 24 };

typedef struct pattern_case {
  const char *what;
  struct {
    const char *path, *type, *pattern; /* pattern is NULL if it equals the path */
  } modules[MOST];
} pattern_case;

static const pattern_case cases[] = {
    {"layers of a ModuleList, which is never called",
     {{"layers.0", "Block", "layers.*"},
      {"layers.0.attention", "Attention", "layers.*.attention"},
      {"layers.0.attention.wv", "Linear", "layers.*.attention.wv"},
      {"layers.1", "Block", "layers.*"},
      {"layers.1.attention", "Attention", "layers.*.attention"},
      {"layers.1.attention.wv", "Linear", "layers.*.attention.wv"},
      {"head", "Linear", NULL}}},
    {"names with a number",
     {{"encoder.layers", "Sequential", NULL},
      {"encoder.layers.encoder_layer_0", "EncoderBlock", "encoder.layers.encoder_layer_*"},
      {"encoder.layers.encoder_layer_0.ln_1", "LayerNorm", "encoder.layers.encoder_layer_*.ln_1"},
      {"encoder.layers.encoder_layer_0.ln_2", "LayerNorm", "encoder.layers.encoder_layer_*.ln_2"},
      {"encoder.layers.encoder_layer_11", "EncoderBlock", "encoder.layers.encoder_layer_*"},
      {"encoder.layers.encoder_layer_11.ln_1", "LayerNorm",
       "encoder.layers.encoder_layer_*.ln_1"}}},
    {"repetition in repetition",
     {{"layers.0.experts.0", "Expert", "layers.*.experts.*"},
      {"layers.0.experts.0.w1", "Linear", "layers.*.experts.*.w1"},
      {"layers.0.experts.1", "Expert", "layers.*.experts.*"},
      {"layers.0.experts.1.w1", "Linear", "layers.*.experts.*.w1"},
      {"layers.0.experts.1.w2", "Linear", "layers.*.experts.*.w2"},
      {"layers.1.experts.0", "Expert", "layers.*.experts.*"},
      {"layers.1.experts.0.w1", "Linear", "layers.*.experts.*.w1"},
      {"layers.1.experts.1", "Expert", "layers.*.experts.*"},
      {"layers.1.experts.1.w1", "Linear", "layers.*.experts.*.w1"}}},
    {"lists in a list",
     {{"blocks.0.0", "Block", "blocks.*.*"},
      {"blocks.0.0.fc", "Linear", "blocks.*.*.fc"},
      {"blocks.0.1", "Block", "blocks.*.*"},
      {"blocks.0.1.fc", "Linear", "blocks.*.*.fc"},
      {"blocks.1.0", "Block", "blocks.*.*"},
      {"blocks.1.0.fc", "Linear", "blocks.*.*.fc"},
      {"blocks.1.1", "Block", "blocks.*.*"},
      {"blocks.1.1.fc", "Linear", "blocks.*.*.fc"}}},
    {"roles: names with a number, and nothing inside",
     {{"conv1", "Conv2d", NULL},
      {"conv2", "Conv2d", NULL},
      {"fc1", "Linear", NULL},
      {"w1", "Linear", NULL}}},
    {"one alone",
     {{"layer1", "Sequential", NULL}, {"layer1.conv", "Conv2d", NULL}, {"stem.0", "Conv2d", NULL}}},
    {"unlike members of a Sequential",
     {{"stem", "Sequential", NULL},
      {"stem.0", "Conv2d", NULL},
      {"stem.1", "BatchNorm2d", NULL},
      {"stem.2", "ReLU", NULL},
      {"stem.3", "Conv2d", NULL}}},
    {"what was between them is fused away",
     {{"mlp", "Sequential", NULL}, {"mlp.0", "Linear", NULL}, {"mlp.3", "Linear", NULL}}},
    {"only like members",
     {{"heads", "Sequential", NULL},
      {"heads.0", "Linear", "heads.*"},
      {"heads.1", "Linear", "heads.*"}}},
    {"three in a row of a Sequential, and the ends",
     {{"features", "Sequential", NULL},
      {"features.0", "ConvNorm", NULL},
      {"features.0.0", "Conv2d", NULL},
      {"features.1", "Residual", NULL},
      {"features.1.conv.0", "Conv2d", NULL},
      {"features.2", "Residual", "features.*"},
      {"features.2.conv.0", "ConvNorm", "features.*.conv.0"},
      {"features.3", "Residual", "features.*"},
      {"features.3.conv.0", "ConvNorm", "features.*.conv.0"},
      {"features.10", "Residual", "features.*"},
      {"features.10.conv.0", "ConvNorm", "features.*.conv.0"},
      {"features.11", "ConvNorm", NULL},
      {"features.11.0", "Conv2d", NULL}}},
    {"two beside others in a Sequential",
     {{"conv", "Sequential", NULL},
      {"conv.0", "ConvNorm", NULL},
      {"conv.0.0", "Conv2d", NULL},
      {"conv.1", "ConvNorm", NULL},
      {"conv.1.0", "Conv2d", NULL},
      {"conv.2", "Conv2d", NULL}}},
    {"kinds in turns in a ModuleList",
     {{"layers.0", "Mamba", "layers.*"},
      {"layers.0.mixer", "Scan", "layers.*.mixer"},
      {"layers.1", "Attention", "layers.*"},
      {"layers.1.q", "Linear", "layers.*.q"},
      {"layers.2", "Mamba", "layers.*"},
      {"layers.2.mixer", "Scan", "layers.*.mixer"},
      {"layers.3", "Attention", "layers.*"},
      {"layers.3.q", "Linear", "layers.*.q"},
      {"layers.4", "Last", NULL},
      {"layers.4.q", "Linear", NULL}}},
    {"one has more inside",
     {{"layer1", "Sequential", "layer*"},
      {"layer1.0", "Bottleneck", "layer*.*"},
      {"layer1.0.conv1", "Conv2d", "layer*.*.conv1"},
      {"layer1.0.downsample", "Sequential", "layer*.*.downsample"},
      {"layer1.1", "Bottleneck", "layer*.*"},
      {"layer1.1.conv1", "Conv2d", "layer*.*.conv1"},
      {"layer2", "Sequential", "layer*"},
      {"layer2.0", "Bottleneck", "layer*.*"},
      {"layer2.0.conv1", "Conv2d", "layer*.*.conv1"},
      {"layer2.1", "Bottleneck", "layer*.*"},
      {"layer2.1.conv1", "Conv2d", "layer*.*.conv1"}}},
    {"the same names, other types",
     {{"towers.0.fc", "Linear", NULL},
      {"towers.1.fc", "Conv2d", NULL},
      {"towers.2.proj", "Linear", NULL}}},
    {"unknown types",
     {{"layers.0", "", "layers.*"},
      {"layers.0.a", "", "layers.*.a"},
      {"layers.1.a", "", "layers.*.a"}}},
    {"leaves of unknown types", {{"0", "", NULL}, {"1", "", NULL}}},
    {"a model that is a Sequential",
     {{"0", "Conv2d", NULL}, {"1", "ReLU", NULL}, {"2", "Conv2d", NULL}}},
    {"calls of one module",
     {{"norm@1", "LayerNorm", NULL},
      {"norm@1.x", "A", NULL},
      {"norm@2", "LayerNorm", NULL},
      {"norm@2.x", "A", NULL}}},
    {"numbers that are odd",
     {{"a.00.x", "L", "a.*.x"},
      {"a.0.x", "L", "a.*.x"},
      {"a.99999999999999999999.x", "L", "a.*.x"},
      {"a..x", "L", NULL}}},
};

static void check(const pattern_case *c) {
  etr_arena arena = {0};
  etr_map strings;
  etr_module modules[MOST + 1] = {{.path = "", .type = "Model", .parent = ETR_NONE}};
  size_t count = 1;
  etr_map_init(&strings, &arena);
  for (size_t i = 0; i < MOST && c->modules[i].path; i++, count++)
    modules[count] = (etr_module){.path = c->modules[i].path, .type = c->modules[i].type};
  cr_assert(etr_module_patterns_set(modules, count, &strings, &arena));
  cr_expect_str_eq(modules[0].pattern, "");
  for (size_t i = 1; i < count; i++) {
    const char *expected = c->modules[i - 1].pattern ? c->modules[i - 1].pattern : modules[i].path;
    cr_expect_str_eq(modules[i].pattern, expected, "%s: %s is %s", c->what, modules[i].path,
                     modules[i].pattern);
  }
  etr_arena_clear(&arena);
}

Test(module_pattern, repeated_numbers_become_stars) {
  for (size_t i = 0; i < ETR_COUNT(cases); i++)
    check(&cases[i]);
}

/* The order of modules in the record does not matter. */
Test(module_pattern, patterns_do_not_depend_on_order) {
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    pattern_case reversed = {.what = cases[i].what};
    size_t count = 0;
    while (count < MOST && cases[i].modules[count].path)
      count++;
    for (size_t k = 0; k < count; k++)
      reversed.modules[k] = cases[i].modules[count - 1 - k];
    check(&reversed);
  }
}

/* A path that is as deep as a file allows. */
Test(module_pattern, a_very_deep_path_is_its_own_pattern) {
  char path[4000];
  etr_arena arena = {0};
  etr_map strings;
  for (size_t i = 0; i + 1 < sizeof path; i++)
    path[i] = i % 2 ? '.' : '0';
  path[sizeof path - 1] = '\0';
  etr_module module = {.path = path, .type = "L"};
  etr_map_init(&strings, &arena);
  cr_assert(etr_module_patterns_set(&module, 1, &strings, &arena));
  cr_expect_str_eq(module.pattern, path);
  etr_arena_clear(&arena);
}
