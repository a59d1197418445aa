"""Known Python stacks, read from outside: in threads that sleep, wait for a lock, wait for the
interpreter's lock, spin in Python and spin in C. Every frame that is reported must be true."""
import os
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import probe as probe_module  # noqa: E402

THIS = os.path.abspath(__file__)
PROBE = probe_module.Probe(probe_module.library())


def line_of(marker):
    with open(THIS, encoding="utf-8") as source:
        for number, line in enumerate(source, 1):
            if line.rstrip().endswith("# " + marker):
                return number
    raise KeyError(marker)


def sleeper(done):
    time.sleep(0.4)  # in sleeper
    done.set()


def outer_sleeper(done):
    sleeper(done)  # in outer_sleeper


def lock_waiter(lock):
    with lock:  # in lock_waiter
        pass


def add_one(n):
    return n + 1


def spinner(seconds):
    end = time.monotonic() + seconds
    n = 0
    while time.monotonic() < end:
        for _ in range(100):
            n = add_one(n)
    return n


def c_spinner():
    PROBE.locking.probe_spin(300)  # in c_spinner


def deep(n, then):
    if n == 0:
        return then()
    return deep(n - 1, then)


def generator(seconds):
    time.sleep(seconds)  # in generator
    yield 1


class Outer:
    class Inner:
        def method(self):
            time.sleep(0.3)  # in method


def umlaut_ä_文():
    time.sleep(0.3)  # in umlaut


next_index = [0]


def sample(function, *args, meanwhile=None):
    """Runs function in a thread of its own; its samples and the name it must be seen under."""
    index = next_index[0]
    next_index[0] += 1
    ready = threading.Event()

    def body():
        PROBE.watch(index)
        ready.set()
        function(*args)

    PROBE.drain()
    thread = threading.Thread(target=body)
    thread.start()
    ready.wait()
    if meanwhile:
        meanwhile()
    thread.join()
    records = PROBE.drain()
    return [r for r in records if r["kind"] == "sample" and r["thread"] == index], records


def text(function, marker=None):
    name = function.__qualname__ if sys.version_info >= (3, 11) else function.__name__
    return "%s:%s:%d" % (THIS, name, line_of(marker or "in " + function.__name__))


class Frames(unittest.TestCase):
    def with_frames(self, samples):
        found = [s for s in samples if s["frames"]]
        self.assertTrue(found, "no frames in %d samples" % len(samples))
        return found

    def test_state(self):
        version = "%d.%d.%d" % sys.version_info[:3]
        self.assertEqual(PROBE.state, version + ", frames on")

    def test_sleep(self):
        samples, _ = sample(outer_sleeper, threading.Event())
        asleep = [s for s in self.with_frames(samples) if s["frames"][0] == text(sleeper)]
        self.assertGreater(len(asleep), len(samples) // 3)
        for s in asleep:
            self.assertEqual(s["frames"][1], text(outer_sleeper))
        still = [s for s in asleep if s["on_cpu_ns"] == 0]
        self.assertTrue(still)
        waits = {s["wait"] for s in still}
        self.assertTrue(any("sleep" in wait or "select" in wait for wait in waits), waits)

    def test_lock(self):
        lock = threading.Lock()
        lock.acquire()

        def release():
            time.sleep(0.3)
            lock.release()

        samples, _ = sample(lock_waiter, lock, meanwhile=release)
        waiting = [s for s in self.with_frames(samples) if s["frames"][0] == text(lock_waiter)]
        self.assertTrue(waiting)
        self.assertIn("futex", {s["wait"] for s in waiting})

    def test_spin_in_python(self):
        samples, _ = sample(spinner, 0.5)
        seen = self.with_frames(samples)
        start = spinner.__code__.co_firstlineno
        true = set()
        for s in seen:
            names = [f.rsplit(":", 2)[1] for f in s["frames"]]
            lines = [int(f.rsplit(":", 1)[1]) for f in s["frames"]]
            if "spinner" in names:
                at = names.index("spinner")
                self.assertLessEqual(set(names[:at]), {"add_one"}, s)
                self.assertTrue(start <= lines[at] <= start + 7, s)
                true.add(lines[at])
        self.assertTrue(true, "spinner was never seen")

    def test_c_call_that_keeps_the_lock(self):
        samples, _ = sample(c_spinner)
        inside = [s for s in self.with_frames(samples) if s["frames"][0] == text(c_spinner)]
        self.assertTrue(inside)
        self.assertTrue(any(2 * s["on_cpu_ns"] > s["end_ns"] - s["begin_ns"] for s in inside))

    def test_waiting_for_the_interpreter(self):
        """The sampler names the thread that keeps the interpreter's lock."""
        holder = []

        def hold():
            holder.append(threading.get_native_id())
            PROBE.locking.probe_spin(400)

        def waits():
            thread = threading.Thread(target=hold)
            thread.start()
            time.sleep(0.05)
            thread.join()

        samples, _ = sample(waits)
        waiting = [s for s in samples if s["wait"] == "GIL"]
        self.assertTrue(waiting, {s["wait"] for s in samples})
        named = [s for s in waiting if s["waits_for_tid"] == holder[0]]
        self.assertTrue(named)
        # On a loaded machine a sample may fall where only a guess is possible; not all may.
        self.assertTrue(any(not s["guess"] for s in named))

    def test_deep_stack_is_cut(self):
        samples, _ = sample(deep, 100, lambda: time.sleep(0.3))
        longest = max(len(s["frames"]) for s in samples)
        self.assertEqual(longest, 24)

    def test_generator_method_and_other_alphabets(self):
        samples, _ = sample(lambda: list(generator(0.3)))
        self.assertIn(text(generator), {s["frames"][0] for s in self.with_frames(samples)})
        samples, _ = sample(Outer.Inner().method)
        self.assertIn(text(Outer.Inner.method), {s["frames"][0] for s in self.with_frames(samples)})
        samples, _ = sample(umlaut_ä_文)
        self.assertIn(text(umlaut_ä_文, "in umlaut"),
                      {s["frames"][0] for s in self.with_frames(samples)})

    def test_code_that_comes_and_goes(self):
        """Functions made, run and thrown away: no name may outlive its function."""
        made = []

        def churn():
            for i in range(300):
                name = "made_%d" % i
                space = {}
                exec(compile("import time\ndef %s():\n  time.sleep(0.003)\n" % name,
                             "<made %d>" % i, "exec"), space)
                made.append((time.time_ns(), name))
                space[name]()

        samples, _ = sample(churn)
        checked = 0
        for s in samples:
            for frame in s["frames"]:
                if not frame.startswith("<made "):
                    continue
                checked += 1
                file, name, line = frame.rsplit(":", 2)
                number = file[len("<made "):-1]
                self.assertIn(name, ("made_" + number, "<module>"))
                self.assertIn(int(line), (1, 2, 3))
                if name != "<module>":
                    begun = made[int(number)][0]
                    ended = made[int(number) + 1][0] if int(number) < 299 else 1 << 63
                    self.assertTrue(begun - 2e7 <= s["end_ns"] <= ended + 2e7, (s, begun, ended))
        self.assertGreater(checked, 50)


if __name__ == "__main__":
    unittest.main()
