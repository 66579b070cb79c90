from torch.distributions import Normal as Normal
