"""The host sampler, for Python programs that test it: see probe.cc."""
import ctypes
import json
import os
import threading


class Probe:
    def __init__(self, path, period_us=1000, max_frames=24):
        self.lib = ctypes.CDLL(path)
        self.lib.probe_drain.restype = ctypes.c_ulong
        self.lib.probe_drain.argtypes = [ctypes.c_char_p, ctypes.c_ulong]
        self.lib.probe_cpu_ns.restype = ctypes.c_ulong
        self.lib.probe_dropped.restype = ctypes.c_ulong
        # Keeps the interpreter's lock during its calls.
        self.locking = ctypes.PyDLL(path)
        state = ctypes.create_string_buffer(256)
        if not self.lib.probe_start(period_us, max_frames, state, 256):
            raise RuntimeError("no sampler thread")
        self.state = state.value.decode()
        self.buffer = ctypes.create_string_buffer(8 << 20)

    def watch(self, index, tid=None):
        self.lib.probe_watch(index, tid or threading.get_native_id())

    def drain(self):
        """Records since the last drain, as dictionaries."""
        length = self.lib.probe_drain(self.buffer, len(self.buffer))
        if length > len(self.buffer):
            raise RuntimeError("the buffer is too small")
        return [json.loads(line) for line in self.buffer.raw[:length].splitlines()]

    def samples(self, index):
        return [r for r in self.drain() if r["kind"] == "sample" and r["thread"] == index]


def library():
    return os.environ["GAPSCOPE_HOST_PROBE"]
