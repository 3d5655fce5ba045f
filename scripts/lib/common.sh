# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced first by every script: where things are, how to speak, exit codes.
#
# Exit codes of everything that judges a kernel:
#   0 PASS   1 FAIL   2 CRASH   3 LOST   4 TIMEOUT
# and of everything else:
#   0 done   5 bad input or a machine that lacks something: nothing was judged

# shellcheck disable=SC2034 # used by the scripts that source this file
{
	TOP=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
	OUT=${OUT:-$TOP/out}
	CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/memcg-charge
	RC_FAIL=1 RC_CRASH=2 RC_LOST=3 RC_TIMEOUT=4 RC_INPUT=5
}
ME=${0##*/}

# say TEXT...: progress for a person; results go to standard output instead
say() {
	printf '%s\n' "$*" >&2
}

# die TEXT...: what is wrong and what to do about it; ends with RC_INPUT
die() {
	printf '%s: error: %s\n' "$ME" "$*" >&2
	exit "$RC_INPUT"
}

# usage_if_asked "$@": prints the script's head comment when --help is among
# the arguments. The comment is the one place where usage is described.
usage_if_asked() {
	local a
	for a; do
		case $a in
		-h | --help)
			sed -n '3,/^[^#]/{/^#/!d;s/^# \{0,1\}//;p}' "$0"
			exit 0
			;;
		esac
	done
}

# need TOOL PACKAGE: fails with the remedy when a tool is missing
need() {
	command -v "$1" >/dev/null 2>&1 ||
		die "$1 is not installed; run 'make setup' as root, or install Debian's package $2"
}

# room DIR MEGABYTES: fails before the work when the disk cannot hold it
room() {
	local have
	mkdir -p "$1"
	have=$(df -Pm -- "$1" | awk 'NR == 2 { print $4 }')
	((have >= $2)) ||
		die "$1 has $have MB free and $2 MB are needed; free some or set ${3:-OUT}= to a larger disk"
}

# take_lock: one run at a time in this OUT. The holder's name is in the file;
# the kernel drops the lock when its holder ends, however it ends.
take_lock() {
	[ -z "${LOCK_HELD:-}" ] || return 0
	mkdir -p "$OUT"
	exec 9>>"$OUT/lock"
	if ! flock -n 9; then
		die "another run uses $OUT: $(cat "$OUT/lock"); wait for it, or set OUT= to another folder"
	fi
	printf 'pid %s, %s, since %s\n' "$$" "$ME" "$(date +%T)" >"$OUT/lock"
	export LOCK_HELD=$$
}

# status TEXT: one line that overwrites itself on a terminal; elsewhere a line
# every 30 s, so that a log stays readable
LAST_STATUS=0
status() {
	if [ -t 2 ]; then
		printf '\r\033[K%s' "$*" >&2
	elif ((SECONDS - LAST_STATUS >= 30)); then
		LAST_STATUS=$SECONDS
		say "$*"
	fi
}

status_end() {
	[ ! -t 2 ] || printf '\r\033[K' >&2
}

# stop_group PID: ends a process group that setsid made; nothing stays behind
stop_group() {
	kill -TERM -- "-$1" 2>/dev/null || return 0
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		kill -0 -- "-$1" 2>/dev/null || return 0
		sleep 0.1
	done
	kill -KILL -- "-$1" 2>/dev/null || true
}

# watch_cmd LABEL LOG COUNTER CMD...: runs CMD with its output in LOG and shows
# one live line: LABEL, what COUNTER (a function that prints a few words)
# says, seconds. Prints the log's path first. Ctrl-C ends CMD's whole group.
# Returns CMD's exit code; on failure the log's last lines are shown.
watch_cmd() {
	local label=$1 log=$2 counter=$3 pid rc=0 t0=$SECONDS
	shift 3
	mkdir -p "$(dirname "$log")"
	say "$label: log $log"
	printf '+ %s\n' "$*" >"$log"
	setsid "$@" >>"$log" 2>&1 9>&- </dev/null &
	pid=$!
	trap 'stop_group '"$pid"'; status_end; say "$label: interrupted"; exit 130' INT TERM HUP
	while kill -0 "$pid" 2>/dev/null; do
		status "$label: $($counter "$log") $((SECONDS - t0)) s"
		sleep 0.5
	done
	wait "$pid" || rc=$?
	trap - INT TERM HUP
	status_end
	if ((rc)); then
		say "$label: failed with exit code $rc after $((SECONDS - t0)) s; the end of $log:"
		tail -n 15 "$log" >&2
	else
		say "$label: done in $((SECONDS - t0)) s"
	fi
	return "$rc"
}

# no_count LOG: for watch_cmd, where nothing can be counted
no_count() {
	:
}

# lines FILE: what a list of this repository says, without comments and blanks
lines() {
	sed -e 's/#.*//' -e 's/[[:space:]]*$//' -e '/^$/d' "$1"
}

# arch_load ARCH: sets A_* from the row of kernel-config/arches
arch_load() {
	local row
	row=$(lines "$TOP/kernel-config/arches" | awk -v a="$1" '$1 == a')
	[ -n "$row" ] ||
		die "ARCH=$1 is unknown; known: $(arch_list | paste -sd' ' -)"
	# shellcheck disable=SC2034
	read -r A_NAME A_KARCH A_CROSS A_TARGET A_IMAGE A_DEBARCH A_SUITE A_CONSOLE A_QEMU A_APPEND A_CLOCK A_CHECK A_MACHINE <<<"$row"
	[ "$A_CROSS" != - ] || A_CROSS=
	[ "$A_APPEND" != - ] || A_APPEND=
}

# arch_list: the names that ARCH= takes, one a line
arch_list() {
	lines "$TOP/kernel-config/arches" | cut -d ' ' -f 1
}

# variant_load VARIANT ARCH: sets V_* from the row of kernel-config/variants.
# Without a variant they are empty and V_CELL is ARCH. V_CELL names the pair in
# files and tables, V_BUILD the kernel that it boots.
variant_load() {
	V_FRAGMENT='' V_SMP='' V_MEM='' V_APPEND='' V_QEMU='' V_CELL=$2 V_BUILD=$2
	[ -n "$1" ] || return 0
	local row arches
	row=$(lines "$TOP/kernel-config/variants" | awk -v v="$1" '$1 == v')
	[ -n "$row" ] ||
		die "VARIANT=$1 is unknown; known: $(lines "$TOP/kernel-config/variants" | cut -d ' ' -f 1 | paste -sd' ' -)"
	# shellcheck disable=SC2034
	read -r _ arches V_FRAGMENT V_SMP V_MEM V_APPEND V_QEMU <<<"$row"
	[[ ,$arches, == *,$2,* ]] || die "VARIANT=$1 is for ARCH=$arches, not for $2"
	for row in V_FRAGMENT V_SMP V_MEM V_APPEND V_QEMU; do
		[ "${!row}" != - ] || printf -v "$row" ''
	done
	V_CELL=$2-$1
	V_BUILD=$2${V_FRAGMENT:+-$V_FRAGMENT}
}

# variant_cells: "ARCH VARIANT" of everything that can be validated, one pair a
# line, VARIANT empty for the arch itself
variant_cells() {
	local name arches _
	arch_list | sed 's/$/ /'
	lines "$TOP/kernel-config/variants" | while read -r name arches _; do
		tr , '\n' <<<"$arches" | sed "s/\$/ $name/"
	done
}

# worse RC RC: the one that tells less of the series: a lost machine says nothing
# about a patch
worse() {
	local rc
	for rc in "$RC_INPUT" "$RC_LOST" "$RC_TIMEOUT" "$RC_CRASH" "$RC_FAIL"; do
		[[ $rc != "$1" && $rc != "$2" ]] || break
		rc=0
	done
	printf '%s\n' "$rc"
}

# base_load BASE: sets B_DIR and B_PACKAGE, B_SUITE, B_VERSION, B_MADE_FOR,
# B_UPSTREAM from patches/BASE/base
base_load() {
	B_NAME=$1
	B_DIR=$TOP/patches/$1
	[ -f "$B_DIR/base" ] ||
		die "BASE=$1 is unknown: $B_DIR/base does not exist; known: $(cd "$TOP/patches" && echo *)"
	B_PACKAGE=$(base_field package)
	B_SUITE=$(base_field suite)
	B_VERSION=$(base_field version)
	B_MADE_FOR=$(base_field made-for)
	B_UPSTREAM=$(base_field upstream)
	# may be empty
	B_TESTS=$(base_field tests)
}

base_field() {
	awk -v k="$1" '$1 == k { print $2 }' "$B_DIR/base"
}

# series_list: the patch files of the loaded base in order, one path a line
series_list() {
	lines "$B_DIR/series" | sed "s|^|$B_DIR/|"
}

# first_splat KERNEL CONSOLE: the first line, with its number, that
# selftests/console.deny catches and console.known does not know of KERNEL
first_splat() {
	local known
	known=$(awk -F ' [|] ' -v k="$1" '!/^#/ && ($1 == k || $1 == "both") { print $2 }' "$TOP/selftests/console.known")
	grep -naE -f <(grep -v '^#' "$TOP/selftests/console.deny") "$2" |
		grep -avE -m 1 -f <(printf '%s\n' "${known:-a^}") || true
}
