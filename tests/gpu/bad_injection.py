#!/usr/bin/env python3
"""What the CUDA driver does when CUDA_INJECTION64_PATH names no library that it can use.

usage: tests/gpu/bad_injection.py [LIBRARY]      (default: build/release/libgapscope.so)

Starts one child for each kind of bad path, which calls cuInit, counts devices, and fills and reads
back device memory; prints a table of what came of it, as the driver does it, then one JSON line.
Exit code 0 when every child ended by itself, 1 when one hung, 2 when there is no GPU or no g++ here.
Needs a driver, Python 3 and g++; no toolkit and no PyTorch.
"""
import argparse
import ctypes
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

TIMEOUT_S = 60
VARIABLES = ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH")
SOURCES = {
    "undefined": 'extern "C" int no_such_function();\n'
                 'extern "C" int InitializeInjection() { return no_such_function(); }\n',
    "no_entry": 'extern "C" int something_else() { return 1; }\n',
    "returns_zero": 'extern "C" int InitializeInjection() { return 0; }\n',
    "returns_one": 'extern "C" int InitializeInjection() { return 1; }\n',
    "aborts": '#include <cstdlib>\nextern "C" int InitializeInjection() { std::abort(); }\n',
}


def use_cuda(nobody):
    """The child: what each driver call returned, as JSON on stdout."""
    if nobody and os.geteuid() == 0:  # root may read everything
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    cuda = ctypes.CDLL("libcuda.so.1")
    results = {"cuInit": cuda.cuInit(0)}
    number, device, context = ctypes.c_int(-1), ctypes.c_int(), ctypes.c_void_p()
    memory, value = ctypes.c_uint64(), ctypes.c_uint32()
    results["cuDeviceGetCount"] = cuda.cuDeviceGetCount(ctypes.byref(number))
    results["devices"] = number.value
    if results["cuInit"] == 0 and number.value > 0:
        steps = (("cuDeviceGet", (ctypes.byref(device), 0)),
                 ("cuDevicePrimaryCtxRetain", (ctypes.byref(context), device)),
                 ("cuCtxSetCurrent", (context,)),
                 ("cuMemAlloc_v2", (ctypes.byref(memory), ctypes.c_size_t(4096))),
                 ("cuMemsetD32_v2", (memory, ctypes.c_uint32(42), ctypes.c_size_t(1024))),
                 ("cuMemcpyDtoH_v2", (ctypes.byref(value), memory, ctypes.c_size_t(4))))
        for name, arguments in steps:
            results[name] = getattr(cuda, name)(*arguments)
        results["value"] = value.value
    # A second call shows whether a failed cuInit stays failed.
    results["cuInit again"] = cuda.cuInit(0)
    print(json.dumps(results), flush=True)


def compile_library(folder, name, *flags):
    path = os.path.join(folder, f"lib{name}.so")
    subprocess.run(["g++", "-shared", "-fPIC", *flags, "-x", "c++", "-", "-o", path],
                   input=SOURCES[name], text=True, check=True, capture_output=True)
    return path


def other_architecture(folder, library):
    """The library, with aarch64 (or x86_64) in its ELF header: that is all dlopen looks at."""
    with open(library, "rb") as file:
        data = bytearray(file.read())
    machine = struct.unpack_from("<H", data, 18)[0]
    struct.pack_into("<H", data, 18, 62 if machine == 183 else 183)
    return write(os.path.join(folder, "libother.so"), data)


def needs_newer_glibc(folder, library):
    """The library, with a glibc version among those that it needs that no glibc has."""
    with open(library, "rb") as file:
        data = file.read()
    old, new = b"\0GLIBC_2.14\0", b"\0GLIBC_9.14\0"
    if data.count(old) == 0:
        return None
    # The loader compares the hash of the name, which stands elsewhere: change it too.
    return write(os.path.join(folder, "libnewer.so"),
                 data.replace(old, new).replace(struct.pack("<I", elf_hash(old)), struct.pack("<I", elf_hash(new))))


def elf_hash(name):
    value = 0
    for byte in name.strip(b"\0"):
        value = (value << 4) + byte
        value = (value ^ ((value & 0xf0000000) >> 24)) & 0x0fffffff
    return value


def write(path, data, mode=0o755):
    with open(path, "wb") as file:
        file.write(data)
    os.chmod(path, mode)
    return path


def cases(folder, library):
    """[(what, value of the variables)]; None where this machine cannot make the case."""
    with open(library, "rb") as file:
        whole = file.read()
    yield "not set", ""
    yield "the library", library
    yield "missing file", os.path.join(folder, "none.so")
    yield "a folder", folder
    yield "relative name, not found", "libnone.so"
    yield "two paths with a colon", f"{library}:{library}"
    yield "blank before the path", f" {library}"
    yield "text file", write(os.path.join(folder, "text.so"), b"This is no library.\n")
    yield "empty file", write(os.path.join(folder, "empty.so"), b"")
    yield "cut off after 4 KiB", write(os.path.join(folder, "cut.so"), whole[:4096])
    yield "wrong architecture", other_architecture(folder, library)
    yield "needs a newer glibc", needs_newer_glibc(folder, library)
    yield "not readable (mode 0)", write(os.path.join(folder, "mode0.so"), whole, 0)
    yield "undefined symbol, bound lazily", compile_library(folder, "undefined", "-Wl,-z,lazy")
    now = os.path.join(folder, "now")
    os.mkdir(now)
    yield "undefined symbol, bound at once", compile_library(now, "undefined", "-Wl,-z,now")
    yield "no InitializeInjection in it", compile_library(folder, "no_entry")
    yield "InitializeInjection returns 0", compile_library(folder, "returns_zero")
    yield "InitializeInjection returns 1", compile_library(folder, "returns_one")
    yield "InitializeInjection aborts", compile_library(folder, "aborts")


def run(value, nobody, folder):
    """The child's end, results and first words on stderr, with both variables set to value."""
    environment = {k: v for k, v in os.environ.items() if k not in VARIABLES and not k.startswith("GAPSCOPE_")}
    environment.update(GAPSCOPE_SNAPSHOT="0", GAPSCOPE_QUIET="1")
    if value:
        environment.update({name: value for name in VARIABLES})
    command = [sys.executable, "-B", os.path.abspath(__file__), "--child", *(["--nobody"] if nobody else [])]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S,
                              cwd=folder, check=False)
    except subprocess.TimeoutExpired:
        return {"ending": "HANGS", "results": {}, "stderr": ""}
    ending = f"exit {done.returncode}" if done.returncode >= 0 else f"signal {-done.returncode}"
    try:
        results = json.loads(done.stdout)
    except ValueError:
        results = {}
    return {"ending": ending, "results": results, "stderr": done.stderr.strip()}


def verdict(found):
    results = found["results"]
    if not results:
        return "no result"
    failed = [f"{name}={code}" for name, code in results.items()
              if name not in ("devices", "value") and code != 0]
    if failed:
        return ", ".join(failed)
    return "works" if results.get("value") == 42 else f"wrong value {results.get('value')}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", nargs="?", default="build/release/libgapscope.so")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--nobody", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        return use_cuda(arguments.nobody)
    if shutil.which("g++") is None:
        print("no g++ here, with which some of the libraries are made", file=sys.stderr)
        return 2
    library = os.path.abspath(arguments.library)
    if not os.path.exists(library):
        sys.exit(f"{library} is not there: build it, or name the library")
    with tempfile.TemporaryDirectory(prefix="gapscope-bad-") as folder:
        os.chmod(folder, 0o755)
        plain = run("", False, folder)
        if verdict(plain) != "works":
            print(f"CUDA does not work here without any injection: {verdict(plain)}; {plain['stderr'][-200:]}",
                  file=sys.stderr)
            return 2
        table, hung = {}, False
        print(f"{'CUDA_INJECTION64_PATH':34} {'ending':10} {'driver calls':42} first line on stderr")
        for what, value in cases(folder, library):
            if value is None:
                print(f"{what:34} not made: the library needs no such version")
                continue
            found = run(value, what.startswith("not readable"), folder)
            table[what] = found
            hung = hung or found["ending"] == "HANGS"
            words = (found["stderr"].splitlines() or [""])[0].replace(folder, "...")
            print(f"{what:34} {found['ending']:10} {verdict(found):42} {words[:100]}", flush=True)
        print("JSON " + json.dumps(table).replace(folder, "..."))
    return 1 if hung else 0


if __name__ == "__main__":
    sys.exit(main())
