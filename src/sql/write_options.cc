// SPDX-License-Identifier: Apache-2.0
#include "sql/write_options.h"

#include <charconv>
#include <utility>

#include "kernel/engine/engine.h"
#include "sql/settings.h"
#include "sql/token_reader.h"

namespace bayou::sql {
namespace {

tl::unexpected<Error> Invalid(const std::string& what) {
  return Fail(ErrorCode::kInvalidArgument,
              "DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS",
              what +
                  "; an application is a text, and its version a number from 0 "
                  "on: SET TRANSACTION 'application', 7, or both of the "
                  "settings bayou_txn_app_id and bayou_txn_version");
}

class Parser : private TokenCursor {
 public:
  Parser(std::span<const Token> tokens, std::size_t i)
      : TokenCursor(tokens, i) {}

  Result<WriteOptions> Run() {
    if (IsKind(TokenKind::kString)) {
      BAYOU_TRY(ApplicationAndVersion());
    } else {
      BAYOU_TRY(Option());
    }
    while (TakeSymbol(',')) BAYOU_TRY(Option());
    if (!AtEnd()) return Unexpected();
    return std::move(options_);
  }

 private:
  tl::unexpected<Error> Unexpected() const {
    return Invalid("SET TRANSACTION: " +
                   (AtEnd()
                        ? "something is missing at its end"
                        : "not expected: " + std::string(tokens_[i_].text)));
  }

  Status Text(std::optional<std::string>& text) {
    if (!IsKind(TokenKind::kString)) return Unexpected();
    text = tokens_[i_++].Value();
    return {};
  }

  Status Version() {
    if (!IsKind(TokenKind::kNumber)) return Unexpected();
    const std::string_view digits = tokens_[i_].text;
    std::int64_t version = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), version);
    if (error != std::errc() || end != digits.data() + digits.size())
      return Unexpected();
    options_.app_version = version;
    ++i_;
    return {};
  }

  Status ApplicationAndVersion() {
    BAYOU_TRY(Text(options_.app_id));
    if (!TakeSymbol(',')) return Unexpected();
    return Version();
  }

  Status Option() {
    const auto takes = [this](std::string_view name) {
      if (!Is(name) || !IsSymbol('=', 1)) return false;
      i_ += 2;
      return true;
    };
    if (takes("txnAppId")) return Text(options_.app_id);
    if (takes("txnVersion")) return Version();
    if (takes("userMetadata")) return Text(options_.user_metadata);
    return Unexpected();
  }

  WriteOptions options_;
};

std::optional<duckdb::Value> Setting(duckdb::ClientContext& context,
                                     const char* name) {
  duckdb::Value value;
  if (!context.TryGetCurrentSetting(name, value) || value.IsNull())
    return std::nullopt;
  return value;
}

}  // namespace

Result<WriteOptions> ParseSetTransaction(std::span<const Token> tokens,
                                         std::size_t i) {
  return Parser(tokens, i).Run();
}

NextWrite& NextWrite::Of(duckdb::ClientContext& context) {
  return *context.registered_state->GetOrCreate<NextWrite>("bayou_next_write");
}

void NextWrite::Set(WriteOptions options) {
  if (options.app_id) options_.app_id = std::move(options.app_id);
  if (options.app_version) options_.app_version = options.app_version;
  if (options.user_metadata)
    options_.user_metadata = std::move(options.user_metadata);
}

void NextWrite::EndTransaction(bool had_begin, bool ran) {
  if (had_begin || is_committed_ || (is_planned_as_done_ && ran)) options_ = {};
}

Result<std::optional<AppVersion>> AppVersionOf(duckdb::ClientContext& context) {
  const WriteOptions& next = NextWrite::Of(context).options();
  std::optional<std::string> app_id = next.app_id;
  std::optional<std::int64_t> version = next.app_version;
  if (!app_id && !version) {
    if (const auto value = Setting(context, kTxnAppId))
      app_id = value->ToString();
    if (const auto value = Setting(context, kTxnVersion))
      version = value->GetValue<std::int64_t>();
  }
  if (!app_id && !version) return std::nullopt;
  if (!app_id || app_id->empty())
    return Invalid("a write has a version and no application");
  if (!version) return Invalid("a write of " + *app_id + " has no version");
  if (*version < 0) {
    return Invalid("a write of " + *app_id + " has the version " +
                   std::to_string(*version));
  }
  return AppVersion{*std::move(app_id), *version};
}

bool IsWritten(duckdb::ClientContext& context, const table::Snapshot* table) {
  const std::optional<AppVersion> app = engine::Unwrap(AppVersionOf(context));
  if (!app || table == nullptr) return false;
  const auto& known = table->state().transactions();
  const auto found = known.find(app->app_id);
  if (found == known.end() || found->second.version < app->version)
    return false;
  NextWrite::Of(context).PlannedAsDone();
  return true;
}

std::optional<std::string> UserMetadataOf(duckdb::ClientContext& context) {
  if (const auto& next = NextWrite::Of(context).options().user_metadata)
    return next;
  if (const auto value = Setting(context, kUserMetadata))
    return value->ToString();
  return std::nullopt;
}

}  // namespace bayou::sql
