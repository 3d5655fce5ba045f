# SPDX-License-Identifier: GPL-2.0
# Front door: verbs only, each is one script. "make" explains them.

export BASE ?= mainline
export ARCH ?= x86_64
# passed through when given; each script's --help says what it takes
variables := VARIANT CELLS TESTS BASE_ONLY PATCHED_ONLY TREE COUNT SMP MEM OUT KERNEL \
	QEMU QEMU_ARGS QUICK WORKLOADS LIST ONCE KERNELS RECORD A B MBOX B4
export $(variables)
# an empty variable is no variable
$(foreach v,$(variables),$(if $($(v)),,$(eval unexport $(v))))

.DEFAULT_GOAL := help
.PHONY: help setup smoke validate rerun shell baseline matrix artifacts bench bench-compare \
	bench-time bench-lines bench-plot check check-quick import export update-base cover-in cover-out \
	recipients mbox send-dry-run prepare-send trailers reroll clean distclean

help:
	@cat scripts/help

setup:
	@scripts/setup

smoke:
	@scripts/smoke

validate:
	@scripts/validate

rerun:
	@NO_BUILD=1 scripts/validate

shell:
	@scripts/shell

baseline:
	@scripts/baseline

matrix:
	@scripts/matrix

artifacts:
	@scripts/artifacts

bench:
	@scripts/bench

bench-compare:
	@scripts/bench-table $(A) $(B)

bench-time:
	@scripts/bench-time

bench-lines:
	@scripts/bench-lines

bench-plot:
	@scripts/bench-plot

check:
	@scripts/check

check-quick:
	@QUICK=1 scripts/check

import:
	@scripts/import-series $(BASE)

export:
	@scripts/export-series $(BASE)

update-base:
	@APT_REFRESH=1 scripts/fetch-base $(BASE)

cover-in:
	@scripts/cover-in $(BASE)

cover-out:
	@scripts/cover-out $(BASE)

recipients:
	@scripts/recipients $(BASE)

mbox:
	@scripts/mbox $(BASE)

send-dry-run:
	@scripts/send-dry-run $(BASE)

prepare-send:
	@scripts/prepare-send $(BASE)

trailers:
	@scripts/trailers $(BASE)

reroll:
	@scripts/reroll $(BASE)

clean:
	rm -rf out

distclean: clean
	rm -rf linux
