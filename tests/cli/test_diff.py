"""gapscope diff and --fail-if: what changed, and exit codes for pipelines."""
from cli import read, write


def pair(cli):
    """A run, and one whose steps idle 5 ms longer."""
    before, _ = cli.report("before", "--steps", "60")
    after, _ = cli.report("after", "--steps", "60", "--idle", "6500")
    return before, after


def test_diff_page(cli):
    before, after = pair(cli)
    page = cli.run("diff", before, after).expect(0).out
    assert "+5.0" in page.replace("5.00", "5.0"), page
    assert "idle" in page.lower() and "compute" in page
    back = cli.run("diff", after, before).expect(0).out
    assert "-5.0" in back.replace("5.00", "5.0").replace("\u2212", "-"), back
    cli.run("diff", before, after, "-o", cli.path("diff.txt")).expect(0)
    assert read(cli.path("diff.txt")).decode() == page
    for width in (60, 80, 120):
        lines = cli.run("diff", before, after, "--width", str(width)).expect(0).out.splitlines()
        assert max(map(len, lines)) <= width


def test_diff_of_a_report_with_itself(cli):
    before, _ = pair(cli)
    page = cli.run("diff", before, before, "--fail-if", "step_time +1%", "--fail-if", "step_time -1%",
                   "--fail-if", "kernel_time +0.1%").expect(0).out
    assert page


def test_diff_gates(cli):
    before, after = pair(cli)
    passes = ("step_time +60%", "idle_pct > 50", "kernel_time +5%")
    fails = ("step_time +40%", "idle_pct > 40", "step_time +4")
    for gate in passes:
        assert "PASS" in cli.run("diff", before, after, "-q", "--fail-if", gate).expect(0).out
    for gate in fails:
        result = cli.run("diff", before, after, "-q", "--fail-if", gate).expect(3, "gate failed: " + gate)
        assert "FAIL" in result.out and result.out.count("\n") == 1, result.out
    result = cli.run("diff", before, after, "--fail-if", passes[0], "--fail-if", fails[0])
    assert result.code == 3 and result.err.count("\n") == 1, result.err
    assert "PASS" in result.out and "FAIL" in result.out and "compute" in result.out


def test_diff_gates_that_cannot_be_decided(cli):
    """A figure that is not there must not pass: no steps, no such kernel."""
    one, _ = cli.report("one", "--steps", "1")
    before, after = pair(cli)
    cli.run("diff", one, one, "-q", "--fail-if", "step_time > 1").expect(3, "cannot be decided")
    cli.run("diff", before, after, "-q", "--fail-if", "kernel_time[nothing] > 1").expect(
        3, "cannot be decided")


def test_diff_usage(cli):
    before, after = pair(cli)
    cli.run("diff", before).expect(1, "NEW")
    cli.run("diff", before, after, "--fail-if", "idle_pct").expect(1, "idle_pct")
    cli.run("diff", before, after, "--fail-if", "coffee > 1").expect(1, "coffee")
    cli.run("diff", before, "none.json").expect(2, "none.json")
    cli.run("diff", write(cli.path("bad.json"), b"{"), after).expect(2, "bad.json")


def test_show_gates(cli):
    before, after = pair(cli)
    cli.run("show", before, "--fail-if", "idle_pct > 40", "-o", "/dev/null").expect(0)
    result = cli.run("show", after, "--fail-if", "idle_pct > 40").expect(3, "idle_pct > 40")
    assert "python train.py" in result.out
    cli.run("show", after, "--fail-if", "step_time +5%").expect(1, "gapscope diff")


def test_help_gates(cli):
    text = cli.run("help", "gates").expect(0).out
    for metric in ("idle_pct", "kernel_time", "step_time"):
        assert f"  {metric} " in text, text
