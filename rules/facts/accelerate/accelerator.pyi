from accelerate import Accelerator as Accelerator
