// SPDX-License-Identifier: Apache-2.0
#include "kernel/store/location.h"

#include <map>
#include <mutex>
#include <utility>

#include "base/uri_path.h"

namespace bayou::store {
namespace {

struct Schemes {
  std::mutex mutex;
  std::map<std::string, StoreOpener, std::less<>> openers;

  StoreOpener Find(std::string_view location) {
    const std::size_t end = location.find("://");
    if (end == std::string_view::npos) return nullptr;
    const std::lock_guard lock(mutex);
    const auto found = openers.find(location.substr(0, end));
    return found == openers.end() ? nullptr : found->second;
  }
};

Schemes& Registered() {
  static Schemes schemes;
  return schemes;
}

}  // namespace

void RegisterScheme(const std::string& scheme, StoreOpener opener) {
  Schemes& schemes = Registered();
  const std::lock_guard lock(schemes.mutex);
  schemes.openers[scheme] = std::move(opener);
}

bool HasRegisteredScheme(std::string_view location) {
  return Registered().Find(location) != nullptr;
}

std::shared_ptr<Store> OpenStore(const std::string& location) {
  if (const StoreOpener open = Registered().Find(location))
    return open(location);
  return OpenLocalStore(location);
}

Result<std::string> ParseLocation(std::string_view text) {
  if (!HasRegisteredScheme(text)) return LocationFromUser(text);
  while (text.ends_with('/')) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace bayou::store
