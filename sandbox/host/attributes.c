#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>

#include "attributes.h"
#include "record.h"

#define LIST "system.posix_acl_access"
/* A directory's, for what is made in it. */
#define DEFAULT_LIST "system.posix_acl_default"
/* XATTR_LIST_MAX and XATTR_SIZE_MAX of the kernel. */
#define MAX_LIST 65536
#define MAX_VALUE 65536

enum meaning { MEANING_KEPT, MEANING_MADE, MEANING_BOUND };

/* A kernel's own are made anew, for a new file as for an old one; what a program may do beyond its user is bound to the very content that it has. */
static enum meaning meaning_of(const char *name) {
  if (strcmp(name, LIST) == 0 || strcmp(name, DEFAULT_LIST) == 0) return MEANING_KEPT;
  if (strncmp(name, "user.overlay.", 13) == 0 || strncmp(name, "trusted.", 8) == 0) return MEANING_MADE;
  if (strncmp(name, "user.", 5) == 0) return MEANING_KEPT;
  const char *made[] = {"security.selinux", "security.apparmor", "security.ima", "security.evm"};
  for (size_t i = 0; i < sizeof made / sizeof *made; i++)
    if (strcmp(name, made[i]) == 0) return MEANING_MADE;
  return strncmp(name, "security.SMACK64", 16) == 0 ? MEANING_MADE : MEANING_BOUND;
}

struct place {
  char text[32 + 256];
};

/* A name that the calls without `l` would follow when it is a link. */
static struct place place_of(int parent, const char *name) {
  struct place place;
  snprintf(place.text, sizeof place.text, "/proc/self/fd/%d/%s", parent, name);
  return place;
}

static bool is_without(ssize_t result) { return result < 0 && (errno == ENOTSUP || errno == ENODATA || errno == ENOENT || errno == EACCES || errno == EPERM); }

bool keep_attributes(int parent, const char *name, int to) {
  static char names[MAX_LIST], value[MAX_VALUE];
  struct place from = place_of(parent, name);
  /* What a directory gives all that is made in it, the file that was there need not have. */
  if (fremovexattr(to, LIST) != 0 && errno != ENODATA && errno != ENOTSUP) return wrong("the access control list cannot be taken off: %s", strerror(errno));
  ssize_t length = llistxattr(from.text, names, sizeof names);
  if (length < 0) return errno == ENOTSUP || wrong("the attributes cannot be looked at: %s", strerror(errno));
  for (const char *each = names; each < names + length; each += strlen(each) + 1) {
    enum meaning meaning = meaning_of(each);
    if (meaning == MEANING_MADE) continue;
    if (meaning == MEANING_BOUND) return wrong("it has the attribute %s, which a changed file cannot keep: take that off, or change the file by hand", each);
    ssize_t size = lgetxattr(from.text, each, value, sizeof value);
    if (size < 0 || fsetxattr(to, each, value, (size_t)size, 0) != 0) return wrong("the attribute %s cannot be kept: %s", each, strerror(errno));
  }
  return true;
}

static void print_name(char sign, const char *name) {
  putchar(',');
  putchar(sign);
  for (const char *at = name; *at != '\0'; at++) putchar(*at == ',' ? '?' : *at);
}

void print_attributes(int upper, int lower, const char *name) {
  static char names[2][MAX_LIST], values[2][MAX_VALUE];
  struct place places[2] = {place_of(upper, name), place_of(lower, name)};
  ssize_t lengths[2] = {llistxattr(places[0].text, names[0], MAX_LIST), lower < 0 ? 0 : llistxattr(places[1].text, names[1], MAX_LIST)};
  for (int side = 0; side < 2; side++)
    for (const char *each = names[side]; each < names[side] + lengths[side]; each += strlen(each) + 1) {
      if (meaning_of(each) == MEANING_MADE) continue;
      ssize_t own = lgetxattr(places[side].text, each, values[side], MAX_VALUE);
      ssize_t other = lower < 0 ? -1 : lgetxattr(places[1 - side].text, each, values[1 - side], MAX_VALUE);
      if (lower < 0) errno = ENODATA;
      if (is_without(other)) print_name(side == 0 ? '+' : '-', each);
      else if (side == 0 && (own != other || memcmp(values[0], values[1], (size_t)(own < 0 ? 0 : own)) != 0)) print_name('~', each);
    }
}
