#include "shim/glob.h"

#include <gtest/gtest.h>

#include <cstring>

namespace ahead {
namespace {

Span SpanOf(const char* text) { return {text, text + strlen(text)}; }

bool Matches(const char* pattern, const char* text) { return MatchesGlob(SpanOf(pattern), SpanOf(text)); }

TEST(GlobTest, LiteralMatchesOnlyItself) {
  EXPECT_TRUE(Matches("/a/b", "/a/b"));
  EXPECT_FALSE(Matches("/a/b", "/a/bc"));
  EXPECT_FALSE(Matches("/a/b", "/a/"));
  EXPECT_TRUE(Matches("", ""));
}

TEST(GlobTest, StarMatchesAnyRunAlsoSlashes) {
  EXPECT_TRUE(Matches("/data/*", "/data/x/y"));
  EXPECT_TRUE(Matches("*.jpg", "/p/q.jpg"));
  EXPECT_FALSE(Matches("*.jpg", "/p/q.jpeg"));
  EXPECT_TRUE(Matches("*a*b*", "xxaybz"));
  EXPECT_FALSE(Matches("*a*b", "ba"));
  EXPECT_TRUE(Matches("a**", "a"));
}

TEST(GlobTest, QuestionMarkMatchesExactlyOne) {
  EXPECT_TRUE(Matches("a?c", "abc"));
  EXPECT_FALSE(Matches("a?c", "ac"));
}

TEST(GlobTest, SetsMatchRangesAndTheirOpposite) {
  EXPECT_TRUE(Matches("f[0-9a]", "f7"));
  EXPECT_TRUE(Matches("f[0-9a]", "fa"));
  EXPECT_FALSE(Matches("f[!0-9]", "f7"));
  EXPECT_TRUE(Matches("f[]x]", "f]"));
  EXPECT_TRUE(Matches("f[a-]", "f-"));
  EXPECT_TRUE(Matches("f[ab", "f[ab"));
}

TEST(GlobTest, BackslashMakesTheNextCharacterLiteral) {
  EXPECT_TRUE(Matches("a\\*", "a*"));
  EXPECT_FALSE(Matches("a\\*", "ab"));
  EXPECT_TRUE(Matches("a\\", "a\\"));
}

TEST(GlobTest, ManyStarsDoNotTakeForEver) {
  const std::string text(3000, 'a');
  EXPECT_FALSE(Matches("*a*a*a*a*a*a*a*a*a*a*b", text.c_str()));
}

TEST(GlobTest, AnyPatternOfTheListIsEnough) {
  EXPECT_TRUE(MatchesAnyGlob("*.png:*.jpg", SpanOf("/a.jpg")));
  EXPECT_FALSE(MatchesAnyGlob("*.png:*.jpg", SpanOf("/a.gif")));
  EXPECT_FALSE(MatchesAnyGlob("", SpanOf("")));
  EXPECT_FALSE(MatchesAnyGlob("::", SpanOf("x")));
}

}  // namespace
}  // namespace ahead
