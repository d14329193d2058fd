// SPDX-License-Identifier: Apache-2.0
//
// Another world for one thread: while the scope lasts, Env::System() is `env`
// there. A simulation runs with it what reaches the clock through the SQL
// engine, where no Env can be handed over.
#pragma once

#include "base/env.h"

namespace bayou {

class EnvScope {
 public:
  explicit EnvScope(Env& env);
  EnvScope(const EnvScope&) = delete;
  EnvScope& operator=(const EnvScope&) = delete;
  ~EnvScope();

 private:
  Env* before_;
};

}  // namespace bayou
