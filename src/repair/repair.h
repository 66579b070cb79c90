// Repair: the edit that takes away the cause of a finding, from the event that the finding is of.
//
// Each function returns nothing when there is no edit that is sure to be right in form. What is
// safe is told in README.md of this folder. Edits have the event's file.
//
//   finding.fix = repair::KeepLess(events, event);
#pragma once

#include <optional>
#include <span>

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

// Removes hooks that are registered in one straight line: at the end of the block, or by a method
// that the object gets.
std::optional<findings::Fix> RemoveHooks(const flow::FileEvents& events,
                                         std::span<const flow::HookEvent* const> hooks);

}  // namespace torchleak::repair
