from torch.nn import InstanceNorm2d as _InstanceNorm
