#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../wire.h"
#include "content.h"
#include "file-verbs.h"
#include "names.h"
#include "result.h"
#include "walk.h"

/* A file with a longer line is no text that somebody reads. */
#define MAX_LINE (1u << 20)
#define SHOWN_BYTES 512u
#define MAX_DEPTH 64u
/* Below the bound of a verb's result. */
#define MAX_RESULT_BYTES (32u << 20)

struct search {
  struct slice text;
  bool ignores_case;
  uint32_t matches_left, max_per_file, skipped;
  bool is_truncated;
  size_t result_bytes;
  char path[REAL_SIZE]; /* relative to the searched directory; of a directory it ends with a slash */
  size_t path_length;
};

/* The bytes of a file that are looked at: whole lines, and what was read of the next. `folded` is what is searched. */
static uint8_t bytes[MAX_LINE], folded[MAX_LINE], wanted[4096];

static void fold(uint8_t *to, const uint8_t *from, size_t length) {
  for (size_t i = 0; i < length; i++) to[i] = from[i] >= 'A' && from[i] <= 'Z' ? (uint8_t)(from[i] | 0x20) : from[i];
}

static uint32_t lines_in(const uint8_t *from, const uint8_t *to) {
  uint32_t lines = 0;
  while ((from = memchr(from, '\n', (size_t)(to - from))) != NULL) {
    lines++;
    from++;
  }
  return lines;
}

/* False: no more may be told. */
static bool tell(struct search *search, uint32_t line, const uint8_t *from, size_t length) {
  if (length > SHOWN_BYTES) length = SHOWN_BYTES;
  search->result_bytes += 16 + search->path_length + length;
  if (search->matches_left == 0 || search->result_bytes > MAX_RESULT_BYTES) {
    search->is_truncated = true;
    return false;
  }
  search->matches_left--;
  emit_u8(1);
  emit_bytes(search->path, search->path_length);
  emit_u32(line);
  emit_bytes(from, length);
  return true;
}

/* Looks through whole lines, the first of which has the number *line. False: enough of this file was told. */
static bool search_lines(struct search *search, size_t length, uint32_t *line, uint32_t *told) {
  const uint8_t *place = bytes, *end = bytes + length;
  while (place < end) {
    const uint8_t *where = search->ignores_case ? folded + (place - bytes) : place;
    const uint8_t *found = memmem(where, (size_t)(end - place), search->ignores_case ? wanted : search->text.data, search->text.length);
    if (found == NULL) break;
    const uint8_t *match = place + (found - where), *start = memrchr(place, '\n', (size_t)(match - place)), *stop = memchr(match, '\n', (size_t)(end - match));
    start = start == NULL ? place : start + 1;
    if (stop == NULL) stop = end;
    *line += lines_in(place, start);
    if (*told == search->max_per_file) return false;
    if (!tell(search, *line, start, (size_t)(stop - start))) return false;
    ++*told;
    ++*line;
    place = stop < end ? stop + 1 : end;
  }
  *line += lines_in(place, end);
  return true;
}

/* False: it is no text, or cannot be read. What was found until there was told. */
static bool search_content(int file, struct search *search) {
  uint32_t line = 1, told = 0;
  size_t kept = 0;
  bool is_first = true;
  for (;;) {
    ssize_t part = read(file, bytes + kept, sizeof bytes - kept);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return false;
    size_t length = kept + (size_t)part;
    if (is_first && memchr(bytes, 0, length) != NULL) return false;
    is_first = false;
    const uint8_t *last = part == 0 ? NULL : memrchr(bytes, '\n', length);
    size_t whole = part == 0 ? length : last == NULL ? 0 : (size_t)(last + 1 - bytes);
    if (whole == 0 && length == sizeof bytes) return false;
    if (search->ignores_case) fold(folded, bytes, whole);
    if (!search_lines(search, whole, &line, &told) || part == 0) return true;
    kept = length - whole;
    memmove(bytes, bytes + whole, kept);
  }
}

static void search_file(int file, struct search *search) {
  struct stat status;
  bool is_text = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= (off_t)MAX_HASHED_BYTES && search_content(file, search);
  if (!is_text) search->skipped++;
  if (file >= 0) close(file);
}

static void search_directory(int directory, uint32_t depth, struct search *search);

static void search_entry(int directory, const char *name, uint32_t depth, struct search *search) {
  struct stat status;
  size_t length = strlen(name), before = search->path_length;
  if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return; /* gone meanwhile */
  if (before + length + 2 > REAL_SIZE || (S_ISDIR(status.st_mode) && depth == 0)) {
    search->is_truncated = true;
    return;
  }
  memcpy(search->path + before, name, length);
  search->path_length = before + length;
  if (S_ISREG(status.st_mode)) search_file(openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), search);
  /* What git keeps is no text of the workspace. */
  if (S_ISDIR(status.st_mode) && strcmp(name, ".git") != 0) {
    search->path[search->path_length++] = '/';
    int inner = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner >= 0) search_directory(inner, depth - 1, search);
    else search->skipped++;
  }
  search->path_length = before;
}

/* Takes over the descriptor. */
static void search_directory(int directory, uint32_t depth, struct search *search) {
  struct names names;
  if (!read_names(directory, MAX_NAMES, &names)) search->is_truncated = true;
  for (size_t i = 0; i < names.count; i++) {
    if (search->matches_left > 0 && search->result_bytes <= MAX_RESULT_BYTES) search_entry(directory, names.items[i], depth, search);
    else search->is_truncated = true;
  }
  free_names(&names);
  close(directory);
}

enum failure verb_search(struct reader *reader) {
  static struct place place;
  static struct search search;
  search.ignores_case = read_u8(reader) == 1;
  search.matches_left = read_u32(reader);
  search.max_per_file = read_u32(reader);
  walk(read_bytes(reader), &place);
  search.text = read_bytes(reader);
  fold(wanted, search.text.data, search.text.length);
  enum failure failure;
  bool is_file = place.failure == FAILURE_NONE && place.exists && S_ISREG(place.status.st_mode);
  int file = is_file ? open_content(&place, &failure) : open_directory(&place, &failure);
  if (file < 0) return failure;
  if (is_file) search_file(file, &search);
  else search_directory(file, MAX_DEPTH, &search);
  emit_u8(0);
  emit_u8(search.is_truncated);
  emit_u32(search.skipped);
  return FAILURE_NONE;
}
