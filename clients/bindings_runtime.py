"""The runtime's API by cuda.bindings, which has NVIDIA's runtime linked in and no names left of it: nothing stands in for that. What it
asks the driver for is private, so that every call has to fail, in its own words; none may seem to work."""

from cuda.bindings import runtime

if __name__ == "__main__":
    for call, arguments in (
        (runtime.cudaGetDeviceCount, ()),
        (runtime.cudaMalloc, (1000,)),
        (runtime.cudaStreamCreate, ()),
        (runtime.cudaDeviceSynchronize, ()),
    ):
        error = call(*arguments)[0]
        assert error == runtime.cudaError_t.cudaErrorNotSupported, error
        print(call.__name__, "refused", flush=True)
