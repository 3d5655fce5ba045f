/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What mm/page_counter.c and its header want of the kernel, in userspace. Every
 * header that they include is made to be this one by scripts/bench-lines.
 */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t u64;

#define CONFIG_SMP		1
#define CONFIG_MEMCG		1
#define CONFIG_CGROUP_DMEM	1
/* 1 when the option is defined as 1 */
#define IS_ENABLED(option)	(option)
#define BITS_PER_LONG		__LONG_WIDTH__
#define PAGE_SIZE		4096ul
#define SMP_CACHE_BYTES		LINE_SIZE

#define __aligned_line		__attribute__((__aligned__(LINE_SIZE)))
#define ____cacheline_aligned_in_smp		__aligned_line
#define ____cacheline_internodealigned_in_smp	__aligned_line
struct cacheline_padding {
	char x[0];
} __aligned_line;
#define CACHELINE_PADDING(name)			struct cacheline_padding name
#define __cacheline_group_begin(group)		__u8_t __cacheline_group_begin__##group[0]
#define __cacheline_group_end(group)		__u8_t __cacheline_group_end__##group[0]
typedef unsigned char __u8_t;
/* the kernel's build checks these */
#define CACHELINE_ASSERT_GROUP_MEMBER(type, group, member)
#define CACHELINE_ASSERT_GROUP_SIZE(type, group, size)
#define BUILD_BUG_ON(condition)			((void)(condition))
#define ALIGN(x, a)				(((x) + (a) - 1) & ~((size_t)(a) - 1))

#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))
#define data_race(x)		(x)
#define xchg(p, v)		__atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)
#define min(a, b)		((a) < (b) ? (a) : (b))
#define cond_resched()		((void)0)
#define WARN_ONCE(condition, ...) \
	((condition) ? (fprintf(stderr, __VA_ARGS__), abort(), 1) : 0)

typedef struct {
	long counter;
} atomic_long_t;
#define ATOMIC_LONG_INIT(v)		{ (v) }
#define atomic_long_read(a)		READ_ONCE((a)->counter)
#define atomic_long_set(a, v)		WRITE_ONCE((a)->counter, v)
#define atomic_long_xchg(a, v)		xchg(&(a)->counter, (long)(v))
#define atomic_long_add(v, a)		((void)__atomic_fetch_add(&(a)->counter, v, __ATOMIC_SEQ_CST))
#define atomic_long_sub(v, a)		((void)__atomic_fetch_sub(&(a)->counter, v, __ATOMIC_SEQ_CST))
#define atomic_long_add_return(v, a)	__atomic_add_fetch(&(a)->counter, (long)(v), __ATOMIC_SEQ_CST)
#define atomic_long_sub_return(v, a)	__atomic_sub_fetch(&(a)->counter, (long)(v), __ATOMIC_SEQ_CST)

static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 c)
{
	return (unsigned __int128)a * b / c;
}

/* not called here */
static inline u64 memparse(const char *text, char **end)
{
	return strtoull(text, end, 0);
}

#endif
