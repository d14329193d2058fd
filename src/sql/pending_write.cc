// SPDX-License-Identifier: Apache-2.0
#include "sql/pending_write.h"

#include <fmt/format.h>

#include <utility>

#include "base/env.h"

namespace bayou::sql {
namespace {

Status OneTableOnly(const std::string& changed, const std::string& other) {
  return Fail(ErrorCode::kUnsupported, "DELTA_MULTI_TABLE_TRANSACTION",
              fmt::format("this transaction has changed table {} and cannot change {} "
                          "too, for a commit belongs to one table; COMMIT first",
                          changed, other));
}

}  // namespace

Status PendingWrite::BeginAppend(std::shared_ptr<const table::Snapshot> snapshot) {
  if (transaction_) {
    if (transaction_->location() == snapshot->location()) return {};
    return OneTableOnly(transaction_->location(), snapshot->location());
  }
  BAYOU_ASSIGN(auto transaction,
               transaction::Transaction::On(std::move(snapshot), Env::System()));
  transaction::Operation operation{
      "WRITE",
      {{"mode", transaction::TextParameter("Append")},
       {"partitionBy",
        transaction::ListParameter(transaction.metadata().partition_columns)}},
      {}};
  Begin(std::move(transaction), std::move(operation));
  return {};
}

Status PendingWrite::BeginCreate(const std::string& location,
                                 const commands::TableDefinition& definition,
                                 bool as_select) {
  if (transaction_) return OneTableOnly(transaction_->location(), location);
  BAYOU_ASSIGN(auto transaction,
               commands::CreateTable(location, definition, Env::System()));
  auto operation = commands::CreateTableOperation(transaction.metadata(), as_select);
  Begin(std::move(transaction), std::move(operation));
  return {};
}

void PendingWrite::Begin(transaction::Transaction transaction,
                         transaction::Operation operation) {
  transaction_.emplace(std::move(transaction));
  operation_ = std::move(operation);
  files_ = rows_ = bytes_ = 0;
}

void PendingWrite::AddFiles(write::WrittenFiles written, bool read_table) {
  files_ += static_cast<std::int64_t>(written.files.size());
  rows_ += written.rows;
  bytes_ += written.bytes;
  operation_.metrics = {
      {"numFiles", files_}, {"numOutputRows", rows_}, {"numOutputBytes", bytes_}};
  transaction_->AddFiles(std::move(written.files));
  if (read_table) transaction_->ReadWholeTable();
}

Status PendingWrite::CheckReadable(const std::string& location) const {
  if (!transaction_ || transaction_->location() != location) return {};
  return Fail(ErrorCode::kUnsupported, "DELTA_UNCOMMITTED_READ",
              fmt::format("table {} has changes of this transaction that a query would "
                          "not see; COMMIT first",
                          location));
}

Status PendingWrite::Commit() {
  if (!transaction_) return {};
  transaction::Transaction transaction = *std::exchange(transaction_, std::nullopt);
  const Result<protocol::Version> version = transaction.Commit(operation_);
  if (!version) {
    transaction.Abandon();
    return tl::unexpected<Error>(version.error());
  }
  return {};
}

void PendingWrite::Rollback() {
  if (!transaction_) return;
  transaction_->Abandon();
  transaction_.reset();
}

}  // namespace bayou::sql
