// One function for each rule folder; the list itself is all_rules.cpp.
#pragma once

#include "engine/rule.h"

namespace torchleak::rules {

const engine::Rule& SyntaxError();
const engine::Rule& UnusedSuppression();
const engine::Rule& InvalidSuppression();
const engine::Rule& AccumulatedTensor();
const engine::Rule& GpuAccumulation();
const engine::Rule& TensorOnModule();
const engine::Rule& HookNotRemoved();
const engine::Rule& HookKeepsOutput();
const engine::Rule& RetainedGraph();
const engine::Rule& MissingZeroGrad();
const engine::Rule& EvalWithGrad();

}  // namespace torchleak::rules
