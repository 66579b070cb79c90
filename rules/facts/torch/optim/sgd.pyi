from torch.optim import SGD as SGD
