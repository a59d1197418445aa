"""The command line as a whole: help, versions, usage errors, streams that are closed."""
import json
import os
import re
import stat
import subprocess

COMMANDS = ("run", "replay", "show", "diff", "merge", "env", "completion", "help")


def test_version(cli):
    header = open(os.path.join(cli.source, "include/gapscope/gapscope.h"), encoding="utf-8").read()
    version = re.search(r'GAPSCOPE_VERSION_STRING "([0-9.]+)"', header).group(1)
    assert cli.run("--version").expect(0).out == f"gapscope {version}\n"


def test_help(cli):
    text = cli.run("--help").expect(0).out
    assert cli.run("help").expect(0).out == text
    assert "Exit codes: 0" in text and "help env" in text
    for command in COMMANDS:
        assert re.search(rf"^  {command} ", text, re.M), text
        page = cli.run(command, "--help").expect(0).out
        assert f"gapscope {command}" in page
        # "help env" was the topic of the variables before there was a command of that name.
        other = cli.run("help", command).expect(0).out
        assert other == page if command != "env" else "gapscope env --help" in other
        assert len(page.splitlines()) <= 60, f"{command} --help is longer than a page"


def test_help_nvprof(cli):
    """What it names is there: options of our commands, fields of the report."""
    text = cli.run("help", "nvprof").expect(0).out
    assert max(map(len, text.splitlines())) <= 100
    used = re.findall(r"gapscope (run|show|replay) ([^;\n]*)", text)
    assert len(used) > 8
    for command, words in used:
        page = cli.run(command, "--help").expect(0).out
        for option in re.findall(r"--[a-z-]+", words):
            assert option in page, f"gapscope {command} has no {option}"
    with open(os.path.join(cli.source, "lib/report/report.schema.json"), encoding="utf-8") as file:
        kernel = json.load(file)["$defs"]["kernel"]["properties"]
    fields = re.findall(r"kernels\[\]\.([a-z_]+)", text)
    assert len(fields) > 3 and set(fields) <= set(kernel), fields


def test_help_env(cli):
    text = cli.run("help", "env").expect(0).out
    for name in ("GAPSCOPE_REPORT=", "GAPSCOPE_RECORD=", "GAPSCOPE_CAPTURE=", "GAPSCOPE_ENABLED="):
        assert "\n" + name in text
    assert max(map(len, text.splitlines())) <= 80


def test_usage_errors(cli):
    cli.run().expect(1, "a command is needed")
    cli.run("frobnicate").expect(1, "frobnicate")
    cli.run("show").expect(1, "REPORT")
    cli.run("show", "--frob", "x").expect(1, "--frob")
    cli.run("replay", "--width", "3").expect(1, "--width")
    cli.run("replay", "--color", "blue").expect(1, "--color")
    cli.run("replay", "--capture", "steps:9-3").expect(1, "steps:20-300")
    cli.run("help", "nonsense").expect(1, "nonsense")


def test_closed_pipe(cli):
    path, _ = cli.report("a")
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.run([cli.gapscope, "show", path], stdout=writer, stderr=subprocess.PIPE,
                             env=cli.environment(), timeout=60, check=False)
    os.close(writer)
    assert process.returncode == 0 and process.stderr == b"", process


def test_closed_stdout(cli):
    path, _ = cli.report("a")
    command = f'"{cli.gapscope}" show "{path}" >&-'
    process = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, env=cli.environment(),
                             timeout=60, check=False)
    assert process.returncode == 4 and b"standard output" in process.stderr, process


def test_full_output(cli):
    if not os.path.exists("/dev/full"):
        return
    path, _ = cli.report("a")
    with open("/dev/full", "wb") as full:
        process = subprocess.run([cli.gapscope, "show", path], stdout=full, stderr=subprocess.PIPE,
                                 env=cli.environment(), timeout=60, check=False)
    assert process.returncode == 4 and b"No space left" in process.stderr, process
    cli.run("show", path, "-o", "/dev/full").expect(4, "/dev/full")
    assert os.path.exists("/dev/full") and not os.path.isfile("/dev/full")


def test_output_to_a_pipe(cli):
    """It waits for the reader, who may be a pager, and leaves the pipe one."""
    path, _ = cli.report("a")
    pipe = cli.path("pipe")
    os.mkfifo(pipe)
    process = subprocess.Popen([cli.gapscope, "show", path, "-o", pipe], env=cli.environment())
    with open(pipe, "rb") as reader:
        text = reader.read().decode()
    assert process.wait(timeout=60) == 0
    assert text == cli.run("show", path).expect(0).out
    assert stat.S_ISFIFO(os.lstat(pipe).st_mode)
