#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The product in one minute: three million flights become a partitioned Delta
# table in ./demo-lake, which stays for the reader to play with.
set -euo pipefail
cd "$(dirname "$0")/.."

bayou=build/bayou
lake=demo-lake
flights=.deps/data/flights-3m.parquet
bold=$(tput bold 2>/dev/null || true)
plain=$(tput sgr0 2>/dev/null || true)

# Says what happens, shows the statement, runs it, and tells how long it took.
step() {  # step <what> <sql>
  local started=${EPOCHREALTIME/./} took
  printf '\n%s%s%s\n%s\n\n' "$bold" "$1" "$plain" "$2"
  "$bayou" sql --lake "$lake" --format table -c "$2"
  took=$((${EPOCHREALTIME/./} - started))
  printf '(%d.%03d s)\n' $((took / 1000000)) $((took / 1000 % 1000))
}

rm -rf "$lake/flights"  # Other tables in it are the reader's own.
mkdir -p "$lake"

step "Three million real flights, as one Parquet file" \
  "SELECT count(*) AS flights, min(date) AS first, max(date) AS last, count(DISTINCT origin) AS airports
FROM '$flights';"

step "They become a Delta table, partitioned by month" \
  "CREATE TABLE flights PARTITIONED BY (month) AS
SELECT month(date) AS month, date, origin, destination, delay, distance FROM '$flights';"

step "A late flight is appended: one more version" \
  "INSERT INTO flights VALUES (3, TIMESTAMP '2001-03-31 23:59:00', 'SFO', 'JFK', 42, 2586);"

step "A question that needs few of the files: see how many are skipped" \
  "EXPLAIN SELECT avg(delay) FROM flights WHERE month = 2 AND distance > 2000;"

step "The answer" \
  "SELECT origin, count(*) AS flights, round(avg(delay), 1) AS delay
FROM flights WHERE month = 2 AND distance > 2000 GROUP BY origin ORDER BY flights DESC LIMIT 5;"

step "Time travel: before and after the append" \
  "SELECT (SELECT count(*) FROM flights VERSION AS OF 0) AS before, (SELECT count(*) FROM flights) AS after;"

step "Who did what" \
  "SELECT version, operation, operationMetrics FROM bayou_history('flights');"

step "The table in one row" \
  "SELECT numFiles, sizeInBytes, partitionColumns FROM bayou_detail('flights');"

cat <<END

The lake is in ./$lake, for any Delta engine to read. Go on with
  $bayou sql --lake $lake
END
