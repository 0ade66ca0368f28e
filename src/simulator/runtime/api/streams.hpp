// Streams and events as the rest of the runtime sees them.
#pragma once

#include <cuda_runtime_api.h>

namespace simulator::runtime {

/// True for the default streams and for one that was created and not destroyed.
bool stream_exists(cudaStream_t stream);

/// The answer to a call that names another, with its reason: cudaErrorInvalidResourceHandle.
cudaError_t refuse_stream();

/// Whether work in the stream waits for the legacy default stream, and it for the stream's.
bool is_blocking(cudaStream_t stream);

/// Forgets all streams and events, for cudaDeviceReset.
void reset_streams();

}  // namespace simulator::runtime
