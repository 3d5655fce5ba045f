// SPDX-License-Identifier: GPL-2.0
/*
 * limit FOLDER PAGES
 *
 * How far memory.current may be from what is in use: a cgroup with memory.max of
 * PAGES pages takes and gives back some on CPU 1, then takes pages on CPU 0
 * until 72 are left: what CPU 1 may have in its stock, and is asked for by its
 * workqueue only, and page tables and the like. Counted: the pages that it
 * takes on CPU 0. Prints "bench: value excess N", memory.current less what
 * memory.stat knows of, in pages; the kernel's bound is 64 for each of the two
 * CPUs.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

#define SLACK	72

int main(int argc, char **argv)
{
	char *cg, text[32], *p;
	size_t page = PAGE, i, n;
	long long used;
	pid_t pid;

	if (argc != 3)
		die("usage: limit FOLDER PAGES");
	n = number(argv[2]);
	cg = cgroup(argv[1], "limit");
	snprintf(text, sizeof(text), "%zu", n * page);
	write_file(cg, "memory.max", text);
	pid = child();
	if (!pid) {
		join(cg);
		pin(1);
		p = mmap(NULL, n * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			die("mmap");
		for (i = 0; i < 32; i++)
			((volatile char *)p)[i * page] = 1;
		if (madvise(p, 32 * page, MADV_DONTNEED))
			die("MADV_DONTNEED");
		pin(0);
		/* statistics are flushed every two seconds */
		sleep(5);
		used = (read_number(cg, "memory.stat", "anon") +
			read_number(cg, "memory.stat", "kernel")) / page;
		mark();
		for (i = 0; i + used + SLACK < n; i++)
			((volatile char *)p)[i * page] = 1;
		mark();
		sleep(5);
		used = (read_number(cg, "memory.stat", "anon") +
			read_number(cg, "memory.stat", "kernel")) / page;
		printf("bench: value excess %lld\n",
		       read_number(cg, "memory.current", NULL) / (long long)page - used);
		fflush(stdout);
		_exit(0);
	}
	wait_for(pid);
	return 0;
}
