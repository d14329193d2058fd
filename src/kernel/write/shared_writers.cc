// SPDX-License-Identifier: Apache-2.0
#include "kernel/write/shared_writers.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kernel/engine/engine.h"

namespace bayou::write {
namespace {

using duckdb::ColumnDataCollection;
using duckdb::DataChunk;
using duckdb::idx_t;
using duckdb::SelectionVector;

// What a thread collects: a row group, as data_file_writer.cc makes them.
constexpr idx_t kRows = 122'880;
constexpr idx_t kBytes = idx_t{64} << 20;
// How much larger rows are in memory than in a file, about.
constexpr std::int64_t kShrinks = 4;

bool Same(const std::vector<duckdb::Value>& a,
          const std::vector<duckdb::Value>& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    return duckdb::Value::NotDistinctFrom(x, y);
  });
}

}  // namespace

// Gives the lane back, whatever happens.
class SharedWriters::Turn {
 public:
  Turn(SharedWriters& writers, const Key& key)
      : writers_(writers), lane_(writers.Take(key)) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { writers_.GiveBack(lane_, bytes); }

  TableWriter& writer() { return *lane_.writer; }

  std::int64_t bytes = 0;  // That were written.

 private:
  SharedWriters& writers_;
  Lane& lane_;
};

SharedWriters::SharedWriters(duckdb::ClientContext& context,
                             std::shared_ptr<store::Store> store,
                             std::shared_ptr<const ParquetFormat> format,
                             std::size_t most, Env& env)
    : context_(context),
      store_(std::move(store)),
      format_(std::move(format)),
      most_(std::max<std::size_t>(most, 1)),
      env_(env) {}

Status SharedWriters::Input::Append(DataChunk& rows) {
  for (idx_t first = 0; first < rows.size();) {
    Key key = writers_.KeyOf(rows, first);
    const idx_t end = writers_.EndOf(key, rows, first);
    if (rows_ && !Same(key_, key)) BAYOU_TRY(Finish());
    key_ = std::move(key);
    BAYOU_TRY(engine::Guard([&] {
      if (end - first == rows.size()) return Collect(rows);
      SelectionVector selected(end - first);
      for (idx_t i = first; i < end; ++i) selected.set_index(i - first, i);
      DataChunk part;
      part.InitializeEmpty(rows.GetTypes());
      part.Reference(rows);
      part.Slice(selected, end - first);
      Collect(part);
    }));
    if (rows_->Count() >= kRows || rows_->SizeInBytes() >= kBytes)
      BAYOU_TRY(Finish());
    first = end;
  }
  return {};
}

void SharedWriters::Input::Collect(DataChunk& rows) {
  if (!rows_) {
    rows_ = duckdb::make_uniq<ColumnDataCollection>(writers_.context_,
                                                    rows.GetTypes());
    append_ = {};
    rows_->InitializeAppend(append_);
  }
  rows_->Append(append_, rows);
}

Status SharedWriters::Input::Finish() {
  if (!rows_) return {};
  append_.current_chunk_state.handles.clear();
  const auto rows = std::move(rows_);
  return writers_.Write(key_, *rows, checks_);
}

Status SharedWriters::Write(const Key& key, ColumnDataCollection& rows,
                            bool checks) {
  return engine::Guard([&] {
    duckdb::ColumnDataScanState scan;
    rows.InitializeScan(scan);
    DataChunk chunk;
    rows.InitializeScanChunk(chunk);
    Turn turn(*this, key);
    while (rows.Scan(scan, chunk)) {
      engine::Unwrap(checks ? turn.writer().Append(chunk)
                            : turn.writer().AppendUnchecked(chunk));
    }
    turn.bytes = static_cast<std::int64_t>(rows.SizeInBytes());
  });
}

SharedWriters::Lane& SharedWriters::Take(const Key& key) {
  std::unique_lock lock(mutex_);
  Lane* lane = nullptr;
  given_back_.wait(lock, [&] { return (lane = FindFree(key)) != nullptr; });
  lane->is_taken = true;
  lane->key = key;
  lane->last_turn = ++turns_;
  return *lane;
}

SharedWriters::Lane* SharedWriters::FindFree(const Key& key) {
  Lane* oldest = nullptr;
  std::int64_t of_partition = 0;
  for (const auto& lane : lanes_) {
    const bool is_ours = Same(lane->key, key);
    if (is_ours && !lane->is_taken) return lane.get();
    of_partition += is_ours;
    if (!lane->is_taken &&
        (oldest == nullptr || lane->last_turn < oldest->last_turn)) {
      oldest = lane.get();
    }
  }
  const std::int64_t filled =
      bytes_ / kShrinks /
      std::max<std::int64_t>(format_->layout().target_file_size, 1);
  if (of_partition > filled) return nullptr;
  if (lanes_.size() >= most_) return oldest;
  auto lane = std::make_unique<Lane>();
  lane->writer = std::make_unique<TableWriter>(context_, store_, format_, env_);
  return lanes_.emplace_back(std::move(lane)).get();
}

void SharedWriters::GiveBack(Lane& lane, std::int64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    lane.is_taken = false;
    bytes_ += bytes;
  }
  given_back_.notify_all();
}

SharedWriters::Key SharedWriters::KeyOf(const DataChunk& rows,
                                        idx_t row) const {
  Key key;
  for (const std::size_t column : format_->layout().partition_columns)
    key.push_back(rows.GetValue(column, row));
  return key;
}

idx_t SharedWriters::EndOf(const Key& key, const DataChunk& rows,
                           idx_t first) const {
  if (key.empty() || Same(KeyOf(rows, rows.size() - 1), key))
    return rows.size();
  idx_t ours = first;  // Of the partition, and not.
  idx_t others = rows.size() - 1;
  while (others - ours > 1) {
    const idx_t middle = ours + (others - ours) / 2;
    (Same(KeyOf(rows, middle), key) ? ours : others) = middle;
  }
  return others;
}

Result<WrittenFiles> SharedWriters::Finish() {
  WrittenFiles all;
  for (const auto& lane : lanes_) {
    auto written = lane->writer->Finish();
    if (!written) {
      DeleteFiles(*store_, all.files);
      return tl::unexpected<Error>(written.error());
    }
    std::ranges::move(written->files, std::back_inserter(all.files));
    all.rows += written->rows;
    all.bytes += written->bytes;
  }
  return all;
}

}  // namespace bayou::write
