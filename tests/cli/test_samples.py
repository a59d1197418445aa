"""What lies under samples/ is what the program makes of the recordings in tests/data."""
import os

from cli import read


def replayed(cli, name):
    path = cli.path(name + ".json")
    recording = os.path.join(cli.source, "tests/data/causes", name + ".gsrec")
    cli.run("replay", recording, "-q", "--report", path).expect(0)
    return path


def test_samples_diff(cli):
    """Two real runs on an H200: the input pipeline's time is the first that the fix won."""
    before, after = replayed(cli, "loader_stall"), replayed(cli, "loader_stall_fix")
    text = cli.run("diff", before, after).expect(0).out
    rows = text.split("ms/step")[1].splitlines()
    assert rows[1].startswith("input pipeline"), rows[1]
    sample = read(os.path.join(cli.source, "samples/loader_stall_diff.txt")).decode()
    assert text == sample, "samples/loader_stall_diff.txt is not what gapscope diff prints now"
    cli.run("diff", before, after, "-q", "--fail-if", "idle_pct > 10").expect(0)
    gates = cli.run("diff", after, before, "-q", "--fail-if", "idle_pct > 10", "--fail-if", "step_time +5%")
    assert gates.code == 3, gates.out
