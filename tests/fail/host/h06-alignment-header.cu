// h06: a message of bytes has a header of three, and its number is stored as a word behind it.
//
// build: -arch=sm_90
#include "../../case.h"

__global__ void encode(unsigned char* message, unsigned value) {
    message[0] = 'v';
    message[1] = '0';
    message[2] = 4;
    *reinterpret_cast<unsigned*>(message + 3) = value;  //~ memory/alignment
}

int main() {
    unsigned char* message = zeros<unsigned char>(7);
    encode<<<1, 1>>>(message, 0x04030201);
    return verdict(wrong(message, 7, [](int i) { return i == 0 ? 'v' : i == 1 ? '0' : i == 2 ? 4 : i - 2; }));
}
