#!/usr/bin/env python3
"""Holds README.md's table of environment variables to what `gapscope help env` says.

usage: readme_table.py GAPSCOPE README [--write]     (--write puts the table right)
"""
import re
import subprocess
import sys

BEGIN, END = "<!-- variables: begin -->\n", "<!-- variables: end -->\n"


def options(text):
    """(name, type, help, default) of each block NAME=TYPE, help lines, "Default: ..."."""
    blocks = re.findall(r"^(GAPSCOPE_\w+)=(.*)\n((?:    .*\n?)+)", text, re.M)
    for name, kind, body in blocks:
        meaning, default = re.fullmatch(r"(.*) Default: (.*)\.", " ".join(body.split())).groups()
        yield name, kind, meaning, default


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def table(text):
    lines = ["| Variable | Value | Default | Meaning |", "| --- | --- | --- | --- |"]
    for name, kind, meaning, default in options(text):
        default = "none" if default == "none" else f"`{default}`"
        lines.append(f"| `{name}` | {cell(kind)} | {default} | {cell(meaning)} |")
    return "\n".join(lines) + "\n"


def main():
    program, readme = sys.argv[1:3]
    help_text = subprocess.run([program, "help", "env"], check=True, capture_output=True,
                               text=True).stdout
    wanted = table(help_text)
    if wanted.count("\n") < 10:
        sys.exit(f"{program} help env lists too few variables:\n{help_text}")
    with open(readme, encoding="utf-8") as file:
        text = file.read()
    before, found, after = re.fullmatch(f"(.*{BEGIN})(.*)({END}.*)", text, re.S).groups()
    if found == wanted:
        return
    if "--write" in sys.argv:
        with open(readme, "w", encoding="utf-8") as file:
            file.write(before + wanted + after)
        return
    different = sorted(set(wanted.splitlines()) ^ set(found.splitlines())) or ["the order"]
    sys.exit("README.md and `gapscope help env` differ in:\n" + "\n".join(different) +
             f"\nPut right with: {sys.argv[0]} {program} {readme} --write")


if __name__ == "__main__":
    main()
