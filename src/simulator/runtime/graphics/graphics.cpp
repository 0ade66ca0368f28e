// The functions that share memory with OpenGL: each returns what it returns on a device that no display uses (cuda_gl_interop.h).
#include <cuda_gl_interop.h>

#include <string>

#include "simulator/runtime/api/calls.hpp"
#include "simulator/runtime/api/refusal.hpp"

using namespace simulator::runtime;

namespace {

cudaError_t no_graphics(const char* name = __builtin_FUNCTION()) {
  return asynchronous(
      [] {
        return refuse(cudaErrorOperatingSystem, [] {
          return Refusal{std::string(Call::current()) +
                             " was called, and the simulated GPU shares no memory with OpenGL",
                         "the program's mode without a window, if it has one", ""};
        });
      },
      name);
}

// There are no resources.
cudaError_t no_resource(const char* name = __builtin_FUNCTION()) {
  return asynchronous([] { return cudaErrorInvalidResourceHandle; }, name);
}

cudaError_t map(int count, const cudaGraphicsResource_t* resources,
                const char* name = __builtin_FUNCTION()) {
  if (count > 0 && resources != nullptr) return no_resource(name);
  return asynchronous([] { return cudaErrorInvalidValue; }, name);
}

}  // namespace

extern "C" {

cudaError_t cudaGLGetDevices(unsigned int*, int*, unsigned int, cudaGLDeviceList) {
  return no_graphics();
}
cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource**, GLuint, unsigned int) {
  return no_graphics();
}
cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource**, GLuint, GLenum, unsigned int) {
  return no_graphics();
}

cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t) { return no_resource(); }
cudaError_t cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t, unsigned int) {
  return no_resource();
}
cudaError_t cudaGraphicsMapResources(int count, cudaGraphicsResource_t* resources, cudaStream_t) {
  return map(count, resources);
}
cudaError_t cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t* resources, cudaStream_t) {
  return map(count, resources);
}
cudaError_t cudaGraphicsResourceGetMappedPointer(void**, size_t*, cudaGraphicsResource_t) {
  return no_resource();
}
cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t*, cudaGraphicsResource_t,
                                                  unsigned int, unsigned int) {
  return no_resource();
}

}  // extern "C"
