// Why an event is no finding, in words: read from the event's fields, which are all that rules
// decide on.
//
// The rules themselves are asked first; these reasons are only for events that none of them
// reported, so they never say what a rule would do.
#pragma once

#include <string>
#include <vector>

#include "flow/events.h"
#include "text/source.h"

namespace torchleak::engine {

// What happened, as a sentence without a full stop.
std::string WhatHappened(const flow::KeptEvent& event);
std::string WhatHappened(const flow::ForwardEvent& event);
std::string WhatHappened(const flow::RetainedEvent& event);
std::string WhatHappened(const flow::HookEvent& event);

// Reasons for the silence, the strongest first; never empty.
std::vector<std::string> WhySilent(const flow::KeptEvent& event, const text::Source& source);
std::vector<std::string> WhySilent(const flow::ForwardEvent& event, const text::Source& source);
std::vector<std::string> WhySilent(const flow::RetainedEvent& event, const text::Source& source);
std::vector<std::string> WhySilent(const flow::HookEvent& event, const text::Source& source);

}  // namespace torchleak::engine
