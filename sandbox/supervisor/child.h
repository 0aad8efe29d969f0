/* What a forked child does before it is a command, a verb or the forwarder. */
#ifndef WARDER_CHILD_H
#define WARDER_CHILD_H

#include <sys/types.h>

struct command {
  char **argv, **env;
  const char *cwd;
};

/* A fork that waits a second for a full pid limit or short memory to pass. As fork(2). */
pid_t patient_fork(void);
/* Takes the pipes as 0, 1 and 2 and the unprivileged identity and limits. 0, or an errno. */
int child_become(const int pipes[3]);
/* Does not return; writes stage and errno to `report` when the program cannot be started. */
_Noreturn void child_execute(const struct command *command, int report);

#endif
