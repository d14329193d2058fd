# SPDX-License-Identifier: Apache-2.0
"""A full disk, too few files, a folder that cannot be written, a clock that goes back: a clear error, and nothing is lost."""
import os
import pathlib
import resource
import shutil
import signal
import subprocess

import pytest

TABLE = "CREATE TABLE t (i BIGINT, s VARCHAR) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
MANY = "SELECT range AS i, repeat(md5(range::VARCHAR), 8) AS s FROM range(20000)"
CHANGES = [f"INSERT INTO t {MANY}", "UPDATE t SET s = s || 'x' WHERE i % 3 = 0", "DELETE FROM t WHERE i % 2 = 0",
           f"MERGE INTO t USING ({MANY}) q ON t.i = q.i WHEN MATCHED THEN UPDATE SET s = q.s WHEN NOT MATCHED THEN INSERT *",
           f"CREATE OR REPLACE TABLE t AS {MANY}", f"CREATE TABLE u AS {MANY}"]


def summary(sql, **options):
    return sql("SELECT count(*) AS n, sum(hash(i, s))::VARCHAR AS h, (SELECT max(version) FROM bayou_history('t')) AS version FROM t",
               **options)


def fails(run, statement, *conditions, **options):
    done = run("sql", "-c", statement, **options)
    assert done.returncode == 1, (statement, done.stdout)
    assert done.stderr.count("error [") == 1 and any(f"error [{name}]" in done.stderr for name in conditions), done.stderr
    return done.stderr


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 6 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = shutil.which("mount") and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", folder],
                                                       capture_output=True, check=False).returncode == 0
    if not mounted:
        pytest.skip("a file system cannot be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("statement", CHANGES, ids=lambda text: text.split()[0] + text.split()[1])
def test_a_full_disk(run, sql, small_disk, statement):
    sql(TABLE, "INSERT INTO t SELECT range, 'a' FROM range(1000)", cwd=small_disk)
    before = summary(sql, cwd=small_disk)
    filler = small_disk / "filler"
    free = shutil.disk_usage(small_disk).free
    filler.write_bytes(b"x" * (free - 4096))  # A page is left.
    message = fails(run, statement, "OUT_OF_SPACE", cwd=small_disk)
    assert "No space left" in message, message
    assert summary(sql, cwd=small_disk) == before
    filler.unlink()
    sql(statement, cwd=small_disk)


def test_a_commit_that_fills_the_disk(run, sql, small_disk):
    """However few bytes are left, a statement is there or it is not."""
    sql(TABLE, "INSERT INTO t VALUES (0, 'a')", cwd=small_disk)
    filler, failed, done = small_disk / "filler", 0, 0
    for pages in range(0, 14):
        filler.write_bytes(b"")
        filler.write_bytes(b"x" * (shutil.disk_usage(small_disk).free - pages * 4096))
        outcome = run("sql", "-c", "INSERT INTO t VALUES (1, 'b')", cwd=small_disk)
        failed, done = (failed, done + 1) if outcome.returncode == 0 else (failed + 1, done)
        assert outcome.returncode == 0 or "No space left" in outcome.stderr, outcome.stderr
        assert sql("SELECT count(*) AS n FROM t", cwd=small_disk) == [{"n": done + 1}]
    assert failed and done


def test_a_limit_on_the_size_of_files(run, sql):
    sql(TABLE, "INSERT INTO t VALUES (0, 'a')")
    before = summary(sql)

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    message = fails(run, f"INSERT INTO t {MANY}", "OUT_OF_SPACE", "IO_ERROR", preexec_fn=limit)
    assert "too large" in message.lower(), message
    assert summary(sql) == before


def test_too_many_open_files(run, sql):
    sql(TABLE, *(f"INSERT INTO t VALUES ({i}, 'a')" for i in range(20)))
    rows, failed = 20, 0
    for most in (3, 4, 5, 6, 7, 8, 9, 12, 20, 40):
        done = run("sql", "-c", "INSERT INTO t SELECT 100, max(s) FROM t; UPDATE t SET s = 'b' WHERE i < 10",
                   preexec_fn=lambda most=most: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
        if done.returncode != 0:
            failed += 1
            assert "error [TOO_MANY_OPEN_FILES]" in done.stderr or "loading shared libraries" in done.stderr, done.stderr
        found = sql("SELECT count(*) AS n FROM t")[0]["n"]
        assert found in ((rows + 1,) if done.returncode == 0 else (rows, rows + 1)), (most, done.stderr)
        rows = found
    assert failed and rows > 20


def test_a_folder_that_cannot_be_written(run, sql, tmp_path):
    sql(TABLE, "INSERT INTO t SELECT range, 'a' FROM range(100)")
    before = summary(sql)
    options = {}
    if os.getuid() == 0:  # Nothing is forbidden to root.
        for folder in [tmp_path, *tmp_path.parents][:-1]:
            if folder.stat().st_uid == 0 and folder != pathlib.Path("/tmp"):
                folder.chmod(folder.stat().st_mode | 0o055)
        options = {"user": 65534, "env": {**os.environ, "HOME": "/tmp"}}
    folders = [tmp_path, tmp_path / "t", tmp_path / "t" / "_delta_log"]
    for folder in folders:
        folder.chmod(0o555)
    try:
        assert summary(sql, **options) == before
        for statement in CHANGES:
            message = fails(run, statement, "PERMISSION_DENIED", **options)
            assert "Permission denied" in message and str(tmp_path) in message, message
        fails(run, "ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')", "PERMISSION_DENIED", **options)
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert summary(sql) == before


@pytest.fixture
def clock(tmp_path):
    """clock(seconds): the environment of a process whose clock is so far from the machine's."""
    compiler = shutil.which("cc")
    if not compiler:
        pytest.skip("no C compiler")
    source, library = tmp_path / "clock.c", tmp_path / "clock.so"
    source.write_text("""
        #include <stdlib.h>
        #include <sys/syscall.h>
        #include <time.h>
        #include <unistd.h>
        int clock_gettime(clockid_t clock, struct timespec *now) {
          long done = syscall(SYS_clock_gettime, clock, now);
          if (clock == CLOCK_REALTIME) now->tv_sec += atol(getenv("CLOCK_OFFSET"));
          return (int)done;
        }""")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    return lambda seconds: {**os.environ, "LD_PRELOAD": str(library), "CLOCK_OFFSET": str(seconds)}


@pytest.mark.parametrize("properties", ["'delta.enableInCommitTimestamps' = 'true'", "'a' = 'b'"], ids=["in_commit", "file_times"])
def test_a_clock_that_goes_back_an_hour(sql, tmp_path, clock, properties):
    sql(f"CREATE TABLE t (i INT) TBLPROPERTIES ({properties})", "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)")
    log = tmp_path / "t" / "_delta_log"
    for version in (1, 2):  # Written while the clock was still ahead.
        file = log / f"{version:020d}.json"
        os.utime(file, (file.stat().st_mtime + 3600,) * 2)
    sql("INSERT INTO t VALUES (3)", "DELETE FROM t WHERE i = 1", env=clock(-3600))
    sql("INSERT INTO t VALUES (4)", env=clock(-7200))
    times = [row["timestamp"] for row in sql("SELECT timestamp FROM bayou_history('t') ORDER BY version")]
    assert len(times) == 6 and times == sorted(set(times)), times
    assert [row["i"] for row in sql("SELECT i FROM t ORDER BY i")] == [2, 3, 4]
    for version, time in enumerate(times):
        at = sql(f"SELECT count(*) AS n FROM t TIMESTAMP AS OF '{time}'")[0]["n"]
        assert at == sql(f"SELECT count(*) AS n FROM t VERSION AS OF {version}")[0]["n"]
