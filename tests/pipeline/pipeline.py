#!/usr/bin/env python3
"""Runs one test of test_*.py, or all of them.

usage: pipeline.py --build FOLDER [--sanitize LIST] [NAME...]
"""
import argparse
import glob
import importlib
import os
import sys
import traceback

import harness


def all_tests():
    """{name: function}, in the order of the files."""
    tests = {}
    here = os.path.dirname(os.path.abspath(__file__))
    for path in sorted(glob.glob(os.path.join(here, "test_*.py"))):
        module = importlib.import_module(os.path.basename(path)[:-3])
        for name, function in vars(module).items():
            if name.startswith("test_") and callable(function):
                tests[name[len("test_"):]] = function
    return tests


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--sanitize", default="")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    tests = all_tests()
    failed = 0
    for name in args.names or tests:
        pipeline = harness.Pipeline(args.build, args.sanitize)
        try:
            tests[name](pipeline)
            print(f"PASS {name}")
        except Exception:  # one broken test must not hide the others
            failed += 1
            traceback.print_exc()
            print(f"FAIL {name}")
        finally:
            pipeline.end_all()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
