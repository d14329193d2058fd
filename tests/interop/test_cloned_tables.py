# SPDX-License-Identifier: Apache-2.0
"""Clones that bayou made, read and written by implementations that share no code with it."""
import json

import pytest

DELETION_VECTORS = "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"


def source(sql, properties=""):
    sql(f"CREATE TABLE s (id BIGINT, p VARCHAR, v DOUBLE) PARTITIONED BY (p) {properties}",
        "INSERT INTO s SELECT range, CASE range % 4 WHEN 0 THEN NULL WHEN 1 THEN 'a b/%' ELSE 'p' END, range / 8 FROM range(40)",
        "DELETE FROM s WHERE id % 5 = 2 AND id < 20")
    return sql("SELECT id, p, v FROM s ORDER BY id")


@pytest.mark.parametrize("properties", ["", DELETION_VECTORS])
def test_duckdb_reads_a_deep_clone(sql, tmp_path, duckdb_delta, properties):
    """Absolute paths, as a shallow clone has, it takes for relative ones."""
    rows = source(sql, properties)
    sql("CREATE TABLE c DEEP CLONE s", "CREATE OR REPLACE TABLE c DEEP CLONE s")
    theirs = duckdb_delta.execute(f"SELECT id, p, v FROM delta_scan('{tmp_path / 'c'}') ORDER BY id").fetchall()
    assert theirs == [tuple(row.values()) for row in rows]


def test_deltalake_goes_on_with_a_deep_clone(sql, tmp_path):
    from deltalake import DeltaTable
    rows = source(sql)
    sql("CREATE TABLE c DEEP CLONE s")
    table = DeltaTable(tmp_path / "c")
    assert table.to_pyarrow_table().sort_by("id").select(["id", "p", "v"]).to_pylist() == rows
    assert table.history()[0]["operation"] == "CLONE"
    table.delete("id = 6")
    # What deltalake took away comes back with the next clone, and its checkpoint keeps the tags that tell what was copied.
    table.create_checkpoint()
    again = sql("CREATE OR REPLACE TABLE c DEEP CLONE s")[0]
    assert 0 < again["num_copied_files"] < again["source_num_of_files"]
    assert DeltaTable(tmp_path / "c").to_pyarrow_table().sort_by("id").select(["id", "p", "v"]).to_pylist() == rows


def test_the_paths_of_a_shallow_clone_are_uris(sql, tmp_path):
    source(sql, DELETION_VECTORS)
    sql("CREATE TABLE c SHALLOW CLONE s")
    actions = [json.loads(line) for line in (tmp_path / "c" / "_delta_log" / f"{0:020}.json").read_text().splitlines()]
    adds = [action["add"] for action in actions if "add" in action]
    assert all(add["path"].startswith(f"file:{tmp_path}/s/p=") for add in adds)
    assert any("p=a%20b%252F%2525" in add["path"] for add in adds)
    vectors = [add["deletionVector"] for add in adds if "deletionVector" in add]
    assert vectors and all(vector["storageType"] == "p" for vector in vectors)
    assert all(vector["pathOrInlineDv"].startswith(f"file:{tmp_path}/s/deletion_vector_") for vector in vectors)
    assert all("baseRowId" not in add for add in adds)
