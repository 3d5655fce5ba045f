// SPDX-License-Identifier: GPL-2.0
/*
 * QEMU TCG plugin: what the guest's kernel executes between two marks.
 *
 * Arguments, all addresses in hex:
 *   out=FILE             where the counts go
 *   from=FILE            more arguments, one on a line
 *   mark=ADDR            an address whose execution ends one phase and begins
 *                        the next (several)
 *   entry=NAME:ADDR      count how often ADDR is executed; several addresses may
 *                        have the same name
 *   code=NAME:LO-HI      code from LO up to HI belongs to the group NAME; several
 *                        ranges may have the same name
 *   turn=NAME:TO:LO-HI   once code from LO up to HI is executed, what NAME's code
 *                        accesses counts as the group TO's, until another turn
 *                        of NAME: tells the callers of a function apart
 *
 * Of each group are counted: instructions, memory accesses, atomic
 * read-modify-writes, and the distinct 64-byte lines of memory accessed
 * during the phase, by the guest's virtual address.
 *
 * Each mark, and the end of QEMU, writes one line of NAME=COUNT for the phase
 * that it ends. All guest CPUs are counted together. QEMU has to run them in
 * one thread (-accel tcg,thread=single): nothing is locked here.
 *
 * Debian 12's QEMU 7.2 has the plugin interface compiled in and packages no
 * header for it, so that the few functions used are declared here, after
 * QEMU's documentation of its plugin interface. With a header that is packaged
 * (qemu-plugin.h) that one is used.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PACKAGED_HEADER
#include <qemu-plugin.h>
#else
/* version 3 (QEMU 9.0) copies an instruction's bytes out */
#ifndef QEMU_PLUGIN_VERSION
#define QEMU_PLUGIN_VERSION 1
#endif
#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

/* only its first member is used */
typedef struct {
	const char *target_name;
} qemu_info_t;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
		void (*cb)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
		void (*cb)(qemu_plugin_id_t id, void *data), void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
		void (*cb)(unsigned int cpu, void *data),
		enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
		void (*cb)(unsigned int cpu, qemu_plugin_meminfo_t info,
			   uint64_t vaddr, void *data),
		enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
		void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
						 size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
#if QEMU_PLUGIN_VERSION >= 3
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to,
			     size_t len);
#else
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
#endif
#endif /* PACKAGED_HEADER */

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
					   const qemu_info_t *info,
					   int argc, char **argv);

#define MAX_NAMES	64
#define MAX_RANGES	4096
#define LINE_SHIFT	6

struct counter {
	char *name;
	uint64_t count;
};

struct entry {
	uint64_t addr;
	struct counter *counter;
};

struct group {
	char *name;
	uint64_t insns, accesses, atomics;
	/* lines seen in this phase: a hash table of line number + 1, 0 is free */
	uint64_t *lines;
	size_t nr_lines, size;
	/* whose its accesses are: its own, unless there was a turn */
	struct group *owner;
};

struct range {
	uint64_t from, to;
	struct group *group;
	/* of a turn: the group's next owner */
	struct group *owner;
};

static struct entry entries[MAX_NAMES];
static struct counter counters[MAX_NAMES];
static uint64_t marks[MAX_NAMES];
static struct group groups[MAX_NAMES];
static struct range ranges[MAX_RANGES];
static int nr_entries, nr_counters, nr_marks, nr_groups, nr_ranges;
static int phase;
static FILE *out;
static enum { X86, ARM64, ARM, RISCV } target;

static void die(const char *what, const char *arg)
{
	fprintf(stderr, "tcg-counts: %s: %s\n", what, arg);
	exit(1);
}

/* line_slot() - where @line is in the table, or where it belongs */
static uint64_t *line_slot(struct group *g, uint64_t line)
{
	size_t i = (line * 0x9e3779b97f4a7c15ull >> 20) & (g->size - 1);

	while (g->lines[i] && g->lines[i] != line + 1)
		i = (i + 1) & (g->size - 1);
	return &g->lines[i];
}

static void line_seen(struct group *g, uint64_t line)
{
	uint64_t *slot = line_slot(g, line);

	if (*slot)
		return;
	*slot = line + 1;
	if (++g->nr_lines * 2 > g->size) {
		uint64_t *old = g->lines;
		size_t i, was = g->size;

		g->size *= 2;
		g->lines = calloc(g->size, sizeof(*g->lines));
		if (!g->lines)
			die("out of memory", g->name);
		for (i = 0; i < was; i++)
			if (old[i])
				*line_slot(g, old[i] - 1) = old[i];
		free(old);
	}
}

static void report(void)
{
	int i;

	fprintf(out, "phase=%d", phase++);
	for (i = 0; i < nr_counters; i++) {
		fprintf(out, " %s=%llu", counters[i].name,
			(unsigned long long)counters[i].count);
		counters[i].count = 0;
	}
	for (i = 0; i < nr_groups; i++) {
		struct group *g = &groups[i];

		fprintf(out, " %s.insns=%llu %s.accesses=%llu %s.atomics=%llu %s.lines=%zu",
			g->name, (unsigned long long)g->insns,
			g->name, (unsigned long long)g->accesses,
			g->name, (unsigned long long)g->atomics,
			g->name, g->nr_lines);
		g->insns = 0;
		g->accesses = 0;
		g->atomics = 0;
		g->nr_lines = 0;
		memset(g->lines, 0, g->size * sizeof(*g->lines));
	}
	fputc('\n', out);
}

static void on_mark(unsigned int cpu, void *data)
{
	report();
}

static void on_count(unsigned int cpu, void *data)
{
	++*(uint64_t *)data;
}

static void on_access(unsigned int cpu, qemu_plugin_meminfo_t info,
		      uint64_t vaddr, void *data)
{
	struct group *g = ((struct group *)data)->owner;

	g->accesses++;
	line_seen(g, vaddr >> LINE_SHIFT);
}

static void on_turn(unsigned int cpu, void *data)
{
	struct range *r = data;

	r->group->owner = r->owner;
}

/*
 * is_atomic() - is it a read-modify-write that other CPUs see as one?
 *
 * x86: a lock prefix, or xchg with memory, which needs none. arm64 and arm: the
 * store-exclusive of a load/store-exclusive pair (one for each attempt), and
 * arm64's single instructions (LSE). riscv: AMO and store-conditional.
 */
static bool is_atomic(struct qemu_plugin_insn *insn)
{
	/* segment, operand size, repeat; and REX, below */
	static const uint8_t prefixes[] = {
		0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65, 0x66, 0xf2, 0xf3,
	};
	uint8_t b[16] = {};
	size_t n = qemu_plugin_insn_size(insn), i = 0;
	uint32_t w;

	if (n > sizeof(b))
		n = sizeof(b);
#if QEMU_PLUGIN_VERSION >= 3
	qemu_plugin_insn_data(insn, b, n);
#else
	memcpy(b, qemu_plugin_insn_data(insn), n);
#endif
	w = b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
	switch (target) {
	case X86:
		for (; i < n; i++) {
			if (b[i] == 0xf0)
				return true;
			if (!memchr(prefixes, b[i], sizeof(prefixes)) &&
			    (b[i] & 0xf0) != 0x40)
				break;
		}
		return i + 1 < n && (b[i] & 0xfe) == 0x86 && b[i + 1] < 0xc0;
	case ARM64:
		return (w & 0x3fe00000) == 0x08000000 ||	/* stxr, stlxr */
		       (w & 0x3fa07c00) == 0x08a07c00 ||	/* cas */
		       ((w & 0x3b200c00) == 0x38200000 &&	/* ldadd ... swp */
			(w & 0xf000) != 0xc000);		/* but ldapr */
	case ARM:
		/* strex, strexd and those with release, in ARM's encoding */
		return (w & 0x0f9000f0) == 0x01800090;
	case RISCV:
		/* lr is the one load among them */
		return n == 4 && (w & 0x7f) == 0x2f && w >> 27 != 2;
	}
	return false;
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t k, n = qemu_plugin_tb_n_insns(tb);
	int i;

	for (k = 0; k < n; k++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, k);
		uint64_t addr = qemu_plugin_insn_vaddr(insn);

		/* the mark first: what it ends does not hold this instruction */
		for (i = 0; i < nr_marks; i++)
			if (marks[i] == addr)
				qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark,
						QEMU_PLUGIN_CB_NO_REGS, NULL);
		for (i = 0; i < nr_entries; i++)
			if (entries[i].addr == addr)
				qemu_plugin_register_vcpu_insn_exec_cb(insn, on_count,
						QEMU_PLUGIN_CB_NO_REGS, &entries[i].counter->count);
		for (i = 0; i < nr_ranges; i++) {
			struct group *g = ranges[i].group;

			if (addr < ranges[i].from || addr >= ranges[i].to)
				continue;
			if (ranges[i].owner) {
				qemu_plugin_register_vcpu_insn_exec_cb(insn, on_turn,
						QEMU_PLUGIN_CB_NO_REGS, &ranges[i]);
				continue;
			}
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_count,
					QEMU_PLUGIN_CB_NO_REGS, &g->insns);
			qemu_plugin_register_vcpu_mem_cb(insn, on_access,
					QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, g);
			if (is_atomic(insn))
				qemu_plugin_register_vcpu_insn_exec_cb(insn, on_count,
						QEMU_PLUGIN_CB_NO_REGS, &g->atomics);
		}
	}
}

static void at_end(qemu_plugin_id_t id, void *data)
{
	report();
	if (fclose(out))
		die("cannot write the counts", "disk full?");
}

static struct group *group_of(const char *name)
{
	struct group *g;

	for (g = groups; g < groups + nr_groups; g++)
		if (!strcmp(g->name, name))
			return g;
	if (nr_groups == MAX_NAMES)
		die("too many groups", name);
	nr_groups++;
	g->name = strdup(name);
	g->size = 1024;
	g->lines = calloc(g->size, sizeof(*g->lines));
	if (!g->name || !g->lines)
		die("out of memory", name);
	g->owner = g;
	return g;
}

/* counter_of() - at most as many as entries, which the caller limits */
static struct counter *counter_of(const char *name)
{
	struct counter *c;

	for (c = counters; c < counters + nr_counters; c++)
		if (!strcmp(c->name, name))
			return c;
	nr_counters++;
	c->name = strdup(name);
	if (!c->name)
		die("out of memory", name);
	return c;
}

/* split() - "NAME:REST": ends the name and returns the rest */
static char *split(char *arg)
{
	char *rest = strchr(arg, ':');

	if (!rest)
		die("no colon in", arg);
	*rest = '\0';
	return rest + 1;
}

static void parse_file(const char *name);

static void parse(char *word)
{
	char *arg = strchr(word, '='), *rest;

	if (!arg++)
		die("unknown argument", word);
	if (!strncmp(word, "from=", 5)) {
		parse_file(arg);
	} else if (!strncmp(word, "out=", 4)) {
		out = fopen(arg, "w");
		if (!out)
			die("cannot write", arg);
	} else if (!strncmp(word, "mark=", 5) && nr_marks < MAX_NAMES) {
		marks[nr_marks++] = strtoull(arg, NULL, 16);
	} else if (!strncmp(word, "entry=", 6) && nr_entries < MAX_NAMES) {
		rest = split(arg);
		entries[nr_entries].counter = counter_of(arg);
		entries[nr_entries++].addr = strtoull(rest, NULL, 16);
	} else if ((!strncmp(word, "code=", 5) || !strncmp(word, "turn=", 5)) &&
		   nr_ranges < MAX_RANGES) {
		struct range *r = &ranges[nr_ranges++];

		rest = split(arg);
		r->group = group_of(arg);
		if (*word == 't') {
			arg = rest;
			rest = split(arg);
			r->owner = group_of(arg);
		}
		r->from = strtoull(rest, &rest, 16);
		if (*rest != '-')
			die("no range", rest);
		r->to = strtoull(rest + 1, NULL, 16);
	} else {
		die("unknown argument, or too many like it", word);
	}
}

static void parse_file(const char *name)
{
	char line[256];
	FILE *f = fopen(name, "r");

	if (!f)
		die("cannot read", name);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		parse(line);
	}
	fclose(f);
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
			char **argv)
{
	static const char *const names[] = {
		[X86] = "x86_64", [ARM64] = "aarch64", [ARM] = "arm", [RISCV] = "riscv64",
	};
	int i;

	while (target < sizeof(names) / sizeof(*names) &&
	       strcmp(names[target], info->target_name))
		target++;
	if (target == sizeof(names) / sizeof(*names))
		die("unknown target", info->target_name);

	for (i = 0; i < argc; i++)
		parse(argv[i]);
	if (!out || !nr_marks)
		die("missing argument", out ? "mark=" : "out=");
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_atexit_cb(id, at_end, NULL);
	return 0;
}
