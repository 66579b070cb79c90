// Fields: reads the members of one JSON object that came from the client. What is missing or of
// another type is remembered, with its name, and read as empty; the first complaint counts.
//
//   Fields fields(params, "params");
//   const std::string uri = fields.At("textDocument").String("uri");
//   if (auto error = fields.error()) …      // "params.textDocument.uri: expected a string"
//
// Parts that At() gives share the complaint of the whole.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lsp/json_rpc.h"
#include "text/result.h"

namespace torchleak::lsp {

class Fields {
 public:
  Fields(const Json& object, std::string name);

  bool Has(std::string_view key) const;  // and it is not null
  std::string String(std::string_view key) const;
  std::int64_t Integer(std::string_view key) const;
  // Of the protocol's `uinteger`; what is above 2^31 - 1, but a number, is that.
  std::uint32_t Unsigned(std::string_view key) const;
  bool Bool(std::string_view key) const;
  const Json& Array(std::string_view key) const;  // empty when wrong
  const Json& Object(std::string_view key) const;
  const Json& Any(std::string_view key) const;  // null when missing
  Fields At(std::string_view key) const;
  // The element of an array, which must be an object.
  Fields Element(std::string_view key, std::size_t index) const;

  std::optional<text::Error> error() const;
  void Complain(std::string_view key, std::string_view expected) const;

 private:
  Fields(const Json& object, std::string name, std::shared_ptr<std::string> complaint);
  const Json* Find(std::string_view key) const;

  const Json* object_;
  std::string name_;
  std::shared_ptr<std::string> complaint_;
};

}  // namespace torchleak::lsp
