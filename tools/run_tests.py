#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every test there is and closes with `N passed, N failed`: what ./dev test does.

With --threads: the unit tests and the simulation under ThreadSanitizer, what ./dev threads does; its build costs as much
as all the rest, so it is no part of ./dev test.

Each stage gives its counts to one sum. What a stage printed is kept in
build/test-logs/<stage>.log; of a stage that failed, its failures are shown.
A stage whose build fails counts as one failure.
"""
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
LOGS = BUILD / "test-logs"
SHARED = ROOT.parent / "shared"
JOBS = 2
FUZZ_SECONDS = 30
UNIT_SECONDS = 600
# How long each proof by simulation goes on; ./dev simulate runs as many seeds as one likes.
SEEDS = 50
SIMULATION_SECONDS = {"many-writers": 60, "crash-points": 60, "histories": 30, "tasks": 30}
SHOWN_LINES = 60
THREADS_ENVIRONMENT = {"TSAN_OPTIONS": "ignore_noninstrumented_modules=1 history_size=7 suppressions="
                       f"{ROOT / 'tests' / 'thread_sanitizer.txt'}"}

CLOSING = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.M)


@dataclasses.dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other):
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self):
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


ONE_FAILED = Counts(failed=1)


class Log:
    """What one stage prints, on disk; its failures are said aloud as well."""

    def __init__(self, stage):
        self.path = LOGS / f"{stage.replace(' ', '-').replace('/', '-')}.log"
        self.path.write_text("")

    def run(self, command, seconds=None, env=None):
        """Runs a command into the log; gives its exit status and output, None for the status when time was up."""
        try:
            done = subprocess.run(list(map(str, command)), cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=seconds, env={**os.environ, **(env or {})})
            status, output = done.returncode, done.stdout
        except subprocess.TimeoutExpired as late:
            status, output = None, (late.stdout or b"") + f"\nstopped after {seconds} s".encode()
        text = output.decode(errors="replace")
        with self.path.open("a") as file:
            file.write(f"$ {' '.join(map(str, command))}\n{text}\nexit {status}\n")
        return status, text

    def show(self, what, text):
        lines = text.strip().splitlines()
        print(f"--- {what}" + (f" (the end of {self.path.relative_to(ROOT)})" if len(lines) > SHOWN_LINES else ""))
        print("\n".join(lines[-SHOWN_LINES:]), flush=True)

    def build(self, kind, *targets):
        status, text = self.run(["./dev", "make", kind, *targets])
        if status:
            failed = text.find("FAILED:")
            self.show(f"the {kind} build failed", "\n".join(text[max(failed, 0):].splitlines()[:SHOWN_LINES]))
        return status == 0


def each(function, items):
    """The sum of function(item), two at a time."""
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        return sum(pool.map(function, items), Counts())


def layers(log):
    status, text = log.run([sys.executable, "tools/check_layers.py"])
    if status:
        log.show("includes", text)
    return ONE_FAILED if status else Counts(passed=1)


def unit_tests(log, folder):
    """Every gtest program of a build, each of its tests counted."""
    def run(line):
        program, uses_duckdb = line.split()
        report = LOGS / f"{folder.name}-{program}.json"
        report.unlink(missing_ok=True)
        # DuckDB's own allocator hides from the leak check what it points to.
        leaks = "0" if uses_duckdb == "duckdb" else "1"
        status, text = log.run([folder / "tests" / program, "--gtest_brief=1", f"--gtest_output=json:{report}"],
                               UNIT_SECONDS, {"ASAN_OPTIONS": f"detect_leaks={leaks}",
                                              "UBSAN_OPTIONS": "print_stacktrace=1", **THREADS_ENVIRONMENT})
        counts = Counts()
        if report.exists():
            tests = [test for suite in json.loads(report.read_text())["testsuites"] for test in suite["testsuite"]]
            ran = [test for test in tests if test["result"] == "COMPLETED"]
            counts.failed = sum("failures" in test for test in ran)
            counts.passed = len(ran) - counts.failed
            counts.skipped = len(tests) - len(ran)
        if status != 0 and not counts.failed:  # A crash, a leak, or no end.
            counts.failed = 1
        if status != 0:
            log.show(f"{program} in {folder.relative_to(ROOT)}", text)
        return counts

    return each(run, (folder / "tests" / "targets.txt").read_text().split("\n")[:-1])


def release_tests(log):
    return unit_tests(log, BUILD) if log.build("release", "all") else ONE_FAILED


def sanitizer_tests(log):
    return unit_tests(log, BUILD / "asan") if log.build("asan", "all_tests") else ONE_FAILED


def threads_tests(log):
    return unit_tests(log, BUILD / "tsan") if log.build("tsan", "all_tests", "bayou_simulation") else ONE_FAILED


def threads_simulation(log):
    return simulation(log, BUILD / "tsan")


def fuzzing(log):
    if not log.build("asan", "all_fuzzers"):
        return ONE_FAILED
    folder = BUILD / "asan" / "fuzz"

    def run(fuzzer):
        found = folder / "found" / fuzzer  # What the run adds to the corpus, and what crashes.
        found.mkdir(parents=True, exist_ok=True)
        seeds = ROOT / "tests" / "fuzz" / "corpus" / fuzzer
        corpora = [found, *([seeds] if seeds.is_dir() else [])]
        status, text = log.run(
            [folder / fuzzer, f"-max_total_time={FUZZ_SECONDS}", "-timeout=10", "-rss_limit_mb=2048",
             "-print_final_stats=1", f"-artifact_prefix={folder}/{fuzzer}-", *corpora], FUZZ_SECONDS + 120)
        if status != 0:
            log.show(f"{fuzzer} (the input is build/asan/fuzz/{fuzzer}-*)", text)
        return ONE_FAILED if status else Counts(passed=1)

    return each(run, (folder / "targets.txt").read_text().split())


def python_tests(log):
    if not (BUILD / "bayou").exists():
        log.show("pytest", "build/bayou was not built, so nothing that needs it was run")
        return ONE_FAILED
    report = LOGS / "pytest.xml"
    report.unlink(missing_ok=True)
    status, text = log.run([sys.executable, "-m", "pytest", "tests", "-q", "--tb=short", f"--junitxml={report}"])
    if status == 5:  # No test was collected.
        return Counts()
    if status != 0:
        log.show("pytest", text)
    if not report.exists():
        return ONE_FAILED
    suite = xml.etree.ElementTree.parse(report).getroot().find("testsuite")
    total, failures, errors, skipped = (int(suite.get(k)) for k in ("tests", "failures", "errors", "skipped"))
    return Counts(total - failures - errors - skipped, failures + errors, skipped)


def shared_check(log, command):
    """A check that came with the shared material and closes with its own counts."""
    if not (BUILD / "bayou").exists():
        return ONE_FAILED
    status, text = log.run([sys.executable, *command, "--bayou", BUILD / "bayou"])
    closing = CLOSING.findall(text)
    if status:
        log.show(command[0].name, text)
    if not closing:
        return ONE_FAILED
    counts = Counts(*(int(number or 0) for number in closing[-1]))
    if status and not counts.failed:
        counts.failed = 1
    return counts


def simulation(log, folder=BUILD):
    """Writers on a store that fails: always the same seeds, as many as there is time for."""
    counts = Counts()
    for proof, seconds in SIMULATION_SECONDS.items():
        seeds = ["--seeds", SEEDS] if proof == "many-writers" else []
        status, text = log.run([folder / "tests" / "bayou_simulation", "--jobs", JOBS, "--seconds", seconds, proof, *seeds],
                               seconds + UNIT_SECONDS, THREADS_ENVIRONMENT)
        closing = CLOSING.findall(text)
        counts += Counts(*(int(number or 0) for number in closing[-1])) if closing else ONE_FAILED
        if status:
            log.show(f"simulation {proof}", text)
    return counts


def corpora(log):
    """What a known limit makes fail is counted as skipped; a limit that is none any more is a failure."""
    lines = (ROOT / "tests" / "corpora" / "known_limits.txt").read_text().splitlines()
    known = {tuple(line.split()[:2]) for line in lines if line and not line.startswith("#")}
    counts = shared_check(log, [SHARED / "corpora" / "check.py"])
    failed = {tuple(found) for found in re.findall(r"^FAIL (\S+) (\S+):", log.path.read_text(), re.M)}
    for table, check in sorted(known - failed):
        log.show("corpora", f"{table} {check} passes: take it out of tests/corpora/known_limits.txt")
    limits = len(known & failed)
    return counts + Counts(failed=len(known - failed) - limits, skipped=limits)


def cases(log):
    lines = (ROOT / "tests" / "cases" / "passing.txt").read_text().splitlines()
    numbers = [line.split("#")[0].strip() for line in lines]
    wanted = ",".join(number for number in numbers if number)
    return shared_check(log, [SHARED / "cases" / "check_cases.py", "--only", wanted]) if wanted else Counts()


def thread_stages():
    yield "unit tests under ThreadSanitizer", threads_tests
    yield "simulation under ThreadSanitizer", threads_simulation


def stages():
    yield "layers", layers
    yield "unit tests", release_tests
    yield "simulation", simulation
    yield "statements and other engines", python_tests
    if (SHARED / "corpora" / "check.py").exists():
        yield "corpora", corpora
    if (SHARED / "cases" / "check_cases.py").exists():
        yield "cases", cases
    yield "unit tests under sanitizers", sanitizer_tests
    yield "fuzzing", fuzzing


def main():
    LOGS.mkdir(parents=True, exist_ok=True)
    total = Counts()
    for name, stage in thread_stages() if sys.argv[1:] == ["--threads"] else stages():
        print(f"== {name}", flush=True)
        started = time.monotonic()
        counts = stage(Log(name))
        # With a word before the counts, so that no line but the last reads as a closing line.
        print(f"   {name}: {counts} ({time.monotonic() - started:.0f} s)", flush=True)
        total += counts
    print(total)
    return 1 if total.failed or not total.passed else 0


if __name__ == "__main__":
    sys.exit(main())
