"""libgapscope.so through ctypes: the functions of gapscope.h."""
from __future__ import annotations

import ctypes
import functools
import os
from typing import Optional

from gapscope import _files
from gapscope._environment import library_in_use

OK = 0
ALREADY_STARTED = 1


class Options(ctypes.Structure):
    """gapscope_options."""
    _fields_ = [("size", ctypes.c_size_t), ("report_path", ctypes.c_char_p),
                ("record_path", ctypes.c_char_p), ("quiet", ctypes.c_int)]


class Library:
    """Marks keep the interpreter's lock: they take less time than handing it over. What may wait
    for seconds gives it away."""

    def __init__(self, path: str):
        self.path = path
        marks, waits = ctypes.PyDLL(path), ctypes.CDLL(path)
        self.step = marks.gapscope_step
        self.range_push = marks.gapscope_range_push
        self.range_push.argtypes = [ctypes.c_char_p]
        self.range_pop = marks.gapscope_range_pop
        self.state = marks.gapscope_state
        self._status_string = marks.gapscope_status_string
        self._status_string.argtypes = [ctypes.c_int]
        self._status_string.restype = ctypes.c_char_p
        self._start = waits.gapscope_start
        self._start.argtypes = [ctypes.POINTER(Options)]
        self.stop = waits.gapscope_stop
        self.report = waits.gapscope_report
        self.report.argtypes = [ctypes.c_char_p]

    def start(self, report: Optional[bytes], record: Optional[bytes], quiet: bool) -> int:
        options = Options(ctypes.sizeof(Options), report, record, int(quiet))
        return self._start(ctypes.byref(options))

    def words(self, status: int) -> str:
        return self._status_string(status).decode()


@functools.lru_cache(maxsize=None)
def library() -> Optional[Library]:
    """None where there is none that loads: the program goes on without."""
    try:
        return Library(library_in_use())
    except (OSError, AttributeError):  # AttributeError: an older one, without a function
        return None


def why_no_library() -> str:
    """After library() gave None."""
    path = library_in_use()
    if not os.path.exists(path):
        return _files.why_not(path)
    try:
        Library(path)
    except (OSError, AttributeError) as error:
        return f"{path} cannot be loaded: {error}"
    return ""
