from torch_geometric.nn import *
