"""The report of this process or of a file, for reading, printing and notebooks."""
from __future__ import annotations

import html
import json
import os
import shutil
import subprocess
import sys
import tempfile
from typing import Any, Dict, Iterator, List, Optional, TextIO, Union

from gapscope import _files
from gapscope._library import OK, library, why_no_library

FRAME_HEIGHT_PX = 900


class Report(Dict[str, Any]):
    """A report as report.schema.json describes it: a dictionary that can show itself."""

    def text(self, width: int = 100) -> str:
        """The page, as the process prints it at its end."""
        return _show(self, ["--width", str(width)])

    def html(self) -> str:
        """The page with charts, a whole HTML document."""
        return _show(self, ["--html"])

    def print(self, file: Optional[TextIO] = None) -> None:
        """Prints the page."""
        print(self.text(shutil.get_terminal_size((100, 0)).columns), end="", file=file or sys.stdout)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes it for `gapscope show`, `diff` and `merge`."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self, file)

    @property
    def devices(self) -> List[Dict[str, Any]]:
        return self["devices"]

    def _shares(self) -> Iterator[str]:
        for device in self.devices:
            window = max(device["window_ns"], 1)
            yield (f"GPU {device['device']}: {100 * device['compute_ns'] / window:.1f} % compute, "
                   f"{100 * device['idle_ns'] / window:.1f} % idle of {window / 1e9:.3f} s")

    def __repr__(self) -> str:
        return f"<gapscope.Report {'; '.join(self._shares()) or 'no device'}>"

    def _repr_html_(self) -> str:
        """For notebooks. In a frame, so that its style and scripts stay its own."""
        return (f'<iframe srcdoc="{html.escape(self.html())}" title="gapscope report" '
                f'style="width:100%;height:{FRAME_HEIGHT_PX}px;border:0"></iframe>')


def report() -> Report:
    """What is known of this process so far; after stop() the whole report. Takes up to 5 s.

    RuntimeError when there is none: it says why."""
    lib = library()
    if lib is None:
        raise RuntimeError(f"gapscope: no report: {why_no_library()}")
    with tempfile.TemporaryDirectory(prefix="gapscope-") as folder:
        path = os.path.join(folder, "report.json")
        status = lib.report(os.fsencode(path))
        if status != OK:
            raise RuntimeError(f"gapscope: no report: {lib.words(status)}. Recording begins with the first CUDA "
                               "call after `import gapscope`, or with gapscope.start()")
        return read_report(path)


def read_report(path: Union[str, "os.PathLike[str]"]) -> Report:
    """A report that was written to a file (GAPSCOPE_REPORT)."""
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    if not isinstance(content, dict) or "devices" not in content:
        raise ValueError(f"{os.fspath(path)} is no report of gapscope's")
    return Report(content)


def _show(content: Report, arguments: List[str]) -> str:
    """The command line knows how reports look."""
    if not os.path.exists(_files.PROGRAM):
        raise RuntimeError(f"gapscope: {_files.why_not(_files.PROGRAM)}")
    with tempfile.TemporaryDirectory(prefix="gapscope-") as folder:
        path = os.path.join(folder, "report.json")
        content.save(path)
        done = subprocess.run([_files.PROGRAM, "show", *arguments, path], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode("utf-8", "replace").strip())
    return done.stdout.decode("utf-8")
