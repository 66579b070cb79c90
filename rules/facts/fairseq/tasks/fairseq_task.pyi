from fairseq.tasks import FairseqTask as FairseqTask
from fairseq.tasks import LegacyFairseqTask as LegacyFairseqTask
