// SPDX-License-Identifier: Apache-2.0
#include "kernel/log/checksum.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/uri_path.h"
#include "kernel/log/log_file_name.h"
#include "kernel/protocol/schema.h"
#include "kernel/protocol/table_properties.h"

namespace bayou::log {
namespace {

using protocol::VersionChecksum;

// A checksum is written with each commit and is to stay small.
constexpr std::size_t kMostEntries = 100;

template <typename List>
void LeaveOutIfLong(std::optional<List>& list) {
  if (list && list->size() > kMostEntries) list.reset();
}

template <typename Value>
std::vector<Value> ValuesOf(const std::map<std::string, Value>& map) {
  std::vector<Value> values;
  for (const auto& [name, value] : map) values.push_back(value);
  return values;
}

// Versions of applications are then forgotten by time, which no file follows.
bool ApplicationsExpire(const std::optional<protocol::Metadata>& metadata) {
  return metadata && protocol::TableProperties(metadata->configuration)
                         .set_transaction_retention()
                         .has_value();
}

// Writers put blanks into the schema as they like.
bool IsSameSchema(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto first = protocol::ParseSchema(a);
  const auto second = protocol::ParseSchema(b);
  return first && second &&
         protocol::SchemaToJson(*first) == protocol::SchemaToJson(*second);
}

bool IsSame(const protocol::Metadata& a, const protocol::Metadata& b) {
  return a.id == b.id && a.name == b.name && a.description == b.description &&
         a.partition_columns == b.partition_columns &&
         a.configuration == b.configuration &&
         IsSameSchema(a.schema_string, b.schema_string);
}

using Features = std::optional<std::vector<std::string>>;

bool IsSame(Features a, Features b) {
  if (a) std::ranges::sort(*a);
  if (b) std::ranges::sort(*b);
  return a == b;
}

bool IsSame(const protocol::Protocol& a, const protocol::Protocol& b) {
  return a.min_reader_version == b.min_reader_version &&
         a.min_writer_version == b.min_writer_version &&
         IsSame(a.reader_features, b.reader_features) &&
         IsSame(a.writer_features, b.writer_features);
}

std::optional<std::string> Other(const char* what, std::int64_t written,
                                 std::int64_t counted) {
  if (written == counted) return std::nullopt;
  return fmt::format("it says {} {}, the log gives {}", written, what, counted);
}

// By name: the order says nothing.
std::map<std::string, std::int64_t> Versions(
    const std::vector<protocol::SetTransaction>& applications) {
  std::map<std::string, std::int64_t> versions;
  for (const auto& app : applications) versions[app.app_id] = app.version;
  return versions;
}

std::map<std::string, std::string> Configurations(
    const std::vector<protocol::DomainMetadata>& domains) {
  std::map<std::string, std::string> configurations;
  for (const auto& domain : domains) {
    if (!domain.removed) configurations[domain.domain] = domain.configuration;
  }
  return configurations;
}

}  // namespace

Result<std::optional<VersionChecksum>> ReadChecksum(store::Store& store,
                                                    Version version) {
  const std::string name = JoinPath(kLogFolder, ChecksumName(version));
  const auto text = store.Read(name);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!text) return tl::unexpected<Error>(text.error());
  return protocol::ParseVersionChecksum(*text,
                                        JoinPath(store.location(), name));
}

Result<VersionChecksum> ChecksumOf(const LogState& state) {
  BAYOU_ASSIGN(const FileTotals totals, state.Totals());
  return ChecksumOf(state, totals);
}

VersionChecksum ChecksumOf(const LogState& state, const FileTotals& totals) {
  VersionChecksum checksum;
  checksum.table_size_bytes = totals.bytes;
  checksum.num_files = totals.files;
  checksum.metadata = state.metadata();
  checksum.protocol = state.protocol();
  checksum.domain_metadata = ValuesOf(state.domains());
  checksum.set_transactions = ValuesOf(state.transactions());
  LeaveOutLists(checksum);
  return checksum;
}

void LeaveOutLists(VersionChecksum& checksum) {
  LeaveOutIfLong(checksum.domain_metadata);
  LeaveOutIfLong(checksum.set_transactions);
  if (ApplicationsExpire(checksum.metadata)) checksum.set_transactions.reset();
}

std::optional<std::string> DifferenceOf(const VersionChecksum& written,
                                        const VersionChecksum& counted) {
  if (auto other = Other("files", written.num_files, counted.num_files))
    return other;
  if (auto other =
          Other("bytes", written.table_size_bytes, counted.table_size_bytes))
    return other;
  if (written.metadata && !IsSame(*written.metadata, *counted.metadata))
    return "it has other metadata than the log gives";
  if (written.protocol && !IsSame(*written.protocol, *counted.protocol))
    return "it has another protocol than the log gives";
  if (written.domain_metadata && counted.domain_metadata &&
      Configurations(*written.domain_metadata) !=
          Configurations(*counted.domain_metadata))
    return "it has other domain metadata than the log gives";
  if (written.set_transactions && counted.set_transactions &&
      Versions(*written.set_transactions) !=
          Versions(*counted.set_transactions))
    return "it has other versions of applications than the log gives";
  return std::nullopt;
}

}  // namespace bayou::log
