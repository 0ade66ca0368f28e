// The default stream of a program that is compiled with --default-stream per-thread, or that defines CUDA_API_PER_THREAD_DEFAULT_STREAM
// before it includes the runtime API or the driver API: stream 0 is then a stream of each host thread. If one file of a program asks
// for it, all files have it; nvcc decides that for each file.
#pragma once
#pragma GCC system_header

#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
#ifdef __cplusplus
extern "C" {
#endif
void __simulatorDefaultStreamPerThread(void);
__attribute__((constructor)) static void __simulator_default_stream_per_thread(void) { __simulatorDefaultStreamPerThread(); }
#ifdef __cplusplus
}
#endif
#endif
