"""A Python program that uses the fake CUDA: program.py LIBRARY UNTIL HOW, run by test_python.py.

It works, waits until the file UNTIL is there, and ends in the way that HOW names.
"""
import ctypes
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

OPERATIONS = 200


def work(library):
    ctypes.CDLL(library).fake_program(OPERATIONS)


def wait_for(path):
    while not os.path.exists(path):
        time.sleep(0.01)


def worker(library, until):
    work(library)
    wait_for(until)


def no_cuda(number):
    return number * number


def start_workers(method, count, library, until):
    context = multiprocessing.get_context(method)
    workers = [context.Process(target=worker, args=(library, until)) for _ in range(count)]
    for process in workers:
        process.start()
    for process in workers:
        process.join()
    print("workers", sorted(process.exitcode for process in workers), flush=True)


def fork_without_exec():
    """As a program does by hand, once with and once without the interpreter's end."""
    codes = []
    for leave in (os._exit, sys.exit):
        child = os.fork()
        if child == 0:
            leave(5)
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    print("children", codes, flush=True)


def daemonise(library, until):
    """The twice forked child uses CUDA and outlives everybody."""
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() != 0:
            os._exit(0)
        devnull = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(devnull, stream)
        worker(library, until)
        sys.exit(0)
    os.waitpid(child, 0)


def churn(library):
    """Threads that launch, threads that come and go, one that keeps the interpreter's lock busy to
    the end, collections, forked workers."""
    def spin():
        while True:
            sum(range(1000))

    def garbage():
        for _ in range(5):
            cycle = []
            cycle.append(cycle)
            gc.collect()

    threading.Thread(target=spin, daemon=True).start()
    threads = [threading.Thread(target=work, args=(library,)) for _ in range(3)]
    threads += [threading.Thread(target=garbage) for _ in range(3)]
    for thread in threads:
        thread.start()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print("pool", sum(pool.map(no_cuda, range(10))), flush=True)
    for _ in range(50):
        short = threading.Thread(target=no_cuda, args=(3,))
        short.start()
        short.join()
    for thread in threads:
        thread.join()


def before_the_end(how, library, until):
    if how == "fork_pool":  # DataLoader workers: after CUDA has started, they never use it
        work(library)
        with multiprocessing.get_context("fork").Pool(3) as pool:
            print("pool", sum(pool.map(no_cuda, range(10))), flush=True)
    elif how == "churn":
        work(library)  # CUDA is started by one thread
        churn(library)
    elif how in ("fork", "spawn", "forkserver"):
        start_workers(how, 3, library, until)
    elif how == "fork_by_hand":
        work(library)
        fork_without_exec()
        work(library)
    elif how == "subprocess":
        work(library)
        command = [sys.executable, "-B", os.path.abspath(__file__), library, until, "return"]
        print("child", subprocess.run(command, stdout=subprocess.DEVNULL).returncode, flush=True)
    elif how == "daemon":
        daemonise(library, until)
        return
    else:
        work(library)
    wait_for(until)


def end(how):
    if how == "sys_exit":
        sys.exit(3)
    if how == "exception":
        raise RuntimeError("scripted exception")
    if how == "keyboard_interrupt":
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    if how == "os_exit":
        os._exit(4)
    if how == "sigterm":
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)


def main():
    library, until, how = sys.argv[1:4]
    if how == "keyboard_interrupt":
        signal.signal(signal.SIGINT, signal.default_int_handler)
    before_the_end(how, library, until)
    print("loss 0.25", flush=True)
    end(how)


if __name__ == "__main__":
    main()
