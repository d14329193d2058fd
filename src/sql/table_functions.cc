// SPDX-License-Identifier: Apache-2.0
#include "sql/table_functions.h"

#include "sql/upkeep_functions.h"

namespace bayou::sql {

void RegisterTableFunctions(duckdb::ExtensionLoader& loader) {
  loader.RegisterFunction(BayouScanFunction());
  loader.RegisterFunction(TableChangesFunction());
  loader.RegisterFunction(HistoryFunction());
  loader.RegisterFunction(DetailFunction());
  loader.RegisterFunction(SchemaFunction());
  loader.RegisterFunction(FilesFunction());
  loader.RegisterFunction(LogFunction());
  loader.RegisterFunction(AlterTableFunction());
  loader.RegisterFunction(CreateTableLikeFunction());
  loader.RegisterFunction(OptimizeFunction());
  loader.RegisterFunction(VacuumFunction());
  loader.RegisterFunction(RestoreFunction());
  loader.RegisterFunction(ConvertFunction());
  loader.RegisterFunction(CloneFunction());
  loader.RegisterFunction(ValidateFunction());
  loader.RegisterFunction(DiffFunction());
  loader.RegisterFunction(GenerateFunction());
  loader.RegisterFunction(AdviseFunction());
  loader.RegisterFunction(CheckpointFunction());
  loader.RegisterFunction(CompactLogFunction());
  loader.RegisterFunction(CleanLogFunction());
}

}  // namespace bayou::sql
