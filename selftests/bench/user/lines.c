// SPDX-License-Identifier: GPL-2.0
/*
 * Passes over the counters of a leaf three levels below a root, one of each
 * kind. Under valgrind's lackey every access is in the trace: "phase" is written
 * to before each pass, so that its address tells the passes apart. Prints
 * the addresses of it and of the counters, then the name of each pass; checks
 * the counts that they leave.
 */
#include "in-userspace.h"
#include <linux/page_counter.h>

#define LEVELS	4
/* pages that a counter has before and after each pass */
#define HAVE	1000

/* each at a multiple of 128, as the memory counter is in struct mem_cgroup */
static struct {
	struct page_counter counter;
} __attribute__((__aligned__(128))) counters[LEVELS];
static volatile long phase;

static void begin(const char *name)
{
	printf("phase %s\n", name);
	fflush(stdout);
	phase++;
}

static void end(long usage)
{
	int i;

	phase++;
	for (i = 0; i < LEVELS; i++)
		if ((long)page_counter_read(&counters[i].counter) != usage)
			abort();
}

static void set_peak(unsigned long pages)
{
	int i;

	for (i = 0; i < LEVELS; i++) {
		counters[i].counter.watermark = pages;
		counters[i].counter.local_watermark = pages;
	}
}

int main(void)
{
	struct page_counter *leaf = &counters[LEVELS - 1].counter, *fail;
	int i;

	printf("counters %lx %zx\n", (unsigned long)counters, sizeof(counters));
	printf("mark %lx\n", (unsigned long)&phase);
	printf("size %zu\n", sizeof(*leaf));
	for (i = 0; i < LEVELS; i++)
		page_counter_init(&counters[i].counter, i ? &counters[i - 1].counter : NULL, true);
	page_counter_charge(leaf, HAVE);
	set_peak(10 * HAVE);

	begin("charge");
	if (!page_counter_try_charge(leaf, 1, &fail))
		abort();
	end(HAVE + 1);
	begin("uncharge");
	page_counter_uncharge(leaf, 1);
	end(HAVE);

	set_peak(HAVE);
	begin("charge, new peak");
	if (!page_counter_try_charge(leaf, 1, &fail))
		abort();
	end(HAVE + 1);
	page_counter_uncharge(leaf, 1);

	set_peak(10 * HAVE);
	for (i = 1; i < LEVELS; i++)
		page_counter_set_min(&counters[i].counter, 100 * HAVE);
	begin("charge, usage below min");
	if (!page_counter_try_charge(leaf, 1, &fail))
		abort();
	end(HAVE + 1);
	begin("uncharge, usage below min");
	page_counter_uncharge(leaf, 1);
	end(HAVE);
	return 0;
}
