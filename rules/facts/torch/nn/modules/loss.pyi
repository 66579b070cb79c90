from torch.nn import *
from torch.nn import _Loss as _Loss
from torch.nn import _Loss as _WeightedLoss
