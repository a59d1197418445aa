"""Validates real reports against lib/report/report.schema.json: schema_check.py GAPSCOPE SOURCE.

Replays samples/demo.gsrec and every recording of tests/data/causes, and checks that the schema
refuses what it should. Needs python3-jsonschema (Debian; .ci/setup installs it)."""
import copy
import glob
import json
import os
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    sys.exit("python3-jsonschema is missing: run .ci/setup, or apt-get install python3-jsonschema")


def replay(gapscope, recording):
    done = subprocess.run([gapscope, "replay", recording, "--report", "-"], check=True,
                          stdout=subprocess.PIPE, timeout=120)
    return json.loads(done.stdout)


def refused(validator, report, change):
    changed = copy.deepcopy(report)
    change(changed)
    return not validator.is_valid(changed)


def main():
    gapscope, source = sys.argv[1:]
    with open(os.path.join(source, "lib/report/report.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    recordings = [os.path.join(source, "samples/demo.gsrec"),
                  *sorted(glob.glob(os.path.join(source, "tests/data/causes/*.gsrec")))]
    assert len(recordings) > 10, recordings
    for recording in recordings:
        report = replay(gapscope, recording)
        errors = [f"{e.json_path}: {e.message}" for e in validator.iter_errors(report)]
        assert not errors, f"{recording}: {errors[:5]}"
        assert report["devices"] and report["devices"][0]["kernels"], recording
    assert refused(validator, report, lambda r: r.pop("devices"))
    assert refused(validator, report, lambda r: r.update(extra=1))
    assert refused(validator, report, lambda r: r["devices"][0].update(idle_ns="1"))
    assert refused(validator, report, lambda r: r["devices"][0]["kernels"][0].update(grid=[1, 2]))
    assert refused(validator, report, lambda r: r.update(schema_version=2))


if __name__ == "__main__":
    main()
