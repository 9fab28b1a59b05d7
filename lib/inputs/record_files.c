/* SPDX-License-Identifier: BSD-3-Clause
 *
 * record_files.c - which files of a directory belong to a record, and what the others are.
 */
#include "base/arena.h"
#include "base/file.h"
#include "base/natural.h"
#include "base/system.h"
#include "formats/archive.h"
#include "formats/gunzip.h"
#include "inputs/bundle.h"
#include "inputs/dump.h"
#include "inputs/flat_tensor.h"
#include "inputs/held_buffers.h"
#include "inputs/serial_log.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

/* ---- What a foreign file is, by its first bytes, and a zip by its entries ---- */

/* Bytes at the start of a file that suffice to say what it is. */
enum { FOREIGN_HEAD = 512 };

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

static bool has_signature(etr_slice head, const signature *expected) {
  return etr_slice_starts(etr_slice_after(head, expected->at), expected->bytes);
}

/* Returns the description of the first signature in the list that a file with these first bytes
 * has; NULL if it has none. */
static const char *find_signature(etr_slice head, const signature *list, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (has_signature(head, &list[i]))
      return list[i].description;
  return NULL;
}

/* Returns true for a pointer of Git LFS or git-annex: a small text in place of a file that was not
 * fetched. */
static bool is_pointer(etr_slice head) {
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

/* Returns true if bytes are the start of an HTML page, after a byte order mark and white space. */
static bool is_html(etr_slice head) {
  if (etr_slice_starts(head, ETR_SLICE("\xef\xbb\xbf")))
    head = etr_slice_after(head, 3);
  while (head.size > 0 && strchr(" \t\r\n", head.data[0]) && head.data[0] != '\0')
    head = etr_slice_after(head, 1);
  return starts_without_case(head, ETR_SLICE("<!doctype html")) ||
         starts_without_case(head, ETR_SLICE("<html"));
}

/* Returns true if bytes are the start of a safetensors file: 8 bytes with the size of a JSON
 * object, of which the upper three are 0 in any real file, and the object. */
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

/* Returns what the gzip file that starts with `packed` is, and how to unpack it. */
static const char *description_of_gzip(etr_slice packed) {
  char head[FOREIGN_HEAD];
  etr_slice unpacked = {head, etr_gunzip_head(packed, head, sizeof head)};
  if (has_signature(unpacked, &tar))
    return "a tar archive, compressed with gzip: unpack it with `tar -xzf`";
  return "compressed with gzip: unpack it with `gunzip`";
}

/* Returns true if a zip has an entry of this name, at the top or in a folder at the top. */
static bool has_entry(const etr_archive *archive, const char *name) {
  for (size_t i = 0; i < etr_archive_count(archive); i++) {
    const char *entry = etr_archive_name(archive, i);
    const char *slash = strchr(entry, '/');
    if (strcmp(entry, name) == 0 || (slash && strcmp(slash + 1, name) == 0))
      return true;
  }
  return false;
}

static bool is_called_record(etr_slice name) {
  return etr_slice_is(name, "etrecord.bin") || etr_slice_ends(name, ETR_SLICE(".etrecord"));
}

static bool is_called_dump(etr_slice name) {
  return etr_slice_ends(name, ETR_SLICE(".etdp")) || etr_slice_ends(name, ETR_SLICE(".etdump"));
}

static bool is_called_program(etr_slice name) {
  return etr_slice_ends(name, ETR_SLICE(".pte")) || etr_slice_ends(name, ETR_SLICE(".bpte"));
}

static bool is_called_weights(etr_slice name) {
  return etr_slice_ends(name, ETR_SLICE(".ptd"));
}

static bool is_called_like_input(etr_slice name) {
  return is_called_record(name) || is_called_dump(name) || is_called_program(name) ||
         is_called_weights(name) || etr_slice_ends(name, ETR_SLICE(".bin"));
}

/* Returns true if an entry of a zip, in whichever folder, is named like an input of this program.
 */
static bool has_entry_like_input(const etr_archive *archive) {
  for (size_t i = 0; i < etr_archive_count(archive); i++)
    if (is_called_like_input(etr_slice_of(etr_last_part(etr_archive_name(archive, i)))))
      return true;
  return false;
}

/* Returns what a zip is that is no ETRecord, and what to do with it; NULL if it is not known. */
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
  else if (has_entry_like_input(archive))
    description = "a zip archive of files, no ETRecord: unpack it with `unzip`";
  etr_archive_close(archive);
  return description;
}

/* Returns what a file is and what to do with it, such as "compressed with xz: unpack it with
 * `unxz`". `head` are its first bytes (FOREIGN_HEAD, or all). NULL: it is not known. The file is
 * opened again only where its bytes are those of a zip. */
static const char *describe_foreign_file(etr_slice head, const char *path) {
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

/* ---- The files of a record ---- */

/* FILE_PASSED_OVER: no file, though it is called like an input. FILE_UNREADABLE: a file that cannot
 * be opened, so that nobody knows what it is. */
typedef enum file_kind {
  FILE_OTHER,
  FILE_UNREADABLE,
  FILE_ETRECORD, /* also a damaged one: opening it says what is wrong */
  FILE_ETDUMP,
  FILE_PTE,
  FILE_BUNDLE, /* a .bpte */
  FILE_WEIGHTS,
  FILE_LOG,       /* with an ETDump in it, at least */
  FILE_REFERENCE, /* values that `etrecord-tb reference` computed */
  FILE_DEBUG_BUFFER,
  FILE_TAPS, /* what the outputs of a tapped program are */
  FILE_PASSED_OVER,
  FILE_KINDS
} file_kind;

/* What the first bytes of a file, or else its name, say. */
typedef struct file_look {
  file_kind kind;
  bool is_pointer;         /* it only points to a file that is somewhere else */
  bool is_zip;             /* it starts with the header of a zip's first entry */
  const char *description; /* what a foreign file is and what to do with it; NULL: not known */
} file_look;

/* A file that is none of a record's. */
typedef struct foreign_file {
  const char *path;
  const char *description; /* as in file_look */
} foreign_file;

typedef struct finder {
  etr_arena arena;
  etr_vec(const char *) found[FILE_KINDS];
  etr_vec(foreign_file) foreign;
  etr_vec(const char *) repeated; /* files whose content another file of their kind has */
  etr_decoded_logs *logs;         /* NULL: no log was found */
  const char *folder;             /* the last directory that was searched; NULL: there was none */
} finder;

/* ---- What a file is ---- */

size_t etr_input_file(const char *path, size_t *number) {
  int64_t parsed;
  struct stat status;
  const char *hash = strrchr(path, '#');
  bool has_dump_number = hash && etr_slice_to_int(etr_slice_of(hash + 1), &parsed) && parsed > 0 &&
                         !etr_file_is_regular(path) && stat(path, &status) != 0;
  *number = has_dump_number ? (size_t)parsed : 0;
  return has_dump_number ? (size_t)(hash - path) : strlen(path);
}

/* Returns true if a zip or directory has the entry by which ETRecords are recognized. */
static bool has_record_identifier(const char *path) {
  etr_archive *archive;
  if (etr_archive_open(&archive, path, NULL) != ETR_OK)
    return false;
  bool found = etr_archive_find(archive, "ETRECORD_V0") != SIZE_MAX;
  etr_archive_close(archive);
  return found;
}

/* Returns the kind of a path that could not be opened or read as a file. A link that leads nowhere
 * counts as a file that cannot be read, if it is called like an input. A file that cannot be read
 * is FILE_WEIGHTS if it is called like weights, which are optional and give a warning later, and
 * else FILE_UNREADABLE, because it may belong to the record. A pipe, socket or device that is
 * called like an input is FILE_PASSED_OVER. A folder, or a file that is gone meanwhile, is
 * FILE_OTHER. */
static file_kind kind_of_unreadable(const char *path) {
  struct stat status;
  etr_slice name = etr_slice_of(etr_last_part(path));
  bool leads_nowhere = stat(path, &status) != 0;
  if (leads_nowhere && (lstat(path, &status) != 0 || !is_called_like_input(name)))
    return FILE_OTHER;
  if (leads_nowhere)
    return is_called_weights(name) ? FILE_WEIGHTS : FILE_UNREADABLE;
  if (S_ISDIR(status.st_mode))
    return FILE_OTHER;
  if (!S_ISREG(status.st_mode))
    return is_called_like_input(name) ? FILE_PASSED_OVER : FILE_OTHER;
  return is_called_weights(name) ? FILE_WEIGHTS : FILE_UNREADABLE;
}

/* Removes a text from the start of a slice. Returns false, with nothing removed, if the slice does
 * not start with it. */
static bool skip_text(etr_slice *slice, etr_slice text) {
  if (!etr_slice_starts(*slice, text))
    return false;
  *slice = (etr_slice){slice->data + text.size, slice->size - text.size};
  return true;
}

/* Returns true if bytes are the start of what `etrecord-tb reference` writes: a safetensors file,
 * which has 8 bytes with a length, then JSON that begins with the producer or, where `accuracy`
 * keeps it, with a hash of 16 digits. Other safetensors files, such as weights, do not belong to a
 * record. */
static bool is_reference_head(etr_slice head) {
  enum { LENGTH = 8, HASH = 16 };
  if (head.size < LENGTH)
    return false;
  etr_slice rest = {head.data + LENGTH, head.size - LENGTH};
  if (!skip_text(&rest, ETR_SLICE("{\"__metadata__\": {")))
    return false;
  if (skip_text(&rest, ETR_SLICE("\"kept\": \""))) {
    size_t skipped = ETR_MIN(rest.size, (size_t)HASH);
    rest = (etr_slice){rest.data + skipped, rest.size - skipped};
    if (!skip_text(&rest, ETR_SLICE("\", ")))
      return false;
  }
  return etr_slice_starts(rest, ETR_SLICE("\"producer\": \"etrecord-tb reference/"));
}

/* Returns the kind of a file by its first bytes; FILE_OTHER if they do not say it. */
static file_kind kind_by_head(etr_slice head) {
  if (head.size >= 8 && memcmp(head.data + 4, "ET12", 4) == 0)
    return FILE_PTE;
  if (etr_bundle_is(head))
    return FILE_BUNDLE;
  if (etr_flat_tensor_is(head))
    return FILE_WEIGHTS;
  if (is_reference_head(head))
    return FILE_REFERENCE;
  return etr_dump_is(head) ? FILE_ETDUMP : FILE_OTHER;
}

/* Returns true for the start of a zip whose first entry is the identifier of an ETRecord, which is
 * where ExecuTorch writes it: so a record that was cut short is known, too. */
static bool starts_like_record(etr_slice head) {
  static const char name[] = "ETRECORD_V0";
  enum { NAME_AT = 30 }; /* after the fixed fields of a zip's local file header */
  return etr_slice_starts(head, ETR_SLICE("PK\3\4")) && head.size >= NAME_AT + sizeof name - 1 &&
         memcmp(head.data + NAME_AT, name, sizeof name - 1) == 0;
}

/* Returns true if bytes are the start of an ETDump that is compressed with gzip. */
static bool is_packed_dump(etr_slice head) {
  char unpacked[16];
  return etr_gzip_is(head) &&
         etr_dump_is((etr_slice){unpacked, etr_gunzip_head(head, unpacked, sizeof unpacked)});
}

/* Returns the kind that a file's name promises, for content that is not recognized. Reading the
 * file as that kind then says what is wrong with it. */
static file_kind kind_by_name(etr_slice name) {
  if (is_called_record(name))
    return FILE_ETRECORD;
  if (is_called_program(name))
    return FILE_PTE;
  if (is_called_weights(name))
    return FILE_WEIGHTS;
  return is_called_dump(name) ? FILE_ETDUMP : FILE_OTHER;
}

/* Returns the kind of a file that can be opened, by its first bytes, or by the names of the two
 * kinds that have no recognizable content; FILE_OTHER if it is not known, or if it is a Git LFS or
 * git-annex pointer, whatever its name. A zip may have anything before its first header, so the
 * archive reader has to look for an ETRecord. */
static file_kind kind_by_content(const char *path, etr_slice head) {
  etr_slice name = etr_slice_of(etr_last_part(path));
  if (is_pointer(head))
    return FILE_OTHER;
  if (etr_slice_is(name, "debug_buffer.bin"))
    return FILE_DEBUG_BUFFER;
  if (etr_slice_is(name, "taps.json"))
    return FILE_TAPS;
  file_kind kind = kind_by_head(head);
  if (kind != FILE_OTHER)
    return kind;
  if (is_packed_dump(head))
    return FILE_ETDUMP;
  if (has_record_identifier(path) || starts_like_record(head))
    return FILE_ETRECORD;
  return etr_serial_log_is(path) ? FILE_LOG : FILE_OTHER;
}

/* Returns what a file is, by its first bytes, or by its name if they say nothing. If the bytes are
 * known to be of something that no record has, it is FILE_OTHER with a description. */
static file_look look_at_content(const char *path) {
  char head[FOREIGN_HEAD];
  size_t got;
  if (!etr_file_read_head(path, head, sizeof head, &got))
    return (file_look){.kind = kind_of_unreadable(path)};
  etr_slice bytes = {head, got};
  file_look look = {
      .kind = kind_by_content(path, bytes),
      .is_pointer = is_pointer(bytes),
      .is_zip = etr_slice_starts(bytes, ETR_SLICE("PK\3\4")),
  };
  if (look.kind != FILE_OTHER)
    return look;
  look.description = describe_foreign_file(bytes, path);
  if (!look.description)
    look.kind = kind_by_name(etr_slice_of(etr_last_part(path)));
  return look;
}

/* ---- Finding ---- */

/* Adds a copy of a path to the files of a kind. Returns false when out of memory. */
static bool add_file(finder *f, file_kind kind, const char *path) {
  const char *copy = etr_arena_copy(&f->arena, etr_slice_of(path));
  const char **slot = copy ? etr_vec_push(&f->arena, &f->found[kind]) : NULL;
  if (slot)
    *slot = copy;
  return slot != NULL;
}

/* Adds each ETDump of a log as LOG#NUMBER, if there are several and all are complete. Otherwise
 * adds the log itself, and reading it reports what is wrong. Returns false when out of memory. */
static bool add_log(finder *f, const char *path) {
  const etr_decoded_log *decoded;
  if (!etr_decoded_logs_read(&f->logs, path, &decoded))
    return false;
  if (!decoded || decoded->log.found < 2 || decoded->log.problem)
    return add_file(f, FILE_ETDUMP, path);
  for (size_t i = 0; i < decoded->log.dump_count; i++) {
    const char *name = etr_arena_format(&f->arena, "%s#%zu", path, decoded->log.dumps[i].number);
    if (!name || !add_file(f, FILE_ETDUMP, name))
      return false;
  }
  return true;
}

/* Adds a path to the files of a kind; a log to the ETDumps. Returns false when out of memory. */
static bool add_file_or_log(finder *f, file_kind kind, const char *path) {
  return kind == FILE_LOG ? add_log(f, path) : add_file(f, kind, path);
}

/* Compares paths of one directory by the names of the files. */
static int compare_file_names(const void *a, const void *b) {
  return etr_natural_compare(etr_last_part(*(char *const *)a), etr_last_part(*(char *const *)b));
}

/* Opens a file that could not be opened before, and returns the failure with its reason. It is
 * ETR_OK if the file can be opened by now. */
static etr_status fail_to_open(const char *path, etr_error *error) {
  etr_seekable file;
  etr_status status = etr_seekable_open(&file, path, error);
  if (status == ETR_OK)
    etr_seekable_close(&file);
  return status;
}

static etr_status fail_with_description(const char *path, const char *description,
                                        etr_error *error) {
  return etr_fail(error, ETR_ERROR_FORMAT, path, NULL, ETR_NO_OFFSET, "%s", description);
}

/* Adds a path that the caller named, which is no directory, by what it is. A FIFO cannot be read
 * twice, so it is taken for an ETDump unread. Fails if it is no file of a record, or when out of
 * memory. */
static etr_status look_at_file(finder *f, const char *path, mode_t mode, etr_error *error) {
  file_look look = S_ISFIFO(mode) ? (file_look){.kind = FILE_ETDUMP} : look_at_content(path);
  file_kind kind = look.kind;
  if (!S_ISREG(mode) && kind != FILE_ETDUMP)
    return etr_fail(error, ETR_ERROR_IO, path, NULL, ETR_NO_OFFSET,
                    "neither a file nor a directory");
  if (kind == FILE_UNREADABLE)
    return fail_to_open(path, error);
  if (look.description)
    return fail_with_description(path, look.description, error);
  if (kind == FILE_OTHER && look.is_zip)
    kind = FILE_ETRECORD;
  if (kind == FILE_OTHER || kind == FILE_PASSED_OVER)
    return etr_fail(error, ETR_ERROR_CHOICE, path, NULL, ETR_NO_OFFSET,
                    "not a file of a record: no ETRecord, no ETDump, no log with one, no .pte, "
                    ".bpte or .ptd, and not called debug_buffer.bin; give a record's directory, or "
                    "its files");
  return add_file_or_log(f, kind, path) ? ETR_OK : etr_fail_memory(error);
}

/* Adds a file of a directory to the files of its kind. Fails if it cannot be opened, because it may
 * belong to the record, and if it is named like an input but is something else, such as a Git LFS
 * pointer. A pointer named *.bin may stand for an ETRecord or a debug buffer. Other files that are
 * none of a record's are only listed as foreign. */
static etr_status look_at_directory_entry(finder *f, const char *path, etr_error *error) {
  file_look look = look_at_content(path);
  etr_slice name = etr_slice_of(etr_last_part(path));
  if (look.kind == FILE_UNREADABLE)
    return fail_to_open(path, error);
  bool is_in_place_of_input = look.description &&
                              (kind_by_name(name) != FILE_OTHER ||
                               (look.is_pointer && etr_slice_ends(name, ETR_SLICE(".bin"))));
  if (look.description && is_called_weights(name))
    look.kind = FILE_WEIGHTS; /* weights are optional: reading them warns */
  else if (is_in_place_of_input)
    return fail_with_description(path, look.description, error);
  if (look.kind != FILE_OTHER)
    return add_file_or_log(f, look.kind, path) ? ETR_OK : etr_fail_memory(error);
  foreign_file *slot = etr_vec_push(&f->arena, &f->foreign);
  if (!slot)
    return etr_fail_memory(error);
  *slot = (foreign_file){path, look.description};
  return ETR_OK;
}

/* Returns whether a path is LOG#NUMBER, one ETDump of a log. */
static bool names_dump_in_log(const char *path) {
  size_t number;
  etr_input_file(path, &number);
  return number > 0;
}

/* Adds what a path that the user named has: a file, or the files of a directory in the natural
 * order of their names. Standard input ("-") and LOG#NUMBER are taken for ETDumps unread, and a
 * directory with an ETRecord's identifier is one record. Hidden files are passed over. Fails if the
 * path cannot be read or is no file of a record, or when out of memory. */
static etr_status look_at_path(finder *f, const char *path, etr_error *error) {
  struct stat status;
  if (strcmp(path, "-") == 0)
    return add_file_or_log(f, FILE_ETDUMP, path) ? ETR_OK : etr_fail_memory(error);
  if (names_dump_in_log(path))
    return add_file_or_log(f, FILE_ETDUMP, path) ? ETR_OK : etr_fail_memory(error);
  if (etr_file_is_regular(path))
    return look_at_file(f, path, S_IFREG, error);
  if (stat(path, &status) != 0)
    return fail_to_open(path, error);
  if (!S_ISDIR(status.st_mode))
    return look_at_file(f, path, status.st_mode, error);
  f->folder = path;
  if (has_record_identifier(path))
    return add_file_or_log(f, FILE_ETRECORD, path) ? ETR_OK : etr_fail_memory(error);
  etr_vec(char *) names = {0};
  DIR *directory = opendir(path);
  if (!directory)
    return etr_fail(error, ETR_ERROR_IO, path, NULL, ETR_NO_OFFSET,
                    "cannot read this directory: %s", strerror(errno));
  for (const struct dirent *entry; (entry = readdir(directory));) {
    if (entry->d_name[0] == '.')
      continue;
    char **slot = etr_vec_push(&f->arena, &names);
    if (slot)
      *slot = etr_arena_format(&f->arena, "%s%s%s", path,
                               path[0] && etr_is_slash(path[strlen(path) - 1]) ? "" : "/",
                               entry->d_name);
  }
  closedir(directory);
  if (etr_arena_failed(&f->arena))
    return etr_fail_memory(error);
  etr_sort(names.data, names.count, sizeof *names.data, compare_file_names);
  for (size_t i = 0; i < names.count; i++)
    ETR_TRY(look_at_directory_entry(f, names.data[i], error));
  return ETR_OK;
}

enum { MOST_LISTED = 8 };

/* Kinds of which a record has one file: what several are called, and the option that chooses one.
 */
typedef struct single_kind {
  file_kind kind;
  const char *plural, *option;
} single_kind;

static const single_kind records = {FILE_ETRECORD, "ETRecords", "--etrecord"};
static const single_kind programs = {FILE_PTE, ".pte programs", "--pte"};
static const single_kind bundles = {FILE_BUNDLE, ".bpte programs", "--pte"};
static const single_kind debug_buffers = {FILE_DEBUG_BUFFER, "debug buffers", "--debug-buffer"};

/* Moves files whose content an earlier file of the kind has to the list of repeated files, so
 * that one content counts once. Returns false when out of memory. */
static bool move_repeated_files(finder *f, file_kind kind) {
  size_t kept = 0;
  for (size_t i = 0; i < f->found[kind].count; i++) {
    const char *path = f->found[kind].data[i];
    bool is_repeated = false;
    for (size_t k = 0; k < kept && !is_repeated; k++)
      is_repeated = etr_files_are_equal(f->found[kind].data[k], path);
    const char **slot = is_repeated ? etr_vec_push(&f->arena, &f->repeated)
                                    : &f->found[kind].data[kept++];
    if (!slot)
      return false;
    *slot = path;
  }
  f->found[kind].count = kept;
  return true;
}

/* Sets *out to `chosen`, the file that the caller chose, or if that is NULL to the only file of the
 * kind that was found; NULL if none was. Fails if several were found, and lists them; by their
 * names alone if they are in one directory, which is NULL if the caller gave several paths. */
static etr_status choose_file_of_kind(finder *f, const single_kind *kind, const char *directory,
                                      const char *chosen, const char **out, etr_error *error) {
  if (!chosen && !move_repeated_files(f, kind->kind))
    return etr_fail_memory(error);
  size_t count = f->found[kind->kind].count;
  *out = chosen;
  if (!chosen && count > 1) {
    const char *list = "";
    for (size_t i = 0; i < f->found[kind->kind].count && i <= MOST_LISTED && list; i++) {
      const char *name = directory ? etr_last_part(f->found[kind->kind].data[i])
                                   : f->found[kind->kind].data[i];
      list = etr_arena_format(&f->arena, "%s%s%s", list, i ? ", " : "",
                              i == MOST_LISTED ? "..." : name);
    }
    return etr_fail(error, ETR_ERROR_CHOICE, directory, NULL, ETR_NO_OFFSET,
                    "%zu %s here (%s); choose one with %s FILE", f->found[kind->kind].count,
                    kind->plural, list ? list : "", kind->option);
  }
  if (!chosen && count == 1)
    *out = f->found[kind->kind].data[0];
  return ETR_OK;
}

/* Fails because no file of a record was found, and lists the foreign files that are there instead.
 * `path` is NULL if the caller gave several. */
static etr_status fail_as_nothing_found(finder *f, const char *path, etr_error *error) {
  const char *list = "";
  for (size_t i = 0; i < f->foreign.count && i < MOST_LISTED && list; i++) {
    const foreign_file *file = &f->foreign.data[i];
    const char *description = file->description ? file->description : "";
    /* What to do with each of several would be too long. */
    size_t end = f->foreign.count == 1 ? strlen(description) : strcspn(description, ":");
    list = etr_arena_format(&f->arena, "%s%s%s%s%.*s%s", list, i ? "; " : ", only ",
                            etr_last_part(file->path), end ? " (" : "", (int)end, description,
                            end ? ")" : "");
  }
  size_t unlisted = f->foreign.count > MOST_LISTED ? f->foreign.count - MOST_LISTED : 0;
  if (unlisted > 0 && list)
    list = etr_arena_format(&f->arena, "%s; and %zu more", list, unlisted);
  /* The description of a single file says itself what to do. */
  const char *only = f->foreign.count == 1 ? f->foreign.data[0].description : NULL;
  bool says_what_to_do = only && strchr(only, ':');
  return etr_fail(error, ETR_ERROR_CHOICE, path, NULL, ETR_NO_OFFSET,
                  "no ETRecord, ETDump or .pte here%s%s", list ? list : "",
                  says_what_to_do ? "" : "; export with generate_etrecord=True to get an ETRecord");
}

/* Adds the buffers (files in memory) that the caller gave without saying in `chosen` what they are.
 * Fails as look_at_path() does. */
static etr_status look_at_buffers(finder *f, const etr_held_buffers *held, const etr_inputs *chosen,
                                  etr_error *error) {
  for (size_t i = 0; i < chosen->buffer_count; i++) {
    const char *name = chosen->buffers[i].name;
    const char *const single[] = {chosen->etrecord, chosen->pte, chosen->debug_buffer};
    bool is_named = false;
    for (size_t k = 0; k < ETR_COUNT(single); k++)
      is_named = is_named || (single[k] && strcmp(single[k], name) == 0);
    for (size_t k = 0; k < chosen->etdump_count; k++)
      is_named = is_named || strcmp(chosen->etdumps[k], name) == 0;
    if (!is_named)
      ETR_TRY(look_at_path(f, etr_held_buffer_path(held, i), error));
  }
  return ETR_OK;
}

/* Replaces names of buffers (files in memory) in *chosen by paths with which they can be opened.
 * Other paths stay. Fails when out of memory. */
static etr_status replace_buffer_names(finder *f, etr_inputs *chosen, const etr_held_buffers *held,
                                       etr_error *error) {
  const char **dumps = etr_arena_alloc_array(&f->arena, chosen->etdump_count, sizeof *dumps);
  if (!dumps)
    return etr_fail_memory(error);
  for (size_t i = 0; i < chosen->etdump_count; i++)
    dumps[i] = etr_held_buffer_named(held, chosen, chosen->etdumps[i]);
  chosen->etdumps = dumps;
  chosen->etrecord = etr_held_buffer_named(held, chosen, chosen->etrecord);
  chosen->pte = etr_held_buffer_named(held, chosen, chosen->pte);
  chosen->debug_buffer = etr_held_buffer_named(held, chosen, chosen->debug_buffer);
  return ETR_OK;
}

/* If the caller chose ETDumps, also in logs, they replace those that were found. What is no log
 * counts as an ETDump, because reading it says what is wrong with it. Returns false when out of
 * memory. */
static bool replace_by_chosen_dumps(finder *f, const etr_inputs *chosen) {
  if (chosen->etdump_count)
    f->found[FILE_ETDUMP].count = 0;
  for (size_t i = 0; i < chosen->etdump_count; i++) {
    file_kind kind = look_at_content(chosen->etdumps[i]).kind;
    if (!add_file_or_log(f, kind == FILE_LOG ? kind : FILE_ETDUMP, chosen->etdumps[i]))
      return false;
  }
  return true;
}

/* Sets *out to the files of a profile among `paths`, in the memory of the finder. A file that the
 * caller chose replaces those of its kind that are found. A BundledProgram is used only if there is
 * no .pte, and taps.json only if there is one of it. Fails if there is no ETRecord, ETDump or .pte,
 * if one of several has to be chosen, or when out of memory. */
static etr_status find_files(finder *f, etr_inputs *out, const char *const *paths,
                             size_t path_count, etr_inputs *chosen, etr_error *error) {
  const char *path = path_count == 1 ? paths[0] : NULL;
  ETR_TRY(etr_held_buffers_hold(&out->held, chosen, error));
  for (size_t i = 0; i < path_count; i++)
    ETR_TRY(look_at_path(f, paths[i], error));
  ETR_TRY(look_at_buffers(f, out->held, chosen, error));
  ETR_TRY(replace_buffer_names(f, chosen, out->held, error));
  ETR_TRY(choose_file_of_kind(f, &records, path, chosen->etrecord, &out->etrecord, error));
  ETR_TRY(choose_file_of_kind(f, &programs, path, chosen->pte, &out->pte, error));
  if (!out->pte)
    ETR_TRY(choose_file_of_kind(f, &bundles, path, NULL, &out->pte, error));
  ETR_TRY(choose_file_of_kind(f, &debug_buffers, path, chosen->debug_buffer, &out->debug_buffer,
                              error));
  if (f->found[FILE_TAPS].count == 1)
    out->taps = f->found[FILE_TAPS].data[0];
  if (!replace_by_chosen_dumps(f, chosen))
    return etr_fail_memory(error);
  out->folder = path ? f->folder : NULL;
  out->etdumps = f->found[FILE_ETDUMP].data;
  out->etdump_count = f->found[FILE_ETDUMP].count;

  out->weights = f->found[FILE_WEIGHTS].data;
  out->weight_count = f->found[FILE_WEIGHTS].count;
  out->references = f->found[FILE_REFERENCE].data;
  out->reference_count = f->found[FILE_REFERENCE].count;
  out->passed_over = f->found[FILE_PASSED_OVER].data;
  out->passed_over_count = f->found[FILE_PASSED_OVER].count;
  out->repeated = f->repeated.data;
  out->repeated_count = f->repeated.count;
  out->logs = f->logs;
  bool is_empty = !out->etrecord && out->etdump_count == 0 && !out->pte;
  if (is_empty && out->passed_over_count > 0)
    return etr_fail(error, ETR_ERROR_CHOICE, out->passed_over[0], NULL, ETR_NO_OFFSET,
                    "a pipe, socket or device: not opened inside a directory; name it explicitly");
  if (is_empty)
    return fail_as_nothing_found(f, path, error);
  return ETR_OK;
}

/* ---- Handing out: one block, so that a caller's struct can be freed by itself ---- */

/* Copies a text to *end, moves *end behind the copy, and returns the copy. A text that is NULL
 * gives NULL. */
static char *copy_text(char **end, const char *text) {
  if (!text)
    return NULL;
  size_t size = strlen(text) + 1;
  char *copy = memcpy(*end, text, size);
  *end += size;
  return copy;
}

/* Returns the bytes that copies of these texts take, each with its end; a text that is NULL takes
 * none. */
static size_t size_of_texts(const char *const *texts, size_t count) {
  size_t size = 0;
  for (size_t i = 0; i < count; i++)
    size += texts[i] ? strlen(texts[i]) + 1 : 0;
  return size;
}

/* Copies texts to *end, writes their addresses into *slots, and moves both past them. Returns the
 * first of these slots. */
static const char **copy_texts(const char ***slots, char **end, const char *const *texts,
                               size_t count) {
  const char **first = *slots;
  for (size_t i = 0; i < count; i++)
    first[i] = copy_text(end, texts[i]);
  *slots += count;
  return first;
}

/* Copies what was found into one block of memory: first the lists of pointers, then all texts. The
 * list of ETDumps is at its start, so that etr_inputs_clear() frees the block by that pointer. The
 * decoded logs and the held buffers are handed over uncopied. Fails when out of memory. */
static etr_status copy_inputs(etr_inputs *out, const etr_inputs *found, etr_error *error) {
  const char *const single[] = {found->etrecord, found->pte, found->debug_buffer, found->taps,
                                found->folder};
  size_t pointer_count = found->etdump_count + found->passed_over_count + found->repeated_count +
                         found->weight_count + found->reference_count;
  size_t text_bytes = size_of_texts(single, ETR_COUNT(single)) +
                      size_of_texts(found->etdumps, found->etdump_count) +
                      size_of_texts(found->weights, found->weight_count) +
                      size_of_texts(found->references, found->reference_count) +
                      size_of_texts(found->passed_over, found->passed_over_count) +
                      size_of_texts(found->repeated, found->repeated_count);
  /* One pointer more, so that the block is never empty. */
  const char **block = malloc((pointer_count + 1) * sizeof *block + text_bytes);
  if (!block)
    return etr_fail_memory(error);
  char *text = (char *)(block + pointer_count + 1);
  *out = *found;
  out->etdumps = copy_texts(&block, &text, found->etdumps, found->etdump_count);
  out->passed_over = copy_texts(&block, &text, found->passed_over, found->passed_over_count);
  out->repeated = copy_texts(&block, &text, found->repeated, found->repeated_count);
  out->weights = copy_texts(&block, &text, found->weights, found->weight_count);
  out->references = copy_texts(&block, &text, found->references, found->reference_count);
  out->etrecord = copy_text(&text, found->etrecord);
  out->pte = copy_text(&text, found->pte);
  out->debug_buffer = copy_text(&text, found->debug_buffer);
  out->taps = copy_text(&text, found->taps);
  out->folder = copy_text(&text, found->folder);
  return ETR_OK;
}

etr_status etr_inputs_find_all(etr_inputs *out, const char *const *paths, size_t path_count,
                               const etr_inputs *chosen, etr_error *error) {
  static const etr_inputs nothing = {0};
  finder f = {0};
  etr_inputs found = {0};
  etr_inputs wanted = chosen ? *chosen : nothing;
  *out = (etr_inputs){0};
  etr_error_clear(error);
  etr_status status = find_files(&f, &found, paths, path_count, &wanted, error);
  if (status == ETR_OK)
    status = etr_arena_failed(&f.arena) ? etr_fail_memory(error) : copy_inputs(out, &found, error);
  if (status != ETR_OK) {
    etr_decoded_logs_free(f.logs);
    etr_held_buffers_release(found.held);
  }
  etr_arena_clear(&f.arena);
  return status;
}

etr_status etr_inputs_find(etr_inputs *out, const char *path, const etr_inputs *chosen,
                           etr_error *error) {
  return etr_inputs_find_all(out, &path, 1, chosen, error);
}

void etr_inputs_clear(etr_inputs *inputs) {
  free(etr_for_foreign(inputs->etdumps));
  etr_decoded_logs_free(inputs->logs);
  etr_held_buffers_release(inputs->held);
  *inputs = (etr_inputs){0};
}
