# Every library that Bayou links, as targets for LINKS in src/modules.cmake.
# Their headers are system headers, so our warnings stay about our code.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(simdjson REQUIRED)
find_package(roaring REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(libedit REQUIRED IMPORTED_TARGET libedit)
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  find_package(benchmark)
endif()
# Header-only, with nothing to link: tl/expected.hpp and rapidjson/.
find_path(EXPECTED_INCLUDE tl/expected.hpp REQUIRED)
find_path(RAPIDJSON_INCLUDE rapidjson/writer.h REQUIRED)

# DuckDB. The headers are those of the library's own release; parquet's are not
# part of its public API, but its C++ symbols are exported with the rest.
set(duckdb ${BAYOU_DEPS}/duckdb)
if(NOT EXISTS ${duckdb}/lib/libduckdb.so OR NOT EXISTS ${duckdb}/include/duckdb.hpp)
  message(FATAL_ERROR "DuckDB is not in ${duckdb}: run ./dev setup")
endif()
add_library(bayou_duckdb SHARED IMPORTED)
set_target_properties(bayou_duckdb PROPERTIES
  IMPORTED_LOCATION ${duckdb}/lib/libduckdb.so
  IMPORTED_SONAME libduckdb.so)
target_include_directories(bayou_duckdb SYSTEM INTERFACE
  ${duckdb}/include ${duckdb}/parquet_include
  ${duckdb}/third_party/parquet ${duckdb}/third_party/thrift)
# What parquet_reader.hpp needs beyond that; apart, because one module includes it.
add_library(bayou_duckdb_parquet INTERFACE)
target_include_directories(bayou_duckdb_parquet SYSTEM INTERFACE
  ${duckdb}/third_party/fastpforlib)

# build/bayou and build/tests/* find the library through the checkout, wherever
# that is moved.
file(RELATIVE_PATH to_duckdb ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/.deps/duckdb/lib)
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN/${to_duckdb}:$ORIGIN/../${to_duckdb}")

# DuckDB's headers take seconds to parse, so they are compiled once, here, and
# every target of a module that uses DuckDB takes the result.
file(WRITE ${PROJECT_BINARY_DIR}/generated/duckdb_pch.cc "")
add_library(bayou_duckdb_pch OBJECT ${PROJECT_BINARY_DIR}/generated/duckdb_pch.cc)
target_compile_features(bayou_duckdb_pch PUBLIC cxx_std_20)
target_link_libraries(bayou_duckdb_pch PRIVATE bayou_duckdb)
target_precompile_headers(bayou_duckdb_pch PRIVATE ${CMAKE_CURRENT_LIST_DIR}/duckdb_pch.h)
