// SPDX-License-Identifier: Apache-2.0
//
// How the values of a column of a data file become the table's values, where
// they are not the same already: widened types, struct fields that are missing,
// new, renamed or in another order, at any depth.
#pragma once

#include <duckdb.hpp>
#include <memory>
#include <optional>
#include <vector>

namespace bayou::scan {

struct Conversion {
  enum class Kind : std::uint8_t {
    kSame,      // The values as they are.
    kCast,      // A lossless cast; fails on a value that does not fit.
    kNull,      // NULL, whatever is stored.
    kStruct,    // Field by field. NULL structs stay NULL.
    kToStruct,  // A value as the only field of a struct that is never NULL.
    kList,      // Lists, and maps: lists of key and value.
  };
  Kind kind = Kind::kSame;
  duckdb::LogicalType to;
  // Of kStruct: one for each field of `to`; of kToStruct and kList: one.
  std::vector<Conversion> children;
  // Of kStruct: the stored field of each; nullopt: the file has none.
  std::vector<std::optional<duckdb::idx_t>> sources;
};

// `input` converted. Kind kSame gives `input` back.
duckdb::unique_ptr<duckdb::Expression> Convert(
    duckdb::unique_ptr<duckdb::Expression> input, Conversion conversion);

}  // namespace bayou::scan
