// Texts of event tables, damaged in any way. What must hold: what is read can be printed in every form, and what is
// printed is read back as the same counts.
#include <cstring>

#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "stats/export.h"
#include "stats/table.h"
#include "stats/table_reader.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace ahead;
  const absl::StatusOr<Snapshot> tables = ParseTables({reinterpret_cast<const char*>(bytes), size});
  if (!tables.ok()) {
    fuzz::Require(!tables.status().message().empty(), "a refusal says why");
    return 0;
  }
  for (const TableStyle style : {TableStyle::kAhead, TableStyle::kV14}) {
    FormatTables(*tables, style);
    FormatCsv(*tables, style);
    ToJson(*tables, style).dump();
  }
  FormatOpenMetrics(*tables);
  FormatProcesses(*tables);
  const absl::StatusOr<Snapshot> again = ParseTables(FormatTables(*tables));
  fuzz::Require(again.ok(), "what was printed can be read");
  fuzz::Require(std::memcmp(again->total.ledger.cells, tables->total.ledger.cells, sizeof(Ledger::cells)) == 0,
                "what was printed is read back as the same counts");
  return 0;
}
