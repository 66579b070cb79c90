from torch.nn import Module as Module
