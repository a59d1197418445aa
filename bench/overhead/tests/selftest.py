"""overhead.py, bench_launches and the floor without a GPU: under a driver that only calls the fake
libcupti, and a PyTorch that only starts that driver. usage: selftest.py BUILD [TEST...]"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
OVERHEAD = os.path.dirname(HERE)
ROOT = os.path.dirname(os.path.dirname(OVERHEAD))
sys.path.insert(0, OVERHEAD)

import modes as m
import overhead
import runs
import table

BUILD = ""
NATIVE_ROWS = [row for row in m.ROWS if row.group == m.NATIVE]


def environment(**more):
    return {**os.environ, "LD_LIBRARY_PATH": f"{BUILD}/bench_fake_cuda", "PYTHONPATH": f"{HERE}/fake_torch",
            "PYTHONDONTWRITEBYTECODE": "1", **more}


def run_overhead(folder, *options, build=None, **more):
    """(stored JSON, stdout, exit status)"""
    # Relative, as people name them.
    command = [sys.executable, f"{OVERHEAD}/overhead.py", "--build", os.path.relpath(build or BUILD), "--out", folder,
               "--cupti", os.path.relpath(f"{BUILD}/fake_cupti/13/libcupti.so.13"), "--scale", "0.01", "--repeat", "2",
               "--budget", "200", *options]
    done = subprocess.run(command, env=environment(**more), capture_output=True, text=True, timeout=250)
    with open(f"{folder}/overhead.json") as file:
        return json.load(file), done.stdout, done.returncode


def kinds_in(path):
    with open(os.path.join(ROOT, path)) as file:
        block = re.search(r"kKinds\[\] = \{(.*?)\};", file.read(), re.S)[1]
    return re.findall(r"CUPTI_ACTIVITY_KIND_\w+", block)


class Floor(unittest.TestCase):
    def test_kinds_are_the_library_s(self):
        kinds = kinds_in("bench/overhead/floor/floor.cc")
        self.assertEqual(kinds, kinds_in("cupti_backend/cupti_backend.cc"))
        self.assertIn("CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", kinds)

    def launch(self, **more):
        with tempfile.TemporaryDirectory() as folder:
            log = f"{folder}/log"
            env = environment(CUDA_INJECTION64_PATH=f"{BUILD}/libgapscope_floor.so", FAKE_CUPTI_LOG=log,
                              GAPSCOPE_CUPTI_PATH=f"{BUILD}/fake_cupti/13", **more)
            done = subprocess.run([f"{BUILD}/bench_launches", "--rows", "launch_1", "--repeat", "2"], env=env,
                                  capture_output=True, text=True, timeout=120)
            with open(log) as file:
                return done, file.read()

    def test_buffers_are_recycled_and_no_rule_broken(self):
        done, log = self.launch()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"^floor: tracing graph nodes, .*/libcupti\.so\.13")
        # The fake's rule that a subscription comes first is the library's own, not CUPTI's.
        broken = [line for line in log.splitlines() if "violation:" in line and "without subscriber" not in line]
        self.assertEqual(broken, [])
        self.assertRegex(log, r"buffers [1-9]\d* of \d+ bytes records \d{4}")
        self.assertGreater(json.loads(done.stdout)["rows"]["launch_1"]["ns_per_operation"], 0)

    def test_whole_graphs(self):
        done, _ = self.launch(FLOOR_GRAPHS="graph")
        self.assertIn("floor: tracing whole graphs", done.stderr)

    def test_says_why_it_is_off(self):
        done, _ = self.launch(FAKE_CUPTI_ENABLE_RESULT="35")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"^floor: off: kind \d+: ")


class Launches(unittest.TestCase):
    def run_program(self, *options):
        return subprocess.run([f"{BUILD}/bench_launches", *options], env=environment(), capture_output=True,
                              text=True, timeout=60)

    def test_rows_are_those_of_the_table(self):
        done = self.run_program("--scale", "0.01", "--repeat", "3")
        told = json.loads(done.stdout)["rows"]
        self.assertEqual(set(told), {row.key for row in NATIVE_ROWS})
        for row in told.values():
            self.assertEqual(len(row["repeats"]), 3)
            self.assertEqual(row["ns_per_operation"], sorted(row["repeats"])[1])

    def test_chosen_rows(self):
        self.assertEqual(set(json.loads(self.run_program("--rows", "copy_4k,launch_4").stdout)["rows"]),
                         {"copy_4k", "launch_4"})

    def test_unknown_row(self):
        self.assertNotEqual(self.run_program("--rows", "launch_9").returncode, 0)


class Native(unittest.TestCase):
    def test_every_mode_and_row(self):
        with tempfile.TemporaryDirectory() as folder:
            data, out, status = run_overhead(folder, "--rounds", "2",
                                             "--rows", ",".join(row.key for row in NATIVE_ROWS))
        self.assertEqual((status, data["notes"]), (0, []))
        rounds = data["rounds"][m.NATIVE]
        self.assertEqual(len(rounds), 2)
        everything = {row.key for row in NATIVE_ROWS}
        for told in rounds:
            self.assertEqual(set(told), {"none", "floor", "gapscope", "gapscope_nohost", "floor_graph",
                                         "gapscope_graph"})
            for mode, values in told.items():
                self.assertEqual(set(values), {"graph_1000"} if "graph" in mode else everything)
                self.assertTrue(all(value > 0 for value in values.values()))
        self.assertEqual(out, table.render(data))

    def test_a_tool_that_is_not_there_is_no_result(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(f"{BUILD}/bench_launches", f"{folder}/bench_launches")
            data, _, _ = run_overhead(folder, "--rows", "launch_1", "--rounds", "4", "--modes", "floor", build=folder)
        self.assertEqual([set(told) for told in data["rounds"][m.NATIVE]], [{"none"}] * 4)
        self.assertEqual(data["notes"], ["native, floor: libgapscope_floor.so was not loaded"])

    def test_nsys_is_put_in_front(self):
        script = ("#!/bin/sh\necho \"$1 $2\" >&2\nwhile [ \"${1##*/}\" != bench_launches ]; do shift; done\n"
                  "echo Collecting data...\n\"$@\"\necho Generated: a file\n")
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/nsys", "w") as file:
                file.write(script)
            os.chmod(f"{folder}/nsys", 0o755)
            data, _, _ = run_overhead(folder, "--rows", "launch_1", "--rounds", "1", "--modes", "nsys",
                                      PATH=f"{folder}:{os.environ['PATH']}")
        self.assertEqual(data["notes"], [])
        self.assertGreater(data["rounds"][m.NATIVE][0]["nsys"]["launch_1"], 0)

    def test_a_command_that_is_not_installed(self):
        out, err, status = runs.run_command(["no-such-command"], dict(os.environ), 5)
        told = runs.finished(m.MODE["nsys"], out, err, status)
        self.assertEqual(told["rows"], {})
        self.assertRegex(told["problem"], "^not started: .*no-such-command")

    def test_a_command_that_hangs_is_ended(self):
        told = runs.finished(m.MODE["none"], *runs.run_command(["sleep", "100"], dict(os.environ), 0.2))
        self.assertEqual(told, {"rows": {}, "problem": "ended after 0 s: "})

    def test_figures_of_a_program_that_failed_do_not_count(self):
        command = ["sh", "-c", 'echo \'{"rows": {"launch_1": 5}, "libraries": []}\'; echo broken >&2; exit 3']
        told = runs.finished(m.MODE["none"], *runs.run_command(command, dict(os.environ), 5))
        self.assertEqual(told, {"rows": {}, "problem": "exit status 3: broken"})

    def test_a_tool_that_complains_does_not_count(self):
        output = '{"rows": {"launch_1": 5}, "libraries": ["libgapscope.so"]}'
        good = runs.finished(m.MODE["gapscope"], output, "some warning\n", "exit status 0")
        self.assertEqual(good, {"rows": {"launch_1": 5}, "problem": ""})
        bad = runs.finished(m.MODE["gapscope"], output, "x\ngapscope[1]: off\n", "exit status 0")
        self.assertEqual(bad, {"rows": {}, "problem": "gapscope[1]: off"})

    def test_a_tool_that_fails_twice_is_given_up(self):
        calls = []

        class Runner:
            def prepare(self, group):
                return ""

            def run(self, mode, group, rows, timeout):
                calls.append(mode.key)
                fails = mode.key == "floor"
                return {"rows": {} if fails else {"launch_1": 1}, "problem": "no" if fails else ""}

        with tempfile.TemporaryDirectory() as folder:
            args = overhead.arguments(["--rows", "launch_1", "--modes", "floor", "--rounds", "4", "--out", folder])
            overhead.Comparison(args, {m.NATIVE: Runner()}, time.monotonic()).run()
        self.assertEqual((calls.count("floor"), calls.count("none")), (2, 4))

    def test_without_a_driver_it_ends(self):
        with tempfile.TemporaryDirectory() as folder:
            data, _, status = run_overhead(folder, "--rows", "launch_1", LD_LIBRARY_PATH="")
        self.assertEqual(status, 1)
        self.assertEqual(len(data["notes"]), 1)


class Torch(unittest.TestCase):
    def check(self, **more):
        with tempfile.TemporaryDirectory() as folder:
            data, out, status = run_overhead(folder, "--rounds", "1", "--rows", "eager,replay", "--modes",
                                             "floor,gapscope,torch_cuda,torch_cpu,floor_graph,gapscope_graph", **more)
        self.assertEqual((status, data["notes"]), (0, []))
        told = data["rounds"]["tiny"][0]
        self.assertEqual(set(told), {"none", "floor", "gapscope", "torch_cuda", "torch_cpu", "floor_graph",
                                     "gapscope_graph"})
        for mode, values in told.items():
            self.assertEqual(set(values), {"replay"} if "graph" in mode else {"eager", "replay"})
        self.assertIn("PyTorch 0.0", out)

    def test_forks(self):
        self.check()

    def test_fresh_processes_where_the_import_starts_cuda(self):
        self.check(FAKE_TORCH_STARTS_CUDA="1")

    def test_a_child_that_hangs_is_ended(self):
        with tempfile.TemporaryDirectory() as folder:
            runner = runs.Torch(BUILD, "", folder)
            measure, runs.torch_work.measure = runs.torch_work.measure, lambda *arguments: time.sleep(100)
            try:
                told = runner.run_fork(m.MODE["none"], "tiny", ["eager"], 0.2)
            finally:
                runs.torch_work.measure = measure
        self.assertEqual(told, {"rows": {}, "problem": "ended after 0 s: "})

    def test_what_a_child_throws_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            told = runs.Torch(BUILD, "", folder).run_fork(m.MODE["proton"], "none such", ["eager"], 30)
        self.assertEqual(told["rows"], {})
        self.assertRegex(told["problem"], "Error: ")

    def test_a_group_whose_modules_are_missing_is_left_out(self):
        kept = {name: sys.modules.get(name) for name in ("torch", "transformers")}
        sys.modules.update(dict.fromkeys(kept))  # None: an import fails
        try:
            with tempfile.TemporaryDirectory() as folder:
                args = overhead.arguments(["--rows", "gpt2", "--out", folder])
                comparison = overhead.Comparison(args, {"gpt2": runs.Torch(BUILD, "", folder)}, time.monotonic())
                comparison.run()
        finally:
            for name, module in kept.items():
                if module is None:
                    del sys.modules[name]
                else:
                    sys.modules[name] = module
        self.assertEqual(comparison.data["rounds"], {})
        self.assertRegex(comparison.data["notes"][0], "^gpt2: not run: .*torch")


class Budget(unittest.TestCase):
    def test_it_ends_by_itself(self):
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            data, _, _ = run_overhead(folder, "--rows", "launch_1", "--modes", "floor", "--budget", "8")
        self.assertGreaterEqual(len(data["rounds"][m.NATIVE]), 1)
        self.assertLess(time.monotonic() - begin, 60)


class Table(unittest.TestCase):
    data = {"machine": "A machine.", "notes": ["a note"], "rounds": {"native": [
        {"none": {"launch_1": 1000, "graph_1000": 500}, "floor": {"launch_1": 1500, "graph_1000": 1000},
         "gapscope": {"launch_1": 1600, "graph_1000": 1100}, "floor_graph": {"graph_1000": 510},
         "gapscope_graph": {"graph_1000": 520}},
        {"none": {"launch_1": 2000, "graph_1000": 500}, "gapscope": {"launch_1": 2200}},
        {"none": {"launch_1": 1000}, "floor": {"launch_1": 2000}, "gapscope": {"launch_1": 3000}}]}}

    def test_ratios_are_of_the_same_round(self):
        text = table.render(self.data)
        self.assertIn("| empty launches, 1 thread (3 rounds) | no tool | 1,000 ns | 1.000 | 1.000 to 2.000 |  |", text)
        # To no tool 1.6, 1.1, 3.0; to the floor 1.067, 1.5.
        self.assertIn("|  | gapscope | 2,200 ns | 1.600 | 1.100 to 3.000 | 1.283 |", text)
        self.assertIn("|  | floor | 1,750 ns | 1.750 | 1.500 to 2.000 | 1.000 |", text)
        self.assertTrue(text.startswith("A machine.\n") and text.endswith("\n- a note\n"))

    def test_whole_graphs_have_their_own_floor(self):
        self.assertIn("|  | gapscope, GAPSCOPE_GRAPHS=graph | 520 ns | 1.040 |  | 1.020 |", table.render(self.data))

    def test_show(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(self.data, file)
            file.flush()
            shown = subprocess.run([sys.executable, "-B", f"{OVERHEAD}/overhead.py", "--show", file.name],
                                   capture_output=True, text=True, check=True).stdout
        self.assertEqual(shown, table.render(self.data))


class Arguments(unittest.TestCase):
    def test_no_tool_is_always_there_and_nsys_only_when_asked(self):
        keys = [mode.key for mode in overhead.arguments(["--modes", "proton"]).modes]
        self.assertEqual(keys, ["none", "proton"])
        self.assertNotIn("nsys", [mode.key for mode in overhead.arguments([]).modes])
        self.assertIn("nsys", [mode.key for mode in overhead.arguments(["--nsys"]).modes])

    def test_unknown_names(self):
        for option in ("--rows", "--modes"):
            with self.assertRaises(SystemExit), open(os.devnull, "w") as null:
                stderr, sys.stderr = sys.stderr, null
                try:
                    overhead.arguments([option, "none,such"])
                finally:
                    sys.stderr = stderr

    def test_modes_of_a_group(self):
        rows = [m.ROW["gpt2"]]
        keys = [mode.key for mode in m.modes_of_group("gpt2", rows, m.MODES)]
        self.assertEqual(keys, ["none", "floor", "gapscope", "gapscope_nohost", "torch_cuda", "torch_cpu", "proton"])


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main()
