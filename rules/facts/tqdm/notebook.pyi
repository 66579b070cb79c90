from tqdm import tqdm as tqdm
from tqdm import trange as trange
