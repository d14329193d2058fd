# SPDX-License-Identifier: Apache-2.0
"""Tables whose rows bayou changed, read by implementations that share no code with it; theirs, changed by bayou."""
import json

import pyarrow as pa
import pytest

VECTORS = "'delta.enableDeletionVectors' = 'true'"
FEED = "'delta.enableChangeDataFeed' = 'true'"
MAPPING = "'delta.columnMapping.mode' = 'name'"
TRACKING = "'delta.enableRowTracking' = 'true'"
CHANGES = ["DELETE FROM t WHERE id % 10 = 3", "UPDATE t SET v = v + 1, p = 'moved' WHERE id BETWEEN 20 AND 40", "DELETE FROM t WHERE id < 5",
           "MERGE INTO t USING (SELECT range AS id, 'p' || range % 3 AS p, 7 AS v FROM range(90, 120)) AS s ON s.id = t.id "
           "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE AND t.id = 50 THEN DELETE",
           "INSERT INTO t REPLACE WHERE p = 'p0' VALUES (1000, 'p0', 1)"]


def changed(sql, properties, partition):
    by = " PARTITIONED BY (p)" if partition else ""
    conf = f" TBLPROPERTIES ({properties})" if properties else ""
    sql(f"CREATE TABLE t (id BIGINT, p VARCHAR, v INTEGER){by}{conf}", "INSERT INTO t SELECT range, 'p' || range % 3, 0 FROM range(60)",
        "INSERT INTO t SELECT range, 'p' || range % 3, 0 FROM range(60, 100)", *CHANGES)
    return sql("SELECT id, p, v FROM t ORDER BY id")


@pytest.mark.parametrize("partition", [False, True])
@pytest.mark.parametrize("properties", ["", VECTORS, FEED, f"{VECTORS}, {FEED}, {MAPPING}", f"{TRACKING}, {VECTORS}"])
def test_duckdb_reads_what_was_changed(sql, tmp_path, duckdb_delta, properties, partition):
    if partition and MAPPING in properties:
        pytest.skip("DuckDB's delta extension reads mapped partition columns as NULL, appended rows too")
    rows = changed(sql, properties, partition)
    assert len(rows) > 50
    theirs = duckdb_delta.execute(f"SELECT id, p, v FROM delta_scan('{tmp_path / 't'}') ORDER BY id").fetchall()
    assert theirs == [tuple(row.values()) for row in rows]


@pytest.mark.parametrize("partition", [False, True])
@pytest.mark.parametrize("properties", ["", FEED])
def test_deltalake_reads_what_was_changed(sql, tmp_path, properties, partition):
    from deltalake import DeltaTable
    rows = changed(sql, properties, partition)
    table = DeltaTable(tmp_path / "t")
    assert table.to_pyarrow_table().sort_by("id").select(["id", "p", "v"]).to_pylist() == rows
    assert table.history()[0]["operation"] == "WRITE"
    assert [entry["operation"] for entry in table.history()[1:5]] == ["MERGE", "DELETE", "UPDATE", "DELETE"]
    if not properties:
        return
    columns = ["_change_type", "_commit_version", "id", "p", "v"]
    ours = sql(f"SELECT {', '.join(columns)} FROM table_changes('t', 0) ORDER BY ALL")
    feed = pa.table(table.load_cdf(starting_version=0, columns=columns).read_all())
    theirs = sorted(feed.select(columns).to_pylist(), key=lambda row: tuple(str(row[c]).zfill(20) for c in columns))
    assert theirs == sorted(ours, key=lambda row: tuple(str(row[c]).zfill(20) for c in columns))


@pytest.mark.parametrize("partition", [False, True])
@pytest.mark.parametrize("properties", ["", VECTORS])
def test_duckdb_reads_changes_of_changes_as_one_commit(sql, tmp_path, duckdb_delta, properties, partition):
    by = " PARTITIONED BY (p)" if partition else ""
    conf = f" TBLPROPERTIES ({properties})" if properties else ""
    sql("BEGIN", f"CREATE TABLE t (id BIGINT, p VARCHAR, v INTEGER){by}{conf}", "INSERT INTO t SELECT range, 'p' || range % 3, 0 FROM range(60)",
        "UPDATE t SET v = v + 1 WHERE id < 40", "COMMIT")
    sql("BEGIN", "INSERT INTO t SELECT range, 'p' || range % 3, 0 FROM range(60, 100)", *CHANGES[:-1], "DELETE FROM t WHERE id % 7 = 0",
        "UPDATE t SET v = v * 2", "COMMIT")
    rows = sql("SELECT id, p, v FROM t ORDER BY id")
    assert len(rows) > 50 and len(list((tmp_path / "t" / "_delta_log").glob("*.json"))) == 2
    theirs = duckdb_delta.execute(f"SELECT id, p, v FROM delta_scan('{tmp_path / 't'}') ORDER BY id").fetchall()
    assert theirs == [tuple(row.values()) for row in rows]
    # The same statements, each a commit of its own.
    sql(f"CREATE TABLE apart (id BIGINT, p VARCHAR, v INTEGER){by}{conf}", "INSERT INTO apart SELECT range, 'p' || range % 3, 0 FROM range(60)",
        "UPDATE apart SET v = v + 1 WHERE id < 40", "INSERT INTO apart SELECT range, 'p' || range % 3, 0 FROM range(60, 100)",
        *(change.replace("t SET", "apart SET").replace("FROM t ", "FROM apart ").replace("INTO t ", "INTO apart ").replace("t.id", "apart.id")
          for change in CHANGES[:-1]), "DELETE FROM apart WHERE id % 7 = 0", "UPDATE apart SET v = v * 2")
    assert sql("SELECT id, p, v FROM apart ORDER BY id") == rows


def test_tables_of_deltalake_are_changed_in_place(sql, tmp_path):
    from deltalake import DeltaTable, write_deltalake
    rows = pa.table({"id": pa.array(range(100), pa.int64()), "p": [f"p {i % 3}/%" for i in range(100)], "v": pa.array([0] * 100, pa.int32())})
    write_deltalake(tmp_path / "t", rows, partition_by=["p"], configuration={"delta.enableChangeDataFeed": "true"})
    sql("UPDATE t SET v = 1 WHERE id = 7", "DELETE FROM t WHERE id % 2 = 0",
        "MERGE INTO t USING (VALUES (7, 70), (500, 5)) AS s(id, v) ON s.id = t.id WHEN MATCHED THEN UPDATE SET v = s.v "
        "WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (s.id, 'p 0/%', s.v)")
    table = DeltaTable(tmp_path / "t")
    theirs = table.to_pyarrow_table().sort_by("id").to_pylist()
    assert [(row["id"], row["v"]) for row in theirs] == sorted([(i, 70 if i == 7 else 0) for i in range(1, 100, 2)] + [(500, 5)])
    # And deltalake goes on.
    assert table.delete("id = 500")["num_deleted_rows"] == 1
    assert sql("SELECT count(*) AS n FROM t") == [{"n": 50}]


def test_a_vector_of_ours_is_as_specified(sql, tmp_path):
    """One file holds the vectors of a statement, and the log says how many rows they hide."""
    sql(f"CREATE TABLE t (id INTEGER) TBLPROPERTIES ({VECTORS})", "INSERT INTO t SELECT range FROM range(1000)",
        "INSERT INTO t SELECT range FROM range(1000, 2000)", "DELETE FROM t WHERE id % 500 = 1")
    actions = [json.loads(line) for line in (tmp_path / "t" / "_delta_log" / f"{3:020}.json").read_text().splitlines()]
    adds = [action["add"] for action in actions if "add" in action]
    removes = [action["remove"] for action in actions if "remove" in action]
    assert {add["path"] for add in adds} == {remove["path"] for remove in removes} and len(adds) == 2
    assert all("deletionVector" not in remove for remove in removes)
    assert [add["deletionVector"]["cardinality"] for add in adds] == [2, 2]
    assert [json.loads(add["stats"])["tightBounds"] for add in adds] == [False, False]
    files = list((tmp_path / "t").glob("deletion_vector_*.bin"))
    assert len(files) == 1 and files[0].read_bytes()[0] == 1


def test_loaded_files_are_remembered_through_others(sql, tmp_path, duckdb_delta):
    """COPY INTO's memory outlives the commits and checkpoints of another writer, and others read what it has loaded."""
    from deltalake import DeltaTable, write_deltalake
    sql("CREATE SCHEMA load", "CREATE TABLE t (id BIGINT)", "COPY (SELECT 1 AS id, {'a': 2} AS s) TO 'load/a.parquet'",
        "COPY (SELECT 3 AS id) TO 'load/b.parquet'")
    copy = "COPY INTO t FROM 'load' FILEFORMAT = PARQUET COPY_OPTIONS ('mergeSchema' = 'true')"
    assert sql(copy)[0]["num_inserted_rows"] == 2
    write_deltalake(tmp_path / "t", pa.table({"id": pa.array([5], pa.int64())}), mode="append", schema_mode="merge")
    table = DeltaTable(tmp_path / "t")
    table.create_checkpoint()
    assert sql(copy)[0]["num_inserted_rows"] == 0
    rows = [{"id": 1, "s": {"a": 2}}, {"id": 3, "s": None}, {"id": 5, "s": None}]
    assert table.to_pyarrow_table().sort_by("id").to_pylist() == rows
    assert table.history()[1]["operation"] == "COPY INTO"
    theirs = duckdb_delta.execute(f"SELECT id, s FROM delta_scan('{tmp_path / 't'}') ORDER BY id").fetchall()
    assert theirs == [tuple(row.values()) for row in rows]


def test_others_read_an_evolved_and_an_overwritten_schema(sql, tmp_path, duckdb_delta):
    from deltalake import DeltaTable
    sql("CREATE TABLE t (p VARCHAR, v INTEGER) PARTITIONED BY (p)", "INSERT INTO t PARTITION (p = 'a') VALUES (1)",
        "INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT 'b' AS p, {'x': 1} AS s")
    evolved = [{"p": "a", "v": 1, "s": None}, {"p": "b", "v": None, "s": {"x": 1}}]
    assert DeltaTable(tmp_path / "t").to_pyarrow_table().sort_by("p").to_pylist() == evolved
    assert duckdb_delta.execute(f"SELECT * FROM delta_scan('{tmp_path / 't'}') ORDER BY p").fetchall() == [
        tuple(row.values()) for row in evolved]
    sql("INSERT OVERWRITE t WITH ('overwriteSchema' = 'true') SELECT 1.5::DOUBLE AS v, 'c' AS p")
    assert DeltaTable(tmp_path / "t").to_pyarrow_table().to_pylist() == [{"v": 1.5, "p": "c"}]
    assert duckdb_delta.execute(f"SELECT v, p FROM delta_scan('{tmp_path / 't'}')").fetchall() == [(1.5, "c")]
