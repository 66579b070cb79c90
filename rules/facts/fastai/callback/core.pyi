from fastai.learner import Callback as Callback
