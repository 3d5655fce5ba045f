/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MM_MEMCG_BENCH_H
#define MM_MEMCG_BENCH_H

struct mem_cgroup;

/* a place for the counting plugin to see */
void memcg_bench_mark(void);

/* stock.c, at the end of mm/memcontrol.c */
void memcg_bench_stock(struct mem_cgroup *memcg, int pages);

#endif
