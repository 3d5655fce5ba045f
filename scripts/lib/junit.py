#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""junit.py TREE XML: test results as JUnit XML, as a newer kunit.py writes them

Reads KTAP from standard input and parses it with TREE's own
tools/testing/kunit/kunit_parser.py, whose readable output goes to standard
output. For a tree whose kunit.py has no --junit, 6.12.y for one.

Exit code: 0 the XML is there, whatever it says.
"""
import sys
import xml.etree.ElementTree as ET


def suite(test, parent=None):
    """The element of a test that has subtests."""
    counts = test.counts
    attributes = {"name": test.name, "tests": str(counts.total()), "failures": str(counts.failed),
                  "skipped": str(counts.skipped), "errors": str(counts.crashed + counts.errors)}
    element = ET.Element("testsuite", attributes) if parent is None else ET.SubElement(parent, "testsuite", attributes)
    for sub in test.subtests:
        if sub.subtests:
            suite(sub, element)
            continue
        case = ET.SubElement(element, "testcase", {"name": sub.name})
        tag = {"FAILURE": "failure", "SKIPPED": "skipped", "TEST_CRASHED": "error"}.get(sub.status.name)
        if tag:
            ET.SubElement(case, tag)
        if sub.log:
            ET.SubElement(case, "system-out").text = "\n".join(sub.log)
    return element


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tree, path = sys.argv[1:]
    sys.path.insert(0, f"{tree}/tools/testing/kunit")
    # pylint: disable=import-error,import-outside-toplevel
    from kunit_parser import parse_run_tests
    from kunit_printer import stdout
    # newer ones want to be told where to print
    printer = [stdout][:parse_run_tests.__code__.co_argcount - 1]
    # behind a plan that is cut off 6.12.y looks for one line more
    lines = [line.rstrip("\n") for line in sys.stdin] + ["# end"]
    root = ET.ElementTree(suite(parse_run_tests(lines, *printer)))
    ET.indent(root)
    root.write(path, encoding="utf-8", xml_declaration=True)


main()
