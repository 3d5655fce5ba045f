#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# scripts/verdict on canned boots: the right verdict and exit code for each

load helpers

setup() {
	run_dir=$BATS_TEST_TMPDIR/patched-1
	cp -r "$REPO/tests/canned/clean" "$run_dir"
}

@test "a clean boot of the real kernel is RAN" {
	run "$REPO/scripts/verdict" "$run_dir"
	[ "$status" = 0 ]
	says "RAN patched-1"
}

@test "QEMU that never started a guest is LOST, with what it said" {
	echo "exit 1" >"$run_dir/end"
	: >"$run_dir/console.log"
	: >"$run_dir/results.tap"
	echo "qemu: could not open disk" >"$run_dir/qemu.log"
	run "$REPO/scripts/verdict" "$run_dir"
	[ "$status" = 3 ]
	says "LOST"
	says "could not open disk"
}

@test "init that never came up is LOST" {
	echo "killed init not up after 120 s" >"$run_dir/end"
	: >"$run_dir/results.tap"
	run "$REPO/scripts/verdict" "$run_dir"
	[ "$status" = 3 ]
	says "LOST"
	says "not up after 120 s"
}

@test "a kernel that breaks before init is CRASH: that is no fault of the machine" {
	: >"$run_dir/results.tap"
	cat "$REPO/tests/canned/splats/oops" >>"$run_dir/console.log"
	run "$REPO/scripts/verdict" "$run_dir"
	[ "$status" = 2 ]
	says "CRASH"
}

@test "a guest stopped by a limit is TIMEOUT and names the test in hand" {
	echo "killed no word for 360 s" >"$run_dir/end"
	sed -i '/ok 3 test_kmem_proc_kpagecgroup/,$d' "$run_dir/results.tap"
	run "$REPO/scripts/verdict" "$run_dir"
	[ "$status" = 4 ]
	says "TIMEOUT"
	says "no word for 360 s"
	says "test_kmem_memcg_deletion"
}

@test "a guest with other CPUs than it was given is FAIL, whatever it ran" {
	sed -i '/^# guest: up/a # guest: has 2 CPUs, not 8' "$run_dir/results.tap"
	run "$REPO/scripts/verdict" "$run_dir"
	[ "$status" = 1 ]
	says "FAIL patched-1: the guest: has 2 CPUs, not 8"
	says "CONFIG_NR_CPUS"
}

@test "a guest that stops without its last word is CRASH" {
	sed -i '/^# guest: done/d' "$run_dir/results.tap"
	run "$REPO/scripts/verdict" "$run_dir"
	[ "$status" = 2 ]
	says "CRASH"
	says "last word"
}

@test "each kind of splat is CRASH and is shown" {
	n=0
	for splat in "$REPO"/tests/canned/splats/*; do
		cp "$REPO/tests/canned/clean/console.log" "$run_dir/console.log"
		cat "$splat" >>"$run_dir/console.log"
		run "$REPO/scripts/verdict" "$run_dir"
		[ "$status" = 2 ] || {
			echo "$splat: $status $output" >&2
			false
		}
		says "CRASH"
		says "$(head -n 1 "$splat" | cut -c 1-40)"
		n=$((n + 1))
	done
	((n >= 8))
}

@test "each splat needs an entry of the deny list: without it the boot is RAN" {
	copy=$BATS_TEST_TMPDIR/copy
	mkdir -p "$copy"
	cp -r "$REPO/scripts" "$REPO/selftests" "$copy"
	echo "no such line" >"$copy/selftests/console.deny"
	cat "$REPO"/tests/canned/splats/* >>"$run_dir/console.log"
	run "$copy/scripts/verdict" "$run_dir"
	[ "$status" = 0 ]
}

@test "a folder that is no run is bad input" {
	run "$REPO/scripts/verdict" "$BATS_TEST_TMPDIR"
	[ "$status" = 5 ]
	says "is missing"
}

@test "a splat that is known of the base is one of the base alone" {
	base_dir=$BATS_TEST_TMPDIR/base-1
	cp -r "$run_dir" "$base_dir"
	for d in "$run_dir" "$base_dir"; do
		sed 's/-[0-9]* nr_pages/-31 nr_pages/' "$REPO"/tests/canned/splats/underflow{,-6.12} >>"$d/console.log"
	done
	run "$REPO/scripts/verdict" "$run_dir"
	[ "$status" = 2 ]
	run "$REPO/scripts/verdict" "$base_dir"
	[ "$status" = 0 ]
	# and another one beside it is none that is known
	cat "$REPO/tests/canned/splats/oops" >>"$base_dir/console.log"
	run "$REPO/scripts/verdict" "$base_dir"
	[ "$status" = 2 ]
	says "CRASH"
}
