# SPDX-License-Identifier: Apache-2.0
"""docs/errors.md names every condition that the source can report, and no other."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONDITION = re.compile(
    r'"((?:DELTA|SQL|FILE)_[A-Z_]+|CONVERSION_ERROR|OUT_OF_MEMORY|OUT_OF_SPACE|INTERRUPTED|IO_ERROR'
    r'|PERMISSION_DENIED|INTERNAL_ERROR)"'
    r'|ErrorCode::\w+,\s*"([A-Z_]+)"')


def reported():
    sources = [file for file in (ROOT / "src").rglob("*.cc") if not file.stem.endswith(("_test", "_fuzz"))]
    return {name for file in sources for found in CONDITION.findall(file.read_text()) for name in found if name}


def documented():
    return set(re.findall(r"`([A-Z]+(?:_[A-Z]+)+|INTERRUPTED)`", (ROOT / "docs" / "errors.md").read_text()))


def test_every_condition_is_documented():
    assert reported() - documented() == set()


def test_no_condition_is_documented_that_the_source_does_not_have():
    assert documented() - reported() == set()
