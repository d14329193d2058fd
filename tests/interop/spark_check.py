# SPDX-License-Identifier: Apache-2.0
"""Tables that bayou makes, changes and alters, read and changed by delta-spark; then bayou goes on.

    python tests/interop/spark_check.py [--bayou build/bayou] [--only NAME ...]

Needs pyspark and Java; does nothing where pyspark is absent. delta-spark comes through Spark's own resolution of packages
(--package), or as jar files (--jars). No part of the test run: a JVM takes its time.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
T = "delta.`{path}`"

# Name to: what bayou makes of it, what both then select, what Spark does, and what bayou does after that.
CASES = {
    "plain": dict(
        make=[f"CREATE TABLE {T} (id BIGINT, p STRING, v INT) PARTITIONED BY (p)",
              f"INSERT INTO {T} SELECT range, 'p' || range % 3, 0 FROM range(30)", f"DELETE FROM {T} WHERE id % 10 = 3",
              f"UPDATE {T} SET v = 1 WHERE id BETWEEN 5 AND 9",
              f"MERGE INTO {T} AS t USING (SELECT 7 AS id, 'p1' AS p, 70 AS v UNION ALL SELECT 99, 'new', 9) AS s ON s.id = t.id "
              "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
              f"INSERT INTO {T} PARTITION (p = 'x y/%') SELECT 500, 5", f"INSERT OVERWRITE {T} PARTITION (p = 'p2') SELECT 2, 22",
              f"INSERT INTO {T} REPLACE WHERE p = 'x y/%' SELECT 501, 'x y/%', 6"],
        select=f"SELECT id, p, v FROM {T} ORDER BY id",
        spark=[f"DELETE FROM {T} WHERE id = 501", f"UPDATE {T} SET v = v + 1 WHERE p = 'p0'"],
        more=[f"INSERT INTO {T} VALUES (1000, 'p0', 1)"]),
    "vectors": dict(
        make=[f"CREATE TABLE {T} (id BIGINT, v INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true')",
              f"INSERT INTO {T} SELECT range, 0 FROM range(100)", f"DELETE FROM {T} WHERE id % 10 = 3", f"UPDATE {T} SET v = 5 WHERE id < 5",
              f"DELETE FROM {T} WHERE id = 50"],
        select=f"SELECT id, v FROM {T} ORDER BY id",
        changes="SELECT _change_type, id, v FROM table_changes{by_path}('{path}', 0) ORDER BY _commit_version, id, _change_type",
        spark=[f"DELETE FROM {T} WHERE id = 51", f"MERGE INTO {T} AS t USING (SELECT 60 AS id) AS s ON s.id = t.id WHEN MATCHED THEN DELETE"],
        more=[f"UPDATE {T} SET v = 9 WHERE id > 90"]),
    "v2": dict(
        make=[f"CREATE TABLE {T} (id BIGINT, p STRING) PARTITIONED BY (p) TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', "
              "'delta.checkpointInterval' = '2')",
              *(f"INSERT INTO {T} SELECT range, 'p' || range % 3 FROM range({i}, {i + 10})" for i in range(0, 40, 10)),
              f"DELETE FROM {T} WHERE id % 10 = 3", f"INSERT INTO {T} VALUES (100, NULL)"],
        forget=6, select=f"SELECT id, p FROM {T} ORDER BY id",
        spark=[f"DELETE FROM {T} WHERE id = 5", f"INSERT INTO {T} SELECT id + 200, p FROM {T}"],
        more=[f"INSERT INTO {T} VALUES (1000, 'p0')", f"ALTER TABLE {T} DROP FEATURE v2Checkpoint", f"INSERT INTO {T} VALUES (1001, 'p1')"]),
    "v2_json": dict(
        make=[f"CREATE TABLE {T} (id BIGINT) TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.enableDeletionVectors' = 'true')",
              *(f"INSERT INTO {T} SELECT range FROM range({i}, {i + 10})" for i in range(0, 30, 10)),
              "SELECT * FROM bayou_checkpoint('{path}', manifest => 'json')"],
        forget=3, select=f"SELECT id FROM {T} ORDER BY id", spark=[f"DELETE FROM {T} WHERE id = 5"], more=[f"INSERT INTO {T} VALUES (1000)"]),
    "parts": dict(
        make=[f"CREATE TABLE {T} (id BIGINT, p STRING) PARTITIONED BY (p) TBLPROPERTIES ('delta.checkpointInterval' = '4', "
              "'delta.checkpoint.partSize' = '5')",
              *(f"INSERT INTO {T} SELECT range, 'p' || range % 3 FROM range({i}, {i + 10})" for i in range(0, 40, 10))],
        forget=4, select=f"SELECT id, p FROM {T} ORDER BY id", spark=[f"DELETE FROM {T} WHERE id = 5"],
        more=[f"INSERT INTO {T} VALUES (1000, 'p0')"]),
    "mapped": dict(
        make=[f"CREATE TABLE {T} (id BIGINT, s STRUCT<a: INT>, gone INT) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
              f"INSERT INTO {T} VALUES (1, {{'a': 2}}, 3)", f"ALTER TABLE {T} RENAME COLUMN s TO `s s`", f"ALTER TABLE {T} DROP COLUMN gone",
              f"ALTER TABLE {T} ADD COLUMN gone STRING", f"INSERT WITH SCHEMA EVOLUTION INTO {T} BY NAME SELECT 2 AS id, {{'b': 'x', 'a': 4}} AS `s s`, 7 AS n"],
        select=f"SELECT id, `s s`.a, `s s`.b, gone, n FROM {T} ORDER BY id",
        spark=[f"INSERT INTO {T} SELECT 3, named_struct('a', 1, 'b', 'y'), 'gone', 8", f"ALTER TABLE {T} RENAME COLUMN n TO m", f"ALTER TABLE {T} RENAME COLUMN m TO n"],
        more=[f"UPDATE {T} SET n = 70 WHERE id = 2"]),
    "tracked": dict(
        make=[f"CREATE TABLE {T} (id BIGINT, v INT)", f"INSERT INTO {T} SELECT range, 0 FROM range(10)",
              f"ALTER TABLE {T} SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')", f"UPDATE {T} SET v = 1 WHERE id > 6"],
        select=f"SELECT id, v, _metadata.row_id FROM {T} ORDER BY id",
        spark=[f"UPDATE {T} SET v = 2 WHERE id = 1", f"INSERT INTO {T} VALUES (100, 3)"],
        more=[f"MERGE INTO {T} AS t USING (SELECT 2 AS id) AS s ON s.id = t.id WHEN MATCHED THEN UPDATE SET v = 5"]),
    "rules": dict(
        make=[f"CREATE TABLE {T} (id BIGINT GENERATED BY DEFAULT AS IDENTITY, ts TIMESTAMP_NTZ, day DATE GENERATED ALWAYS AS (CAST(ts AS DATE)), "
              "v INT DEFAULT 3, CONSTRAINT above CHECK (v > 0)) PARTITIONED BY (day)",
              f"INSERT INTO {T} (ts) VALUES ('2024-01-01 10:00:00'), ('2024-01-02 10:00:00')",
              f"MERGE INTO {T} AS t USING (SELECT TIMESTAMP '2024-01-03 00:00:00' AS ts) AS s ON s.ts = t.ts WHEN NOT MATCHED THEN INSERT (ts) VALUES (s.ts)"],
        select=f"SELECT count(DISTINCT id) AS ids, max(id) AS most, CAST(max(day) AS STRING) AS day, sum(v) AS v FROM {T}",
        spark=[f"INSERT INTO {T} (ts) VALUES (TIMESTAMP_NTZ '2024-01-04 10:00:00')"],
        more=[f"ALTER TABLE {T} ALTER COLUMN id SYNC IDENTITY", f"INSERT INTO {T} (ts, v) VALUES ('2024-01-05 10:00:00', 9)"]),
    "widened": dict(
        make=[f"CREATE TABLE {T} (id INT, d DATE) TBLPROPERTIES ('delta.enableTypeWidening' = 'true', 'delta.feature.timestampNtz' = 'supported')",
              f"INSERT INTO {T} VALUES (1, DATE '2024-01-01')", f"ALTER TABLE {T} ALTER COLUMN id TYPE BIGINT", f"INSERT INTO {T} VALUES (5000000000, NULL)"],
        select=f"SELECT id, CAST(d AS STRING) AS d FROM {T} ORDER BY id",
        spark=[f"INSERT INTO {T} VALUES (6000000000, NULL)"], more=[f"DELETE FROM {T} WHERE id = 1"]),
    "overwritten": dict(
        make=[f"CREATE TABLE {T} PARTITIONED BY (p) AS SELECT 'a' AS p, 1 AS v", f"INSERT INTO {T} VALUES ('b', 2)",
              f"INSERT OVERWRITE {T} WITH ('overwriteSchema' = 'true') SELECT 1.5::DOUBLE AS v, 'c' AS p",
              f"COPY (SELECT 2.5::DOUBLE AS v, 'd' AS p) TO '{{path}}.parquet'", f"COPY INTO {T} FROM '{{path}}.parquet' FILEFORMAT = PARQUET"],
        select=f"SELECT v, p FROM {T} ORDER BY v",
        spark=[f"INSERT INTO {T} VALUES (3.5, 'e')"], more=[f"INSERT INTO {T} VALUES (4.5, 'f')"]),
    **{name: dict(
        make=[f"CREATE TABLE {T} (id BIGINT, v VARIANT){properties}",
              f"INSERT INTO {T} VALUES (1, {{'a': 1, 'b': ['x', NULL]}}::VARIANT), (2, NULL), (3, 'text'::VARIANT), (4, 2.5::DECIMAL(3, 1)::VARIANT)",
              f"INSERT INTO {T} SELECT range, CASE WHEN range % 2 = 0 THEN {{'a': range}}::VARIANT END FROM range(100, 400)",
              f"UPDATE {T} SET v = {{'a': 30}}::VARIANT WHERE id = 103", f"DELETE FROM {T} WHERE id = 104"],
        select=f"SELECT id, v IS NULL AS missing, try_variant_get(v, '$.a', 'int') AS a FROM {T} ORDER BY id",
        bayou_select=f"SELECT id, v IS NULL AS missing, variant_extract(v, 'a')::INT AS a FROM {T} ORDER BY id",
        spark=[f"INSERT INTO {T} SELECT 500, to_variant_object(named_struct('a', 5))", f"UPDATE {T} SET v = NULL WHERE id = 1", f"DELETE FROM {T} WHERE id = 105"],
        more=[f"UPDATE {T} SET id = -id WHERE id < 200", f"OPTIMIZE {T}"],
        compiled="FALLBACK")  # Spark's reader of shredded parts has no interpreter.
       for name, properties in {"variants": "", "shredded": " TBLPROPERTIES ('delta.enableVariantShredding' = 'true')"}.items()},
    "dropped": dict(
        make=[f"CREATE TABLE {T} (id BIGINT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.checkpointPolicy' = 'v2', 'delta.enableRowTracking' = 'true')",
              f"INSERT INTO {T} SELECT range FROM range(10)", f"ALTER TABLE {T} DROP FEATURE deletionVectors", f"ALTER TABLE {T} DROP FEATURE v2Checkpoint",
              f"ALTER TABLE {T} DROP FEATURE rowTracking", f"ALTER TABLE {T} DROP FEATURE domainMetadata", f"INSERT INTO {T} VALUES (10)"],
        select=f"SELECT id FROM {T} ORDER BY id", spark=[f"DELETE FROM {T} WHERE id = 1"], more=[f"DELETE FROM {T} WHERE id = 2"]),
    "unmapped": dict(
        make=[f"CREATE TABLE {T} (id BIGINT, s STRUCT<a: INT>)", f"INSERT INTO {T} VALUES (1, {{'a': 2}})",
              f"ALTER TABLE {T} SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')", f"INSERT INTO {T} VALUES (2, {{'a': 3}})",
              f"ALTER TABLE {T} DROP FEATURE columnMapping", f"INSERT INTO {T} VALUES (3, {{'a': 4}})"],
        select=f"SELECT id, s.a FROM {T} ORDER BY id", spark=[f"UPDATE {T} SET id = 10 WHERE id = 1"], more=[f"DELETE FROM {T} WHERE id = 2"]),
    "iceberg": dict(
        make=[f"CREATE TABLE {T} (id BIGINT, p STRING, l ARRAY<INT>) PARTITIONED BY (p) TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true', "
              "'delta.columnMapping.mode' = 'name')", f"INSERT INTO {T} VALUES (1, 'a', [2])", f"UPDATE {T} SET id = 3 WHERE id = 1"],
        select=f"SELECT id, p, l[0] AS l FROM {T} ORDER BY id", bayou_select=f"SELECT id, p, l[1] AS l FROM {T} ORDER BY id",
        spark=[f"INSERT INTO {T} VALUES (4, 'b', array(5))"], more=[f"INSERT INTO {T} VALUES (6, 'c', [7])"]),
    "cloned": dict(
        make=["CREATE TABLE delta.`{path}_source` (id BIGINT, p STRING) PARTITIONED BY (p) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
              "INSERT INTO delta.`{path}_source` SELECT range, 'a b' FROM range(10)", "DELETE FROM delta.`{path}_source` WHERE id = 3",
              f"CREATE TABLE {T} SHALLOW CLONE delta.`{{path}}_source`"],
        select=f"SELECT id, p FROM {T} ORDER BY id",
        spark=[f"DELETE FROM {T} WHERE id = 4", f"INSERT INTO {T} VALUES (20, 'c')"], more=[f"DELETE FROM {T} WHERE id = 5"]),
    "clustered": dict(
        make=[f"CREATE TABLE {T} (id BIGINT, v STRING) CLUSTER BY (id) TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')",
              f"INSERT INTO {T} SELECT range, 'v' FROM range(20)", f"ALTER TABLE {T} CLUSTER BY (v)"],
        select=f"SELECT id, v FROM {T} ORDER BY id", spark=[f"OPTIMIZE {T}", f"INSERT INTO {T} VALUES (100, 'w')"], more=[f"DELETE FROM {T} WHERE id = 0"]),
}


def fill(statement, path, by_path=""):
    return statement.replace("{path}", path).replace("{by_path}", by_path)


class Check:
    def __init__(self, bayou, spark, folder):
        self.bayou, self.spark, self.folder = bayou, spark, folder

    def ours(self, *statements):
        done = subprocess.run([self.bayou, "sql", "--allow-external-paths", "-c", ";\n".join(statements), "--format", "json"], capture_output=True, text=True, cwd=self.folder)
        assert done.returncode == 0, done.stderr
        return [list(row.values()) for row in json.loads(done.stdout or "[]")]

    def theirs(self, statement):
        return [list(row) for row in self.spark.sql(statement).collect()]

    def same(self, ours, theirs, what):
        ours, theirs = self.ours(ours), self.theirs(theirs)
        assert ours == theirs, f"{what}: bayou {ours[:20]}, Spark {theirs[:20]}"

    def compare(self, case, path, what):
        select = fill(case["select"], path)
        self.same(fill(case.get("bayou_select", case["select"]), path), select, what)
        table = fill(T, path)
        history = [[row["version"], row["operation"]] for row in self.spark.sql(f"DESCRIBE HISTORY {table}").collect()]
        assert self.ours(f"SELECT version, operation FROM bayou_history('{path}')") == history, f"{what}: history {history}"
        detail = self.spark.sql(f"DESCRIBE DETAIL {table}").collect()[0]
        columns = ["numFiles", "sizeInBytes", "minReaderVersion", "minWriterVersion", "partitionColumns", "clusteringColumns"]
        ours = self.ours(f"SELECT {', '.join(columns)}, list_sort(tableFeatures) FROM bayou_detail('{path}')")
        theirs = [[detail[column] for column in columns] + [sorted(detail["tableFeatures"])]]
        assert ours == theirs, f"{what}: detail: bayou {ours}, Spark {theirs}"
        if "changes" in case:
            self.same(fill(case["changes"], path), fill(case["changes"], path, "_by_path"), f"{what}: changes")

    def run(self, name, case):
        path = f"{self.folder}/{name}"
        self.spark.conf.set("spark.sql.codegen.factoryMode", case.get("compiled", "NO_CODEGEN"))
        self.ours(*(fill(statement, path) for statement in case["make"]))
        for version in range(case.get("forget", 0)):  # A checkpoint has to stand for them.
            pathlib.Path(path, "_delta_log", f"{version:020}.json").unlink()
        self.compare(case, path, "made by bayou")
        for statement in case["spark"]:
            self.spark.sql(fill(statement, path)).collect()
        self.compare(case, path, "changed by Spark")
        self.ours(*(fill(statement, path) for statement in case["more"]))
        self.compare(case, path, "changed by bayou again")


def session(arguments, folder):
    from pyspark.sql import SparkSession
    builder = (SparkSession.builder.master("local[1]").appName("spark_check")
               .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
               .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
               .config("spark.ui.enabled", "false").config("spark.sql.session.timeZone", "UTC")
               # Tables of a few rows: what is compiled or spread over tasks costs more than it saves.
               .config("spark.sql.shuffle.partitions", "1").config("spark.default.parallelism", "1")
               .config("spark.databricks.delta.snapshotPartitions", "1").config("spark.sql.codegen.wholeStage", "false")
               .config("spark.sql.sources.parallelPartitionDiscovery.parallelism", "1")
               .config("spark.sql.codegen.factoryMode", "NO_CODEGEN").config("spark.sql.adaptive.enabled", "false")
               .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m -XX:+UseSerialGC")
               .config("spark.ui.showConsoleProgress", "false").config("spark.databricks.delta.retentionDurationCheck.enabled", "false")
               .config("spark.sql.warehouse.dir", f"{folder}/warehouse").config("spark.driver.memory", "1g"))
    builder = builder.config("spark.jars", arguments.jars) if arguments.jars else builder.config("spark.jars.packages", arguments.package)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def main(cases, check, description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bayou", default=str(ROOT / "build" / "bayou"))
    parser.add_argument("--package", default="io.delta:delta-spark_4.1_2.13:4.4.0")
    parser.add_argument("--jars", help="instead of --package: jar files, separated by commas")
    parser.add_argument("--only", nargs="+", choices=cases)
    arguments = parser.parse_args()
    try:
        import pyspark
    except ImportError:
        print("skipped: pyspark is not installed")
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        check = check(str(pathlib.Path(arguments.bayou).resolve()), session(arguments, folder), folder)
        for name, case in cases.items():
            if arguments.only and name not in arguments.only:
                continue
            try:
                check.run(name, case)
                print(f"ok      {name}", flush=True)
            except Exception as failure:
                failed += 1
                print(f"FAILED  {name}: {str(failure)[:2000]}", flush=True)
    print(f"Spark {pyspark.__version__}: {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(CASES, Check, __doc__))
