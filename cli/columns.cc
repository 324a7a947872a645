#include "cli/columns.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace ahead::cli {

std::string FormatColumns(const std::vector<std::vector<std::string>>& lines, size_t text_columns, ColumnForm form) {
  std::string text;
  if (form == ColumnForm::kMarkdown) {
    for (size_t i = 0; i < lines.size(); ++i) {
      for (const std::string& word : lines[i]) absl::StrAppend(&text, "| ", word, " ");
      text += "|\n";
      if (i > 0) continue;
      for (size_t column = 0; column < lines[0].size(); ++column) text += column < text_columns ? "|---" : "|---:";
      text += "|\n";
    }
    return text;
  }
  std::vector<size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (size_t column = 0; column < line.size(); ++column)
      widths[column] = std::max(widths[column], line[column].size());
  }
  for (const auto& line : lines) {
    std::string out;
    for (size_t column = 0; column < line.size(); ++column) {
      const std::string pad(widths[column] - line[column].size(), ' ');
      if (column > 0) out += "  ";
      out += column < text_columns ? line[column] + pad : pad + line[column];
    }
    out.erase(out.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, out, "\n");
  }
  return text;
}

}  // namespace ahead::cli
