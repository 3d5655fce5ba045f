# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Compiles files as one commit has them, and hears what gcc and sparse have to
# say; the half of check-objects that knows Kbuild. What compile_kernel and
# compile_selftests print is an entry:
#
#   file FILE OBJECT       OBJECT was compiled for FILE
#   said OBJECT WARNING    of gcc or sparse, while they compiled OBJECT
#   objects N              the number of compilers' calls, of selftests
#
# with "*" as OBJECT where a make of whole targets does not tell. The caller has set
# T_DIR, T_SOURCE (the tree of import-series), T_NAME (its last part), PATCHED
# (the series' last commit), TESTS_CONFIG (kselftest_fragment's), SPARSE and an arch
# (arch_load), and has sourced tree.sh and config.sh.

# what users said of a header
declare -A USERS=()

# learn_users HEADER
learn_users() {
	[ -n "${USERS[$1]+x}" ] || USERS[$1]=$(users "$1")
}

# name and fragments beside those of every guest kernel. The option of a fragment
# that a commit does not have yet is no fault here.
configurations="
default
nov1	nov1.config
kunit	kunit.config counters.config
"

# fragments CONFIGURATION: paths, one a line
fragments() {
	printf '%s\n' "$TOP/kernel-config/base.config" "$TOP/kernel-config/$A_NAME.config" "$TESTS_CONFIG"
	awk -v c="$1" -v d="$TOP/kernel-config/" '$1 == c { for (i = 2; i <= NF; i++) print d $i }' <<<"$configurations"
}

# ready_tree: the checkout, with the folders that compiling any object of the
# core needs and those that the series touches. 17,000 of 96,000 files.
ready_tree() {
	[ -z "${TREE_READY:-}" ] || return 0
	local f
	T_DIR=$OUT/tree/$T_NAME
	# a clone of a tree that is gone, or was made anew, lacks its objects
	if ! [ -d "$T_DIR/.git" ] || ! tgit rev-parse -q --verify 'HEAD^{tree}' >/dev/null 2>&1; then
		room "$OUT" 1500
		rm -rf "$T_DIR" "$T_DIR.making"
		mkdir -p "$OUT/tree"
		git clone -q --shared --no-checkout "$T_SOURCE" "$T_DIR.making"
		mv "$T_DIR.making" "$T_DIR"
	fi
	tgit fetch -q "$T_SOURCE" +base:refs/base +patched:refs/patched
	{
		printf '%s\n' '/*' '!/*/' 'Kconfig*' /arch/x86/ /include/ /kernel/ /lib/ /mm/ /scripts/ \
			/tools/ '!/tools/testing/' /tools/testing/selftests/
		tgit diff --name-only refs/base refs/patched | while read -r f; do
			while f=$(dirname "$f") && [ "$f" != . ]; do
				printf '/%s\n' "$f/Makefile" "$f/Kbuild" "$f/*.[ch]"
			done
		done | sort -u
	} | tgit sparse-checkout set --no-cone --stdin
	TREE_READY=1
}

# users HEADER: the .c files of mm/ and kernel/ that include it, by
# themselves or through one other header. memcontrol.h has hundreds, and all of
# them for each patch would be another full build: of more than 8 those stay
# that are named after the header, memcontrol.c and memcontrol-v1.c, and no
# other header is looked at. Who includes what is asked of the whole series: what a
# commit does not have yet it does not build either.
users() {
	local h
	direct_users "$1"
	[ "$(includers "$1" '*.c' | grep -cE '^(mm|kernel)/')" -gt 8 ] || includers "$1" '*.h' |
		{ grep -E '^(include|mm|kernel)/' || true; } | while read -r h; do
		direct_users "$h"
	done
}

# direct_users HEADER
direct_users() {
	includers "$1" '*.c' | grep -E "^(mm|kernel|$(dirname "$1"))/" |
		awk -v stem="$(basename "$1" .h)" '
			{ all[NR] = $0; f = $0; sub(".*/", "", f); if (index(f, stem) == 1) named[NR] = $0 }
			END { if (NR > 8) for (i in named) print named[i]; else for (i in all) print all[i] }' || true
}

# includers HEADER PATTERN: the files of that pattern that include it
includers() {
	local how
	case $1 in
	include/*) how="<$(sed -E 's,^include/(uapi/)?,,' <<<"$1")>" ;;
	arch/*/include/*) how="<${1#arch/*/include/}>" ;;
	*) how="[\"/]$(basename "$1")\"" ;;
	esac
	tgit grep -lE "^#[[:space:]]*include[[:space:]].*${how//./\\.}" "$PATCHED" -- "$2" | sed 's/^[^:]*://' || true
}

# built CONFIGURATION_FOLDER DIR: the objects of DIR that the configuration
# builds, as Kbuild itself lists them
built() {
	[ -f "$T_DIR/$2/Makefile" ] || [ -f "$T_DIR/$2/Kbuild" ] || return 0
	# shellcheck disable=SC2016 # the variables are make's
	make -s -rR -C "$1" -f "$T_DIR/scripts/Makefile.build" srctree="$T_DIR" srcroot="$T_DIR" objtree=. \
		VPATH="$T_DIR" obj="$2" --eval 'print-objects: ; @echo $(real-obj-y) $(real-obj-m)' print-objects |
		tr ' ' '\n'
}

# object CONFIGURATION_FOLDER FILE.c: sets OBJECT to its object when the
# configuration has it, else to nothing; mm/tests/x.o may be an object of
# mm/Makefile. What built says is kept in the caller's LISTS.
object() {
	local dir=$2
	OBJECT=
	while dir=$(dirname "$dir") && [ "$dir" != . ]; do
		[ -n "${LISTS[$dir]+x}" ] || LISTS[$dir]=" $(built "$1" "$dir" | tr '\n' ' ')"
		if [[ ${LISTS[$dir]} == *" ${2%.c}.o "* ]]; then
			OBJECT=${2%.c}.o
			return
		fi
	done
}

# said LOG [OBJECT]: the warnings and errors of a log, with paths from the tree's
# top; OBJECT is the one that is being compiled, as make -O keeps them together, or the
# one given
said() {
	sed "s|^[^ :]*/$T_NAME/||" "$1" | awk -v all="${2:-}" '
		BEGIN { object = "-" }
		/^  CC / { object = $NF }
		/^[^ :]+:[0-9:]+ (warning|error): / { print "said", all ? all : object, $0 }'
}

# fail TEXT LOG: ends a compile
fail() {
	say "$1; log $2"
	grep -nE '(error|Error|warning): |Error [0-9]' "$2" | head -n 15 >&2 || tail -n 15 "$2" >&2
	return "$RC_FAIL"
}

# configure FOLDER CONFIGURATION COMMIT LOG: where fragments and Kconfig files
# are those of the last time, nothing. Gives the .config that "make tinyconfig",
# merge_config.sh and "make olddefconfig" give, and reads the Kconfig files twice for
# it, not three times: tinyconfig is an allnoconfig with the first of these files
# and a merge of the others.
configure() {
	local obj=$1 key lost line files
	local -a tiny=("$T_DIR"/kernel/configs/{tiny-base,tiny}.config "$T_DIR/arch/x86/configs/tiny.config")
	mapfile -t files < <(fragments "$2")
	key=$({
		cat "${files[@]}"
		tgit ls-tree -r "$3" | grep -E '/Kconfig[^/]*$|/tiny[^/]*\.config$'
	} | sha1sum)
	[ "$(cat "$obj/key" 2>/dev/null)" != "$key" ] || return 0
	rm -f "$obj/key"
	{
		cat "${tiny[@]}" >"$obj/tiny.config" &&
			KCONFIG_ALLCONFIG=$obj/tiny.config "${make[@]}" -s allnoconfig &&
			(cd "$T_DIR" && ./scripts/kconfig/merge_config.sh -m -O "$obj" "$obj/.config" "${files[@]}") &&
			"${make[@]}" -s olddefconfig && "${make[@]}" -s prepare
	} >"$4" 2>&1 || fail "configuration $2 failed" "$4" || return
	lost=$(lost_options "$obj/.config" "${files[@]}" | while read -r line; do
		[[ $line =~ CONFIG_([A-Z0-9_]+) ]]
		if tgit grep -qE "^(menu)?config ${BASH_REMATCH[1]}\$" "$3" -- '*Kconfig*'; then echo "$line"; fi
	done)
	[ -z "$lost" ] || fail "configuration $2: $lost" "$4" || return
	echo "$key" >"$obj/key"
}

# compile_kernel COMMIT CONFIGURATION LOG FILE...
compile_kernel() {
	local commit=$1 config=$2 log=$3 obj f c o all
	local -A objects=() LISTS=()
	local -a make from=()
	shift 3
	obj=$OUT/O/$T_NAME/objects-$config
	mkdir -p "$obj"
	make=(make -C "$T_DIR" O="$obj" ARCH="$A_KARCH" CROSS_COMPILE="$A_CROSS" CC="ccache ${A_CROSS}gcc"
		HOSTCC="ccache gcc" W=1 "-j$(nproc)")
	configure "$obj" "$config" "$commit" "$log" || return
	for f; do
		tgit cat-file -e "$commit:$f" 2>/dev/null || continue
		case $f in
		*.c) all=$f ;;
		*.h)
			learn_users "$f"
			all=${USERS[$f]}
			;;
		esac
		for c in $all; do
			object "$obj" "$c"
			[ -n "$OBJECT" ] || continue
			from+=("$f $OBJECT") objects[$OBJECT]=1
		done
	done
	if ((${#objects[@]})); then
		# an object that is up to date would say nothing; ccache has its words
		(cd "$obj" && rm -f "${!objects[@]}")
		"${make[@]}" -O C=2 CHECK="$SPARSE" "${!objects[@]}" >"$log" 2>&1 || fail "does not compile" "$log" || return
		! grep -n 'is not available or not up to date' "$log" >&2 || fail "the kernel refuses $SPARSE" "$log" || return
		for o in "${!objects[@]}"; do
			# 6.12.y names the whole path
			grep -qE "^  CHECK   (/.*/)?${o%.o}\\.c\$" "$log" || fail "sparse did not see ${o%.o}.c" "$log" || return
		done
	else
		: >"$log"
	fi
	for f in "${from[@]}"; do echo "file $f"; done
	said "$log"
}

# compile_selftests COMMIT TARGET LOG: the same for a folder of
# tools/testing/selftests, whole
compile_selftests() {
	local commit=$1 target=$2 log=$3 obj=$OUT/O/$T_NAME/objects-selftests-$2 f
	rm -rf "$obj"
	mkdir -p "$obj"
	make -C "$T_DIR/tools/testing/selftests" O="$obj" ARCH="$A_KARCH" CROSS_COMPILE="$A_CROSS" \
		TARGETS="$target" FORCE_TARGETS=1 V=1 "-j$(nproc)" >"$log" 2>&1 || fail "does not compile" "$log" || return
	printf 'objects %d\n' "$(grep -cE '(^|[ /])gcc .*\.c( |$)' "$log")"
	# the log has each compiler's line; a header belongs to its target
	tgit ls-tree -r --name-only "$commit" "tools/testing/selftests/$target" | grep '\.[ch]$' | while read -r f; do
		case $f in *.c) grep -qE "gcc .*[ /]$(basename "$f")( |\$)" "$log" || continue ;; esac
		echo "file $f *"
	done
	said "$log" '*'
}
