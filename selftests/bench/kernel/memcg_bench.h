/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MM_MEMCG_BENCH_H
#define MM_MEMCG_BENCH_H

#include <linux/version.h>

struct mem_cgroup;

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
/* what they are called in 6.12.y */
#define mem_cgroup_from_sk(sk)		((sk)->sk_memcg)
#define mem_cgroup_sk_charge(sk, nr, gfp)	mem_cgroup_charge_skmem((sk)->sk_memcg, nr, gfp)
#define mem_cgroup_sk_uncharge(sk, nr)	mem_cgroup_uncharge_skmem((sk)->sk_memcg, nr)
#endif

/* a place for the counting plugin to see */
void memcg_bench_mark(void);

/* stock.c, at the end of mm/memcontrol.c */
void memcg_bench_stock(struct mem_cgroup *memcg, int pages);

#endif
