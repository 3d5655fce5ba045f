#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# scripts/junit and scripts/judge: from the guest's TAP to the verdict

load helpers

setup() {
	B=$BATS_TEST_TMPDIR/base.tap
	Q=$BATS_TEST_TMPDIR/patched.tap
	E=$BATS_TEST_TMPDIR/expected
	: >"$E"
}

# judge ARGS: TAP files made XML by the tree's own parser, then judged
judge() {
	for t in "$B" "$Q"; do
		[ ! -f "$t" ] || "$REPO/scripts/junit" "$t" "$REPO/linux/mainline" "${t%.tap}.xml"
	done
	run "$REPO/scripts/judge" --expected "$E" "$@"
}

both() {
	judge --base "${B%.tap}.xml" --patched "${Q%.tap}.xml" "$@"
}

@test "all pass on both: PASS" {
	tap "$B" test_one 0 a=ok b=ok
	tap "$Q" test_one 0 a=ok b=ok
	both --tests test_one
	[ "$status" = 0 ]
	says "PASS: 2 of 2"
}

@test "worse than the base: FAIL, with what the subtest said" {
	tap "$B" test_one 0 a=ok b=ok
	tap "$Q" test_one 1 a=ok b=fail
	both --tests test_one
	[ "$status" = 1 ]
	says "bad: test_one b: WORSE"
	says "why it failed"
	[ "${lines[-1]:0:5}" = FAIL: ]
}

@test "better than the base: PASS, and said so" {
	tap "$B" test_one 1 a=fail
	tap "$Q" test_one 0 a=ok
	both --tests test_one
	[ "$status" = 0 ]
	says "fixed"
}

@test "fails on both: no worse, PASS" {
	tap "$B" test_one 1 a=fail b=ok
	tap "$Q" test_one 1 a=fail b=ok
	both --tests test_one
	[ "$status" = 0 ]
	says "fails on both"
}

@test "an unexpected skip is a FAIL, an expected one is not" {
	tap "$B" test_one 0 a=ok b=skip
	tap "$Q" test_one 0 a=ok b=skip
	both --tests test_one
	[ "$status" = 1 ]
	says "bad: test_one b: UNEXPECTED SKIP"
	echo "patched test_one b skip | no such hardware | never" >"$E"
	both --tests test_one
	[ "$status" = 0 ]
	says "known skip"
	says "no such hardware"
}

@test "an expected failure is known, with its reason" {
	tap "$B" test_one 0 a=ok b=ok
	tap "$Q" test_one 1 a=ok b=fail
	echo "both test_one b fail | emulation | QEMU 12" >"$E"
	both --tests test_one
	[ "$status" = 0 ]
	says "known failure"
	says "emulation (remove: QEMU 12)"
}

@test "zero tests are a FAIL: no program, and a program without a subtest" {
	printf 'TAP version 13\n1..0\n' >"$Q"
	judge --patched "${Q%.tap}.xml" --tests test_one
	[ "$status" = 1 ]
	says "bad: test_one: no subtest ran"
	rm "$Q"
	tap "$Q" test_one 0
	judge --patched "${Q%.tap}.xml" --tests test_one
	[ "$status" = 1 ]
	says "the program ran no subtest"
}

@test "a program that is expected to be skipped as a whole, and one that says nothing" {
	tap "$Q" test_one 0 a=ok
	tap "$Q" test_two 0
	sed -i 's/^ok 2 selftests: cgroup: test_two$/& # SKIP/' "$Q"
	judge --patched "${Q%.tap}.xml" --tests test_one,test_two
	[ "$status" = 1 ]
	says "bad: test_two: no subtest ran"
	echo "both test_two (program) skip | needs two CPUs | never" >"$E"
	judge --patched "${Q%.tap}.xml" --tests test_one,test_two
	[ "$status" = 0 ]
	says "known skip"
	# no skip at all: it ran and had nothing to say
	rm "$Q"
	tap "$Q" test_one 0 a=ok
	tap "$Q" test_two 0
	judge --patched "${Q%.tap}.xml" --tests test_one,test_two
	[ "$status" = 1 ]
	says "the program ran no subtest"
	echo "both test_two (program) fail | this kernel has nothing for it | never" >"$E"
	judge --patched "${Q%.tap}.xml" --tests test_one,test_two
	[ "$status" = 0 ]
	says "known failure"
}

@test "a subtest of the base that is gone is a FAIL" {
	tap "$B" test_one 0 a=ok b=ok
	tap "$Q" test_one 0 a=ok
	both --tests test_one
	[ "$status" = 1 ]
	says "bad: test_one b: MISSING"
}

@test "a bad exit code beside passing subtests is a FAIL" {
	tap "$B" test_one 0 a=ok
	tap "$Q" test_one 139 a=ok
	both --tests test_one
	[ "$status" = 1 ]
	says "test_one (program)"
}

@test "a plan that is cut off is a FAIL" {
	tap "$B" test_one 0 a=ok b=ok
	tap "$Q" test_one 0 a=ok b=ok
	sed -i '/ok 2 b/d' "$Q"
	both --tests test_one
	[ "$status" = 1 ]
}

@test "rates: never failed on the base, once patched: FAIL; one more of many: PASS" {
	xml=()
	for n in 1 2 3 4 5; do
		rm -f "$B"
		tap "$B" test_one 0 a=ok
		"$REPO/scripts/junit" "$B" "$REPO/linux/mainline" "$BATS_TEST_TMPDIR/ok$n.xml"
		xml+=("$BATS_TEST_TMPDIR/ok$n.xml")
	done
	tap "$Q" test_one 1 a=fail
	"$REPO/scripts/junit" "$Q" "$REPO/linux/mainline" "$BATS_TEST_TMPDIR/bad.xml"
	bad=$BATS_TEST_TMPDIR/bad.xml
	run "$REPO/scripts/judge" --base "${xml[@]}" --patched "${xml[@]:0:4}" "$bad"
	[ "$status" = 1 ]
	says "4/5"
	run "$REPO/scripts/judge" --base "${xml[@]:0:4}" "$bad" --patched "${xml[@]:0:3}" "$bad" "$bad"
	[ "$status" = 0 ]
	run "$REPO/scripts/judge" --base "${xml[@]}" "${xml[@]}" "$bad" --patched "$bad" "$bad" "$bad" "$bad"
	[ "$status" = 1 ]
}

@test "a known rate: one of one is plausible, four of four are not" {
	xml=()
	for n in 1 2 3 4; do
		rm -f "$Q"
		tap "$Q" test_one 1 a=fail b=ok
		"$REPO/scripts/junit" "$Q" "$REPO/linux/mainline" "$BATS_TEST_TMPDIR/bad$n.xml"
		xml+=("$BATS_TEST_TMPDIR/bad$n.xml")
	done
	echo "both test_one a fail@5/20 | a race in the test | it is fixed" >"$E"
	run "$REPO/scripts/judge" --expected "$E" --patched "${xml[0]}"
	[ "$status" = 0 ]
	says "known failure"
	run "$REPO/scripts/judge" --expected "$E" --patched "${xml[@]}"
	[ "$status" = 1 ]
	says "MORE OFTEN THAN KNOWN"
}

@test "a malformed line of expected is named" {
	tap "$Q" test_one 0 a=ok
	echo "patched test_one a fail" >"$E"
	judge --patched "${Q%.tap}.xml"
	[ "$status" = 5 ]
	says "expected:1"
}

@test "a tree whose kunit.py writes no JUnit: its parser's results, the same verdicts" {
	old=$BATS_TEST_TMPDIR/old/tools/testing
	mkdir -p "$old"
	cp -r "$REPO/linux/mainline/tools/testing/kunit" "$old"
	sed -i 's/--junit/--other/' "$old/kunit/kunit.py"
	tap "$Q" test_one 0 a=ok b=ok
	tap "$Q" test_two 1 a=ok b=fail c=skip
	tap "$Q" test_three 2
	judge --patched "${Q%.tap}.xml"
	[ "$status" = 1 ]
	as_ever=$output
	"$REPO/scripts/junit" "$Q" "$BATS_TEST_TMPDIR/old" "${Q%.tap}.xml"
	run "$REPO/scripts/judge" --expected "$E" --patched "${Q%.tap}.xml"
	[ "$status" = 1 ]
	[ "$output" = "$as_ever" ]
}
