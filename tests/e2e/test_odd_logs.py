# SPDX-License-Identifier: Apache-2.0
"""Numbers in the log that no table can have: they cost no time, and nothing is computed wrong with them."""
import json
import struct

import pytest

HUGE = 2**63 - 1


def change_log(table, version, change):
    """Rewrites a commit: `change` gets each action as (kind, body)."""
    commit = table / "_delta_log" / f"{version:020}.json"
    actions = [json.loads(line) for line in commit.read_text().splitlines()]
    for action in actions:
        for kind, body in action.items():
            change(kind, body)
    commit.write_text("".join(json.dumps(action) + "\n" for action in actions))
    for other in (table / "_delta_log").glob("*.crc"):
        other.unlink()


def with_stats(**values):
    def change(kind, body):
        if kind == "add":
            body["stats"] = json.dumps({**json.loads(body["stats"]), **values})
    return change


def test_rows_that_no_file_can_have(sql, tmp_path):
    for number in (4 * 10**12, HUGE, -1):
        name = f"t{abs(number)}"
        sql(f"CREATE TABLE {name} AS SELECT 1 AS i", f"INSERT INTO {name} VALUES (2)")
        for version in (0, 1):
            change_log(tmp_path / name, version, with_stats(numRecords=number))
        sql(f"DELETE FROM {name}", seconds=20)
        assert sql(f"SELECT count(*) AS n FROM {name} WHERE i > 0") == [{"n": 0}]


def test_sizes_that_no_file_can_have(sql, tmp_path):
    sql("CREATE TABLE t AS SELECT 1 AS i", "INSERT INTO t VALUES (2)", "DELETE FROM t", "INSERT INTO t VALUES (3)")

    def size(kind, body):
        if kind in ("add", "remove"):
            body["size"] = HUGE
    for version in (0, 1, 2, 3):
        change_log(tmp_path / "t", version, size)
    restored, = sql("RESTORE TABLE t TO VERSION AS OF 1")
    assert restored["restored_files_size"] == HUGE and restored["table_size_after_restore"] == HUGE


def test_tracked_rows_whose_columns_have_no_names(run, sql, tmp_path):
    """They are not numbered anew without a word."""
    sql("CREATE TABLE t (i INT) TBLPROPERTIES ('delta.enableRowTracking' = 'true')",
        "INSERT INTO t VALUES (1), (2), (3)")

    def forget(kind, body):
        if kind == "metaData":
            for key in [key for key in body["configuration"] if "materialized" in key]:
                del body["configuration"][key]
    change_log(tmp_path / "t", 0, forget)
    for statement in ("UPDATE t SET i = 5 WHERE i = 2", "DELETE FROM t WHERE i = 2", "OPTIMIZE t",
                      "MERGE INTO t USING (SELECT 2 AS i) s ON t.i = s.i WHEN MATCHED THEN DELETE"):
        if statement == "OPTIMIZE t":
            sql("INSERT INTO t VALUES (4)")
        done = run("sql", "-c", statement)
        assert done.returncode == 1 and "error [DELTA_ROW_TRACKING_INVALID]" in done.stderr, statement
    assert sql("SELECT i FROM t ORDER BY i") == [{"i": i} for i in (1, 2, 3, 4)]


def test_column_ids_that_no_column_can_have(run, sql, tmp_path):
    for last, condition in ((2**31 - 1, "DELTA_COLUMN_IDS_EXHAUSTED"), (2**32 + 1, "DELTA_COLUMN_IDS_EXHAUSTED")):
        sql(f"CREATE TABLE t{last} (i INT) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")

        def set_last(kind, body):
            if kind == "metaData":
                body["configuration"]["delta.columnMapping.maxColumnId"] = str(last)
        change_log(tmp_path / f"t{last}", 0, set_last)
        for statement in (f"ALTER TABLE t{last} ADD COLUMN j INT",
                          f"INSERT OVERWRITE t{last} WITH ('overwriteSchema' = 'true') SELECT 1 AS i, 2 AS j"):
            done = run("sql", "-c", statement)
            assert done.returncode == 1 and f"error [{condition}]" in done.stderr, (statement, done.stderr)


def test_a_vacuum_that_has_done_more_than_there_is(sql, tmp_path):
    sql("CREATE TABLE t AS SELECT 1 AS i", "DELETE FROM t")
    for version in (HUGE, 10**18):
        record = tmp_path / "t" / "_delta_log" / "_last_vacuum_info"
        record.write_text(json.dumps({"latestCommitVersionOutsideOfRetentionWindow": version}))
        sql("SET bayou_retention_check = false", "VACUUM t LITE RETAIN 0 HOURS", seconds=20)
        assert json.loads(record.read_text())["latestCommitVersionOutsideOfRetentionWindow"] < 10


def test_statistics_that_are_no_values(run, tmp_path):
    """Files say INT64 over values of four bytes: an error of whichever thread meets them, not the end of the process."""
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet
    folder = tmp_path / "files"
    folder.mkdir()
    for number in range(4):
        file = folder / f"{number}.parquet"
        pyarrow.parquet.write_table(pyarrow.table({"a": pyarrow.array([1, 2], pyarrow.int32())}), file,
                                    compression="none", use_dictionary=False, store_schema=False)
        data = file.read_bytes()
        begin = len(data) - 8 - struct.unpack("<I", data[-8:-4])[0]
        footer = bytearray(data[begin:-8])
        ones = [at for at in range(len(footer)) if footer[at:at + 2] == b"\x15\x02"]
        for at in ones[1:]:  # The first says how many columns there are, the others which type: INT32.
            footer[at + 1] = 4
        file.write_bytes(data[:begin] + footer + data[-8:])
    done = run("sql", "-c", f"CONVERT TO DELTA parquet.`{folder}`")
    assert done.returncode == 1 and ".parquet: Incorrect stats size" in done.stderr
    assert not list(folder.glob("_delta_log/*.json"))
