#include "distributed/library/failure.hpp"

#include <new>

#include "distributed/gpu/cuda.hpp"
#include "distributed/gpu/local_product.hpp"

namespace distributed {

Failure failure_in_flight(int otherwise) {
  try {
    throw;
  } catch (const Failure& failure) {
    return failure;
  } catch (const CudaError& error) {
    return {error.code() == cudaErrorMemoryAllocation ? SGEMM_LADDER_OUT_OF_MEMORY
                                                      : SGEMM_LADDER_CUDA_ERROR,
            error.what()};
  } catch (const LadderError& error) {
    return {error.status(), error.what()};
  } catch (const std::bad_alloc&) {
    return {SGEMM_LADDER_OUT_OF_MEMORY, "the host has too little memory"};
  } catch (const std::exception& error) {
    return {otherwise, error.what()};
  } catch (...) {
    return {otherwise, "an exception without a text"};
  }
}

std::optional<Failure> failure_of(const std::function<void()>& step) {
  try {
    step();
    return std::nullopt;
  } catch (...) {
    return failure_in_flight();
  }
}

}  // namespace distributed
