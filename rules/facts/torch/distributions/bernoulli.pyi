from torch.distributions import Bernoulli as Bernoulli
