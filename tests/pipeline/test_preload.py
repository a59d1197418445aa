"""libgapscope_preload.so: a session that ends before _exit, and only its own process's."""
from ended import PRELOAD, ended, whole
from harness import equal


def test_preload_underscore_exit(p):
    if p.sanitize:
        return  # they must be the first library of a process
    for code in (0, 9):
        running, pid = ended(p, "_exit", "--exit-code", code, env={"LD_PRELOAD": p.path(PRELOAD)})
        equal(running.code, code, "exit code")
        equal(len(running.lines("GPU 0")), 1, f"pages: {running.stderr}")
        whole(p, running, pid)


def test_preload_two_threads_exit(p):
    """The process goes when the session has ended, whichever thread asks to go meanwhile."""
    if p.sanitize:
        return
    for _ in range(5):
        running, pid = ended(p, "two_exits", "--exit-code", 6, env={"LD_PRELOAD": p.path(PRELOAD)})
        equal(running.code, 6, "exit code")
        equal(len(running.lines("GPU 0")), 1, f"pages: {running.stderr}")
        whole(p, running, pid)


def test_preload_quick_exit(p):
    if p.sanitize:
        return
    running, pid = ended(p, "quick_exit", "--exit-code", 5, env={"LD_PRELOAD": p.path(PRELOAD)})
    equal(running.code, 5, "exit code")
    equal(len(running.lines("GPU 0")), 1, f"pages: {running.stderr}")
    whole(p, running, pid)


def test_preload_children(p):
    """Children that share this memory (vfork) or a copy of it leave by _exit: the session goes on."""
    if p.sanitize:
        return
    for scenario, operations in (("spawn_children", 400), ("fork_child", 400)):
        run = p.run(scenario, env={"LD_PRELOAD": p.path(PRELOAD)})
        equal((run.code, run.violations()), (0, []), "exit code, rules of CUPTI broken")
        equal(len(run.lines(" pid ")), 1, f"pages: {run.stderr.decode()}")
        equal(run.report["records"]["seen"], operations, "records.seen")


def test_preload_without_the_library(p):
    """In a process without a session it changes nothing."""
    if p.sanitize:
        return
    for how, code in (("_exit", 9), ("quick_exit", 5), ("exit", 3)):
        run = p.run("basic", "--end", how, "--exit-code", code, library=False,
                    env={"LD_PRELOAD": p.path(PRELOAD)})
        equal((run.code, run.stderr), (code, b""), how)
