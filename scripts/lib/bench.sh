# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What counting and timing share: the plan and the initramfs.

# bench_expand LINE: a line for each value of each comma-separated word
bench_expand() {
	local i more
	local -a words
	read -ra words <<<"$1"
	for i in "${!words[@]}"; do
		if [[ ${words[i]} == *,* ]]; then
			for more in ${words[i]//,/ }; do
				words[i]=$more
				bench_expand "${words[*]}"
			done
			return
		fi
	done
	printf '%s\n' "$1"
}

# bench_plan LIST FILE: every line of selftests/bench/LIST, expanded
bench_plan() {
	local line
	lines "$TOP/selftests/bench/$1" | while read -r line; do
		bench_expand "$line"
	done >"$2"
}

# bench_filter FILE: of such a plan what QUICK= and WORKLOADS= want to be run. The
# guest has the whole plan and all programs nevertheless, since what it does
# depends on its initramfs, and is told by bench_words.
bench_filter() {
	if [ -n "${QUICK:-}" ]; then sed '/^full$/,$d' "$1"; else sed '/^full$/d' "$1"; fi |
		awk -v want=",${WORKLOADS:-}," 'want == ",," || index(want, "," $1 ",")'
}

# bench_words: the same for the kernel's command line, always of one length
bench_words() {
	printf 'BENCH_QUICK=%s BENCH_WORKLOADS=%s' "$([ -n "${QUICK:-}" ] && echo 1 || echo 0)" "$(printf '%-64s' "${WORKLOADS:-}" | tr ' ' ,)"
}

# bench_initrd LIST DIR [WITHOUT]: writes DIR/plan, what is to be run, and
# DIR/initrd, for the loaded architecture; lines that have the word WITHOUT are
# left out
bench_initrd() {
	local bench=$TOP/selftests/bench root=$2/root program guest
	rm -rf "$root"
	mkdir -p "$root/bin" "$root/bench" "$root"/{dev,proc,sys,tmp}
	bench_plan "$1" "$root/bench/plan"
	if [ -n "${3:-}" ]; then
		say "this kernel has no memcg_bench: $(grep -c " $3 " "$root/bench/plan" || true) lines are left out"
		sed -i "/ $3 /d" "$root/bench/plan"
	fi
	bench_filter "$root/bench/plan" >"$2/plan"
	[ -s "$2/plan" ] || die "WORKLOADS=${WORKLOADS:-}: no line of $bench/$1 is left"
	sed '/^full$/d' "$root/bench/plan" | cut -d ' ' -f 3 | sort -u | while read -r program; do
		[ -f "$bench/$program.c" ] || die "$bench/$1: there is no $program.c"
		"${A_CROSS}gcc" -O2 -Wall -Wextra -static -o "$root/bench/$program" "$bench/$program.c" "$bench/bench.c" ||
			die "$bench/$program.c does not compile"
	done
	guest=$("$TOP/scripts/guest-root" "$A_NAME")
	cp "$guest/bin/busybox" "$root/bin"
	install -m 755 "$bench/init" "$root/init"
	# the clock of what is timed does not leap
	[ "$1" != timings ] || sed -i 's/^\tsleep 2$/\tsleep 0.2/' "$root/init"
	find "$root" -exec touch -h -d @0 {} +
	(cd "$root" && find . -print0 | LC_ALL=C sort -z |
		cpio --null --quiet -o -H newc -R 0:0 --reproducible) | gzip -n >"$2/initrd"
	rm -rf "$root"
}
