from torch.autograd import detect_anomaly as detect_anomaly
from torch.autograd import set_detect_anomaly as set_detect_anomaly
