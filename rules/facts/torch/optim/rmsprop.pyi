from torch.optim import RMSprop as RMSprop
