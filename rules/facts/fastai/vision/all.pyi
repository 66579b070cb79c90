from fastai.learner import *
