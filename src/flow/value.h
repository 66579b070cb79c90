// Value: what the analyzer knows of one Python value at one program point. Small, copied freely.
//
// A value carries a graph exactly when `origins` names a point where a graph was made. Origins are
// numbered per function (at most kMaxOrigins; the rest share the last number, on which rules stay
// silent). Containers carry the origins of what they hold, so `torch.stack(parts)` carries what
// `parts` was given. `objects` says which abstract objects (allocation sites, parameters,
// attributes, globals) the value may be or be part of: a store through the value is a store into
// each of them.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>

#include "facts/facts.h"

namespace torchleak::flow {

enum class Kind : std::uint8_t {
  kBottom,  // not reached
  kUnknown,
  kTensor,
  kNumber,
  kNone,
  kModule,
  kOptimizer,
  kScheduler,
  kScaler,
  kLoader,
  kHandle,
  kContext,
  kContainer,
  kFunction,
  kInstance,
  kClass,
  kParameters,
  kEngine,
  kWriter,
  kDistribution,
};

enum class Residency : std::uint8_t { kUnknown, kHost, kDevice };
enum class Size : std::uint8_t { kUnknown, kScalar, kSized };

// How sure the analyzer is that the value is what `kind` and `origins` say; becomes the confidence.
enum class Strength : std::uint8_t { kNone, kWeak, kMedium, kStrong };

enum ValueFlag : std::uint8_t {
  kInEvalMode = 1,  // a module after .eval(): kept only when true on every path
  kFrozen = 2,      // a module whose parameters were told, somewhere, to need no gradient
  kBareParam = 4,   // a parameter, untouched
  kIsTrue = 8,
  kIsFalse = 16,     // the constants True and False
  kBounded = 32,     // a container that drops old elements by itself: deque(maxlen=…)
  kSelfObject = 64,  // the receiver of a method, `self`
  kMovedToHost =
      128,  // .cpu() was called on it or on a part of it: nobody means to differentiate it
};

inline constexpr unsigned kMaxOrigins = 128;
using Origins = std::bitset<kMaxOrigins>;
inline constexpr unsigned kOverflowOrigin = kMaxOrigins - 1;

inline constexpr unsigned kMaxObjects = 64;
using Objects = std::uint64_t;
inline constexpr unsigned kOverflowObject = kMaxObjects - 1;

inline constexpr std::uint32_t kNoRef = 0xFFFFFFFF;
inline constexpr std::uint32_t kFactRef =
    0x80000000;  // of a module: from here on, 0x80000000 + a fact

struct Value {
  Kind kind = Kind::kBottom;
  Residency residency = Residency::kUnknown;
  Size size = Size::kUnknown;
  Strength strength = Strength::kNone;
  std::uint8_t flags = 0;
  std::uint32_t ref = kNoRef;  // class (of a container's elements), function or slot, by kind
  Origins origins;
  Objects objects = 0;

  bool operator==(const Value&) const = default;
  bool Is(Kind k) const { return kind == k; }
  bool Has(ValueFlag flag) const { return (flags & flag) != 0; }
  bool Reached() const { return kind != Kind::kBottom; }

  static Value Unknown() {
    Value v;
    v.kind = Kind::kUnknown;
    return v;
  }
  static Value Number() {
    Value v;
    v.kind = Kind::kNumber;
    v.residency = Residency::kHost;
    v.size = Size::kScalar;
    return v;
  }
  static Value Of(Kind kind, Strength strength = Strength::kStrong) {
    Value v;
    v.kind = kind;
    v.strength = strength;
    return v;
  }
};

// Flags that hold only when they hold on every path.
inline constexpr std::uint8_t kMustFlags =
    kInEvalMode | kBareParam | kIsTrue | kIsFalse | kBounded | kSelfObject;

// A number, text or None: no graph, no device, nothing that refers to others.
inline bool IsPlain(const Value& v) { return v.Is(Kind::kNumber) || v.Is(Kind::kNone); }

// Least upper bound. A tensor joined with a number stays a tensor (`total = 0` before `total +=
// loss`), None joined with anything is that thing (`last = None` before the loop).
inline Value Join(const Value& a, const Value& b) {
  if (a.kind == Kind::kBottom) return b;
  if (b.kind == Kind::kBottom || a == b) return a;
  Value out = a;
  if (a.kind != b.kind) {
    auto yields = [](Kind k) { return k == Kind::kNone || k == Kind::kNumber; };
    if (yields(a.kind) && !(a.kind == Kind::kNumber && b.kind == Kind::kNone)) {
      out.kind = b.kind;
      out.ref = b.ref;
      out.residency = b.residency;
      out.size = b.size;
      out.strength = b.strength;
    } else if (!yields(b.kind)) {
      bool tensor = (a.kind == Kind::kTensor || b.kind == Kind::kTensor);
      out.kind = tensor ? Kind::kTensor : Kind::kUnknown;
      out.ref = kNoRef;
      out.strength = std::min(a.strength, b.strength);
    }
  } else {
    if (a.ref != b.ref) {
      out.ref = kNoRef;
      const bool named =
          a.kind == Kind::kInstance || a.kind == Kind::kFunction || a.kind == Kind::kClass;
      if (named) out.kind = Kind::kUnknown;  // one of several: nobody knows which
    }
    if (a.residency != b.residency) out.residency = Residency::kUnknown;
    if (a.size != b.size) out.size = Size::kUnknown;
    out.strength = std::max(a.strength, b.strength);
  }
  out.flags = static_cast<std::uint8_t>((a.flags & b.flags & kMustFlags) |
                                        ((a.flags | b.flags) & ~kMustFlags));
  out.origins = a.origins | b.origins;
  out.objects = a.objects | b.objects;
  return out;
}

}  // namespace torchleak::flow
