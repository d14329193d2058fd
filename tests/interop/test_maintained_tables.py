# SPDX-License-Identifier: Apache-2.0
"""Tables that bayou has looked after, read and looked after by implementations that share no code with it."""
import os
import time

import pyarrow as pa
import pytest

DAY = 24 * 60 * 60
PROPERTIES = ["", "'delta.enableDeletionVectors' = 'true'", "'delta.columnMapping.mode' = 'name'",
              "'delta.enableRowTracking' = 'true', 'delta.enableDeletionVectors' = 'true'"]


def small_files(sql, properties, partition):
    by = " PARTITIONED BY (p)" if partition else ""
    conf = f" TBLPROPERTIES ({properties})" if properties else ""
    sql(f"CREATE TABLE t (id BIGINT, p VARCHAR, v DOUBLE){by}{conf}",
        *(f"INSERT INTO t SELECT range, CASE range % 4 WHEN 0 THEN NULL WHEN 1 THEN 'a b/%' ELSE 'p' END, range / 8 "
          f"FROM range({20 * i}, {20 * i + 20})" for i in range(5)), "DELETE FROM t WHERE id % 5 = 2 AND id < 20")
    return sql("SELECT id, p, v FROM t ORDER BY id")


@pytest.mark.parametrize("partition", [False, True])
@pytest.mark.parametrize("properties", PROPERTIES)
def test_duckdb_reads_an_optimized_table(sql, tmp_path, duckdb_delta, properties, partition):
    if partition and "columnMapping" in properties:
        pytest.skip("DuckDB's delta extension reads mapped partition columns as NULL, appended rows too")
    rows = small_files(sql, properties, partition)
    sql("OPTIMIZE t")
    sql("SET bayou_retention_check = false", "VACUUM t RETAIN 0 HOURS")
    assert sql("SELECT id, p, v FROM t ORDER BY id") == rows
    theirs = duckdb_delta.execute(f"SELECT id, p, v FROM delta_scan('{tmp_path / 't'}') ORDER BY id").fetchall()
    assert theirs == [tuple(row.values()) for row in rows]
    assert len(list((tmp_path / "t").rglob("*.parquet"))) == (3 if partition else 1)


@pytest.mark.parametrize("partition", [False, True])
def test_deltalake_goes_on_with_an_optimized_table(sql, tmp_path, partition):
    from deltalake import DeltaTable
    rows = small_files(sql, "", partition)
    sql("OPTIMIZE t")
    table = DeltaTable(tmp_path / "t")
    assert table.history()[0]["operation"] == "OPTIMIZE"
    assert table.to_pyarrow_table().sort_by("id").select(["id", "p", "v"]).to_pylist() == rows
    assert table.optimize.compact()["numFilesRemoved"] == 0
    table.delete("id < 5")
    sql("RESTORE TABLE t TO VERSION AS OF 6")
    table.update_incremental()
    assert table.to_pyarrow_table().sort_by("id").select(["id", "p", "v"]).to_pylist() == rows
    assert table.history()[0]["operation"] == "RESTORE"


def large_row_groups(first):
    """70,000 rows of 3 MB, of every shape that a writer stores in a way of its own."""
    ids = list(range(first, first + 70_000))
    return pa.table({
        "id": pa.array(ids, pa.int64()),
        "few": pa.array([None if i % 3 == 0 else f"text {i % 11}" for i in ids]),
        "s": pa.array([f"{i * 2654435761 % 2 ** 32:08x} {i * 40503 % 2 ** 16:04x}" for i in ids]),
        "v": pa.array([i / 7 for i in ids], pa.float64()),
        "seen": pa.array([None if i % 5 == 0 else i * 1_000_003 for i in ids], pa.timestamp("us", tz="UTC")),
        "n": pa.array([None if i % 13 == 0 else {"d": i % 100, "l": [i, None] * (i % 3)} for i in ids],
                      pa.struct([("d", pa.int32()), ("l", pa.list_(pa.int64()))])),
        "p": pa.array(["a b/%" if first % 140_000 == 0 else None] * 70_000, pa.string())})


def rows_of_row_groups(table):
    import pyarrow.parquet as pq
    files = [pq.ParquetFile(path).metadata for path in table.file_uris()]
    return sorted([file.row_group(i).num_rows for i in range(file.num_row_groups)] for file in files)


@pytest.mark.parametrize("writer", ["deltalake", "bayou"])
def test_row_groups_that_were_copied_are_read_by_all(sql, run, tmp_path, duckdb_delta, writer):
    from deltalake import DeltaTable, write_deltalake
    # Made beforehand: deltalake calls elements of lists `item` in the files that make a table, and `element` in all others.
    DeltaTable.create(tmp_path / "source", large_row_groups(0).schema, partition_by=["p"])
    for i in range(4):
        write_deltalake(tmp_path / "source", large_row_groups(70_000 * i), partition_by=["p"], mode="append")
    if writer == "bayou":
        sql("CREATE TABLE t PARTITIONED BY (p) AS SELECT * FROM source WHERE false",
            *(f"INSERT INTO t SELECT * FROM source WHERE id BETWEEN {70_000 * i} AND {70_000 * i + 69_999}" for i in range(4)))
    else:
        (tmp_path / "source").rename(tmp_path / "t")
    table = DeltaTable(tmp_path / "t")
    before = table.to_pyarrow_table().sort_by("id")
    sql("OPTIMIZE t")
    table.update_incremental()
    assert rows_of_row_groups(table) == [[70_000, 70_000], [70_000, 70_000]]
    assert table.to_pyarrow_table().sort_by("id").equals(before)
    assert table.to_pyarrow_table(filters=[("id", "=", 139_999)]).num_rows == 1
    ids = "count(*), sum(id), max(v), count(few), max(s), epoch_us(min(seen)), sum(n.d), sum(len(n.l)), sum(n.l[1])"
    theirs = duckdb_delta.execute(f"SELECT {ids} FROM delta_scan('{tmp_path / 't'}')").fetchall()
    assert theirs == duckdb_delta.execute(f"SELECT {ids} FROM before").fetchall()
    assert sql("SELECT count(*) AS n, count(DISTINCT id) AS ids FROM t WHERE v < 20000") == [{"n": 140_000, "ids": 140_000}]
    assert run("validate", "t", "--deep", "--format", "json").returncode == 0


@pytest.mark.parametrize("order", ["OPTIMIZE t ZORDER BY (id, v)", "OPTIMIZE t"])
def test_others_read_an_ordered_table(sql, tmp_path, duckdb_delta, order):
    from deltalake import DeltaTable
    by = "" if "ZORDER" in order else " CLUSTER BY (id, v)"
    sql(f"CREATE TABLE t (id BIGINT, v DOUBLE){by} TBLPROPERTIES ('delta.targetFileSize' = '8000')",
        *(f"INSERT INTO t SELECT range * 7 % 10007, range / 3 FROM range({3000 * i}, {3000 * i + 3000})" for i in range(3)))
    rows = sql("SELECT id, v FROM t ORDER BY ALL")
    sql(order)
    assert sql("SELECT id, v FROM t ORDER BY ALL") == rows
    theirs = duckdb_delta.execute(f"SELECT id, v FROM delta_scan('{tmp_path / 't'}') ORDER BY ALL").fetchall()
    assert theirs == [tuple(row.values()) for row in rows]
    if not by:
        assert DeltaTable(tmp_path / "t").to_pyarrow_table().sort_by([("id", "ascending"), ("v", "ascending")]).to_pylist() == rows


def test_bayou_and_deltalake_vacuum_the_same_files(sql, run, tmp_path):
    from deltalake import DeltaTable, write_deltalake
    for i in range(4):
        write_deltalake(tmp_path / "t", pa.table({"id": pa.array([i], pa.int64()), "p": ["a b/%"]}), partition_by=["p"], mode="append")
    table = DeltaTable(tmp_path / "t")
    table.optimize.compact()
    table.delete("id = 0")
    (tmp_path / "t" / "orphan.parquet").write_bytes(b"PAR1")
    for name in ("full", "lite"):
        theirs = table.vacuum(retention_hours=0, dry_run=True, enforce_retention_duration=False, full=name == "full")
        ours = run("vacuum", "t", "--retain-hours", "0", "--dry-run", "--mode", name).stdout.splitlines()[1:]
        files = [os.path.relpath(line, tmp_path / "t") for line in ours if line.endswith(".parquet")]
        assert sorted(files) == sorted(theirs) and len(files) >= 5
    sql("SET bayou_retention_check = false", "VACUUM t RETAIN 0 HOURS")
    assert DeltaTable(tmp_path / "t").to_pyarrow_table().sort_by("id")["id"].to_pylist() == [1, 2, 3]
    history = DeltaTable(tmp_path / "t").history(2)
    assert [entry["operation"] for entry in history] == ["VACUUM END", "VACUUM START"]


def test_an_old_table_of_deltalake_keeps_its_time_travel(sql, tmp_path):
    """Tombstones inside the retention time, checkpointed by another."""
    from deltalake import DeltaTable, write_deltalake
    for i in range(3):
        write_deltalake(tmp_path / "t", pa.table({"id": pa.array([i], pa.int64())}), mode="append")
    table = DeltaTable(tmp_path / "t")
    table.optimize.compact()
    table.create_checkpoint()
    then = time.time() - 30 * DAY
    for file in (tmp_path / "t").glob("*.parquet"):
        os.utime(file, (then, then))
    sql("VACUUM t")
    assert DeltaTable(tmp_path / "t", version=2).to_pyarrow_table().num_rows == 3


@pytest.mark.parametrize("partition", [False, True])
def test_others_read_a_table_that_looks_after_itself(sql, tmp_path, duckdb_delta, partition):
    from deltalake import DeltaTable
    by = " PARTITIONED BY (p)" if partition else ""
    sql(f"CREATE TABLE t (id BIGINT, p VARCHAR){by} TBLPROPERTIES ('delta.autoOptimize.autoCompact' = 'true')",
        "SET spark.databricks.delta.autoCompact.minNumFiles = 4",
        *(f"INSERT INTO t SELECT range, CASE range % 2 WHEN 0 THEN NULL ELSE 'a b/%' END FROM range({10 * i}, {10 * i + 10})"
          for i in range(6)))
    table = DeltaTable(tmp_path / "t")
    history = table.history()
    assert [entry["operation"] for entry in history].count("OPTIMIZE") == 1
    assert table.to_pyarrow_table().sort_by("id")["id"].to_pylist() == list(range(60))
    theirs = duckdb_delta.execute(f"SELECT id, p FROM delta_scan('{tmp_path / 't'}') ORDER BY id").fetchall()
    assert theirs == [(i, "a b/%" if i % 2 else None) for i in range(60)]
    assert table.optimize.compact()["numFilesRemoved"] == (6 if partition else 3)


def test_a_table_that_was_optimized_in_many_commits(sql, run, tmp_path, duckdb_delta):
    from deltalake import DeltaTable
    rows = small_files(sql, "", True)
    before = DeltaTable(tmp_path / "t").version()
    assert run("optimize", "t", "--commit-every", "1").returncode == 0
    table = DeltaTable(tmp_path / "t")
    assert table.version() == before + 3 and {entry["operation"] for entry in table.history(3)} == {"OPTIMIZE"}
    assert table.to_pyarrow_table().sort_by("id").select(["id", "p", "v"]).to_pylist() == rows
    theirs = duckdb_delta.execute(f"SELECT id, p, v FROM delta_scan('{tmp_path / 't'}') ORDER BY id").fetchall()
    assert theirs == [tuple(row.values()) for row in rows]
