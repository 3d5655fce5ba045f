# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Debian packages from another suite or for another architecture than the
# machine's, without touching the machine's own apt: a private configuration
# with lists and cache of its own. The mirror is the machine's own setting.

# apt_private SUITE ARCH: sets APT_OPTS and APT_DIR for apt_fetch. Reads the
# package lists once; APT_REFRESH=1 reads them again. ARCH is "source" for the
# suite's source packages and apt_source. Waits for another process that uses the
# same suite and ARCH.
apt_private() {
	local mirror key=/usr/share/keyrings/debian-archive-keyring.gpg
	local type=deb index=Packages arch=$2
	if [ "$2" = source ]; then
		type=deb-src index=Sources arch=$(dpkg --print-architecture)
	fi
	APT_DIR=$CACHE/apt/$1-$2
	[ -r "$key" ] || die "$key is missing; install Debian's package debian-archive-keyring"
	mkdir -p "$APT_DIR"/lists/partial "$APT_DIR"/cache/archives/partial
	# until this process ends: another one's lists and downloads are half there
	exec 8>>"$APT_DIR/lock"
	flock 8
	# shellcheck disable=SC2016 # $(SITE) and $(ARCHITECTURE) are apt's, not ours
	mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' |
		grep -v security | head -n 1) || true
	[ -n "$mirror" ] ||
		die "this machine's apt names no Debian mirror; run 'apt-get update' as root"
	printf '%s [signed-by=%s] %s %s main\n' "$type" "$key" "$mirror" "$1" >"$APT_DIR/sources.list"
	APT_OPTS=(
		-o "Dir::Etc::SourceList=$APT_DIR/sources.list" -o Dir::Etc::SourceParts=/dev/null
		-o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null
		-o "Dir::State::Lists=$APT_DIR/lists" -o "Dir::Cache=$APT_DIR/cache"
		-o "Dir::State::Status=$APT_DIR/status" -o "APT::Architecture=$arch" -o "APT::Architectures=$arch"
		-o APT::Sandbox::User=root -o Acquire::Languages=none -o Acquire::Retries=2
	)
	: >"$APT_DIR/status"
	if [ -n "${APT_REFRESH:-}" ] || [ -z "$(ls "$APT_DIR"/lists/*"$index"* 2>/dev/null)" ]; then
		watch_cmd "package lists of $1 for $2" "$OUT/log/apt-$1-$2.log" no_count \
			apt-get "${APT_OPTS[@]}" -o APT::Update::Error-Mode=any update ||
			die "cannot read the package lists of $1: is there a network? log: $OUT/log/apt-$1-$2.log"
	fi
}

# apt_candidate PACKAGE: the version that apt_private's suite offers
apt_candidate() {
	apt-cache "${APT_OPTS[@]}" show --no-all-versions "$1" 2>/dev/null |
		awk '$1 == "Version:" { print $2; exit }'
}

# apt_count LOG: for watch_cmd, percent of the download in hand
apt_count() {
	local have
	have=$(du -sb --apparent-size "$APT_DIR/debs/partial" | cut -f 1)
	printf '%d %% of %d MB,' $((have * 100 / DL_SIZE)) $((DL_SIZE >> 20))
}

# apt_fetch PACKAGE...: downloads into APT_DIR/debs, verified by apt against
# the signed lists, and prints each file's path. Fetched beside the place and
# renamed; a file that is there is whole and is not fetched again.
apt_fetch() {
	local package version file tmp=$APT_DIR/debs/partial
	for package; do
		version=$(apt_candidate "$package")
		[ -n "$version" ] || die "package $package is not in the suite that $APT_DIR/sources.list names"
		file=$APT_DIR/debs/${package}_${version//:/%3a}.deb
		if [ ! -f "$file" ]; then
			DL_SIZE=$(apt-cache "${APT_OPTS[@]}" show "$package=$version" | awk '$1 == "Size:" { print $2; exit }')
			room "$tmp" $(((DL_SIZE >> 20) + 10)) XDG_CACHE_HOME
			(cd "$tmp" && watch_cmd "download $package $version" "$OUT/log/download-$package.log" apt_count \
				apt-get "${APT_OPTS[@]}" -q download "$package=$version") ||
				die "download of $package $version failed: no network, or the suite moved on (then: make update-base); log: $OUT/log/download-$package.log"
			mv "$tmp"/*.deb "$file"
			rm -rf "$tmp"
		fi
		printf '%s\n' "$file"
	done
}

# apt_source_candidate PACKAGE: the newest version whose source the suite has
apt_source_candidate() {
	apt-cache "${APT_OPTS[@]}" --only-source showsrc "$1" 2>/dev/null |
		awk '$1 == "Version:" { print $2 }' | sort -V | tail -n 1
}

# apt_source PACKAGE VERSION DIR: unpacks that source, verified by apt against
# the signed lists, into the folder DIR: Debian's files and the source's folder
apt_source() {
	(cd "$3" && watch_cmd "source of $1 $2" "$OUT/log/source-$1.log" no_count \
		apt-get "${APT_OPTS[@]}" -q source "$1=$2") ||
		die "no source of $1 $2: no network, or the suite moved on (then: APT_REFRESH=1); log: $OUT/log/source-$1.log"
}
