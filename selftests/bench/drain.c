// SPDX-License-Identifier: GPL-2.0
/*
 * drain FOLDER CGROUPS max|rmdir
 *
 * Leaves something of CGROUPS cgroups in the stocks of two CPUs, then counts
 * what it takes to get it back: memory.max of one page for each of them, or the
 * removal of each.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

#define PAGES	4

/* a process on CPU in the cgroup that takes some pages and ends */
static void stock(const char *cg, int cpu)
{
	pid_t pid = child();

	if (!pid) {
		size_t size = PAGES * PAGE;
		char *p;

		join(cg);
		pin(cpu);
		p = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (p == MAP_FAILED || munmap(p, size))
			die("mmap");
		_exit(0);
	}
	wait_for(pid);
}

int main(int argc, char **argv)
{
	char name[32], page[32], *cgs[64];
	int k, i;

	if (argc != 4)
		die("usage: drain FOLDER CGROUPS max|rmdir");
	k = number(argv[2]);
	if (k > 64)
		die("more than 64 cgroups");
	snprintf(page, sizeof(page), "%zu", PAGE);
	for (i = 0; i < k; i++) {
		snprintf(name, sizeof(name), "drain%d", i);
		cgs[i] = cgroup(argv[1], name);
		stock(cgs[i], 0);
		stock(cgs[i], 1);
	}
	mark();
	for (i = 0; i < k; i++) {
		if (!strcmp(argv[3], "max"))
			write_file(cgs[i], "memory.max", page);
		else if (rmdir(cgs[i]))
			die("rmdir");
	}
	/* the other CPU's part is done by its workqueue */
	sleep(1);
	mark();
	return 0;
}
