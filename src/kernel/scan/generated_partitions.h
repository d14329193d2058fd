// SPDX-License-Identifier: Apache-2.0
//
// Partition columns that are generated from other columns tell of these: where
// `day` is CAST(ts AS DATE), the files of a day hold timestamps of that day.
// That narrows what the statistics say, or says it where there are none, so
// that a filter on `ts` leaves out files by their partition.
//
// Protocol: "Generated Columns".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/log/log_replay.h"
#include "kernel/protocol/schema.h"
#include "kernel/scan/file_condition.h"
#include "kernel/scan/scanned_table.h"
#include "kernel/scan/value_range.h"

namespace bayou::scan {

class GeneratedPartitions {
 public:
  // Knows, of a column c: c itself, CAST(c AS DATE), year, month, day and hour
  // of c, TRUNC, DATE_TRUNC, DATE_FORMAT with the parts of a date in their
  // order, and SUBSTRING from the first character on. Others say nothing.
  explicit GeneratedPartitions(const ScannedTable& table);

  // Makes the range of `column` no wider than the file's partition says. The
  // parts of an instant depend on a time zone, which is its writer's: a range
  // of instants is wide enough for all there are.
  void Narrow(const StatisticsColumn& column, const log::FileView& file,
              ValueRange& range) const;

 private:
  enum class Form : std::uint8_t {
    kSame,    // The value.
    kPrefix,  // The first characters of a text.
    kYear,    // A number.
    kMonth,
    kDay,
    kHour,
    kBegin,  // The begin of a stretch of time as long as `unit`.
  };
  enum class Unit : std::uint8_t {
    kMicrosecond,
    kSecond,
    kMinute,
    kHour,
    kDay,
    kWeek,
    kMonth,
    kQuarter,
    kYear,
  };
  struct Generated {
    std::string base;  // Physical names.
    protocol::DataType base_type;
    std::string partition;
    protocol::DataType partition_type;
    Form form = Form::kSame;
    Unit unit = Unit::kMicrosecond;
  };

  friend class GenerationReader;
  struct Calendar;

  static bool IsPart(Form form) {
    return form >= Form::kYear && form <= Form::kHour;
  }
  // How long one value of the type is.
  static Unit UnitOf(protocol::TypeKind kind) {
    return kind == protocol::TypeKind::kDate ? Unit::kDay : Unit::kMicrosecond;
  }

  std::vector<Generated> generated_;
};

}  // namespace bayou::scan
