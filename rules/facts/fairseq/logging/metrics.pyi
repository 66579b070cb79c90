from fairseq.metrics import *
