"""Kernels by cuda.core: compiled by NVRTC, launched in streams, with buffers of its memory resources."""

import ctypes

import numpy as np
from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch

SOURCE = """
template <class T> __global__ void saxpy(T a, const T* x, T* y, size_t n) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i];
}
"""


def array(buffer, kind, n):
    return np.ctypeslib.as_array((ctypes.c_char * (n * np.dtype(kind).itemsize)).from_address(int(buffer.handle))).view(kind)


if __name__ == "__main__":
    device = Device()
    device.set_current()
    assert device.compute_capability == (9, 0), device.compute_capability
    stream = device.create_stream()
    architecture = "".join(str(part) for part in device.compute_capability)
    options = ProgramOptions(std="c++17", arch=f"sm_{architecture}")
    program = Program(SOURCE, code_type="c++", options=options)
    module = program.compile("ptx", name_expressions=("saxpy<float>", "saxpy<double>"))
    for name, kind in (("saxpy<float>", np.float32), ("saxpy<double>", np.float64)):
        kernel = module.get_kernel(name)
        n = 50_000
        memory = LegacyPinnedMemoryResource()
        x, y = (memory.allocate(n * np.dtype(kind).itemsize) for _ in range(2))
        on_device = device.allocate(n * np.dtype(kind).itemsize, stream=stream)
        array(x, kind, n)[:] = np.arange(n)
        array(y, kind, n)[:] = 1
        on_device.copy_from(y, stream=stream)
        launch(stream, LaunchConfig(grid=64, block=128), kernel, kind(2), x, on_device, np.uint64(n))
        on_device.copy_to(y, stream=stream)
        stream.sync()
        assert (array(y, kind, n) == 2 * np.arange(n) + 1).all()
        on_device.close()
        print(name, "ok", flush=True)
