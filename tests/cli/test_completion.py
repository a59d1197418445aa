"""Shell completion: bash is asked as a user's Tab asks it; both scripts know what --help knows."""
import re
import shlex
import shutil
import subprocess

from test_general import COMMANDS

ASK = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_gapscope
printf '%s\\n' "${COMPREPLY[@]}"
"""


def script(cli, shell):
    path = cli.path("completion." + shell)
    with open(path, "w", encoding="utf-8") as file:
        file.write(cli.run("completion", shell).expect(0).out)
    return path


def ask(path, *words):
    done = subprocess.run(["bash", "--norc", "-c", ASK, "ask", path, *words], timeout=60, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.stderr == b"", done.stderr
    return done.stdout.decode().split()


def flags_in_help(cli, command):
    page = cli.run(command, "--help").expect(0).out
    return set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", page, re.M))


def test_completion_bash(cli):
    path = script(cli, "bash")
    assert set(ask(path, "gapscope", "")) >= set(COMMANDS)
    assert ask(path, "gapscope", "re") == ["replay"]
    for command in COMMANDS:
        flags = flags_in_help(cli, command)
        assert flags, command
        assert set(ask(path, "gapscope", command, "--")) == flags, command
    assert ask(path, "gapscope", "show", "report.json", "--cs") == ["--csv"]
    assert ask(path, "gapscope", "show", "--csv", "") == ["kernels", "copies", "api"]
    assert ask(path, "gapscope", "show", "--csv", "=", "k") == ["kernels"]
    assert ask(path, "gapscope", "show", "--csv", "=") == ["kernels", "copies", "api"]
    assert ask(path, "gapscope", "diff", "--color", "a") == ["auto", "always"]
    assert ask(path, "gapscope", "run", "--graphs", "") == ["node", "graph"]
    assert ask(path, "gapscope", "completion", "") == ["bash", "zsh"]
    assert {"gates", "show"} <= set(ask(path, "gapscope", "help", ""))
    # Files are left to the shell: nothing is offered in their place.
    for words in (["show", ""], ["show", "-o", ""], ["run", "--snapshot", ""], ["run", "pyth"]):
        assert ask(path, "gapscope", *words) == [], words


def test_completion_zsh(cli):
    path = script(cli, "zsh")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert text.startswith("#compdef gapscope\n")
    for command in COMMANDS:
        part = re.search(rf"^    {command}\)\n(.*?)^      ;;", text, re.M | re.S).group(1)
        words = shlex.split(part)  # as a shell reads it: quotes within descriptions end nothing
        flags = {m.group(1) for m in (re.match(r"\*(--[a-z-]+)=?\[", w) for w in words) if m}
        assert flags == flags_in_help(cli, command), command
    assert "'*--csv=[" in text and ":value:(kernels copies api)'" in text
    if shutil.which("zsh"):
        subprocess.run(["zsh", "-n", path], check=True, timeout=60)


def test_completion_usage(cli):
    cli.run("completion").expect(1, "SHELL")
    cli.run("completion", "tcsh").expect(1, "tcsh")
    assert "source <(gapscope completion bash)" in cli.run("completion", "--help").expect(0).out
