// What all questions about a file begin with. Inner to this layer.
#pragma once

#include "engine/analyze.h"
#include "flow/events.h"
#include "sema/module.h"

namespace torchleak::engine {

// What happens in the file, with what is known around it. The module must outlive it.
// `with_dismissed`: also what is surely no leak, which only `why` speaks of.
flow::FileEvents EventsOf(sema::Module* module, const Surrounding& surrounding,
                          bool with_dismissed = false);

}  // namespace torchleak::engine
