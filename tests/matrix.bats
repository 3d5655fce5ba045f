#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# variants, recorded baselines, the matrix and the artifacts, with a fake tree
# and a fake QEMU

load helpers

setup_file() {
	guest_root_once
}

setup() {
	project
	series
	tree=$BATS_TEST_TMPDIR/tree
	kernel_tree "$tree"
	# as fetch-base leaves it
	base=$XDG_CACHE_HOME/memcg-charge/base/mainline
	mkdir -p "$base"
	git clone -q --bare "$tree" "$base/x.git"
	git -C "$base/x.git" branch -q base
	ln -s x.git "$base/current"
	# one architecture is enough here
	sed -i '/^[^#]/{/^x86_64 /!d}' "$P/kernel-config/arches"
	printf 'nov1 x86_64 nov1 - - -\nwide x86_64 - 8 2G foo=1,bar -cpu max\nother x86_64 nov1 3 - -\nfar sparc - - - -\n' \
		>"$P/kernel-config/variants"
	printf 'test_one\ntest_two\n' >"$P/selftests/tests"
	rm -rf "$P/selftests/baseline" "$P/selftests/expected"
	mkdir "$P/selftests/expected"
	touch "$P/selftests/expected/all"
	fake_qemu
	export FAKE=pass FAKE_TAP=$BATS_TEST_TMPDIR/tap
	tap "$FAKE_TAP" test_one 0 a=ok b=ok
	tap "$FAKE_TAP" test_two 0 c=ok
	out=$P/out
}

validate() {
	run "$P/scripts/validate"
	echo "$output"
}

@test "a variant has its own kernel, CPUs, memory, words and arguments" {
	VARIANT=nov1 validate
	[ "$status" = 0 ]
	grep -q '^# CONFIG_MEMCG_V1 is not set' "$out/build/mainline/x86_64-nov1/patched/config"
	[ -s "$out/run/mainline/x86_64-nov1/table.txt" ]
	VARIANT=wide validate
	[ "$status" = 0 ]
	cmd=$out/run/mainline/x86_64-wide/patched-1/qemu.cmd
	grep -q -- '-smp 8 -m 2G' "$cmd"
	grep -q -- 'foo=1\\ bar' "$cmd"
	grep -q -- '-cpu max' "$cmd"
	# no fragment: the architecture's own kernel
	grep -q 'build/mainline/x86_64/patched/image' "$cmd"
	SMP=2 VARIANT=wide NO_BUILD=1 validate
	grep -q -- '-smp 2 -m 2G' "$cmd"
	# the same fragment, the same kernel
	VARIANT=other NO_BUILD=1 validate
	[ "$status" = 0 ]
}

@test "an unknown variant, and one for another architecture" {
	VARIANT=none validate
	[ "$status" = 5 ]
	says "VARIANT=none is unknown; known: nov1 wide other far"
	VARIANT=far validate
	[ "$status" = 5 ]
	says "VARIANT=far is for ARCH=sparc, not for x86_64"
	ARCH=all VARIANT=none validate
	[ "$status" = 5 ]
	says "VARIANT=none is unknown"
}

@test "a variant has known results of its own" {
	echo "both test_two c skip | no v1 | never" >"$P/selftests/expected/nov1"
	rm "$FAKE_TAP"
	tap "$FAKE_TAP" test_one 0 a=ok b=ok
	tap "$FAKE_TAP" test_two 0 c=skip
	VARIANT=nov1 validate
	[ "$status" = 0 ]
	says "known skip"
	validate
	[ "$status" = 1 ]
	says "UNEXPECTED SKIP"
}

@test "ARCH=all ends with the code that tells least, and runs them all" {
	sed 's/^x86_64 /second /p' -i "$P/kernel-config/arches"
	sed -i '$s/^second /x86_64 /' "$P/kernel-config/arches"
	touch "$P/kernel-config/second.config"
	ln -s "$REAL_CACHE"/guest/x86_64-* "$BATS_TEST_TMPDIR/root"
	ln -s "$BATS_TEST_TMPDIR/root" "$BATS_TEST_TMPDIR/second"
	# the first is lost, the second fails
	cat >"$BATS_TEST_TMPDIR/bin/qemu-two" <<'QEMU'
#!/bin/bash
case $* in
*run/mainline/second/*) FAKE=die ;;
*) FAKE_TAP_patched=$FAKE_WORSE ;;
esac
export FAKE FAKE_TAP_patched
exec "$(dirname "$0")/qemu-fake" "$@"
QEMU
	chmod +x "$BATS_TEST_TMPDIR/bin/qemu-two"
	export QEMU=$BATS_TEST_TMPDIR/bin/qemu-two FAKE_WORSE=$BATS_TEST_TMPDIR/worse
	tap "$FAKE_WORSE" test_one 1 a=fail b=ok
	tap "$FAKE_WORSE" test_two 0 c=ok
	printf '#!/bin/sh\necho %s\n' "$(echo "$REAL_CACHE"/guest/x86_64-*)" >"$P/scripts/guest-root"
	ARCH=all validate
	[ "$status" = 3 ]
	says "=== second"
	says "=== x86_64"
	says "WORSE"
}

@test "a baseline is recorded, and the patched kernel is judged by it" {
	rm "$FAKE_TAP"
	tap "$FAKE_TAP" test_one 1 a=ok b=fail
	tap "$FAKE_TAP" test_two 0 c=ok
	COUNT=3 run "$P/scripts/baseline"
	[ "$status" = 0 ]
	file=$P/selftests/baseline/mainline/x86_64
	grep -q '^# recorded: 7.3.4, 3 boots' "$file"
	grep -qx 'test_one 3 0 0 a' "$file"
	grep -qx 'test_one 0 3 0 b' "$file"
	[ -d "$out/run/mainline/x86_64/base-3" ]
	# as bad as the base
	PATCHED_ONLY=1 NO_BUILD=1 validate
	[ "$status" = 0 ]
	says "the base is not booted but read from $file: 7.3.4, 3 boots"
	says "fails on both"
	[ ! -d "$out/run/mainline/x86_64/base-1" ]
	# worse than it
	rm "$FAKE_TAP"
	tap "$FAKE_TAP" test_one 0 a=ok b=ok
	tap "$FAKE_TAP" test_two 1 c=fail
	PATCHED_ONLY=1 NO_BUILD=1 validate
	[ "$status" = 1 ]
	says "bad: test_two c: WORSE"
	says "fixed"
	# another machine is not the one that was recorded
	SMP=4 PATCHED_ONLY=1 NO_BUILD=1 validate
	says "bad: test_two c: FAILS"
	# one test of two
	TESTS=test_one PATCHED_ONLY=1 NO_BUILD=1 validate
	says "1 bad" # the results of test_two are there and failed: no base for them
}

@test "a baseline stays as it was when a boot is lost, and is checked when read" {
	file=$P/selftests/baseline/mainline/x86_64
	COUNT=1 run "$P/scripts/baseline"
	[ "$status" = 0 ]
	was=$(sha1sum "$file")
	FAKE=die COUNT=2 NO_BUILD=1 run "$P/scripts/baseline"
	[ "$status" = 3 ]
	[ "$(sha1sum "$file")" = "$was" ]
	TESTS=test_one run "$P/scripts/baseline"
	[ "$status" = 5 ]
	says "a baseline is of all tests"
	echo "test_one a few b" >>"$file"
	PATCHED_ONLY=1 NO_BUILD=1 validate
	[ "$status" = 5 ]
	says "record it anew"
	printf '# recorded: 7.3.1, 1 boots\ntest_one 1 0 0 a\ntest_one 1 0 0 b\ntest_two 1 0 0 c\n' >"$file"
	PATCHED_ONLY=1 NO_BUILD=1 validate
	[ "$status" = 0 ]
	says "the base is 7.3.4 now"
}

@test "the matrix runs each cell once, goes on after a stop, and names what failed" {
	matrix() {
		run make -s -C "$P" matrix
		echo "$output"
	}
	sed -i '/^far/d' "$P/kernel-config/variants"
	CELLS=x86_64 matrix
	[ "$status" = 0 ]
	says "not run with what is here now: x86_64-nov1 x86_64-wide x86_64-other"
	table=$P/results/mainline/matrix
	grep -q '^| x86_64-nov1 | not-run |' "$table.md"
	before=$(wc -l <"$BATS_TEST_TMPDIR/bin/pids")
	[ "$before" = 2 ] # base and patched
	# three cells more, one boot each
	matrix
	[ "$status" = 0 ]
	[ "$(wc -l <"$BATS_TEST_TMPDIR/bin/pids")" = 5 ]
	grep -qE '^\| x86_64-wide \| PASS \| 3 \| 3 \|' "$table.md"
	grep -qE "^x86_64-nov1 +PASS +3 +3 +0 +0 +0 +[0-9]+ +7.3.4 +[0-9a-f]{12} +20" "$table.txt"
	# nothing changed, on a machine that has built nothing
	mv "$out" "$out.old"
	matrix
	mv "$out.old/build" "$out"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/bin/pids")" = 5 ]
	# what one cell depends on; a failure is run again each time
	rm "$FAKE_TAP"
	tap "$FAKE_TAP" test_one 1 a=fail b=ok
	tap "$FAKE_TAP" test_two 0 c=ok
	sed -i 's/^wide .*/wide x86_64 - 4 1G -/' "$P/kernel-config/variants"
	run "$P/scripts/matrix"
	[ "$status" = 1 ]
	[ "$(wc -l <"$BATS_TEST_TMPDIR/bin/pids")" = 6 ]
	grep -qE '^\| x86_64-wide \| FAIL \| 2 \| 3 \|' "$table.md"
	matrix
	[ "$(wc -l <"$BATS_TEST_TMPDIR/bin/pids")" = 7 ]
	# what all depend on: the rows that were not run again say with what they were
	echo more >>"$P/selftests/guest/init"
	CELLS=x86_64-other matrix
	says "not run with what is here now: x86_64 x86_64-nov1 x86_64-wide"
	# one that does not come up
	FAKE=die run "$P/scripts/matrix"
	[ "$status" = 3 ]
	grep -qE '^x86_64-nov1 +exit-3 ' "$table.txt"
	CELLS=vax run "$P/scripts/matrix"
	[ "$status" = 5 ]
	says "there is no vax; there are: x86_64 x86_64-nov1"
}

@test "artifacts: all that a lab needs, and the line boots from inside the folder" {
	VARIANT=wide run make -s -C "$P" artifacts
	[ "$status" = 0 ]
	dir=$out/artifacts/x86_64-wide-patched
	says "$dir"
	for f in image config kselftest.tar.gz root.ext4 swap.raw; do [ -s "$dir/$f" ]; done
	grep -q 'foo=1' "$dir/qemu.cmd"
	[ "$(sed "s|$QEMU||" "$dir/qemu.cmd" | grep -c "$P")" = 0 ]
	mv "$dir" "$BATS_TEST_TMPDIR/elsewhere"
	(cd "$BATS_TEST_TMPDIR/elsewhere" && sh ./qemu.cmd)
	grep -q 'guest: done' "$BATS_TEST_TMPDIR/elsewhere/results.tap"
	KERNEL=third run "$P/scripts/artifacts"
	[ "$status" = 5 ]
	# a disk that fills up leaves no half of it
	printf '#!/bin/sh\necho "mke2fs: No space left on device" >&2; exit 1\n' >"$BATS_TEST_TMPDIR/bin/mke2fs"
	chmod +x "$BATS_TEST_TMPDIR/bin/mke2fs"
	run "$P/scripts/artifacts"
	[ "$status" = 5 ]
	[ -z "$(ls "$out/artifacts")" ]
}
