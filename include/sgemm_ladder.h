/**
 * @file
 * Matrix products in single precision on a GPU: C = alpha * op(A) * op(B) + beta * C, with the accuracy of FP32.
 *
 * This header is C99 and includes no header of CUDA. sgemm_ladder.hpp is the same in C++.
 *
 * All pointers to matrices are device pointers, aligned to a float's four bytes at least. All sizes, leading dimensions and strides are in
 * elements. A call works on the current device and returns at once: the product is computed on the stream. Several host threads may call
 * at once.
 *
 * BLAS's rules hold. If m or n is 0, nothing is done. If alpha or k is 0, A and B are not read and may be null. If beta is 0, C is not
 * read, so it may hold NaNs.
 *
 * A refused call launches nothing. sgemm_ladder_last_error() then says which argument was wrong, what it was and what is allowed.
 * CUDA errors from before a call stay pending: no call reports them as its own, and no successful call clears them.
 */
#ifndef SGEMM_LADDER_H
#define SGEMM_LADDER_H

#include <stddef.h>
#include <stdint.h>

#include "sgemm_ladder_version.h"

/** Marks the functions that a shared library exports. */
#if defined(SGEMM_LADDER_EXPORTS)
#define SGEMM_LADDER_API __attribute__((visibility("default")))
#else
#define SGEMM_LADDER_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* CUDA's cudaStream_t is a pointer to this type. It is not defined here again, because C99 allows no second typedef. */
struct CUstream_st;

/** The results of a call. */
typedef enum sgemm_ladder_status {
  SGEMM_LADDER_OK = 0,               /**< The product was launched. */
  SGEMM_LADDER_INVALID_ARGUMENT = 1, /**< An argument is not allowed. Nothing was launched. */
  SGEMM_LADDER_NOT_SUPPORTED = 2, /**< The current GPU cannot compute this. Nothing was launched. */
  SGEMM_LADDER_OUT_OF_MEMORY = 3, /**< The device has too little memory for the workspace. */
  SGEMM_LADDER_CUDA_ERROR = 4     /**< CUDA returned another error. */
} sgemm_ladder_status;

/** The orders of a matrix's elements in memory, with the values of CBLAS. */
typedef enum sgemm_ladder_order {
  SGEMM_LADDER_ROW_MAJOR = 101, /**< Element (i, j) lies at i * ld + j. */
  SGEMM_LADDER_COL_MAJOR = 102  /**< Element (i, j) lies at i + j * ld, as in Fortran and cuBLAS. */
} sgemm_ladder_order;

/** The operations on A and B, with the values of CBLAS. */
typedef enum sgemm_ladder_transpose {
  SGEMM_LADDER_NO_TRANS = 111,  /**< op(X) is X. */
  SGEMM_LADDER_TRANS = 112,     /**< op(X) is X transposed. */
  SGEMM_LADDER_CONJ_TRANS = 113 /**< The same as SGEMM_LADDER_TRANS, since the elements are real. */
} sgemm_ladder_transpose;

/** The kernels. */
typedef enum sgemm_ladder_algorithm {
  SGEMM_LADDER_BEST = 0, /**< The one that should be fastest for this call on the current GPU. */
  SGEMM_LADDER_STREAM_K = 12, /**< Multiplies and adds in FP32. */
  SGEMM_LADDER_TENSOR_FP32 =
      16 /**< FP32's accuracy from FP16 parts on tensor cores. It needs compute capability 9.0. */
} sgemm_ladder_algorithm;

/** Options of sgemm_ladder_sgemm_ex(). Set all of them with SGEMM_LADDER_OPTIONS_INIT first, then change some. */
typedef struct sgemm_ladder_options {
  /** sizeof(sgemm_ladder_options). Later versions may add options at the end. */
  size_t struct_size;
  /** One of sgemm_ladder_algorithm. */
  int32_t algorithm;
  /** Must be 0. */
  int32_t reserved;
  /**
   * Device memory for the call's intermediate results, at a multiple of 256 bytes; cudaMalloc() returns such memory. Nothing else may use
   * it until the product is computed. If it is null, the call takes memory from the device's memory pool.
   */
  void* workspace;
  /** The size of the workspace in bytes. sgemm_ladder_workspace_bytes() computes how many a call needs. */
  size_t workspace_bytes;
} sgemm_ladder_options;

/** The options that a call has without any: SGEMM_LADDER_BEST, and memory from the pool. */
#define SGEMM_LADDER_OPTIONS_INIT {sizeof(sgemm_ladder_options), SGEMM_LADDER_BEST, 0, NULL, 0}

/**
 * Computes C = alpha * op(A) * op(B) + beta * C on a stream. The arguments are those of cblas_sgemm(), and the stream.
 *
 * op(A) is m x k, op(B) is k x n, C is m x n.
 *
 * @param order SGEMM_LADDER_ROW_MAJOR or SGEMM_LADDER_COL_MAJOR, for all three matrices.
 * @param trans_a The operation on A: one of sgemm_ladder_transpose.
 * @param trans_b The operation on B.
 * @param m The rows of C, at least 0.
 * @param n The columns of C, at least 0.
 * @param k The columns of op(A), at least 0.
 * @param alpha A factor.
 * @param A The first matrix, in device memory.
 * @param lda The distance from a row of A to the next, or from a column to the next if the order is column-major. At least 1, and at least
 *   the length of a row or column as it lies in memory.
 * @param B The second matrix, in device memory.
 * @param ldb The same for B.
 * @param beta A factor.
 * @param C The result, in device memory.
 * @param ldc The same for C.
 * @param stream The stream, a cudaStream_t. It may be null, as in CUDA.
 * @return SGEMM_LADDER_OK, or why the product was not launched.
 */
SGEMM_LADDER_API sgemm_ladder_status sgemm_ladder_sgemm(int order, int trans_a, int trans_b,
                                                        int64_t m, int64_t n, int64_t k,
                                                        float alpha, const float* A, int64_t lda,
                                                        const float* B, int64_t ldb, float beta,
                                                        float* C, int64_t ldc,
                                                        struct CUstream_st* stream);

/**
 * Computes `batch` products of one shape. Their matrices lie at equal distances: the i-th product's A at A + i * stride_a, its B at
 * B + i * stride_b, its C at C + i * stride_c. With a stride_a or stride_b of 0 all products share A or B. The results must not overlap. All
 * strides are at least 0. The other arguments are those of sgemm_ladder_sgemm().
 */
SGEMM_LADDER_API sgemm_ladder_status sgemm_ladder_sgemm_strided_batched(
    int order, int trans_a, int trans_b, int64_t m, int64_t n, int64_t k, float alpha,
    const float* A, int64_t lda, int64_t stride_a, const float* B, int64_t ldb, int64_t stride_b,
    float beta, float* C, int64_t ldc, int64_t stride_c, int64_t batch, struct CUstream_st* stream);

/**
 * Computes what sgemm_ladder_sgemm_strided_batched() computes, with options. `options` may be null. With a workspace the call allocates
 * nothing. A workspace that is too small is refused.
 */
SGEMM_LADDER_API sgemm_ladder_status sgemm_ladder_sgemm_ex(
    int order, int trans_a, int trans_b, int64_t m, int64_t n, int64_t k, float alpha,
    const float* A, int64_t lda, int64_t stride_a, const float* B, int64_t ldb, int64_t stride_b,
    float beta, float* C, int64_t ldc, int64_t stride_c, int64_t batch, struct CUstream_st* stream,
    const sgemm_ladder_options* options);

/**
 * Computes how many bytes of workspace the same call of sgemm_ladder_sgemm_ex() needs on the current device, and stores them in *bytes.
 * They may be 0. They depend on the alignment of the matrices, so pass the pointers of the call. A null pointer counts as one that is
 * aligned to 16 bytes. Nothing is launched, and neither the matrices nor the options' workspace are used.
 */
SGEMM_LADDER_API sgemm_ladder_status sgemm_ladder_workspace_bytes(
    int order, int trans_a, int trans_b, int64_t m, int64_t n, int64_t k, float alpha,
    const float* A, int64_t lda, int64_t stride_a, const float* B, int64_t ldb, int64_t stride_b,
    float beta, const float* C, int64_t ldc, int64_t stride_c, int64_t batch,
    const sgemm_ladder_options* options, size_t* bytes);

/** Returns a short sentence on a status. The text stays valid. */
SGEMM_LADDER_API const char* sgemm_ladder_error_string(sgemm_ladder_status status);

/**
 * Returns why this thread's last call failed, in one sentence; "" if it did not. The text stays valid until the thread's next call of a
 * function that returns a status. Arguments are numbered from 1, as in BLAS.
 */
SGEMM_LADDER_API const char* sgemm_ladder_last_error(void);

/** Returns the SGEMM_LADDER_VERSION that the library was compiled with. */
SGEMM_LADDER_API int sgemm_ladder_version(void);

#ifdef __cplusplus
}
#endif

#endif
