from torch.distributions import Uniform as Uniform
