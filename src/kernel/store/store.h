// SPDX-License-Identifier: Apache-2.0
//
// What Bayou asks of the place where a table lies. A Store is one table's
// folder; names are decoded paths relative to it, with `/` between segments.
// Data files are read and written by the engine under NativePath(); the log,
// and everything whose atomicity matters, goes through the calls below.
//
// All calls are safe from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bayou/result.h"

namespace bayou::store {

struct ObjectMeta {
  std::string name;  // Relative to the listed folder, without leading slash.
  std::int64_t size = 0;         // Bytes.
  std::int64_t modified_ms = 0;  // Milliseconds since 1970, UTC.
};

class Store {
 public:
  virtual ~Store() = default;

  // The files directly in `folder` whose name is greater than or equal to
  // `from` in byte order, ascending. Sub-folders are not listed.
  // Errors: kNotFound when the folder does not exist; kPermissionDenied.
  virtual Result<std::vector<ObjectMeta>> List(std::string_view folder,
                                               std::string_view from) = 0;

  // Everything below the folder, at any depth, in no particular order, as it is
  // found: names are relative to the table. `enter` is asked before what a
  // folder holds is listed, and false leaves it out; a store without folders
  // takes them from the names, without a time. What is no file and no folder,
  // such as a symbolic link, is left out, and so is what goes away meanwhile. A
  // visit that fails ends the listing. Errors: as List(); kUnsupported from a
  // store that cannot.
  struct TreeVisitor {
    std::function<bool(const ObjectMeta& folder)> enter;
    std::function<Status(const ObjectMeta& file)> file;
    // Asked first, where there is one: true for a file of which the name says
    // enough. `file` does not get it then, and its size and time, for which a
    // store may have to ask once more, are not looked up.
    std::function<bool(std::string_view name)> knows = {};
  };
  virtual Status ListTree(std::string_view folder, const TreeVisitor& visit);

  // The whole content. Errors: kNotFound, kPermissionDenied,
  // kResourceExhausted above 2 GiB.
  virtual Result<std::string> Read(std::string_view name) = 0;

  // `length` bytes from `offset`. Errors: as Read; kCorruption when the object
  // is shorter than that.
  virtual Result<std::string> ReadRange(std::string_view name,
                                        std::int64_t offset,
                                        std::int64_t length) = 0;

  virtual Result<ObjectMeta> Head(std::string_view name) = 0;

  // Creates `name` with `content`, whole or not at all, durable when it
  // returns. Creates missing folders.
  // Errors: kAlreadyExists when the name is taken (nothing was changed);
  // kCommitUnknown when it may or may not have been created.
  virtual Status PutIfAbsent(std::string_view name,
                             std::string_view content) = 0;

  // As PutIfAbsent, but replaces what is there, atomically for readers.
  virtual Status Put(std::string_view name, std::string_view content) = 0;

  // Makes a file that the engine wrote under NativePath(name) durable, and the
  // folders above it.
  virtual Status Sync(std::string_view name) = 0;

  // Gives a file that the engine wrote its final name, durably, and replaces
  // what is there, atomically for readers. Both names are in the same folder.
  // Errors: kNotFound.
  virtual Status Move(std::string_view from, std::string_view to) = 0;

  // Errors: kNotFound.
  virtual Status Delete(std::string_view name) = 0;

  // Removes a folder that holds nothing; false when it holds something, is gone
  // already, or when the store has no folders.
  virtual Result<bool> DeleteEmptyFolder(std::string_view name) {
    (void)name;
    return false;
  }

  // Whether what is read under `name` lies in the folder. Errors:
  // kPermissionDenied, condition DELTA_PATH_OUTSIDE_TABLE, when a symbolic link
  // leads out of it (threat T1); kNotFound, when it is no
  // regular file, which could not be read to an end. That there is nothing at
  // all is no error.
  virtual Status CheckInside(std::string_view name) {
    (void)name;
    return {};  // Stores of objects have no links.
  }

  // What the engine's file system opens to reach `name`.
  virtual std::string NativePath(std::string_view name) const = 0;

  // The folder as a user would name it, for messages.
  virtual const std::string& location() const = 0;
};

// A folder of the local file system. Opening creates and checks nothing.
std::shared_ptr<Store> OpenLocalStore(std::string folder);

}  // namespace bayou::store
