#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Side by side with deltalake, on this machine, in one run. Prints Markdown; `./dev bench > bench/results.md` records it.
set -euo pipefail
cd "$(dirname "$0")/.."
exec .deps/venv/bin/python bench/metadata.py --bayou build/bayou "$@"
