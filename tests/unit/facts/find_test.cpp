// The compiled stubs, through the interface that flow uses.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "facts/facts.h"

namespace torchleak::facts {
namespace {

const Fact& Get(std::string_view name) {
  const Fact* fact = Find(name);
  REQUIRE_MESSAGE(fact != nullptr, std::string(name));
  return *fact;
}

const Fact& GetMethod(std::string_view class_name, std::string_view method) {
  const Fact* fact = FindMethod(class_name, method);
  const std::string name = std::string(class_name) + "." + std::string(method);
  REQUIRE_MESSAGE(fact != nullptr, name);
  return *fact;
}

TEST_CASE("a loss is a 0-d tensor with the graph of its input, and argument 1 is its target") {
  const Fact& fact = Get("torch.nn.functional.cross_entropy");
  CHECK(fact.name == "torch.nn.functional.cross_entropy");
  CHECK(fact.result == Result::kTensor);
  CHECK(fact.graph == Graph::kKeeps);
  CHECK(fact.size == Size::kScalar);
  CHECK(fact.target == 1);
  CHECK_FALSE(fact.is_class);
}

TEST_CASE("a loss class makes a module whose call is a loss") {
  CHECK(Get("torch.nn.CrossEntropyLoss").result == Result::kModule);
  CHECK(Get("torch.nn.CrossEntropyLoss").is_class);
  const Fact& call = Get("torch.nn.CrossEntropyLoss.__call__");
  CHECK(call.size == Size::kScalar);
  CHECK(call.target == 1);
  CHECK(GetMethod("torch.nn.MarginRankingLoss", "__call__").target == 2);
  CHECK(GetMethod("torch.nn.TripletMarginLoss", "__call__").target == Fact::kNoTarget);
}

TEST_CASE("what leaves the graph, and what only leaves the device") {
  CHECK(Get("torch.Tensor.item").result == Result::kNumber);
  CHECK(Get("torch.Tensor.item").graph == Graph::kDrops);
  CHECK(Get("torch.Tensor.detach").graph == Graph::kDrops);
  CHECK(Get("torch.Tensor.argmax").graph == Graph::kDrops);
  CHECK(Get("torch.argmax").graph == Graph::kDrops);
  CHECK(Get("torch.Tensor.long").graph == Graph::kDrops);
  CHECK(Get("torch.Tensor.float").graph == Graph::kKeeps);
  CHECK(Get("torch.Tensor.cpu").graph == Graph::kKeeps);
  CHECK(Get("torch.Tensor.cpu").residency == Residency::kHost);
  CHECK(Get("torch.Tensor.cuda").residency == Residency::kDevice);
  CHECK(Get("torch.Tensor.to").residency == Residency::kArgument);
  CHECK(Get("torch.Tensor.clone").graph == Graph::kKeeps);
  CHECK(Get("torch.multinomial").graph == Graph::kDrops);
  CHECK(Get("torch.cat").graph == Graph::kKeeps);
}

TEST_CASE("creation functions make leaves where `device` says") {
  for (std::string_view name : {"torch.zeros", "torch.randn", "torch.tensor", "torch.arange"}) {
    CHECK(Get(name).graph == Graph::kDrops);
    CHECK(Get(name).residency == Residency::kArgument);
  }
  CHECK(Get("torch.nn.Parameter").graph == Graph::kMakes);
}

TEST_CASE("reductions are 0-d only without a dimension") {
  CHECK(Get("torch.Tensor.mean").reduces);
  CHECK(Get("torch.sum").reduces);
  CHECK(Get("torch.Tensor.max").reduces);
  CHECK(Get("torch.Tensor.max").result == Result::kTensors);
  CHECK_FALSE(Get("torch.Tensor.exp").reduces);
  CHECK(Get("torch.Tensor.exp").size == Size::kKeeps);
}

TEST_CASE("effects and what they speak of") {
  CHECK(Get("torch.Tensor.backward").effects == kBackward);
  CHECK(Get("torch.Tensor.backward").subject == Fact::kReceiver);
  CHECK(Get("torch.autograd.backward").subject == 0);
  CHECK(Get("torch.autograd.grad").effects == kGradOfInputs);
  CHECK(GetMethod("torch.optim.Adam", "step").effects == kStep);
  CHECK(GetMethod("torch.optim.Adam", "zero_grad").effects == kZeroGrad);
  CHECK(GetMethod("torch.amp.GradScaler", "step").effects == kStep);
  CHECK(GetMethod("torch.amp.GradScaler", "step").subject == 0);
  CHECK(GetMethod("accelerate.Accelerator", "backward").subject == 0);
  CHECK((GetMethod("deepspeed.DeepSpeedEngine", "step").effects & kMayClearGrads) != 0);
  CHECK(GetMethod("builtins.list", "append").effects == kStores);
  CHECK(GetMethod("builtins.list", "append").subject == 0);
  CHECK(GetMethod("builtins.list", "insert").subject == 1);
  CHECK(GetMethod("builtins.dict", "setdefault").subject == 1);
  CHECK(GetMethod("builtins.dict", "update").effects == kStoresAll);
  CHECK(GetMethod("torch.Tensor", "add_").effects == kInPlace);
  CHECK(GetMethod("torch.Tensor", "add_").result == Result::kSelf);
  CHECK(GetMethod("torch.utils.hooks.RemovableHandle", "remove").effects == kRemovesHook);
  CHECK(GetMethod("torch.nn.Conv2d", "register_forward_hook").effects == kAddsHook);
  CHECK(GetMethod("torch.nn.Conv2d", "register_forward_hook").result == Result::kHandle);
  // A scheduler's step is no optimizer's step.
  CHECK((GetMethod("torch.optim.lr_scheduler.StepLR", "step").effects & kStep) == 0);
}

TEST_CASE("grad modes are contexts, under all their names") {
  CHECK(Get("torch.no_grad").effects == kGradOff);
  CHECK(Get("torch.no_grad").result == Result::kContext);
  CHECK(Get("torch.inference_mode").effects == kGradOff);
  CHECK(Get("torch.enable_grad").effects == kGradOn);
  CHECK(Get("torch.set_grad_enabled").effects == kGradSet);
  CHECK(Find("torch.autograd.grad_mode.no_grad") == Find("torch.no_grad"));
}

TEST_CASE("aliases give the one fact, classes with their methods") {
  CHECK(Find("torch.cuda.amp.GradScaler") == Find("torch.amp.GradScaler"));
  CHECK(Find("torch.cuda.amp.GradScaler.step") == Find("torch.amp.GradScaler.step"));
  CHECK(Find("pytorch_lightning.LightningModule") == Find("lightning.pytorch.LightningModule"));
  CHECK(Find("lightning.LightningModule") == Find("lightning.pytorch.LightningModule"));
  CHECK(Find("list.append") == Find("builtins.list.append"));
  CHECK(FindMethod("torch.cuda.amp.GradScaler", "update") == Find("torch.amp.GradScaler.update"));
  CHECK(BaseClass("pytorch_lightning.LightningModule") == "lightning.pytorch.LightningModule");
}

TEST_CASE("classes know what they are") {
  CHECK(BaseClass("torch.nn.Linear") == "torch.nn.Module");
  CHECK(BaseClass("torchvision.models.ResNet") == "torch.nn.Module");
  CHECK(BaseClass("torch.optim.AdamW") == "torch.optim.Optimizer");
  CHECK(BaseClass("torch.optim.lr_scheduler.StepLR") == "torch.optim.lr_scheduler.LRScheduler");
  CHECK(BaseClass("collections.OrderedDict") == "builtins.dict");
  CHECK(BaseClass("collections.deque") == "collections.deque");
  CHECK(BaseClass("torch.nn.functional.relu").empty());
  CHECK(BaseClass("some.project.Model").empty());
  CHECK(IsSubclass("torch.nn.CrossEntropyLoss", "torch.nn._Loss"));
  CHECK(IsSubclass("torch.nn.CrossEntropyLoss", "torch.nn.Module"));
  CHECK(IsSubclass("lightning.LightningModule", "torch.nn.Module"));
  CHECK_FALSE(IsSubclass("torch.nn.Module", "torch.nn.Linear"));
  CHECK_FALSE(IsSubclass("torch.optim.Adam", "torch.nn.Module"));
}

TEST_CASE("every receiver that flow names is a class of the stubs") {
  for (std::string_view name :
       {"torch.Tensor", "torch.nn.Module", "torch.optim.Optimizer",
        "torch.optim.lr_scheduler.LRScheduler", "torch.amp.GradScaler",
        "torch.utils.hooks.RemovableHandle", "torch.utils.data.DataLoader",
        "torch.distributions.Distribution", "builtins.list", "builtins.dict", "builtins.set",
        "builtins.tuple", "collections.deque", "collections.defaultdict",
        "torch.utils.tensorboard.SummaryWriter", "accelerate.Accelerator",
        "lightning.pytorch.LightningModule", "deepspeed.DeepSpeedEngine", "torchmetrics.Metric"})
    CHECK_MESSAGE(BaseClass(name) == name, std::string(name));
}

TEST_CASE("inherited methods, and the nearest class wins") {
  CHECK(GetMethod("torch.nn.LSTM", "eval").effects == kEvalMode);
  CHECK(GetMethod("torch.nn.Module", "__call__").result == Result::kUnknown);
  CHECK(GetMethod("torch.nn.Linear", "__call__").result == Result::kTensor);
  CHECK(GetMethod("torch.nn.Linear", "__call__").graph == Graph::kMakes);
  CHECK(GetMethod("torch.nn.LSTM", "__call__").result == Result::kTensors);
  CHECK(GetMethod("torch.nn.ReLU", "__call__").graph == Graph::kKeeps);
  CHECK(GetMethod("torch.distributions.Normal", "rsample").graph == Graph::kMakes);
  CHECK(GetMethod("torch.distributions.Normal", "sample").graph == Graph::kDrops);
  CHECK(FindMethod("torch.nn.Linear", "no_such_method") == nullptr);
}

TEST_CASE("__getattr__ answers for the rest of a module or class, and only there") {
  CHECK(Get("numpy.random.permutation").result == Result::kNumber);
  CHECK(Get("torchvision.models.detection.fasterrcnn_resnet50_fpn").result == Result::kModule);
  CHECK(Get("matplotlib.pyplot.plot").effects == kHarmless);
  CHECK(Get("math.sqrt").result == Result::kNumber);
  CHECK(GetMethod("torch.utils.tensorboard.SummaryWriter", "add_pr_curve").effects == kHarmless);
  CHECK(FindMethod("torch.utils.tensorboard.SummaryWriter", "__call__") == nullptr);
  CHECK(Find("torch.some_new_function") == nullptr);
  CHECK(Find("project.helpers.train") == nullptr);
  CHECK(Find("_plain.anything") == nullptr);
  CHECK(Find("") == nullptr);
  CHECK(Find(".") == nullptr);
  CHECK(Find("torch") == nullptr);
}

TEST_CASE("attributes") {
  const AttributeFact* data = FindAttribute("torch.Tensor", "data");
  REQUIRE(data != nullptr);
  CHECK(data->name == "torch.Tensor.data");
  CHECK(data->result == Result::kTensor);
  CHECK(data->graph == Graph::kDrops);
  REQUIRE(FindAttribute("torch.nn.Parameter", "shape") != nullptr);
  CHECK(FindAttribute("torch.nn.Parameter", "shape")->result == Result::kNumber);
  REQUIRE(FindAttribute("torch", "float32") != nullptr);
  CHECK(FindAttribute("torch.Tensor", "item") == nullptr);
  CHECK(FindAttribute("torch.Tensor", "nothing") == nullptr);
}

TEST_CASE("evidence is given by telling names only") {
  CHECK(EvidenceOfMethod("backward") == (kIsTensor | kIsDifferentiated));
  CHECK(EvidenceOfMethod("zero_grad") == (kIsOptimizer | kIsModule));
  CHECK(EvidenceOfMethod("eval") == kIsModule);
  CHECK(EvidenceOfMethod("cuda") == (kIsTensor | kIsModule));
  CHECK(EvidenceOfMethod("unscale_") == kIsScaler);
  for (std::string_view weak : {"step", "to", "append", "update", "remove", "sum", "mean", ""})
    CHECK_MESSAGE(EvidenceOfMethod(weak) == kNoEvidence, std::string(weak));
}

TEST_CASE("the table is sorted, unique, and every fact is found under its own name") {
  const auto all = All();
  CHECK(all.size() > 2000);
  CHECK(std::ranges::adjacent_find(all, std::ranges::greater_equal{}, &Fact::name) == all.end());
  for (const Fact& fact : all) CHECK_MESSAGE(Find(fact.name) == &fact, std::string(fact.name));
}

TEST_CASE("bounded containers") {
  CHECK(Get("collections.deque").bounded);
  CHECK(Get("functools.lru_cache").bounded);
  CHECK_FALSE(Get("list").bounded);
}

// What a framework does around an override; 0 when it says nothing of it.
std::uint32_t Around(std::string_view class_name, std::string_view method) {
  const Fact* fact = FindListed(class_name, method);
  return fact == nullptr ? 0u : fact->effects & kOfOverrides;
}

TEST_CASE("frameworks say what they do around the methods that one overrides") {
  constexpr std::string_view kModule = "pytorch_lightning.LightningModule";
  CHECK(Around(kModule, "validation_step") == kCalledWithoutGrad);
  CHECK(Around(kModule, "on_validation_epoch_end") == kCalledWithoutGrad);
  CHECK(Around(kModule, "predict_step") == kCalledWithoutGrad);
  CHECK(Around(kModule, "training_step") == kResultDifferentiated);
  CHECK(Around(kModule, "on_train_epoch_end") == 0);
  CHECK(Around("lightning.pytorch.Callback", "on_test_batch_end") == kCalledWithoutGrad);
  CHECK(Around("transformers.Seq2SeqTrainer", "compute_loss") == kResultDifferentiated);
  CHECK(Around("transformers.Trainer", "prediction_step") == 0);  // guards itself, in its body
  CHECK(Around("fairseq.tasks.translation.TranslationTask", "valid_step") == kCalledWithoutGrad);
  CHECK(Around("fairseq.criterions.FairseqCriterion", "forward") == kResultDifferentiated);
  CHECK(Around("mmengine.model.BaseModel", "test_step") == kCalledWithoutGrad);
  CHECK(Around("stable_baselines3.common.policies.ActorCriticPolicy", "_predict") ==
        kCalledWithoutGrad);
  CHECK(Around("ignite.metrics.Metric", "update") == kCalledWithoutGrad);
  CHECK(Around("torchmetrics.Accuracy", "update") == kCalledWithoutGrad);
}

TEST_CASE("a framework's classes go by their name where the import does not tell") {
  CHECK(ClassByName("lightning.LightningModule") == "lightning.pytorch.LightningModule");
  CHECK(ClassByName(".core.ProjectLightningModule") == "lightning.pytorch.LightningModule");
  CHECK(ClassByName("mylib.LegacyFairseqTask") == "fairseq.tasks.FairseqTask");
  CHECK(ClassByName("torch.nn.Linear") == "torch.nn.Linear");
  CHECK(ClassByName("mylib.Linear").empty());
  CHECK(ClassByName("mylib.LightningModuleMixin").empty());
}

TEST_CASE("only what a stub lists is listed") {
  CHECK(FindListed("torch.nn.Linear", "eval") == Find("torch.nn.Module.eval"));
  CHECK(FindListed("torch.nn.Linear", "anything") == nullptr);
  CHECK(FindListed("some.project.Model", "eval") == nullptr);
}

TEST_CASE("parts of a result, and what an override is handed") {
  const Fact& made = Get("deepspeed.initialize");
  REQUIRE(made.part_count == 4);
  CHECK(made.parts[0] == Result::kEngine);
  CHECK(made.parts[3] == Result::kScheduler);
  CHECK(Get("lightning.fabric.Fabric.setup").result == Result::kArguments);
  CHECK(Get("transformers.Trainer.compute_loss").takes[0] == Result::kModule);
  CHECK(Get("transformers.Trainer.compute_loss").takes[1] == Result::kUnknown);
}

TEST_CASE("a call may differentiate one argument and step another") {
  const Fact& scaler = Get("timm.utils.NativeScaler.__call__");
  CHECK(scaler.loss == 0);
  CHECK(scaler.subject == 1);
  CHECK(Get("torch.autograd.backward").loss == 0);
  CHECK(Get("torch.Tensor.backward").loss == Fact::kReceiver);
}

}  // namespace
}  // namespace torchleak::facts
