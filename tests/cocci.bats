#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# check-cocci on a small tree with a stand-in for spatch

load helpers

setup() {
	project
	export TREE=$BATS_TEST_TMPDIR/tree
	kernel_tree "$TREE"
	mkdir -p "$TREE/include" "$TREE/arch/x86/include" "$TREE/scripts/coccinelle/free"
	touch "$TREE/include/a.h" "$TREE/arch/x86/include/b.h"
	for n in {1..60}; do
		printf 'virtual report\n// Options: --no-includes\n' >"$TREE/scripts/coccinelle/free/rule$n.cocci"
	done
	printf 'virtual patch\n' >"$TREE/scripts/coccinelle/free/no_report.cocci"
	printf 'int a;\nif (old) kfree(old);\n' >"$TREE/mm/memcontrol.c"
	series_tree "$TREE"
	cat >"$BATS_TEST_TMPDIR/bin/spatch" <<'SPATCH'
#!/bin/bash
[ "$1" != --version ] || { echo "spatch version 0"; exit; }
echo "$*" >>"$(dirname "$0")/spatch.calls"
file=${!#}
case $SPATCH_FAKE in
broken) echo "Fatal error: out of stack" >&2; exit 2 ;;
exn) echo "EXN: Failure" >&2 ;;
esac
[[ $* != *rule7.cocci* || -z $SPATCH_ONE ]] || { echo "no OCaml" >&2; exit 255; }
[[ $* != *rule1.cocci* ]] || grep -n 'kfree(' "$file" | sed "s|^\([0-9]*\):.*|$PWD/$file:\1:4-9: WARNING: as on line \1|"
SPATCH
	chmod +x "$BATS_TEST_TMPDIR/bin/spatch"
}

# check TEXT: the series is one patch that puts TEXT before the first line
check() {
	sed -i "1i $1" "$S/mm/memcontrol.c"
	git -C "$S" commit -q -a -m 'mm: one'
	git -C "$S" format-patch -q -N --zero-commit --no-signature --no-base --abbrev=12 \
		-o "$P/patches/mainline" HEAD~1
	echo 0001-mm-one.patch >"$P/patches/mainline/series"
	run "$P/scripts/check-cocci" mainline
}

calls() {
	grep -c coccinelle "$BATS_TEST_TMPDIR/bin/spatch.calls"
}

@test "what the base has too is no finding; again spatch is not called" {
	check "int b;"
	[ "$status" = 0 ]
	says "mm/memcontrol.c: 60 semantic patches, 1 findings, of them 0 new"
	[ "$(calls)" = 120 ]
	grep -q -- '--no-includes' "$BATS_TEST_TMPDIR/bin/spatch.calls"
	run "$P/scripts/check-cocci" mainline
	[ "$status" = 0 ]
	[ "$(calls)" = 120 ]
}

@test "the base is looked at where there is something to excuse" {
	sed -i '/kfree/d' "$S/mm/memcontrol.c"
	check "int b;"
	[ "$status" = 0 ]
	says "60 semantic patches, 0 findings"
	[ "$(calls)" = 60 ]
}

@test "a finding that the base does not have fails, with its line" {
	check "if (new) kfree(new);"
	[ "$status" = 1 ]
	says "mm/memcontrol.c:1:4-9: WARNING"
	says "2 findings, of them 1 new"
}

@test "a semantic patch that cannot run is named, with the reason" {
	SPATCH_ONE=1 check "int b;"
	[ "$status" = 0 ]
	says "did not run: scripts/coccinelle/free/rule7.cocci: no OCaml"
	says "59 semantic patches"
}

@test "a spatch that fails for every file, or ends well after an exception, checked nothing" {
	SPATCH_FAKE=broken check "int b;"
	[ "$status" = 1 ]
	says "0 semantic patches ran, and at least 50 have to"
	says "out of stack"
	rm -rf "$XDG_CACHE_HOME/memcg-charge/cocci"
	SPATCH_FAKE=exn run "$P/scripts/check-cocci" mainline
	[ "$status" = 1 ]
}

@test "a series without kernel code checked nothing" {
	echo x >"$S/README"
	git -C "$S" add -f README
	git -C "$S" commit -q -m text
	git -C "$S" format-patch -q -N --zero-commit --no-signature -o "$P/patches/mainline" HEAD~1
	echo 0001-text.patch >"$P/patches/mainline/series"
	run "$P/scripts/check-cocci" mainline
	[ "$status" = 1 ]
	says "checked nothing"
}
