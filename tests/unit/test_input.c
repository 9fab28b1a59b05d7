/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finding the files of a record in a directory; files are recognized by their content.
 */
#include "base/base.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test_input.XXXXXX";

static void make_folder(void) {
  cr_assert_not_null(mkdtemp(folder));
}

static void remove_folder(void) {
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  cr_expect_eq(system(command), 0);
}

TestSuite(input, .init = make_folder, .fini = remove_folder);

static void copy(const char *fixture, const char *name) {
  char path[512], bytes[4096];
  snprintf(path, sizeof path, FIXTURES "/%s", fixture);
  FILE *from = fopen(path, "rb");
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *to = fopen(path, "wb");
  cr_assert(from && to, "%s", fixture);
  for (size_t got; (got = fread(bytes, 1, sizeof bytes, from)) > 0;)
    fwrite(bytes, 1, got, to);
  fclose(from);
  fclose(to);
}

static const char *base(const char *path) {
  return path ? strrchr(path, '/') + 1 : "-";
}

/* "record; dump, dump; pte; debug buffer", or "status: message". */
static void find(const char *path, char *out, size_t size) {
  etr_inputs inputs;
  etr_error error;
  etr_status status = etr_inputs_find(&inputs, path, NULL, &error);
  if (status != ETR_OK) {
    cr_expect_eq(inputs.etdump_count, 0);
    cr_expect_null(inputs.etrecord);
    snprintf(out, size, "%d: %s", (int)status, error.message);
    return;
  }
  size_t used = (size_t)snprintf(out, size, "%s;", base(inputs.etrecord));
  for (size_t i = 0; i < inputs.etdump_count; i++)
    used += (size_t)snprintf(out + used, size - used, "%s%s", i ? "," : "",
                             base(inputs.etdumps[i]));
  snprintf(out + used, size - used, ";%s;%s", base(inputs.pte), base(inputs.debug_buffer));
  etr_inputs_clear(&inputs);
}

Test(input, files_of_a_directory_are_recognized) {
  static const struct {
    const char *files[6][2], *found;
  } cases[] = {
      {{{"add_mul/etrecord.bin", "etrecord.bin"},
        {"add_mul/etdump.etdp", "etdump.etdp"},
        {"add_mul/model.pte", "model.pte"}},
       "etrecord.bin;etdump.etdp;model.pte;-"},
      {{{"add_mul/etrecord.bin", "z"}, {"add_mul/etdump.etdp", "y"}, {"add_mul/model.pte", "x"}},
       "z;y;x;-"},
      {{{"add_mul/etdump.etdp", "b"}, {"add_mul/etdump.etdp", "a"}, {"add_mul/etrecord.bin", "c"}},
       "c;a,b;-;-"},
      {{{"add_mul_debug/debug_buffer.bin", "debug_buffer.bin"}, {"add_mul/etdump.etdp", "d"}},
       "-;d;-;debug_buffer.bin"},
      {{{"hostile/no_size_prefix.etdp", "d"}}, "-;d;-;-"},
      {{{"hostile/prefix_junk.etrecord", "r"}}, "r;;-;-"},
      {{{"hostile/trunc_half.etrecord", "etrecord.bin"}, {"add_mul/etdump.etdp", "d"}},
       "etrecord.bin;d;-;-"},
      {{{"hostile/trunc_half.etrecord", "x.etrecord"}}, "x.etrecord;;-;-"},
      {{{"add_mul/etrecord.bin", "good"}, {"hostile/trunc_half.etrecord", "bad.etrecord"}},
       "3: 2 ETRecords here (bad.etrecord, good); choose one with --etrecord FILE"},
      {{{"hostile/trunc_12.etdp", "x.etdp"}}, "-;x.etdp;-;-"},
      {{{"add_mul/etrecord.bin", "r"},
        {"add_mul/truth.json", "truth.json"},
        {"add_mul/etrecord.bin", ".hidden"}},
       "r;;-;-"},
      {{{"add_mul/etrecord.bin", "a"}, {"vulkan/etrecord.bin", "b"}},
       "3: 2 ETRecords here (a, b); choose one with --etrecord FILE"},
      {{{"add_mul/etrecord.bin", "a"}, {"vulkan/model.pte", "b"}, {"add_mul/model.pte", "c"}},
       "3: 2 .pte programs here (b, c); choose one with --pte FILE"},
      {{{"add_mul/model.pte", "a.pte"}}, "-;;a.pte;-"},
      {{{NULL, NULL}},
       "3: no ETRecord, ETDump or .pte here; export with generate_etrecord=True to get an "
       "ETRecord"},
      {{{"bundled/net.etdump", "d"}, {"bundled/model.bpte", "b"}}, "-;d;b;-"},
      {{{"bundled/net.etdump", "d"}, {"bundled/model.bpte", "b"}, {"add_mul/model.pte", "p"}},
       "-;d;p;-"},
      {{{"add_mul/etrecord.bin", "a"}, {"vulkan/model.pte", "b"}, {"vulkan/model.pte", "c"}},
       "a;;b;-"}, /* one content counts once */
      {{{"bundled/model.bpte", "a"}, {"bundled/model.bpte", "b"}}, "-;;a;-"},
      {{{"serial_log/stamped.log", "boot.txt"}, {"external_weights/weights.ptd", "w"}},
       "-;boot.txt;-;-"},
      {{{"serial_log/two.log", "b.txt"}, {"add_mul/etdump.etdp", "a"}}, "-;a,b.txt#1,b.txt#2;-;-"},
      {{{"serial_log/second_cut.log", "b"}},
       "-;b;-;-"}, /* the error is reported when it is opened */
      {{{"serial_log/two.log", "b"}, {"add_mul/etdump.etdp", "b#2"}}, "-;b#1,b#2,b#2;-;-"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    char got[1024];
    for (size_t k = 0; k < 6 && cases[i].files[k][0]; k++)
      copy(cases[i].files[k][0], cases[i].files[k][1]);
    find(folder, got, sizeof got);
    cr_expect_str_eq(got, cases[i].found, "case %zu: %s", i, got);
    remove_folder();
    cr_assert_eq(mkdir(folder, 0700), 0);
  }
}

Test(input, a_single_file_is_recognized) {
  static const char *const cases[][2] = {
      {FIXTURES "/add_mul/etrecord.bin", "etrecord.bin;;-;-"},
      {FIXTURES "/add_mul/etdump.etdp", "-;etdump.etdp;-;-"},
      {FIXTURES "/add_mul/model.pte", "-;;model.pte;-"},
      {FIXTURES "/hostile/not_zip.etrecord",
       "not_zip.etrecord;;-;-"}, /* the error is reported when it is opened */
      {FIXTURES "/add_mul/truth.json", "3: not a file of a record: no ETRecord, no ETDump, no log "
                                       "with one, no .pte, .bpte or .ptd, and not called "
                                       "debug_buffer.bin; give a record's directory, or its files"},
      {FIXTURES "/add_mul/", "etrecord.bin;etdump.etdp;model.pte;-"},
  };
  for (size_t i = 0; i < ETR_COUNT(cases); i++) {
    char got[1024];
    find(cases[i][0], got, sizeof got);
    cr_expect_str_eq(got, cases[i][1], "%s", got);
  }
}

Test(input, missing_inputs_are_reported) {
  etr_inputs inputs;
  etr_error error;
  cr_expect_eq(etr_inputs_find(&inputs, "/no/such/record", NULL, &error), ETR_ERROR_IO);
  cr_expect_str_eq(error.file, "/no/such/record");
  cr_expect_eq(etr_inputs_find(&inputs, "", NULL, &error), ETR_ERROR_IO);
  etr_inputs_clear(&inputs);
}

Test(input, standard_input_is_a_dump) {
  etr_inputs inputs;
  cr_expect_eq(etr_inputs_find(&inputs, "-", NULL, NULL), ETR_OK);
  cr_assert_eq(inputs.etdump_count, 1);
  cr_expect_str_eq(inputs.etdumps[0], "-");
  etr_inputs_clear(&inputs);
}
