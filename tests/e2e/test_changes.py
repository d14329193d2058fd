# SPDX-License-Identifier: Apache-2.0
"""Random DELETE, UPDATE and MERGE on Delta tables of every layout, held against the same statements on a DuckDB table."""
import json
import random

import pytest

COLUMNS = "id BIGINT, p VARCHAR, v INTEGER, s STRUCT(a INTEGER, b VARCHAR)"
CHANGE_FEED = "delta.enableChangeDataFeed"
VECTORS = "delta.enableDeletionVectors"
MAPPING = "delta.columnMapping.mode"
TRACKING = {"delta.enableRowTracking": "true"}
LAYOUTS = {
    "plain": {},
    "vectors": {VECTORS: "true"},
    "feed": {CHANGE_FEED: "true"},
    "vectors_feed": {VECTORS: "true", CHANGE_FEED: "true"},
    "name": {MAPPING: "name", CHANGE_FEED: "true"},
    "id_vectors": {MAPPING: "id", VECTORS: "true", CHANGE_FEED: "true"},
    "tracked": TRACKING,
    "tracked_vectors_feed": {**TRACKING, VECTORS: "true", CHANGE_FEED: "true"},
    "small_files": {"delta.targetFileSize": "20000", CHANGE_FEED: "true"},
}


def rows(first, count, low=1000):
    return (f"SELECT range AS id, CASE WHEN range % 7 = 3 THEN NULL ELSE 'p' || range % 5 END AS p, "
            f"(range * 7919 % {low})::INTEGER AS v, CASE WHEN range % 3 = 0 THEN NULL ELSE "
            f"{{'a': range::INTEGER, 'b': 'row ' || range}} END AS s FROM range({first}, {first + count})")


def condition(dice, table=""):
    t = f"{table}." if table else ""
    k = dice.randrange(3000)
    return dice.choice([f"{t}id = {k}", f"{t}id BETWEEN {k} AND {k + 400}", f"{t}v < {dice.randrange(200)}", f"{t}p = 'p{k % 6}'",
                        f"{t}p IS NULL", f"{t}id % {dice.randrange(2, 9)} = 0", f"NOT ({t}p = 'p1')", f"{t}s.a > {k}",
                        f"{t}id IN (SELECT range * 3 FROM range({k // 4}))", f"{t}v IN (1, 2, 3, NULL)"])


def values(dice):
    return ", ".join(dice.sample(["v = v + 1", "p = 'p' || (id % 4)", "s = {'a': v, 'b': 'new'}", "id = id + 100000"],
                                 dice.randrange(1, 3)))


def merge(dice):
    source = f"(SELECT id * {dice.randrange(1, 3)} AS id, p, v + 5 AS v, s FROM ({rows(dice.randrange(2500), 600)}))"
    clauses = []
    if dice.random() < 0.5:
        clauses.append(f"WHEN MATCHED AND {condition(dice, 't')} THEN DELETE")
    if dice.random() < 0.7:
        clauses.append(dice.choice(["WHEN MATCHED THEN UPDATE SET v = n.v, p = n.p", "WHEN MATCHED AND n.v > t.v THEN UPDATE"]))
    if dice.random() < 0.7:
        clauses.append(f"WHEN NOT MATCHED AND {condition(dice, 'n')} THEN INSERT")
    if dice.random() < 0.4 or not clauses:
        clauses.append(f"WHEN NOT MATCHED BY SOURCE AND {condition(dice, 't')} THEN "
                       + dice.choice(["DELETE", "UPDATE SET v = -1, s = NULL"]))
    return f"MERGE INTO {{}} AS t USING {source} AS n ON n.id = t.id " + " ".join(clauses)


def statement(dice):
    kind = dice.random()
    if kind < 0.35:
        return f"DELETE FROM {{}} WHERE {condition(dice)}"
    if kind < 0.65:
        return f"UPDATE {{}} SET {values(dice)} WHERE {condition(dice)}"
    if kind < 0.95:
        return merge(dice)
    return f"INSERT INTO {{}} {rows(dice.randrange(3000, 6000), 200)}"


def difference(a, b):
    return f"SELECT count(*) AS n FROM ((FROM {a} EXCEPT ALL FROM {b}) UNION ALL (FROM {b} EXCEPT ALL FROM {a}))"


def equal(a, b, told):
    """A statement that fails where the two differ."""
    return ("CREATE OR REPLACE TABLE memory.checked AS SELECT CASE WHEN n > 0 THEN error('" + told.replace("'", "")
            + f"') END AS e FROM ({difference(a, b)})")


def check_feed(version):
    """Rows of the version before, without what the feed says went, with what it says came, are the rows of the version."""
    feed = f"(FROM table_changes('t', {version}, {version}))"
    columns = "id, p, v, s"
    before = f"(SELECT {columns} FROM t VERSION AS OF {version - 1})"
    gone = f"(SELECT {columns} FROM {feed} WHERE _change_type IN ('delete', 'update_preimage'))"
    came = f"(SELECT {columns} FROM {feed} WHERE _change_type IN ('insert', 'update_postimage'))"
    after = f"(SELECT {columns} FROM t VERSION AS OF {version})"
    return equal(f"(SELECT * FROM {before} UNION ALL FROM {came})", f"(SELECT * FROM {after} UNION ALL FROM {gone})",
                 f"the feed of version {version}")


def check_tracking(version):
    """A row that did not change keeps its id and the version that it last changed in."""
    hidden = "_metadata.row_id AS r, _metadata.row_commit_version AS c"
    return (f"CREATE OR REPLACE TABLE memory.checked AS SELECT error('rows of version {version}') AS e FROM (SELECT *, {hidden} FROM t "
            f"VERSION AS OF {version}) AS a JOIN (SELECT *, {hidden} FROM t VERSION AS OF {version - 1}) AS b ON a.r = b.r WHERE CASE "
            f"WHEN (a.id, a.p, a.v, a.s) IS NOT DISTINCT FROM (b.id, b.p, b.v, b.s) THEN a.c NOT IN (b.c, {version}) "
            f"ELSE a.c <> {version} END")


@pytest.mark.parametrize("partition", [None, "p"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_changes(sql, tmp_path, layout, partition):
    properties = LAYOUTS[layout]
    dice = random.Random(f"{layout} {partition}")
    by = f" PARTITIONED BY ({partition})" if partition else ""
    conf = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    create = [f"CREATE TABLE t ({COLUMNS}){by}" + (f" TBLPROPERTIES ({conf})" if conf else ""), f"CREATE TABLE memory.o ({COLUMNS})"]
    for first in (0, 1000, 2000):
        create += [f"INSERT INTO {table} {rows(first, 1000)}" for table in ("t", "memory.o")]
    steps = [statement(dice) for _ in range(8)]
    run = list(create)
    for step in steps:
        run += [step.replace("{}", "t"), step.replace("{}", "memory.o"), equal("t", "memory.o", f"rows after {step}")]
    sql(*run)
    versions = sorted(int(file.stem) for file in (tmp_path / "t" / "_delta_log").glob("*.json"))[4:]
    checks = []
    if CHANGE_FEED in properties:
        checks += [check_feed(version) for version in versions]
    if "delta.enableRowTracking" in properties:
        checks += [check_tracking(version) for version in versions]
        checks.append("SELECT count(*) - count(DISTINCT _metadata.row_id) AS n FROM t")
        assert sql(*checks) == [{"n": 0}]
    elif checks:
        sql(*checks)


def test_metrics_count_what_happened(sql, tmp_path):
    sql("CREATE TABLE t (id INTEGER, v INTEGER) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
        "INSERT INTO t SELECT range, 0 FROM range(10)", "INSERT INTO t SELECT range, 0 FROM range(10, 20)",
        "DELETE FROM t WHERE id IN (1, 2)", "DELETE FROM t WHERE id < 4", "DELETE FROM t WHERE id >= 10", "UPDATE t SET v = 1 WHERE id = 5",
        "MERGE INTO t USING (SELECT range AS id FROM range(8, 12)) AS n ON n.id = t.id WHEN MATCHED THEN UPDATE SET v = 2 "
        "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (n.id, 3) WHEN NOT MATCHED BY SOURCE AND t.id = 4 THEN DELETE")

    def info(version):
        lines = (tmp_path / "t" / "_delta_log" / f"{version:020}.json").read_text().splitlines()
        return json.loads(lines[0])["commitInfo"]

    def metrics(version):
        return {name: int(value) for name, value in info(version)["operationMetrics"].items() if not name.endswith(("Ms", "Bytes"))}
    nothing = {"numCopiedRows": 0, "numAddedChangeFiles": 0, "numRemovedFiles": 0, "numAddedFiles": 0, "numAddedBytes": 0,
               "numRemovedBytes": 0}
    assert metrics(3).items() >= {"numDeletedRows": 2, "numDeletionVectorsAdded": 1, "numDeletionVectorsRemoved": 0,
                                  "numDeletionVectorsUpdated": 0, "numRemovedFiles": 0, "numAddedFiles": 0}.items()
    assert metrics(4).items() >= {"numDeletedRows": 2, "numDeletionVectorsAdded": 1, "numDeletionVectorsRemoved": 1,
                                  "numDeletionVectorsUpdated": 1, "numRemovedFiles": 0}.items()
    assert metrics(5).items() >= {"numDeletedRows": 10, "numRemovedFiles": 1, "numDeletionVectorsAdded": 0}.items()
    assert metrics(6).items() >= {"numUpdatedRows": 1, "numAddedFiles": 1, "numDeletionVectorsUpdated": 1}.items()
    assert metrics(7).items() >= {"numSourceRows": 4, "numTargetRowsInserted": 2, "numTargetRowsUpdated": 2, "numTargetRowsDeleted": 1,
                                  "numTargetRowsMatchedUpdated": 2, "numTargetRowsNotMatchedBySourceDeleted": 1, "numOutputRows": 4,
                                  "numTargetRowsCopied": 0}.items()
    assert info(3)["operationParameters"] == {"predicate": '["(id IN (1, 2))"]'}
    merged = info(7)["operationParameters"]
    assert merged["predicate"] == '["(n.id = t.id)"]'
    assert json.loads(merged["notMatchedBySourcePredicates"]) == [{"predicate": "(t.id = 4)", "actionType": "delete"}]
    assert not nothing.keys() - info(3)["operationMetrics"].keys()


def test_generated_columns_follow_those_they_are_made_of(sql, run, tmp_path):
    field = {"type": "integer", "nullable": True, "metadata": {}}
    fields = [{**field, "name": "a"}, {**field, "name": "b", "metadata": {"delta.generationExpression": "a + 1"}}, {**field, "name": "c"}]
    metadata = {"id": "g", "format": {"provider": "parquet", "options": {}}, "partitionColumns": [], "configuration": {},
                "schemaString": json.dumps({"type": "struct", "fields": fields})}
    log = tmp_path / "g" / "_delta_log"
    log.mkdir(parents=True)
    (log / f"{0:020}.json").write_text(json.dumps({"protocol": {"minReaderVersion": 1, "minWriterVersion": 4}}) + "\n"
                                       + json.dumps({"metaData": metadata}) + "\n")
    sql("INSERT INTO g (a, c) VALUES (1, 0), (5, 0)", "UPDATE g SET a = 10 WHERE a = 1",
        "MERGE INTO g USING (VALUES (5, 50), (7, 70)) AS s(a, n) ON s.a = g.a WHEN MATCHED THEN UPDATE SET a = s.n "
        "WHEN NOT MATCHED THEN INSERT (a) VALUES (s.n)")
    assert [tuple(row.values()) for row in sql("SELECT a, b, c FROM g ORDER BY a")] == [(10, 11, 0), (50, 51, 0), (70, 71, None)]
    refused = run("sql", "-c", "UPDATE g SET b = 0")
    assert "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES" in refused.stderr
