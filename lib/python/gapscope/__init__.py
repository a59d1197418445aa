"""gapscope: why was the GPU not working?

    import gapscope                  # before CUDA starts: this process is now recorded

    for batch in loader:
        with gapscope.range("train"):
            train(batch)
        gapscope.step()

    gapscope.report()                # in a notebook: the page, as of now

Importing sets CUDA_INJECTION64_PATH and NVTX_INJECTION64_PATH, which the CUDA driver and NVTX read when they
start; it maps nothing and starts nothing. At the end of the process the page is printed on stderr.
Everything that the environment variables GAPSCOPE_* set (`gapscope help env`) holds here too. Where gapscope
cannot work the program goes on: no function but report() and read_report() raises for that.
"""
from __future__ import annotations

from gapscope._environment import prepare
from gapscope._marks import range, recording, start, step, stop  # pylint: disable=redefined-builtin
from gapscope._report import Report, read_report, report

__version__ = "0.1.0"
__all__ = ["Report", "range", "read_report", "recording", "report", "start", "step", "stop"]

prepare()
