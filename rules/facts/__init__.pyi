# Names at the top: builtins without their module, and packages that are known by two names.
from builtins import *
from lightning import pytorch as pytorch_lightning
from lightning import fabric as lightning_fabric

# Modules that know no tensors, and sinks that convert at once.
import _plain as PIL
import _plain as argparse
import _plain as calendar
import _plain as cmath
import _plain as csv
import _plain as cv2
import _plain as datetime
import _plain as getpass
import _plain as glob
import _plain as hashlib
import _plain as inspect
import _plain as json
import _plain as math
import _plain as nltk
import _plain as os
import _plain as pandas
import _plain as platform
import _plain as psutil
import _plain as re
import _plain as resource
import _plain as rouge_score
import _plain as sacrebleu
import _plain as scipy
import _plain as seqeval
import _plain as shutil
import _plain as signal
import _plain as simplejson
import _plain as skimage
import _plain as sklearn
import _plain as socket
import _plain as statistics
import _plain as string
import _plain as struct
import _plain as subprocess
import _plain as sys
import _plain as time
import _plain as toml
import _plain as traceback
import _plain as uuid
import _plain as yaml

import _sinks as clearml
import _sinks as comet_ml
import _sinks as matplotlib
import _sinks as mlflow
import _sinks as neptune
import _sinks as plotly
import _sinks as pprint
import _sinks as seaborn
import _sinks as swanlab
import _sinks as tensorboard_logger
import _sinks as visdom
