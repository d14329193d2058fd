# SPDX-License-Identifier: Apache-2.0
"""What others make of a checkpoint in parts, without the commits that it stands for."""
import os

import pytest


@pytest.mark.parametrize("vectors", ["false", "true"])
def test_a_checkpoint_in_parts_is_read_by_both(sql, run, tmp_path, duckdb_delta, vectors):
    from deltalake import DeltaTable, QueryBuilder
    path = tmp_path / "t"
    sql(f"CREATE TABLE delta.`{path}` (id BIGINT, p STRING) PARTITIONED BY (p) TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}')",
        *(f"INSERT INTO delta.`{path}` SELECT range, 'p' || range % 3 FROM range({k}, {k + 10})" for k in (0, 10, 20)),
        f"DELETE FROM delta.`{path}` WHERE id % 5 = 0")
    done = run("checkpoint", str(path), "--parts", "3")
    assert done.returncode == 0, done.stderr
    log = path / "_delta_log"
    for version in range(5):
        os.remove(log / f"{version:020}.json")
    expected = [i for i in range(30) if i % 5]
    assert sum(".checkpoint." in name for name in os.listdir(log)) == 3
    assert [row["id"] for row in sql(f"SELECT id FROM delta.`{path}` ORDER BY id")] == expected
    assert [r[0] for r in duckdb_delta.execute(f"SELECT id FROM delta_scan('{path}') ORDER BY id").fetchall()] == expected
    theirs = QueryBuilder().register("t", DeltaTable(path)).execute("SELECT id FROM t ORDER BY id").read_all()
    if vectors == "false":  # deltalake reads no deletion vectors.
        assert [id.as_py() for id in theirs["id"]] == expected


def test_an_incomplete_one_is_passed_over(sql, run, tmp_path, duckdb_delta):
    from deltalake import DeltaTable
    path = tmp_path / "t"
    sql(f"CREATE TABLE delta.`{path}` (id BIGINT)", *(f"INSERT INTO delta.`{path}` VALUES ({i})" for i in range(4)))
    assert run("checkpoint", str(path), "--parts", "2").returncode == 0
    os.remove(path / "_delta_log" / f"{4:020}.checkpoint.{1:010}.{2:010}.parquet")
    os.remove(path / "_delta_log" / "_last_checkpoint")
    assert sql(f"SELECT count(*) AS n FROM delta.`{path}`") == [{"n": 4}]
    assert len(DeltaTable(path).file_uris()) == 4
    assert duckdb_delta.execute(f"SELECT count(*) FROM delta_scan('{path}')").fetchone()[0] == 4
