from torch.distributions import Independent as Independent
