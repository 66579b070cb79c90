// Repair: the edit that takes away the cause of a finding, from the event that the finding is of.
//
// Each function returns nothing when there is no edit that is sure to be right in form. What is
// safe is told in README.md of this folder. Edits have the event's file.
//
//   finding.fix = repair::KeepLess(events, event);
#pragma once

#include <optional>

#include "findings/finding.h"
#include "flow/events.h"

namespace torchleak::repair {

// Keeps the number, or a copy without graph on the host, instead of the tensor.
std::optional<findings::Fix> KeepLess(const flow::FileEvents& events, const flow::KeptEvent& kept);

// Turns grad off around the forward: for its whole function, its loop, or its statement.
std::optional<findings::Fix> RunWithoutGrad(const flow::FileEvents& events,
                                            const flow::ForwardEvent& forward);

std::optional<findings::Fix> DropRetainGraph(const flow::FileEvents& events,
                                             const flow::RetainedEvent& retained);

std::optional<findings::Fix> ClearGradients(const flow::FileEvents& events,
                                            const flow::StaleStepEvent& step);

// Removes the hook at the end of the block that registers it.
std::optional<findings::Fix> RemoveHook(const flow::FileEvents& events,
                                        const flow::HookEvent& hook);

}  // namespace torchleak::repair
