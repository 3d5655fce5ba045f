#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# import, export and the check of the two, on a fake tree

load helpers

setup() {
	project
	series
	export TREE=$BATS_TEST_TMPDIR/tree
	kernel_tree "$TREE"
}

import() {
	run "$P/scripts/import-series" mainline
}

T() {
	git -C "$(echo "$P"/linux/mainline*)" "$@"
}

@test "import applies the series; again it does nothing; TREE is not touched" {
	before=$(git -C "$TREE" rev-parse HEAD)
	import
	[ "$status" = 0 ]
	[ "$(T rev-list --count base..patched)" = 2 ]
	at=$(T rev-parse patched)
	import
	[ "$status" = 0 ]
	[ "$(T rev-parse patched)" = "$at" ]
	[ "$(git -C "$TREE" rev-parse HEAD)" = "$before" ]
	[ -z "$(git -C "$TREE" status --porcelain)" ]
	[ -z "$(git -C "$TREE" branch --list patched base)" ]
}

@test "export gives back the files byte for byte" {
	import
	"$P/scripts/export-series" mainline "$BATS_TEST_TMPDIR/out"
	for f in "$P"/patches/mainline/*.patch; do
		cmp "$f" "$BATS_TEST_TMPDIR/out/$(basename "$f")"
	done
}

@test "check-series passes, and names a patch that is not canonical" {
	run "$P/scripts/check-series" mainline
	[ "$status" = 0 ]
	says "git am, quilt and git quiltimport agree"
	sed -i 's/^Subject: \[PATCH\] mm: first/Subject: [PATCH 1\/2] mm: first/' "$P"/patches/mainline/0001*
	run "$P/scripts/check-series" mainline
	[ "$status" = 1 ]
	says "0001-mm-first.patch"
}

@test "check-series fails on fuzz that git am would not take, and on a stray file" {
	cp "$P"/patches/mainline/0002* "$P/patches/mainline/0003-stray.patch"
	run "$P/scripts/check-series" mainline
	[ "$status" = 1 ]
	says "0003-stray.patch is not in"
}

@test "a patch that does not apply: patch, file and hunk are named, the tree is clean" {
	sed -i 's/^line 29$/line twenty-nine/' "$TREE/mm/memcontrol.c"
	git -C "$TREE" commit -q -a -m other
	import
	[ "$status" = 5 ]
	says "base differs: mm/memcontrol.c"
	says "patch 0002-mm-second.patch does not apply"
	says "file mm/memcontrol.c, hunk at line 27"
	[ -z "$(T status --porcelain)" ]
	[ ! -d "$(T rev-parse --absolute-git-dir)/rebase-apply" ]
}

@test "a tree that differs but takes the series is named and used" {
	sed -i 's/^line 20$/line twenty/' "$TREE/mm/memcontrol.c"
	git -C "$TREE" commit -q -a -m other
	import
	[ "$status" = 0 ]
	says "base differs: mm/memcontrol.c"
	[ "$(T rev-list --count base..patched)" = 2 ]
}

@test "TREE= that is no folder, no kernel, another version, no git, or dirty" {
	TREE=$BATS_TEST_TMPDIR/none import
	[ "$status" = 5 ]
	says "is not a folder"
	mkdir "$BATS_TEST_TMPDIR/empty"
	TREE=$BATS_TEST_TMPDIR/empty import
	[ "$status" = 5 ]
	says "is not a kernel tree"
	sed -i 's/^PATCHLEVEL = 3/PATCHLEVEL = 2/' "$TREE/Makefile"
	import
	[ "$status" = 5 ]
	says "is version 7.2, and series mainline is for 7.3"
	git -C "$TREE" checkout -q Makefile
	echo dirt >>"$TREE/mm/memcontrol.c"
	import
	[ "$status" = 5 ]
	says "has uncommitted changes"
	git -C "$TREE" checkout -q mm
	rm -rf "$TREE/.git"
	import
	[ "$status" = 5 ]
	says "not the top of a git tree"
	[ ! -e "$P/linux" ]
}

@test "work in the throw-away tree is not thrown away" {
	import
	dir=$(echo "$P"/linux/mainline*)
	echo mine >>"$dir/mm/memcontrol.c"
	import
	[ "$status" = 5 ]
	says "has uncommitted changes"
	git -C "$dir" commit -q -a -m mine
	import
	[ "$status" = 5 ]
	says "has commits that are not in"
	run "$P/scripts/export-series" mainline
	[ "$status" = 0 ]
	ls "$P"/patches/mainline/0003-mine.patch
	import
	[ "$status" = 0 ]
}

@test "the hygiene check finds what it looks for" {
	import
	dir=$(echo "$P"/linux/mainline*)
	# the real checkpatch, on a patch with one sin of each kind
	git -C "$REPO/linux/mainline" archive base scripts/checkpatch.pl scripts/spelling.txt scripts/const_structs.checkpatch |
		tar -x -C "$dir"
	p=$P/patches/mainline/0001-mm-first.patch
	sed -i '/^---$/i A line of the changelog that goes on and on, well past the seventy-fifth column.\nSigned-off-by: T <t@localhost>\nReviewed-by: U <u@localhost>' "$p"
	git -C "$dir" config memcg.key "$(git -C "$dir" rev-parse base) $(cat "$P"/patches/mainline/*.patch | sha1sum | cut -c 1-12)"
	printf '%s\n' 'mm: second' '  Status: not sent.' 'mm: first' >"$P/MAINTAINERS-notes"
	run "$P/scripts/check-patches" mainline
	[ "$status" = 1 ]
	says "MAINTAINERS-notes has no 'mm: first' with '  Status: '"
	[[ $output != *"has no 'mm: second'"* ]]
	says "has a Signed-off-by"
	says "tag in somebody's name"
	says "has no 'Assisted-by"
	says "over 75 characters"
}
