#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

static char message[512];

bool wrong(const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(message, sizeof message, format, values);
  va_end(values);
  /* An answer is one line, whatever a path contains. */
  for (char *place = message; *place; place++)
    if ((unsigned char)*place < ' ') *place = '?';
  return false;
}

const char *what_was_wrong(void) { return message; }

void free_record(struct record *record) {
  for (size_t i = 0; i < record->count; i++) free(record->fields[i]);
  record->count = 0;
}

enum record_state read_record(struct record *record) {
  record->count = 0;
  for (;;) {
    char *field = NULL;
    size_t size = 0;
    ssize_t length = getdelim(&field, &size, '\0', stdin);
    if (length < 0) {
      free(field);
      return record->count == 0 && feof(stdin) ? RECORD_END : RECORD_MALFORMED;
    }
    if (field[length - 1] != '\0' || (length > 1 && record->count == MAX_FIELDS)) {
      free(field);
      return RECORD_MALFORMED;
    }
    if (length == 1) {
      free(field);
      return record->count > 0 ? RECORD_READ : RECORD_MALFORMED;
    }
    record->fields[record->count++] = field;
  }
}

bool record_is(const struct record *record, const char *name, size_t fields) {
  return record->count == fields + 1 && strcmp(record->fields[0], name) == 0;
}

bool read_number(const char *text, int base, uint64_t limit, uint64_t *value) {
  char *end;
  errno = 0;
  if (*text < '0' || *text > '9') return wrong("not a number: %s", text);
  *value = strtoull(text, &end, base);
  if (errno != 0 || *end != '\0' || *value > limit) return wrong("not a number in range: %s", text);
  return true;
}

bool read_owner(const char *text, uint32_t *value) {
  uint64_t number = UINT32_MAX;
  if (strcmp(text, "-1") != 0 && !read_number(text, 10, UINT32_MAX - 1, &number)) return false;
  *value = (uint32_t)number;
  return true;
}
