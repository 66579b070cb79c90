// Facts: what library calls do, as data. Written as Python stubs in rules/facts/*.pyi, compiled at
// build time (by tools in this layer, with our own parser) to a constant, sorted table.
//
//   const Fact* fact = facts::Find("torch.nn.functional.cross_entropy");
//   if (fact && fact->result == Result::kTensor && fact->size == Size::kScalar) …
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace torchleak::facts {

// Kind of what a call returns (for a class: what constructing it gives).
enum class Result : std::uint8_t {
  kUnknown,
  kTensor,
  kTensors /* a container or tuple of tensors */,
  kNumber /* int, float, bool, str, numpy */,
  kModule,
  kOptimizer,
  kScheduler,
  kScaler,
  kLoader,
  kDataset,
  kHandle /* of a hook */,
  kContext /* a `with` object */,
  kSelf /* the receiver, or argument 0 */,
  kArgument /* argument 0 unchanged or a view of it: tuple(x), list(x), iter(x) */,
  kElement /* an element of the receiver or argument 0: next(it), random.choice(xs), xs.pop() */,
  kList,
  kDict,
  kSet,
  kDeque,
  kNone,
  kDistribution,
  kWriter /* TensorBoard, wandb: converts at once */,
  kMetric,
  kEngine /* DeepSpeed engine, Accelerator, Fabric: runs backward and may clear by itself */,
  kParameters /* iterable of parameters */,
  kArguments /* one argument unchanged, of several a tuple: prepare(model, optimizer) */,
};

// What happens to the autograd graph.
enum class Graph : std::uint8_t {
  kKeeps,  // result carries a graph when an input does
  kDrops,  // result never does: detach, argmax, item, comparison, integer cast
  kMakes,  // result does even when no input does (a leaf that requires grad, rsample of parameters)
};

enum class Residency : std::uint8_t {
  kKeeps,
  kHost,
  kDevice,
  kArgument /* decided by a device argument */
};
enum class Size : std::uint8_t { kUnknown, kKeeps, kScalar, kSized };

// Effects of a call, as a bit set.
enum Effect : std::uint32_t {
  kNoEffect = 0,
  kBackward = 1u << 0,     // differentiates `subject`
  kStep = 1u << 1,         // an optimizer step of `subject`
  kZeroGrad = 1u << 2,     // clears gradients of `subject`
  kGradOff = 1u << 3,      // as context or decorator: no_grad, inference_mode
  kGradOn = 1u << 4,       // as context or decorator: enable_grad
  kGradSet = 1u << 5,      // set_grad_enabled(flag): context, decorator or statement
  kEvalMode = 1u << 6,     // m.eval(), m.train(False)
  kTrainMode = 1u << 7,    // m.train()
  kAddsHook = 1u << 8,     // register_*_hook: argument 0 is the hook, returns a handle
  kRemovesHook = 1u << 9,  // handle.remove()
  kHarmless =
      1u << 10,  // neither keeps nor differentiates its arguments: print, len, writer.add_scalar
  kStores = 1u << 11,         // receiver keeps the argument `subject`: append, add, put
  kStoresAll = 1u << 12,      // receiver keeps every element of the argument: extend, update
  kClears = 1u << 13,         // receiver is emptied: clear
  kTakesOut = 1u << 14,       // an element leaves the receiver: pop, popleft, popitem
  kFreezes = 1u << 15,        // requires_grad_(False): parameters of the receiver need no grad
  kGradOfInputs = 1u << 16,   // autograd.grad: differentiates `subject` without touching .grad
  kWantsGrad = 1u << 17,      // requires_grad_(True) on the receiver
  kInPlace = 1u << 18,        // result replaces the receiver: add_, mul_
  kMayClearGrads = 1u << 19,  // an engine's own step or backward, which clears gradients by itself
  // Of a method that subclasses override, what the framework does around the override:
  kCalledWithoutGrad = 1u << 20,     // grad is off when it runs: validation_step
  kResultDifferentiated = 1u << 21,  // its result is differentiated: training_step, compute_loss
};
inline constexpr std::uint32_t kOfOverrides = kCalledWithoutGrad | kResultDifferentiated;

struct Fact {
  std::string_view name;  // "torch.nn.functional.cross_entropy"; a method: "torch.Tensor.item"
  Result result = Result::kUnknown;
  Graph graph = Graph::kKeeps;
  Residency residency = Residency::kKeeps;
  Size size = Size::kUnknown;
  std::uint32_t effects = kNoEffect;
  // Which argument the effects speak of: 0, 1, … positional, kReceiver for the receiver.
  static constexpr std::int8_t kReceiver = -1;
  std::int8_t subject = kReceiver;
  // Argument that kBackward and kGradOfInputs speak of, where it is another: loss_scaler(loss,
  // optimizer) differentiates one and steps the other.
  std::int8_t loss = kReceiver;
  // Positional index of an argument used as a regression or class target (no gradient wanted), or
  // -2.
  static constexpr std::int8_t kNoTarget = -2;
  std::int8_t target = kNoTarget;
  bool bounded = false;  // deque(maxlen=…) and kin, when the named argument is given
  bool is_class = false;
  // 0-d when called without dim / axis and without further positional arguments: x.mean(),
  // torch.sum(x). With kTensors (x.max()): one 0-d tensor then, values and indices otherwise.
  bool reduces = false;
  // What a fixed tuple holds, part by part: kUnknown for a part of no interest; none, no tuple.
  static constexpr std::size_t kMaxParts = 4;
  std::uint8_t part_count = 0;
  std::array<Result, kMaxParts> parts{};
  // What the framework hands to an override of this method, after the receiver; kUnknown: no word.
  std::array<Result, kMaxParts> takes{};
};

// What an attribute is when it is read and not called: torch.Tensor.data, .grad, .shape; "" when
// unknown.
struct AttributeFact {
  std::string_view name;  // "torch.Tensor.data"
  Result result;
  Graph graph;
};

// By qualified name ("torch.optim.Adam"), aliases included; nullptr when unknown. Thread-safe,
// constant time or log n.
const Fact* Find(std::string_view qualified);
// What it does to call what this fact makes: `__call__` of the class, own or inherited. nullptr when
// the stubs do not say; a wildcard that stands for every name is no word on calls.
const Fact* FindCall(const Fact& maker);
// Method of a kind of receiver: ("torch.Tensor", "item"), ("torch.nn.Module", "eval"). Looks
// through stub base classes.
const Fact* FindMethod(std::string_view class_name, std::string_view method);
const AttributeFact* FindAttribute(std::string_view class_name, std::string_view attribute);
// Class of a qualified class name in the stubs whose instances behave so
// ("torchvision.models.ResNet" -> "torch.nn.Module"): the nearest ancestor that is one of
// torch.nn.Module, torch.optim.Optimizer, …; empty when unknown.
std::string_view BaseClass(std::string_view qualified);
bool IsSubclass(std::string_view qualified, std::string_view ancestor);
// What the class `qualified` of another file is, judged by its last name, where a framework's
// classes go by one: "mylib.core.BaseLightningModule" -> "lightning.pytorch.LightningModule". The
// class itself when the stubs have it; empty when nothing fits.
std::string_view ClassByName(std::string_view qualified);
// A method that the class or a base of it lists, never what a __getattr__ covers.
const Fact* FindListed(std::string_view class_name, std::string_view method);

// What calling a method of this name on an unknown receiver says about the receiver ("zero_grad" ->
// optimizer or module, "backward" -> tensor, "eval" -> module). Bit set over Evidence.
enum Evidence : std::uint16_t {
  kNoEvidence = 0,
  kIsTensor = 1,
  kIsModule = 2,
  kIsOptimizer = 4,
  kIsHandle = 8,
  kIsScaler = 16,
  kIsLoader = 32,
  kIsContainer = 64,
  kIsScheduler = 128,
  kIsDifferentiated = 256 /* backward() runs on it: a tensor with a graph */,
};
std::uint16_t EvidenceOfMethod(std::string_view method);

std::span<const Fact> All();

}  // namespace torchleak::facts
