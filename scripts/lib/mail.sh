# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The cover letter and b4's tracking as plain files, how they get into a branch
# and back, and a b4 that cannot send. After common.sh, tree.sh and base_load.

# cover_files: sets C_DIR, C_REVISION, C_CHANGE_ID and C_NAME, the series' name
# within its change-id
cover_files() {
	local f
	# shellcheck disable=SC2153 # B_NAME is base_load's
	C_DIR=$TOP/b4-cover/$B_NAME
	for f in cover tracking template .b4-config; do
		[ -f "$C_DIR/$f" ] || die "$C_DIR/$f does not exist; a series that is mailed has it: see b4-cover/mainline"
	done
	C_REVISION=$(tracking_field revision)
	C_CHANGE_ID=$(tracking_field change-id)
	[[ $C_REVISION =~ ^[1-9][0-9]*$ && $C_CHANGE_ID =~ ^[0-9]{8}-.+-[0-9a-f]+$ ]] ||
		die "$C_DIR/tracking has no revision or no change-id that b4 would make; git log -p shows the last good one"
	C_NAME=${C_CHANGE_ID#*-}
	C_NAME=${C_NAME%-*}
}

# tracking_field NAME
tracking_field() {
	python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["series"][sys.argv[2]])' \
		"$C_DIR/tracking" "$1" 2>/dev/null || true
}

# cover_check: the cover can be mailed, or the script ends with what is wrong
cover_check() {
	local f=$C_DIR/cover bad
	bad=$(grep -n EDITME "$f") &&
		die "$f still says EDITME, write what it asks for: line $bad"
	if [ -z "$(sed -n 1p "$f")" ] || [ -n "$(sed -n 2p "$f")" ] || [ -z "$(sed -n '3,$p' "$f")" ]; then
		die "$f has no subject: its first line is the subject, the second is empty, the text follows"
	fi
	# b4 takes the first it finds for the mail's own, and the recipients are
	# get_maintainer.pl's
	bad=$(grep -nE '^(base-commit|base-tree|change-id|To|Cc|Signed-off-by): ' "$f") &&
		die "$f has what is added when the mail is made; delete line $bad"
	return 0
}

# cover_load DIR BRANCH BASE: cover and tracking into the branch's description,
# where b4's strategy of that name looks, and .b4-config into DIR's git folder,
# included on that branch alone. BASE is a commit, or a branch that nobody
# moves: b4 takes what lies between it and BRANCH.
cover_load() {
	local dir=$1 branch=$2 base=$3 own
	own=$(git -C "$dir" rev-parse --absolute-git-dir)/memcg-charge/${branch//\//-}
	mkdir -p "$own"
	sed "s/@BASE_TREE@/$(git -C "$dir" rev-parse "$base^{tree}")/" "$C_DIR/template" >"$own/template"
	{
		cat "$C_DIR/.b4-config"
		printf '[b4]\n\tprep-cover-template = "%s"\n' "$own/template"
	} >"$own/config"
	git -C "$dir" config "includeIf.onbranch:$branch.path" "$own/config"
	git -C "$dir" config "branch.$branch.b4-prep-cover-strategy" branch-description
	git -C "$dir" config "branch.$branch.description" "$(cat "$C_DIR/cover")"
	git -C "$dir" config "branch.$branch.b4-tracking" "$(tracking_json "$base" <"$C_DIR/tracking")"
	git -C "$dir" config "branch.$branch.memcg-cover" "$(cover_hash "$C_DIR")"
}

# cover_unload DIR BRANCH: all of that away again, but for the branch's section,
# which git deletes with the branch
cover_unload() {
	local own
	own=$(git -C "$1" rev-parse --absolute-git-dir)/memcg-charge/${2//\//-}
	git -C "$1" config --remove-section "includeIf.onbranch:$2" 2>/dev/null || true
	rm -rf "$own"
}

# cover_read DIR BRANCH TO: what the branch says now, into the files TO/cover and
# TO/tracking; false when it has no cover. Left out is what belongs to that tree:
# the base, and the recipients that b4 prep --auto-to-cc wrote.
cover_read() {
	local text tracking
	text=$(git -C "$1" config "branch.$2.description") || return 1
	tracking=$(git -C "$1" config "branch.$2.b4-tracking") || return 1
	sed -E '/^(To|Cc): /d' <<<"$text" | cover_normal >"$3/cover"
	tracking_json <<<"$tracking" >"$3/tracking"
}

# cover_normal: standard input without doubled and last empty lines, which are
# left where recipients were and which mean nothing
cover_normal() {
	cat -s | sed -e '$!b' -e '/^$/d'
}

# tracking_json [BASE]: b4's tracking on standard input, one line with the base
# for b4, or without it and indented for a file
tracking_json() {
	python3 -c '
import json, sys
t = json.load(sys.stdin)
t["series"].pop("base-branch", None)
if len(sys.argv) > 1:
    t["series"]["base-branch"] = sys.argv[1]
print(json.dumps(t, indent=None if len(sys.argv) > 1 else 2))' "$@"
}

# cover_hash DIR: of what DIR/cover and DIR/tracking say
cover_hash() {
	{
		cover_normal <"$1/cover"
		tracking_json <"$1/tracking"
	} | sha1sum | cut -c 1-12
}

# b4_deaf LABEL LOG DIR ARGS...: b4 in DIR, watched, that hears nothing of this
# machine's user and network: no configuration, no .signature, no state but below
# OUT/mail. Its identity is the patches' author. With a local program as the mail
# server b4 never asks the network, and this one fails.
b4_deaf() {
	local label=$1 log=$2 dir=$3 home=$OUT/mail/home b4 from address
	shift 3
	b4=$("$TOP/scripts/b4")
	from=$(series_author)
	address=${from##*<}
	mkdir -p "$home"
	printf '[user]\n\tname = %s\n\temail = %s\n[core]\n\thooksPath = /dev/null\n' \
		"${from% <*}" "${address%>}" >"$home/gitconfig"
	watch_cmd "$label" "$log" no_count env -i -C "$dir" \
		PATH="$PATH" HOME="$home" LANG=C.UTF-8 TZ=UTC \
		XDG_CONFIG_HOME="$home/config" XDG_DATA_HOME="$home/data" XDG_CACHE_HOME="$home/cache" \
		GIT_CONFIG_GLOBAL="$home/gitconfig" GIT_CONFIG_NOSYSTEM=1 \
		"$b4" --offline-mode --no-stdin -c sendemail.smtpserver=/bin/false \
		-c b4.attestation-policy=off "$@"
}

# series_author: who the patch files are from
series_author() {
	local first
	first=$(series_list | head -n 1)
	sed -n '/^From: /{s/^From: //p;q}' "$first"
}

# mail_tree FROM TO: TO becomes a git tree with the branches base and patched of
# FROM that has next to no files: what is committed there is read from git
mail_tree() {
	rm -rf "$2"
	git clone -q --shared --no-tags --no-checkout "$1" "$2"
	git -C "$2" config memcg.ours 1
	git -C "$2" sparse-checkout set --no-cone /Kbuild
	git -C "$2" branch -q --no-track base origin/base
	git -C "$2" checkout -q --no-track -B patched origin/patched
}

# sent_tag N: the name that b4 gives the state sent as version N
sent_tag() {
	printf 'sent/%s-v%s\n' "$C_CHANGE_ID" "$1"
}

# sent_before DIR: the version before this one into the mail tree DIR, under b4's
# tag, for the range-diff in the cover: the patches of this repository's tag of
# the same name
sent_before() {
	local tag work g
	((C_REVISION > 1)) || return 0
	tag=$(sent_tag $((C_REVISION - 1)))
	git -C "$TOP" rev-parse -q --verify "refs/tags/$tag" >/dev/null ||
		die "this repository has no tag $tag, which the range-diff in the cover of v$C_REVISION is made against; fetch it: git fetch --tags"
	work=$(mktemp -d "$OUT/mail/before.XXXXXX")
	git -C "$TOP" archive "$tag" "patches/$B_NAME" | tar -x -C "$work"
	g=(git -C "$1" -c user.name=dry-run -c user.email=dry-run@localhost -c core.hooksPath=/dev/null
		-c commit.gpgSign=false -c tag.gpgSign=false -c core.autocrlf=false -c advice.detachedHead=false)
	"${g[@]}" checkout -q --detach base
	lines "$work/patches/$B_NAME/series" | sed "s|^|$work/patches/$B_NAME/|" |
		xargs -d '\n' "${g[@]}" am -q --no-3way >"$OUT/log/am-before.log" 2>&1 ||
		die "the patches of tag $tag do not apply to the base of today; log: $OUT/log/am-before.log"
	"${g[@]}" tag -a -m "$tag" -m "base-commit: $("${g[@]}" rev-parse base)
change-id: $C_CHANGE_ID" "$tag"
	"${g[@]}" checkout -q patched
	rm -rf "$work"
}
