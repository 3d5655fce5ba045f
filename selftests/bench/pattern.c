// SPDX-License-Identifier: GPL-2.0
/*
 * pattern FOLDER PATTERN CGROUPS cyclic|uniform|zipf none|above|below LOOPS [CPUS]
 *
 * Charges and uncharges inside the kernel (kernel/memcg_bench.c), of sockets of
 * CGROUPS cgroups. PATTERN is
 *   C1U2     for each cgroup in turn, or in a random order of 4096 steps,
 *            charge 1 page and uncharge 2; so with other numbers, and C1 or U1
 *            alone
 *   walk4    a random walk of 4096 steps of 1 to 4 pages, never below nothing
 *   saw96    charge 96 pages one by one, then uncharge them
 * and ends with an s to have the statistics that go with a socket's charge
 * within; without it is the charge alone. An i instead leaves interrupts on.
 * Protection: memory.min of FOLDER's cgroups' parent is unset, far below or far
 * above its usage. CPUS is 1, or 2 for a session on each CPU in cgroups of its
 * own. The random numbers are always the same. Counted, in the kernel: LOOPS
 * times the pattern; two sessions make four marks, so that one CPU is all that
 * can be counted, and two are for time. Prints "bench: value ns
 * N", of the slower session.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

#define FILE_NAME	"/sys/kernel/debug/memcg_bench"
#define STEPS		4096

static uint64_t state = 88172645463325252ull;
static int fd;

/* xorshift: 0 to n - 1 */
static int random_below(int n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

static void say(const char *text)
{
	if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die(text);
}

static void op(int socket, int pages)
{
	char text[32];

	snprintf(text, sizeof(text), "op %d %d", socket, pages);
	say(text);
}

/* zipf() - 0 to n - 1, the i-th with a weight of 1/(i + 1) */
static int zipf(int n)
{
	int i, total = 0, at;

	for (i = 0; i < n; i++)
		total += 27720 / (i + 1);
	at = random_below(total);
	for (i = 0; at >= 27720 / (i + 1); i++)
		at -= 27720 / (i + 1);
	return i;
}

static void add_ops(const char *pattern, int k, const char *order)
{
	int steps = strcmp(order, "cyclic") ? STEPS : k;
	int charge = 0, uncharge = 0, i, n, have = 0;

	if (sscanf(pattern, "saw%d", &n) == 1) {
		for (i = 0; i < 2 * n; i++)
			op(0, i < n ? 1 : -1);
		return;
	}
	if (sscanf(pattern, "walk%d", &n) == 1) {
		for (i = 0; i < STEPS; i++) {
			int pages = 1 + random_below(n);

			if (random_below(2) && have >= pages)
				pages = -pages;
			op(0, pages);
			have += pages;
		}
		return;
	}
	if (sscanf(pattern, "C%dU%d", &charge, &uncharge) < 1 &&
	    sscanf(pattern, "U%d", &uncharge) != 1)
		die("unknown pattern");
	for (i = 0; i < steps; i++) {
		if (!strcmp(order, "uniform"))
			n = random_below(k);
		else if (!strcmp(order, "zipf"))
			n = zipf(k);
		else
			n = i;
		if (charge)
			op(n, charge);
		if (uncharge)
			op(n, -uncharge);
	}
}

int main(int argc, char **argv)
{
	char name[32], text[64], last, *parent;
	int k, cpus, cpu, i;
	long long *ns;
	pid_t pids[2];

	if (argc < 7)
		die("usage: pattern FOLDER PATTERN CGROUPS cyclic|uniform|zipf none|above|below LOOPS [CPUS]");
	k = number(argv[3]);
	cpus = argc > 7 ? number(argv[7]) : 1;
	if (cpus > 2)
		die("more than two CPUs");
	ns = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (ns == MAP_FAILED)
		die("mmap");
	snprintf(text, sizeof(text), "run %d %d", number(argv[6]), cpus);
	/* the protected one is FOLDER, or at depth 1, where it is the root, none */
	parent = argv[1];
	if (!strcmp(argv[5], "above"))
		write_file(parent, "memory.min", "1M");
	else if (!strcmp(argv[5], "below"))
		write_file(parent, "memory.min", "1T");
	for (cpu = 0; cpu < cpus; cpu++) {
		pids[cpu] = child();
		if (pids[cpu])
			continue;
		pin(cpu);
		fd = open(FILE_NAME, O_RDWR);
		if (fd < 0)
			die(FILE_NAME);
		for (i = 0; i < k; i++) {
			snprintf(name, sizeof(name), "cpu%d-%d", cpu, i);
			join(cgroup(parent, name));
			say("socket");
		}
		last = argv[2][strlen(argv[2]) - 1];
		if (last == 's')
			say("statistics");
		else if (last == 'i')
			say("interrupts");
		add_ops(argv[2], k, argv[4]);
		say(text);
		memset(text, 0, sizeof(text));
		if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
			die("read of " FILE_NAME);
		ns[cpu] = atoll(text);
		return 0;
	}
	for (cpu = 0; cpu < cpus; cpu++)
		wait_for(pids[cpu]);
	printf("bench: value ns %lld\n", ns[0] > ns[1] ? ns[0] : ns[1]);
	return 0;
}
