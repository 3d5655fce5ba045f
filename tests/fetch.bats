#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# fetch-base with a stand-in for apt: whole caches or none

load helpers

setup() {
	project
	series
	# a package as Debian's, of a tiny tree with the tarball's own trap in it
	pkg=$BATS_TEST_TMPDIR/pkg
	mkdir -p "$pkg/DEBIAN" "$pkg/usr/src" "$pkg/usr/share/doc/linux-source-7.3" "$BATS_TEST_TMPDIR/linux-source-7.3"
	kernel_tree "$BATS_TEST_TMPDIR/linux-source-7.3"
	rm -rf "$BATS_TEST_TMPDIR/linux-source-7.3/.git"
	printf '/*\n' >"$BATS_TEST_TMPDIR/linux-source-7.3/.gitignore"
	tar -C "$BATS_TEST_TMPDIR" -cJf "$pkg/usr/src/linux-source-7.3.tar.xz" linux-source-7.3
	printf 'linux (7.3.4-1) x; urgency=low\n\n -- A B <a@b>  Sun, 15 Nov 2026 23:30:52 +0100\n' |
		gzip >"$pkg/usr/share/doc/linux-source-7.3/changelog.Debian.gz"
	printf 'Package: linux-source-7.3\nVersion: 7.3.4-1\nArchitecture: all\nMaintainer: a <a@b>\nDescription: x\n' >"$pkg/DEBIAN/control"
	dpkg-deb -b "$pkg" "$BATS_TEST_TMPDIR/the.deb" >/dev/null
	cat >"$BATS_TEST_TMPDIR/bin/apt-get" <<'APT'
#!/bin/bash
echo "$*" >>"$(dirname "$0")/apt.calls"
case " $* " in
*indextargets*) echo mirror ;;
*" update "*) [ "$APT_FAKE" != offline ] || { echo "Temporary failure resolving"; exit 100; }
	for a; do [[ $a != Dir::State::Lists=* ]] || touch "${a#*=}/x_Packages"; done ;;
*" download "*)
	case $APT_FAKE in
	offline) echo "Temporary failure resolving"; exit 100 ;;
	cut) head -c 100 "$(dirname "$0")/../the.deb" >linux-source-7.3_7.3.4-1_all.deb; kill -KILL $PPID; exit 1 ;;
	*) cp "$(dirname "$0")/../the.deb" linux-source-7.3_7.3.4-1_all.deb ;;
	esac ;;
esac
APT
	cat >"$BATS_TEST_TMPDIR/bin/apt-cache" <<'APT'
#!/bin/sh
printf 'Package: linux-source-7.3\nVersion: 7.3.4-1\nSize: 4096\n'
APT
	chmod +x "$BATS_TEST_TMPDIR"/bin/*
}

fetch() {
	run "$P/scripts/fetch-base" mainline
}

cached() {
	find "$XDG_CACHE_HOME/memcg-charge/base" -name '*.git' 2>/dev/null
}

@test "the package becomes a repository with every file, the same everywhere" {
	fetch
	[ "$status" = 0 ]
	repo=${lines[-1]}
	[ "$(git -C "$repo" ls-tree -r --name-only base | wc -l)" = \
		"$(find "$BATS_TEST_TMPDIR/linux-source-7.3" ! -type d | wc -l)" ]
	id=$(git -C "$repo" rev-parse base)
	rm -rf "$XDG_CACHE_HOME/memcg-charge/base"
	fetch
	[ "$(git -C "${lines[-1]}" rev-parse base)" = "$id" ]
}

@test "once there, no network is asked" {
	fetch
	: >"$BATS_TEST_TMPDIR/bin/apt.calls"
	APT_FAKE=offline fetch
	[ "$status" = 0 ]
	[ ! -s "$BATS_TEST_TMPDIR/bin/apt.calls" ]
}

@test "no network: said so, nothing half-made" {
	APT_FAKE=offline fetch
	[ "$status" = 5 ]
	says "is there a network"
	[ -z "$(cached)" ]
}

@test "an interrupted download leaves no package and no repository, and the next run is whole" {
	APT_FAKE="cut" fetch
	[ "$status" != 0 ]
	[ -z "$(find "$XDG_CACHE_HOME" -path '*debs/linux-source*')" ]
	[ -z "$(cached)" ]
	fetch
	[ "$status" = 0 ]
	[ -n "$(cached)" ]
}

@test "a damaged package is named, nothing half-made" {
	head -c 2000 "$BATS_TEST_TMPDIR/the.deb" >"$BATS_TEST_TMPDIR/short" && mv "$BATS_TEST_TMPDIR/short" "$BATS_TEST_TMPDIR/the.deb"
	fetch
	[ "$status" = 5 ]
	says "linux-source-7.3_7.3.4-1.deb"
	[ -z "$(cached)" ]
	[ -z "$(find "$XDG_CACHE_HOME/memcg-charge/base" -name 'making.*')" ]
}
