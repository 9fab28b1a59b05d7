/* SPDX-License-Identifier: BSD-3-Clause
 *
 * folders.c - what lies in a folder.
 */
#include "windows/handle.h"

enum { LISTING = 32 * 1024 };

struct etr_win_dir {
  int folder;
  bool has_begun;
  const FILE_FULL_DIR_INFO *next; /* NULL: ask for more */
  struct dirent entry;
  _Alignas(8) char listing[LISTING];
};

/* Makes a directory of an open descriptor, which closedir() closes, as POSIX's function does. NULL
 * when out of memory. */
DIR *fdopendir(int folder) {
  DIR *directory = calloc(1, sizeof *directory);
  if (directory != NULL)
    directory->folder = folder;
  return directory;
}

/* Opens a directory for readdir() as POSIX's function does; NULL, with errno, on failure. */
DIR *opendir(const char *path) {
  int folder = open(path, O_RDONLY | O_DIRECTORY);
  DIR *directory = folder >= 0 ? fdopendir(folder) : NULL;
  if (directory == NULL && folder >= 0)
    (void)close(folder);
  return directory;
}

/* Reads as many further entries of a directory as fit into its list. Returns false at the end, and
 * on failure. */
static bool list_more(DIR *directory) {
  HANDLE handle = etr_win_handle(directory->folder);
  int what = directory->has_begun ? FileFullDirectoryInfo : FileFullDirectoryRestartInfo;
  directory->has_begun = true;
  if (!GetFileInformationByHandleEx(handle, (FILE_INFO_BY_HANDLE_CLASS)what, directory->listing,
                                    LISTING))
    return false;
  directory->next = (const FILE_FULL_DIR_INFO *)(const void *)directory->listing;
  return true;
}

/* Fills an entry of readdir(): the name in UTF-8, and whether it is a link. Returns false if the
 * name is not valid UTF-16, because the file could not be opened by the converted name. */
static bool fill_entry(struct dirent *out, const FILE_FULL_DIR_INFO *found) {
  int size = WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, found->FileName,
                                 (int)(found->FileNameLength / sizeof *found->FileName),
                                 out->d_name, NAME_MAX, NULL, NULL);
  out->d_name[size > 0 ? size : 0] = '\0';
  out->d_type = found->FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT ? DT_LNK : DT_UNKNOWN;
  return size > 0;
}

/* Returns the next entry as POSIX's function does; names that are not valid UTF-16 are passed
 * over. */
struct dirent *readdir(DIR *directory) {
  for (;;) {
    const FILE_FULL_DIR_INFO *found = directory->next;
    if (found == NULL) {
      if (!list_more(directory))
        return NULL;
      continue;
    }
    const char *behind = (const char *)found + found->NextEntryOffset;
    directory->next = found->NextEntryOffset > 0 ? (const FILE_FULL_DIR_INFO *)(const void *)behind
                                                 : NULL;
    if (fill_entry(&directory->entry, found))
      return &directory->entry;
  }
}

/* Closes a directory and its descriptor. Returns 0; -1, with errno, on failure. */
int closedir(DIR *directory) {
  int result = close(directory->folder);
  free(directory);
  return result;
}

int alphasort(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

/* Appends a copy of a directory entry to a list of such copies, for scandir(). Returns false when
 * out of memory. */
static bool append_entry(struct dirent ***list, size_t *count, const struct dirent *entry) {
  struct dirent *copy = malloc(sizeof *copy);
  struct dirent **longer = copy ? realloc(*list, (*count + 1) * sizeof **list) : NULL;
  if (longer == NULL) {
    free(copy);
    return false;
  }
  *copy = *entry;
  *list = longer;
  longer[(*count)++] = copy;
  return true;
}

/* Lists a directory, sorted by `compare`, as POSIX's function does; the filter is not used. Returns
 * the number of entries, which the caller frees, as it does their list; -1, with errno, on failure.
 */
int scandir(const char *path, struct dirent ***entries, int (*filter)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **)) {
  DIR *directory = opendir(path);
  struct dirent **list = NULL;
  size_t count = 0;
  bool is_kept = true;
  (void)filter;
  if (directory == NULL)
    return -1;
  for (const struct dirent *entry; is_kept && (entry = readdir(directory)) != NULL;)
    is_kept = append_entry(&list, &count, entry);
  (void)closedir(directory);
  if (!is_kept || count > INT_MAX) {
    while (count > 0)
      free(list[--count]);
    free(list);
    errno = ENOMEM;
    return -1;
  }
  if (count > 0)
    qsort(list, count, sizeof *list, (int (*)(const void *, const void *))compare);
  *entries = list;
  return (int)count;
}
