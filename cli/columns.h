// Lines of words as a table: for a terminal, or for a document.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ahead::cli {

enum class ColumnForm { kPlain, kMarkdown };

// The first line is the head. The first `text_columns` columns begin at the left, the others end at the right.
std::string FormatColumns(const std::vector<std::vector<std::string>>& lines, size_t text_columns, ColumnForm form);

}  // namespace ahead::cli
