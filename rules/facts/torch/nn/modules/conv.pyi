from torch.nn import Conv1d as Conv1d
from torch.nn import Conv2d as Conv2d
from torch.nn import Conv3d as Conv3d
from torch.nn import ConvTranspose2d as ConvTranspose2d
from torch.nn import Conv2d as _ConvNd
