# SPDX-License-Identifier: GPL-2.0
"""what scripts/bench writes, read again: for scripts/bench-table and -ablation"""
import json
import os
import sys


def die(text):
    print(f"{os.path.basename(sys.argv[0])}: error: {text}", file=sys.stderr)
    sys.exit(5)


def read(name):
    """the head of a file, and its rows by workload, depth and command"""
    try:
        with open(name, encoding="utf-8") as f:
            head, *rows = [json.loads(line) for line in f]
    except OSError as e:
        die(f"{e}; run 'make bench'")
    except ValueError as e:
        die(f"{name}: not what make bench writes: {e}")
    if "arch" not in head:
        die(f"{name}: the first line does not say what was counted")
    return head, {(r["workload"], r["depth"], r["run"]): r["count"] for r in rows}


def walks(count):
    return count["charge"] + count["uncharge"]


def too_many(a, b):
    return b - a > max(3, a / 100)


def title(head):
    variant = f", {head['variant']}" if head["variant"] else ""
    return (f"{head['kernel']}: {head['version']}{variant}, tree {head['tree']}, {head['arch']}, "
            f"{head['rig']}, {head['boots']} boot{'s that agree' if head['boots'] > 1 else ''}, "
            f"{head['compiler']}, {head['host']}, {head['date']}")


