from torch.nn import Parameter as Parameter
from torch.nn import Buffer as Buffer
from torch.nn import UninitializedParameter as UninitializedParameter
