"""`gapscope`, the command line, as pip installs it: becomes the program itself."""
from __future__ import annotations

import os
import sys

from gapscope import _environment, _files


def main() -> None:
    environment = dict(os.environ)
    for name in _environment.added:  # of importing this package, which nobody asked for here
        environment.pop(name, None)
    try:
        os.execve(_files.PROGRAM, ["gapscope", *sys.argv[1:]], environment)
    except OSError as error:
        sys.exit(f"gapscope: {_files.PROGRAM}: {error.strerror}")
