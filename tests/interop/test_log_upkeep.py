# SPDX-License-Identifier: Apache-2.0
"""What becomes of a table's log over many commits, and that others read the table as before."""
import os
import time

import pytest

DAY = 24 * 60 * 60


def log_of(path):
    return sorted(os.listdir(path / "_delta_log"))


def written(sql, path, properties, commits):
    sql(f"CREATE TABLE delta.`{path}` (i INTEGER) TBLPROPERTIES ({properties})",
        *(f"INSERT INTO delta.`{path}` VALUES ({i})" for i in range(commits)))


def by_deltalake(path):
    from deltalake import DeltaTable
    return sorted(DeltaTable(path).to_pyarrow_table()["i"].to_pylist())


def test_runs_of_small_commits_become_compacted_files(sql, tmp_path, duckdb_delta):
    path = tmp_path / "t"
    written(sql, path, "'delta.checkpointInterval' = '20'", 12)
    names = log_of(path)
    assert [name for name in names if "compacted" in name] == [
        f"{first:020}.{first + 4:020}.compacted.json" for first in (1, 6)]
    assert sum(name.count(".") == 1 and name.endswith(".json") for name in names) == 13  # The commits stay.
    assert sql(f"SELECT count(*) AS n FROM bayou_log('{path}') WHERE \"inSegment\" AND kind = 'compacted'") == [{"n": 2}]
    expected = list(range(12))
    assert [row["i"] for row in sql(f"SELECT i FROM delta.`{path}` ORDER BY i")] == expected
    assert by_deltalake(path) == expected
    assert [row[0] for row in duckdb_delta.execute(f"SELECT i FROM delta_scan('{path}') ORDER BY i").fetchall()] == expected
    # Between the ends of a compacted file there are versions, too.
    assert sql(f"SELECT count(*) AS n FROM delta.`{path}` VERSION AS OF 8") == [{"n": 8}]
    assert len(sql(f"DESCRIBE HISTORY delta.`{path}`")) == 13


def test_a_compacted_file_of_deltalake_is_read(sql, tmp_path):
    from deltalake import DeltaTable
    path = tmp_path / "t"
    written(sql, path, "'delta.checkpointInterval' = '100', 'delta.logCompaction.interval' = '0'", 4)
    DeltaTable(path).compact_logs(1, 3)
    assert sum("compacted" in name for name in log_of(path)) == 1
    assert [row["i"] for row in sql(f"SELECT i FROM delta.`{path}` ORDER BY i")] == [0, 1, 2, 3]


def test_a_compaction_that_fails_leaves_the_commit(sql, run, tmp_path):
    path = tmp_path / "t"
    written(sql, path, "'delta.checkpointInterval' = '20'", 4)
    os.makedirs(path / "_delta_log" / f"{1:020}.{5:020}.compacted.json" / "x")  # Its name is taken by what is no file.
    done = run("sql", "-c", f"INSERT INTO delta.`{path}` VALUES (4)")
    assert done.returncode == 0
    assert sql(f"SELECT count(*) AS n FROM delta.`{path}`") == [{"n": 5}]


@pytest.mark.parametrize("cleanup", ["true", "false"])
def test_a_checkpoint_ends_the_old_part_of_the_log(sql, tmp_path, duckdb_delta, cleanup):
    path = tmp_path / "t"
    written(sql, path, "'delta.checkpointInterval' = '5', 'delta.logRetentionDuration' = 'interval 2 days', "
            f"'delta.enableExpiredLogCleanup' = '{cleanup}'", 7)
    # As if it had been written long ago, a commit a day.
    now = time.time()
    for name in log_of(path):
        if name[0] == "0":
            days = 30 - int(name[:20])
            os.utime(path / "_delta_log" / name, (now - days * DAY, now - days * DAY))
    sql(*(f"INSERT INTO delta.`{path}` VALUES ({i})" for i in range(7, 10)))  # Version 10 is checkpointed.
    commits = [int(name[:20]) for name in log_of(path) if name.count(".") == 1 and name.endswith(".json")]
    # Two days ago version 7 was the latest, so version 5's checkpoint is the start.
    assert commits == list(range(5 if cleanup == "true" else 0, 11))
    expected = list(range(10))
    assert by_deltalake(path) == expected
    assert [row[0] for row in duckdb_delta.execute(f"SELECT i FROM delta_scan('{path}') ORDER BY i").fetchall()] == expected
    assert sql(f"SELECT count(*) AS n FROM delta.`{path}` VERSION AS OF 6") == [{"n": 6}]
