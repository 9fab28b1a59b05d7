/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tb_tags.c - describes the tags of curves, and packs layouts of their charts.
 */
#include "tensorboard/tb_tags.h"

#include "base/utf8.h"
#include "tensorboard/pack.h"

/* ---- Descriptions ---- */

#define INFERENCE_STEP_OF(unit)                                                                    \
  "\n\n**Unit** " unit                                                                             \
  ". **Step** inference of the method, from 0; warm-up is counted, too. **Also** "
#define INFERENCE_STEP INFERENCE_STEP_OF("ms")
#define INFERENCE_OF(unit) INFERENCE_STEP_OF(unit) "`etrecord-tb summary RECORD`."
#define INFERENCE INFERENCE_OF("ms")
#define INTERRUPTED                                                                                \
  " Interruptions are in it; if they are a tenth of the typical run or more, TEXT says how much."
#define PART "Part of an inference: "
#define ADDS_UP                                                                                    \
  " The parts add up to `1_inference_ms/measured`, except that a part below 0.001 ms and 1 % in "  \
  "all inferences has "                                                                            \
  "no curve." INTERRUPTED INFERENCE
#define INSTRUCTION(unit, command)                                                                 \
  "\n\n**Unit** " unit                                                                             \
  ". **Step** instruction of the program, in the order of execution, *not* time. **Also** "        \
  "`etrecord-tb " command " RECORD`."
#define OF_RECORD(unit, command)                                                                   \
  " One number for the record.\n\n**Unit** " unit ". **Step** always 0. **Also** "                 \
  "`etrecord-tb " command " RECORD`."
#define METRIC(unit, command) " A column of HPARAMS." OF_RECORD(unit, command)

#define BUILD_OF(unit, command)                                                                    \
  "\n\n**Unit** " unit ". **Step** that of `write --step`. **Also** `etrecord-tb " command "`."
#define BUILD(unit) BUILD_OF(unit, "compare BUILD BUILD ...")

#define ACCURACY                                                                                   \
  "\n\n**Unit** dB. **Step** logged value, in the order of execution, from 0. **Also** "           \
  "`etrecord-tb accuracy RECORD "                                                                  \
  "--reference REF --sort order`."

/* Beginnings of tags; the first one that fits counts. */
static const struct {
  const char *prefix, *text;
} descriptions[] = {
    {ETR_TB_BUILDS "/typical", "Typical time of an inference (`Method::execute`)." BUILD("ms")},
    {ETR_TB_BUILDS "/low",
     "Shortest typical time of the build's recordings; of one recording the 10th percentile of its "
     "inferences." BUILD("ms")},
    {ETR_TB_BUILDS "/high",
     "Longest typical time of the build's recordings; of one recording the 90th percentile of its "
     "inferences." BUILD("ms")},
    {ETR_TB_BUILDS "/load", "Typical time to load the program, if one method ran." BUILD("ms")},
    {ETR_TB_BUILDS "/slower",
     "Where the curve `typical` surely rose against the build of `--against`: the points lie on "
     "that curve and are times, not changes. TEXT has by how much: `0_builds/change`." BUILD_OF(
         "ms", "diff BEFORE BUILD")},
    {ETR_TB_BUILDS "/faster",
     "Where the curve `typical` surely fell against the build of `--against`: the points lie on "
     "that curve and are times, not changes. TEXT has by how much: `0_builds/change`." BUILD_OF(
         "ms", "diff BEFORE BUILD")},
    {ETR_TB_BUILDS_PARTS "/",
     "Parts of an inference, which add up to `0_builds_ms/typical`." INTERRUPTED BUILD("ms")},
    {ETR_TB_BUILDS_KERNELS "/",
     "Time of all kernels, or operators of a delegate, with this name: the ten that take longest "
     "in the build; one that is not among them has no point." INTERRUPTED BUILD_OF(
         "ms", "summary BUILD --by kernel")},
    {ETR_TB_BUILDS_TOKENS "/per_second",
     "Tokens that an inference reads, by its typical time." BUILD("tokens per second")},
    {ETR_TB_BUILDS_BYTES "/pte",
     "Size of the program's file." BUILD_OF("bytes", "info BUILD --sizes")},
    {ETR_TB_BUILDS_BYTES "/planned",
     "Memory that the methods of the program plan." BUILD_OF("bytes", "memory BUILD")},
    {ETR_TB_INFERENCE "/measured", "Time of one inference (`Method::execute`)." INFERENCE},
    {ETR_TB_INFERENCE "/warmup", "Time of an inference that is excluded from all averages: "
                                 "warm-up, or what `--skip-runs` and `--runs` "
                                 "exclude." INFERENCE},
    {ETR_TB_PARTS "/operators_unplaced",
     PART "kernels and operators of delegates whose node is unknown, or without a graph." ADDS_UP},
    {ETR_TB_PARTS "/operators", PART "operators that are nodes of the graph." ADDS_UP},
    {ETR_TB_PARTS "/inserted", PART "transposes, conversions and copies that the lowering inserted "
                                    "into delegates." ADDS_UP},
    {ETR_TB_PARTS "/delegate_phases",
     PART "what delegates recorded besides operators: computing, waiting, copying." ADDS_UP},
    {ETR_TB_PARTS "/opaque_delegates",
     PART "calls of delegates that recorded no time inside." ADDS_UP},
    {ETR_TB_PARTS "/call_overhead", PART "calling delegates: their calls, minus what is inside "
                                         "them." ADDS_UP},
    {ETR_TB_PARTS "/runtime", PART "the runtime, outside operators and delegates." ADDS_UP},
    {ETR_TB_PARTS "/unexplained",
     PART "events inside delegates that are neither operators nor phases." ADDS_UP},
    {ETR_TB_DELEGATE "/",
     "Time of all calls of this backend's delegates, with everything in them." INFERENCE},
    {ETR_TB_OP_TYPE "/",
     "Time of all graph operators of this type: the ten types that take longest, and `other` for "
     "the rest. They add up "
     "to `2_parts_ms/operators`." INTERRUPTED INFERENCE_STEP
     "`etrecord-tb summary --by op RECORD`, JSON `by_op`."},
    {ETR_TB_TOKENS "/first_with_load_ms",
     "Time to the first token, with loading the methods, in the typical run." OF_RECORD("ms",
                                                                                        "summary")},
    {ETR_TB_TOKENS "/first_ms", "Time to the first token: of the inference that reads the prompt, "
                                "in the typical run." OF_RECORD("ms", "summary")},
    {ETR_TB_TOKENS "/per_second",
     "Tokens that an inference reads, by its time." INFERENCE_OF("tokens per second")},
    {ETR_TB_TOKENS "/ms_per_token",
     "Time of an inference by the tokens that it reads." INFERENCE_OF("ms per token")},
    {ETR_TB_MEMORY "/live",
     "Bytes of the planned tensors that are needed while an instruction runs." INSTRUCTION(
         "bytes", "memory")},
    {ETR_TB_MEMORY "/planned", "Bytes that the program plans in all, the same at every "
                               "instruction, for comparison." INSTRUCTION("bytes", "memory")},
    {ETR_TB_TIMELINE_GROUP "/typical",
     "Time of one instruction in the typical run." INTERRUPTED INSTRUCTION("ms", "events")},
    {ETR_TB_TIMELINE_GROUP "/cumulative",
     "Average time of this instruction and of all before it." INSTRUCTION("ms", "events")},
    {ETR_TB_ACCURACY "/snr",
     "SNR of each logged value of the worst input against the reference; 100 dB and more are "
     "equal, and wrong NaN or infinities count as -100 dB." ACCURACY},
    {ETR_TB_ACCURACY "/local",
     "SNR of the error that was added since the values before it: against what the reference "
     "computes from these." ACCURACY},
    {ETR_TB_ERROR_SPREAD "/",
     "How many elements of a logged value differ how much from the reference, of the ten most "
     "suspicious values.\n\n**Unit** that of the value. **Step** always 0. **Also** "
     "`etrecord-tb accuracy RECORD --reference REF`."},
    {ETR_TB_INFERENCE_SPREAD "/",
     "How many inferences took how long: a row for each block of consecutive inferences, "
     "at least ten, by the first of them." INFERENCE},
    {ETR_TB_METRICS "/typical_ms",
     "Typical time of an inference (`Method::execute`)." METRIC("ms", "summary")},
    {ETR_TB_METRICS "/p90_ms",
     "90th percentile of the times of an inference." METRIC("ms", "summary")},
    {ETR_TB_METRICS "/load_ms",
     "Typical time to load the program and its methods." METRIC("ms", "summary")},
    {ETR_TB_METRICS "/peak_mb", "Planned memory that is live at the peak of the program." METRIC(
                                    "MB, 1,000,000 bytes", "memory")},
    {ETR_TB_METRICS "/delegated_percent",
     "Part of an inference without interruptions that delegates take." METRIC("%", "summary")},
    {ETR_TB_METRICS "/uninterrupted_ms",
     "Typical time of an inference without interruptions." METRIC("ms", "summary")},
};

const char *etr_tb_description(const char *tag) {
  for (size_t i = 0; i < ETR_COUNT(descriptions); i++)
    if (strncmp(tag, descriptions[i].prefix, strlen(descriptions[i].prefix)) == 0)
      return descriptions[i].text;
  return "";
}

/* ---- Unique tags ---- */

enum { MOST_BYTES = 160 }; /* of a name in a tag: the page shows a line of it */

void etr_tb_tags_init(etr_tb_tags *tags, etr_arena *arena) {
  tags->arena = arena;
  etr_map_init(&tags->taken, arena);
}

/* Returns a name on one line, in which control characters are blanks, and parentheses are square
 * brackets: CUSTOM SCALARS takes what is between the first and the last parenthesis of "tag (run)"
 * for the run. One of more than MOST_BYTES is cut at a character and ends in "...". NULL when out
 * of memory. */
static const char *clean_name(etr_arena *arena, const char *name) {
  size_t size = strlen(name);
  bool is_long = size > MOST_BYTES;
  if (is_long)
    size = etr_utf8_floor(name, MOST_BYTES);
  char *clean = etr_arena_format(arena, "%.*s%s", (int)size, name, is_long ? "..." : "");
  for (char *character = clean; character && *character; character++)
    if ((unsigned char)*character < ' ' || *character == 0x7F)
      *character = ' ';
    else if (*character == '(' || *character == ')')
      *character = *character == '(' ? '[' : ']';
  return clean;
}

const char *etr_tb_tag(etr_tb_tags *tags, const char *group, const char *name, const char *suffix) {
  const char *clean = clean_name(tags->arena, name);
  const char *tag = clean ? etr_arena_format(tags->arena, "%s/%s%s", group, clean, suffix) : NULL;
  for (unsigned i = 2; tag && etr_map_get(&tags->taken, etr_slice_of(tag)) != ETR_NONE; i++)
    tag = etr_arena_format(tags->arena, "%s/%s~%u%s", group, clean, i, suffix);
  return tag && etr_map_set(&tags->taken, etr_slice_of(tag), 1) ? tag : NULL;
}

const char *etr_tb_graph_tag(etr_tb_tags *tags, const char *module, const char *method) {
  const char *clean = clean_name(tags->arena, module);
  const char *tag = clean ? etr_tb_tag(tags, clean, method, "") : NULL;
  if (!tag)
    return NULL;
  bool is_ours = etr_tb_description(tag)[0] != '\0' || strncmp(tag, "profile/", 8) == 0;
  return is_ours ? etr_tb_tag(tags, "graph", tag, "") : tag;
}

/* ---- Layouts, packed from the last chart to the first ---- */

typedef struct chart {
  const char *category; /* NULL: that of the chart before */
  const char *title;    /* has unit and step, because charts have no description */
  const char *tags[3];  /* expressions that match the beginnings of tags, up to the first NULL */
  bool is_closed;       /* of the category */
} chart;

static const chart record_charts[] = {
    {"Inference",
     "Time of an inference (ms, by inference)",
     {"^" ETR_TB_INFERENCE "/measured", "^" ETR_TB_INFERENCE "/warmup"},
     false},
    {"Where the time goes",
     "Parts of an inference (ms, by inference)",
     {"^" ETR_TB_PARTS "/"},
     false},
    {NULL, "Ten largest operator types (ms, by inference)", {"^" ETR_TB_OP_TYPE "/"}, false},
    {"Memory", "Live and planned memory (bytes, by instruction)", {"^" ETR_TB_MEMORY "/"}, true},
    {"Timeline",
     "Time of each instruction (ms, by instruction)",
     {"^" ETR_TB_TIMELINE_GROUP "/typical"},
     true},
};

static const chart build_charts[] = {
    {"Builds",
     "Time of an inference (ms, by build)",
     {"^" ETR_TB_BUILDS "/(typical|low|high)", "^" ETR_TB_BUILDS "/(slower|faster)"},
     false},
    {NULL, "Parts of an inference (ms, by build)", {"^" ETR_TB_BUILDS_PARTS "/"}, false},
    {NULL, "Kernels (ms, by build)", {"^" ETR_TB_BUILDS_KERNELS "/"}, false},
    {NULL, "Bytes (by build)", {"^" ETR_TB_BUILDS_BYTES "/"}, false},
};

/* Makes a category with this title of the charts that were packed since the packer had size_before
 * bytes. */
static void wrap_category(etr_packer *packer, const char *title, size_t size_before) {
  etr_pack_bytes(packer, etr_pack_field(tensorboard__category, "title"), etr_slice_of(title));
  etr_pack_nested(packer, etr_pack_field(tensorboard__layout, "category"), size_before);
}

/* Turns what was packed since the packer had size_before bytes into a chart with this title, and
 * that into a field of its category. content: the field of the chart that the data are, such as
 * "multiline". */
static void wrap_chart(etr_packer *packer, const char *title, const char *content,
                       size_t size_before) {
  etr_pack_nested(packer, etr_pack_field(tensorboard__chart, content), size_before);
  etr_pack_bytes(packer, etr_pack_field(tensorboard__chart, "title"), etr_slice_of(title));
  etr_pack_nested(packer, etr_pack_field(tensorboard__category, "chart"), size_before);
}

/* Packs the charts as messages inside the messages of their categories. A chart without a category
 * continues that of the one before. The packer writes from the end of a message to its start, so
 * the last chart comes first, and a category is wrapped after its first chart. */
static void pack_charts(etr_packer *packer, const chart *charts, size_t count) {
  size_t size_before_category = etr_packed_size(packer);
  bool ends_category = true; /* whether the chart is the last one of its category */
  for (size_t i = count; i-- > 0;) {
    size_t category_start = i; /* the chart that begins the category */
    while (!charts[category_start].category)
      category_start--;
    if (ends_category)
      etr_pack_int(packer, etr_pack_field(tensorboard__category, "closed"),
                   charts[category_start].is_closed);
    size_t size_before_chart = etr_packed_size(packer);
    for (size_t k = ETR_COUNT(charts->tags); k-- > 0;)
      if (charts[i].tags[k])
        etr_pack_bytes(packer, etr_pack_field(tensorboard__multiline_chart_content, "tag"),
                       etr_slice_of(charts[i].tags[k]));
    wrap_chart(packer, charts[i].title, "multiline", size_before_chart);
    ends_category = category_start == i;
    if (!ends_category)
      continue;
    wrap_category(packer, charts[i].category, size_before_category);
    size_before_category = etr_packed_size(packer);
  }
}

void etr_tb_layout_pack(etr_packer *packer, bool of_builds) {
  if (of_builds)
    pack_charts(packer, build_charts, ETR_COUNT(build_charts));
  else
    pack_charts(packer, record_charts, ETR_COUNT(record_charts));
}
