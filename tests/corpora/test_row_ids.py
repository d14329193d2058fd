# SPDX-License-Identifier: Apache-2.0
"""Stable row ids and commit versions are those that Spark reads, where the shared tables are at hand."""

import pytest

from conftest import SHARED

EXPECTED = sorted(SHARED.glob("corpora/tables/*/expected/row_ids.parquet"))

QUERY = """
WITH found AS (SELECT _metadata.row_id AS row_id, _metadata.row_commit_version AS version FROM delta.`{table}`),
wanted AS (SELECT __row_id AS row_id, __row_commit_version AS version FROM read_parquet('{expected}'))
(SELECT 'too many' AS what, * FROM (FROM found EXCEPT ALL FROM wanted))
UNION ALL (SELECT 'missing', * FROM (FROM wanted EXCEPT ALL FROM found))
"""


@pytest.mark.skipif(not EXPECTED, reason="the shared tables are not here")
@pytest.mark.parametrize("expected", EXPECTED, ids=lambda path: path.parents[1].name)
def test_row_ids_are_those_of_spark(sql, expected):
    assert sql(QUERY.format(table=expected.parents[1] / "delta", expected=expected)) == []
