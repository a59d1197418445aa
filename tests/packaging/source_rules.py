#!/usr/bin/env python3
"""Rules that the sources keep, one function each; prints FILE:LINE for each breach.

usage: source_rules.py ROOT [RULE...]
"""
import os
import re
import sys

CODE = (".h", ".hpp", ".c", ".cc", ".cpp", ".cu", ".py")
SKIPPED = {".git", "build", "__pycache__"}
MAX_LINES = 500
# Split, so that this file keeps the rules itself.
UNFINISHED = ["to" + "do", "fix" + "me", "xx" + "x", "st" + "ub", "place" + "holder",
              "not imple" + "mented"]
MACHINE_PATH = re.compile(r"(?<![\w.\-/])/(?:" + "wo" + "rk|ro" + "ot" + r")(?:/|\b)")
TOOLKIT = re.compile(r"#\s*include\s*[<\"](?:cuda|cupti|nvtx3?|nvToolsExt|cu[A-Z]|generated_cuda|"
                     r"cublas|driver_types|vector_types|nvml|nccl)[\w./]*[>\"]")
READS_ENVIRONMENT = re.compile(r"\b(?:secure_)?getenv\b|\benviron\b")
CONDITIONAL = re.compile(r"^\s*#\s*(?:ifdef|ifndef|elifdef|elifndef|(?:el)?if\b.*\bdefined\b)")
X86_ONLY = re.compile(r"\b(?:[exi]mmintrin|x86intrin|immintrin|cpuid|__rdtscp?|_mm\w*_\w+|"
                      r"__x86_64__|__builtin_ia32_\w+)\b|\b__?asm__?\b|\basm\b\s*(?:volatile)?\s*\(")


def inside(path, *folders):
    return any(path.startswith(folder + "/") for folder in folders)


def matching(path, lines, pattern, what):
    for number, line in enumerate(lines, 1):
        found = pattern.search(line)
        if found:
            yield f"{path}:{number}: {what}: {found.group(0).strip()}"


def toolkit_includes(path, lines):
    """Only cupti_backend knows CUDA, CUPTI and NVTX."""
    if inside(path, "lib", "include") and path.endswith(CODE):
        yield from matching(path, lines, TOOLKIT, "header of the CUDA toolkit")


def environment(path, lines):
    """One table of configuration, read in one place."""
    if (inside(path, "lib", "include", "cupti_backend") and path.endswith(CODE[:-1])
            and not path.startswith("lib/runtime/config")):
        code = [line.split("//")[0] for line in lines]
        yield from matching(path, code, READS_ENVIRONMENT, "reads the environment")


def file_length(path, lines):
    if path.endswith(CODE) and len(lines) > MAX_LINES:
        yield f"{path}:{len(lines)}: longer than {MAX_LINES} lines"


def unfinished(path, lines):
    if inside(path, "lib", "include", "cupti_backend", "samples"):
        pattern = re.compile("|".join(UNFINISHED), re.I)
        yield from matching(path, lines, pattern, "a word for unfinished work")


def machine_paths(path, lines):
    """No file tells of the machine that it was written on."""
    yield from matching(path, lines, MACHINE_PATH, "path of one machine")


def conditionals(path, lines):
    """lib/ is one program everywhere: what differs is another file or another backend."""
    if inside(path, "lib"):
        yield from matching(path, lines, CONDITIONAL, "conditional compilation")


def portable(path, lines):
    """aarch64 must follow by a rebuild."""
    if inside(path, "lib", "include", "cupti_backend") and path.endswith(CODE[:-1]):
        yield from matching(path, lines, X86_ONLY, "for one processor only")


RULES = {rule.__name__: rule for rule in (toolkit_includes, environment, file_length, unfinished,
                                          machine_paths, conditionals, portable)}


def text_files(root):
    for folder, subfolders, names in os.walk(root):
        if "CMakeCache.txt" in names:
            subfolders.clear()  # a build folder
            continue
        subfolders[:] = sorted(name for name in subfolders if name not in SKIPPED)
        for name in sorted(names):
            full = os.path.join(folder, name)
            with open(full, "rb") as file:
                data = file.read()
            if b"\0" not in data:
                yield os.path.relpath(full, root), data.decode("utf-8", "replace").splitlines()


def breaches(root, rules):
    files = list(text_files(root))
    if not any(inside(path, "lib") for path, _ in files):
        yield f"{root}: no sources below lib/"
    for path, lines in files:
        for rule in rules:
            yield from RULES[rule](path, lines)


def main():
    found = list(breaches(sys.argv[1], sys.argv[2:] or RULES))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
