/* What the program does: each verb returns its exit status. See README.md. */
#ifndef WARDER_VERBS_H
#define WARDER_VERBS_H

#include <stdbool.h>

#define EXIT_ARGUMENTS 64

/* hold.c */
int verb_hold(void);
int verb_unmount(int count, char **paths);
/* place.c */
int verb_place(const char *pid, const char *placeholder, const char *shown);
/* namespace.c */
int verb_apart(char **command);
int verb_enter(const char *pid, const char *view, char **command);
/* changes.c */
/* `arguments`: UPPER LOWER user|trusted [MASK] */
int verb_changes(const char *const *arguments, int count);
int verb_opaque(const char *upper, const char *name_space);
/* pack.c */
int verb_pack(const char *upper, const char *name_space);
/* unpack.c */
/* `arguments`: DIRECTORY BYTES ENTRIES [UID GID] */
int verb_unpack(const char *const *arguments, int count);
/* snapshot.c */
/* `arguments`: UPPER user|trusted MAX-ENTRIES MAX-BYTES settled|unsettled BEFORE|- INDEX-BEFORE|- [TARGET INDEX] */
int verb_snapshot(const char *const *arguments, int count);
/* `arguments`: SNAPSHOT INDEX TARGET user|trusted */
int verb_lay(const char *const *arguments);
/* apply.c */
/* Setuid, setgid and sticky bits never land in a workspace. They are kept where a run's own layer is written, which is mounted nosuid, and for what was there before. */
enum direction { DIRECTION_LAND, DIRECTION_RESTORE, DIRECTION_UNDO };
/* `kept`: where what is replaced is kept; NULL: nowhere. */
int verb_apply(enum direction direction, const char *root, const char *upper, const char *kept);

#endif
