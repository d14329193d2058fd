// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/row_group_copy.h"

#include <fmt/format.h>
#include <thrift/protocol/TCompactProtocol.h>
#include <thrift/transport/TTransport.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "kernel/engine/engine.h"

namespace bayou::write {
namespace {

using duckdb_parquet::ColumnChunk;
using duckdb_parquet::ColumnMetaData;
using duckdb_parquet::FileMetaData;
using duckdb_parquet::KeyValue;
using duckdb_parquet::RowGroup;

constexpr std::int64_t kMagicSize = 4;
constexpr std::string_view kSparkNotes = "org.apache.spark.";

class TextTransport final
    : public duckdb_apache::thrift::transport::TTransport {
 public:
  explicit TextTransport(std::string& text) : text_(text) {}

  bool isOpen() const override { return true; }
  void open() override {}
  void close() override {}
  void write_virt(const std::uint8_t* bytes, std::uint32_t length) override {
    text_.append(reinterpret_cast<const char*>(bytes), length);
  }

 private:
  std::string& text_;
};

// The generated structs cannot be compared, but what they are written as can.
template <typename Struct>
std::string Encode(const Struct& value) {
  std::string text;
  duckdb_apache::thrift::protocol::TCompactProtocolT<TextTransport> protocol(
      std::make_shared<TextTransport>(text));
  value.write(&protocol);
  return text;
}

template <typename List>
std::string EncodeAll(const List& values) {
  std::string text;
  for (const auto& value : values) text += Encode(value);
  return text;
}

// A logical type that is newer than this reader comes out as none at all.
bool HasUnknownType(const FileMetaData& footer) {
  return std::ranges::any_of(footer.schema, [](const auto& element) {
    return element.__isset.logicalType &&
           Encode(element.logicalType).size() <= 1;
  });
}

bool IsEncrypted(const FileMetaData& footer) {
  if (footer.__isset.encryption_algorithm ||
      footer.__isset.footer_signing_key_metadata)
    return true;
  for (const RowGroup& group : footer.row_groups) {
    for (const ColumnChunk& column : group.columns) {
      if (column.__isset.crypto_metadata ||
          column.__isset.encrypted_column_metadata)
        return true;
    }
  }
  return false;
}

// Each encoding tells its own end, so that one text says it all.
std::string SparkNotes(const FileMetaData& footer) {
  std::vector<std::string> notes;
  for (const KeyValue& pair : footer.key_value_metadata) {
    if (pair.key.starts_with(kSparkNotes)) notes.push_back(Encode(pair));
  }
  std::ranges::sort(notes);
  std::string all;
  for (const std::string& note : notes) all += note;
  return all;
}

bool HasPair(const FileMetaData& footer, const std::string& encoded) {
  return std::ranges::any_of(
      footer.key_value_metadata,
      [&](const KeyValue& pair) { return Encode(pair) == encoded; });
}

// What no other file contradicts.
duckdb::vector<KeyValue> SharedPairs(std::span<const CopySource> sources) {
  duckdb::vector<KeyValue> shared;
  for (const KeyValue& pair : sources[0].footer->key_value_metadata) {
    const std::string encoded = Encode(pair);
    if (std::ranges::all_of(sources, [&](const CopySource& source) {
          return HasPair(*source.footer, encoded);
        }))
      shared.push_back(pair);
  }
  return shared;
}

// Before 1.2.9, parquet-mr forgot to count the head of a dictionary
// (PARQUET-816): such a column is longer than its footer says.
bool HasWrongLengths(const FileMetaData& footer) {
  std::string_view rest = footer.created_by;
  constexpr std::string_view kName = "parquet-mr";
  if (!rest.starts_with(kName)) return false;
  rest.remove_prefix(std::min(rest.size(), kName.size() + 9));  // " version "
  std::array<int, 3> version{};
  for (int& number : version) {
    const auto end =
        std::from_chars(rest.data(), rest.data() + rest.size(), number).ptr;
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (!rest.empty()) rest.remove_prefix(1);
  }
  return version < std::array{1, 2, 9};
}

bool IsSmall(const RowGroup& group, const CopyRules& rules) {
  return group.num_rows < rules.min_rows &&
         group.total_byte_size < rules.min_bytes;
}

std::optional<std::string> WhyDecoded(const FileMetaData& footer,
                                      const CopyRules& rules) {
  if (IsEncrypted(footer)) return "it is encrypted";
  if (HasUnknownType(footer)) return "it has a type that is not known";
  if (HasWrongLengths(footer)) return "its writer counted too few bytes";
  for (const RowGroup& group : footer.row_groups) {
    const bool is_rest =
        footer.row_groups.size() > 1 && &group == &footer.row_groups.back();
    if (!is_rest && IsSmall(group, rules)) return "it has small row groups";
    for (const ColumnChunk& column : group.columns) {
      if (column.meta_data.codec != rules.codec)
        return "it is compressed in another way than the table asks for";
      if (column.__isset.file_path ||
          column.meta_data.__isset.index_page_offset)
        return "it has its pages where few files have them";
    }
  }
  return std::nullopt;
}

// Where the pages of a column are, the dictionary's first.
std::int64_t FirstPage(const ColumnMetaData& column) {
  // Some writers say 0 where there is no dictionary.
  const bool has_dictionary = column.__isset.dictionary_page_offset &&
                              column.dictionary_page_offset != 0;
  return has_dictionary
             ? std::min(column.dictionary_page_offset, column.data_page_offset)
             : column.data_page_offset;
}

// Plans the row groups of one source after those of the ones before.
class Planner {
 public:
  explicit Planner(RowGroupCopy& copy) : copy_(copy) {}

  Status Add(std::size_t number, const CopySource& source) {
    number_ = number;
    source_ = &source;
    taken_.clear();
    const FileMetaData& footer = *source.footer;
    std::int64_t rows = 0;
    for (const RowGroup& group : footer.row_groups) {
      if (group.num_rows < 0 || group.num_rows > footer.num_rows - rows)
        return Invalid("its row groups have more rows than the file");
      rows += group.num_rows;
      BAYOU_TRY(AddGroup(group));
    }
    if (rows != footer.num_rows)
      return Invalid("its row groups have fewer rows than the file");
    if (rows > std::numeric_limits<std::int64_t>::max() - copy_.footer.num_rows)
      return Invalid("it has too many rows");
    copy_.footer.num_rows += rows;
    return CheckTakenOnce();
  }

 private:
  tl::unexpected<Error> Invalid(std::string_view why) const {
    return Fail(ErrorCode::kCorruption, "DELTA_PARQUET_INVALID",
                fmt::format("{} cannot be copied: {}", source_->name, why));
  }

  Status AddGroup(const RowGroup& group) {
    RowGroup copied = group;
    if (copied.columns.size() != leaves_of(*source_->footer))
      return Invalid("a row group has not all columns");
    copied.__set_file_offset(copy_.data_end);
    const std::int64_t start = copy_.data_end;
    for (ColumnChunk& column : copied.columns) BAYOU_TRY(AddColumn(column));
    copied.__set_total_compressed_size(copy_.data_end - start);
    const std::size_t ordinal = copy_.footer.row_groups.size();
    copied.__isset.ordinal = ordinal <= INT16_MAX;
    copied.ordinal = static_cast<std::int16_t>(
        copied.__isset.ordinal ? ordinal : std::size_t{0});
    copy_.footer.row_groups.push_back(std::move(copied));
    return {};
  }

  static std::size_t leaves_of(const FileMetaData& footer) {
    return static_cast<std::size_t>(std::ranges::count_if(
        footer.schema, [](const auto& e) { return e.__isset.type; }));
  }

  Status AddColumn(ColumnChunk& column) {
    ColumnMetaData& pages = column.meta_data;
    if (!column.__isset.meta_data)
      return Invalid("a column does not say where it is");
    const std::int64_t first = FirstPage(pages);
    const std::int64_t length = pages.total_compressed_size;
    if (first < kMagicSize || first > source_->data_end || length <= 0 ||
        length > source_->data_end - first)
      return Invalid("a column lies outside of the file's data");
    if (pages.data_page_offset - first >= length)
      return Invalid("a column's values lie outside of it");
    if (length > std::numeric_limits<std::int64_t>::max() - copy_.data_end)
      return Invalid("the new file would be too large");
    taken_.push_back({first, first + length});
    Place(first, length);
    const std::int64_t shift = copy_.data_end - length - first;
    pages.data_page_offset += shift;
    const bool has_dictionary = pages.__isset.dictionary_page_offset &&
                                pages.dictionary_page_offset != 0;
    if (has_dictionary) pages.dictionary_page_offset += shift;
    pages.__isset.dictionary_page_offset = has_dictionary;
    pages.__isset.bloom_filter_offset = false;
    pages.__isset.bloom_filter_length = false;
    column.file_offset = 0;  // No copy of the metadata is beside the pages.
    column.__isset.offset_index_offset = false;
    column.__isset.offset_index_length = false;
    column.__isset.column_index_offset = false;
    column.__isset.column_index_length = false;
    return {};
  }

  // Behind the last piece, and as a part of it if it goes on where that ends.
  void Place(std::int64_t offset, std::int64_t length) {
    copy_.data_end += length;
    if (!copy_.pieces.empty()) {
      CopiedPiece& last = copy_.pieces.back();
      if (last.source == number_ && last.offset + last.length == offset) {
        last.length += length;
        return;
      }
    }
    copy_.pieces.push_back({number_, offset, length});
  }

  Status CheckTakenOnce() {
    std::ranges::sort(taken_);
    for (std::size_t i = 1; i < taken_.size(); ++i) {
      if (taken_[i].first < taken_[i - 1].second)
        return Invalid("two columns lie in the same place");
    }
    return {};
  }

  RowGroupCopy& copy_;
  std::size_t number_ = 0;
  const CopySource* source_ = nullptr;
  std::vector<std::pair<std::int64_t, std::int64_t>> taken_;
};

}  // namespace

std::optional<std::string> WhyDecoded(std::span<const CopySource> sources,
                                      const CopyRules& rules) {
  if (sources.empty()) return "there is no file";
  const FileMetaData& first = *sources[0].footer;
  const std::string schema = EncodeAll(first.schema);
  const std::string orders = EncodeAll(first.column_orders);
  const std::string notes = SparkNotes(first);
  for (const CopySource& source : sources) {
    const FileMetaData& footer = *source.footer;
    std::optional<std::string> why = WhyDecoded(footer, rules);
    if (!why && EncodeAll(footer.schema) != schema)
      why = "its columns are stored in another way than those before";
    if (!why && (footer.__isset.created_by != first.__isset.created_by ||
                 footer.created_by != first.created_by ||
                 footer.version != first.version))
      why = "another writer wrote it";
    if (!why && (footer.__isset.column_orders != first.__isset.column_orders ||
                 EncodeAll(footer.column_orders) != orders))
      why = "its statistics have another order";
    if (!why && SparkNotes(footer) != notes) why = "Spark notes other things";
    if (why) return source.name + ": " + *why;
  }
  return std::nullopt;
}

Result<RowGroupCopy> PlanRowGroupCopy(std::span<const CopySource> sources) {
  RowGroupCopy copy;
  copy.data_end = kMagicSize;
  copy.footer = *sources[0].footer;
  copy.footer.row_groups.clear();
  copy.footer.num_rows = 0;
  copy.footer.key_value_metadata = SharedPairs(sources);
  copy.footer.__isset.key_value_metadata =
      !copy.footer.key_value_metadata.empty();
  Planner planner(copy);
  for (std::size_t i = 0; i < sources.size(); ++i)
    BAYOU_TRY(planner.Add(i, sources[i]));
  return copy;
}

Result<std::string> EncodeFooter(const FileMetaData& footer) {
  std::string text;
  BAYOU_TRY(engine::Guard([&] { text = Encode(footer); }));
  if (text.size() > INT32_MAX) {
    return Fail(ErrorCode::kUnsupported, "DELTA_PARQUET_INVALID",
                "a Parquet footer of more than 2 GiB cannot be written");
  }
  const auto length = static_cast<std::uint32_t>(text.size());
  for (unsigned shift = 0; shift < 32; shift += 8)
    text.push_back(static_cast<char>((length >> shift) & 0xFF));
  return text + "PAR1";
}

}  // namespace bayou::write
