/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_torch_archive.c - lib/inputs/torch_archive.c on real archives, whole, cut and damaged.
 */
#include "inputs/torch_archive.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static etr_file entry_of(const char *record, const char *name) {
  etr_archive *archive;
  etr_file file;
  cr_assert_eq(etr_archive_open(&archive, record, NULL), ETR_OK);
  cr_assert_eq(etr_archive_read(&file, archive, etr_archive_find(archive, name), 1 << 20, NULL),
               ETR_OK);
  etr_archive_close(archive);
  return file;
}

static etr_slice all_of(const etr_file *file) {
  return (etr_slice){(const char *)file->data, file->size};
}

/* Returns the outputs of the first method; NULL if there are none. */
static const etr_pickle_value *sets_of(const etr_torch_archive *archive) {
  const etr_pickle_value *root = archive->root;
  bool good = root->kind == ETR_PICKLE_DICT && root->items.count >= 2 &&
              root->items.data[0]->kind == ETR_PICKLE_STRING &&
              root->items.data[1]->kind == ETR_PICKLE_LIST && root->items.data[1]->items.count > 0;
  return good ? root->items.data[1] : NULL;
}

Test(torch_archive, reference_outputs_are_read) {
  /* data/0 and data/1 of the archive: float32[2, 4] and float32[] */
  static const float expected[] = {0.5F, 0.5F, 0.509182453F, 0.513075233F};
  etr_file file = entry_of(FIXTURES "/bundled_update/etrecord.bin", "reference_outputs");
  etr_torch_archive archive;
  etr_error error;
  cr_assert_eq(etr_torch_open(&archive, all_of(&file), "record", "reference_outputs", &error),
               ETR_OK, "%s", error.message);
  const etr_pickle_value *sets = sets_of(&archive);
  cr_assert(sets && sets->kind == ETR_PICKLE_LIST && sets->items.count == 1 &&
            sets->items.data[0]->items.count == 2);
  etr_pickle_value *const *outputs = sets->items.data[0]->items.data;
  etr_tensor_view view;
  for (int again = 0; again < 2; again++) {
    cr_assert_eq(etr_torch_view(&view, &archive, outputs[0], &error), ETR_OK, "%s", error.message);
    cr_expect(view.rank == 2 && view.sizes[0] == 2 && view.sizes[1] == 4 && view.memory.size == 32);
    double numbers[4];
    etr_element_decode(view.element, (const uint8_t *)view.memory.data, 4, numbers);
    for (int i = 0; i < 4; i++)
      cr_expect_float_eq(numbers[i], (double)expected[i], 1e-7);
  }
  cr_expect_eq(archive.loaded.count, 1, "a storage is loaded once");
  cr_assert_eq(etr_torch_view(&view, &archive, outputs[1], &error), ETR_OK);
  cr_expect(view.rank == 0 && view.memory.size == 4);
  etr_torch_close(&archive);
  etr_file_clear(&file);
}

/* Version 1.2 stores the output of `decode`, then that of `forward`, as torch reads them. */
Test(torch_archive, reference_outputs_of_a_pickle_are_read) {
  static const float expected[] = {-2.29860282F, -0.0184364486F};
  static const char *const methods[] = {"decode", "forward"};
  etr_file file = entry_of(FIXTURES "/old_1_2_0_two_methods/etrecord.bin", "reference_outputs");
  etr_torch_archive archive;
  etr_error error;
  cr_assert_eq(etr_torch_open(&archive, all_of(&file), "record", "reference_outputs", &error),
               ETR_OK, "%s", error.message);
  const etr_pickle_value *root = archive.root;
  cr_assert(root->kind == ETR_PICKLE_DICT && root->items.count == 4);
  for (size_t i = 0; i < 2; i++) {
    etr_tensor_view view;
    double number;
    cr_expect(etr_slice_equal(root->items.data[2 * i]->text, etr_slice_of(methods[i])));
    const etr_pickle_value *output = root->items.data[2 * i + 1]->items.data[0]->items.data[0];
    cr_assert_eq(etr_torch_view(&view, &archive, output, &error), ETR_OK, "%s", error.message);
    cr_expect(view.rank == 2 && view.memory.size == (i ? 24 : 160));
    etr_element_decode(view.element, (const uint8_t *)view.memory.data, 1, &number);
    cr_expect_float_eq(number, (double)expected[i], 1e-7, "%s: %.9g", methods[i], number);
  }
  cr_expect_eq(archive.loaded.count, 0);
  etr_torch_close(&archive);
  etr_file_clear(&file);
}

/* A pickle that names a storage in a separate file, which only archives have. */
Test(torch_archive, a_pickle_without_its_storages_is_refused) {
  static const char bytes[] =
      "\x80\2ctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\nFloatStorage\n"
      "X\1\0\0\0"
      "0X\3\0\0\0cpuK\4tQK\0K\2\x85K\1\x85\x89"
      "ccollections\nOrderedDict\n)RtR.";
  etr_torch_archive archive;
  etr_tensor_view view;
  etr_error error;
  cr_assert_eq(
      etr_torch_open(&archive, (etr_slice){bytes, sizeof bytes - 1}, "record", "outputs", &error),
      ETR_OK, "%s", error.message);
  cr_expect_eq(etr_torch_view(&view, &archive, archive.root, &error), ETR_ERROR_FORMAT);
  cr_expect(strstr(error.message, "numbers of a tensor are missing") &&
            strcmp(error.entry, "outputs") == 0);
  etr_torch_close(&archive);
}

Test(torch_archive, archives_of_all_fixtures_are_read) {
  static const char *const records[] = {"add_mul", "quantized_xnnpack", "multi_method",
                                        "old_0_6_add_mul"};
  size_t read = 0;
  for (size_t i = 0; i < ETR_COUNT(records); i++) {
    char path[256];
    etr_archive *record;
    snprintf(path, sizeof path, FIXTURES "/%s/etrecord.bin", records[i]);
    cr_assert_eq(etr_archive_open(&record, path, NULL), ETR_OK);
    for (size_t k = 0; k < etr_archive_count(record); k++) {
      const char *name = etr_archive_name(record, k);
      etr_torch_archive archive;
      etr_error error;
      if (!etr_slice_ends(etr_slice_of(name), ETR_SLICE("_state_dict")))
        continue;
      etr_file file = entry_of(path, name);
      cr_assert_eq(etr_torch_open(&archive, all_of(&file), path, name, &error), ETR_OK, "%s %s: %s",
                   path, name, error.message);
      for (size_t t = 1; t < archive.root->items.count; t += 2) {
        etr_tensor_view view;
        if (archive.root->items.data[t]->kind != ETR_PICKLE_TENSOR)
          continue;
        cr_expect_eq(etr_torch_view(&view, &archive, archive.root->items.data[t], &error), ETR_OK,
                     "%s %s: %s", path, name, error.message);
        read++;
      }
      etr_torch_close(&archive);
      etr_file_clear(&file);
    }
    etr_archive_close(record);
  }
  cr_expect_gt(read, 20);
}

/* Opens the archive and reads all its outputs. */
static etr_status read_all(etr_slice bytes, etr_error *error) {
  etr_torch_archive archive;
  etr_tensor_view view;
  ETR_TRY(etr_torch_open(&archive, bytes, "record", "reference_outputs", error));
  const etr_pickle_value *sets = sets_of(&archive);
  etr_status status = sets ? ETR_OK
                           : etr_fail(error, ETR_ERROR_FORMAT, "record", "reference_outputs", 0,
                                      "no sets");
  for (size_t i = 0; status == ETR_OK && i < sets->items.data[0]->items.count; i++)
    status = etr_torch_view(&view, &archive, sets->items.data[0]->items.data[i], error);
  etr_torch_close(&archive);
  return status;
}

static void cut_and_damage(const char *record) {
  etr_file file = entry_of(record, "reference_outputs");
  char *copy = malloc(file.size);
  etr_error error;
  for (size_t size = 0; size < file.size; size += 7) {
    cr_expect_eq(read_all((etr_slice){(const char *)file.data, size}, &error), ETR_ERROR_FORMAT,
                 "%s cut to %zu", record, size);
    cr_expect(error.message[0] && strcmp(error.entry, "reference_outputs") == 0, "%s cut to %zu",
              record, size);
  }
  for (size_t at = 0; at < file.size; at++) {
    memcpy(copy, file.data, file.size);
    copy[at] = (char)(copy[at] ^ 0x55);
    etr_status status = read_all(
        (etr_slice){copy, file.size},
        &error); /* many bytes are padding or numbers, so reading may succeed */
    cr_expect(status == ETR_OK || status == ETR_ERROR_FORMAT, "%s byte %zu: %d", record, at,
              (int)status);
  }
  free(copy);
  etr_file_clear(&file);
}

Test(torch_archive, cut_and_damaged_archives_are_refused_or_read) {
  cut_and_damage(FIXTURES "/bundled_update/etrecord.bin");
  cut_and_damage(FIXTURES "/old_1_2_0_two_methods/etrecord.bin");
}
