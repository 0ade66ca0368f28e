#include "workshop/words/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace workshop {
namespace {

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

// Returns the column of the text in an entry of a list, which begins with "- ", "* " or "1. "; -1 for any other line.
int entry_indent(std::string_view line) {
  const size_t text = line.find_first_not_of(' ');
  if (text == line.npos) return -1;
  const std::string_view rest = line.substr(text);
  if (rest.starts_with("- ") || rest.starts_with("* ")) return static_cast<int>(text) + 2;
  size_t digits = 0;
  while (digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9') ++digits;
  if (digits > 0 && rest.substr(digits).starts_with(". ")) {
    return static_cast<int>(text + digits) + 2;
  }
  return -1;
}

// Returns a link as a screen shows it: its text, and the address if a reader can use it. A link to the playground
// becomes the command that opens it. A path becomes relative to the project's folder.
std::string link_on_screen(const std::string& words, std::string address) {
  constexpr std::string_view PLAYGROUND = "playground.html#";
  while (address.starts_with("../")) address.erase(0, 3);
  const size_t preset = address.find(PLAYGROUND);
  if (preset != address.npos) {
    return fmt::format("{} (./sgemm_runner playground {})", words,
                       address.substr(preset + PLAYGROUND.size()));
  }
  return words == address ? words : fmt::format("{} ({})", words, address);
}

// Returns a paragraph without Markdown's signs for bold and italic words and for links. Code keeps its backticks.
std::string without_signs(std::string_view paragraph) {
  std::string text;
  for (size_t i = 0; i < paragraph.size(); ++i) {
    const std::string_view rest = paragraph.substr(i);
    if (rest.starts_with('`')) {
      const size_t end = rest.find('`', 1);
      const std::string_view code = rest.substr(0, end == rest.npos ? end : end + 1);
      text += code;
      i += code.size() - 1;
    } else if (rest.starts_with('*')) {
      const bool opens = rest.size() > 1 && rest[1] != ' ';
      const bool closes = i > 0 && paragraph[i - 1] != ' ';
      if (!opens && !closes) text += '*';  // the star is a product's
    } else if (rest.starts_with("<http") && rest.find('>') != rest.npos) {
      const size_t end = rest.find('>');
      text += rest.substr(1, end - 1);
      i += end;
    } else if (const size_t middle = rest.starts_with('[') ? rest.find("](") : rest.npos;
               middle != rest.npos && middle < rest.find(']') + 1 &&
               rest.find(')', middle) != rest.npos) {
      const size_t end = rest.find(')', middle);
      text += link_on_screen(std::string(rest.substr(1, middle - 1)),
                             std::string(rest.substr(middle + 2, end - middle - 2)));
      i += end;
    } else {
      text += rest.front();
    }
  }
  return text;
}

// Collects the lines of a paragraph or of an entry, and wraps them together.
class Paragraphs {
 public:
  explicit Paragraphs(const text::Page& page) : page_(page) {}

  void add(std::string_view line) {
    if (line.starts_with("|")) return add_row(line);
    // Within a paragraph a line may begin with a number and a full stop.
    const int indent = lines_.empty() || indent_ > 0 ? entry_indent(line) : -1;
    if (indent >= 0) flush();
    if (indent >= 0) indent_ = indent;
    const size_t begin = line.find_first_not_of(' ');
    lines_ += lines_.empty() ? std::string(line) : " " + std::string(line.substr(begin));
  }
  void flush() {
    if (!lines_.empty()) {
      // wrap() breaks at single spaces, so it must not see the indentation of an entry.
      const size_t begin = lines_.find_first_not_of(' ');
      text_ +=
          lines_.substr(0, begin) +
          text::wrap(without_signs(std::string_view(lines_).substr(begin)), page_.width, indent_) +
          "\n";
    }
    lines_.clear();
    indent_ = 0;
  }
  void put(const std::string& line) {
    flush();
    text_ += line + "\n";
  }
  std::string take() {
    flush();
    return std::move(text_);
  }

 private:
  // Returns a table's row as an entry: "A: its meaning". The first row is the heading, the second a rule.
  void add_row(std::string_view line) {
    flush();
    std::string entry;
    for (size_t begin = 1; begin < line.size();) {
      const size_t end = std::min(line.find('|', begin), line.size());
      const std::string_view cell = line.substr(begin, end - begin);
      const size_t first = cell.find_first_not_of(' ');
      if (first != cell.npos) {
        entry += (entry.empty() ? "" : ": ") +
                 std::string(cell.substr(first, cell.find_last_not_of(' ') + 1 - first));
      }
      begin = end + 1;
    }
    if (entry.find_first_not_of("-: ") == entry.npos) return;
    constexpr int INDENT = 4;
    text_ += text::wrap(without_signs(entry), page_.width, INDENT) + "\n";
  }

  const text::Page& page_;
  std::string text_{}, lines_{};
  int indent_ = 0;
};

}  // namespace

std::string inked(std::string_view text, Ink ink, const text::Page& page) {
  if (!page.color || ink == Ink::plain) return std::string(text);
  const char* const code = ink == Ink::bold   ? "\033[1m"
                           : ink == Ink::good ? "\033[1;32m"
                                              : "\033[1;31m";
  return fmt::format("{}{}\033[0m", code, text);
}

std::string markdown_on(std::string_view markdown, const text::Page& page) {
  Paragraphs out(page);
  bool in_block = false;
  for (const std::string_view line : text::lines_of(markdown)) {
    if (line.starts_with("```")) {
      in_block = !in_block;
      out.flush();
    } else if (in_block) {
      out.put(is_blank(line) ? "" : "    " + std::string(line));
    } else if (is_blank(line)) {
      out.put("");
    } else if (line.starts_with("#")) {
      out.put(
          inked(line.substr(std::min(line.find_first_not_of("# "), line.size())), Ink::bold, page));
    } else {
      out.add(line);
    }
  }
  return out.take();
}

text::Page narrower(text::Page page, int columns) {
  if (page.width > columns) page.width -= columns;
  return page;
}

std::string lines_on(std::string_view lines, const text::Page& page) {
  std::string out;
  for (const std::string_view line : text::lines_of(lines))
    out += text::wrap(line, page.width, 2) + "\n";
  return out;
}

std::string indented(std::string_view text, int spaces) {
  std::string out;
  for (const std::string_view line : text::lines_of(text)) {
    if (!is_blank(line)) out += std::string(static_cast<size_t>(spaces), ' ') + std::string(line);
    out += "\n";
  }
  return out;
}

std::string command_line(std::string_view what, std::string_view command) {
  return fmt::format("{:<13}{}\n", fmt::format("{}:", what), command);
}

}  // namespace workshop
