// SPDX-License-Identifier: Apache-2.0
//
// A schema of a database of Delta tables: it holds tables and nothing else.
#pragma once

#include <duckdb.hpp>
#include <duckdb/catalog/catalog_entry/schema_catalog_entry.hpp>
#include <functional>

namespace bayou::sql {

class DeltaCatalog;

class DeltaSchema : public duckdb::SchemaCatalogEntry {
 public:
  DeltaSchema(DeltaCatalog& owner, duckdb::CreateSchemaInfo& info);

  duckdb::optional_ptr<duckdb::CatalogEntry> LookupEntry(
      duckdb::CatalogTransaction transaction,
      const duckdb::EntryLookupInfo& lookup) override;
  duckdb::SimilarCatalogEntry GetSimilarEntry(
      duckdb::CatalogTransaction transaction,
      const duckdb::EntryLookupInfo& lookup) override;
  void Scan(
      duckdb::ClientContext& context, duckdb::CatalogType type,
      const std::function<void(duckdb::CatalogEntry&)>& callback) override;
  void Scan(duckdb::CatalogType,
            const std::function<void(duckdb::CatalogEntry&)>&) override {}

  duckdb::optional_ptr<duckdb::CatalogEntry> CreateTable(
      duckdb::CatalogTransaction transaction,
      duckdb::BoundCreateTableInfo& info) override;
  void DropEntry(duckdb::ClientContext& context,
                 duckdb::DropInfo& info) override;
  void Alter(duckdb::CatalogTransaction transaction,
             duckdb::AlterInfo& info) override;

  using Entry = duckdb::optional_ptr<duckdb::CatalogEntry>;
  using Transaction = duckdb::CatalogTransaction;
  Entry CreateView(Transaction, duckdb::CreateViewInfo&) override {
    Refuse("views", "TEMP VIEW");
  }
  Entry CreateIndex(Transaction, duckdb::CreateIndexInfo&,
                    duckdb::TableCatalogEntry&) override {
    Refuse("indexes", nullptr);
  }
  Entry CreateFunction(Transaction, duckdb::CreateFunctionInfo&) override {
    Refuse("functions", "TEMP MACRO");
  }
  Entry CreateSequence(Transaction, duckdb::CreateSequenceInfo&) override {
    Refuse("sequences", "TEMP SEQUENCE");
  }
  Entry CreateType(Transaction, duckdb::CreateTypeInfo&) override {
    Refuse("types", "TEMP TYPE");
  }
  Entry CreateTableFunction(Transaction,
                            duckdb::CreateTableFunctionInfo&) override {
    Refuse("table functions", nullptr);
  }
  Entry CreateCopyFunction(Transaction,
                           duckdb::CreateCopyFunctionInfo&) override {
    Refuse("copy functions", nullptr);
  }
  Entry CreatePragmaFunction(Transaction,
                             duckdb::CreatePragmaFunctionInfo&) override {
    Refuse("pragma functions", nullptr);
  }
  Entry CreateCollation(Transaction, duckdb::CreateCollationInfo&) override {
    Refuse("collations", nullptr);
  }

 private:
  // `instead`: what CREATE can make in the session; nullptr: nothing.
  [[noreturn]] static void Refuse(const char* what, const char* instead);

  DeltaCatalog& delta() const;
};

}  // namespace bayou::sql
