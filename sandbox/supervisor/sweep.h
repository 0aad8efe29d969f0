/* Ends and reaps the other processes of the pid namespace. */
#ifndef WARDER_SWEEP_H
#define WARDER_SWEEP_H

#include <stdbool.h>
#include <sys/types.h>

/* Is told of each process that was reaped, with its status as of waitpid(2). */
typedef void process_ended(pid_t pid, int status);

/* Reaps what has ended. */
void reap(process_ended *tell);
/* Sends SIGKILL to every other process; true when there is none. */
bool kill_others(void);
/* Kills and reaps every other process; false when one survives 10 s. */
bool sweep(process_ended *tell);

#endif
