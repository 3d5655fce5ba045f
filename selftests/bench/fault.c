// SPDX-License-Identifier: GPL-2.0
/*
 * fault FOLDER PAGES ROUNDS munmap|dontneed|huge
 *
 * Touches PAGES anonymous pages one after the other and gives them back, by
 * munmap() or MADV_DONTNEED; "huge" asks for huge pages and counts PAGES in small
 * ones. Counted: ROUNDS rounds after 3 that are not.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

#define WARM_UP	3
#define HUGE	(2u << 20)

/* map() - SIZE bytes, aligned for huge pages */
static char *map(size_t size, int huge)
{
	char *p = mmap(NULL, size + (huge ? HUGE : 0), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	if (huge) {
		p += -(size_t)p % HUGE;
		if (madvise(p, size, MADV_HUGEPAGE))
			die("MADV_HUGEPAGE");
	}
	return p;
}

int main(int argc, char **argv)
{
	int rounds, round, huge, dontneed;
	size_t size, i, page = PAGE;
	char *cg, *p = NULL;
	pid_t pid;

	if (argc != 5)
		die("usage: fault FOLDER PAGES ROUNDS munmap|dontneed|huge");
	size = number(argv[2]) * page;
	rounds = number(argv[3]);
	dontneed = !strcmp(argv[4], "dontneed");
	huge = !strcmp(argv[4], "huge");
	cg = cgroup(argv[1], "fault");
	pid = child();
	if (!pid) {
		join(cg);
		pin(0);
		for (round = -WARM_UP; round < rounds; round++) {
			if (!round)
				mark();
			if (!p)
				p = map(size, huge);
			for (i = 0; i < size; i += page)
				((volatile char *)p)[i] = 1;
			if (dontneed) {
				if (madvise(p, size, MADV_DONTNEED))
					die("MADV_DONTNEED");
			} else {
				if (munmap(p, size))
					die("munmap");
				p = NULL;
			}
		}
		mark();
		return 0;
	}
	wait_for(pid);
	return 0;
}
