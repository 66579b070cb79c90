#include "lsp/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace torchleak::lsp {
namespace {

const Json kNull = nullptr;
const Json kArray = Json::array();
const Json kObject = Json::object();

constexpr std::uint32_t kMaxUnsigned = std::numeric_limits<std::int32_t>::max();

}  // namespace

Fields::Fields(const Json& object, std::string name)
    : Fields(object, std::move(name), std::make_shared<std::string>()) {
  if (!object_->is_object() && complaint_->empty()) *complaint_ = name_ + ": expected an object";
}

Fields::Fields(const Json& object, std::string name, std::shared_ptr<std::string> complaint)
    : object_(&object), name_(std::move(name)), complaint_(std::move(complaint)) {}

const Json* Fields::Find(std::string_view key) const {
  if (!object_->is_object()) return nullptr;
  const auto found = object_->find(key);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

void Fields::Complain(std::string_view key, std::string_view expected) const {
  if (complaint_->empty()) *complaint_ = fmt::format("{}.{}: expected {}", name_, key, expected);
}

std::optional<text::Error> Fields::error() const {
  if (complaint_->empty()) return std::nullopt;
  return text::Error{*complaint_};
}

bool Fields::Has(std::string_view key) const { return Find(key) != nullptr; }

std::string Fields::String(std::string_view key) const {
  const Json* value = Find(key);
  if (value != nullptr && value->is_string()) return value->get<std::string>();
  Complain(key, "a string");
  return {};
}

std::int64_t Fields::Integer(std::string_view key) const {
  const Json* value = Find(key);
  if (value != nullptr && value->is_number_unsigned()) {
    constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(std::min(value->get<std::uint64_t>(), kMax));
  }
  if (value != nullptr && value->is_number_integer()) return value->get<std::int64_t>();
  Complain(key, "a whole number");
  return 0;
}

std::uint32_t Fields::Unsigned(std::string_view key) const {
  const Json* value = Find(key);
  if (value == nullptr || !value->is_number_integer()) {
    Complain(key, "a whole number");
    return 0;
  }
  const std::int64_t number = Integer(key);
  if (number >= 0) return static_cast<std::uint32_t>(std::min<std::int64_t>(number, kMaxUnsigned));
  Complain(key, "a number from 0");
  return 0;
}

bool Fields::Bool(std::string_view key) const {
  const Json* value = Find(key);
  if (value != nullptr && value->is_boolean()) return value->get<bool>();
  Complain(key, "true or false");
  return false;
}

const Json& Fields::Array(std::string_view key) const {
  const Json* value = Find(key);
  if (value != nullptr && value->is_array()) return *value;
  Complain(key, "an array");
  return kArray;
}

const Json& Fields::Object(std::string_view key) const {
  const Json* value = Find(key);
  if (value != nullptr && value->is_object()) return *value;
  Complain(key, "an object");
  return kObject;
}

const Json& Fields::Any(std::string_view key) const {
  const Json* value = Find(key);
  return value == nullptr ? kNull : *value;
}

Fields Fields::At(std::string_view key) const {
  return {Object(key), fmt::format("{}.{}", name_, key), complaint_};
}

Fields Fields::Element(std::string_view key, std::size_t index) const {
  const Json& array = Array(key);
  std::string name = fmt::format("{}.{}[{}]", name_, key, index);
  if (index < array.size() && array[index].is_object()) {
    return {array[index], std::move(name), complaint_};
  }
  Complain(fmt::format("{}[{}]", key, index), "an object");
  return {kObject, std::move(name), complaint_};
}

}  // namespace torchleak::lsp
