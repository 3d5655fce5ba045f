# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The throw-away kernel tree below linux/: how it is reached and kept honest.

# tree_dir: the work tree that belongs to the loaded base and to TREE=
tree_dir() {
	if [ -n "${TREE:-}" ]; then
		printf '%s/linux/%s-%s\n' "$TOP" "$B_NAME" "$(realpath -m -- "$TREE" | sha1sum | cut -c 1-8)"
	else
		printf '%s/linux/%s\n' "$TOP" "$B_NAME"
	fi
}

# tgit ARGS: git in the work tree, deaf to hooks, signing and line-end magic of
# the user's own configuration
tgit() {
	git -C "$T_DIR" -c core.hooksPath=/dev/null -c commit.gpgSign=false \
		-c core.autocrlf=false -c advice.detachedHead=false \
		-c advice.mergeConflict=false -c gc.auto=0 "$@"
}

# tree_check_source DIR: DIR is a kernel git tree of the base's version with
# nothing uncommitted, or the script ends with a word on why not
tree_check_source() {
	local dir=$1 version
	[ -d "$dir" ] || die "TREE=$dir is not a folder"
	if [ ! -f "$dir/Makefile" ] || [ ! -f "$dir/Kbuild" ] || [ ! -d "$dir/mm" ]; then
		die "TREE=$dir is not a kernel tree (no Makefile, Kbuild and mm/ in it)"
	fi
	version=$(sed -n 's/^VERSION = //p;s/^PATCHLEVEL = /./p' "$dir/Makefile" | tr -d '\n')
	[ "$version" = "$B_VERSION" ] ||
		die "TREE=$dir is version ${version:-unknown}, and series $B_NAME is for $B_VERSION; give another TREE= or BASE="
	[ "$(git -C "$dir" rev-parse --show-prefix 2>/dev/null || echo none)" = "" ] ||
		die "TREE=$dir is not the top of a git tree; make it one: git init, git add -f -A, git commit"
	[ -z "$(git -C "$dir" status --porcelain --untracked-files=no)" ] ||
		die "TREE=$dir has uncommitted changes, which would not be built; commit or stash them"
}

# tree_blobs COMMIT: names each file that differs from what the patches were
# made for; returns 1 when there is one
tree_blobs() {
	local want path have rc=0
	while read -r _ want path; do
		have=$(tgit rev-parse --verify -q "$1:$path" || echo missing)
		[ "$have" = "$want" ] && continue
		say "base differs: $path is ${have:0:12}, and the patches were made for ${want:0:12} ($B_MADE_FOR)"
		rc=1
	done < <(grep '^blob' "$B_DIR/base")
	return $rc
}

# tree_version COMMIT: the kernel's version there, 7.3.4
tree_version() {
	tgit show "$1:Makefile" | sed -n 's/^VERSION = //p;s/^PATCHLEVEL = /./p;s/^SUBLEVEL = /./p' | tr -d '\n'
}

# touched_code FROM TO: the C files and headers of the kernel and of tools/ that
# differ and are there in TO
touched_code() {
	tgit diff --name-only --no-renames --diff-filter=AM "$1" "$2" -- '*.c' '*.h'
}

# is_kernel PATH: does the kernel's own build compile it?
is_kernel() {
	[[ $1 != tools/* && $1 != scripts/* && $1 != samples/* && $1 != Documentation/* ]]
}

# junit_of TREE XML: the KTAP of standard input as JUnit XML, by TREE's own parser,
# whose readable output is printed. Its exit code is the parser's.
junit_of() {
	if grep -q -- --junit "$1/tools/testing/kunit/kunit.py"; then
		python3 "$1/tools/testing/kunit/kunit.py" parse --junit="$2"
	else
		python3 "$TOP/scripts/lib/junit.py" "$1" "$2"
	fi
}
