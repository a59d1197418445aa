"""The variables by which the CUDA driver and NVTX find the library, set for this process."""
from __future__ import annotations

import os
import sys
from typing import Dict

from gapscope._files import LIBRARY

DRIVER = "CUDA_INJECTION64_PATH"
NVTX = "NVTX_INJECTION64_PATH"

# What prepare() has set here, for those who start a program as if it had not.
added: Dict[str, str] = {}


def prepare() -> None:
    """Sets the variables, unless another tool has them or the user wants none of this."""
    if os.environ.get("GAPSCOPE_ENABLED") == "0" or not os.path.exists(LIBRARY):
        return
    other = os.environ.get(DRIVER, "")
    if other and not is_gapscope(other):
        print(f"gapscope[{os.getpid()}]: off: {DRIVER} is {other}, another tool's; unset it to use gapscope",
              file=sys.stderr)
        return
    library = other or LIBRARY  # one copy in the process: NVTX must reach the one that the driver loads
    for name in (DRIVER, NVTX):
        if not os.environ.get(name):
            os.environ[name] = added[name] = library
    if not other and cuda_has_started():
        print(f"gapscope[{os.getpid()}]: import gapscope came after CUDA had started: nothing is recorded "
              "until gapscope.start(); import it before torch.cuda is used", file=sys.stderr)


def is_gapscope(path: str) -> bool:
    return os.path.basename(path).startswith("libgapscope.")


def cuda_has_started() -> bool:
    """As far as PyTorch knows; a driver that somebody else has started is not seen."""
    cuda = sys.modules.get("torch.cuda")
    try:
        return bool(cuda is not None and cuda.is_initialized())
    except Exception:  # pylint: disable=broad-except  # half imported, or replaced
        return False


def library_in_use() -> str:
    """The copy that the driver loads, or has loaded."""
    path = os.environ.get(DRIVER, "")
    return path if path and is_gapscope(path) and os.path.exists(path) else LIBRARY
