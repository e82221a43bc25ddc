// The twin of fail/host/h06-alignment-header.cu: the number is stored byte by byte.
//
// build: -arch=sm_90
//@gpu
#include "../../case.h"

__global__ void encode(unsigned char* message, unsigned value) {
    message[0] = 'v';
    message[1] = '0';
    message[2] = 4;
    for (int i = 0; i < 4; ++i) message[3 + i] = value >> (8 * i);
}

int main() {
    unsigned char* message = zeros<unsigned char>(7);
    encode<<<1, 1>>>(message, 0x04030201);
    return verdict(wrong(message, 7, [](int i) { return i == 0 ? 'v' : i == 1 ? '0' : i == 2 ? 4 : i - 2; }));
}
