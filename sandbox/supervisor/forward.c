/* The way to the egress proxy: takes connections on 127.0.0.1:3128 and pipes each to the proxy's unix socket. Knows nothing of what goes through. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "child.h"
#include "forward.h"
#include "settings.h"
#include "wire.h"

#define FORWARD_PORT 3128
/* As many as the proxy takes; more wait in the backlog. */
#define MAX_CONNECTIONS 64
#define WAY_BYTES 32768

/* One direction of a connection. */
struct way {
  uint8_t data[WAY_BYTES];
  size_t start, end;
  bool is_read, is_closed; /* the source is at its end; the target was told */
};

/* files[0] is the command's side. ways[i] goes from files[i] to the other one. */
struct connection {
  bool is_open;
  int files[2];
  struct way ways[2];
};

static struct connection connections[MAX_CONNECTIONS];

static int open_listener(void) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(FORWARD_PORT), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  if (listener < 0) return -1;
  /* Connections of the last command may still be in TIME_WAIT. */
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 128) == 0) return listener;
  int code = errno;
  close(listener);
  errno = code;
  return -1;
}

static int open_proxy(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  memcpy(address.sun_path, settings.proxy, strlen(settings.proxy) + 1);
  int proxy = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (proxy < 0) return -1;
  if (connect(proxy, (struct sockaddr *)&address, sizeof address) == 0 && fcntl(proxy, F_SETFL, O_NONBLOCK) == 0) return proxy;
  close(proxy);
  return -1;
}

static struct connection *free_connection(void) {
  for (size_t i = 0; i < MAX_CONNECTIONS; i++)
    if (!connections[i].is_open) return &connections[i];
  return NULL;
}

static void take(int listener, struct connection *connection) {
  int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (client < 0) return;
  int proxy = open_proxy();
  if (proxy < 0) {
    close(client);
    return;
  }
  connection->files[0] = client;
  connection->files[1] = proxy;
  for (int i = 0; i < 2; i++) {
    struct way *way = &connection->ways[i];
    way->start = way->end = 0;
    way->is_read = way->is_closed = false;
  }
  connection->is_open = true;
}

static bool passes(ssize_t result) { return result < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOMEM || errno == ENOBUFS); }

/* Moves what can be moved of one direction. False: the connection is over. */
static bool move(struct way *way, int from, int to) {
  if (!way->is_read && way->end < WAY_BYTES) {
    ssize_t length = recv(from, way->data + way->end, WAY_BYTES - way->end, 0);
    if (length < 0 && !passes(length)) return false;
    if (length == 0) way->is_read = true;
    if (length > 0) way->end += (size_t)length;
  }
  if (way->start < way->end) {
    ssize_t length = send(to, way->data + way->start, way->end - way->start, MSG_NOSIGNAL);
    if (length < 0 && !passes(length)) return false;
    if (length > 0) way->start += (size_t)length;
  }
  if (way->start == way->end) way->start = way->end = 0;
  if (way->is_read && way->end == 0 && !way->is_closed) {
    shutdown(to, SHUT_WR);
    way->is_closed = true;
  }
  return true;
}

static void advance(struct connection *connection) {
  bool goes_on = true;
  for (int i = 0; i < 2 && goes_on; i++) goes_on = move(&connection->ways[i], connection->files[i], connection->files[1 - i]);
  if (goes_on && !(connection->ways[0].is_closed && connection->ways[1].is_closed)) return;
  close(connection->files[0]);
  close(connection->files[1]);
  connection->is_open = false;
}

/* What side i waits for: to be read while there is room, to be written while something is kept for it. */
static short events_of(const struct connection *connection, int i) {
  const struct way *out = &connection->ways[i], *in = &connection->ways[1 - i];
  return (short)((!out->is_read && out->end < WAY_BYTES ? POLLIN : 0) | (in->start < in->end ? POLLOUT : 0));
}

static _Noreturn void serve(int listener) {
  for (;;) {
    struct pollfd polls[1 + 2 * MAX_CONNECTIONS];
    struct connection *polled[MAX_CONNECTIONS];
    size_t count = 0;
    polls[0] = (struct pollfd){.fd = free_connection() == NULL ? -1 : listener, .events = POLLIN};
    for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
      if (!connections[i].is_open) continue;
      for (int side = 0; side < 2; side++) {
        /* A side that waits for nothing is left out: its hang-up would be told again and again. */
        short events = events_of(&connections[i], side);
        polls[1 + 2 * count + (size_t)side] = (struct pollfd){.fd = events == 0 ? -1 : connections[i].files[side], .events = events};
      }
      polled[count++] = &connections[i];
    }
    int ready = poll(polls, (nfds_t)(1 + 2 * count), -1);
    if (ready < 0 && errno != EINTR && errno != EAGAIN && errno != ENOMEM) _exit(EXIT_SYSTEM);
    if (ready < 0) continue;
    for (size_t i = 0; i < count; i++)
      if (polls[1 + 2 * i].revents || polls[2 + 2 * i].revents) advance(polled[i]);
    if (polls[0].revents) take(listener, free_connection());
  }
}

static _Noreturn void be_forwarder(int listener) {
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  int own[3] = {null, null, null};
  /* The same user, limits and lack of capabilities as the command: what it can do, the command can. */
  if (null < 0 || child_become(own) != 0) _exit(EXIT_SYSTEM);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (listener != 3 && dup2(listener, 3) < 0) _exit(EXIT_SYSTEM);
  /* Nothing of the supervisor's, and no pipe of the command, which would never come to its end. */
  if (syscall(SYS_close_range, 4u, ~0u, 0u) != 0)
    for (int file = 4; file < 4096; file++) close(file);
  serve(3);
}

pid_t forward_start(void) {
  int listener = open_listener();
  if (listener < 0) return -1;
  pid_t pid = patient_fork();
  if (pid == 0) be_forwarder(listener);
  int code = errno;
  close(listener);
  errno = code;
  return pid;
}
