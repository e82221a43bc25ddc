// How CUB's algorithms on whole arrays are called: first for the size of what they need besides, then for the work.
#pragma once
#include "typed.h"

template <class F> void with_storage(F call) {
    size_t bytes = 0;
    CHECK(call(nullptr, bytes));
    Array<char> storage(bytes);
    CHECK(call(storage.get(), bytes));
    CHECK(cudaGetLastError());
    storage.read(0);
}
