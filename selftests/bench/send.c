// SPDX-License-Identifier: GPL-2.0
/*
 * send FOLDER SENDER_CPU RECEIVER_CPU CGROUPS BURST [ROUNDS]
 *
 * sendfile() of BURST bytes from a tmpfs file over one loopback TCP connection
 * for each of CGROUPS cgroups, in turn; the receiver, in a cgroup of its own,
 * answers each burst with one byte. All sending sockets belong to one process:
 * a socket is charged to the cgroup that made it. Counted: ROUNDS bursts of each
 * cgroup (100) after 10 that are not.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "bench.h"

#define WARM_UP	10

static void send_burst(int fd, int file, int burst)
{
	off_t at = 0;
	char answer;

	while (at < burst)
		if (sendfile(fd, file, &at, burst - at) <= 0)
			die("sendfile");
	read_all(fd, &answer, 1);
}

int main(int argc, char **argv)
{
	int sender_cpu, receiver_cpu, k, burst, rounds, i, round, listening, file;
	char *buf, *receiver_cg, *sender_cg, name[32];
	int *fds;
	pid_t receiver, sender;

	if (argc < 6)
		die("usage: send FOLDER SENDER_CPU RECEIVER_CPU CGROUPS BURST [ROUNDS]");
	sender_cpu = number(argv[2]);
	receiver_cpu = number(argv[3]);
	k = number(argv[4]);
	burst = number(argv[5]);
	rounds = argc > 6 ? number(argv[6]) : 100;
	buf = calloc(1, burst);
	fds = calloc(k, sizeof(*fds));
	if (!buf || !fds)
		die("calloc");
	file = open("/tmp/file", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (file < 0)
		die("/tmp/file");
	write_all(file, buf, burst);
	receiver_cg = cgroup(argv[1], "receiver");
	listening = listen_any();

	receiver = child();
	if (!receiver) {
		join(receiver_cg);
		pin(receiver_cpu);
		for (i = 0; i < k; i++)
			fds[i] = accept_one(listening);
		for (round = 0; round < WARM_UP + rounds; round++)
			for (i = 0; i < k; i++) {
				read_all(fds[i], buf, burst);
				write_all(fds[i], buf, 1);
			}
		return 0;
	}
	sender = child();
	if (!sender) {
		pin(sender_cpu);
		for (i = 0; i < k; i++) {
			snprintf(name, sizeof(name), "sender%d", i);
			sender_cg = cgroup(argv[1], name);
			join(sender_cg);
			fds[i] = connect_to(listening);
		}
		for (round = 0; round < WARM_UP + rounds; round++) {
			if (round == WARM_UP)
				mark();
			for (i = 0; i < k; i++)
				send_burst(fds[i], file, burst);
		}
		mark();
		return 0;
	}
	wait_for(sender);
	wait_for(receiver);
	unlink("/tmp/file");
	return 0;
}
