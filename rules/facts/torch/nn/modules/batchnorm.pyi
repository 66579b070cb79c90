from torch.nn import BatchNorm1d as BatchNorm1d
from torch.nn import BatchNorm2d as BatchNorm2d
from torch.nn import BatchNorm3d as BatchNorm3d
from torch.nn import SyncBatchNorm as SyncBatchNorm
from torch.nn import BatchNorm2d as _BatchNorm
