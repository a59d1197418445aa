"""As much of PyTorch as the tiny step needs. The first tensor starts CUDA, as PyTorch's does; with
FAKE_TORCH_STARTS_CUDA the import does, after which a fork cannot use it."""
import ctypes
import os

__version__ = "0.0"
_started_in = None


def _start_cuda():
    global _started_in
    if _started_in is None:
        ctypes.CDLL("libcuda.so.1", ctypes.RTLD_GLOBAL).cuInit(0)
        _started_in = os.getpid()
    if _started_in != os.getpid():
        raise RuntimeError("Cannot re-initialize CUDA in forked subprocess")


class Tensor:
    def __mul__(self, factor):
        return self

    def __add__(self, term):
        return self


def manual_seed(seed):
    pass


def randn(*shape, device):
    _start_cuda()
    return Tensor()


def tanh(tensor):
    return tensor


class cuda:
    class CUDAGraph:
        def replay(self):
            pass

    class graph:
        def __init__(self, graph):
            pass

        def __enter__(self):
            pass

        def __exit__(self, *error):
            pass

    @staticmethod
    def synchronize():
        pass


if os.environ.get("FAKE_TORCH_STARTS_CUDA"):
    _start_cuda()
