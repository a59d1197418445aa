"""What a program tells gapscope: its steps, its phases, when to begin and to end."""
from __future__ import annotations

import contextlib
import os
from typing import Optional, Union

from gapscope._library import ALREADY_STARTED, OK, library

Path = Union[str, "os.PathLike[str]"]


def step() -> None:
    """Marks the boundary between two steps (training iterations, requests): call it once a step,
    from one thread. Without a running session it does nothing."""
    lib = library()
    if lib is not None:
        lib.step()


class range(contextlib.ContextDecorator):  # pylint: disable=invalid-name,redefined-builtin
    """A named range of the calling thread, for a with statement or as a decorator; ranges nest.

        with gapscope.range("load"):
            batch = next(batches)

        @gapscope.range("train")
        def train(batch): ...
    """

    def __init__(self, name: str):
        self.name = name
        self._bytes = name.encode("utf-8", "replace")

    def __enter__(self) -> "range":
        lib = library()
        if lib is not None:
            lib.range_push(self._bytes)
        return self

    def __exit__(self, *_: object) -> None:
        lib = library()
        if lib is not None:
            lib.range_pop()


def start(report: Optional[Path] = None, record: Optional[Path] = None, quiet: bool = False) -> bool:
    """Starts recording now, instead of with CUDA; True when it records, else stderr says why not.

    report, record: files that are written at the end, as by GAPSCOPE_REPORT and GAPSCOPE_RECORD, which win.
    quiet: print no page. With GAPSCOPE_CAPTURE=range it begins a counted range instead."""
    lib = library()
    if lib is None:
        return False
    status = lib.start(_encoded(report), _encoded(record), quiet)
    return status in (OK, ALREADY_STARTED)


def stop() -> bool:
    """Ends recording: prints the page and writes the files; report() then is the whole report. False when
    nothing was recorded. With GAPSCOPE_CAPTURE=range it ends the counted range instead."""
    lib = library()
    return lib is not None and lib.stop() == OK


def recording() -> bool:
    """Whether this process is being recorded: from CUDA's start, or start(), until its end or stop()."""
    lib = library()
    return lib is not None and lib.state() == OK


def _encoded(path: Optional[Path]) -> Optional[bytes]:
    return None if path is None else os.fsencode(path)
