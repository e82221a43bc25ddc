// The kernels for loops of the host, chains and graphs.
#include "solver.cuh"
