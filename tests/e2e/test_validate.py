# SPDX-License-Identifier: Apache-2.0
"""bayou validate on tables that are damaged in one way each."""
import json
import pathlib
import shutil

import pytest

CORPORA = pathlib.Path(__file__).resolve().parents[2].parent / "shared" / "corpora" / "tables"
VECTORS = "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"


@pytest.fixture
def validate(run):
    """validate(*arguments) gives the findings, {code: row}, of the table t, and holds the exit status to them."""
    def validate(*arguments, table="t"):
        done = run("validate", table, "--format", "json", *arguments)
        rows = json.loads(done.stdout or "[]")
        broken = any(row["severity"] == "error" and not row["repaired"] for row in rows)
        assert done.returncode == (1 if broken else 0), done.stderr
        assert all(row["what"] and row["remedy"] for row in rows)
        return {row["code"]: row for row in rows}
    return validate


@pytest.fixture
def table(sql, tmp_path):
    """A table of four versions; its folder."""
    sql(f"CREATE TABLE t (id BIGINT, p DATE, s VARCHAR) PARTITIONED BY (p) {VECTORS}",
        "INSERT INTO t SELECT range, DATE '2024-01-01' + (range % 2)::INT, 'v' || range FROM range(100)",
        "INSERT INTO t VALUES (100, NULL, NULL)", "DELETE FROM t WHERE id % 10 = 4")
    return tmp_path / "t"


def log(table, version):
    return table / "_delta_log" / f"{version:020}.json"


def rewrite(file, change):
    """Changes the actions of a commit; `change` takes and gives the list of them."""
    actions = [json.loads(line) for line in file.read_text().splitlines()]
    file.write_text("".join(json.dumps(action) + "\n" for action in change(actions)))


def change_adds(file, change):
    def each(actions):
        for action in actions:
            if "add" in action:
                change(action["add"])
        return actions
    rewrite(file, each)


def data_file(table):
    return next(file for file in sorted(table.rglob("*.parquet")) if "p=2024-01-01" in str(file))


def test_a_sound_table_has_nothing_but_notes(validate, table, sql):
    assert validate("--deep") == {}
    sql("OPTIMIZE t")
    found = validate("--deep")
    assert set(found) == {"OLD_FILES"} and found["OLD_FILES"]["severity"] == "note"
    (table / "killed.parquet").write_bytes(b"PAR1")
    assert validate()["ORPHANS"]["what"].startswith("1 files of 4 bytes")
    assert {row["code"] for row in sql("SELECT * FROM bayou_validate('t', deep => true)")} == {"OLD_FILES", "ORPHANS"}


def test_there_is_no_table(run):
    done = run("validate", "nothing")
    assert done.returncode == 1 and "error [DELTA_TABLE_NOT_FOUND]" in done.stderr


def test_a_data_file_is_gone(validate, table, sql):
    data_file(table).unlink()
    found = validate()
    assert found["DATA_FILE_MISSING"]["severity"] == "error" and "--repair" in found["DATA_FILE_MISSING"]["remedy"]
    assert sql("SELECT max(version) AS v FROM bayou_history('t')") == [{"v": 3}]
    assert validate("--repair")["DATA_FILE_MISSING"]["repaired"]
    assert sql("SELECT count(*) AS n, count(*) FILTER (WHERE p = DATE '2024-01-01') AS gone FROM t") == [{"n": 51, "gone": 0}]
    history = sql('SELECT operation, "operationMetrics" AS m FROM bayou_history(\'t\') LIMIT 1')[0]
    assert history["operation"] == "FSCK" and history["m"]["numMissingFiles"] == "1"
    assert "DATA_FILE_MISSING" not in validate("--deep")


def test_where_all_files_are_gone_nothing_is_repaired(validate, table, sql):
    for file in table.rglob("*.parquet"):
        file.unlink()
    found = validate("--repair")["DATA_FILE_MISSING"]
    assert not found["repaired"] and "not repaired" in found["what"]
    assert sql("FSCK REPAIR TABLE t DRY RUN")[0]["code"] == "DATA_FILE_MISSING"
    assert sql("SELECT max(version) AS v FROM bayou_history('t')") == [{"v": 3}]


def test_a_file_is_cut_short_or_no_parquet(validate, table):
    file = data_file(table)
    file.write_bytes(file.read_bytes()[:-1])
    assert validate()["DATA_FILE_SIZE"]["severity"] == "error"
    assert validate("--deep")["DATA_FILE_UNREADABLE"]["severity"] == "error"


def test_a_deletion_vector_is_gone_or_damaged(validate, table):
    vector = next(table.glob("*.bin"))
    content = vector.read_bytes()
    vector.write_bytes(content[:20] + b"\xff" + content[21:])
    assert "DELETION_VECTOR_INVALID" not in validate()
    assert validate("--deep")["DELETION_VECTOR_INVALID"]["severity"] == "error"
    vector.write_bytes(content[:10])
    assert validate()["DELETION_VECTOR_INVALID"]["severity"] == "error"
    vector.unlink()
    assert validate("--repair")["DELETION_VECTOR_MISSING"]["severity"] == "error"


@pytest.mark.parametrize("old, new, word", [
    ('"numRecords":1', '"numRecords":7', "7"), ('"nullCount":{"id":0', '"nullCount":{"id":1', "column id has values"),
    ('"minValues":{"id":100', '"minValues":{"id":101', "below its minimum 101"),
    ('"maxValues":{"id":100', '"maxValues":{"id":99', "above its maximum 99")])
def test_statistics_do_not_tell_the_truth(validate, table, old, new, word):
    def change(add):
        assert old in add["stats"]
        add["stats"] = add["stats"].replace(old, new)
    change_adds(log(table, 2), change)
    assert validate() == {}
    found = validate("--deep")["STATISTICS_WRONG"]
    assert found["severity"] == "error" and word in found["what"]


def test_statistics_are_no_json(validate, table):
    change_adds(log(table, 2), lambda add: add.update(stats="{"))
    assert validate()["STATISTICS_INVALID"]["severity"] == "warning"


def test_a_partition_value_is_none(validate, table):
    change_adds(log(table, 2), lambda add: add.update(partitionValues={"p": "tomorrow"}))
    assert "tomorrow" in validate()["PARTITION_VALUE_INVALID"]["what"]
    change_adds(log(table, 2), lambda add: add.update(partitionValues={}))
    assert "no value" in validate()["PARTITION_VALUE_INVALID"]["what"]


def test_the_log_has_a_gap(validate, table, sql):
    log(table, 1).rename(table / "kept")
    found = validate()
    assert found["LOG_GAP"]["severity"] == "error" and found["TABLE_UNREADABLE"]["severity"] == "error"
    (table / "kept").rename(log(table, 1))
    sql("SELECT * FROM bayou_checkpoint('t')")
    log(table, 1).unlink()
    assert validate()["LOG_GAP"]["severity"] == "warning"


def test_a_commit_is_empty_or_no_json(validate, table):
    content = log(table, 2).read_text()
    log(table, 2).write_text(content[:50])
    assert validate()["COMMIT_INVALID"]["severity"] == "error"
    log(table, 2).write_text("")
    assert validate()["COMMIT_EMPTY"]["severity"] == "error"


def test_a_commit_breaks_the_protocol(validate, table):
    rewrite(log(table, 2), lambda actions: actions + [action for action in actions if "add" in action])
    assert "twice" in validate()["COMMIT_BREAKS_PROTOCOL"]["what"]


def test_a_file_is_in_the_table_twice(validate, table):
    adds = [json.loads(line) for line in log(table, 1).read_text().splitlines() if '"add"' in line]
    rewrite(log(table, 3), lambda actions: [action for action in actions if "remove" not in action])
    assert adds and validate()["DATA_FILE_TWICE"]["severity"] == "error"


def test_the_hint_or_the_checkpoint_is_damaged(validate, table, sql):
    sql("SELECT * FROM bayou_checkpoint('t')")
    hint = table / "_delta_log" / "_last_checkpoint"
    hint.write_text("no json")
    assert validate()["HINT_INVALID"]["severity"] == "warning"
    hint.write_text('{"version":77,"size":1}')
    assert validate()["HINT_DANGLING"]["severity"] == "warning"
    assert validate("--repair")["HINT_DANGLING"]["repaired"] and not hint.exists()
    assert validate() == {}
    checkpoint = next(table.glob("_delta_log/*.checkpoint.parquet"))
    content = checkpoint.read_bytes()
    checkpoint.write_bytes(content[:-4])
    assert validate()["CHECKPOINT_UNREADABLE"]["severity"] == "warning"
    checkpoint.write_bytes(b"")
    assert validate()["CHECKPOINT_INCOMPLETE"]["severity"] == "warning"


def test_a_checkpoint_says_something_else(validate, table, sql, tmp_path):
    sql("CREATE TABLE u (id BIGINT)", "INSERT INTO u VALUES (1)", "INSERT INTO u VALUES (2)", "INSERT INTO u VALUES (3)",
        "SELECT * FROM bayou_checkpoint('u')")
    shutil.copy(next((tmp_path / "u").glob("_delta_log/*.checkpoint.parquet")), table / "_delta_log")
    assert validate()["CHECKPOINT_MISMATCH"]["severity"] == "error"


@pytest.mark.skipif(not CORPORA.is_dir(), reason="needs ../shared/corpora")
def test_a_checkpoint_with_other_blanks_says_the_same(validate, tmp_path):
    for table in "kernelrs_parsed_stats", "kernelrs_type_widening":
        shutil.copytree(CORPORA / table / "delta", tmp_path / table)
    assert "CHECKPOINT_MISMATCH" not in validate(table="kernelrs_parsed_stats")
    widened = validate("--deep", table="kernelrs_type_widening")
    assert all(row["severity"] != "error" for row in widened.values()), widened


def test_paths_lead_out_of_the_table(validate, table, sql):
    sql("CREATE TABLE clone SHALLOW CLONE t")
    assert validate(table="clone")["EXTERNAL_FILES"]["severity"] == "note"
    assert validate("--allow-external-paths", "--deep", table="clone") == {}
    data_file(table).unlink()
    found = validate("--allow-external-paths", "--repair", table="clone")["EXTERNAL_FILE_MISSING"]
    assert found["severity"] == "error" and not found["repaired"]
    change_adds(log(table, 2), lambda add: add.update(path="../../etc/passwd"))
    assert validate()["PATH_OUTSIDE_TABLE"]["severity"] == "error"


@pytest.mark.parametrize("types", ["i BIGINT, s VARCHAR, d DECIMAL(20, 3), f DOUBLE, t TIMESTAMPTZ, n TIMESTAMP, b BOOLEAN, x BLOB, l INT[]"])
def test_deep_is_right_about_what_was_written(validate, sql, types):
    sql(f"CREATE TABLE t ({types})",
        "INSERT INTO t SELECT range, repeat('long ', range::INT), range / 7, CASE range % 3 WHEN 0 THEN 'nan' ELSE range / 3 END, "
        "TIMESTAMPTZ '2024-01-01 00:00:00.123456Z' + range * INTERVAL 1 MICROSECOND, TIMESTAMP '1900-01-01 00:00:00.999999', "
        "range % 2 = 0, 'b', CASE WHEN range > 5 THEN [1, NULL] END FROM range(30)",
        "UPDATE t SET s = NULL WHERE i < 20")
    assert set(validate("--deep")) <= {"OLD_FILES"}


def checksum_of_latest(table):
    newest = max((table / "_delta_log").glob("*.json"))
    return newest.with_suffix(".crc")


def test_every_statement_leaves_a_true_checksum(validate, sql, tmp_path):
    table = tmp_path / "t"
    sql("COPY (SELECT range::BIGINT AS id, 'c' AS s FROM range(7)) TO 'more.parquet'")
    steps = [
        """CREATE TABLE t (id BIGINT, s VARCHAR, d INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true',
           'delta.checkpointInterval' = '3', 'delta.feature.allowColumnDefaults' = 'supported')""",
        "INSERT INTO t SELECT range, 'v' || range, range % 3 FROM range(200)", "INSERT INTO t VALUES (200, NULL, NULL)",
        "DELETE FROM t WHERE id % 10 = 4", "UPDATE t SET s = 'new' WHERE id < 20", "DELETE FROM t WHERE id % 10 = 5",
        "MERGE INTO t USING (SELECT 1::BIGINT AS id UNION ALL SELECT 1000) x ON t.id = x.id "
        "WHEN MATCHED THEN UPDATE SET s = 'm' WHEN NOT MATCHED THEN INSERT (id) VALUES (x.id)",
        "ALTER TABLE t ADD COLUMNS (n INT)", "ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')",
        "OPTIMIZE t", "COPY INTO t FROM 'more.parquet' FILEFORMAT = PARQUET", "DELETE FROM t WHERE d = 0",
        "REORG TABLE t APPLY (PURGE)", "ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'false')",
        "ALTER TABLE t DROP FEATURE rowTracking", "RESTORE TABLE t TO VERSION AS OF 9",
        "ALTER TABLE t SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')", "VACUUM t",
        "ALTER TABLE t CLUSTER BY (id)", "OPTIMIZE t", "INSERT OVERWRITE t SELECT range, 'o', 1, 2 FROM range(5)",
        "CREATE OR REPLACE TABLE t AS SELECT range::BIGINT AS id FROM range(9)", "DELETE FROM t"]
    for step in steps:
        sql(step)
        checksum = checksum_of_latest(table)
        assert checksum.exists(), step
        found = validate()
        assert not {"CHECKSUM_MISMATCH", "CHECKSUM_INVALID"} & found.keys(), (step, found)
    sql("INSERT INTO t VALUES (3)", "CREATE TABLE deep CLONE t")
    assert checksum_of_latest(tmp_path / "deep").exists()
    assert not {"CHECKSUM_MISMATCH", "CHECKSUM_INVALID"} & validate(table="deep").keys()


def test_a_checksum_says_something_else(validate, table, sql):
    file = checksum_of_latest(table)
    true = json.loads(file.read_text())
    for field, value in (("numFiles", 9), ("tableSizeBytes", 1), ("protocol", {"minReaderVersion": 1, "minWriterVersion": 2}),
                         ("metadata", true["metadata"] | {"configuration": {}}),
                         ("domainMetadata", [{"domain": "d", "configuration": "", "removed": False}]),
                         ("setTransactions", [{"appId": "a", "version": 1}])):
        file.write_text(json.dumps(true | {field: value}))
        assert validate()["CHECKSUM_MISMATCH"]["place"] == file.name, field
        assert sql("SELECT count(*) FROM t")
    file.write_text("{")
    assert validate()["CHECKSUM_INVALID"]["severity"] == "warning"
    assert sql("SELECT count(*) FROM t")
    file.unlink()
    assert validate() == {}


def test_a_checksum_is_of_another_commit(validate, sql, tmp_path):
    sql("CREATE TABLE t (id BIGINT) TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')",
        "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)")
    latest = checksum_of_latest(tmp_path / "t")
    # Of an older version too: that no checkpoint has, and whose files nobody counts.
    for file in latest, latest.with_name(f"{1:020}.crc"):
        text = file.read_text()
        true = json.loads(text)
        for field, value in ("txnId", "another"), ("inCommitTimestampOpt", true["inCommitTimestampOpt"] + 1):
            file.write_text(json.dumps(true | {field: value}))
            found = validate()["CHECKSUM_MISMATCH"]
            assert found["place"] == file.name, field
            assert str(value) in found["what"], field
        file.write_text(text)
    assert validate() == {}


@pytest.mark.skipif(not CORPORA.is_dir(), reason="needs ../shared/corpora")
def test_the_checksums_of_others_are_read_as_they_mean_them(validate, tmp_path):
    tables = sorted({file.parents[2].name for file in CORPORA.glob("*/delta/_delta_log/[0-9]*.crc")})
    assert len(tables) > 50
    # What the authors of three tables made up, the time of a commit among it.
    wrong = {"kernelrs_crc_full": {"CHECKSUM_MISMATCH"}, "kernelrs_crc_malformed": {"CHECKSUM_INVALID"},
             "deltars_cdc_ict_table": {"CHECKSUM_MISMATCH"}}
    for table in tables:
        shutil.copytree(CORPORA / table / "delta" / "_delta_log", tmp_path / table / "_delta_log")
        found = {code for code in validate(table=table) if code.startswith("CHECKSUM_")}
        assert found == wrong.get(table, set()), table


def test_files_of_the_change_feed_are_no_orphans(validate, sql, tmp_path):
    sql("CREATE TABLE t (id BIGINT, p INT) TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')",
        "INSERT INTO t SELECT range, 1 FROM range(10)", "UPDATE t SET p = 100 WHERE id < 3")
    assert list((tmp_path / "t" / "_change_data").iterdir())
    assert set(validate()) == {"OLD_FILES"}
    (tmp_path / "t" / "left.parquet").write_bytes(b"PAR1")
    assert validate()["ORPHANS"]["what"].startswith("1 files of 4 bytes")
