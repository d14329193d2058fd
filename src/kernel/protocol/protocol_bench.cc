// SPDX-License-Identifier: Apache-2.0
//
// The paths that a query on a million files takes a million times.
#include <benchmark/benchmark.h>

#include "kernel/protocol/actions.h"
#include "kernel/protocol/deletion_vector.h"
#include "kernel/protocol/file_statistics.h"

namespace bayou::protocol {
namespace {

// About 250 bytes, as delta-spark writes them for five columns.
constexpr std::string_view kStatistics =
    R"({"numRecords":100000,"minValues":{"id":123456789,"name":"aaaaaaaaaaaaaaaa","price":0.01,)"
    R"("day":"2024-01-01","at":"2024-01-01T00:00:00.000Z"},"maxValues":{"id":123556788,)"
    R"("name":"zzzzzzzzzzzzzzzz","price":999.99,"day":"2024-12-31","at":"2024-12-31T23:59:59.999Z"},)"
    R"("nullCount":{"id":0,"name":0,"price":0,"day":0,"at":0}})";

std::string Adds(std::size_t count) {
  std::string text;
  AddFile add;
  add.stats = kStatistics;
  add.modification_time = 1'700'000'000'000;
  for (std::size_t i = 0; i < count; ++i) {
    add.path = "day=2024-01-01/part-00000-0a1b2c3d-" +
               std::to_string(100'000 + i) + "-c000.snappy.parquet";
    add.partition_values = {{"day", "2024-01-01"}};
    add.size = static_cast<std::int64_t>(i);
    text += ActionToJson(add) + "\n";
  }
  return text;
}

void ParseAdds(benchmark::State& state) {
  const std::string text = Adds(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(ParseActions(text, "x"));
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(text.size()));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(ParseAdds)->Arg(1)->Arg(1000)->Arg(100'000);

void ReadOneColumn(benchmark::State& state) {
  const std::vector<ColumnPath> paths = {{"id"}};
  for (auto _ : state)
    benchmark::DoNotOptimize(ReadStatistics(kStatistics, paths));
}
BENCHMARK(ReadOneColumn)->Threads(1)->Threads(2);

void ReadThreeColumns(benchmark::State& state) {
  const std::vector<ColumnPath> paths = {{"name"}, {"day"}, {"at"}};
  for (auto _ : state)
    benchmark::DoNotOptimize(ReadStatistics(kStatistics, paths));
}
BENCHMARK(ReadThreeColumns);

// One vector of 2,048 rows; one row in `range(0)` is deleted, 0 for none there.
void KeepRows(benchmark::State& state) {
  DeletionVector vector;
  const auto step = static_cast<std::uint64_t>(state.range(0));
  for (std::uint64_t row = 0; step != 0 && row < 10'000'000; row += step)
    vector.Add(row);
  vector.Add(50'000'000);
  std::vector<std::uint32_t> kept(2048);
  std::uint64_t first = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(vector.Keep(first, kept.size(), kept.data()));
    first = (first + kept.size()) % 10'000'000;
  }
}
BENCHMARK(KeepRows)->Arg(0)->Arg(10'000)->Arg(100)->Arg(2)->Arg(1);

void DecodeVector(benchmark::State& state) {
  DeletionVector vector;
  for (std::uint64_t row = 0; row < 10'000'000; row += 7) vector.Add(row);
  const std::string bytes = vector.Encode();
  for (auto _ : state) benchmark::DoNotOptimize(DeletionVector::Decode(bytes));
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(DecodeVector);

}  // namespace
}  // namespace bayou::protocol
