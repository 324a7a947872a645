// One program in every arm: bare, under the plain preload, with statistics and with a trace. They must not differ.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/shim/host.h"

namespace ahead::shim_test {

class ArmsTest : public testing::Test {
 protected:
  // Expects the same output and status of `argv` in all arms; `prepare` is called before each. Returns those of the
  // bare run.
  Outcome ExpectSameInAllArms(
      const Words& argv, const std::function<void()>& prepare = [] {}) {
    prepare();
    const Outcome bare = RunBare(argv);
    EXPECT_LT(bare.status, 126) << bare.err;
    const struct {
      const char* name;
      Words variables;
    } arms[] = {{"preload", {}},
                {"statistics", {"AHEAD_STATS=" + folder_.Path("statistics")}},
                {"trace", {"AHEAD_TRACE=" + folder_.Path("trace")}}};
    for (const auto& arm : arms) {
      SCOPED_TRACE(arm.name);
      prepare();
      const Outcome preloaded = RunPreloaded(argv, arm.variables);
      EXPECT_EQ(bare.out, preloaded.out);
      EXPECT_EQ(bare.err, preloaded.err);
      EXPECT_EQ(bare.status, preloaded.status);
    }
    return bare;
  }

  TemporaryFolder folder_;
};

}  // namespace ahead::shim_test
