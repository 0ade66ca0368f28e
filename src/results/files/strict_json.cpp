#include "results/files/strict_json.hpp"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "results/files/json.hpp"
#include "text/foreign.hpp"

namespace results {

using Json = nlohmann::ordered_json;

namespace {

constexpr int DEEPEST = 16;          // the most nested objects and lists; a run needs half of them
constexpr size_t LONGEST_KEY = 100;  // a message quotes no more of a key

// Refuses texts that readers understand differently: two members with one name, and lists nested without end.
class Watch {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      if (depth >= DEEPEST) throw Unusable(fmt::format("it is nested deeper than {}", DEEPEST));
      keys_.resize(static_cast<size_t>(depth) + 1);
      keys_.back().clear();
    } else if (event == Event::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys_.at(static_cast<size_t>(depth) - 1).insert(key).second) {
        throw Unusable(fmt::format("'{}' stands twice in one object",
                                   text::plain_line(std::string_view(key).substr(0, LONGEST_KEY))));
      }
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> keys_{};  // the keys so far of each open object
};

}  // namespace

Json strict_json(std::string_view text) {
  if (text.empty()) throw Unusable("it is empty");
  // In UTF-16 every other byte of such a text is zero, with or without a byte order mark.
  if (text.substr(0, 4).find('\0') != text.npos) throw Unusable("it is UTF-16, and JSON is UTF-8");
  try {
    return Json::parse(text, Watch());
  } catch (const Json::parse_error& error) {
    throw Unusable(error.byte > text.size()
                       ? "it is not whole: its JSON ends in the middle"
                       : fmt::format("it is not JSON from byte {} on", error.byte));
  } catch (const Json::exception&) {
    throw Unusable("a number in it is too large");
  }
}

}  // namespace results
