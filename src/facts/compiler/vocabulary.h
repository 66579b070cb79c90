// Vocabulary: what each word of a stub's annotations and each decorator says about a Fact.
//
// An annotation is a chain of words, the last of which names the result: `Detached[Host[Tensor]]`.
// A chain that ends in a word such as `Scalar` or `Like` speaks of a tensor.
// The tables in vocabulary.cpp are the whole language; rules/facts/README.md shows them to people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "facts/facts.h"

namespace torchleak::facts::stubs {

// Each returns nothing when understood, or else a sentence that names the unknown word.
std::optional<std::string> ApplyAnnotation(std::string_view annotation, Fact* fact);

// The result that one word names: `Module`; nothing when there is none of that name.
std::optional<Result> ResultOf(std::string_view word);

// The effect bit of a decorator such as @backward; nothing when there is none of that name.
std::optional<std::uint32_t> EffectOf(std::string_view decorator);

// `Tensor | Differentiated` of evidence.pyi.
std::optional<std::string> ApplyEvidence(std::string_view annotation, std::uint16_t* bits);

// Enumerator names for the generated file: "kTensor".
std::string_view NameOf(Result result);
std::string_view NameOf(Graph graph);
std::string_view NameOf(Residency residency);
std::string_view NameOf(Size size);

}  // namespace torchleak::facts::stubs
