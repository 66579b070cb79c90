// What names suggest. Each list has names that must, and look-alikes that must not.
#include "flow/names.h"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>

namespace torchleak::flow {
namespace {

using Guess = bool (*)(std::string_view);

void Check(Guess guess, std::initializer_list<std::string_view> are,
           std::initializer_list<std::string_view> are_not) {
  for (std::string_view name : are) {
    CAPTURE(std::string(name));
    CHECK(guess(name));
  }
  for (std::string_view name : are_not) {
    CAPTURE(std::string(name));
    CHECK_FALSE(guess(name));
  }
}

TEST_CASE("modules") {
  Check(LooksLikeModule,
        {"model", "netG", "net_D", "student", "policy_net", "encoder", "image_encoder",
         "actorCritic", "model2", "UNET"},
        {"Model", "PolicyNetwork", "model_name", "model_path", "model_optimizer", "network_config",
         "build_model", "data_loader", "planet", "remodel", "x", "", "_", "netloader_"});
}

TEST_CASE("losses") {
  Check(LooksLikeLoss, {"loss", "criterion", "loss_fn", "bce", "lossD", "criterion_GAN"},
        {"glossary", "lossless", "floss", "accuracy", ""});
}

TEST_CASE("optimizers, and schedulers before them") {
  Check(LooksLikeOptimizer, {"opt", "optimizer", "optimizer_G", "optimG", "adam", "optims"},
        {"option", "opts_schedule", "optimizer_scheduler", "optimal", "lr_opt", ""});
  Check(LooksLikeScheduler, {"scheduler", "lr_sched", "warmup", "lr_scheduler"},
        {"reschedule_", "lrx", "optimizer", ""});
}

TEST_CASE("loaders and data") {
  Check(LooksLikeLoader, {"train_loader", "val_dl", "dataloader", "trainLoader"},
        {"loaded", "preload", "load", "data", ""});
  Check(LooksLikeData, {"enumerate(train_loader)", "range(num_steps)", "dataset", "range(epochs)"},
        {"model.layers", "range(10)", "zip(a, b)", ""});
}

TEST_CASE("a long expression is judged by its beginning") {
  CHECK_FALSE(LooksLikeData(std::string(200, 'x') + " loader"));
  CHECK(LooksLikeData("loader " + std::string(200000, 'x')));
}

TEST_CASE("methods by their verb") {
  Check(LooksLikeMethod, {"get_std", "reset_parameters", "toDevice", "is_ready", "update"},
        {"std_get", "backbone", "issue", "", "_"});
}

TEST_CASE("held-out data and evaluation") {
  Check(LooksHeldOut, {"val_loader", "test_set", "valLoader", "dev"},
        {"value", "latest", "train_loader", "evaluate", "device"});
  Check(LooksLikeEvaluation,
        {"evaluate", "validate", "test", "test_epoch", "predict", "run_inference"},
        {"train_and_evaluate", "eval_grad", "test_attack", "value", "contest", "setup_test"});
}

TEST_CASE("metrics and engines") {
  Check(LooksLikeMetric, {"train_acc", "psnr", "loss_meter", "AccuracyMeter"},
        {"accelerator", "metrical", "loss"});
  Check(LooksLikeEngine, {"accelerator", "fabric", "self", "my_engine"}, {"loss", "model", "opt"});
}

TEST_CASE("hooks of torch, and of nobody else") {
  Check(IsTorchHook,
        {"register_hook", "register_forward_hook", "register_forward_pre_hook",
         "register_full_backward_hook", "register_post_accumulate_grad_hook"},
        {"register_buffer", "register_module", "register_state_dict_hook", "hook", ""});
}

TEST_CASE("contexts that turn grad off") {
  Check(TurnsGradOff, {"torch.no_grad()", "self.maybe_no_grad", "th.inference_mode()"},
        {"torch.enable_grad()", "autocast", ""});
}

}  // namespace
}  // namespace torchleak::flow
