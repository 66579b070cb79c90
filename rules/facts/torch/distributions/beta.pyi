from torch.distributions import Beta as Beta
