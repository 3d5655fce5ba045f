// SPDX-License-Identifier: GPL-2.0
/*
 * rstat FOLDER CGROUPS
 *
 * A process in each of CGROUPS cgroups touches memory on both CPUs; then
 * memory.stat of their parent is read. Counted from before the processes run,
 * so that the kernel's flush from time to time is within as well.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

#define PAGES	8

int main(int argc, char **argv)
{
	size_t size = PAGES * PAGE, i;
	char name[32], *p, *parent, **cgs;
	int k, n, cpu;
	pid_t pid;

	if (argc != 3)
		die("usage: rstat FOLDER CGROUPS");
	k = number(argv[2]);
	parent = cgroup(argv[1], "rstat");
	write_file(parent, "cgroup.subtree_control", "+memory");
	cgs = calloc(k, sizeof(*cgs));
	if (!cgs)
		die("calloc");
	for (n = 0; n < k; n++) {
		snprintf(name, sizeof(name), "cg%d", n);
		cgs[n] = cgroup(parent, name);
	}
	mark();
	for (n = 0; n < k; n++) {
		pid = child();
		if (!pid) {
			join(cgs[n]);
			p = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			if (p == MAP_FAILED)
				die("mmap");
			for (cpu = 0; cpu < 2; cpu++) {
				pin(cpu);
				for (i = 0; i < size; i += PAGE)
					((volatile char *)p)[cpu * size + i] = 1;
			}
			_exit(0);
		}
		wait_for(pid);
	}
	read_number(parent, "memory.stat", "anon");
	mark();
	return 0;
}
