#!/usr/bin/env python3
"""What must hold for the binaries that users load: DESIGN's "private and self-contained".

usage: binary_rules.py {exports|preload_exports|needed|borrows|cupti_inside|nodelete|glibc} BINARY
       [HEADER|VERSION]

glibc: no symbol of a newer glibc than VERSION is needed; "any" is no promise, exit code 77.
"""
import re
import subprocess
import sys

INJECTION = {"InitializeInjection", "InitializeInjectionNvtx2"}
PRELOAD = {"_exit", "_Exit", "quick_exit", "gapscope_preload_register"}
LIBC_FAMILY = re.compile(r"^(lib(c|m|dl|pthread|rt)\.so\.\d+|ld-linux[-\w]*\.so\.\d+)$")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def declared(header):
    """The functions that the public C header declares."""
    with open(header, encoding="utf-8") as file:
        return set(re.findall(r"^GAPSCOPE_API\b[^;]*?\b(gapscope_\w+)\(", file.read(), re.M))


def exports(binary, header):
    """Exported are the C interface and the two entry points of the driver and NVTX: no more."""
    lines = output("nm", "-D", "--defined-only", binary).splitlines()
    found = {line.split()[-1].split("@")[0] for line in lines}
    wanted = declared(header) | INJECTION
    if len(wanted) <= len(INJECTION):
        yield f"no function found in {header}"
    yield from (f"exported, but not of the interface: {name}" for name in sorted(found - wanted))
    yield from (f"declared, but not exported: {name}" for name in sorted(wanted - found))


def preload_exports(binary, _):
    """What stands in front of libc's functions is no more than it has to be."""
    lines = output("nm", "-D", "--defined-only", binary).splitlines()
    found = {line.split()[-1].split("@")[0] for line in lines}
    yield from (f"exported or missing: {name}" for name in sorted(found ^ PRELOAD))


def needed(binary, _):
    """Nothing is needed at run time beyond libc's own family, and from no path of ours."""
    dynamic = output("readelf", "-dW", binary)
    libraries = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    if not libraries:
        yield "no NEEDED entry: is this a dynamic binary?"
    yield from (f"needs {name}" for name in libraries if not LIBC_FAMILY.match(name))
    yield from re.findall(r"\((?:RPATH|RUNPATH|TEXTREL)\).*", dynamic)
    if " RWE " in "".join(re.findall(r"GNU_STACK.*", output("readelf", "-lW", binary))):
        yield "asks for an executable stack"


# conda-forge.github.io#388, anaconda-issues#13100: processes bring a C++ runtime of their own, older or
# newer. What is not asked for by name cannot be taken from it; what ours has, exports keeps in.
CXX_RUNTIME = re.compile(r"_Z|__cxa_(?!finalize$|atexit$|at_quick_exit$|thread_atexit_impl$)|__gxx_|_Unwind_|"
                         r"__gcc_|__(de)?register_frame|__dynamic_cast")
# pytorch#133744: other threads may read the environment while it moves.
CHANGES_ENVIRONMENT = {"setenv", "putenv", "unsetenv", "clearenv"}


def borrows(binary, _):
    """No part of the C++ runtime is the process's, and its environment is only read."""
    lines = output("nm", "-D", "--undefined-only", binary).splitlines()
    names = {line.split()[-1].split("@")[0] for line in lines}
    if "malloc" not in names:
        yield "malloc is not libc's: are these the undefined symbols?"
    yield from (f"C++ runtime of the process: {name}" for name in sorted(names) if CXX_RUNTIME.match(name))
    yield from (f"changes the environment: {name}" for name in sorted(names & CHANGES_ENVIRONMENT))


def cupti_inside(binary, _):
    """pytorch#57744: a CUPTI linked in statically broke the process's exceptions; it is loaded instead."""
    names = {line.split()[-1] for line in output("nm", binary).splitlines()}
    if not any("InitializeInjection" in name for name in names):
        yield "no symbol table to look into"
    yield from (f"CUPTI inside: {name}" for name in sorted(names) if re.match(r"cupti[A-Z]", name))


def nodelete(binary, _):
    """The library is never unmapped: threads of ours and CUPTI's pointers lead into it."""
    if not re.search(r"\(FLAGS_1\).*NODELETE", output("readelf", "-dW", binary)):
        yield "not linked with -z nodelete"


def glibc(binary, newest):
    """A portable build loads where glibc is as old as it promises."""
    limit = tuple(map(int, newest.split(".")))
    found = False
    for line in output("objdump", "-T", binary).splitlines():
        symbol = re.search(r"\*UND\*.*\bGLIBC_([\d.]+)\)?\s+(\S+)$", line)
        if symbol:
            found = True
            if tuple(map(int, symbol.group(1).split("."))) > limit:
                yield f"needs {symbol.group(2)} of glibc {symbol.group(1)}"
    if not found:
        yield "no symbol of glibc's: is this a dynamic binary?"
    # Relative relocations in their packed form need glibc 2.36.
    if "GLIBC_ABI_DT_RELR" in output("readelf", "-VW", binary):
        yield "has packed relocations"


def main():
    rule, binary = sys.argv[1:3]
    if sys.argv[3:] == ["any"]:
        print(f"{binary}: not built with the preset portable")
        return 77
    rules = (exports, preload_exports, needed, borrows, cupti_inside, nodelete, glibc)
    check = {rule.__name__: rule for rule in rules}[rule]
    broken = list(check(binary, sys.argv[3] if len(sys.argv) > 3 else None))
    for line in broken:
        print(f"{binary}: {line}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
