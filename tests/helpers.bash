# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# A copy of the project with a fake kernel tree, a fake QEMU and a cache of
# its own, so that the scripts are tested whole, in seconds, without a network.

REPO=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
REAL_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/memcg-charge

# what every run needs of the real cache; made here on a fresh machine
guest_root_once() {
	"$REPO/scripts/guest-root" x86_64 >/dev/null
}

# project: a copy of the scripts in P, with XDG_CACHE_HOME and OUT below it
project() {
	P=$BATS_TEST_TMPDIR/project
	mkdir -p "$P" "$BATS_TEST_TMPDIR/cache/memcg-charge" "$BATS_TEST_TMPDIR/bin"
	cp -r "$REPO/scripts" "$REPO/kernel-config" "$REPO/selftests" "$REPO/Makefile" "$P"
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache
	ln -s "$REAL_CACHE/guest" "$XDG_CACHE_HOME/memcg-charge/guest"
	export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@localhost GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@localhost
	export PATH=$BATS_TEST_TMPDIR/bin:$PATH
	unset LOCK_HELD OUT VARIANT CELLS TREE TESTS BASE_ONLY PATCHED_ONLY COUNT SMP MEM NO_BUILD
}

# gone PID: it ends within 5 s. A zombie has ended: what lost its parent waits
# for init, and an init that polls takes its time.
gone() {
	local n
	for ((n = 0; n < 50; n++)); do
		[ -d "/proc/$1" ] || return 0
		! grep -qs '^State:[[:space:]]*Z' "/proc/$1/status" || return 0
		sleep 0.1
	done
	echo "process $1 is still there" >&2
	return 1
}

# kernel_tree DIR: a git tree that looks like v7.3 to the scripts; its Makefile
# knows the targets that scripts/build calls
kernel_tree() {
	mkdir -p "$1/mm" "$1/scripts/kconfig" "$1/tools/testing/selftests/cgroup"
	echo CONFIG_MEMCG_V1=y >"$1/tools/testing/selftests/cgroup/config"
	cat >"$1/Makefile" <<'MAKE'
VERSION = 7
PATCHLEVEL = 3
SUBLEVEL = 4
tinyconfig:
	@echo '# CONFIG_TINY is not set' >$(O)/.config
olddefconfig:
	@test ! -f drop || grep -vxFf drop $(O)/.config >$(O)/new; test ! -f drop || mv $(O)/new $(O)/.config
vmlinux bzImage:
	@! grep -q 'syntax error' mm/memcontrol.c
	@mkdir -p $(O)/arch/x86/boot
	@echo "  CC      mm/memcontrol.o"; echo kernel >$(O)/vmlinux; echo kernel >$(O)/arch/x86/boot/bzImage
MAKE
	printf 'obj-y += mm/\n' >"$1/Kbuild"
	seq 1 40 | sed 's/^/line /' >"$1/mm/memcontrol.c"
	cat >"$1/scripts/kconfig/merge_config.sh" <<'MERGE'
#!/bin/sh
shift 2
out=$1/.config
shift 2
cat "$@" >>"$out"
MERGE
	chmod +x "$1/scripts/kconfig/merge_config.sh"
	cat >"$1/tools/testing/selftests/Makefile" <<'MAKE'
gen_tar:
	@mkdir -p $(INSTALL_PATH)/cgroup $(INSTALL_PATH)/kselftest-packages
	@printf 'cgroup:test_one\ncgroup:test_two\n' >$(INSTALL_PATH)/kselftest-list.txt
	@echo tar >$(INSTALL_PATH)/kselftest-packages/kselftest.tar.gz
MAKE
	cp -r "$REPO/linux/mainline/tools/testing/kunit" "$1/tools/testing/kunit"
	rm -rf "$1/tools/testing/kunit/__pycache__"
	git -C "$1" init -q -b master
	git -C "$1" add -f -A
	git -C "$1" commit -q -m tree
}

# series_tree TREE: what is in TREE is the base now; the commits that a test makes in
# S are to be its series
series_tree() {
	git -C "$1" add -f -A
	git -C "$1" commit -q -m code
	S=$BATS_TEST_TMPDIR/series-tree
	cp -r "$1" "$S"
	mkdir -p "$P/patches/mainline"
	printf 'package x\nsuite x\nversion 7.3\nmade-for x\nupstream v7.3\n' >"$P/patches/mainline/base"
}

# series: two patches for kernel_tree in P/patches/mainline
series() {
	local tree=$BATS_TEST_TMPDIR/series-tree dir=$P/patches/mainline
	kernel_tree "$tree"
	mkdir -p "$dir"
	sed -i 's/^line 10$/line ten/' "$tree/mm/memcontrol.c"
	git -C "$tree" commit -q -a -m 'mm: first'
	sed -i 's/^line 30$/line thirty/' "$tree/mm/memcontrol.c"
	git -C "$tree" commit -q -a -m 'mm: second'
	git -C "$tree" format-patch -q -N --zero-commit --no-signature --no-base --abbrev=12 -o "$dir" HEAD~2
	(cd "$dir" && printf '%s\n' *.patch) >"$dir/series"
	cat >"$dir/base" <<BASE
package  linux-source-7.3
suite    trixie-backports
version  7.3
made-for 7.3.4-1
upstream v7.3
blob $(git -C "$tree" rev-parse HEAD~2:mm/memcontrol.c) mm/memcontrol.c
BASE
}

# fake_qemu: QEMU= is a script that behaves as FAKE says
fake_qemu() {
	export QEMU=$BATS_TEST_TMPDIR/bin/qemu-fake
	cat >"$QEMU" <<'QEMU'
#!/bin/bash
# FAKE=pass|die|hang|mute|vanish, FAKE_TAP_<kernel>=file, FAKE_CONSOLE=file
for a; do
	case $a in
	*path=*) results=${a##*path=} ;;
	file:*) console=${a#file:} ;;
	esac
done
echo "$$" >>"$(dirname "$QEMU")/pids"
kernel=$(basename "$(dirname "$results")")
echo "Linux version fake" >"$console"
case $FAKE in
die) echo "qemu: no such machine" >&2; exit 1 ;;
hang) exec sleep 600 ;;
esac
echo "# guest: up" >"$results"
[ -z "$FAKE_CONSOLE" ] || cat "$FAKE_CONSOLE" >>"$console"
case $FAKE in
mute) exec sleep 600 ;;
vanish) exit 0 ;;
esac
tap=FAKE_TAP_${kernel%-*}
cat "${!tap:-$FAKE_TAP}" >>"$results"
echo "# guest: done 0" >>"$results"
QEMU
	chmod +x "$QEMU"
}

# tap FILE PROGRAM RC SUBTEST...: one program's results as the runner nests
# them; a SUBTEST is name=ok, name=fail or name=skip. First call with a new
# FILE writes the header; the plan says one program for each later call too.
tap() {
	local file=$1 program=$2 rc=$3 n=0 s
	shift 3
	[ -s "$file" ] || printf 'TAP version 13\n1..9\n' >"$file"
	printf '# overriding timeout to 300\n# selftests: cgroup: %s\n' "$program" >>"$file"
	if (($#)); then
		printf '# TAP version 13\n# 1..%d\n' $# >>"$file"
		for s; do
			n=$((n + 1))
			case $s in
			*=ok) echo "# ok $n ${s%=*}" ;;
			*=fail) printf '# why it failed\n# not ok %d %s\n' $n "${s%=*}" ;;
			*=skip) echo "# ok $n # SKIP ${s%=*}" ;;
			esac >>"$file"
		done
	fi
	n=$(grep -cE '^(not )?ok ' "$file" || true)
	if ((rc)); then
		echo "not ok $((n + 1)) selftests: cgroup: $program # exit=$rc" >>"$file"
	else
		echo "ok $((n + 1)) selftests: cgroup: $program" >>"$file"
	fi
	sed -i "s/^1\.\.[0-9]*$/1..$((n + 1))/" "$file"
}

# says TEXT: the last run's output has it
# shellcheck disable=SC2154 # bats sets output
says() {
	[[ $output == *"$1"* ]] || {
		printf 'wanted: %s\nsaid:\n%s\n' "$1" "$output" >&2
		return 1
	}
}
