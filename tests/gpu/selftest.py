"""The GPU checks checked without a GPU: each comparison passes on good figures, fails on bad ones,
and no child can hang a run. Run by ctest."""
import copy
import os
import sys
import tempfile
import unittest

import reports
import truth as truth_of
from harness import Context


def kernel(name, calls, total_ns, alone_ns=0):
    return {"name": name[:20], "full_name": name, "calls": calls, "total_ns": total_ns, "alone_ns": alone_ns,
            "communication": False}


def report():
    """Two kernels (400 + 200 us), one copy alone (100 us), 300 us idle: a window of 1 ms."""
    device = {
        "device": 0, "window_ns": 1_000_000, "compute_ns": 600_000, "comm_exposed_ns": 0,
        "copy_only_ns": 100_000, "idle_ns": 300_000, "unknown_ns": 0, "spacing_ns": 50_000,
        "launch_bound_ns": 250_000, "copy_ns": 100_000, "copy_overlap_ns": 0, "comm_ns": 0,
        "comm_overlap_ns": 0, "kernel_sum_ns": 600_000, "operations": 16, "first_op_ns": 10,
        "last_op_ns": 1_000_010, "causes": [],
        "gaps": {"histogram": [{"from_ns": 1024, "count": 3, "total_ns": 300_000}], "longest": []},
        "kernels": [kernel("void a<float>(float*)", 10, 400_000), kernel("void b<int>(int*)", 5, 200_000)],
        "families": [{"name": "other", "calls": 15, "total_ns": 600_000}],
        "timeline": [{"busy_ns": 700_000, "compute_ns": 600_000, "idle_ns": 300_000}],
    }
    return {
        "devices": [device],
        "copies": [{"device": 0, "direction": "HtoD", "source": "pageable", "destination": "device",
                    "bytes": 4096, "count": 1}],
        "host_calls": [{"name": "cudaLaunchKernel", "category": "launch", "calls": 15}],
        "waits": [], "steady": None, "truncated": False,
        "overlap": {"window_ns": 10, "both_ns": 1, "gpu_only_ns": 2, "cpu_only_ns": 3, "neither_ns": 4},
        "records": dict.fromkeys(reports.QUALITY, 0) | {"seen": 16, "outside": 0, "captured": 0, "calls": 15},
    }


def truth():
    return {"window_us": 1000.0, "busy_pct": 70.0, "kernels": 15,
            "copies": {"Memcpy HtoD (Pageable -> Device)": {"count": 1, "bytes": 4096}},
            "top": [{"name": "void a<float>(float*)", "count": 10, "sum_us": 400.0},
                    {"name": "void b<int>(int*)", "count": 5, "sum_us": 200.0}]}


class Reports(unittest.TestCase):
    def test_a_good_report_is_sound(self):
        self.assertEqual(reports.violations(report()), [])
        self.assertEqual(reports.quality(report()), {})
        self.assertEqual(reports.kernel_count(report()), 15)
        self.assertEqual(reports.kernel_count(report(), "b<int>"), 5)
        self.assertAlmostEqual(reports.busy_pct(report()), 70.0)

    def test_every_figure_that_time_rests_on_is_watched(self):
        for key in ("window_ns", "compute_ns", "comm_exposed_ns", "copy_only_ns", "idle_ns", "unknown_ns",
                    "copy_ns", "comm_ns", "kernel_sum_ns", "operations", "spacing_ns"):
            bad = report()
            bad["devices"][0][key] += 400_000
            self.assertTrue(reports.violations(bad), key)
        bad = report()
        bad["overlap"]["both_ns"] += 1
        self.assertTrue(reports.violations(bad))
        bad = report()
        bad["waits"] = [{"name": "w", "gpu_busy_ns": 2, "gpu_idle_ns": 1, "total_ns": 2}]
        self.assertTrue(reports.violations(bad))
        bad = report()
        bad["records"]["late"] = -1
        self.assertTrue(reports.violations(bad))

    def test_causes_must_add_up_to_idle(self):
        bad = report()
        bad["devices"][0]["causes"] = [{"cause": "synchronisation", "idle_ns": 299_999}]
        self.assertTrue(reports.violations(bad))

    def test_each_kind_of_loss_is_seen(self):
        for key in reports.QUALITY:
            bad = report()
            bad["records"][key] = 1
            self.assertEqual(reports.quality(bad), {key: 1})

    def test_first_difference(self):
        self.assertIsNone(reports.first_difference(report(), report()))
        other = report()
        other["devices"][0]["kernels"].reverse()
        self.assertIn("kernels[0]", reports.first_difference(report(), other))
        other = report()
        other["extra"] = 1
        self.assertIn("keys", reports.first_difference(report(), other))


class Truth(unittest.TestCase):
    def test_copies(self):
        self.assertEqual(truth_of.truth_copies(truth()), truth_of.our_copies(report()))
        other = report()
        other["copies"][0]["bytes"] += 1
        self.assertNotEqual(truth_of.truth_copies(truth()), truth_of.our_copies(other))
        self.assertEqual(truth_of.copy_key("Memcpy PtoP (Device -> Device)"), ("PtoP", "device", "device"))

    def test_kernel_sums(self):
        sums = truth_of.kernel_sums(report(), truth())
        self.assertEqual([(s.found, round(s.off_pct, 6)) for s in sums], [(True, 0.0), (True, 0.0)])
        other = truth()
        other["top"][1]["sum_us"] = 190.0
        self.assertGreater(abs(truth_of.kernel_sums(report(), other)[1].off_pct), truth_of.SUM_TOLERANCE_PCT)
        other["top"][1]["name"] = "void c(int*)"
        self.assertFalse(truth_of.kernel_sums(report(), other)[1].found)

    def test_names_that_share_what_the_truth_keeps_are_told_apart(self):
        long = "void kernel<" + "x" * 200
        ours, other = report(), truth()
        ours["devices"][0]["kernels"] = [kernel(long + "1>", 7, 100_000), kernel(long + "2>", 7, 300_000)]
        other["top"] = [{"name": long[:160], "count": 7, "sum_us": 301.0},
                        {"name": long[:160], "count": 7, "sum_us": 100.0}]
        sums = truth_of.kernel_sums(ours, other)
        self.assertEqual([s.ours_us for s in sums], [300.0, 100.0])

    def test_busy(self):
        self.assertTrue(truth_of.busy(report(), truth()).close)
        slower = truth() | {"window_us": 1250.0, "busy_pct": 56.0}  # the same 700 us busy
        self.assertTrue(truth_of.busy(report(), slower).truth_slowed)
        wrong = truth() | {"window_us": 1250.0, "busy_pct": 64.0}  # 800 us: not explained by its length
        self.assertFalse(truth_of.busy(report(), wrong).close)
        self.assertFalse(truth_of.busy(report(), wrong).truth_slowed)
        shorter = truth() | {"window_us": 900.0, "busy_pct": 77.8}  # we slowed the step
        self.assertFalse(truth_of.busy(report(), shorter).truth_slowed)


class Children(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.context = Context(self.folder.name, self.folder.name, os.path.join(self.folder.name, "out"), 60, "")

    def tearDown(self):
        self.context.close()
        self.folder.cleanup()

    def run_python(self, code, timeout_s=60, **extra):
        return self.context.run("child", [sys.executable, "-c", code], False, timeout_s, **extra)

    def test_output_and_status(self):
        child = self.run_python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
        self.assertEqual((child.status, child.stdout, child.stderr), (3, "out\n", "err\n"))
        self.assertFalse(child.timed_out)

    def test_a_child_that_hangs_is_killed_with_its_workers(self):
        child = self.run_python("import os, time; os.fork(); time.sleep(1000)", timeout_s=1)
        self.assertTrue(child.timed_out)
        self.assertEqual(child.status, -9)

    def test_a_worker_left_behind_does_not_hold_the_run(self):
        child = self.run_python("import os, time; os.fork() == 0 and time.sleep(1000)")
        self.assertEqual(child.status, 0)
        self.assertFalse(child.timed_out)

    def test_profiling_variables_are_ours_alone(self):
        os.environ["GAPSCOPE_CAPTURE"] = "range"
        try:
            child = self.run_python("import os; print(os.environ.get('GAPSCOPE_CAPTURE'))")
        finally:
            del os.environ["GAPSCOPE_CAPTURE"]
        self.assertEqual(child.stdout, "None\n")

    def test_failures_and_exceptions_count(self):
        self.context.equal("one", 1, 1)
        self.context.equal("two", 1, 2)
        self.context.each("three", lambda context, name: 1 / 0)
        self.assertEqual((self.context.passed, self.context.failed), (1, 2))

    def test_a_missing_report_fails(self):
        self.assertFalse(reports.check_sound(self.context, "none", None))
        self.assertTrue(reports.check_sound(self.context, "some", copy.deepcopy(report())))
        self.assertEqual((self.context.passed, self.context.failed), (2, 1))

    def test_what_has_no_time_left_is_a_failure(self):
        self.context.deadline = 0
        self.context.each("late", lambda context, name: context.equal(name, 1, 1))
        self.assertEqual((self.context.passed, self.context.failed), (0, 1))


if __name__ == "__main__":
    unittest.main()
