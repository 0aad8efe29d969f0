#ifndef WARDER_FORWARD_H
#define WARDER_FORWARD_H

#include <sys/types.h>

/* Starts the process that takes a command's connections to the proxy. It listens already. -1: errno. */
pid_t forward_start(void);

#endif
