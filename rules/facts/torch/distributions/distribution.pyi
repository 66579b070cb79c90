from torch.distributions import Distribution as Distribution
