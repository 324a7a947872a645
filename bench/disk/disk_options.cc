#include "bench/disk/disk_options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <functional>

#include "bench/disk/model_options.h"
#include "bench/disk/quantity_option.h"

namespace ahead::disk {
namespace {

constexpr const char* kAbout =
    "A slow disk that can be repeated: shows the tree SOURCE read-only at MOUNTPOINT (FUSE) and answers every read "
    "when\n"
    "the model's disk would have. Goes to the background when the mount is ready; ends on SIGINT, SIGTERM or unmount.";

constexpr const char* kFooter =
    "SIGUSR1 writes the report, SIGUSR2 sets its counters to zero; --query, --reset and --unmount return when it is "
    "done.\n"
    "--in-flight is the kernel's max_background for this mount: as many reads are at the disk at a time, whoever "
    "asks.\n"
    "What --die-after kills stays mounted and answers ENOTCONN until `umount` (fusermount3 -u for a plain user).\n"
    "Exit status: 0; 1 when it cannot mount or serve; 2 for bad usage.";

// Adds an option that asks something of a disk already mounted, instead of mounting one.
void AddQuestion(CLI::App& app, const std::string& name, std::string& mounted, Action action, Action& chosen,
                 const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [name, &mounted, action, &chosen](const std::string& text) {
           if (chosen != Action::kServe) throw CLI::ExcludesError(name, "--query, --reset or --unmount");
           mounted = text;
           chosen = action;
         },
         help)
      ->type_name("MOUNTPOINT");
}

std::optional<int> ParseInFlight(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > 65535) return std::nullopt;
  return value;
}

std::optional<ByteCount> ParseRequestSize(std::string_view text) {
  const auto value = ParseSize(text);
  return value && *value >= 4_KiB && *value <= 1_MiB && value->value % 4096 == 0 ? value : std::nullopt;
}

std::optional<ByteCount> ParseReadahead(std::string_view text) {
  const auto value = ParseSize(text);
  return value && *value <= 1_GiB && value->value % 4096 == 0 ? value : std::nullopt;
}

}  // namespace

int ParseDiskOptions(int argc, char** argv, DiskOptions& options) {
  CLI::App app(kAbout, "ahead-disk");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("ahead-disk ") + AHEAD_VERSION);

  auto* source = app.add_option("SOURCE", options.source, "The directory to show")->type_name("");
  auto* mountpoint =
      app.add_option("MOUNTPOINT", options.mountpoint, "An existing directory to show it at")->type_name("");
  std::string mounted;
  AddQuestion(app, "--query", mounted, Action::kQuery, options.action,
              "Print the report of the disk mounted there, once no request is in flight, and exit");
  AddQuestion(app, "--reset", mounted, Action::kReset, options.action,
              "Set its counters to zero, once no request is in flight, and exit");
  AddQuestion(app, "--unmount", mounted, Action::kUnmount, options.action,
              "Unmount it, wait until its report is written, and exit");

  ModelOptions model(app);
  auto* metadata =
      AddQuantity(app, "--metadata-latency", options.metadata_latency, ParseTime, "TIME", kTimeAccepted,
                  "Time of lookup, getattr, open, opendir and readdir; 0: none (default: net: as --latency; else 0)");
  AddQuantity(app, "--in-flight", options.in_flight, ParseInFlight, "N", "a whole number from 1 to 65535",
              "Most requests at the disk at a time (default 12, the kernel's own)");
  AddQuantity(app, "--readahead", options.readahead, ParseReadahead, "SIZE", "a multiple of 4KiB up to 1GiB",
              "The kernel's readahead window on this mount; above 128KiB needs root (default 128KiB)");
  AddQuantity(app, "--max-request", options.max_request, ParseRequestSize, "SIZE",
              "a multiple of 4KiB from 4KiB to 1MiB", "Largest single request (default 1MiB)");
  AddQuantity(app, "--keep-cache", options.keep_cache, ParseSwitch, "on|off", "on or off",
              "Do an open's cached pages survive the next open of the file (default off)");
  AddQuantity(app, "--direct-io", options.direct_io, ParseSwitch, "on|off", "on or off",
              "Do reads pass the page cache by (default off)");
  AddQuantity(app, "--fail-at", options.fail_at, ParseFailAt, "OFFSET[+LENGTH]", kFailAtAccepted,
              "Answer EIO to each read that touches these bytes of a file; LENGTH is 4KiB unless given");
  AddQuantity(app, "--die-after", options.die_after, ParseDieAfter, "SIZE|Nreads", kDieAfterAccepted,
              "End without unmounting at the first read after so much was served");
  AddQuantity(app, "--attr-timeout", options.attribute_timeout, ParseTime, "TIME", kTimeAccepted,
              "How long the kernel may reuse names and attributes (default 1s)");
  AddQuantity(app, "--preload", options.preload, ParseSwitch, "on|off", "on or off",
              "Read SOURCE into memory before the mount is ready (default on)");
  app.add_option("--report", options.report, "Write the JSON report there at unmount and on SIGUSR1")
      ->type_name("FILE");
  app.add_option("--log", options.log, "Write a line for each read that arrives: time in ns, offset, length, inode")
      ->type_name("FILE");
  app.add_flag("--foreground", options.foreground, "Stay in the foreground");

  try {
    app.parse(argc, argv);
    if (options.action != Action::kServe) {
      if (source->count() + mountpoint->count() > 0)
        throw CLI::ExcludesError("SOURCE MOUNTPOINT", "--query, --reset and --unmount");
      options.mountpoint = mounted;
    } else if (mountpoint->count() == 0) {
      throw CLI::RequiredError(source->count() == 0 ? "SOURCE" : "MOUNTPOINT");
    }
    options.device = model.Chosen();
  } catch (const CLI::Success& wish) {
    return app.exit(wish);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "ahead-disk: %s (see ahead-disk --help)\n", error.what());
    return 2;
  }
  const auto* net = std::get_if<sim::NetParameters>(&options.device);
  if (metadata->count() == 0) options.metadata_latency = net != nullptr ? net->latency : Nanos{};
  return -1;
}

}  // namespace ahead::disk
