#include "workshop/words/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/error.hpp"
#include "text/page.hpp"
#include "workshop/words/text_file.hpp"

namespace workshop {
namespace {

constexpr std::string_view FENCE = "```";

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

// Calls visit(line, in_block) for each line. A fence counts as a line of its block.
template <typename Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  bool in_block = false;
  for (const std::string_view line : text::lines_of(text)) {
    const bool fence = line.starts_with(FENCE);
    visit(line, in_block || fence);
    if (fence) in_block = !in_block;
  }
}

std::string without_empty_lines_around(const std::string& text) {
  size_t begin = 0;
  for (size_t end = text.find('\n'); end != text.npos; end = text.find('\n', begin)) {
    if (!is_blank(std::string_view(text).substr(begin, end - begin))) break;
    begin = end + 1;
  }
  const size_t last = text.find_last_not_of(" \t\r\n");
  return last == text.npos ? "" : text.substr(begin, last + 1 - begin) + "\n";
}

std::vector<Block> blocks_of(std::string_view text) {
  std::vector<Block> blocks;
  bool in_block = false;
  for (const std::string_view line : text::lines_of(text)) {
    if (line.starts_with(FENCE)) {
      if (!in_block) blocks.push_back({.language = std::string(line.substr(FENCE.size()))});
      in_block = !in_block;
    } else if (in_block) {
      blocks.back().text += std::string(line) + "\n";
    }
  }
  return blocks;
}

void finish(Section& section) {
  section.text = without_empty_lines_around(section.text);
  section.blocks = blocks_of(section.text);
}

// The names of the fields in the workshop's texts.
constexpr std::string_view FIELDS[] = {
    "Also promised: ", "Also tried: ", "Fails by: ", "Hole: ", "Known by: "};

bool is_field(std::string_view line) {
  return std::ranges::any_of(FIELDS, [&](std::string_view name) { return line.starts_with(name); });
}

}  // namespace

std::vector<std::string> Section::fields(std::string_view name) const {
  std::vector<std::string> found;
  bool goes_on = false;
  for_each_line(text, [&](std::string_view written, bool in_block) {
    const bool begins =
        !in_block && written.starts_with(name) && written.substr(name.size()).starts_with(": ");
    goes_on = begins || (goes_on && !in_block && written.starts_with("  "));
    if (begins) {
      found.emplace_back(written.substr(name.size() + 2));
    } else if (goes_on) {
      found.back() += written.substr(1);
    }
  });
  return found;
}

std::string Section::field(std::string_view name) const {
  const std::vector<std::string> found = fields(name);
  return found.empty() ? "" : found.front();
}

std::string Section::prose() const {
  std::string prose;
  bool of_a_field = false;
  for_each_line(text, [&](std::string_view written, bool in_block) {
    of_a_field = !in_block && (is_field(written) || (of_a_field && written.starts_with("  ")));
    if (!in_block && !of_a_field) prose += std::string(written) + "\n";
  });
  return without_empty_lines_around(prose);
}

const Section* Document::find(std::string_view title) const {
  for (const Section& section : sections) {
    if (section.title == title) return &section;
  }
  return nullptr;
}

Document parse_markdown(std::string_view text, const std::string& file) {
  Document document{.file = file};
  Section* section = &document.head;
  int number = 0;
  for_each_line(text, [&](std::string_view line, bool in_block) {
    ++number;
    if (!in_block && line.starts_with("## ")) {
      finish(*section);
      document.sections.push_back({.title = std::string(line.substr(3)), .line = number});
      section = &document.sections.back();
    } else if (!in_block && line.starts_with("# ") && document.head.title.empty()) {
      document.head.title = line.substr(2);
      document.head.line = number;
    } else {
      section->text += std::string(line) + "\n";
    }
  });
  finish(*section);
  return document;
}

Document read_markdown(const std::string& path) { return parse_markdown(read_text(path), path); }

}  // namespace workshop
