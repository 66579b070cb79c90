from torch.nn.utils import clip_grad_norm_ as clip_grad_norm_
from torch.nn.utils import clip_grad_norm as clip_grad_norm
from torch.nn.utils import clip_grad_value_ as clip_grad_value_
from torch.nn.utils import get_total_norm as get_total_norm
