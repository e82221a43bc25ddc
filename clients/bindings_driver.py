"""The driver's API by cuda.bindings: a kernel that NVRTC compiles, launched in a stream, with events, and its attributes."""

import ctypes

import numpy as np
from cuda.bindings import driver, nvrtc

SOURCE = b"""
extern "C" __global__ void axpy(float a, const float* x, float* y, unsigned long long n) {
    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
__constant__ int factors[4];
extern "C" __global__ void by_factors(int* values) { values[threadIdx.x] = factors[threadIdx.x % 4] * threadIdx.x; }
"""


def checked(result):
    """What a call answers besides its error, which must not be one."""
    error, *values = result
    if error.value != 0:
        name = error.name
        raise RuntimeError(name)
    return values[0] if len(values) == 1 else values


def compiled(source, architecture):
    program = checked(nvrtc.nvrtcCreateProgram(source, b"kernels.cu", 0, [], []))
    (error,) = nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=" + architecture])
    if error.value != 0:
        log = b" " * checked(nvrtc.nvrtcGetProgramLogSize(program))
        nvrtc.nvrtcGetProgramLog(program, log)
        raise RuntimeError(log.decode())
    ptx = b" " * checked(nvrtc.nvrtcGetPTXSize(program))
    checked(nvrtc.nvrtcGetPTX(program, ptx))
    checked(nvrtc.nvrtcDestroyProgram(program))
    return ptx


def launches(module, stream):
    kernel = checked(driver.cuModuleGetFunction(module, b"axpy"))
    n = 10_000
    x = np.arange(n, dtype=np.float32)
    y = np.ones(n, dtype=np.float32)
    device_x, device_y = checked(driver.cuMemAlloc(x.nbytes)), checked(driver.cuMemAlloc(y.nbytes))
    begun, done = (checked(driver.cuEventCreate(0)) for _ in range(2))
    checked(driver.cuEventRecord(begun, stream))
    checked(driver.cuMemcpyHtoDAsync(device_x, x.ctypes.data, x.nbytes, stream))
    checked(driver.cuMemcpyHtoDAsync(device_y, y.ctypes.data, y.nbytes, stream))
    values = (2.0, device_x, device_y, n)
    types = (ctypes.c_float, None, None, ctypes.c_ulonglong)
    checked(driver.cuLaunchKernel(kernel, -(-n // 256), 1, 1, 256, 1, 1, 0, stream, (values, types), 0))
    checked(driver.cuMemcpyDtoHAsync(y.ctypes.data, device_y, y.nbytes, stream))
    checked(driver.cuEventRecord(done, stream))
    checked(driver.cuStreamSynchronize(stream))
    assert (y == 1 + 2 * x).all()
    assert checked(driver.cuEventElapsedTime(begun, done)) >= 0
    threads = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
    assert checked(driver.cuFuncGetAttribute(threads, kernel)) == 1024
    for address in (device_x, device_y):
        checked(driver.cuMemFree(address))


def constants(module, stream):
    address, size = checked(driver.cuModuleGetGlobal(module, b"factors"))
    assert size == 16
    factors = np.array([3, 5, 7, 11], np.int32)
    checked(driver.cuMemcpyHtoD(address, factors.ctypes.data, size))
    kernel = checked(driver.cuModuleGetFunction(module, b"by_factors"))
    values = checked(driver.cuMemAllocManaged(4 * 64, driver.CUmemAttach_flags.CU_MEM_ATTACH_GLOBAL.value))
    checked(driver.cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, stream, ((values,), (None,)), 0))
    checked(driver.cuStreamSynchronize(stream))
    seen = np.ctypeslib.as_array((ctypes.c_int * 64).from_address(int(values)))
    assert (seen == np.arange(64) * np.tile(factors, 16)).all()
    checked(driver.cuMemFree(values))


def graphs(module, stream):
    """A captured launch, instantiated and launched three times."""
    kernel = checked(driver.cuModuleGetFunction(module, b"axpy"))
    ones = np.ones(100, np.float32)
    x, y = checked(driver.cuMemAlloc(400)), checked(driver.cuMemAlloc(400))
    checked(driver.cuMemcpyHtoD(x, ones.ctypes.data, 400))
    checked(driver.cuMemsetD8(y, 0, 400))
    checked(driver.cuStreamBeginCapture(stream, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL))
    arguments = ((5.0, x, y, 100), (ctypes.c_float, None, None, ctypes.c_ulonglong))
    checked(driver.cuLaunchKernel(kernel, 1, 1, 1, 128, 1, 1, 0, stream, arguments, 0))
    graph = checked(driver.cuStreamEndCapture(stream))
    executable = checked(driver.cuGraphInstantiate(graph, 0))
    for _ in range(3):
        checked(driver.cuGraphLaunch(executable, stream))
    checked(driver.cuStreamSynchronize(stream))
    out = np.zeros(100, np.float32)
    checked(driver.cuMemcpyDtoH(out.ctypes.data, y, 400))
    assert (out == 15).all()
    checked(driver.cuGraphExecDestroy(executable))
    checked(driver.cuGraphDestroy(graph))


def refusals(module, _stream):
    """Errors come back as CUDA's own."""
    error, _ = driver.cuModuleGetFunction(module, b"nothing")
    assert error == driver.CUresult.CUDA_ERROR_NOT_FOUND, error
    error, _ = driver.cuModuleLoadData(b".version 8.0\n.target sm_90\nnonsense\n\0")
    assert error == driver.CUresult.CUDA_ERROR_INVALID_PTX, error
    error, _ = driver.cuMemAlloc(1 << 50)
    assert error == driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY, error
    assert checked(driver.cuGetErrorName(error)) == b"CUDA_ERROR_OUT_OF_MEMORY"


if __name__ == "__main__":
    checked(driver.cuInit(0))
    device = checked(driver.cuDeviceGet(0))
    context = checked(driver.cuDevicePrimaryCtxRetain(device))
    checked(driver.cuCtxSetCurrent(context))
    kind = driver.CUdevice_attribute
    major = checked(driver.cuDeviceGetAttribute(kind.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))
    minor = checked(driver.cuDeviceGetAttribute(kind.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))
    module = checked(driver.cuModuleLoadData(compiled(SOURCE, b"compute_%d%d" % (major, minor))))
    stream = checked(driver.cuStreamCreate(driver.CUstream_flags.CU_STREAM_NON_BLOCKING.value))
    for part in (launches, constants, graphs, refusals):
        part(module, stream)
        print(part.__name__, "ok", flush=True)
    checked(driver.cuStreamDestroy(stream))
    checked(driver.cuModuleUnload(module))
    checked(driver.cuDevicePrimaryCtxRelease(device))
