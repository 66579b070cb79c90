from torch.distributions import Categorical as Categorical
