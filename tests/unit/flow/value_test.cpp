// Laws of Join over a set of values that covers every kind and the flags: it is a least upper bound
// up to the two exceptions that value.h documents, and a loop that only joins comes to an end.
#include "flow/value.h"

#include <doctest/doctest.h>

#include <ostream>
#include <string>
#include <vector>

namespace torchleak::flow {
namespace {

std::vector<Value> Samples() {
  std::vector<Value> all{Value{}, Value::Unknown(), Value::Number(), Value::Of(Kind::kNone)};
  for (Kind k : {Kind::kTensor, Kind::kModule, Kind::kOptimizer, Kind::kScheduler, Kind::kScaler,
                 Kind::kLoader, Kind::kHandle, Kind::kContext, Kind::kContainer, Kind::kFunction,
                 Kind::kInstance, Kind::kClass, Kind::kParameters, Kind::kEngine, Kind::kWriter}) {
    all.push_back(Value::Of(k));
    all.push_back(Value::Of(k, Strength::kWeak));
    all.back().ref = 7;
    all.push_back(Value::Of(k, Strength::kMedium));
    all.back().ref = 8;
    all.back().flags = kInEvalMode | kMovedToHost;
  }
  Value tensor = Value::Of(Kind::kTensor);
  tensor.residency = Residency::kDevice;
  tensor.size = Size::kScalar;
  tensor.origins.set(3);
  tensor.objects = 0b101;
  tensor.flags = kFrozen | kBareParam;
  all.push_back(tensor);
  tensor.residency = Residency::kHost;
  tensor.size = Size::kSized;
  tensor.origins.set(kOverflowOrigin);
  tensor.flags = kBareParam;
  all.push_back(tensor);
  Value yes = Value::Number(), no = Value::Number();
  yes.flags = kIsTrue;
  no.flags = kIsFalse;
  all.push_back(yes);
  all.push_back(no);
  return all;
}

std::string Print(const Value& v) {
  return "kind " + std::to_string(static_cast<int>(v.kind)) + " ref " + std::to_string(v.ref) +
         " flags " + std::to_string(v.flags) + " strength " +
         std::to_string(static_cast<int>(v.strength));
}

TEST_CASE("join: nothing joined with a value is the value") {
  for (const Value& v : Samples()) {
    CHECK(Join(Value{}, v) == v);
    CHECK(Join(v, Value{}) == v);
  }
}

TEST_CASE("join is idempotent") {
  for (const Value& v : Samples()) CHECK(Join(v, v) == v);
}

TEST_CASE("join takes no notice of order") {
  for (const Value& a : Samples()) {
    for (const Value& b : Samples()) {
      const Value x = Join(a, b), y = Join(b, a);
      CAPTURE(Print(a));
      CAPTURE(Print(b));
      CHECK(x.kind == y.kind);
      CHECK(x.origins == y.origins);
      CHECK(x.objects == y.objects);
      CHECK(x.flags == y.flags);
      CHECK(x.ref == y.ref);
      // None and numbers keep their own words where both sides are such.
      if (a.kind == b.kind) {
        CHECK(x.strength == y.strength);
        CHECK(x.size == y.size);
        CHECK(x.residency == y.residency);
      }
    }
  }
}

TEST_CASE("join loses no graph, no object and no flag that may hold") {
  for (const Value& a : Samples()) {
    for (const Value& b : Samples()) {
      const Value j = Join(a, b);
      CHECK((j.origins & a.origins) == a.origins);
      CHECK((j.origins | a.origins | b.origins) == (a.origins | b.origins));
      CHECK(j.objects == (a.objects | b.objects));
      const unsigned may = ~unsigned{kMustFlags} & 0xFFu;
      CHECK((j.flags & may) == ((a.flags | b.flags) & may));
      if (a.Reached() && b.Reached()) {
        CHECK((j.flags & kMustFlags) == (a.flags & b.flags & kMustFlags));
      }
    }
  }
}

// The solver only ever replaces a state by its join with another: that must come to rest.
TEST_CASE("joining the same values over and over comes to rest") {
  const std::vector<Value> all = Samples();
  for (const Value& a : all) {
    for (const Value& b : all) {
      for (const Value& c : all) {
        Value v = Join(Join(a, b), c);
        for (int i = 0; i < 3; ++i) v = Join(Join(Join(v, a), b), c);
        const Value again = Join(Join(Join(v, a), b), c);
        if (!(again == v)) {
          CAPTURE(Print(a));
          CAPTURE(Print(b));
          CAPTURE(Print(c));
          CAPTURE(Print(v));
          CHECK(again == v);
        }
      }
    }
  }
}

TEST_CASE("a tensor stays one when joined with a number, with None or with something unknown") {
  const Value tensor = Value::Of(Kind::kTensor);
  for (const Value& other : {Value::Number(), Value::Of(Kind::kNone), Value::Unknown()}) {
    CHECK(Join(tensor, other).Is(Kind::kTensor));
    CHECK(Join(other, tensor).Is(Kind::kTensor));
  }
  CHECK(Join(tensor, Value::Unknown()).strength == Strength::kNone);
  CHECK(Join(tensor, Value::Number()).strength == Strength::kStrong);
}

TEST_CASE("two different kinds are neither") {
  CHECK(Join(Value::Of(Kind::kModule), Value::Of(Kind::kOptimizer)).Is(Kind::kUnknown));
  CHECK(Join(Value::Of(Kind::kContainer), Value::Of(Kind::kFunction)).Is(Kind::kUnknown));
}

TEST_CASE("one of several classes is none of them, one of several modules is a module") {
  Value a = Value::Of(Kind::kInstance), b = a;
  a.ref = 1;
  b.ref = 2;
  CHECK(Join(a, b).Is(Kind::kUnknown));
  CHECK(Join(a, a).ref == 1);
  a.kind = b.kind = Kind::kModule;
  CHECK(Join(a, b).Is(Kind::kModule));
  CHECK(Join(a, b).ref == kNoRef);
}

TEST_CASE("in eval mode, frozen, true: what must hold everywhere and what may hold somewhere") {
  Value a = Value::Of(Kind::kModule), b = a;
  a.flags = kInEvalMode | kFrozen;
  CHECK_FALSE(Join(a, b).Has(kInEvalMode));
  CHECK(Join(a, b).Has(kFrozen));
}

TEST_CASE("sides that differ in place or size are unknown in it") {
  Value a = Value::Of(Kind::kTensor), b = a;
  a.residency = Residency::kDevice;
  b.residency = Residency::kHost;
  a.size = b.size = Size::kScalar;
  CHECK(Join(a, b).residency == Residency::kUnknown);
  CHECK(Join(a, b).size == Size::kScalar);
  b.size = Size::kSized;
  CHECK(Join(a, b).size == Size::kUnknown);
}

}  // namespace
}  // namespace torchleak::flow
