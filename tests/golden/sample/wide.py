import torch

total = 0
for 文字, y in データ:
	total = total + criterion(文字, y)  # é́ 🎉
