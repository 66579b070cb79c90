from torch import no_grad as no_grad
from torch import inference_mode as inference_mode
from torch import enable_grad as enable_grad
from torch import set_grad_enabled as set_grad_enabled
