#include "flow/rename.h"

namespace torchleak::flow {
namespace {

bool RenameSink(Sink* sink, Numbering& numbering) {
  for (unsigned d = 0; d < sink->depth; ++d) sink->path[d] = numbering.Name(sink->path[d]);
  if (sink->root == Sink::Root::kParam) return true;
  const sema::BindingId global = numbering.Global(sema::BindingId{sink->index});
  sink->index = Index(global);
  return global != sema::kNoBinding;
}

void RenameTrail(std::vector<Site>* trail, Numbering& numbering) {
  for (Site& site : *trail) {
    if (site.path == nullptr) site.path = numbering.Path();
  }
}

void RenameEffects(std::vector<GradEffect>* effects, Numbering& numbering) {
  std::erase_if(*effects, [&](GradEffect& effect) {
    RenameTrail(&effect.trail, numbering);
    return !RenameSink(&effect.sink, numbering);
  });
}

}  // namespace

void Rename(Value* value, Numbering& numbering) {
  if (value->ref == kNoRef) return;
  std::uint32_t ref = kNoRef;
  switch (value->kind) {
    case Kind::kFunction:
      ref = Index(numbering.Function(sema::FunctionId{value->ref}));
      break;
    case Kind::kModule:
      if (value->ref >= kFactRef) return;
      ref = Index(numbering.Class(sema::ClassId{value->ref}));
      break;
    case Kind::kClass:
    case Kind::kInstance:
      ref = Index(numbering.Class(sema::ClassId{value->ref}));
      break;
    default:
      break;
  }
  value->ref = ref;
  if (ref == kNoRef && !value->Is(Kind::kModule) && !value->Is(Kind::kParameters))
    *value = Value::Unknown();
}

void Rename(Summary* s, Numbering& numbering) {
  Rename(&s->ret.value, numbering);
  for (auto& field : s->ret_fields) Rename(&field.second.value, numbering);
  // A store's place in the list is its name in other records of the same file, which do not travel.
  std::erase_if(s->stores, [&](StoreSummary& store) {
    RenameTrail(&store.trail, numbering);
    return !RenameSink(&store.sink, numbering);
  });
  std::erase_if(s->modes, [&](auto& mode) { return !RenameSink(&mode.first, numbering); });
  std::erase_if(s->forwards, [&](ForwardSummary& forward) {
    if (forward.site.path == nullptr) forward.site.path = numbering.Path();
    return !RenameSink(&forward.module, numbering);
  });
  std::erase_if(s->resets, [&](Sink& sink) { return !RenameSink(&sink, numbering); });
  RenameEffects(&s->grad_effects, numbering);
  for (GradVariant& variant : s->grad_variants) RenameEffects(&variant.effects, numbering);
}

}  // namespace torchleak::flow
