// build: truth -std=c++17 -w -arch=sm_90 -rdc=true -lcudadevrt
// Facts of the launch model as one H200 shows them. Build: nvcc -arch=sm_90 -rdc=true truth.cu -o truth -lcudadevrt
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <algorithm>
#include <chrono>
#define CK(x) do{cudaError_t e_=(x); if(e_!=cudaSuccess){printf("  ! %s -> %d %s\n",#x,(int)e_,cudaGetErrorName(e_));}}while(0)
__device__ unsigned long long gt(){unsigned long long t; asm volatile("mov.u64 %0, %globaltimer;":"=l"(t)); return t;}
__device__ void spin(unsigned long long ns){auto t=gt(); while(gt()-t<ns);}
struct Rec{int n; int code[8]; int cnt[8];};
__device__ int d_ok,d_fail,d_lastcode; __device__ int order_[65536]; __device__ int order_n;
__global__ void noop(){}
__global__ void leaf(int tag){ if(threadIdx.x==0&&blockIdx.x==0){int i=atomicAdd(&order_n,1); if(i<65536) order_[i]=tag;} }
__global__ void leafspin(int tag,int us){ spin(us*1000ull); if(threadIdx.x==0&&blockIdx.x==0){int i=atomicAdd(&order_n,1); if(i<65536) order_[i]=tag;} }
__global__ void storm(int n){ for(int i=0;i<n;i++){ leafspin<<<1,1,0,cudaStreamFireAndForget>>>(i,20); cudaError_t e=cudaGetLastError(); if(e==cudaSuccess) d_ok++; else {d_fail++; d_lastcode=(int)e;} } }
__global__ void stormtail(int n){ for(int i=0;i<n;i++){ leaf<<<1,1,0,cudaStreamTailLaunch>>>(i); cudaError_t e=cudaGetLastError(); if(e==cudaSuccess) d_ok++; else {d_fail++; d_lastcode=(int)e;} } }
__global__ void bad(int what){ if(what==0) leaf<<<1,2048,0,cudaStreamFireAndForget>>>(1); if(what==1) leaf<<<0,32,0,cudaStreamFireAndForget>>>(1); if(what==2) leaf<<<1,32,300*1024,cudaStreamFireAndForget>>>(1); if(what==3) leaf<<<dim3(1,70000,1),32,0,cudaStreamFireAndForget>>>(1);
  d_lastcode=(int)cudaGetLastError(); d_ok=(int)cudaGetLastError(); }
// tails launched by several threads and by FAF children
__global__ void child_with_tail(int tag){ leaf<<<1,1,0,cudaStreamTailLaunch>>>(tag+1000); leafspin<<<1,1,0,cudaStreamFireAndForget>>>(tag+2000,50); int i=atomicAdd(&order_n,1); order_[i]=tag; }
__global__ void tails(){ if(threadIdx.x==0){ leaf<<<1,1,0,cudaStreamTailLaunch>>>(1); child_with_tail<<<1,1,0,cudaStreamFireAndForget>>>(10); leaf<<<1,1,0,cudaStreamTailLaunch>>>(2); child_with_tail<<<1,1,0,cudaStreamTailLaunch>>>(20); leaf<<<1,1,0,cudaStreamTailLaunch>>>(3);} }
__global__ void nest(int depth,int max){ if(depth==max){leaf<<<1,1,0,cudaStreamFireAndForget>>>(depth); return;} nest<<<1,1,0,cudaStreamFireAndForget>>>(depth+1,max); cudaError_t e=cudaGetLastError(); if(e) {d_fail++; d_lastcode=e; d_ok=depth;} }
__global__ void nullstream_child(int tag){ int i=atomicAdd(&order_n,1); order_[i]=tag; }
__global__ void nullstream(){ if(threadIdx.x==0) for(int i=0;i<8;i++) nullstream_child<<<1,1>>>(blockIdx.x*100+i); }
__global__ void shchild(int*p){ if(p) *p=7; }
__global__ void shparent(int k){ __shared__ int s; int l=3; s=1; __syncthreads(); if(threadIdx.x==0){ shchild<<<1,1,0,cudaStreamFireAndForget>>>(k==0?&s:&l); d_lastcode=cudaGetLastError(); } __syncthreads(); d_ok=s+l; }
// PDL
__global__ void pdl_primary(int* data,int trig,int us,unsigned long long* t){ if(threadIdx.x==0) t[0]=gt(); if(trig==1) cudaTriggerProgrammaticLaunchCompletion(); spin(us*1000ull); data[threadIdx.x]=42; if(threadIdx.x==0) t[1]=gt(); }
__global__ void pdl_secondary(int* data,int*out,int wait,unsigned long long* t){ if(threadIdx.x==0){t[2]=gt(); out[0]=((volatile int*)data)[0];} if(wait) cudaGridDependencySynchronize(); if(threadIdx.x==0){ t[3]=gt(); out[1]=((volatile int*)data)[0]; t[4]=gt(); } }
__global__ void pdl_third(int* data,int*out,unsigned long long* t,int wait){ if(threadIdx.x==0){t[5]=gt(); out[2]=((volatile int*)data)[0];} if(wait) cudaGridDependencySynchronize(); if(threadIdx.x==0){ out[3]=((volatile int*)data)[0]; t[6]=gt();} }
__global__ void pdl_mid(int trigfirst,int wait){ if(trigfirst) cudaTriggerProgrammaticLaunchCompletion(); if(wait) cudaGridDependencySynchronize(); }
template<class...A> cudaError_t launchx(void(*k)(A...),int g,int b,cudaStream_t s,bool pdl,A...a){ cudaLaunchConfig_t c={}; c.gridDim=g;c.blockDim=b;c.stream=s; cudaLaunchAttribute at[1]; at[0].id=cudaLaunchAttributeProgrammaticStreamSerialization; at[0].val.programmaticStreamSerializationAllowed=1; c.attrs=at;c.numAttrs=pdl?1:0; return cudaLaunchKernelEx(&c,k,a...); }
static void reset(){int z=0; cudaMemcpyToSymbol(d_ok,&z,4);cudaMemcpyToSymbol(d_fail,&z,4);cudaMemcpyToSymbol(d_lastcode,&z,4);cudaMemcpyToSymbol(order_n,&z,4);}
static int rd(const void*s){int v; cudaMemcpyFromSymbol(&v,s,4); return v;}
#define R(sym) ([]{int v; cudaMemcpyFromSymbol(&v,sym,4); return v;}())
__global__ void tiny(float*x){ int i=threadIdx.x; x[i]=x[i]*1.0001f+1.f; }
__global__ void tinypdl(float*x){ int i=threadIdx.x; cudaTriggerProgrammaticLaunchCompletion(); cudaGridDependencySynchronize(); x[i]=x[i]*1.0001f+1.f; }
int main(int argc,char**argv){
  cudaDeviceProp p; cudaGetDeviceProperties(&p,0); printf("device %s sm_%d%d SMs %d\n",p.name,p.major,p.minor,p.multiProcessorCount);
  size_t v; 
  for(auto [n,l]:{std::pair<const char*,cudaLimit>{"StackSize",cudaLimitStackSize},{"PrintfFifo",cudaLimitPrintfFifoSize},{"MallocHeap",cudaLimitMallocHeapSize},{"DevRtSyncDepth",cudaLimitDevRuntimeSyncDepth},{"DevRtPendingLaunch",cudaLimitDevRuntimePendingLaunchCount},{"MaxL2Fetch",cudaLimitMaxL2FetchGranularity},{"PersistingL2",cudaLimitPersistingL2CacheSize}}){ cudaError_t e=cudaDeviceGetLimit(&v,l); printf("limit %s = %zu (%s)\n",n,v,cudaGetErrorName(e)); cudaGetLastError(); }
  for(int n:{1000,2000,2048,2049,3000,5000,20000}){ reset(); storm<<<1,1>>>(n); cudaError_t e=cudaDeviceSynchronize(); printf("storm faf n=%d ok=%d fail=%d code=%d ran=%d host=%s\n",n,R(d_ok),R(d_fail),R(d_lastcode),R(order_n),cudaGetErrorName(e)); }
  for(int n:{100,255,256,1024,2048,2100,4000}){ reset(); stormtail<<<1,1>>>(n); cudaError_t e=cudaDeviceSynchronize(); int k=R(order_n); std::vector<int> o(65536); cudaMemcpyFromSymbol(o.data(),order_,65536*4); bool sorted=std::is_sorted(o.begin(),o.begin()+std::min(k,65536)); printf("storm tail n=%d ok=%d fail=%d code=%d ran=%d sorted=%d host=%s\n",n,R(d_ok),R(d_fail),R(d_lastcode),k,sorted,cudaGetErrorName(e)); }
  CK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount,8192)); cudaDeviceGetLimit(&v,cudaLimitDevRuntimePendingLaunchCount); printf("after set 8192: %zu\n",v);
  for(int n:{5000,8192,10000,20000}){ reset(); storm<<<1,1>>>(n); cudaError_t e=cudaDeviceSynchronize(); printf("storm faf(8192) n=%d ok=%d fail=%d code=%d ran=%d host=%s\n",n,R(d_ok),R(d_fail),R(d_lastcode),R(order_n),cudaGetErrorName(e)); }
  for(int w=0;w<4;w++){ reset(); bad<<<1,1>>>(w); cudaError_t e=cudaDeviceSynchronize(); printf("bad config %d: first=%d (%s) second=%d host=%s\n",w,R(d_lastcode),cudaGetErrorName((cudaError_t)R(d_lastcode)),R(d_ok),cudaGetErrorName(e)); cudaGetLastError(); }
  { reset(); tails<<<1,32>>>(); leaf<<<1,1>>>(999); CK(cudaDeviceSynchronize()); int k=R(order_n); std::vector<int> o(65536); cudaMemcpyFromSymbol(o.data(),order_,65536*4); printf("tail order:"); for(int i=0;i<k&&i<40;i++) printf(" %d",o[i]); printf("\n"); }
  for(int m:{23,24,25,64,200,1000}){ reset(); nest<<<1,1>>>(0,m); cudaError_t e=cudaDeviceSynchronize(); printf("nest faf %d: reached=%d fail=%d code=%d atdepth=%d host=%s\n",m,R(order_n),R(d_fail),R(d_lastcode),R(d_ok),cudaGetErrorName(e)); }
  { reset(); nullstream<<<4,32>>>(); CK(cudaDeviceSynchronize()); int k=R(order_n); std::vector<int> o(65536); cudaMemcpyFromSymbol(o.data(),order_,65536*4); printf("null stream order:"); for(int i=0;i<k&&i<40;i++) printf(" %d",o[i]); printf("\n"); }
  int*data,*out; unsigned long long*t; cudaMalloc(&data,4096); cudaMalloc(&out,64); cudaMalloc(&t,128); cudaStream_t s; cudaStreamCreate(&s);
  for(int trig:{0,1}) for(int pdl:{0,1}) for(int wait:{0,1}) { cudaMemset(data,0,4096); cudaMemset(out,0xff,64); cudaDeviceSynchronize(); CK(launchx(pdl_primary,1,32,s,false,data,trig,200,t)); CK(launchx(pdl_secondary,1,32,s,(bool)pdl,data,out,wait,t)); CK(launchx(pdl_third,1,32,s,false,data,out,t,0)); CK(cudaStreamSynchronize(s)); int o[4]; unsigned long long h[8]; cudaMemcpy(o,out,16,cudaMemcpyDeviceToHost); cudaMemcpy(h,t,64,cudaMemcpyDeviceToHost); 
    printf("pdl trig=%d attr=%d wait=%d: sec start-prim end %+lld ns, after wait-prim end %+lld, third start-prim end %+lld | before %d after %d third %d\n",trig,pdl,wait,(long long)(h[2]-h[1]),(long long)(h[3]-h[1]),(long long)(h[5]-h[1]),o[0],o[1],o[2]); }
  // transitive: A (200us, triggers), mid (pdl), third (pdl) for mid trig-first/wait combos
  for(int tf:{0,1}) for(int w:{0,1}) for(int w3:{0,1}) { cudaMemset(data,0,4096); cudaMemset(out,0xff,64); cudaDeviceSynchronize(); CK(launchx(pdl_primary,1,32,s,false,data,1,200,t)); CK(launchx(pdl_mid,1,32,s,true,tf,w)); CK(launchx(pdl_third,1,32,s,true,data,out,t,w3)); CK(cudaStreamSynchronize(s)); int o[4]; unsigned long long h[8]; cudaMemcpy(o,out,16,cudaMemcpyDeviceToHost); cudaMemcpy(h,t,64,cudaMemcpyDeviceToHost); printf("chain mid(trigfirst=%d wait=%d) third wait=%d: third start-A end %+lld, after wait-A end %+lld | third before %d after %d\n",tf,w,w3,(long long)(h[5]-h[1]),(long long)(h[6]-h[1]),o[2],o[3]); }
  // memset between breaks the programmatic edge?
  { cudaMemset(data,0,4096); cudaMemset(out,0xff,64); cudaDeviceSynchronize(); launchx(pdl_primary,1,32,s,false,data,1,200,t); cudaMemsetAsync(out+8,0,4,s); launchx(pdl_secondary,1,32,s,true,data,out,0,t); CK(cudaStreamSynchronize(s)); unsigned long long h[8]; cudaMemcpy(h,t,64,cudaMemcpyDeviceToHost); printf("memset between: sec start-prim end %+lld\n",(long long)(h[2]-h[1])); }
  // chain latency
  float*x; cudaMalloc(&x,4096); const int N=2000; 
  for(int mode=0;mode<4;mode++){ cudaGraph_t g; cudaGraphExec_t ge; bool graph=mode&2, pdl=mode&1; double best=1e30; 
    auto emit=[&]{ for(int i=0;i<N;i++) if(pdl) launchx(tinypdl,1,128,s,true,x); else launchx(tiny,1,128,s,false,x); };
    if(graph){ CK(cudaStreamBeginCapture(s,cudaStreamCaptureModeGlobal)); emit(); CK(cudaStreamEndCapture(s,&g)); CK(cudaGraphInstantiate(&ge,g,0)); }
    for(int r=0;r<6;r++){ cudaStreamSynchronize(s); cudaEvent_t a,b; cudaEventCreate(&a);cudaEventCreate(&b); cudaEventRecord(a,s); if(graph) CK(cudaGraphLaunch(ge,s)); else emit(); cudaEventRecord(b,s); cudaStreamSynchronize(s); float ms; cudaEventElapsedTime(&ms,a,b); best=std::min(best,(double)ms);} printf("chain %s%s: %.3f us per kernel\n",graph?"graph":"stream",pdl?"+pdl":"",best*1000/N); }
  { // device launch throughput
    for(int n:{1000,4000,8000}){ double best=1e30; for(int r=0;r<4;r++){ reset(); cudaEvent_t a,b; cudaEventCreate(&a);cudaEventCreate(&b); cudaEventRecord(a); storm<<<1,1>>>(0); cudaEventRecord(b); cudaDeviceSynchronize(); }
      (void)n; }
  }
  for(int k:{0,1}){ reset(); shparent<<<1,32>>>(k); cudaError_t e=cudaDeviceSynchronize(); printf("%s pointer to child: host=%s\n",k?"local":"shared",cudaGetErrorName(e)); if(e==cudaSuccess) printf("   launch code=%d parent sum=%d\n",R(d_lastcode),R(d_ok)); else break; }
  return 0; }
