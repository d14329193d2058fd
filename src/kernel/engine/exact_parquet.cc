// SPDX-License-Identifier: Apache-2.0
#include "kernel/engine/exact_parquet.h"

#include <duckdb/catalog/catalog_entry/table_function_catalog_entry.hpp>
#include <duckdb/common/multi_file/multi_file_list.hpp>
#include <duckdb/common/multi_file/multi_file_reader.hpp>
#include <duckdb/main/extension/extension_loader.hpp>

#include "kernel/engine/engine.h"

namespace bayou::engine {
namespace {

constexpr const char* kFunction = "bayou_parquet";

class ExactReader final : public duckdb::MultiFileReader {
 public:
  static duckdb::unique_ptr<duckdb::MultiFileReader> Make(
      const duckdb::TableFunction&) {
    return duckdb::make_uniq<ExactReader>();
  }

  duckdb::shared_ptr<duckdb::MultiFileList> CreateFileList(
      duckdb::ClientContext&, const duckdb::vector<std::string>& paths,
      const duckdb::FileGlobInput&) override {
    duckdb::vector<duckdb::OpenFileInfo> files;
    for (const std::string& path : paths) files.emplace_back(path);
    return duckdb::make_shared_ptr<duckdb::SimpleMultiFileList>(
        std::move(files));
  }
};

}  // namespace

void RegisterExactParquet(duckdb::DatabaseInstance& database) {
  duckdb::ExtensionLoader loader(database, "bayou");
  if (loader.TryGetTableFunction(kFunction)) return;
  duckdb::TableFunctionSet functions =
      loader.GetTableFunction("read_parquet").functions;
  functions.name = kFunction;
  for (duckdb::TableFunction& function : functions.functions) {
    function.name = kFunction;
    function.get_multi_file_reader = ExactReader::Make;
  }
  loader.RegisterFunction(std::move(functions));
}

std::string ParquetRelation(std::span<const std::string> files) {
  std::string sql = std::string(kFunction) + "([";
  for (const std::string& file : files) {
    if (!sql.ends_with('[')) sql += ", ";
    sql += Literal(file);
  }
  // Old writers left out the mark that tells text from bytes.
  return sql + "], hive_partitioning = false, binary_as_string = true)";
}

}  // namespace bayou::engine
