/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_program_arguments.c - the paths of the ETDump and of the model in the arguments of a runner.
 */
#include "bench/program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGUMENTS(...) ((const char *const[]){__VA_ARGS__, NULL})

Test(program, paths_are_found_in_arguments) {
  cr_expect_str_eq(program_dump_path(ARGUMENTS("r", "--etdump_path", "d")), "d");
  cr_expect_str_eq(program_dump_path(ARGUMENTS("r", "-etdump-path=d")), "d");
  cr_expect_str_eq(program_dump_path(ARGUMENTS("r", "--model_path", "m", "--etdump", "d")), "d");
  cr_expect_null(program_dump_path(ARGUMENTS("r", "--etdump_path")));
  cr_expect_null(program_dump_path(ARGUMENTS("r", "etdump_path", "--etdump_paths=d")));
  cr_expect_str_eq(program_model_path(ARGUMENTS("r", "--etdump_path=d", "--model_path=m")), "m");
  cr_expect_null(program_model_path(ARGUMENTS("r", "m.pte")));
}

Test(program, the_dump_argument_is_removed) {
  const char **left = program_without_dump(ARGUMENTS("r", "--etdump_path", "d", "x", "--etdump=e"));
  cr_assert(left != NULL);
  cr_expect(strcmp(left[0], "r") == 0 && strcmp(left[1], "x") == 0 && left[2] == NULL);
  free(left);
  cr_expect_null(program_without_dump(ARGUMENTS("r", "x")));
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  cr_assert(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

Test(program, equal_model_files_are_the_same_model) {
  char one[] = "/tmp/etrecord-tb-model-1", same[] = "/tmp/etrecord-tb-model-2",
       other[] = "/tmp/etrecord-tb-model-3";
  write_file(one, "model");
  write_file(same, "model");
  write_file(other, "models");
  const char *const *base = ARGUMENTS("r", "--model_path", one);
  cr_expect(program_has_same_model(base, base));
  cr_expect(program_has_same_model(base, ARGUMENTS("r", "--model_path", same)));
  cr_expect_not(program_has_same_model(base, ARGUMENTS("r", "--model_path", other)));
  cr_expect_not(program_has_same_model(base, ARGUMENTS("r", "--model_path=/no/such/file")));
  cr_expect(program_has_same_model(base, ARGUMENTS("r")), "it is not known");
  (void)remove(one);
  (void)remove(same);
  (void)remove(other);
}
