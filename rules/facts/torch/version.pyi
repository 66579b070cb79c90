cuda: Number
hip: Number
