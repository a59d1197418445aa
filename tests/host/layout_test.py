"""The offsets that the sampler uses against those of the interpreter's own headers.

usage: layout_test.py C_COMPILER PROBE_LIBRARY. Exit code 77: no headers here."""
import ctypes
import os
import subprocess
import sys
import sysconfig
import tempfile


def from_headers(compiler):
    include = sysconfig.get_paths()["include"]
    if not os.path.exists(os.path.join(include, "internal", "pycore_runtime.h")):
        print("no headers in " + include)
        sys.exit(77)
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "layout.c")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "layout")
        subprocess.run([compiler, "-w", "-I", include, "-I", include + "/internal", source, "-o",
                        program], check=True)
        return subprocess.run([program], check=True, capture_output=True, text=True).stdout


def as_table(text):
    return {name: int(value) for name, value in (line.split() for line in text.splitlines())}


def main():
    truth = as_table(from_headers(sys.argv[1]))
    library = ctypes.CDLL(sys.argv[2])
    buffer = ctypes.create_string_buffer(4096)
    if not library.probe_layout(buffer, len(buffer)):
        sys.exit("the sampler does not know this version: " + buffer.value.decode())
    ours = as_table(buffer.value.decode())
    wrong = {name: (value, ours.get(name)) for name, value in truth.items()
             if ours.get(name) != value}
    # What the headers do not have must not be used either.
    absent = [name for name, value in ours.items()
              if name not in truth and name not in ("minor", "frame_bytes") and
              value not in (0, 0xffffffff)]
    if wrong or absent:
        sys.exit("name: (headers, ours): %r; not in the headers: %r" % (wrong, absent))
    print("%d offsets agree" % len(truth))


if __name__ == "__main__":
    main()
