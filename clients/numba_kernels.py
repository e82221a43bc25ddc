"""Small programs as people write them with numba-cuda: each is compiled by NVVM at its first call and checked on the host."""


import warnings


import numpy as np
from numba import cuda, float32


warnings.simplefilter("ignore")


THREADS = 128




@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]




def vector_add():
    """Arrays of the host are copied by numba itself; of each type that it knows."""
    for kind in (np.int8, np.uint16, np.int32, np.int64, np.float16, np.float32, np.float64, np.complex64):
        a = np.arange(1000).astype(kind)
        b = (np.arange(1000) % 7).astype(kind)
        out = np.zeros_like(a)
        add[8, THREADS](a, b, out)
        assert (out == a + b).all(), kind




@cuda.jit
def block_sums(values, out):
    shared = cuda.shared.array(THREADS, float32)
    i = cuda.grid(1)
    shared[cuda.threadIdx.x] = values[i] if i < values.size else 0.0
    cuda.syncthreads()
    width = THREADS // 2
    while width > 0:
        if cuda.threadIdx.x < width:
            shared[cuda.threadIdx.x] += shared[cuda.threadIdx.x + width]
        cuda.syncthreads()
        width //= 2
    if cuda.threadIdx.x == 0:
        out[cuda.blockIdx.x] = shared[0]




def reduction():
    """By shared memory, with arrays that stay on the device; and by numba's own reduction."""
    values = (np.arange(10_007) % 5).astype(np.float32)
    blocks = -(-values.size // THREADS)
    out = cuda.device_array(blocks, np.float32)
    block_sums[blocks, THREADS](cuda.to_device(values), out)
    assert out.copy_to_host().sum() == values.sum()
    total = cuda.reduce(lambda a, b: a + b)
    assert total(np.arange(5000, dtype=np.int64)) == 5000 * 4999 // 2




@cuda.jit
def count(values, bins, extrema):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(bins, values[i] % bins.size, 1)
        cuda.atomic.min(extrema, 0, values[i])
        cuda.atomic.max(extrema, 1, values[i])
        cuda.atomic.cas(extrema[2:], 0, 0, i)




def atomics():
    values = np.random.default_rng(1).integers(-1000, 1000, 20_000).astype(np.int32)
    bins = np.zeros(13, np.int32)
    extrema = np.array([0, 0, 0], np.int32)
    count[-(-values.size // THREADS), THREADS](values, bins, extrema)
    assert (bins == np.bincount(values % 13, minlength=13)).all()
    assert extrema[0] == values.min() and extrema[1] == values.max() and 0 <= extrema[2] < values.size




@cuda.jit(device=True)
def dwell(real, imaginary, limit):
    c = complex(real, imaginary)
    z = 0j
    for i in range(limit):
        z = z * z + c
        if z.real * z.real + z.imag * z.imag >= 4.0:
            return i
    return limit




@cuda.jit
def mandelbrot_image(image, left, top, step, limit):
    x, y = cuda.grid(2)
    width, height = cuda.gridsize(2)
    for row in range(y, image.shape[0], height):
        for column in range(x, image.shape[1], width):
            image[row, column] = dwell(left + column * step, top + row * step, limit)




def mandelbrot():
    """A device function that is called in a strided loop over a picture; fused multiply-adds may move single pixels."""
    image = np.zeros((60, 90), np.int32)
    mandelbrot_image[(2, 3), (16, 8)](image, -2.0, -1.0, 1 / 30, 50)
    rows, columns = np.mgrid[0:60, 0:90]
    c = (-2.0 + columns / 30) + 1j * (-1.0 + rows / 30)
    z = np.zeros_like(c)
    expected = np.full(c.shape, 50)
    for i in range(50):
        z = np.where(expected == 50, z * z + c, z)
        expected[(expected == 50) & (np.abs(z) >= 2.0)] = i
    assert 1000 < (image == 50).sum() < 3000
    assert (image != expected).sum() <= 20, (image != expected).sum()




@cuda.jit
def warp_sums(values, out, above):
    i = cuda.grid(1)
    value = values[i]
    ballot = cuda.ballot_sync(0xFFFFFFFF, value > 5)
    offset = 16
    while offset > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, offset)
        offset //= 2
    if cuda.laneid == 0:
        out[i // 32] = value
        above[i // 32] = cuda.popc(ballot)




def warps():
    values = np.random.default_rng(2).integers(0, 10, 256).astype(np.int32)
    out, above = np.zeros(8, np.int32), np.zeros(8, np.int32)
    warp_sums[2, 128](values, out, above)
    assert (out == values.reshape(8, 32).sum(1)).all()
    assert (above == (values.reshape(8, 32) > 5).sum(1)).all()




@cuda.jit
def scale(values, factor):
    i = cuda.grid(1)
    if i < values.size:
        values[i] *= factor




def streams():
    """Pinned and mapped memory, two streams with an event between them, and the time between two events."""
    first, second = cuda.stream(), cuda.stream()
    host = cuda.pinned_array(1000, np.float64)
    host[:] = np.arange(1000)
    begun, copied, done = cuda.event(), cuda.event(), cuda.event()
    begun.record(first)
    values = cuda.to_device(host, stream=first)
    scale[8, THREADS, first](values, 3.0)
    copied.record(first)
    copied.wait(second)
    scale[8, THREADS, second](values, 0.5)
    values.copy_to_host(host, stream=second)
    done.record(second)
    done.synchronize()
    assert (host == np.arange(1000) * 1.5).all()
    assert cuda.event_elapsed_time(begun, done) >= 0
    mapped = cuda.mapped_array(100, np.int32)
    mapped[:] = 7
    scale[1, THREADS](mapped, 6)
    cuda.synchronize()
    assert (mapped == 42).all()




@cuda.jit
def rounds(values, count):
    """Each round adds what the neighbour held after the one before: wrong without the barrier of the whole grid."""
    grid = cuda.cg.this_grid()
    i = cuda.grid(1)
    for _ in range(count):
        neighbour = values[(i + 1) % values.size]
        grid.sync()
        values[i] += neighbour
        grid.sync()




def cooperative():
    values = np.arange(512, dtype=np.int64)
    expected = values.copy()
    for _ in range(5):
        expected = expected + np.roll(expected, -1)
    rounds[4, 128](values, 5)
    assert (values == expected).all()




@cuda.jit(debug=True, opt=False)
def checked(values, i):
    if i >= values.size:
        raise ValueError("too far")
    values[i] = 1


def faults():
    """What a kernel raises, if it was built for debugging, is raised in Python."""
    values = np.zeros(4, np.int32)
    checked[1, 1](values, 3)
    assert values[3] == 1
    try:
        checked[1, 1](values, 4)
    except ValueError as error:
        assert "too far" in str(error)
        return
    raise AssertionError("nothing was raised")


if __name__ == "__main__":
    for part in (vector_add, reduction, atomics, mandelbrot, warps, streams, cooperative, faults):
        part()
        print(part.__name__, "ok", flush=True)
