from skorch import NeuralNet as NeuralNet
