# The architecture, lowest layer first. A module may use only what it names, and
# can name only what stands above it in this file. tools/check_layers.py holds
# every #include to the same list.
bayou_module(base "errors, clock and randomness, paths and their encodings, JSON; knows no Delta word"
             PUBLIC result.h version.h
             LINKS fmt::fmt simdjson::simdjson)

# The Delta protocol.
bayou_module(kernel/store "what we ask of an object store: local disk, memory"
             USES base
             LINKS Threads::Threads)
bayou_module(kernel/protocol "values and codecs of the Delta protocol, no I/O"
             USES base
             LINKS simdjson::simdjson roaring::roaring)
bayou_module(kernel/engine "DuckDB in one place"
             USES base kernel/store kernel/protocol
             LINKS bayou_duckdb)
bayou_module(kernel/log "_delta_log: listing, segments, replay, checkpoints"
             USES base kernel/store kernel/protocol kernel/engine)
bayou_module(kernel/table "one version of a table"
             USES base kernel/store kernel/protocol kernel/engine kernel/log)
bayou_module(kernel/scan "which files and which rows"
             USES kernel/table
             LINKS bayou_duckdb_parquet)
bayou_module(kernel/write "rows to files"
             USES kernel/table
             LINKS bayou_duckdb_parquet)
bayou_module(kernel/transaction "stages actions, checks conflicts, commits"
             USES kernel/scan kernel/write)

# What people ask for by name.
bayou_module(ops/commands "what people ask for by name"
             USES kernel/scan kernel/write kernel/transaction)

bayou_module(sql "Bayou inside DuckDB: catalog, functions, Delta statements"
             USES ops/commands
             PUBLIC session.h)

# Thin: each sees the public headers of include/bayou and nothing else of ours.
bayou_frontend(frontends/cli "the bayou command"
               PROGRAM bayou
               USES sql
               LINKS CLI11::CLI11 spdlog::spdlog PkgConfig::libedit)
