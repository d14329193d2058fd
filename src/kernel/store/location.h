// SPDX-License-Identifier: Apache-2.0
//
// From the place of a table to its store. A location is an absolute path of the
// local file system, or `<scheme>://<authority>[/<path>]` where the scheme has
// been registered.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "bayou/result.h"
#include "kernel/store/store.h"

namespace bayou::store {

// Opens the store at a location of its scheme; creates and checks nothing.
using StoreOpener =
    std::function<std::shared_ptr<Store>(const std::string& location)>;

// From now on locations of `scheme` are opened by `opener`, in the whole
// process and from any thread. Registered again, the last opener counts.
void RegisterScheme(const std::string& scheme, StoreOpener opener);

// Whether the location, or the path of a file below one, is of a registered
// scheme.
bool HasRegisteredScheme(std::string_view location);

// The store at a location. An unknown scheme is taken for a relative path of
// the local file system, where nothing is found.
std::shared_ptr<Store> OpenStore(const std::string& location);

// What a user typed as the place of a table. Errors: see LocationFromUser.
Result<std::string> ParseLocation(std::string_view text);

}  // namespace bayou::store
