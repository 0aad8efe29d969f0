/* What the parts of the supervisor share. The protocol is in sandbox/PROTOCOL.md. */
#ifndef WARDER_SUPERVISOR_H
#define WARDER_SUPERVISOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire.h"

#define MAX_ROOTS 64

enum exit_status { EXIT_ARGUMENTS = 64, EXIT_FRAME = 65, EXIT_SYSTEM = 70, EXIT_OUTPUT = 74, EXIT_HEARTBEAT = 75 };
enum fault { FAULT_FRAME = 1, FAULT_HEARTBEAT = 2, FAULT_SWEEP = 3, FAULT_SYSTEM = 4 };

struct root {
  const char *path;
  size_t length;
  bool is_writable;
};

/* What the command line said; it never changes. */
struct settings {
  uid_t uid;
  gid_t gid;
  struct root roots[MAX_ROOTS];
  size_t root_count;
  uint32_t heartbeat_ms;
  /* 0: as inherited */
  uint64_t nofile, fsize, nproc, data;
  /* The egress proxy's socket, or NULL: no network */
  const char *proxy;
};

extern struct settings settings;

/* settings.c: fills `settings`; prints a line and exits with EXIT_ARGUMENTS when something is wrong. */
void read_settings(int argc, char **argv);

/* main.c: sends a fault when that is possible, kills everything, exits. */
_Noreturn void end_session(int status, enum fault fault, const char *text);
uint64_t now_ns(void);

/* output.c: a bounded queue of frames towards the host. */
size_t output_room(void);
bool output_is_pending(void);
/* Queues one frame of two parts; the caller has looked for room (head + tail + FRAME_HEAD + 4). */
void output_frame(enum reply_type type, uint32_t id, struct slice head, struct slice tail);
/* Writes what can be written without blocking. False: the other end is gone. */
bool output_flush(void);
/* Writes everything, for at most `ms`. */
void output_drain(int ms);

/* sweep.c */
/* Reaps what has ended and tells call.c of each process. */
void reap(void);
/* Sends SIGKILL to every other process of the pid namespace; true when there is none. */
bool kill_others(void);
/* Kills and reaps every other process of the pid namespace; false when one survives 10 s. */
bool sweep(void);

/* child.c: what a forked child does before it is a command or a verb. */
enum stage { STAGE_NONE, STAGE_BAD_REQUEST, STAGE_BUSY, STAGE_FORK, STAGE_CWD, STAGE_PROGRAM, STAGE_IDENTITY };
struct command {
  char **argv, **env;
  const char *cwd;
};
/* Takes the pipes as 0, 1 and 2 and the unprivileged identity and limits. 0, or an errno. */
int child_become(const int pipes[3]);
/* Does not return; writes stage and errno to `report` when the program cannot be started. */
_Noreturn void child_execute(const struct command *command, int report);

/* request.c: a copy of an exec payload, in one allocation. False: malformed. */
struct exec_request {
  uint32_t timeout_ms, head_bytes, tail_bytes;
  bool kills_at_limit, has_stdin;
  struct slice input; /* part of `memory` */
  struct command command;
  void *memory;
};
bool read_exec_request(struct slice payload, struct exec_request *request);

/* call.c: the call under way. */
void call_start(const struct frame *frame);
void call_cancel(uint32_t id);
/* The descriptors to poll; returns how many were added. */
struct pollfd;
size_t call_poll(struct pollfd *polls);
/* Moves bytes and time forward; to be called after each poll. */
void call_advance(void);
void call_process_ended(pid_t pid, int status);
/* Nanoseconds of the monotonic clock, or UINT64_MAX. */
uint64_t call_deadline(void);

/* A fork that waits a second for a full pid limit or short memory to pass. As fork(2). */
pid_t patient_fork(void);

/* forward.c: starts the process that takes a command's connections to the proxy. It listens already. -1: errno. */
pid_t forward_start(void);

/* verbs.c: checks a verb's payload (in the supervisor), and performs it (in the child, exit code = failure). */
bool verb_is_well_formed(const struct frame *frame, uint32_t *timeout_ms);
int verb_perform(const struct frame *frame);

#endif
