// SPDX-License-Identifier: GPL-2.0
/*
 * A loop of charges and uncharges inside the kernel, for measurements. Not part
 * of the series: scripts/bench-branch puts it into mm/ of a throw-away branch.
 *
 * Each open of debugfs's memcg_bench is a session of its own, which is told by
 * one write() each:
 *   socket              a new socket, charged to the writer's cgroup
 *   statistics          count as sockets do: mem_cgroup_sk_charge(), not the charge
 *                       alone, which is what stock.c lets through
 *   interrupts          leave interrupts on
 *   op SOCKET PAGES     one more operation: charge PAGES, or uncharge -PAGES
 *   run LOOPS PARTIES   all operations LOOPS times, as soon as PARTIES sessions
 *                       have come that far
 * and tells by read() how many nanoseconds the last run took.
 *
 * Interrupts are off for up to CHUNK operations at a time, unless they are asked
 * for. The statistics turn them off and on themselves, and so does a reference to
 * a cgroup, several times where the architecture has no operations on a CPU's own
 * data (asm-generic/percpu.h), and on UML with SMP each of these is a system call,
 * unless they are off: 450 ns a charge, next to which nothing else is seen. No
 * charge of the loop sleeps, since no limit is in its way.
 *
 * What LOOPS take more than they give is uncharged in bulk afterwards, and what
 * they give more than they take is charged in bulk before, both outside the
 * time and the marks, and past the stock.
 */
#include <linux/debugfs.h>
#include <linux/memcontrol.h>
#include <linux/net.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <net/sock.h>
#include "memcg_bench.h"

#define MAX_SOCKETS	64
#define MAX_OPS		65536
/* pages; more than any stock holds, so that the counters are charged directly */
#define BULK		1024
#define CHUNK		4096

struct op {
	u16 socket;
	s16 pages;
};

struct session {
	struct socket *sockets[MAX_SOCKETS];
	int nr_sockets;
	bool statistics;
	bool interrupts;
	struct op *ops;
	int nr_ops;
	u64 ns;
};

static atomic_t waiting;
static atomic_t rounds;

noinline void memcg_bench_mark(void)
{
	barrier();
}

/* charge @pages, or uncharge -@pages */
static void one(struct session *s, int socket, int pages)
{
	struct sock *sk = s->sockets[socket]->sk;

	if (!s->statistics)
		memcg_bench_stock(mem_cgroup_from_sk(sk), pages);
	else if (pages > 0)
		mem_cgroup_sk_charge(sk, pages, GFP_KERNEL | __GFP_NOFAIL);
	else
		mem_cgroup_sk_uncharge(sk, -pages);
}

static void bulk(struct session *s, int socket, long pages)
{
	for (; pages > 0; pages -= BULK)
		one(s, socket, min(pages, BULK));
	for (; pages < 0; pages += BULK)
		one(s, socket, -min(-pages, BULK));
}

/* the last of @parties to come lets all of them go on */
static int meet(int parties)
{
	int round = atomic_read(&rounds);

	if (atomic_inc_return(&waiting) == parties) {
		atomic_set(&waiting, 0);
		atomic_inc(&rounds);
		return 0;
	}
	while (atomic_read(&rounds) == round) {
		if (signal_pending(current)) {
			atomic_dec(&waiting);
			return -EINTR;
		}
		cpu_relax();
		cond_resched();
	}
	return 0;
}

static void pass(struct session *s)
{
	int i;

	for (i = 0; i < s->nr_ops; i++)
		one(s, s->ops[i].socket, s->ops[i].pages);
}

static int run(struct session *s, unsigned int loops, int parties)
{
	unsigned int at_once = max(CHUNK / max(s->nr_ops, 1), 1);
	long net[MAX_SOCKETS] = {};
	unsigned int loop, end;
	unsigned long flags;
	int i, err;
	u64 start;

	for (i = 0; i < s->nr_ops; i++)
		net[s->ops[i].socket] += (long)s->ops[i].pages * loops;
	for (i = 0; i < s->nr_sockets; i++)
		bulk(s, i, -min(net[i], 0L));

	err = meet(parties);
	if (!err) {
		memcg_bench_mark();
		start = ktime_get_ns();
		for (loop = 0; loop < loops;) {
			end = loop + min(at_once, loops - loop);
			if (!s->interrupts)
				local_irq_save(flags);
			for (; loop < end; loop++)
				pass(s);
			if (!s->interrupts)
				local_irq_restore(flags);
		}
		s->ns = ktime_get_ns() - start;
		memcg_bench_mark();
	}

	for (i = 0; i < s->nr_sockets; i++)
		bulk(s, i, err ? min(net[i], 0L) : -max(net[i], 0L));
	return err;
}

static ssize_t bench_write(struct file *file, const char __user *user, size_t len,
			   loff_t *pos)
{
	struct session *s = ((struct seq_file *)file->private_data)->private;
	unsigned int loops;
	char text[64] = {};
	int a, b, err = -EINVAL;

	if (len >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, user, len))
		return -EFAULT;
	if (!strncmp(text, "socket", 6) && s->nr_sockets < MAX_SOCKETS) {
		struct socket **sock = &s->sockets[s->nr_sockets];

		err = sock_create_kern(&init_net, AF_INET, SOCK_STREAM, IPPROTO_TCP, sock);
		if (!err) {
			s->nr_sockets++;
			if (!(*sock)->sk->sk_memcg)
				mem_cgroup_sk_alloc((*sock)->sk);
			/* the root cgroup has none */
			if (!(*sock)->sk->sk_memcg)
				err = -ENODEV;
		}
	} else if (!strncmp(text, "statistics", 10)) {
		s->statistics = true;
		err = 0;
	} else if (!strncmp(text, "interrupts", 10)) {
		s->interrupts = true;
		err = 0;
	} else if (sscanf(text, "op %d %d", &a, &b) == 2 && a >= 0 && a < s->nr_sockets &&
		   b && abs(b) < BULK && s->nr_ops < MAX_OPS) {
		s->ops[s->nr_ops].socket = a;
		s->ops[s->nr_ops++].pages = b;
		err = 0;
	} else if (sscanf(text, "run %u %d", &loops, &b) == 2) {
		err = run(s, loops, b);
	}
	return err ?: len;
}

static int bench_show(struct seq_file *m, void *v)
{
	struct session *s = m->private;

	seq_printf(m, "%llu\n", s->ns);
	return 0;
}

static int bench_open(struct inode *inode, struct file *file)
{
	struct session *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int err;

	if (!s)
		return -ENOMEM;
	s->ops = kvcalloc(MAX_OPS, sizeof(*s->ops), GFP_KERNEL);
	err = s->ops ? single_open(file, bench_show, s) : -ENOMEM;
	if (err) {
		kvfree(s->ops);
		kfree(s);
	}
	return err;
}

static int bench_release(struct inode *inode, struct file *file)
{
	struct session *s = ((struct seq_file *)file->private_data)->private;

	while (s->nr_sockets)
		sock_release(s->sockets[--s->nr_sockets]);
	kvfree(s->ops);
	kfree(s);
	return single_release(inode, file);
}

static const struct file_operations bench_fops = {
	.open = bench_open,
	.read = seq_read,
	.write = bench_write,
	.release = bench_release,
};

static int __init bench_init(void)
{
	debugfs_create_file("memcg_bench", 0600, NULL, NULL, &bench_fops);
	return 0;
}
late_initcall(bench_init);
