# Names at the top: builtins without their module, and packages that are known by two names.
from builtins import *
from lightning import pytorch as pytorch_lightning
from lightning import fabric as lightning_fabric

# Modules that know no tensors, and sinks that convert at once.
import plain as PIL
import plain as argparse
import plain as calendar
import plain as cmath
import plain as csv
import plain as cv2
import plain as datetime
import plain as evaluate
import plain as gc
import plain as getpass
import plain as glob
import plain as hashlib
import plain as inspect
import plain as json
import plain as math
import plain as nltk
import plain as os
import plain as pandas
import plain as platform
import plain as psutil
import plain as re
import plain as resource
import plain as rouge_score
import plain as sacrebleu
import plain as scipy
import plain as seqeval
import plain as shutil
import plain as signal
import plain as simplejson
import plain as skimage
import plain as sklearn
import plain as socket
import plain as statistics
import plain as string
import plain as struct
import plain as subprocess
import plain as sys
import plain as time
import plain as toml
import plain as traceback
import plain as uuid
import plain as yaml

import sinks as clearml
import sinks as comet_ml
import sinks as matplotlib
import sinks as mlflow
import sinks as neptune
import sinks as plotly
import sinks as pprint
import sinks as seaborn
import sinks as swanlab
import sinks as tensorboard_logger
import sinks as visdom
