// SPDX-License-Identifier: GPL-2.0
/*
 * For memcg_bench.c: charge @pages, or uncharge -@pages, without what the owner
 * of the pages counts besides. Appended to mm/memcontrol.c of a throw-away
 * branch, for what is static there. MEMSW is one more argument, or nothing.
 */
#include "memcg_bench.h"

void memcg_bench_stock(struct mem_cgroup *memcg, int pages)
{
	if (pages > 0)
		try_charge_memcg(memcg, GFP_KERNEL | __GFP_NOFAIL, pages);
	else
		refill_stock(memcg, -pages MEMSW);
}
