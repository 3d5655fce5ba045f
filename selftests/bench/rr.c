// SPDX-License-Identifier: GPL-2.0
/*
 * rr FOLDER SERVER_CPU CLIENT_CPU other|same REQUEST RESPONSE [ROUNDS]
 *
 * Request and response, in bytes, over a loopback TCP connection between two
 * pinned processes in other cgroups or in the same one. Counted: ROUNDS round
 * trips (300) after 50 that are not.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"

#define WARM_UP	50

int main(int argc, char **argv)
{
	int server_cpu, client_cpu, request, response, rounds, i, listening, fd;
	char *server_cg, *client_cg, *buf;
	pid_t server, client;

	if (argc < 7)
		die("usage: rr FOLDER SERVER_CPU CLIENT_CPU other|same REQUEST RESPONSE [ROUNDS]");
	server_cpu = number(argv[2]);
	client_cpu = number(argv[3]);
	request = number(argv[5]);
	response = number(argv[6]);
	rounds = argc > 7 ? number(argv[7]) : 300;
	server_cg = cgroup(argv[1], "server");
	client_cg = strcmp(argv[4], "same") ? cgroup(argv[1], "client") : server_cg;
	buf = calloc(1, request > response ? request : response);
	if (!buf)
		die("calloc");
	listening = listen_any();

	server = child();
	if (!server) {
		join(server_cg);
		pin(server_cpu);
		fd = accept_one(listening);
		for (i = 0; i < WARM_UP + rounds; i++) {
			read_all(fd, buf, request);
			write_all(fd, buf, response);
		}
		return 0;
	}
	client = child();
	if (!client) {
		join(client_cg);
		pin(client_cpu);
		fd = connect_to(listening);
		for (i = 0; i < WARM_UP + rounds; i++) {
			if (i == WARM_UP)
				mark();
			write_all(fd, buf, request);
			read_all(fd, buf, response);
		}
		mark();
		return 0;
	}
	wait_for(client);
	wait_for(server);
	return 0;
}
