#include "bench/disk/model_report.h"

#include "bench/disk/model_options.h"

namespace ahead::disk {
namespace {

using nlohmann::ordered_json;

ordered_json Describe(const sim::NetParameters& net) {
  return {{"latency_ns", net.latency.value}, {"bandwidth_bytes_per_s", net.bandwidth_per_second}};
}

ordered_json Describe(const sim::HddParameters& hdd) {
  return {{"settle_ns", hdd.settle.value},        {"full_stroke_ns", hdd.full_stroke.value},
          {"capacity_bytes", hdd.capacity.value}, {"transfer_bytes_per_s", hdd.transfer_per_second},
          {"rotation", hdd.has_rotation},         {"revolution_ns", hdd.revolution.value}};
}

ordered_json Describe(const sim::SsdParameters& ssd) {
  return {{"latency_ns", ssd.latency.value},
          {"bandwidth_bytes_per_s", ssd.bandwidth_per_second},
          {"channels", ssd.channels},
          {"stripe_bytes", ssd.stripe.value}};
}

}  // namespace

ordered_json DescribeModel(const sim::DeviceParameters& parameters) {
  ordered_json description = {{"name", NameOf(parameters)}};
  description.update(std::visit([](const auto& chosen) { return Describe(chosen); }, parameters));
  return description;
}

}  // namespace ahead::disk
