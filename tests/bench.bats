#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# what make bench makes of counts and times; the counting itself is make check's

load helpers

setup() {
	project
	counts A base 603 100
	counts B patched 28 100
}

# counts FILE KERNEL WALKS FAULTS: as scripts/bench writes them
counts() {
	local file=$BATS_TEST_TMPDIR/$1.jsonl rest='"walk.atomics": 4, "memcg.insns": 9, "flush": 2, "flushing.insns": 10, "flushing.lines": 3, "local.lines": 7, "lruvec.lines": 8'
	echo "{\"arch\": \"x86_64\", \"variant\": \"\", \"kernel\": \"$2\", \"version\": \"7.3.4\", \"tree\": \"0123\", \"rig\": \"R\", \"compiler\": \"C\", \"host\": \"H\", \"boots\": 2, \"date\": \"D\"}" >"$file"
	echo "{\"workload\": \"W1\", \"depth\": 3, \"run\": \"rr 1 0 other 64 4096\", \"count\": {\"charge\": $(($3 / 3)), \"uncharge\": $(($3 - $3 / 3)), $rest}}" >>"$file"
	echo "{\"workload\": \"W6\", \"depth\": 3, \"run\": \"fault 1 1000 munmap\", \"count\": {\"charge\": 0, \"uncharge\": $4, $rest}}" >>"$file"
}

table() {
	run "$P/scripts/bench-table" "$@"
	echo "$output"
}

@test "bench-table: two kernels beside each other, what is worse is marked" {
	table "$BATS_TEST_TMPDIR/A.jsonl" "$BATS_TEST_TMPDIR/B.jsonl"
	[ "$status" = 0 ]
	says "| W1 | 3 | rr 1 0 other 64 4096 | 603 | 28 | 21.5 |  |"
	[[ ${lines[*]} == *"| 5 | 5 | 2 | 2 | 7 | 7 | 8 | 8 |"* ]]
	says "B is patched: 7.3.4, tree 0123"
	# 3 more are within the bound, 4 are not, and of 1000 10
	counts B patched 603 103
	table "$BATS_TEST_TMPDIR/A.jsonl" "$BATS_TEST_TMPDIR/B.jsonl"
	[[ $output != *worse* ]]
	counts B patched 603 104
	table "$BATS_TEST_TMPDIR/A.jsonl" "$BATS_TEST_TMPDIR/B.jsonl"
	says "| W6 | 3 | fault 1 1000 munmap | 100 | 104 | 1.0 | worse |"
	table --gate "$BATS_TEST_TMPDIR/A.jsonl" "$BATS_TEST_TMPDIR/B.jsonl"
	[ "$status" = 1 ]
	[ "$output" = "W6: 100 walks, now 104" ]
	# all lines of a workload together
	sed -i '3p;3s/munmap/dontneed/' "$BATS_TEST_TMPDIR/A.jsonl"
	sed -i '3p;3s/munmap/dontneed/;3s/104/99/' "$BATS_TEST_TMPDIR/B.jsonl"
	table --gate "$BATS_TEST_TMPDIR/A.jsonl" "$BATS_TEST_TMPDIR/B.jsonl"
	[ "$status" = 0 ]
	counts A base 603 1000
	counts B patched 603 1010
	table --gate "$BATS_TEST_TMPDIR/A.jsonl" "$BATS_TEST_TMPDIR/B.jsonl"
	[ "$status" = 0 ]
}

@test "bench-table: files that are none, or have nothing in common" {
	table "$BATS_TEST_TMPDIR/A.jsonl" "$BATS_TEST_TMPDIR/none.jsonl"
	[ "$status" = 5 ]
	says "run 'make bench'"
	echo hello >"$BATS_TEST_TMPDIR/none.jsonl"
	table "$BATS_TEST_TMPDIR/A.jsonl" "$BATS_TEST_TMPDIR/none.jsonl"
	[ "$status" = 5 ]
	says "not what make bench writes"
	head -n 1 "$BATS_TEST_TMPDIR/A.jsonl" >"$BATS_TEST_TMPDIR/none.jsonl"
	table "$BATS_TEST_TMPDIR/A.jsonl" "$BATS_TEST_TMPDIR/none.jsonl"
	[ "$status" = 5 ]
	says "no workload in common"
	sed 's/x86_64/arm64/' "$BATS_TEST_TMPDIR/A.jsonl" >"$BATS_TEST_TMPDIR/none.jsonl"
	table "$BATS_TEST_TMPDIR/A.jsonl" "$BATS_TEST_TMPDIR/none.jsonl"
	[ "$status" = 5 ]
	says "is of x86_64 and"
}

@test "bench-ablation: more than two kernels, what each is and what is worse" {
	counts C bench-only-3 607 104
	sed -i '1s/"version"/"what": "a patch; another", "version"/' "$BATS_TEST_TMPDIR/C.jsonl"
	run "$P/scripts/bench-ablation" "$BATS_TEST_TMPDIR"/{A,B,C}.jsonl
	echo "$output"
	[ "$status" = 0 ]
	says "- bench-only-3: 7.3.4, tree 0123, x86_64, R, 2 boots that agree, C, H, D: a patch; another"
	# of 603 walks 6 are within the bound of 1 %, of 100 walks 4 are not
	says "| W1 | 3 | rr 1 0 other 64 4096 | 603 | 28 | 607 |"
	says "| W6 | 3 | fault 1 1000 munmap | 100 | 100 | **104** |"
	says "| atomics of page_counter.c | W6 | 4 | 4 | 4 |"
	# only what all of them have
	sed -i 3d "$BATS_TEST_TMPDIR/B.jsonl"
	run "$P/scripts/bench-ablation" "$BATS_TEST_TMPDIR"/{A,B,C}.jsonl
	[[ $output != *"| W6 |"* ]]
	sed -i 2d "$BATS_TEST_TMPDIR/B.jsonl"
	run "$P/scripts/bench-ablation" "$BATS_TEST_TMPDIR"/{A,B,C}.jsonl
	[ "$status" = 5 ]
	says "no workload in common"
}

# with_reverse FILE WALKS: adds the line with request and response exchanged
with_reverse() {
	sed -i '2{p;s/64 4096/4096 64/;s/"charge": [0-9]*, "uncharge": [0-9]*/"charge": 0, "uncharge": '"$2"'/}' "$BATS_TEST_TMPDIR/$1.jsonl"
}

@test "bench-gate: dearer than on record, and less than 18 times fewer" {
	with_reverse A 603
	export OUT=$BATS_TEST_TMPDIR/out
	new=$OUT/bench/mainline/x86_64/patched.jsonl
	mkdir -p "$(dirname "$new")" "$P/results/mainline" "$P/patches/mainline"
	cp "$REPO/patches/mainline/base" "$P/patches/mainline"
	printf '#!/bin/sh\nexit 0\n' >"$P/scripts/bench"
	run "$P/scripts/bench-gate"
	[ "$status" = 5 ]
	says "run 'make bench RECORD=1'"
	cp "$BATS_TEST_TMPDIR/A.jsonl" "$P/results/mainline/counts-x86_64-base.jsonl"
	# one direction alone tells nothing
	cp "$BATS_TEST_TMPDIR/B.jsonl" "$P/results/mainline/counts-x86_64-patched.jsonl"
	cp "$BATS_TEST_TMPDIR/B.jsonl" "$new"
	run "$P/scripts/bench-gate"
	[ "$status" = 5 ]
	says "and its reverse"
	with_reverse B 32
	cp "$BATS_TEST_TMPDIR/B.jsonl" "$P/results/mainline/counts-x86_64-patched.jsonl"
	# 64 of 1206 are what the images of one source may have, 68 are not
	counts C patched 32 100
	with_reverse C 32
	cp "$BATS_TEST_TMPDIR/C.jsonl" "$new"
	run "$P/scripts/bench-gate"
	[[ $output != *"not 18 times"* ]]
	cp "$BATS_TEST_TMPDIR/B.jsonl" "$new"
	run "$P/scripts/bench-gate"
	[ "$status" = 0 ]
	says "1206 walks before the series, 60 now"
	counts C patched 36 110
	with_reverse C 32
	cp "$BATS_TEST_TMPDIR/C.jsonl" "$new"
	run "$P/scripts/bench-gate"
	[ "$status" = 1 ]
	says "W6: 100 walks, now 110"
	says "68 walks, of 1206 before the series: not 18 times fewer"
	printf '#!/bin/sh\nexit 3\n' >"$P/scripts/bench"
	run "$P/scripts/bench-gate"
	[ "$status" = 3 ]
}

@test "a plan: every value of every comma, QUICK, WORKLOADS" {
	printf '# c\nW1 1,3 rr a,b\nW2 3 fault x\nfull\nW3 3 fault y\n' >"$P/selftests/bench/list"
	plan() {
		bash -c '. '"$P"'/scripts/lib/common.sh; . '"$P"'/scripts/lib/bench.sh
			bench_plan list /dev/stdout >'"$BATS_TEST_TMPDIR"'/plan; bench_filter '"$BATS_TEST_TMPDIR"'/plan'
	}
	[ "$(plan | paste -sd/ -)" = "W1 1 rr a/W1 1 rr b/W1 3 rr a/W1 3 rr b/W2 3 fault x/W3 3 fault y" ]
	[ "$(QUICK=1 plan | tail -n 1)" = "W2 3 fault x" ]
	[ "$(WORKLOADS=W3,W2 plan | paste -sd/ -)" = "W2 3 fault x/W3 3 fault y" ]
	# the guest's words have one length, whatever is asked for
	words() {
		bash -c '. '"$P"'/scripts/lib/common.sh; . '"$P"'/scripts/lib/bench.sh; bench_words' | wc -c
	}
	[ "$(words)" = "$(QUICK=1 WORKLOADS=W1,W6 words)" ]
}

@test "the programs of the lists are there and compile without a warning" {
	sed '/^#/d;/^full$/d' "$P"/selftests/bench/{workloads,netperf,slots,timings} | cut -d ' ' -f 3 | sort -u | while read -r program; do
		gcc -O2 -Wall -Wextra -Werror -static -o "$BATS_TEST_TMPDIR/program" "$P/selftests/bench/$program.c" "$P/selftests/bench/bench.c"
	done
	gcc -O2 -Wall -Wextra -Werror -Wno-unused-parameter -fPIC -shared -o "$BATS_TEST_TMPDIR/so" "$P/selftests/bench/tcg-counts.c"
}

@test "a kernel that lacks what is to be counted is refused" {
	run "$P/scripts/bench-symbols" x86_64 /bin/true "$BATS_TEST_TMPDIR/A.jsonl"
	[ "$status" = 5 ]
	says "has no sys_sethostname"
}

# times KERNEL FACTOR SPREAD: ten boots, one every other ns more
times() {
	local i
	for i in 1 2 3 4 5 6 7 8 9 10; do
		echo "{\"round\": $i, \"kernel\": \"$1\", \"ns\": {\"W2 3 pattern C1U2 1 cyclic none 1000\": $((1000 * $2 + i % 3 * $3))}}"
	done
}

@test "bench-stats: a difference counts outside chance, and outside A/A" {
	file=$BATS_TEST_TMPDIR/times.jsonl
	stats() {
		{
			echo '{"rig": "R", "kernels": "base,patched", "version": "7.3.4", "tree": "0", "compiler": "C", "host": "H", "rounds": 10, "load": "0.1", "date": "D"}'
			times base 100 20
			times base-again 100 30
			times patched "$1" "$2"
		} >"$file"
		run "$P/scripts/bench-stats" "$file"
		echo "$output"
		[ "$status" = 0 ]
	}
	stats 50 20
	says "| 50.0 | 0.500 | 0.500 to 0.500 |  |"
	stats 100 25
	[[ $output == *"| = |" ]]
	run "$P/scripts/bench-stats" --bars "$file"
	[ "${lines[0]}" = "what base-again patched" ]
	[[ ${lines[1]} =~ ^'"W2 3 C1U2" '[0-9.\ ]+$ ]]
	echo hello >"$file"
	run "$P/scripts/bench-stats" "$file"
	[ "$status" = 5 ]
}
