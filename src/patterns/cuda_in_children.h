// CudaInChild: CUDA in processes that cannot have it, or should not.
#pragma once

#include <vector>

#include "patterns/cuda_use.h"
#include "patterns/loaders.h"

namespace torchleak::patterns {

struct CudaInChildEvent : flow::EventBase {
  enum class Form : std::uint8_t {
    kForked,         // this process has started CUDA, forks, and the child uses CUDA
    kInWorker,       // the code of a loader's workers: dataset, collate_fn, worker_init_fn
    kKeptByDataset,  // __init__ of a dataset puts CUDA tensors on it, and its loader has workers
  } form = Form::kForked;
};

std::vector<CudaInChildEvent> CudaInChildren(const Sight& sight);

}  // namespace torchleak::patterns
