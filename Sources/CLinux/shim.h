// What Glibc's Swift overlay does not import: macros, variadic calls and system calls behind feature flags.
#ifndef HTTPDNS_PROXY_CLINUX_H
#define HTTPDNS_PROXY_CLINUX_H

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

// Declared here because the Swift module of Glibc is built without _GNU_SOURCE, and two modules must not differ in it.
extern int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
extern int pipe2(int ends[2], int flags);
extern ssize_t splice(int in, int64_t *in_offset, int out, int64_t *out_offset, size_t length, unsigned int flags);

static const uint32_t linux_epoll_edge_all = 0x001u /* IN */ | 0x004u /* OUT */ | 0x2000u /* RDHUP */ | 0x80000000u /* ET */;
static const uint32_t linux_epoll_in = 0x001u;
static const uint32_t linux_epoll_out = 0x004u;
static const uint32_t linux_epoll_err = 0x008u;
static const uint32_t linux_epoll_hup = 0x010u;
static const uint32_t linux_epoll_rdhup = 0x2000u;

static inline int linux_set_pipe_size(int fd, int bytes) { return fcntl(fd, 1031 /* F_SETPIPE_SZ */, bytes); }

static inline ssize_t linux_splice(int in, int out, size_t length) {
    return splice(in, 0, out, 0, length, 1 /* MOVE */ | 2 /* NONBLOCK */);
}

extern int sched_getaffinity(int pid, size_t size, void *mask);

/// How many processors this process may run on: fewer than the machine has inside a container or under taskset.
static inline int linux_usable_processors(void) {
    unsigned long mask[128] = {0};
    if (sched_getaffinity(0, sizeof mask, mask) != 0) return 1;
    int count = 0;
    for (int word = 0; word < 128; word++) count += __builtin_popcountl(mask[word]);
    return count;
}

static inline void linux_name_thread(const char *name) { prctl(15 /* PR_SET_NAME */, name, 0, 0, 0); }

static inline int linux_set_int_option(int fd, int level, int name, int value) {
    return setsockopt(fd, level, name, &value, sizeof value);
}

static inline int linux_get_int_option(int fd, int level, int name, int *value) {
    socklen_t length = sizeof *value;
    return getsockopt(fd, level, name, value, &length);
}

#endif
