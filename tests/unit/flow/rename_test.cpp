#include "flow/rename.h"

#include <doctest/doctest.h>

#include <string>

namespace torchleak::flow {
namespace {

// Numbers grow by 10 (names), 20 (functions), 30 (classes) and 40 (globals); odd ones of the last
// three have no counterpart.
class Shift final : public Numbering {
 public:
  sema::NameId Name(sema::NameId n) override { return sema::NameId{Index(n) + 10}; }
  sema::FunctionId Function(sema::FunctionId f) override {
    return Index(f) % 2 == 1 ? sema::kNoFunction : sema::FunctionId{Index(f) + 20};
  }
  sema::ClassId Class(sema::ClassId c) override {
    return Index(c) % 2 == 1 ? sema::kNoClass : sema::ClassId{Index(c) + 30};
  }
  sema::BindingId Global(sema::BindingId g) override {
    return Index(g) % 2 == 1 ? sema::kNoBinding : sema::BindingId{Index(g) + 40};
  }
  PathPtr Path() override { return path_; }

 private:
  PathPtr path_ = std::make_shared<const std::string>("here.py");
};

Value Renamed(Kind kind, std::uint32_t ref) {
  Value value = Value::Of(kind);
  value.ref = ref;
  Shift shift;
  Rename(&value, shift);
  return value;
}

Sink At(Sink::Root root, std::uint32_t index, std::uint8_t depth = 0) {
  Sink sink;
  sink.root = root;
  sink.index = index;
  sink.depth = depth;
  for (unsigned d = 0; d < depth; ++d) sink.path[d] = sema::NameId{d};
  return sink;
}

TEST_CASE("values refer to functions and classes by their new numbers") {
  CHECK(Renamed(Kind::kFunction, 2).ref == 22);
  CHECK(Renamed(Kind::kClass, 2).ref == 32);
  CHECK(Renamed(Kind::kInstance, 2).ref == 32);
  CHECK(Renamed(Kind::kModule, 2).ref == 32);
  CHECK(Renamed(Kind::kTensor, kNoRef) == Value::Of(Kind::kTensor));
}

TEST_CASE("without a counterpart a value is unknown, a module still a module") {
  CHECK(Renamed(Kind::kFunction, 1) == Value::Unknown());
  CHECK(Renamed(Kind::kInstance, 1) == Value::Unknown());
  CHECK(Renamed(Kind::kClass, 1) == Value::Unknown());
  const Value module = Renamed(Kind::kModule, 1);
  CHECK(module.Is(Kind::kModule));
  CHECK(module.ref == kNoRef);
}

TEST_CASE("a module of the stubs is the same everywhere") {
  CHECK(Renamed(Kind::kModule, kFactRef + 3).ref == kFactRef + 3);
}

TEST_CASE("sinks: parameters keep their place, variables are renamed or left out") {
  const auto elsewhere = std::make_shared<const std::string>("elsewhere.py");
  Summary s;
  for (const Sink& sink :
       {At(Sink::Root::kParam, 1, 2), At(Sink::Root::kBinding, 2), At(Sink::Root::kBinding, 3)}) {
    StoreSummary store;
    store.sink = sink;
    store.trail = {{{0, 1}, nullptr}, {{2, 3}, elsewhere}};
    s.stores.push_back(store);
    s.resets.push_back(sink);
    s.modes.emplace_back(sink, true);
    s.forwards.push_back({sink, {{4, 5}, nullptr}, false});
    GradEffect effect;
    effect.sink = sink;
    effect.trail = store.trail;
    s.grad_effects.push_back(effect);
    s.grad_variants.push_back({.param = 0, .effects = {effect}});
  }
  s.ret.value = Value::Of(Kind::kInstance);
  s.ret.value.ref = 4;
  s.ret_fields.emplace_back(0, s.ret);
  Shift shift;
  Rename(&s, shift);

  REQUIRE(s.stores.size() == 2);
  CHECK(s.stores[0].sink.index == 1);
  CHECK(s.stores[0].sink.path[0] == sema::NameId{10});
  CHECK(s.stores[0].sink.path[1] == sema::NameId{11});
  CHECK(s.stores[1].sink.index == 42);
  // Where a step is stays where it is; what had no file is of this one.
  CHECK(*s.stores[0].trail[0].path == "here.py");
  CHECK(*s.stores[0].trail[1].path == "elsewhere.py");
  CHECK(s.resets.size() == 2);
  CHECK(s.modes.size() == 2);
  REQUIRE(s.forwards.size() == 2);
  CHECK(*s.forwards[0].site.path == "here.py");
  REQUIRE(s.grad_effects.size() == 2);
  CHECK(s.grad_effects[1].sink.index == 42);
  CHECK(*s.grad_effects[1].trail[1].path == "elsewhere.py");
  REQUIRE(s.grad_variants.size() == 3);
  CHECK(s.grad_variants[2].effects.empty());
  CHECK(s.ret.value.ref == 34);
  CHECK(s.ret_fields[0].second.value.ref == 34);
}

}  // namespace
}  // namespace torchleak::flow
