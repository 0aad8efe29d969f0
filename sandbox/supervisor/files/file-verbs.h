/* Each verb on files, and the look at the sandbox itself. All of it runs in a forked child with the identity, mounts and limits of a command. */
#ifndef WARDER_FILE_VERBS_H
#define WARDER_FILE_VERBS_H

#include "../wire.h"

/* A directory with more names is cut, so that a hostile one cannot exhaust the session's memory. */
#define MAX_NAMES 200000u

/* read.c */
enum failure verb_resolve(struct reader *reader);
enum failure verb_read(struct reader *reader);
enum failure verb_hash(struct reader *reader);
/* list.c, write.c, search.c */
enum failure verb_list(struct reader *reader);
enum failure verb_write(struct reader *reader);
enum failure verb_search(struct reader *reader);
/* probe.c */
enum failure verb_probe(void);

#endif
