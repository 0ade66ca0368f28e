// Declares the functions of the stand-ins for libcublas.so.13 and libcublasLt.so.13. The functions have cuBLAS's names and types. They
// compute in plain loops, so all memory must be managed memory.
#pragma once

#include "preload/cublas/abi.hpp"

namespace standin {

using preload::cublas::Descriptor, preload::cublas::Handle, preload::cublas::Value;

}  // namespace standin

// The names are cuBLAS's. NOLINTBEGIN(readability-identifier-naming)
extern "C" {

/// Returns true if the functions below count. They return 0 where NVIDIA's cuBLAS is in the stand-ins' place.
bool standin_counts();
/// Returns how often the stand-in's function of this name was called.
long standin_calls(const char* function);
/// The same for the stand-in for libcublasLt.
long standin_lt_calls(const char* function);
/// Makes all calls of cublasSgemm_v2 in this process take no time and do nothing: 1, or 0.
void standin_do_nothing(int yes);

standin::Value cublasCreate_v2(standin::Handle* handle);
preload::cublas::Destroy cublasDestroy_v2;
preload::cublas::SetStream cublasSetStream_v2;
preload::cublas::GetStream cublasGetStream_v2;
standin::Value cublasSetPointerMode_v2(standin::Handle handle, standin::Value mode);
preload::cublas::GetMode cublasGetPointerMode_v2;
standin::Value cublasSetMathMode(standin::Handle handle, standin::Value mode);
preload::cublas::GetMode cublasGetMathMode;
preload::cublas::SetWorkspace cublasSetWorkspace_v2;

preload::cublas::Sgemm<int> cublasSgemm_v2;
preload::cublas::Sgemm<int64_t> cublasSgemm_v2_64;
preload::cublas::SgemmBatched<int> cublasSgemmBatched;
preload::cublas::SgemmBatched<int64_t> cublasSgemmBatched_64;
preload::cublas::SgemmStridedBatched<int> cublasSgemmStridedBatched;
preload::cublas::SgemmStridedBatched<int64_t> cublasSgemmStridedBatched_64;
preload::cublas::GemmEx<int> cublasGemmEx;
preload::cublas::GemmEx<int64_t> cublasGemmEx_64;
preload::cublas::GemmBatchedEx<int> cublasGemmBatchedEx;
preload::cublas::GemmBatchedEx<int64_t> cublasGemmBatchedEx_64;
preload::cublas::GemmStridedBatchedEx<int> cublasGemmStridedBatchedEx;
preload::cublas::GemmStridedBatchedEx<int64_t> cublasGemmStridedBatchedEx_64;

standin::Value cublasLtCreate(standin::Handle* handle);
standin::Value cublasLtDestroy(standin::Handle handle);
standin::Value cublasLtMatmulDescCreate(standin::Descriptor* product, standin::Value compute,
                                        standin::Value scale);
standin::Value cublasLtMatmulDescDestroy(standin::Descriptor product);
standin::Value cublasLtMatmulDescSetAttribute(standin::Descriptor product, standin::Value attribute,
                                              const void* value, size_t bytes);
preload::cublas::LtGetAttribute cublasLtMatmulDescGetAttribute;
standin::Value cublasLtMatrixLayoutCreate(standin::Descriptor* layout, standin::Value type,
                                          uint64_t rows, uint64_t cols, int64_t ld);
standin::Value cublasLtMatrixLayoutDestroy(standin::Descriptor layout);
standin::Value cublasLtMatrixLayoutSetAttribute(standin::Descriptor layout,
                                                standin::Value attribute, const void* value,
                                                size_t bytes);
preload::cublas::LtGetAttribute cublasLtMatrixLayoutGetAttribute;
preload::cublas::LtMatmul cublasLtMatmul;

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
