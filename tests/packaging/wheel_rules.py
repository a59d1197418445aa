#!/usr/bin/env python3
"""What a built wheel holds, and what its binaries need.  usage: wheel_rules.py WHEEL SOURCE"""
import os
import re
import subprocess
import sys
import tempfile
import zipfile

TAG = "py3-none-manylinux_2_28_x86_64"
BINARIES = ("lib/libgapscope.so", "lib/libgapscope_preload.so", "bin/gapscope")
WANTED = BINARIES + ("__init__.py", "__main__.py", "py.typed", "include/gapscope/gapscope.h",
                     "include/gapscope/gapscope.hpp", "lib/pkgconfig/gapscope.pc",
                     "lib/cmake/gapscope/gapscopeConfig.cmake", "share/gapscope/report.schema.json")
ALLOWED = re.compile(r"gapscope/(_?\w+\.py|py\.typed|bin/gapscope|lib/libgapscope(_preload)?\.so|"
                     r"include/gapscope/gapscope\.hp?p?|lib/cmake/gapscope/\w+(-release)?\.cmake|"
                     r"lib/pkgconfig/gapscope\.pc|share/gapscope/report\.schema\.json|share/doc/gapscope/LICENSE)|"
                     r"gapscope-[\d.]+\.dist-info/.*")
MAX_MIB = 8


def metadata(archive, name):
    path = [n for n in archive.namelist() if n.endswith(".dist-info/" + name)]
    return archive.read(path[0]).decode() if path else ""


def contents(archive):
    names = [name for name in archive.namelist() if not name.endswith("/")]
    yield from (f"missing: {name}" for name in WANTED if f"gapscope/{name}" not in names)
    yield from (f"should not be in it: {name}" for name in names if not ALLOWED.fullmatch(name))
    program = archive.getinfo("gapscope/bin/gapscope")
    if not program.external_attr >> 16 & 0o111:
        yield "bin/gapscope is not executable"


def words(archive, wheel):
    if not os.path.basename(wheel).endswith(f"-{TAG}.whl") or f"Tag: {TAG}\n" not in metadata(archive, "WHEEL"):
        yield f"its tag is not {TAG}"
    if "gapscope = gapscope._program:main" not in metadata(archive, "entry_points.txt"):
        yield "no console script gapscope"
    if re.search(r"^Requires-Dist:", metadata(archive, "METADATA"), re.M):
        yield "it depends on other packages"


def binaries(archive, source):
    rules = os.path.join(source, "tests", "packaging", "binary_rules.py")
    header = os.path.join(source, "include", "gapscope", "gapscope.h")
    with tempfile.TemporaryDirectory() as folder:
        archive.extractall(folder)
        checks = [(rule, name, argument) for name in BINARIES
                  for rule, argument in (("glibc", "2.28"), ("needed", ""))]
        checks += [("exports", BINARIES[0], header), ("nodelete", BINARIES[0], ""), ("borrows", BINARIES[0], ""),
                   ("preload_exports", BINARIES[1], ""), ("nodelete", BINARIES[1], "")]
        for rule, name, argument in checks:
            command = [sys.executable, "-B", rules, rule, os.path.join(folder, "gapscope", name)]
            done = subprocess.run(command + ([argument] if argument else []), capture_output=True, text=True, check=False)
            if done.returncode != 0:
                yield f"{rule} {name}: {done.stdout}{done.stderr}"
        for name in BINARIES:
            with open(os.path.join(folder, "gapscope", name), "rb") as file:
                if os.fsencode(source) in file.read():
                    yield f"{name} names the folder that it was built in"


def main():
    wheel, source = sys.argv[1:3]
    broken = []
    if os.path.getsize(wheel) > MAX_MIB << 20:
        broken.append(f"larger than {MAX_MIB} MiB")
    with zipfile.ZipFile(wheel) as archive:
        for check in (contents(archive), words(archive, wheel), binaries(archive, source)):
            broken.extend(check)
    print("\n".join(broken) or f"{os.path.getsize(wheel) >> 10} KiB, as it should be")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
