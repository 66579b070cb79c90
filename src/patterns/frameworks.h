// Frameworks: classes whose methods a framework calls, under whatever name they are imported.
//
//   import lightning as L                  class Net(L.LightningModule)
//   from mylib import BaseLightningModule    class Net(BaseLightningModule)
#pragma once

#include "sema/module.h"

namespace torchleak::patterns {

bool IsLightningModule(const sema::Module& module, sema::ClassId cls);
bool IsLightningCallback(const sema::Module& module, sema::ClassId cls);

}  // namespace torchleak::patterns
