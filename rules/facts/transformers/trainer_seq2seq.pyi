from transformers import Seq2SeqTrainer as Seq2SeqTrainer
