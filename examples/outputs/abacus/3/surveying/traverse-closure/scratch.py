import math

print(math.hypot(0.07, 0.03))
