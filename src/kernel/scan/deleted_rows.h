// SPDX-License-Identifier: Apache-2.0
//
// Leaves out the rows that a deletion vector deletes while a file is read.
// Protocol: "Deletion Vectors". Positions are rows of the file, whatever the
// reader skips.
#pragma once

#include <cstdint>
#include <duckdb.hpp>
#include <duckdb/common/multi_file/multi_file_data.hpp>

#include "bayou/result.h"
#include "kernel/protocol/deletion_vector.h"
#include "kernel/scan/data_file.h"
#include "kernel/scan/scanned_table.h"

namespace bayou::scan {

// Reads no more of a vector's file than its own block.
// Errors: kCorruption, DELTA_DELETION_VECTOR_INVALID; kNotFound,
// DELTA_FILE_NOT_FOUND; as PlaceOfFile. Names the data file and the table.
Result<protocol::DeletionVector> LoadDeletionVector(
    const ScannedTable& table, std::string_view data_file,
    const protocol::DeletionVectorDescriptor& descriptor);

// The filter for `file`, which has `rows` rows; null when all are wanted.
// Errors: as above; kCorruption when a vector names a row the file lacks.
Result<duckdb::unique_ptr<duckdb::DeleteFilter>> RowFilterOf(
    const ScannedTable& table, const DataFile& file, std::uint64_t rows);

}  // namespace bayou::scan
