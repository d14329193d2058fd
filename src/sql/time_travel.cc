// SPDX-License-Identifier: Apache-2.0
#include "sql/time_travel.h"

#include <string>

#include "sql/token.h"

namespace bayou::sql {
namespace {

constexpr std::int64_t kMicrosPerMilli = 1000;

std::int64_t FloorToMillis(std::int64_t micros) {
  const std::int64_t millis = micros / kMicrosPerMilli;
  return micros % kMicrosPerMilli < 0 ? millis - 1 : millis;
}

}  // namespace

Result<table::TimeTravel> AtVersion(const duckdb::Value& version) {
  duckdb::Value number;
  duckdb::Value back;  // A cast rounds: 1.5 is no version.
  std::string problem;
  if (version.IsNull() ||
      !version.DefaultTryCastAs(duckdb::LogicalType::BIGINT, number, &problem,
                                true) ||
      !number.DefaultTryCastAs(version.type(), back, &problem, true) ||
      back != version || number.GetValue<std::int64_t>() < 0) {
    return Fail(
        ErrorCode::kInvalidArgument, "DELTA_INVALID_VERSION",
        "a version is a whole number from 0 on, not " + version.ToString());
  }
  return table::TimeTravel{.version = number.GetValue<std::int64_t>(),
                           .timestamp_ms = {}};
}

Result<table::TimeTravel> AtTimestamp(duckdb::ClientContext& context,
                                      const duckdb::Value& timestamp) {
  duckdb::Value instant;
  std::string problem;
  const bool is_number = timestamp.type().IsNumeric();
  if (timestamp.IsNull() || is_number ||
      !timestamp.TryCastAs(context, duckdb::LogicalType::TIMESTAMP_TZ, instant,
                           &problem, true) ||
      instant.IsNull()) {
    return Fail(ErrorCode::kInvalidArgument, "DELTA_INVALID_TIMESTAMP",
                "a time is wanted, such as '2024-01-31 23:59:59' or now() - "
                "INTERVAL 1 DAY, not " +
                    timestamp.ToString());
  }
  return table::TimeTravel{
      .version = {},
      .timestamp_ms =
          FloorToMillis(instant.GetValue<duckdb::timestamp_tz_t>().value)};
}

Result<table::TimeTravel> AtVersionOrTimestamp(duckdb::ClientContext& context,
                                               const duckdb::Value& value) {
  return value.type().IsNumeric() ? AtVersion(value)
                                  : AtTimestamp(context, value);
}

Result<table::TimeTravel> AtClause(duckdb::ClientContext& context,
                                   std::string_view unit,
                                   const duckdb::Value& value) {
  return EqualIgnoringCase(unit, "version") ? AtVersion(value)
                                            : AtTimestamp(context, value);
}

}  // namespace bayou::sql
