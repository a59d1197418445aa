"""A profiler that starts, and is never left."""


class ProfilerActivity:
    CPU, CUDA = "cpu", "cuda"


class profile:
    def __init__(self, activities):
        assert ProfilerActivity.CUDA in activities

    def __enter__(self):
        return self

    def __exit__(self, *error):
        raise AssertionError("the export would be measured")
