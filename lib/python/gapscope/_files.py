"""Where the parts that are not Python lie: as `cmake --install` lays them down, below this folder."""
from __future__ import annotations

import os
import platform

# A CMake or pkg-config user finds the package here.
PREFIX = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(PREFIX, "lib", "libgapscope.so")
PROGRAM = os.path.join(PREFIX, "bin", "gapscope")


def why_not(path: str) -> str:
    """A sentence for a part that is not there."""
    if platform.system() != "Linux":
        return f"gapscope works on Linux; this is {platform.system()}"
    return f"{path} is not there: this is not gapscope as its wheel installs it"
