# SPDX-License-Identifier: Apache-2.0
"""What a commit says of the application that wrote it, between Bayou and deltalake."""
import deltalake
import pyarrow as pa


def test_deltalake_knows_what_an_application_wrote(sql, tmp_path):
    sql("CREATE TABLE t (i BIGINT)", "SET TRANSACTION 'loader', 7, userMetadata = 'first load'", "INSERT INTO t VALUES (1)")
    table = deltalake.DeltaTable(tmp_path / "t")
    assert table.transaction_version("loader") == 7
    assert table.history(1)[0]["userMetadata"] == "first load"


def test_what_an_application_wrote_with_deltalake_is_done(sql, tmp_path):
    rows = pa.table({"i": pa.array([1], pa.int64())})
    properties = deltalake.CommitProperties(app_transactions=[deltalake.Transaction("loader", 7)])
    deltalake.write_deltalake(tmp_path / "t", rows, commit_properties=properties)
    sql("SET TRANSACTION 'loader', 7", "INSERT INTO t VALUES (1)")
    sql("SET TRANSACTION 'loader', 8", "INSERT INTO t VALUES (2)")
    assert sql("SELECT i FROM t ORDER BY i") == [{"i": 1}, {"i": 2}]


def test_it_is_known_behind_a_checkpoint(sql, tmp_path):
    sql("CREATE TABLE t (i BIGINT) TBLPROPERTIES ('delta.checkpointInterval' = '2')", "SET TRANSACTION 'loader', 7",
        "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)")
    for version in (0, 1):
        (tmp_path / "t" / "_delta_log" / f"{version:020d}.json").unlink()
    assert deltalake.DeltaTable(tmp_path / "t").transaction_version("loader") == 7
    sql("SET TRANSACTION 'loader', 7", "INSERT INTO t VALUES (1)")
    assert sql("SELECT count(*) AS n FROM t") == [{"n": 2}]
