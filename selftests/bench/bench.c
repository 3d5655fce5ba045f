// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

void mark(void)
{
	if (sethostname("bench", 5))
		die("sethostname");
}

void die(const char *what)
{
	printf("FAILED: %s: %s\n", what, strerror(errno));
	fflush(stdout);
	exit(1);
}

int number(const char *arg)
{
	char *end;
	long n;

	errno = EINVAL;
	if (!arg)
		die("argument missing");
	n = strtol(arg, &end, 10);
	if (end == arg || *end || n < 0 || n > INT_MAX)
		die(arg);
	return n;
}

void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

char *cgroup(const char *dir, const char *name)
{
	char *path;

	if (!strcmp(dir, "root"))
		return "/sys/fs/cgroup";
	if (asprintf(&path, "%s/%s", dir, name) < 0 || mkdir(path, 0755))
		die(name);
	return path;
}

static int open_in(const char *dir, const char *file, int flags)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, flags);
	if (fd < 0)
		die(path);
	return fd;
}

void write_file(const char *dir, const char *file, const char *text)
{
	int fd = open_in(dir, file, O_WRONLY);

	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die(file);
	close(fd);
}

long long read_number(const char *dir, const char *file, const char *key)
{
	static char buf[1 << 16];
	int fd = open_in(dir, file, O_RDONLY);
	ssize_t n = read(fd, buf, sizeof(buf) - 1);
	char *at = buf;

	close(fd);
	if (n <= 0)
		die(file);
	buf[n] = '\0';
	if (key) {
		size_t len = strlen(key);

		while (at && (strncmp(at, key, len) || at[len] != ' ')) {
			at = strchr(at, '\n');
			if (at)
				at++;
		}
		errno = ENOENT;
		if (!at)
			die(key);
		at += len;
	}
	return strtoll(at, NULL, 10);
}

void join(const char *cgroup)
{
	write_file(cgroup, "cgroup.procs", "0");
}

pid_t child(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork");
	return pid;
}

void wait_for(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	/* it has said why */
	if (status)
		exit(1);
}

void read_all(int fd, char *buf, size_t len)
{
	while (len) {
		ssize_t n = read(fd, buf, len);

		if (n <= 0)
			die("read from a socket");
		len -= n;
	}
}

void write_all(int fd, const char *buf, size_t len)
{
	while (len) {
		ssize_t n = write(fd, buf, len);

		if (n <= 0)
			die("write to a socket");
		buf += n;
		len -= n;
	}
}

int listen_any(void)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(fd, 5))
		die("listen");
	return fd;
}

static int no_delay(int fd)
{
	int one = 1;

	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
		die("TCP_NODELAY");
	return fd;
}

int connect_to(int listening)
{
	struct sockaddr_in addr;
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || getsockname(listening, (struct sockaddr *)&addr, &len) ||
	    connect(fd, (struct sockaddr *)&addr, len))
		die("connect");
	return no_delay(fd);
}

int accept_one(int listening)
{
	int fd = accept(listening, NULL, NULL);

	if (fd < 0)
		die("accept");
	return no_delay(fd);
}
