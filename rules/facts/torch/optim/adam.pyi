from torch.optim import Adam as Adam
