# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Kernel configurations: what became of the options that a fragment asks for.

# kselftest_fragment PATCHED: what the cgroup kselftests of that commit ask for,
# as a file below OUT. Prints its path. The base gets the same. Fails where the
# commit has no such file.
kselftest_fragment() {
	local path=$OUT/log/config-kselftest-cgroup
	mkdir -p "$OUT/log"
	tgit show "$1:tools/testing/selftests/cgroup/config" >"$path" || return
	printf '%s\n' "$path"
}

# lost_options CONFIG FRAGMENT...: the wanted lines that CONFIG does not have.
# Of two fragments that disagree the later one is meant, as in the merge.
lost_options() {
	local config=$1 line option
	shift
	sed -nE 's/^(# )?(CONFIG_[A-Za-z0-9_]+)[ =].*/\2 &/p' "$@" | tac | awk '!seen[$1]++' | tac |
		cut -d ' ' -f 2- | while read -r line; do
		grep -qxF -- "$line" "$config" && continue
		option=$(grep -oE 'CONFIG_[A-Za-z0-9_]+' <<<"$line" | head -n 1)
		# "is not set" also holds when the option does not exist at all
		[ "${line:0:1}" = "#" ] && ! grep -q "^$option=" "$config" && continue
		printf 'lost option: wanted "%s", got "%s"\n' "$line" "$(grep -E "^(# )?${option}[= ]" "$config" || echo nothing)"
	done
}
