# bayou_module(<folder> "<meaning>" [USES <folder>...] [PUBLIC <header>...] [LINKS <external>...])
#
# Makes one library of every .cc file in src/<folder>. A module can use only
# modules declared before it, so the order of src/modules.cmake is the order of
# the layers and no cycle can be written down. Beside the sources lie
#   *_test.cc   one gtest program for all; it links the whole archive against the
#               declared modules alone: a symbol from anywhere else fails to link
#   *_fuzz.cc   one libFuzzer program each, made by a build with -DBAYOU_SANITIZE=address
#   *_bench.cc  one Google Benchmark program for all, made when asked for by name
# In a module that links DuckDB, or uses one that does, the files that include
# DuckDB, directly or through our headers, share its precompiled header.
function(bayou_module folder meaning)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "USES;PUBLIC;LINKS")
  string(REPLACE "/" "_" name "bayou_${folder}")
  set(dir ${PROJECT_SOURCE_DIR}/src/${folder})
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${dir}/*.cc)
  set(sources ${files})
  list(FILTER sources EXCLUDE REGEX "(_(test|bench|fuzz)|/main)\\.cc$")

  set(kind PUBLIC)
  if(sources)
    add_library(${name} STATIC ${sources})
    bayou_own_code(${name})
  else()
    add_library(${name} INTERFACE)
    set(kind INTERFACE)
  endif()
  target_compile_features(${name} ${kind} cxx_std_20)
  target_include_directories(${name} ${kind} ${PROJECT_SOURCE_DIR}/src
                                             ${PROJECT_SOURCE_DIR}/include
                                             ${PROJECT_BINARY_DIR}/generated)
  set(duckdb FALSE)
  if("bayou_duckdb" IN_LIST arg_LINKS)
    set(duckdb TRUE)
  endif()
  foreach(used IN LISTS arg_USES)
    string(REPLACE "/" "_" used_name "bayou_${used}")
    if(NOT TARGET ${used_name})
      message(FATAL_ERROR "${folder} may not use ${used}: declare ${used} above it in src/modules.cmake")
    endif()
    target_link_libraries(${name} ${kind} ${used_name})
    get_target_property(used_duckdb ${used_name} BAYOU_USES_DUCKDB)
    if(used_duckdb)
      set(duckdb TRUE)
    endif()
  endforeach()
  target_link_libraries(${name} ${kind} ${arg_LINKS})
  set_target_properties(${name} PROPERTIES BAYOU_USES_DUCKDB ${duckdb})
  if(sources AND duckdb)
    bayou_precompiled_headers(${name} ${sources})
  endif()

  set(under_test ${name})
  if(sources)
    set(under_test "$<LINK_LIBRARY:WHOLE_ARCHIVE,${name}>")
  endif()
  set(tests ${files})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  if(tests AND BUILD_TESTING)
    bayou_program_of(${name} ${name}_test tests ${tests})
    target_link_libraries(${name}_test PRIVATE ${under_test} GTest::gmock_main GTest::gtest)
    add_test(NAME ${folder} COMMAND ${name}_test --gtest_brief=1)
    set_property(GLOBAL APPEND PROPERTY BAYOU_TEST_PROGRAMS ${name}_test)
    set(uses "alone")
    if(duckdb)
      set(uses "duckdb")
    endif()
    set_property(GLOBAL APPEND PROPERTY BAYOU_TEST_LINES "${name}_test ${uses}")
  endif()

  set(benches ${files})
  list(FILTER benches INCLUDE REGEX "_bench\\.cc$")
  if(benches AND BUILD_TESTING)
    bayou_program_of(${name} ${name}_bench bench ${benches})
    target_link_libraries(${name}_bench PRIVATE ${name} benchmark::benchmark_main)
    set_target_properties(${name}_bench PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()

  set(fuzzers ${files})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  if(BAYOU_SANITIZE STREQUAL "address")
    foreach(file IN LISTS fuzzers)
      cmake_path(GET file STEM fuzzer)
      bayou_program_of(${name} ${fuzzer} fuzz ${file})
      target_link_libraries(${fuzzer} PRIVATE ${name})
      target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
      set_property(GLOBAL APPEND PROPERTY BAYOU_FUZZERS ${fuzzer})
    endforeach()
  endif()
endfunction()

# bayou_frontend(<folder> "<meaning>" PROGRAM <name> [USES <folder>...] [LINKS <external>...])
#
# A module, and the program that its main.cc makes of it: build/<name>.
function(bayou_frontend folder meaning)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "PROGRAM" "USES;LINKS")
  bayou_module(${folder} "${meaning}" USES ${arg_USES} LINKS ${arg_LINKS})
  string(REPLACE "/" "_" name "bayou_${folder}")
  set(main ${PROJECT_SOURCE_DIR}/src/${folder}/main.cc)
  if(EXISTS ${main})
    bayou_program_of(${name} ${arg_PROGRAM} "" ${main})
    # DuckDB first: most of the symbols that a start looks up are its own.
    target_link_libraries(${arg_PROGRAM} PRIVATE bayou_duckdb ${name})
  endif()
endfunction()

# What every target of our own code has, and no other: our warnings. They are
# errors only with a compiler that the code is known to pass, so that a newer
# one's new warning never stops a user's build.
function(bayou_own_code target)
  if(NOT BAYOU_SANITIZE)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion
      $<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion>)  # As g++ reads -Wconversion in C++.
    if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
       OR (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 20))
      target_compile_options(${target} PRIVATE -Werror)
    endif()
  endif()
endfunction()

# A program that is compiled like module <module>, in folder <place> of the build.
function(bayou_program_of module program place)
  add_executable(${program} ${ARGN})
  bayou_own_code(${program})
  set_target_properties(${program} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${place})
  get_target_property(duckdb ${module} BAYOU_USES_DUCKDB)
  if(duckdb)
    bayou_precompiled_headers(${program} ${ARGN})
  endif()
endfunction()

# DuckDB's precompiled header for those of <sources> that include DuckDB. For the
# others reading it would cost more than all the rest of their compilation.
function(bayou_precompiled_headers target)
  target_precompile_headers(${target} REUSE_FROM bayou_duckdb_pch)
  foreach(source IN LISTS ARGN)
    bayou_includes_duckdb(${source} found)
    if(NOT found)
      set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()

# Whether <file> includes DuckDB. Looked up when CMake runs; an answer that a
# later edit makes wrong costs seconds, and nothing else.
function(bayou_includes_duckdb file result)
  get_property(known GLOBAL PROPERTY "BAYOU_INCLUDES_DUCKDB:${file}")
  if(NOT "${known}" STREQUAL "")
    set(${result} ${known} PARENT_SCOPE)
    return()
  endif()
  set(found FALSE)
  set_property(GLOBAL PROPERTY "BAYOU_INCLUDES_DUCKDB:${file}" FALSE)
  file(STRINGS ${file} lines REGEX "^#include [<\"]")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include [<\"]([^>\"]+).*" "\\1" included ${line})
    if(included MATCHES "\\.hpp$" AND NOT included MATCHES "^(tl|CLI)/")
      set(found TRUE)
    elseif(EXISTS ${PROJECT_SOURCE_DIR}/src/${included})
      bayou_includes_duckdb(${PROJECT_SOURCE_DIR}/src/${included} found)
    endif()
    if(found)
      break()
    endif()
  endforeach()
  set_property(GLOBAL PROPERTY "BAYOU_INCLUDES_DUCKDB:${file}" ${found})
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# Gives `all_tests` and `all_fuzzers` to build, and lists them for
# tools/run_tests.py; to be called after the last module.
function(bayou_finish)
  get_property(tests GLOBAL PROPERTY BAYOU_TEST_PROGRAMS)
  get_property(test_lines GLOBAL PROPERTY BAYOU_TEST_LINES)
  get_property(fuzzers GLOBAL PROPERTY BAYOU_FUZZERS)
  add_custom_target(all_tests DEPENDS ${tests})
  add_custom_target(all_fuzzers DEPENDS ${fuzzers})
  bayou_write_lines(tests/targets.txt ${test_lines})
  bayou_write_lines(fuzz/targets.txt ${fuzzers})
endfunction()

function(bayou_write_lines file)
  list(TRANSFORM ARGN APPEND "\n")
  string(JOIN "" text ${ARGN})
  file(WRITE ${PROJECT_BINARY_DIR}/${file} "${text}")
endfunction()
