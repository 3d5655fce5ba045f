#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# scripts/kunit with a stand-in for build and UML, and the tree's own parser

load helpers

setup() {
	project
	series
	export TREE=$BATS_TEST_TMPDIR/tree
	kernel_tree "$TREE"
	mkdir -p "$TREE/mm/tests" "$TREE/arch/um"
	echo 'config SMP' >"$TREE/arch/um/Kconfig"
	echo CONFIG_KUNIT=y >"$TREE/mm/tests/.kunitconfig"
	mv "$TREE/tools/testing/kunit/kunit.py" "$TREE/tools/testing/kunit/real.py"
	cat >"$TREE/tools/testing/kunit/kunit.py" <<'PY'
import os, shutil, subprocess, sys
if sys.argv[1] == "parse":  # with its --junit
    sys.exit(subprocess.call([sys.executable, os.path.dirname(sys.argv[0]) + "/real.py"] + sys.argv[1:]))
option = dict(a.lstrip("-").split("=", 1) for a in sys.argv if "=" in a)
mode = option["build_dir"].rsplit("-", 1)[1]
with open(os.environ["FAKE"] + "/calls", "a") as f:
    print(*sys.argv[1:], file=f)
if sys.argv[1] == "build":
    sys.exit("error: too few arguments" if os.path.exists(os.environ["FAKE"] + "/no-build") else 0)
log = option["build_dir"] + "/test.log"
shutil.copy(os.environ["FAKE"] + "/console-" + mode, log)
if os.path.exists(os.environ["FAKE"] + "/hang"):
    print("Command '[...]' timed out after 1 seconds")
sys.exit(subprocess.call([sys.executable, os.path.dirname(sys.argv[0]) + "/real.py", "parse", log]))
PY
	git -C "$TREE" add -f -A
	git -C "$TREE" commit -q -m kunit
	export FAKE=$BATS_TEST_TMPDIR/fake
	mkdir "$FAKE"
	console up "ok 1 charges" "ok 2 uncharges"
	console smp "ok 1 charges" "ok 2 uncharges"
	sed -i '1i smp: Brought up 1 node, 2 CPUs' "$FAKE/console-smp"
}

# console MODE RESULT...: what UML prints for a suite with these results
console() {
	local mode=$1 r result=ok
	shift
	{
		printf 'Linux version 7.3\nKTAP version 1\n1..1\n    KTAP version 1\n    # Subtest: memcg_stock\n    1..%d\n' "$(printf '%s\n' "$@" | grep -cE '^(not )?ok')"
		for r; do
			echo "    $r"
			[[ $r != not* ]] || result="not ok"
		done
		printf '%s 1 memcg_stock\nreboot: System halted\n' "$result"
	} >"$FAKE/console-$mode"
}

kunit() {
	run "$P/scripts/kunit" mainline
}

@test "all pass in both modes: the numbers are the last line; again nothing is built" {
	kunit
	[ "$status" = 0 ]
	[ "${lines[-1]}" = "2 suites, 4 tests passed, 0 failed, 0 skipped" ]
	kunit
	[ "$status" = 0 ]
	[ "$(grep -c ^build "$FAKE/calls")" = 2 ]
	[ "$(grep -c ^exec "$FAKE/calls")" = 4 ]
	grep -q 'um-smp.config' "$FAKE/calls"
	grep -q 'ncpus=2\|--kernel_args ncpus=2' "$FAKE/calls"
}

@test "one failed test in one mode fails and says why" {
	console up "ok 1 charges" "# uncharges: EXPECTATION FAILED at mm/tests/x.c:5" "not ok 2 uncharges"
	kunit
	[ "$status" = 1 ]
	says "EXPECTATION FAILED"
	[ "${lines[-1]}" = "2 suites, 3 tests passed, 1 failed, 0 skipped" ]
}

@test "a skipped test fails unless it is known, with a reason" {
	console up "ok 1 charges" "ok 2 uncharges # SKIP one CPU"
	kunit
	[ "$status" = 1 ]
	echo "patched memcg_stock uncharges skip | wants two CPUs | never" >>"$P/selftests/expected/um-up"
	kunit
	[ "$status" = 0 ]
	[ "${lines[-1]}" = "2 suites, 3 tests passed, 0 failed, 1 skipped" ]
}

@test "zero tests fail" {
	printf 'Linux version 7.3\nreboot: System halted\n' >"$FAKE/console-up"
	kunit
	[ "$status" = 1 ]
	printf 'KTAP version 1\n1..0\n' >"$FAKE/console-up"
	kunit
	[ "$status" = 1 ]
}

@test "smp on one CPU is no smp" {
	sed -i 's/2 CPUs/1 CPU/' "$FAKE/console-smp"
	kunit
	[ "$status" = 1 ]
	says "did not run on two CPUs"
}

@test "a splat beside passing tests is CRASH, a run without an end TIMEOUT" {
	cat "$REPO/tests/canned/splats/underflow" >>"$FAKE/console-smp"
	kunit
	[ "$status" = 2 ]
	says "page_counter underflow"
	touch "$FAKE/hang"
	kunit
	[ "$status" = 4 ]
}

@test "a kernel that does not build fails, and is tried again" {
	touch "$FAKE/no-build"
	kunit
	[ "$status" = 1 ]
	says "too few arguments"
	rm "$FAKE/no-build"
	kunit
	[ "$status" = 0 ]
}

@test "a series without suites is bad input" {
	KUNITCONFIG=mm/none run "$P/scripts/kunit" mainline
	[ "$status" = 5 ]
	says "the series has no mm/none"
}

@test "a tree whose UML has no SMP: one mode, and a word on it" {
	echo 'config UML' >"$TREE/arch/um/Kconfig"
	git -C "$TREE" commit -q -a -m up
	kunit
	[ "$status" = 0 ]
	says "has no SMP"
	[ "${lines[-1]}" = "1 suites, 2 tests passed, 0 failed, 0 skipped" ]
}

@test "a tree whose kunit.py writes no JUnit: its parser reads the console" {
	sed -i '/with its --junit/,+1d' "$TREE/tools/testing/kunit/kunit.py"
	git -C "$TREE" commit -q -a -m old
	console up "ok 1 charges" "not ok 2 uncharges"
	kunit
	[ "$status" = 1 ]
	[ "${lines[-1]}" = "2 suites, 3 tests passed, 1 failed, 0 skipped" ]
}
