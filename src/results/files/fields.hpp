// A struct's fields as one table. The writer of JSON, its reader with the checks, and the description for other readers
// use it.
//
//   constexpr auto LESSON = std::tuple{needed("lab", &Lesson::lab, Text{}),
//                                      omitted("answer", &Lesson::answer, LinesOfText{})};
//   write(object, lesson, LESSON);
//   read(place, lesson, LESSON);
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "results/files/place.hpp"

namespace results {

// ---- Kinds: each writes a value as JSON, reads and checks it, and describes it to other readers.

struct Text {
  using Value = std::string;
  static Json written(const Value& value) { return value; }
  static Value read(const Place& place) { return place.text(); }
  static Json described() { return "text"; }
};

struct LinesOfText : Text {
  static Value read(const Place& place) { return place.text_of_lines(); }
  static Json described() { return "lines"; }
};

struct Date : Text {
  static Value read(const Place& place) { return place.date(); }
  static Json described() { return "date"; }
};

struct Truth {
  using Value = bool;
  static Json written(bool value) { return value; }
  static bool read(const Place& place) { return place.truth(); }
  static Json described() { return "truth"; }
};

struct Natural {
  using Value = uint64_t;
  static Json written(uint64_t value) { return value; }
  static uint64_t read(const Place& place) { return place.natural(); }
  static Json described() { return "natural"; }
};

template <typename T>
struct Whole {
  using Value = T;
  T least, most;
  static Json written(T value) { return value; }
  T read(const Place& place) const { return static_cast<T>(place.integer(least, most)); }
  Json described() const { return {{"whole", {least, most}}}; }
};

template <typename T>
struct Number {
  using Value = T;
  T least, most;
  static Json written(T value) { return value; }
  T read(const Place& place) const { return static_cast<T>(place.number(least, most)); }
  Json described() const { return {{"number", {least, most}}}; }
};

/// A wrong result. It may be NaN, which is written as text.
template <typename T>
struct AnyNumber {
  using Value = T;
  static Json written(T value) {
    return std::isfinite(value) ? Json(value)
                                : Json(std::isnan(value) ? (std::signbit(value) ? "-nan" : "nan")
                                       : value > 0       ? "inf"
                                                         : "-inf");
  }
  static T read(const Place& place) { return static_cast<T>(place.any_number()); }
  static Json described() { return "any number"; }
};

/// One of `count` words, the names of the values 0, 1, ...; null for a value without a name.
template <typename T>
struct Word {
  using Value = T;
  const char* (*name)(T);
  int count;
  const char* complaint;
  Json written(T value) const {
    const char* const word = name(value);
    return word == nullptr ? Json(nullptr) : Json(word);
  }
  T read(const Place& place) const {
    const std::string word = place.text();
    for (int i = 0; i < count; ++i) {
      const char* const known = name(static_cast<T>(i));
      if (known != nullptr && word == known) return static_cast<T>(i);
    }
    place.refuse(complaint);
  }
  Json described() const {
    Json words = Json::array();
    for (int i = 0; i < count; ++i) {
      if (const char* const known = name(static_cast<T>(i))) words.push_back(known);
    }
    return {{"words", words}, {"otherwise", complaint}};
  }
};

template <typename Kind>
struct List {
  using Value = std::vector<typename Kind::Value>;
  Kind kind;
  Json written(const Value& values) const {
    Json list = Json::array();
    for (const auto& value : values) list.push_back(kind.written(value));
    return list;
  }
  Value read(const Place& place) const {
    Value values;
    place.for_each([&](const Place& one) { values.push_back(kind.read(one)); });
    return values;
  }
  Json described() const { return {{"list", kind.described()}}; }
};

template <typename Kind>
struct Three {
  using Value = std::array<typename Kind::Value, 3>;
  Kind kind;
  Json written(const Value& values) const {
    return {kind.written(values[0]), kind.written(values[1]), kind.written(values[2])};
  }
  Value read(const Place& place) const {
    const auto values = List<Kind>{kind}.read(place);
    if (values.size() != 3) place.refuse("does not have three values");
    return {values[0], values[1], values[2]};
  }
  Json described() const { return {{"three", kind.described()}}; }
};

/// Members of an object. Each member's name is its value's own name; the order is kept.
template <typename Kind>
struct Members {
  using Value = std::vector<std::pair<std::string, typename Kind::Value>>;
  Kind kind;
  Json written(const Value& values) const {
    Json object = Json::object();
    for (const auto& [key, value] : values) object[key] = kind.written(value);
    return object;
  }
  Value read(const Place& place) const {
    Value values;
    place.for_each_member([&](const std::string& key, const Place& one) {
      values.emplace_back(key, kind.read(one));
    });
    return values;
  }
  Json described() const { return {{"members", kind.described()}}; }
};

// ---- Fields. A field has a key, a kind and, unless it is required, a meaning of its absence. It writes itself into an
// object, reads itself from one, and adds itself to a description.

enum class Presence {
  needed,   // always written; a file without it is refused
  known,    // always written, null if unknown; a file may lack it
  omitted,  // not written if empty; a file may lack it
};

template <typename T>
constexpr bool IS_OPTIONAL = false;
template <typename T>
constexpr bool IS_OPTIONAL<std::optional<T>> = true;

template <typename Kind, typename T>
Json written_as(const Kind& kind, const T& value) {
  if constexpr (IS_OPTIONAL<T>) {
    return value ? kind.written(*value) : Json(nullptr);
  } else {
    return kind.written(value);
  }
}

template <typename Struct, typename Member, typename Kind>
struct Field {
  using Of = Struct;
  const char* key;
  Member Struct::* member;
  Kind kind;
  Presence presence;

  void write(Json& object, const Struct& value) const {
    if (presence == Presence::omitted && says_nothing(value.*member)) return;
    object[key] = written_as(kind, value.*member);
  }
  void read(const Place& from, Struct& value) const {
    if (presence == Presence::needed || from.has(key)) value.*member = kind.read(from.at(key));
  }
  void describe(Json& description) const {
    Json& said = description[key] = {{"kind", kind.described()}};
    if (presence != Presence::needed) said["absent"] = written_as(kind, Struct{}.*member);
  }

 private:
  bool says_nothing(const Member& value) const {
    if constexpr (IS_OPTIONAL<Member>) {
      return !value.has_value();
    } else if constexpr (requires { value.empty(); }) {
      return value.empty();
    } else {
      return value == Struct{}.*member;
    }
  }
};

template <typename Struct, typename Member, typename Kind>
constexpr auto needed(const char* key, Member Struct::* member, Kind kind) {
  return Field<Struct, Member, Kind>{key, member, kind, Presence::needed};
}
template <typename Struct, typename Member, typename Kind>
constexpr auto known(const char* key, Member Struct::* member, Kind kind) {
  return Field<Struct, Member, Kind>{key, member, kind, Presence::known};
}
template <typename Struct, typename Member, typename Kind>
constexpr auto omitted(const char* key, Member Struct::* member, Kind kind) {
  return Field<Struct, Member, Kind>{key, member, kind, Presence::omitted};
}

/// Adds the fields of a table to an object.
template <typename Struct, typename... Fields>
void write(Json& object, const Struct& value, const std::tuple<Fields...>& table) {
  std::apply([&](const Fields&... field) { (field.write(object, value), ...); }, table);
}
/// Takes the fields of a table from an object.
template <typename Struct, typename... Fields>
void read(const Place& from, Struct& value, const std::tuple<Fields...>& table) {
  std::apply([&](const Fields&... field) { (field.read(from, value), ...); }, table);
}
/// Describes the fields of a table to other readers.
template <typename... Fields>
void describe(Json& description, const std::tuple<Fields...>& table) {
  std::apply([&](const Fields&... field) { (field.describe(description), ...); }, table);
}

/// The fields of a member struct, written into the outer struct's object.
template <typename Struct, typename Member, typename Table>
struct Within {
  using Of = Struct;
  Member Struct::* member;
  Table table;

  void write(Json& object, const Struct& value) const {
    results::write(object, value.*member, table);
  }
  void read(const Place& from, Struct& value) const { results::read(from, value.*member, table); }
  void describe(Json& description) const { results::describe(description, table); }
};

/// A field that is computed from others: written for other tools, and not read.
template <typename Struct, typename Derived, typename Kind>
struct Follows {
  using Of = Struct;
  const char* key;
  Derived (*derive)(const Struct&);
  Kind kind;

  void write(Json& object, const Struct& value) const {
    object[key] = written_as(kind, derive(value));
  }
  void read(const Place&, Struct&) const {}
  void describe(Json& description) const {
    description[key] = {{"kind", kind.described()}, {"absent", nullptr}};
  }
};

/// Two texts of a struct as one field, with a separator: "no K: C[0][0] is 1". If the second is empty, only the first.
template <typename Struct>
struct Joined {
  using Value = Struct;
  std::string Struct::* first;
  const char* between;
  std::string Struct::* second;
  Json written(const Struct& value) const {
    return (value.*second).empty() ? value.*first : value.*first + between + value.*second;
  }
  Struct read(const Place& place) const {
    const std::string text = place.text();
    const size_t end = std::min(text.find(between), text.size());
    Struct value;
    value.*first = text.substr(0, end);
    if (end < text.size()) value.*second = text.substr(end + std::string_view(between).size());
    return value;
  }
  static Json described() { return Text::described(); }
};

/// Members of a struct under one key, read before its other members.
template <typename Kind>
struct Head {
  using Of = typename Kind::Value;
  const char* key;
  Kind kind;

  void write(Json& object, const Of& value) const { object[key] = kind.written(value); }
  void read(const Place& from, Of& value) const { value = kind.read(from.at(key)); }
};

/// A struct written as an object of its own.
template <const auto& TABLE>
struct Object {
  using Value = typename std::tuple_element_t<0, std::remove_cvref_t<decltype(TABLE)>>::Of;
  static Json written(const Value& value) {
    Json object = Json::object();
    write(object, value, TABLE);
    return object;
  }
  static Value read(const Place& place) {
    Value value;
    results::read(place, value, TABLE);
    return value;
  }
  static Json described() {
    Json description = Json::object();
    describe(description, TABLE);
    return {{"object", description}};
  }
};

}  // namespace results
