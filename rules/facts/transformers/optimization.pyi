from transformers import *
