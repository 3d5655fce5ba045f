#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# check-objects with the real gcc and sparse, on a tree that compiles in no time

load helpers

setup_file() {
	"$REPO/scripts/get-sparse" >/dev/null
}

setup() {
	project
	ln -s "$REAL_CACHE/sparse" "$XDG_CACHE_HOME/memcg-charge/sparse"
	export TREE=$BATS_TEST_TMPDIR/tree
	kernel_tree "$TREE"
	# objects as Kbuild makes them: O=, W=, C=2, CHECK= and a list of objects
	mkdir -p "$TREE/mm/tests" "$TREE/fs" "$TREE/include/linux" "$TREE/kernel/configs" "$TREE/arch/x86/configs"
	echo '# CONFIG_TINY_BASE is not set' >"$TREE/kernel/configs/tiny-base.config"
	echo CONFIG_TINY=y >"$TREE/kernel/configs/tiny.config"
	echo CONFIG_TINY_X86=y >"$TREE/arch/x86/configs/tiny.config"
	cat >>"$TREE/Makefile" <<'MAKE'
allnoconfig:
	@cp "$$KCONFIG_ALLCONFIG" $(O)/.config
prepare:
	@true
%.o:
	@[ ! -f refuse ] || echo "Makefile:1: C=2 specified, but $(CHECK) is not available or not up to date" >&2
	@mkdir -p $(O)/$(dir $@); echo "  CC      $@"
	$(CC) -Wall -Iinclude -c $(CURDIR)/$*.c -o $(O)/$@
	@[ -f blind ] || { echo "  CHECK   $*.c"; $(CHECK) -Iinclude $(CURDIR)/$*.c; }
MAKE
	printf 'config MEMCG_V1\n\tbool\n' >"$TREE/mm/Kconfig"
	# shellcheck disable=SC2016 # make's
	printf 'print-objects: real-obj-y := $(addprefix $(obj)/,$(shell sed -n "s/^obj-y += //p" $(srctree)/$(obj)/Makefile))\n' \
		>"$TREE/scripts/Makefile.build"
	printf 'obj-y += memcontrol.o user.o\n' >"$TREE/mm/Makefile"
	printf 'int limit(void);\n' >"$TREE/include/linux/limit.h"
	printf '#include <linux/limit.h>\nint user(void);\nint user(void) { return limit(); }\n' >"$TREE/mm/user.c"
	cat >"$TREE/mm/memcontrol.c" <<'C'
#ifdef __CHECKER__
#define __iomem __attribute__((noderef, address_space(2)))
#else
#define __iomem
#endif
int charge(int *p);
int charge(int *p)
{
	int old_sin;
	int __iomem *old_io = p;
	return !old_io;
}
C
	series_tree "$TREE"
}

# patch SUBJECT: what was edited in S becomes the next patch
patch() {
	git -C "$S" add -f -A
	git -C "$S" commit -q -m "$1"
}

# check: the series is what the test committed in S
check() {
	rm -f "$P"/patches/mainline/*.patch
	git -C "$S" format-patch -q -N --zero-commit --no-signature --no-base --abbrev=12 \
		-o "$P/patches/mainline" "$(git -C "$TREE" rev-parse HEAD)"
	(cd "$P/patches/mainline" && printf '%s\n' *.patch) >"$P/patches/mainline/series"
	run "$P/scripts/check-objects" mainline
	echo "$output"
}

@test "no new warning: clean, one line for each patch; again nothing is compiled" {
	sed -i '1i #define MORE 1' "$S/mm/memcontrol.c"
	patch "mm: lines move"
	check
	[ "$status" = 0 ]
	# in each of the three configurations
	says "1/1 mm: lines move: 3 objects"
	says "0 new warnings"
	[ "$(grep -cxE '# CONFIG_TINY_BASE is not set|CONFIG_TINY(_X86)?=y' "$P"/out/O/*/objects-nov1/.config)" = 3 ]
	printf '#!/bin/sh\nexit 1\n' >"$BATS_TEST_TMPDIR/bin/make"
	chmod +x "$BATS_TEST_TMPDIR/bin/make"
	check
	[ "$status" = 0 ]
	says "3 objects"
}

@test "a warning of gcc that the patch brings fails, one that was there does not" {
	sed -i 's/int old_sin;/int old_sin;\n\tint new_sin;/' "$S/mm/memcontrol.c"
	patch "mm: sins"
	check
	[ "$status" = 1 ]
	says "new_sin"
	[[ $output != *old_sin* ]]
	says "mm: sins: 3 objects"
}

@test "the second of two equal faults is new" {
	sed -i 's/return !old_io/int __iomem *new_io = p;\n\treturn !old_io || !new_io/' "$S/mm/memcontrol.c"
	patch "mm: another address space"
	check
	[ "$status" = 1 ]
	says "different address spaces"
	says "3 new warnings"
}

@test "a patch that the next one mends does not compile alone" {
	sed -i 's/return !old_io/return !later/' "$S/mm/memcontrol.c"
	patch "mm: too early"
	sed -i 's/return !later/int later = 1;\n\treturn !later || !old_io/' "$S/mm/memcontrol.c"
	patch "mm: mended"
	check
	[ "$status" = 1 ]
	says "does not compile"
	says "1/2 mm: too early: not clean"
}

@test "a header is compiled through its users" {
	printf 'int limit(int cpu);\n' >"$S/include/linux/limit.h"
	patch "limit: per CPU"
	check
	[ "$status" = 1 ]
	says "too few arguments"
	says "user.c"
}

@test "a sparse that the kernel refuses is a failure" {
	touch "$S/refuse"
	sed -i '1i #define MORE 1' "$S/mm/memcontrol.c"
	patch "mm: one"
	check
	[ "$status" = 1 ]
	says "the kernel refuses"
}

@test "a sparse that saw nothing is a failure" {
	touch "$S/blind"
	sed -i '1i #define MORE 1' "$S/mm/memcontrol.c"
	patch "mm: one"
	check
	[ "$status" = 1 ]
	says "sparse did not see mm/memcontrol.c"
}

@test "SPARSE= that is no sparse is bad input" {
	sed -i '1i #define MORE 1' "$S/mm/memcontrol.c"
	patch "mm: one"
	SPARSE=/bin/true check
	[ "$status" = 5 ]
	says "finds no fault"
}

@test "code that no configuration compiles is a failure, by name" {
	printf 'int x;\n' >"$S/mm/other.c"
	patch "mm: forgotten in the Makefile"
	check
	[ "$status" = 1 ]
	says "nothing here compiles mm/other.c"
}

@test "a series without code checked nothing" {
	echo text >"$S/README"
	patch "text"
	check
	[ "$status" = 1 ]
	says "checked nothing"
}

@test "an option that the tree has and the configuration loses is a failure, one that it lacks is none" {
	# what configurations are made of has changed
	printf '\tdefault n\n' >>"$S/mm/Kconfig"
	echo CONFIG_MEMCG_V1=y >"$S/drop"
	sed -i '1i #define MORE 1' "$S/mm/memcontrol.c"
	patch "mm: one"
	check
	[ "$status" = 1 ]
	says 'lost option: wanted "CONFIG_MEMCG_V1=y"'
	echo CONFIG_MEMCG_KUNIT_TEST=y >"$S/drop"
	git -C "$S" commit -q -a --amend --no-edit
	check
	[ "$status" = 0 ]
}

@test "a kselftest's new warning fails" {
	# shellcheck disable=SC2016 # make's
	printf 'all:\n\t@echo\n\tgcc -Wall -c cgroup/test_a.c -o $(O)/a.o\n' >"$S/tools/testing/selftests/Makefile"
	printf 'int main(void) { return 0; }\n' >"$S/tools/testing/selftests/cgroup/test_a.c"
	patch "selftests: one"
	printf 'int main(void) { int sin; return 0; }\n' >"$S/tools/testing/selftests/cgroup/test_a.c"
	patch "selftests: two"
	check
	[ "$status" = 1 ]
	says "1/2 selftests: one: 1 objects, "
	says "2/2 selftests: two: new warnings in configuration selftests"
	says "unused variable"
	# before the first, after it, after the second
	[ "$(find "$XDG_CACHE_HOME/memcg-charge/objects" -type f | wc -l)" = 3 ]
}
