# SPDX-License-Identifier: Apache-2.0
"""What others make of V2 checkpoints: the table behind them, without the commits that they stand for."""
import json
import os

import pyarrow.parquet as pq
import pytest


def written(sql, path, properties=""):
    sql(f"CREATE TABLE delta.`{path}` (day DATE, id BIGINT, s STRUCT<a: STRING>) PARTITIONED BY (day) TBLPROPERTIES ("
        f"'delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '100'{properties})",
        *(f"INSERT INTO delta.`{path}` SELECT DATE '2024-01-01' + (i % 3)::INT, i, {{'a': 's' || i}} FROM range({k}, {k + 10}) AS r(i)"
          for k in (0, 10, 20)),
        f"DELETE FROM delta.`{path}` WHERE id % 4 = 1", f"UPDATE delta.`{path}` SET id = -id WHERE id = 6")


def checkpointed(sql, path, manifest="parquet"):
    """Writes a checkpoint and deletes the commits up to it."""
    made, = sql(f"SELECT * FROM bayou_checkpoint('{path}', manifest => '{manifest}')")
    for name in os.listdir(path / "_delta_log"):
        if name.count(".") == 1 and name.endswith(".json") and int(name[:20]) <= made["version"]:
            os.remove(path / "_delta_log" / name)
    return made["file"]


def by_deltalake(path):
    """By its own engine: its reader for pyarrow refuses the feature."""
    from deltalake import DeltaTable, QueryBuilder
    rows = QueryBuilder().register("t", DeltaTable(path)).execute("SELECT id FROM t ORDER BY id").read_all()
    return [id.as_py() for id in rows["id"]]


def read_by_all(sql, path, duckdb_delta):
    ours = [row["id"] for row in sql(f"SELECT id FROM delta.`{path}` ORDER BY id")]
    assert by_deltalake(path) == ours
    assert [row[0] for row in duckdb_delta.execute(f"SELECT id FROM delta_scan('{path}') ORDER BY id").fetchall()] == ours
    day = sql(f"SELECT count(*) AS n FROM delta.`{path}` WHERE day = DATE '2024-01-02'")[0]["n"]
    assert duckdb_delta.execute(f"SELECT count(*) FROM delta_scan('{path}') WHERE day = DATE '2024-01-02'").fetchone()[0] == day
    return ours


@pytest.mark.parametrize("manifest", ["parquet", "json"])
@pytest.mark.parametrize("vectors", ["false", "true"])
def test_a_v2_checkpoint_is_read_by_both(sql, tmp_path, duckdb_delta, manifest, vectors):
    path = tmp_path / "t"
    written(sql, path, f", 'delta.enableDeletionVectors' = '{vectors}'")
    expected = sorted(-i if i == 6 else i for i in range(30) if i % 4 != 1)
    assert checkpointed(sql, path, manifest).endswith("." + manifest)
    assert read_by_all(sql, path, duckdb_delta) == expected
    sql(f"INSERT INTO delta.`{path}` VALUES (DATE '2024-01-02', 100, NULL)")
    assert read_by_all(sql, path, duckdb_delta) == expected + [100]
    checkpointed(sql, path, manifest)
    assert read_by_all(sql, path, duckdb_delta) == expected + [100]


def test_sidecars_are_kept_from_one_checkpoint_to_the_next(sql, tmp_path, duckdb_delta):
    path = tmp_path / "t"
    sql(f"CREATE TABLE delta.`{path}` (id BIGINT) TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '1000')",
        f"INSERT INTO delta.`{path}` VALUES (0)")
    # As many files as a sidecar has, all the same one but for their names.
    log = path / "_delta_log"
    add = next(json.loads(line)["add"] for line in (log / f"{1:020}.json").read_text().splitlines() if "add" in line)
    data = add["path"]
    lines = []
    for i in range(30_000):
        name = f"{i}.parquet"
        os.link(path / data, path / name)
        lines.append(json.dumps({"add": add | {"path": name, "dataChange": True}}))
    (log / f"{2:020}.json").write_text("\n".join(lines) + "\n")
    checkpointed(sql, path)
    first = set(os.listdir(log / "_sidecars"))
    sql(f"INSERT INTO delta.`{path}` VALUES (1)")
    second = pq.read_table(log / checkpointed(sql, path))["sidecar"].to_pylist()
    named = {sidecar["path"] for sidecar in second if sidecar}
    assert len(first) == 1 and first < named and len(named) == 2
    assert sql(f"SELECT count(*) AS n, max(id) AS m FROM delta.`{path}`") == [{"n": 30_002, "m": 1}]
    from deltalake import DeltaTable
    assert len(DeltaTable(path).file_uris()) == 30_002
    assert duckdb_delta.execute(f"SELECT count(*) FROM delta_scan('{path}')").fetchone()[0] == 30_002


def test_the_command_asks_for_one(sql, run, tmp_path):
    path = tmp_path / "t"
    sql(f"CREATE TABLE delta.`{path}` (id BIGINT) TBLPROPERTIES ('delta.feature.v2Checkpoint' = 'supported')",
        f"INSERT INTO delta.`{path}` VALUES (1)")
    done = run("checkpoint", str(path), "--format", "json")
    assert json.loads(done.stdout) == [{"version": 1, "file": f"{1:020}.checkpoint.parquet"}]
    done = run("checkpoint", str(path), "--v2", "--manifest", "json", "--format", "json")
    assert json.loads(done.stdout)[0]["file"].endswith(".json"), done.stderr
    assert run("checkpoint", str(path), "--manifest", "avro").returncode == 2


def test_the_hint_names_it(sql, tmp_path):
    path = tmp_path / "t"
    written(sql, path)
    name = checkpointed(sql, path)
    hint = json.loads((path / "_delta_log" / "_last_checkpoint").read_text())
    v2 = hint["v2Checkpoint"]
    assert v2["path"] == name and v2["sizeInBytes"] == (path / "_delta_log" / name).stat().st_size
    assert hint["size"] == len(v2["nonFileActions"]) + len(v2["sidecarFiles"]) + pq.read_table(
        path / "_delta_log" / "_sidecars" / v2["sidecarFiles"][0]["path"]).num_rows
    assert [next(iter(action)) for action in v2["nonFileActions"]] == ["checkpointMetadata", "protocol", "metaData"]
