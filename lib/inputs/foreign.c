/* SPDX-License-Identifier: BSD-3-Clause
 *
 * foreign.c - recognizes foreign files by their first bytes, and zips by their entries.
 */
#include "inputs/foreign.h"

#include "formats/archive.h"
#include "formats/gunzip.h"

enum { TAR_MAGIC_AT = 257 };

/* A slice in an initializer of static data, where ETR_SLICE() is no constant. */
#define BYTES(literal) {(literal), sizeof(literal) - 1}

/* Bytes at a place, and what a file with them is. */
typedef struct signature {
  size_t at;
  etr_slice bytes;
  const char *description;
} signature;

#define FROM_PYTORCH                                                                               \
  ": export the PyTorch model with ExecuTorch for a .pte, with generate_etrecord=True for an "     \
  "ETRecord"

static const signature pointers[] = {
    {0, BYTES("version https://git-lfs.github.com/spec/"),
     "a Git LFS pointer, not the file itself: fetch it with `git lfs pull`"},
    {0, BYTES("/annex/objects/"),
     "a git-annex pointer, not the file itself: fetch it with `git annex get`"},
};

static const signature tar = {TAR_MAGIC_AT, BYTES("ustar"),
                              "a tar archive: unpack it with `tar -xf`"};

static const signature signatures[] = {
    {0, BYTES("\3757zXZ"), "compressed with xz: unpack it with `unxz`"},
    {0, BYTES("BZh"), "compressed with bzip2: unpack it with `bunzip2`"},
    {0, BYTES("\x28\xb5\x2f\xfd"), "compressed with zstd: unpack it with `unzstd`"},
    {4, BYTES("TFL3"), "a model of TensorFlow Lite (.tflite)" FROM_PYTORCH},
    {0, BYTES("GGUF"), "a model of llama.cpp (.gguf)" FROM_PYTORCH},
    {0, BYTES("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"),
     "weights that torch.save wrote (.pt)" FROM_PYTORCH},
    {0, BYTES("\177ELF"), "a program for Linux: run it to record an ETDump"},
};

static bool has_signature(etr_slice head, const signature *of) {
  return head.size >= of->at + of->bytes.size &&
         memcmp(head.data + of->at, of->bytes.data, of->bytes.size) == 0;
}

static const char *find_signature(etr_slice head, const signature *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (has_signature(head, &list[i]))
      return list[i].description;
  return NULL;
}

bool etr_foreign_is_pointer(etr_slice head) {
  return find_signature(head, pointers, ETR_COUNT(pointers)) != NULL;
}

/* Returns true if a text starts with a word in lower or upper case letters. */
static bool starts_without_case(etr_slice text, etr_slice word) {
  if (text.size < word.size)
    return false;
  for (size_t i = 0; i < word.size; i++) {
    char c = text.data[i];
    char lower = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    if (lower != word.data[i])
      return false;
  }
  return true;
}

/* Returns true for the start of an HTML page, behind a byte order mark and white space. */
static bool is_html(etr_slice head) {
  if (etr_slice_starts(head, ETR_SLICE("\xef\xbb\xbf")))
    head = etr_slice_after(head, 3);
  while (head.size > 0 && strchr(" \t\r\n", head.data[0]) && head.data[0] != '\0')
    head = etr_slice_after(head, 1);
  return starts_without_case(head, ETR_SLICE("<!doctype html")) ||
         starts_without_case(head, ETR_SLICE("<html"));
}

/* Returns true for the start of safetensors: the size of a JSON object in 8 bytes, and the object.
 */
static bool is_safetensors(etr_slice head) {
  bool has_size = head.size >= 10 && memcmp(head.data + 5, "\0\0\0", 3) == 0;
  return has_size && head.data[8] == '{' && head.data[9] == '"';
}

/* Returns true for a model of ONNX: a protobuf message whose first field is the version of its
 * format. These bytes alone are too common, so the name has to agree. */
static bool is_onnx(etr_slice head, const char *path) {
  return head.size >= 2 && head.data[0] == 0x08 &&
         etr_slice_ends(etr_slice_of(path), ETR_SLICE(".onnx"));
}

static const char *description_of_gzip(etr_slice packed) {
  char head[ETR_FOREIGN_HEAD];
  etr_slice unpacked = {head, etr_gunzip_head(packed, head, sizeof head)};
  if (has_signature(unpacked, &tar))
    return "a tar archive, compressed with gzip: unpack it with `tar -xzf`";
  return "compressed with gzip: unpack it with `gunzip`";
}

/* Returns true if an entry of a zip has this name, in whichever top folder. */
static bool has_entry(const etr_archive *archive, const char *name) {
  for (size_t i = 0; i < etr_archive_count(archive); i++) {
    const char *entry = etr_archive_name(archive, i);
    const char *slash = strchr(entry, '/');
    if (strcmp(entry, name) == 0 || (slash && strcmp(slash + 1, name) == 0))
      return true;
  }
  return false;
}

static const char *description_of_zip(const char *path) {
  etr_archive *archive;
  if (etr_archive_open(&archive, path, NULL) != ETR_OK)
    return NULL;
  const char *description = NULL;
  if (has_entry(archive, "archive_format") ||
      has_entry(archive, "serialized_exported_program.json"))
    description = "a program of torch.export (.pt2): lower it with ExecuTorch for a .pte, with "
                  "generate_etrecord=True for an ETRecord";
  else if (has_entry(archive, "data.pkl"))
    description = "weights or a module that torch.save wrote (.pt)" FROM_PYTORCH;
  etr_archive_close(archive);
  return description;
}

const char *etr_foreign_description(etr_slice head, const char *path) {
  const char *description = find_signature(head, pointers, ETR_COUNT(pointers));
  if (!description)
    description = find_signature(head, signatures, ETR_COUNT(signatures));
  if (description)
    return description;
  if (has_signature(head, &tar))
    return tar.description;
  if (head.size == 0)
    return "an empty file: was it copied completely?";
  if (etr_gzip_is(head))
    return description_of_gzip(head);
  if (is_html(head))
    return "an HTML page, such as a download that failed: download the file itself";
  if (is_safetensors(head))
    return "weights (.safetensors)" FROM_PYTORCH;
  if (is_onnx(head, path))
    return "a model of ONNX (.onnx)" FROM_PYTORCH;
  return etr_slice_starts(head, ETR_SLICE("PK\3\4")) ? description_of_zip(path) : NULL;
}
