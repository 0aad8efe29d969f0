/* Records of a plan, and what went wrong with one. */
#ifndef WARDER_RECORD_H
#define WARDER_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_FIELDS 12

/* A record of NUL-terminated fields, ended by an empty one. */
struct record {
  char *fields[MAX_FIELDS];
  size_t count;
};

enum record_state { RECORD_READ, RECORD_END, RECORD_MALFORMED };
enum record_state read_record(struct record *record);
void free_record(struct record *record);
bool record_is(const struct record *record, const char *name, size_t fields);
/* A decimal or octal number; false when it is none or above the limit. "-1" is UINT32_MAX where allowed by `limit`. */
bool read_number(const char *text, int base, uint64_t limit, uint64_t *value);
bool read_owner(const char *text, uint32_t *value);

/* The last thing that went wrong, for the answer. Always false, so that it can be returned. */
bool wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *what_was_wrong(void);

#endif
