#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# scripts/check with stand-ins for its steps: which series it looks at

load helpers

setup() {
	project
	series
	mkdir "$P/patches/6.12.y"
	echo 'version 6.12' >"$P/patches/6.12.y/base"
	export CALLS=$BATS_TEST_TMPDIR/calls OUT=$BATS_TEST_TMPDIR/out
	: >"$CALLS"
	for s in setup check-scripts check-series check-patches send-dry-run check-objects check-cocci bench-lines \
		import-series get-sparse kunit smoke bench-gate validate; do
		# shellcheck disable=SC2016 # for the stand-in
		printf '#!/bin/sh\necho "%s $* $ARCH $BASE $PATCHED_ONLY" >>"$CALLS"\n[ "%s $BASE" != "$BREAK" ]\n' "$s" "$s" >"$P/scripts/$s"
	done
	printf '#!/bin/sh\nprintf "1..1\\nok 1 a\\n"\n' >"$BATS_TEST_TMPDIR/bin/bats"
	chmod +x "$BATS_TEST_TMPDIR/bin/bats"
}

# check: what it calls for the other series, in other
check() {
	: >"$CALLS"
	run "$P/scripts/check"
	echo "$output"
	other=$(grep -F '6.12.y' "$CALLS" || true)
}

@test "the other series: each patch and x86_64, once for each state of it" {
	check
	[ "$status" = 0 ]
	[[ $other == *"check-series 6.12.y"* ]]
	[[ $other == *"check-patches 6.12.y"* ]]
	[[ $other == *"check-objects 6.12.y"* ]]
	[[ $other == *"validate  x86_64 6.12.y 1"* ]]
	[[ $other != *arm64* ]]
	check
	[ "$status" = 0 ]
	[ -z "$other" ]
	says "6.12.y: as it was when it passed here"
	echo new >"$P/patches/6.12.y/0001-new.patch"
	check
	[[ $other == *"validate  x86_64 6.12.y 1"* ]]
}

@test "what fails of the other series fails, and is looked at again" {
	BREAK="validate 6.12.y" check
	[ "$status" = 1 ]
	says "failed: validate 6.12.y x86_64"
	check
	[ "$status" = 0 ]
	[[ $other == *"validate  x86_64 6.12.y 1"* ]]
}

@test "QUICK leaves the other series out" {
	QUICK=1 check
	[ "$status" = 0 ]
	[ -z "$other" ]
	[ "$(grep -c validate "$CALLS")" = 0 ]
}

@test "what fails beside fails, and its numbers are added" {
	printf '#!/bin/sh\nprintf "1..3\\nok 1 a\\nnot ok 2 b\\nok 3 c # skip d\\n"\n' >"$BATS_TEST_TMPDIR/bin/bats"
	QUICK=1 check
	[ "$status" = 1 ]
	says "failed: bats: 1 tests"
	# scripts, import, smoke, series, patches, mail
	says "7 passed, 1 failed, 1 skipped"
	printf '#!/bin/sh\nprintf "1..1\\nok 1 a\\n"\n' >"$BATS_TEST_TMPDIR/bin/bats"
	BREAK="check-patches " QUICK=1 check
	[ "$status" = 1 ]
	says "failed: patches"
	says "6 passed, 1 failed, 0 skipped"
}

@test "what does not come to its end beside is a failure" {
	# shellcheck disable=SC2016 # for the stand-in: its parent is what runs beside
	printf '#!/bin/sh\n[ "$1" != 6.12.y ] || kill -KILL "$PPID"\n' >"$P/scripts/check-series"
	check
	[ "$status" = 1 ]
	says "ended before its end: $OUT/log/check-beside.log"
	[[ ${lines[-1]} == *" 1 failed, "* ]]
}

@test "a signal ends what runs beside as well" {
	printf '#!/bin/sh\necho $$ >%s\nexec sleep 60\n' "$BATS_TEST_TMPDIR/sleeper" >"$BATS_TEST_TMPDIR/bin/bats"
	QUICK=1 "$P/scripts/check" 3>&- >"$BATS_TEST_TMPDIR/said" 2>&1 &
	pid=$!
	for _ in {1..100}; do
		[ ! -s "$BATS_TEST_TMPDIR/sleeper" ] || break
		sleep 0.1
	done
	kill -TERM "$pid"
	rc=0
	wait "$pid" || rc=$?
	cat "$BATS_TEST_TMPDIR/said"
	[ "$rc" = 130 ]
	sleeper=$(<"$BATS_TEST_TMPDIR/sleeper")
	[ -n "$sleeper" ]
	gone "$sleeper"
}
