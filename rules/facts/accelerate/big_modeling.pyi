from accelerate import *
