// SPDX-License-Identifier: Apache-2.0
#include "ops/commands/clustering_order.h"

#include <algorithm>
#include <duckdb/function/create_sort_key.hpp>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "ops/commands/space_filling_curve.h"

namespace bayou::commands {
namespace {

using duckdb::idx_t;
using duckdb::Vector;

// Enough for files of a hundredth of the table to be told apart well.
constexpr std::size_t kSampleSize = 16'384;

// The sort keys of values, or of fields below them: bytes that compare as the
// values do.
void KeysOf(Vector& values, idx_t count, std::span<const idx_t> fields,
            Vector& keys) {
  if (!fields.empty()) {
    Vector flat(values);
    flat.Flatten(count);
    return KeysOf(*duckdb::StructVector::GetEntries(flat)[fields.front()],
                  count, fields.subspan(1), keys);
  }
  const duckdb::OrderModifiers order(duckdb::OrderType::ASCENDING,
                                     duckdb::OrderByNullType::NULLS_FIRST);
  duckdb::CreateSortKeyHelpers::CreateSortKey(values, count, order, keys);
  keys.Flatten(count);
}

void KeysOf(duckdb::DataChunk& rows, const ClusteringColumn& column,
            Vector& keys) {
  KeysOf(rows.data[column.column], rows.size(), column.fields, keys);
}

std::string_view View(const duckdb::string_t& text) {
  return {text.GetData(), text.GetSize()};
}

}  // namespace

// Keeps rows such that each has been taken with the same chance.
class ClusteringOrder::Sample {
 public:
  Sample(std::vector<ClusteringColumn> columns, Env& env)
      : columns_(std::move(columns)),
        random_(env.Random()),
        values_(columns_.size()) {}

  void Add(duckdb::DataChunk& rows) {
    duckdb::SelectionVector chosen(rows.size());
    std::vector<std::size_t> places;
    for (idx_t i = 0; i < rows.size(); ++i) {
      const std::size_t place =
          seen_ < kSampleSize ? seen_ : random_() % (seen_ + 1);
      ++seen_;
      if (place >= kSampleSize) continue;
      chosen.set_index(places.size(), i);
      places.push_back(place);
    }
    if (places.empty()) return;
    rows.Slice(chosen, places.size());
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      Vector keys(duckdb::LogicalType::BLOB);
      KeysOf(rows, columns_[c], keys);
      const auto* data = duckdb::FlatVector::GetData<duckdb::string_t>(keys);
      values_[c].resize(std::min(seen_, kSampleSize));
      for (std::size_t i = 0; i < places.size(); ++i)
        values_[c][places[i]] = View(data[i]);
    }
  }

  std::vector<std::string> TakeValues(std::size_t column) {
    return std::move(values_[column]);
  }

 private:
  std::vector<ClusteringColumn> columns_;
  std::mt19937_64 random_;  // Env's asks the system each time.
  std::size_t seen_ = 0;
  std::vector<std::vector<std::string>> values_;
};

ClusteringOrder ClusteringOrder::Learn(duckdb::ClientContext& context,
                                       scan::ScanStream& sample,
                                       const std::vector<idx_t>& sampled,
                                       std::vector<ClusteringColumn> columns,
                                       Curve curve, Env& env) {
  ClusteringOrder order;
  order.columns_ = std::move(columns);
  order.curve_ = curve;
  order.bits_ = CurveBits(order.columns_.size());
  std::vector<ClusteringColumn> places = order.columns_;
  for (ClusteringColumn& place : places) {
    place.column = static_cast<idx_t>(std::ranges::find(sampled, place.column) -
                                      sampled.begin());
  }
  Sample taken(std::move(places), env);
  scan::ScanStream::Reader reader(sample);
  duckdb::DataChunk rows;
  rows.Initialize(context, sample.types());
  for (;;) {
    if (context.IsInterrupted()) throw duckdb::InterruptException();
    reader.Next(rows);
    if (rows.size() == 0) break;
    taken.Add(rows);
  }
  const std::size_t most = (std::size_t{1} << order.bits_) - 1;
  for (std::size_t i = 0; i < order.columns_.size(); ++i)
    order.ranks_.emplace_back(taken.TakeValues(i), most);
  return order;
}

void ClusteringOrder::Number(duckdb::DataChunk& rows, Vector& numbers) const {
  const std::size_t dimensions = columns_.size();
  std::vector<std::uint32_t> points(rows.size() * dimensions);
  const std::uint64_t most = (std::uint64_t{1} << bits_) - 1;
  for (std::size_t c = 0; c < dimensions; ++c) {
    Vector keys(duckdb::LogicalType::BLOB);
    KeysOf(rows, columns_[c], keys);
    const auto* data = duckdb::FlatVector::GetData<duckdb::string_t>(keys);
    const std::uint64_t ranks = std::max<std::size_t>(1, ranks_[c].size());
    for (idx_t i = 0; i < rows.size(); ++i) {
      const std::uint64_t rank = ranks_[c].RankOf(View(data[i]));
      // Few values are spread as far as many.
      points[i * dimensions + c] =
          static_cast<std::uint32_t>(rank * most / ranks);
    }
  }
  auto* out = duckdb::FlatVector::GetData<std::uint64_t>(numbers);
  for (idx_t i = 0; i < rows.size(); ++i) {
    const std::span<const std::uint32_t> point(&points[i * dimensions],
                                               dimensions);
    out[i] = curve_ == Curve::kHilbert ? Hilbert(point, bits_)
                                       : ZOrder(point, bits_);
  }
}

}  // namespace bayou::commands
