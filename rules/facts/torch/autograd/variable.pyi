from torch.autograd import Variable as Variable
