#include "facts/compiler/build_fact.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "facts/compiler/vocabulary.h"

namespace torchleak::facts::stubs {
namespace {

class Builder {
 public:
  Builder(const Function& function, bool is_method, const std::string& path,
          std::vector<Error>* errors)
      : function_(function), path_(path), errors_(errors) {
    const auto is_static = [](const Decorator& d) { return d.name == "staticmethod"; };
    has_receiver_ = is_method && std::ranges::none_of(function.decorators, is_static);
  }

  Fact Build() {
    if (!function_.returns.empty())
      if (auto error = ApplyAnnotation(function_.returns, &fact_)) Fail(function_.line, *error);
    for (const Decorator& decorator : function_.decorators) Decorate(decorator);
    if (!subject_ && loss_) fact_.subject = *loss_;
    fact_.loss = loss_ ? *loss_ : fact_.subject;
    for (const Parameter& parameter : function_.parameters) {
      if (parameter.annotation.empty()) continue;
      if (parameter.annotation == "Target")
        fact_.target = IndexOf(parameter.name, function_.line);
      else
        Takes(parameter);
    }
    return fact_;
  }

 private:
  void Fail(std::uint32_t line, std::string message) {
    errors_->push_back({path_, line, std::move(message)});
  }

  void Decorate(const Decorator& decorator) {
    if (decorator.name == "staticmethod") return;
    if (decorator.name == "bounded") {
      fact_.bounded = true;
      return;
    }
    const auto effect = EffectOf(decorator.name);
    if (!effect) {
      Fail(decorator.line, fmt::format("unknown decorator @{}", decorator.name));
      return;
    }
    fact_.effects |= *effect;
    if (decorator.argument.empty()) return;
    const std::int8_t index = IndexOf(decorator.argument, decorator.line);
    const bool differentiates = (*effect & (kBackward | kGradOfInputs)) != 0;
    std::optional<std::int8_t>& said = differentiates ? loss_ : subject_;
    if (said && *said != index)
      Fail(decorator.line, "the decorators of one function speak of one parameter");
    said = index;
    if (!differentiates) fact_.subject = index;
  }

  void Takes(const Parameter& parameter) {
    const auto kind = ResultOf(parameter.annotation);
    if (!kind) {
      Fail(function_.line, fmt::format("a parameter is annotated with Target or a result, not {}",
                                       parameter.annotation));
      return;
    }
    const std::int8_t index = IndexOf(parameter.name, function_.line);
    if (index >= 0 && static_cast<std::size_t>(index) < fact_.takes.size())
      fact_.takes[static_cast<std::size_t>(index)] = *kind;
    else if (index >= 0)
      Fail(function_.line, fmt::format("{} comes too late to be annotated", parameter.name));
  }

  std::int8_t IndexOf(std::string_view name, std::uint32_t line) {
    const std::size_t first = has_receiver_ ? 1 : 0;
    for (std::size_t i = first; i < function_.parameters.size() && i < 100; ++i) {
      const Parameter& parameter = function_.parameters[i];
      if (parameter.name == name && parameter.positional)
        return static_cast<std::int8_t>(i - first);
    }
    Fail(line, fmt::format("{} has no positional parameter {}", function_.name, name));
    return Fact::kReceiver;
  }

  const Function& function_;
  const std::string& path_;
  std::vector<Error>* errors_;
  bool has_receiver_;
  std::optional<std::int8_t> loss_;  // of @backward and @grad_of_inputs
  std::optional<std::int8_t> subject_;
  Fact fact_;
};

}  // namespace

Fact BuildFact(const Function& function, bool is_method, const std::string& path,
               std::vector<Error>* errors) {
  return Builder(function, is_method, path, errors).Build();
}

}  // namespace torchleak::facts::stubs
