#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# The series as mail and back, on a fake tree with the real b4

load helpers

# what every test needs of the real cache; made here on a fresh machine
setup_file() {
	"$BATS_TEST_DIRNAME/../scripts/b4" >/dev/null
}

setup() {
	project
	ln -s "$REAL_CACHE/b4" "$XDG_CACHE_HOME/memcg-charge/b4"
	series
	# in the form of ours: a changelog, and who assisted
	sed -i '/^Subject:/a\\nA changelog.\n\nAssisted-by: LLM' "$P"/patches/mainline/*.patch
	sed -i '/^Assisted-by/{n;/^$/d}' "$P"/patches/mainline/*.patch
	cp -r "$REPO/b4-cover" "$P"
	C=$P/b4-cover/mainline
	printf 'memcg: a series\n\nWhat it is about.\n\nAnd more.\n' >"$C/cover"
	printf '{"series": {"revision": 1, "change-id": "20261201-fake-0123456789ab"}}\n' >"$C/tracking"
	rm -f "$C/trailers"
	git -C "$P" init -q -b main
	printf '/out/\n/linux/\n' >"$P/.gitignore"
	save
	export TREE=$BATS_TEST_TMPDIR/tree
	kernel_tree "$TREE"
	mail_tools "$TREE"
	unset MBOX B4
	# the person's own configuration, which would send if anything did
	export HOME=$BATS_TEST_TMPDIR/home GIT_CONFIG_NOSYSTEM=1
	mkdir -p "$HOME"
	cat >"$BATS_TEST_TMPDIR/bin/mailer" <<'MAILER'
#!/bin/sh
cat >>"$(dirname "$0")/mailed"
MAILER
	chmod +x "$BATS_TEST_TMPDIR/bin/mailer"
	git config --global user.name "Sam Submitter"
	git config --global user.email sam@example.org
	git config --global sendemail.smtpserver "$BATS_TEST_TMPDIR/bin/mailer"
	git config --global sendemail.to list@example.org
	git config --global b4.send-series-to list@example.org
	unset XDG_CONFIG_HOME XDG_DATA_HOME EMAIL "${!GIT_AUTHOR_@}" "${!GIT_COMMITTER_@}"
}

# save: what is in the project now is committed
save() {
	git -C "$P" add -A
	git -C "$P" -c user.name=t -c user.email=t@localhost commit -q -m save
}

# mail_tools TREE: what b4 runs of a kernel tree, without its answers
mail_tools() {
	cat >"$1/scripts/get_maintainer.pl" <<'GETM'
#!/bin/sh
# --nol leaves the lists out, --nom the persons
cat >/dev/null
case " $* " in
*" --nol "*) echo "Mo Maintainer <mo@example.org>" ;;
*) echo "list@example.org" ;;
esac
GETM
	printf '#!/bin/sh\n' >"$1/scripts/checkpatch.pl"
	chmod +x "$1"/scripts/*.pl
	git -C "$1" add -f -A
	git -C "$1" commit -q -m tools
}

# verb SCRIPT: runs it for the series
verb() {
	run "$P/scripts/$1" mainline
}

# T ARGS: git in the throw-away tree
T() {
	git -C "$(echo "$P"/linux/mainline*)" "$@"
}

# no PATTERN PATH...: nothing there has it
no() {
	run grep -r -- "$@"
	[ "$status" = 1 ]
}

nothing_sent() {
	[ ! -e "$BATS_TEST_TMPDIR/bin/mailed" ]
}

# sent: the person types what prepare-send printed
sent() {
	verb prepare-send
	[ "$status" = 0 ]
	# his Enter, for the checks and for good
	printf '\n\n' | bash -c "${lines[-1]} --no-sign"
	[ -s "$BATS_TEST_TMPDIR/bin/mailed" ]
}

@test "mbox: git am of it on a clean base gives the tree of the series" {
	verb mbox
	[ "$status" = 0 ]
	mbox=$P/out/fake-v1.mbox
	[ "${lines[-1]}" = "$mbox" ]
	grep -q 'What it is about' "$P/out/fake-v1.cover"
	git -C "$TREE" am -q --no-3way "$mbox"
	[ "$(git -C "$TREE" rev-parse 'HEAD^{tree}')" = "$(T rev-parse 'patched^{tree}')" ]
	nothing_sent
}

@test "mbox: again it does nothing, a new cover makes it anew" {
	verb mbox
	before=$(stat -c %y "$P/out/fake-v1.mbox")
	verb mbox
	[ "$(stat -c %y "$P/out/fake-v1.mbox")" = "$before" ]
	sed -i 's/And more/And less/' "$C/cover"
	verb mbox
	[ "$status" = 0 ]
	grep -q 'And less' "$P/out/fake-v1.cover"
}

@test "send-dry-run: all equal, each mail has recipients, and nothing is sent" {
	verb send-dry-run
	[ "$status" = 0 ]
	says "2 patches and a cover, mailed and read back: 2 of 2 equal"
	for mail in "$P"/out/mail/thread/new/*.eml; do
		grep -q '^To: Mo Maintainer <mo@example.org>' "$mail"
		grep -q '^Cc: list@example.org' "$mail"
		grep -q '^From: T <t@localhost>\|^From: t <t@localhost>' "$mail"
	done
	grep -q "^base-tree: $(git -C "$TREE" rev-parse 'HEAD^{tree}')" "$P"/out/mail/thread/new/0000*
	nothing_sent
}

@test "send-dry-run fails when a mail does not come back as it was" {
	# an am that loses the second patch's text
	cat >"$BATS_TEST_TMPDIR/bin/b4" <<B4
#!/bin/bash
"$("$REPO/scripts/b4")" "\$@" || exit
case " \$* " in *" am "*) sed -i 's/^A changelog/Another changelog/' "$P"/out/mail/*.mbx ;; esac
B4
	chmod +x "$BATS_TEST_TMPDIR/bin/b4"
	B4=$BATS_TEST_TMPDIR/bin/b4 verb send-dry-run
	[ "$status" = 1 ]
	says "comes back with other trees, authors or changelogs"
	says "Another changelog"
	says "git range-diff finds differences"
}

@test "send-dry-run fails when a patch is lost on the way" {
	cat >"$BATS_TEST_TMPDIR/bin/b4" <<B4
#!/bin/bash
"$("$REPO/scripts/b4")" "\$@" || exit
case " \$* " in *" send "*) rm -f "$P"/out/mail/thread/new/0002*.eml ;; esac
B4
	chmod +x "$BATS_TEST_TMPDIR/bin/b4"
	B4=$BATS_TEST_TMPDIR/bin/b4 verb send-dry-run
	[ "$status" = 1 ]
	says "2 mails for 2 patches and a cover"
	says "range-diff finds differences"
}

@test "a cover without subject, with EDITME or with what b4 adds is not mailed" {
	printf 'What it is about.\n' >"$C/cover"
	verb mbox
	[ "$status" = 5 ]
	says "b4-cover/mainline/cover has no subject"
	printf 'memcg: a series\n\n- EDITME: what is new\n' >"$C/cover"
	verb prepare-send
	[ "$status" = 5 ]
	says "b4-cover/mainline/cover still says EDITME"
	printf 'memcg: a series\n\nText.\n\nCc: x@example.org\n' >"$C/cover"
	verb mbox
	[ "$status" = 5 ]
	says "delete line 5:Cc:"
	rm "$C/cover"
	verb mbox
	[ "$status" = 5 ]
	says "b4-cover/mainline/cover does not exist"
	[ ! -e "$P/out/fake-v1.mbox" ]
}

@test "a tracking that b4 did not write is refused" {
	printf '{"series": {"revision": 0}}\n' >"$C/tracking"
	verb cover-in
	[ "$status" = 5 ]
	says "b4-cover/mainline/tracking has no revision"
}

@test "cover-in and cover-out: in and back is the same, recipients stay out" {
	verb cover-in
	[ "$status" = 0 ]
	cp "$C/cover" "$BATS_TEST_TMPDIR/cover"
	dir=$(echo "$P"/linux/mainline*)
	b4=$("$REPO/scripts/b4")
	(cd "$dir" && "$b4" --offline-mode --no-stdin prep --auto-to-cc)
	T config branch.patched.description | grep -q '^To: Mo Maintainer'
	verb cover-out
	[ "$status" = 0 ]
	cmp "$C/cover" "$BATS_TEST_TMPDIR/cover"
	no 'example.org' "$C"
	(cd "$dir" && EDITOR="sed -i s/more/less/" "$b4" --offline-mode --no-stdin prep --edit-cover)
	verb cover-out
	[ "$status" = 0 ]
	grep -q '^And less' "$C/cover"
	[ "$(git -C "$P" diff --stat -- b4-cover | grep -c '|')" -ge 1 ]
}

@test "cover-in and cover-out: an edit on either side is not overwritten" {
	verb cover-in
	T config branch.patched.description "memcg: another

Text."
	verb cover-in
	[ "$status" = 5 ]
	says "was edited and is not in"
	sed -i 's/more/less/' "$C/cover"
	verb cover-out
	[ "$status" = 5 ]
	says "were edited"
	grep -q 'And less' "$C/cover"
	T config branch.patched.description | grep -q another
	T config --unset branch.patched.description
	verb cover-in
	[ "$status" = 0 ]
	T config branch.patched.description | grep -q 'And less'
}

@test "cover-out without a tree or without a cover in it" {
	verb cover-out
	[ "$status" = 5 ]
	says "run 'make cover-in' first"
	"$P/scripts/import-series" mainline
	verb cover-out
	[ "$status" = 5 ]
	says "has no cover; run 'make cover-in' first"
}

@test "recipients: who gets each patch, and where the command fails" {
	verb recipients
	[ "$status" = 0 ]
	[ "${lines[-6]}" = 0001-mm-first.patch ]
	[ "${lines[-5]}" = "  To: Mo Maintainer <mo@example.org>" ]
	[ "${lines[-1]}" = "  Cc: list@example.org" ]
	printf '#!/bin/sh\necho no MAINTAINERS >&2; exit 1\n' >"$(echo "$P"/linux/mainline*)/scripts/get_maintainer.pl"
	T commit -q -a -m x
	T config memcg.imported "$(T rev-parse patched)"
	verb recipients
	[ "$status" = 5 ]
	says "no MAINTAINERS"
	says "fails in"
}

@test "prepare-send: his name, his sign-off, one command, nothing sent" {
	was=$(git -C "$TREE" rev-parse HEAD)
	verb prepare-send
	[ "$status" = 0 ]
	nothing_sent
	[[ ${lines[-1]} == "cd $TREE && "*"/b4 send" ]]
	[ "$(git -C "$TREE" symbolic-ref --short HEAD)" = b4/fake-v1 ]
	[ "$(git -C "$TREE" rev-parse master)" = "$was" ]
	[ "$(git -C "$TREE" log --format='%an <%ae>' master.. | sort -u)" = "Sam Submitter <sam@example.org>" ]
	[ "$(git -C "$TREE" log -1 --format='%(trailers:only)' | sed '/^$/d')" = "Assisted-by: LLM
Signed-off-by: Sam Submitter <sam@example.org>" ]
	for mail in "$P"/out/mail/fake-v1/*.eml; do
		grep -q '^From: Sam Submitter <sam@example.org>' "$mail"
		grep -q 'mo@example.org' "$mail"
	done
	grep -q "^base-commit: $was" "$P"/out/mail/fake-v1/0000*
	# ours stay without a name
	no 'Signed-off-by\|example.org' "$P/patches" "$C"
	# his other branches know nothing of our settings
	git -C "$TREE" checkout -q master
	[ -z "$(git -C "$TREE" config b4.send-auto-to-cmd || true)" ]
}

@test "prepare-send twice: the branch that is there is not touched" {
	verb prepare-send
	at=$(git -C "$TREE" rev-parse HEAD)
	verb prepare-send
	[ "$status" = 5 ]
	says "branch b4/fake-v1 is in $TREE already"
	[ "$(git -C "$TREE" rev-parse HEAD)" = "$at" ]
}

@test "prepare-send without user.name or user.email" {
	git config --global --unset user.email
	EMAIL=x@example.org GIT_COMMITTER_EMAIL=x@example.org verb prepare-send
	[ "$status" = 5 ]
	says "has no user.email"
	git config --global --unset user.name
	verb prepare-send
	[ "$status" = 5 ]
	says "has no user.name"
	[ "$(git -C "$TREE" symbolic-ref --short HEAD)" = master ]
}

@test "prepare-send: TREE= missing, no folder, no kernel, another version, dirty, ours" {
	TREE='' verb prepare-send
	[ "$status" = 5 ]
	says "TREE= is not given"
	TREE=$BATS_TEST_TMPDIR/none verb prepare-send
	[ "$status" = 5 ]
	says "is not a folder"
	TREE=$P verb prepare-send
	[ "$status" = 5 ]
	says "is not a kernel tree"
	"$P/scripts/import-series" mainline
	ours=$(echo "$P"/linux/mainline*)
	TREE=$ours verb prepare-send
	[ "$status" = 5 ]
	says "throw-away tree"
	echo dirt >>"$TREE/mm/memcontrol.c"
	verb prepare-send
	[ "$status" = 5 ]
	says "has uncommitted changes"
	git -C "$TREE" checkout -q mm
	sed -i 's/^PATCHLEVEL = 3/PATCHLEVEL = 2/' "$TREE/Makefile"
	git -C "$TREE" commit -q -a -m other
	verb prepare-send
	[ "$status" = 5 ]
	says "is version 7.2"
}

@test "prepare-send: a patch that does not apply leaves the tree as it was" {
	sed -i 's/^line 29$/line twenty-nine/' "$TREE/mm/memcontrol.c"
	git -C "$TREE" commit -q -a -m other
	git -C "$TREE" checkout -q --detach
	was=$(git -C "$TREE" rev-parse HEAD)
	verb prepare-send
	[ "$status" = 5 ]
	says "patch 0002-mm-second.patch does not apply"
	says "branch b4/fake-v1 is gone"
	[ "$(git -C "$TREE" rev-parse HEAD)" = "$was" ]
	[ -z "$(git -C "$TREE" status --porcelain)" ]
	[ -z "$(git -C "$TREE" branch --list 'b4/*')" ]
	[ -z "$(git -C "$TREE" config --get-regexp 'branch.b4/|includeif' || true)" ]
}

@test "prepare-send: interrupted, the tree is as it was" {
	printf '#!/bin/sh\ntouch "%s"; sleep 60\n' "$BATS_TEST_TMPDIR/asked" >"$TREE/scripts/get_maintainer.pl"
	git -C "$TREE" commit -q -a -m slow
	"$P/scripts/prepare-send" mainline >"$BATS_TEST_TMPDIR/said" 2>&1 3>&- &
	pid=$!
	for _ in $(seq 300); do
		[ ! -e "$BATS_TEST_TMPDIR/asked" ] || break
		sleep 0.1
	done
	kill -TERM "$pid"
	wait "$pid" || true
	grep -q 'branch b4/fake-v1 is gone' "$BATS_TEST_TMPDIR/said"
	[ "$(git -C "$TREE" symbolic-ref --short HEAD)" = master ]
	[ -z "$(git -C "$TREE" status --porcelain)$(git -C "$TREE" branch --list 'b4/*')" ]
	[ -e "$BATS_TEST_TMPDIR/asked" ]
}

@test "prepare-send: what is not committed here is not sent" {
	sed -i 's/more/less/' "$C/cover"
	verb prepare-send
	[ "$status" = 5 ]
	says "has changes that are not committed"
}

@test "prepare-send: nobody to send to" {
	printf '#!/bin/sh\n' >"$TREE/scripts/get_maintainer.pl"
	git -C "$TREE" commit -q -a -m nobody
	git config --global --unset b4.send-series-to
	verb prepare-send
	[ "$status" = 5 ]
	says "names nobody to send to"
	[ "$(git -C "$TREE" symbolic-ref --short HEAD)" = master ]
}

@test "trailers: those given, to whom they were given, and from which mail" {
	verb import-series
	MBOX=$REPO/tests/canned/thread.mbox verb trailers
	[ "$status" = 0 ]
	says "3 tags written"
	first=$P/patches/mainline/0001-mm-first.patch
	[ "$(sed '/^---$/q' "$first" | grep -- '-by: ')" = "Assisted-by: LLM
Acked-by: Ann Acker <ann@example.org>
Reviewed-by: Rae Reviewer <rae@example.org>" ]
	[ "$(sed '/^---$/q' "$P/patches/mainline/0002-mm-second.patch" | grep -- '-by: ')" = "Assisted-by: LLM
Acked-by: Ann Acker <ann@example.org>" ]
	# not his to give
	says "Trailer: Reviewed-by: Someone Else"
	no 'Signed-off-by\|Fixes:' "$P/patches"
	grep -qxF '<reply-1@example.org> Reviewed-by: Rae Reviewer <rae@example.org>' "$C/trailers"
	verb check-series
	[ "$status" = 0 ]
	# again there is nothing new
	MBOX=$REPO/tests/canned/thread.mbox verb trailers
	[ "$status" = 5 ]
	says "that the patches do not have already"
}

@test "trailers: MBOX= not given, not there, of another series, without trailers" {
	verb trailers
	[ "$status" = 5 ]
	says "MBOX= is not given"
	MBOX=$BATS_TEST_TMPDIR/none verb trailers
	[ "$status" = 5 ]
	says "none does not exist or is empty"
	sed 's/20261201-fake/20261201-other/; s/mm: \(first\|second\)/mm: other \1/; s/a series/another series/' \
		"$REPO/tests/canned/thread.mbox" >"$BATS_TEST_TMPDIR/other"
	# b4 alone takes a tag for any cover as one for this series
	MBOX=$BATS_TEST_TMPDIR/other verb trailers
	[ "$status" = 5 ]
	says "has no mail of this series (change-id 20261201-fake-0123456789ab)"
	sed '/^\(Reviewed\|Acked\)-by:/d' "$REPO/tests/canned/thread.mbox" >"$BATS_TEST_TMPDIR/none"
	MBOX=$BATS_TEST_TMPDIR/none verb trailers
	[ "$status" = 5 ]
	says "has no Acked-by, Reviewed-by or Tested-by"
	[ -z "$(git -C "$P" status --porcelain)" ]
}

@test "reroll: the tag of what was sent, the next version, a range-diff in its cover" {
	sent
	was=$(git -C "$P" rev-parse HEAD)
	# known in the tree that sent it, not here
	git -C "$TREE" config user.name "Sam Submitter"
	git -C "$TREE" config user.email "$(git config --global user.email)"
	git config --global --remove-section user
	verb reroll
	[ "$status" = 0 ]
	[ "$(git -C "$P" rev-parse 'sent/20261201-fake-0123456789ab-v1^{commit}')" = "$was" ]
	[ "$(git -C "$P" for-each-ref --format='%(taggername)' refs/tags)" = "Sam Submitter" ]
	grep -q '"revision": 2' "$C/tracking"
	grep -q '^Changes in v2:' "$C/cover"
	no 'mo@example.org\|Signed-off-by' "$C"
	# the list of changes is to be written
	verb mbox
	[ "$status" = 5 ]
	says "still says EDITME"
	sed -i 's/^- EDITME: describe.*/- Say more./; /^- EDITME/d' "$C/cover"
	sed -i 's/^A changelog/A better changelog/' "$P/patches/mainline/0002-mm-second.patch"
	save
	git -C "$TREE" checkout -q master
	verb send-dry-run
	[ "$status" = 0 ]
	cover=$(cat "$P"/out/mail/thread/new/0000*.eml)
	[[ $cover == *"Range-diff versus v1:"*"= 1:"*"A better changelog"* ]]
	[[ $cover == *"Subject: [PATCH v2 0/2] memcg: a series"* ]]
	verb prepare-send
	[ "$status" = 0 ]
	grep -q 'A better changelog' "$P"/out/mail/fake-v2/0000*
}

@test "reroll without TREE=, without a sent tag, and of another commit" {
	TREE='' verb reroll
	[ "$status" = 5 ]
	says "TREE= is not given"
	verb reroll
	[ "$status" = 5 ]
	says "v1 was not sent from $TREE"
	sent
	sed -i 's/more/less/' "$C/cover"
	verb reroll
	[ "$status" = 5 ]
	says "was changed after v1 was prepared"
	git -C "$P" checkout -q b4-cover
	git -C "$P" commit -q --allow-empty -m later
	git -C "$P" tag sent/20261201-fake-0123456789ab-v1
	verb reroll
	[ "$status" = 5 ]
	says "delete the wrong one"
	[ -z "$(git -C "$P" status --porcelain)" ]
}

@test "the second version without the tag of the first" {
	sed -i 's/"revision": 1/"revision": 2/' "$C/tracking"
	save
	verb mbox
	[ "$status" = 5 ]
	says "has no tag sent/20261201-fake-0123456789ab-v1"
	verb prepare-send
	[ "$status" = 5 ]
	says "has no tag sent/20261201-fake-0123456789ab-v1"
}

@test "b4: none and no network, and a B4= that is none or too old" {
	rm "$XDG_CACHE_HOME/memcg-charge/b4"
	cat >"$BATS_TEST_TMPDIR/bin/apt-get" <<'APT'
#!/bin/sh
case " $* " in
*indextargets*) echo mirror ;;
*) echo "Temporary failure resolving"; exit 100 ;;
esac
APT
	chmod +x "$BATS_TEST_TMPDIR/bin/apt-get"
	run "$P/scripts/b4"
	[ "$status" = 5 ]
	says "is there a network"
	[ -z "$(ls "$XDG_CACHE_HOME/memcg-charge/b4" 2>/dev/null)" ]
	B4=/bin/true run "$P/scripts/b4"
	[ "$status" = 5 ]
	says "is no b4"
	printf '#!/bin/sh\necho 0.12.0\n' >"$BATS_TEST_TMPDIR/bin/b4"
	chmod +x "$BATS_TEST_TMPDIR/bin/b4"
	B4=$BATS_TEST_TMPDIR/bin/b4 run "$P/scripts/b4"
	[ "$status" = 5 ]
	says "is 0.12.0 and has to be 0.14.2 or newer"
}
