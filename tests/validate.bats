#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# make validate from end to end, with a fake tree and a fake QEMU

load helpers

setup_file() {
	guest_root_once
}

setup() {
	project
	series
	export TREE=$BATS_TEST_TMPDIR/tree
	kernel_tree "$TREE"
	fake_qemu
	export FAKE=pass FAKE_TAP=$BATS_TEST_TMPDIR/tap TESTS=test_one
	tap "$FAKE_TAP" test_one 0 a=ok b=ok
}

teardown() {
	# no QEMU may be left behind, whatever happened
	[ ! -f "$BATS_TEST_TMPDIR/bin/pids" ] || while read -r pid; do
		gone "$pid"
	done <"$BATS_TEST_TMPDIR/bin/pids"
}

# first_qemu: waits for the first fake QEMU and prints its pid
first_qemu() {
	local n
	for ((n = 0; n < 200; n++)); do
		[ ! -s "$BATS_TEST_TMPDIR/bin/pids" ] || break
		sleep 0.1
	done
	head -n 1 "$BATS_TEST_TMPDIR/bin/pids"
}

validate() {
	run make -s -C "$P" validate
}

@test "PASS is 0, the verdict is the last line, and all is kept" {
	validate
	[ "$status" = 0 ]
	[ "${lines[-1]:0:5}" = PASS: ]
	dir=$(echo "$P"/out/run/mainline*/x86_64)
	for f in base-1 patched-1; do
		[ -s "$dir/$f/junit.xml" ]
		[ -s "$dir/$f/console.log" ]
		[ -s "$dir/$f/qemu.cmd" ]
	done
	says "bin/qemu-fake"
	says "make rerun"
}

@test "FAIL is 1" {
	export FAKE_TAP_patched=$BATS_TEST_TMPDIR/worse
	tap "$FAKE_TAP_patched" test_one 1 a=ok b=fail
	validate
	[ "$status" = 2 ] # make's own code; the script's is below
	run "$P/scripts/validate"
	[ "$status" = 1 ]
	says "WORSE"
	[ "${lines[-1]:0:5}" = FAIL: ]
}

@test "CRASH is 2, LOST is 3, TIMEOUT is 4" {
	export FAKE_CONSOLE=$REPO/tests/canned/splats/underflow
	run "$P/scripts/validate"
	[ "$status" = 2 ]
	says "page_counter underflow"
	unset FAKE_CONSOLE
	FAKE=die run "$P/scripts/validate"
	[ "$status" = 3 ]
	says "no such machine"
	FAKE=hang UP_LIMIT=1 run "$P/scripts/validate"
	[ "$status" = 3 ]
	says "init not up after 1 s"
	FAKE=mute SILENT_LIMIT=1 run "$P/scripts/validate"
	[ "$status" = 4 ]
	says "no word for 1 s"
	FAKE=vanish run "$P/scripts/validate"
	[ "$status" = 2 ]
	says "last word"
}

@test "BASE_ONLY, PATCHED_ONLY and COUNT" {
	BASE_ONLY=1 COUNT=3 run "$P/scripts/validate"
	[ "$status" = 0 ]
	says "3/3"
	dir=$(echo "$P"/out/run/mainline*/x86_64)
	[ -d "$dir/base-3" ]
	[ ! -d "$dir/patched-1" ]
	PATCHED_ONLY=1 run "$P/scripts/validate"
	[ "$status" = 0 ]
	[ ! -d "$dir/base-1" ]
	BASE_ONLY=1 PATCHED_ONLY=1 run "$P/scripts/validate"
	[ "$status" = 5 ]
}

@test "rerun builds nothing, and says so when there is nothing to boot" {
	run make -s -C "$P" rerun
	says "is not built yet"
	validate
	[ "$status" = 0 ]
	run make -s -C "$P" rerun
	[ "$status" = 0 ]
	[[ $output != *"build base"* ]]
	validate
	[[ $output != *"build base"* ]] # nothing changed: nothing built either
}

@test "SMP and MEM reach QEMU, and bad values are refused" {
	SMP=8 MEM=512M run "$P/scripts/validate"
	[ "$status" = 0 ]
	grep -q -- '-smp 8 -m 512M' "$P"/out/run/mainline*/x86_64/base-1/qemu.cmd
	SMP=two run "$P/scripts/validate"
	[ "$status" = 5 ]
	MEM=2 run "$P/scripts/validate"
	[ "$status" = 5 ]
	COUNT=0 run "$P/scripts/validate"
	[ "$status" = 5 ]
}

@test "an unknown ARCH, BASE or test is named with what there is" {
	ARCH=vax run "$P/scripts/validate"
	[ "$status" = 5 ]
	says "ARCH=vax is unknown; known: x86_64"
	BASE=5.4 run "$P/scripts/validate"
	[ "$status" = 5 ]
	says "known: mainline"
	TESTS=test_three run "$P/scripts/validate"
	[ "$status" = 5 ]
	says "there are: test_one test_two"
}

@test "a test that the series adds runs on the base too" {
	patch=$P/patches/mainline/0003-new-test.patch
	tree=$BATS_TEST_TMPDIR/series-tree
	# shellcheck disable=SC2016 # make's own
	sed -i 's/cgroup:test_two/cgroup:test_two\\ncgroup:test_new/;s/^\t@mkdir.*/&; touch $(INSTALL_PATH)\/cgroup\/test_new/' "$tree/tools/testing/selftests/Makefile"
	git -C "$tree" commit -q -a -m 'new test'
	git -C "$tree" format-patch -q -N --zero-commit --no-signature --no-base --abbrev=12 --stdout HEAD~1 >"$patch"
	basename "$patch" >>"$P/patches/mainline/series"
	rm "$FAKE_TAP"
	tap "$FAKE_TAP" test_new 0 a=ok
	TESTS=test_new run "$P/scripts/validate"
	[ "$status" = 0 ]
	says "test_new is the series' own, on the base too"
	BASE_ONLY=1 TESTS=test_new run "$P/scripts/validate"
	[ "$status" = 5 ]
	says "no cgroup kselftest test_new"
}

@test "a config option that olddefconfig drops fails by name" {
	echo CONFIG_MEMCG_V1=y >"$TREE/drop"
	git -C "$TREE" add -f drop
	git -C "$TREE" commit -q -m drop
	run "$P/scripts/validate"
	[ "$status" = 1 ]
	says 'lost option: wanted "CONFIG_MEMCG_V1=y"'
}

@test "a patch that does not compile fails with the compiler's words" {
	sed -i 's/line thirty/syntax error/' "$P"/patches/mainline/0002*
	run "$P/scripts/validate"
	[ "$status" = 1 ]
	says "build patched for x86_64: failed"
}

@test "a QEMU= that is not there is named" {
	QEMU=qemu-none run "$P/scripts/validate"
	[ "$status" = 5 ]
	says "qemu-none is not installed"
}

@test "QEMU: the machine's own where it is new enough" {
	printf '#!/bin/sh\necho QEMU emulator version 8.1.0\n' >"$BATS_TEST_TMPDIR/bin/qemu-system-riscv64"
	chmod +x "$BATS_TEST_TMPDIR/bin/qemu-system-riscv64"
	[ "$("$P/scripts/qemu" riscv64)" = qemu-system-riscv64 ]
}

@test "QEMU: an older one is not used, and what cannot be had is named" {
	printf '#!/bin/sh\necho QEMU emulator version 8.0.9\n' >"$BATS_TEST_TMPDIR/bin/qemu-system-riscv64"
	printf '#!/bin/sh\nexit 1\n' >"$BATS_TEST_TMPDIR/bin/apt-get"
	chmod +x "$BATS_TEST_TMPDIR"/bin/*
	XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache run "$P/scripts/qemu" riscv64
	[ "$status" = 5 ]
	says "is 8.0.9 here and has to be 8.1 or newer"
	[ -z "$(ls "$BATS_TEST_TMPDIR/cache/memcg-charge/qemu/")" ]
}

@test "missing packages without root: the command to run" {
	printf '#!/bin/sh\nexit 1\n' >"$BATS_TEST_TMPDIR/bin/dpkg-query"
	printf '#!/bin/sh\necho 1000\n' >"$BATS_TEST_TMPDIR/bin/id"
	chmod +x "$BATS_TEST_TMPDIR"/bin/*
	run "$P/scripts/validate"
	[ "$status" = 5 ]
	says "sudo apt-get install"
	says "ccache"
}

@test "missing packages without a network" {
	printf '#!/bin/sh\nexit 1\n' >"$BATS_TEST_TMPDIR/bin/dpkg-query"
	printf '#!/bin/sh\necho 0\n' >"$BATS_TEST_TMPDIR/bin/id"
	printf '#!/bin/sh\necho "Could not resolve host"; exit 100\n' >"$BATS_TEST_TMPDIR/bin/apt-get"
	chmod +x "$BATS_TEST_TMPDIR"/bin/*
	run "$P/scripts/validate"
	[ "$status" = 5 ]
	says "is there a network"
}

@test "a full disk is noticed before the work, with the way out" {
	printf '#!/bin/sh\necho head\necho "dev 1000 990 10 99%% /"\n' >"$BATS_TEST_TMPDIR/bin/df"
	chmod +x "$BATS_TEST_TMPDIR/bin/df"
	run "$P/scripts/validate"
	[ "$status" = 5 ]
	says "has 10 MB free and 3000 MB are needed"
}

@test "a disk that fills up while the image is made" {
	printf '#!/bin/sh\necho "mke2fs: No space left on device" >&2; exit 1\n' >"$BATS_TEST_TMPDIR/bin/mke2fs"
	chmod +x "$BATS_TEST_TMPDIR/bin/mke2fs"
	run "$P/scripts/validate"
	[ "$status" = 5 ]
	says "No space left"
	[ -z "$(find "$P/out/run" -name root.ext4 -o -name 'stage.*')" ]
}

@test "two runs at once: the second is told who holds the lock" {
	FAKE=mute SILENT_LIMIT=20 "$P/scripts/validate" >/dev/null 2>&1 &
	first=$!
	first_qemu >/dev/null
	run "$P/scripts/validate"
	[ "$status" = 5 ]
	says "another run uses"
	says "pid $first, validate"
	kill -TERM "$first" "$(pgrep -P "$first")" 2>/dev/null
	wait "$first" || true
}

@test "Ctrl-C leaves no QEMU, and the next run is whole" {
	FAKE=mute setsid "$P/scripts/validate" >/dev/null 2>&1 &
	qemu=$(first_qemu)
	kill -0 "$qemu"
	kill -INT -- "-$!" # what a terminal sends: to the whole group
	kill -TERM -- "-$!"
	gone "$qemu"
	# the last to go has the lock until then
	flock -w 5 "$P/out/lock" true
	validate
	[ "$status" = 0 ]
}

@test "a boot script that is killed takes QEMU with it" {
	FAKE=mute "$P/scripts/validate" >/dev/null 2>&1 &
	qemu=$(first_qemu)
	kill -KILL "$(ps -o ppid= -p "$qemu" | tr -d ' ')" "$!"
	gone "$qemu"
}

@test "a base whose own tests cannot be read boots with the series' own" {
	# shellcheck disable=SC2016 # make's own variable
	sed -i '/kselftest-list.txt/a\\t@touch $(INSTALL_PATH)/cgroup/test_one' "$TREE/tools/testing/selftests/Makefile"
	git -C "$TREE" commit -q -a -m program
	validate
	[ "$status" = 0 ]
	[[ $output != *"the series' own"* ]]
	echo "tests series" >>"$P/patches/mainline/base"
	validate
	[ "$status" = 0 ]
	says "test_one is the series' own, on the base too"
	# which takes the patched kernel's build, also for the base alone
	rm -rf "$P/out/build"
	BASE_ONLY=1 validate
	[ "$status" = 0 ]
	says "test_one is the series' own, on the base too"
}
