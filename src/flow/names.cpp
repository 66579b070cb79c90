// Names are cut into lower-case words at underscores, digits and capitals: netG -> net, g.
#include "flow/names.h"

#include <algorithm>
#include <array>

namespace torchleak::flow {
namespace {

constexpr bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

// Calls `visit` with each word until it returns true. Nothing is allocated: names are looked at
// millions of times; a word longer than the buffer is in no lexicon and is cut.
template <typename Visit>
bool AnyOfWords(std::string_view name, Visit visit) {
  char word[24];
  std::size_t n = 0;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    const char c = i < name.size() ? name[i] : '_';
    const bool letter = IsUpper(c) || IsLower(c);
    const bool hump = IsUpper(c) && i > 0 && IsLower(name[i - 1]);
    if ((!letter || hump) && n > 0) {
      if (visit(std::string_view(word, n))) return true;
      n = 0;
    }
    if (letter && n < sizeof word) word[n++] = IsUpper(c) ? static_cast<char>(c + ('a' - 'A')) : c;
  }
  return false;
}

template <std::size_t N>
bool AnyWord(std::string_view name, const std::array<std::string_view, N>& lexicon) {
  return AnyOfWords(name, [&](std::string_view w) {
    return std::find(lexicon.begin(), lexicon.end(), w) != lexicon.end();
  });
}

}  // namespace

bool LooksLikeModule(std::string_view name) {
  const bool is_class = name.size() > 1 && IsUpper(name[0]) && IsLower(name[1]);
  if (is_class || LooksLikeMethod(name))
    return false;  // Model(envs) makes one, log_model(best) logs one
  static constexpr std::array<std::string_view, 40> kWords{
      "inception", "densenet",      "mobilenet", "efficientnet", "autoencoder", "vit",
      "denoiser",  "model",         "models",    "net",          "network",     "module",
      "generator", "discriminator", "critic",    "actor",        "policy",      "encoder",
      "decoder",   "backbone",      "student",   "teacher",      "classifier",  "clf",
      "gen",       "disc",          "unet",      "vae",          "gan",         "transformer",
      "bert",      "resnet",        "vgg",       "lstm",         "rnn",         "gru",
      "gnn",       "cnn",           "qnet",      "agent"};
  static constexpr std::array<std::string_view, 19> kNot{
      "loader", "fn",   "func",  "function", "callback", "name", "path", "config", "args", "class",
      "cls",    "make", "build", "create",   "get",      "load", "init", "save",   "new"};
  return AnyWord(name, kWords) && !AnyWord(name, kNot) && !LooksLikeOptimizer(name);
}

bool LooksLikeReference(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kWords{"teacher",   "target", "ref",
                                                          "reference", "ema",    "momentum"};
  return AnyWord(name, kWords);
}

bool LooksLikeLoss(std::string_view name) {
  static constexpr std::array<std::string_view, 11> kWords{
      "loss", "losses", "criterion", "criteria", "crit",  "bce",
      "mse",  "ce",     "objective", "nll",      "lossfn"};
  return AnyWord(name, kWords);
}

bool LooksLikeOptimizer(std::string_view name) {
  static constexpr std::array<std::string_view, 11> kWords{
      "opt", "optim", "optimizer", "optimiser", "optimizers", "opts",
      "sgd", "adam",  "adamw",     "solver",    "optims"};
  static constexpr std::array<std::string_view, 2> kNot{"local", "option"};
  return AnyWord(name, kWords) && !AnyWord(name, kNot) && !LooksLikeScheduler(name);
}

bool LooksLikeScheduler(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kWords{
      "sched", "scheduler", "schedulers", "lr", "warmup", "schedule", "annealer", "profiler"};
  return AnyWord(name, kWords);
}

bool LooksLikeLoader(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kWords{
      "loader",  "loaders",     "dataloader",  "dataloaders", "dl",
      "batches", "minibatches", "trainloader", "testloader",  "valloader"};
  return AnyWord(name, kWords);
}

namespace {

// range(total // batch_size), range(math.ceil(n / bs))
bool LooksLikeBatchCount(std::string_view expression) {
  static constexpr std::array<std::string_view, 3> kWords{"batch", "batchsize", "bs"};
  const std::size_t range = expression.find("range(");
  const std::size_t division = expression.find('/', std::min(range, expression.size()));
  return division != expression.npos && AnyWord(expression.substr(division, 60), kWords);
}

}  // namespace

bool LooksLikeData(std::string_view expression) {
  static constexpr std::array<std::string_view, 27> kWords{
      "loader",      "loaders",    "dataloader", "dataloaders", "dl",       "batches",
      "minibatches", "dataset",    "datasets",   "iter",        "iterator", "stream",
      "epoch",       "epochs",     "step",       "steps",       "episode",  "episodes",
      "iters",       "iterations", "folds",      "timesteps",   "updates",  "trainloader",
      "testloader",  "valloader",  "rollouts"};
  return AnyWord(expression.substr(0, 120), kWords) || LooksLikeBatchCount(expression);
}

bool LooksLikeCount(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kWords{"count",    "counts", "num",    "ntokens",
                                                          "nsamples", "length", "lengths"};
  return name.starts_with("n_") || AnyWord(name, kWords);
}

bool LooksLikeSteps(std::string_view expression) {
  static constexpr std::array<std::string_view, 9> kWords{"step",      "steps",    "timestep",
                                                          "timesteps", "updates",  "iter",
                                                          "iters",     "iterator", "iterations"};
  return AnyWord(expression.substr(0, 120), kWords);
}

bool LooksLikeMethod(std::string_view name) {
  static constexpr std::array<std::string_view, 57> kVerbs{"get",      "set",     "reset",
                                                           "register", "add",     "remove",
                                                           "has",      "is",      "to",
                                                           "from",     "update",  "compile",
                                                           "unwrap",   "prepare", "apply",
                                                           "merge",    "unmerge", "fuse",
                                                           "unfuse",   "unload",  "delete",
                                                           "push",     "print",   "log",
                                                           "check",    "freeze",  "unfreeze",
                                                           "init",     "clear",   "enable",
                                                           "disable",  "save",    "load",
                                                           "make",     "build",   "create",
                                                           "append",   "extend",  "insert",
                                                           "pop",      "keys",    "values",
                                                           "items",    "copy",    "train",
                                                           "eval",     "named",   "parameters",
                                                           "children", "modules", "register_buffer",
                                                           "zero",     "on",      "configure",
                                                           "count",    "scale",   "initialize"};
  bool verb = false;
  AnyOfWords(name, [&](std::string_view first) {
    verb = std::find(kVerbs.begin(), kVerbs.end(), first) != kVerbs.end();
    return true;
  });
  return verb;
}

bool LooksLikeFactory(std::string_view name) {
  static constexpr std::array<std::string_view, 9> kWords{
      "class", "cls", "fn", "func", "function", "factory", "type", "callback", "method"};
  return AnyWord(name, kWords);
}

bool LooksLikeMetric(std::string_view name) {
  static constexpr std::array<std::string_view, 14> kWords{
      "acc", "accuracy", "metric", "metrics", "auroc", "auc", "f1",
      "iou", "psnr",     "ssim",   "meter",   "bleu",  "wer", "recall"};
  return AnyWord(name, kWords);
}

bool LooksHeldOut(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kWords{
      "val", "valid",      "validation", "test",       "eval",
      "dev", "testloader", "valloader",  "evaluation", "validloader"};
  return AnyWord(name, kWords);
}

bool LooksLikeEvaluation(std::string_view name) {
  static constexpr std::array<std::string_view, 15> kWords{
      "eval",    "evaluate", "evaluation", "val",   "valid",     "validate",  "validation", "test",
      "testing", "predict",  "prediction", "infer", "inference", "evaluator", "accuracy"};
  static constexpr std::array<std::string_view, 4> kNot{"train", "setup", "attack", "grad"};
  return AnyWord(name, kWords) && !AnyWord(name, kNot);
}

bool LooksLikeEngine(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kWords{
      "self",     "accelerator", "acc",    "fabric",    "engine",
      "strategy", "trainer",     "runner", "optimizer", "accel"};
  return AnyWord(name, kWords);
}

bool LooksLikeAccelerator(std::string_view name) {
  static constexpr std::array<std::string_view, 2> kWords{"accelerator", "fabric"};
  return AnyWord(name, kWords);
}

bool RunsBackward(std::string_view name) { return LooksLikeEngine(name) || LooksLikeModule(name); }

bool IsTorchHook(std::string_view method) {
  static constexpr std::array<std::string_view, 7> kHooks{"register_hook",
                                                          "register_forward_hook",
                                                          "register_forward_pre_hook",
                                                          "register_backward_hook",
                                                          "register_full_backward_hook",
                                                          "register_full_backward_pre_hook",
                                                          "register_post_accumulate_grad_hook"};
  return std::find(kHooks.begin(), kHooks.end(), method) != kHooks.end();
}

bool TurnsGradOff(std::string_view text) {
  return text.find("no_grad") != std::string_view::npos ||
         text.find("inference_mode") != std::string_view::npos;
}

}  // namespace torchleak::flow
