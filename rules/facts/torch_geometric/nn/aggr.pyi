from torch_geometric.nn import Aggregation as Aggregation
