from torch.nn import Sequential as Sequential
from torch.nn import ModuleList as ModuleList
from torch.nn import ModuleDict as ModuleDict
