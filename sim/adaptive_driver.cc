#include "sim/adaptive_driver.h"

namespace ahead::sim {

AdaptiveDriver::AdaptiveDriver(const Workload& work, const Options& options, const DriverFacts& facts)
    : work_(work),
      options_(options),
      facts_(facts),
      policies_(work.files.size()),
      filters_(work.readers),
      file_of_(work.readers, UINT32_MAX) {
  if (options.memory > 0) facts_.memory = {options.memory};
}

AdaptivePolicy& AdaptiveDriver::PolicyOf(uint32_t file) {
  if (policies_[file] == nullptr) policies_[file] = std::make_unique<AdaptivePolicy>();
  return *policies_[file];
}

Facts AdaptiveDriver::FactsOf(uint32_t file) const {
  Facts facts;
  facts.file_size = work_.files[file].size;
  facts.page = facts_.page;
  facts.piece = facts_.piece;
  facts.kernel_window = facts_.kernel_window;
  facts.kernel_leads = work_.files[file].kernel_leads;
  facts.initial = initial_size_.Get({options_.initial});
  facts.allowance = facts_.memory - facts_.page * outstanding_pages_;
  if (facts.allowance.value < 0) facts.allowance = {};
  return facts;
}

void AdaptiveDriver::After(const WorkStep& read, const Pending& pending, const Completion& completion) {
  Filter& filter = filters_[read.reader];
  if (pending.absorbed) {
    filter.Absorb(completion.range.begin, completion.range.size());
    return;
  }
  AdaptivePolicy& policy = PolicyOf(read.file);
  Counting(policy, [&] { policy.Finish(pending.decision, completion, pending.facts, filter, around_); });
}

void AdaptiveDriver::CloseAll() {
  for (size_t reader = 0; reader < filters_.size(); ++reader) {
    const uint32_t file = file_of_[reader];
    if (file == UINT32_MAX) continue;
    Counting(*policies_[file], [&] { policies_[file]->Detach(filters_[reader], FactsOf(file), around_); });
  }
  for (uint32_t file = 0; file < policies_.size(); ++file) {
    if (policies_[file] == nullptr) continue;
    Counting(*policies_[file], [&] { policies_[file]->Forget(FactsOf(file), around_); });
  }
}

}  // namespace ahead::sim
