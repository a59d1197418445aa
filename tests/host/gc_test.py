"""Garbage collections, as the sampler saw them."""
import gc
import os
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import probe as probe_module  # noqa: E402

PROBE = probe_module.Probe(probe_module.library())


def collections():
    return [r for r in PROBE.drain() if r["kind"] == "gc"]


def ours():
    return [c for c in gc.callbacks if "gapscope" in repr(c)]


class Collections(unittest.TestCase):
    def setUp(self):
        self.keep = [[i] for i in range(300000)]
        for _ in range(1000):  # pending calls run between bytecodes
            if ours():
                break
            time.sleep(0.001)
        self.assertEqual(len(ours()), 1)
        collections()

    def test_interval_and_generation(self):
        cycle = []
        cycle.append(cycle)
        del cycle
        begin = time.time_ns()
        collected = gc.collect()
        end = time.time_ns()
        seen = [c for c in collections() if c["generation"] == 2]
        self.assertEqual(len(seen), 1)
        record = seen[0]
        self.assertTrue(begin <= record["start_ns"] < record["end_ns"] <= end)
        self.assertGreater(record["end_ns"] - record["start_ns"], (end - begin) // 2)
        self.assertEqual(record["collected"], collected)
        self.assertEqual(record["tid"], threading.get_native_id())

    def test_collection_in_another_thread(self):
        tid = []

        def collect():
            tid.append(threading.get_native_id())
            gc.collect()

        thread = threading.Thread(target=collect)
        thread.start()
        thread.join()
        self.assertIn(tid[0], [c["tid"] for c in collections()])

    def test_refused_by_the_program(self):
        """A program may take our function out, or call it as it likes."""
        function = ours()[0]
        saved = list(gc.callbacks)
        gc.callbacks.clear()
        gc.collect()
        self.assertEqual(collections(), [])
        gc.callbacks.extend(saved)
        self.assertIsNone(function("start", {}))
        self.assertIsNone(function("stop", {}))
        self.assertIsNone(function("stop", {"generation": -5, "collected": 1 << 80}))
        self.assertIsNone(function(1, 2, 3))
        self.assertIsNone(function())
        gc.collect()
        self.assertTrue(collections())

    def test_cost(self):
        """What one call costs is printed, for the room's README."""
        function = ours()[0]
        info = {"generation": 0, "collected": 0, "uncollectable": 0}
        begin = time.perf_counter_ns()
        for _ in range(10000):
            function("start", info)
            function("stop", info)
        print("a pair of calls: %d ns" % ((time.perf_counter_ns() - begin) // 10000))
        collections()


if __name__ == "__main__":
    unittest.main()
