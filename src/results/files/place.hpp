// One place in a JSON file. The file may be damaged or edited, so each value is checked.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace results {

using Json = nlohmann::ordered_json;

inline constexpr double LARGEST = 1e18, SMALLEST = 1e-9;  // of any figure above 0

/// A value in the file, with the name of its place for error messages. Each function that takes a value throws Unusable
/// (json.hpp) if the value is of another kind; the message begins with the place. Keeps a reference to `json`.
class Place {
 public:
  Place(const Json& json, std::string path) : json_(json), path_(std::move(path)) {}

  [[noreturn]] void refuse(const std::string& why) const;

  /// True if it has this member. null means unknown, like a missing member.
  bool has(const char* key) const;
  Place at(const char* key) const;
  template <typename Visit>
  void for_each(const Visit& visit) const {
    if (!json_.is_array()) refuse("is not a list");
    for (size_t i = 0; i < json_.size(); ++i)
      visit(Place(json_.at(i), path_ + "[" + std::to_string(i) + "]"));
  }
  template <typename Visit>
  void for_each_member(const Visit& visit) const {
    if (!json_.is_object()) refuse("is not an object");
    for (const auto& [key, value] : json_.items()) {
      const std::string plain = plain_key(key);
      visit(plain, Place(value, path_ + "." + plain));
    }
  }
  bool is_object() const { return json_.is_object(); }

  /// Returns a text as one line, without control characters, and cut if it is too long.
  std::string text() const;
  std::string text_of_lines() const;
  /// Returns a text unchanged.
  const std::string& whole_text() const;
  bool truth() const;
  int64_t integer(int64_t least, int64_t most) const;
  uint64_t natural() const;
  double number(double least, double most) const;
  /// Returns a number, or "nan", "inf", "-inf", for which JSON has no number.
  double any_number() const;
  /// Returns "2026-11-22T10:00:00+00:00", or nothing if unknown.
  std::string date() const;

 private:
  static std::string plain_key(std::string_view key);

  const Json& json_;
  std::string path_;
};

}  // namespace results
