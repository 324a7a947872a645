#include "shim/next_symbol.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "shim/raw.h"
#include "shim/real.h"

namespace ahead {
namespace {

constexpr const char* kHooked[] = {
#define AHEAD_HOOK(name, result, parameters) #name,
#include "shim/hooks.def"
#undef AHEAD_HOOK
};

TEST(NextSymbolTest, FindsForEachHookWhatTheLoaderFinds) {
  FindLaterLibraries();
  for (const char* name : kHooked) {
    void* expected = dlsym(RTLD_NEXT, name);
    ASSERT_NE(expected, nullptr) << name;
    EXPECT_EQ(FindInLaterLibraries(name), expected) << name;
  }
}

TEST(NextSymbolTest, LeavesIndirectFunctionsToTheLoader) { EXPECT_EQ(FindInLaterLibraries("memcpy"), nullptr); }

TEST(NextSymbolTest, DoesNotFindWhatIsNotThere) {
  EXPECT_EQ(FindInLaterLibraries("no_such_function_in_any_library"), nullptr);
}

// Those that no allocator calls, and that are more than one system call.
TEST(RawTest, OnlyFunctionsOfStdioAndFoldersHaveNoStandIn) {
  const std::string without =
      " fopen fopen64 fdopen freopen freopen64 fclose fread fread_unlocked __fread_chk __fread_unlocked_chk fgets "
      "fgets_unlocked __fgets_chk __fgets_unlocked_chk getline getdelim __getdelim __uflow __underflow fseek fseeko "
      "fseeko64 rewind fsetpos fsetpos64 tmpfile tmpfile64 pclose opendir fdopendir closedir readdir readdir64 "
      "readdir_r "
      "readdir64_r mkstemp mkstemp64 mkostemp mkostemp64 mkstemps mkstemps64 mkostemps mkostemps64 closefrom "
      "fork __fork _Fork forkpty execve execv execvp execvpe fexecve execveat execl execlp execle posix_spawn "
      "posix_spawnp posix_spawn_file_actions_adddup2 system popen wordexp sendmsg sendmmsg pthread_create ";
  for (size_t i = 0; i < std::size(kHooked); ++i) {
    const bool is_without = without.find(std::string(" ") + kHooked[i] + " ") != std::string::npos;
    EXPECT_EQ(raw::Find(static_cast<real::Function>(i)) == nullptr, is_without) << kHooked[i];
  }
}

}  // namespace
}  // namespace ahead
