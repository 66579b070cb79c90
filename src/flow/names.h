// What a name alone suggests. The weakest evidence: it never makes an error by itself.
#pragma once

#include <string_view>

namespace torchleak::flow {

bool LooksLikeModule(std::string_view name);     // model, netG, student, policy_net, encoder
bool LooksLikeReference(std::string_view name);  // teacher, target_net, ema_model
bool LooksLikeLoss(std::string_view name);       // criterion, loss_fn, bce
bool LooksLikeOptimizer(std::string_view name);  // opt, optimizer_G, sgd
bool LooksLikeScheduler(std::string_view name);  // scheduler, lr_sched
bool LooksLikeLoader(std::string_view name);     // train_loader, val_dl, dataloader
bool LooksLikeData(
    std::string_view expression);  // for … in enumerate(loader), range(num_steps), folds
bool LooksLikeCount(std::string_view name);        // datapoint_count, num_tokens
bool LooksLikeSteps(std::string_view expression);  // range(num_timesteps): no data by itself
bool LooksLikeMethod(
    std::string_view name);  // get_std, reset_parameters: a verb first, no submodule
bool LooksLikeFactory(std::string_view name);  // block_class, loss_fn, on_step_callback
bool LooksLikeMetric(std::string_view name);   // train_acc, psnr
bool LooksHeldOut(std::string_view name);      // val_loader, test_set, valid_iter
bool LooksLikeEvaluation(
    std::string_view function_name);               // evaluate, validate, test, predict, infer
bool LooksLikeAccelerator(std::string_view name);  // its gather() makes no tensor of it
bool LooksLikeEngine(std::string_view name);       // accelerator, fabric, engine, self, scaler
// x.backward(loss) differentiates `loss`, not x: engines, and modules that one has wrapped.
bool RunsBackward(std::string_view name);
bool IsTorchHook(std::string_view method);  // register_forward_hook and the other hooks of torch
bool TurnsGradOff(
    std::string_view text);  // a context or decorator named *no_grad*, *inference_mode*

}  // namespace torchleak::flow
