# SPDX-License-Identifier: Apache-2.0
"""The source files that the pages name exist."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PATH = re.compile(r"`((?:src|include|tests|bench|tools|docs|demo|cmake)/[\w./-]+)`")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_paths_of_a_page_exist(page):
    named = PATH.findall(page.read_text())
    assert [path for path in named if not (ROOT / path).exists()] == []
