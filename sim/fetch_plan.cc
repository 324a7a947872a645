#include "sim/fetch_plan.h"

#include <algorithm>
#include <unordered_map>

namespace ahead::sim {
namespace {

constexpr uint32_t kUnplanned = UINT32_MAX;

struct Need {
  int64_t at = 0;  // how many bytes are read for the first time before this page
  uint32_t piece = kUnplanned;
};

using Pages = std::unordered_map<int64_t, Need>;

struct PageSpan {
  int64_t begin = 0;
  int64_t end = 0;
};

PageSpan SpanOf(ByteRange range, ByteCount page) {
  if (range.empty()) return {};
  return {range.begin.value / page.value, (range.end.value + page.value - 1) / page.value};
}

// Puts `page` into `piece` if it is in none yet and wanted within `horizon` of `at`. Returns whether it did.
bool Take(Pages& pages, int64_t page, uint32_t piece, int64_t at, ByteCount horizon) {
  const auto found = pages.find(page);
  if (found == pages.end() || found->second.piece != kUnplanned || found->second.at > at + horizon.value) return false;
  found->second.piece = piece;
  return true;
}

// Returns the pages of `piece`, which begins with the unplanned page `first`.
PageSpan Grow(Pages& pages, int64_t first, uint32_t piece, const FetchLimits& limits) {
  const int64_t most = std::max<int64_t>(1, limits.piece / limits.page);
  const int64_t at = pages[first].at;
  Take(pages, first, piece, at, limits.horizon);
  PageSpan span{first, first + 1};
  while (span.end - span.begin < most && Take(pages, span.end, piece, at, limits.horizon)) ++span.end;
  while (span.end - span.begin < most && Take(pages, span.begin - 1, piece, at, limits.horizon)) --span.begin;
  return span;
}

std::vector<Pages> CollectNeeds(const Workload& work, const FetchLimits& limits) {
  std::vector<Pages> needs(work.files.size());
  int64_t at = 0;
  for (const WorkStep& read : work.steps) {
    const PageSpan span = SpanOf(Clipped(work, read), limits.page);
    for (int64_t page = span.begin; page < span.end; ++page)
      if (needs[read.file].try_emplace(page, Need{at, kUnplanned}).second) at += limits.page.value;
  }
  return needs;
}

}  // namespace

FetchPlan PlanFetches(const Workload& work, const FetchLimits& limits) {
  std::vector<Pages> needs = CollectNeeds(work, limits);
  FetchPlan plan;
  plan.first_need.reserve(work.steps.size() + 1);
  for (uint32_t index = 0; index < work.steps.size(); ++index) {
    const WorkStep& read = work.steps[index];
    Pages& pages = needs[read.file];
    plan.first_need.push_back(plan.needs.size());
    const PageSpan span = SpanOf(Clipped(work, read), limits.page);
    for (int64_t page = span.begin; page < span.end; ++page) {
      if (pages[page].piece == kUnplanned) {
        const PageSpan grown = Grow(pages, page, static_cast<uint32_t>(plan.pieces.size()), limits);
        const int64_t size = work.files[read.file].size.value;
        const ByteRange range{{grown.begin * limits.page.value}, {std::min(size, grown.end * limits.page.value)}};
        plan.pieces.push_back({read.file, range, index});
        plan.bytes += range.size();
      }
      const uint32_t piece = pages[page].piece;
      if (plan.needs.size() == plan.first_need.back() || plan.needs.back() != piece) plan.needs.push_back(piece);
    }
  }
  plan.first_need.push_back(plan.needs.size());
  return plan;
}

}  // namespace ahead::sim
