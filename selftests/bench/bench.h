/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the guest programs share. One program is one workload; it gets the
 * cgroup v2 folder that it may use as its first argument, has the memory
 * controller in that folder's cgroup.subtree_control, and makes what it needs
 * below. Anything unexpected ends it with exit code 1 and a word on why.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>
#include <sys/types.h>

#define PAGE	((size_t)sysconf(_SC_PAGESIZE))

/* begins or ends a phase: the counting plugin looks for this system call */
void mark(void);

void die(const char *what) __attribute__((noreturn));
/* the argument as a number, 0 to 2^31 - 1 */
int number(const char *arg);
void pin(int cpu);

/*
 * makes cgroup NAME below DIR and returns its path, which is never freed; with
 * DIR "root" there is none to make, and it is the root's
 */
char *cgroup(const char *dir, const char *name);
/* moves the calling process there */
void join(const char *cgroup);
void write_file(const char *dir, const char *file, const char *text);
/* a number from a file; with KEY the one that follows that word on its line */
long long read_number(const char *dir, const char *file, const char *key);

/* fork() that dies when it fails; wait_for() dies when the child failed */
pid_t child(void);
void wait_for(pid_t pid);

/* all of LEN bytes, over a socket */
void read_all(int fd, char *buf, size_t len);
void write_all(int fd, const char *buf, size_t len);
/* a listening loopback socket; connect_to() the socket's other side */
int listen_any(void);
int connect_to(int listening);
int accept_one(int listening);

#endif
