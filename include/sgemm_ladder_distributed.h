/**
 * @file
 * Matrix products in single precision on many GPUs: C = alpha * op(A) * op(B) + beta * C of matrices that lie in blocks on a grid of
 * processes, as ScaLAPACK's do. Each process of MPI has one GPU.
 *
 * This header is C99. It includes mpi.h, and no header of CUDA. The program starts and ends MPI.
 *
 * The process of rank r has the place (r / cols, r % cols) in a grid of rows x cols processes, as after blacs_gridinit() with the order
 * "Row". A matrix is described by ScaLAPACK's nine numbers, which here have 64 bits:
 *
 * | number | name         | meaning                                                               |
 * | ------ | ------------ | --------------------------------------------------------------------- |
 * | 1      | DTYPE_       | 1: a dense matrix                                                     |
 * | 2      | CTXT_        | not used                                                              |
 * | 3, 4   | M_, N_       | the rows and columns of the whole matrix                              |
 * | 5, 6   | MB_, NB_     | the rows and columns of a block                                       |
 * | 7, 8   | RSRC_, CSRC_ | the row and column of the grid whose process has the first block      |
 * | 9      | LLD_         | the leading dimension of this process's part, in elements             |
 *
 * A process has its part of a matrix in the memory of its GPU, in column-major order. LLD_ is the process's own. The other numbers are the
 * same on all processes.
 *
 * A call on a grid is collective: all processes of the grid call the same function with the same arguments, each with its own matrices. If
 * one process refuses its arguments, all refuse the call, and no element has been sent. All return SGEMM_LADDER_OK, or none does.
 * sgemm_ladder_distributed_last_error() says which argument was wrong, what it was and what is allowed; on another process it says which
 * rank has refused. No call ends the program.
 *
 * Only one thread at a time may call with a grid. Several threads may call with several grids if MPI was started with
 * MPI_THREAD_MULTIPLE.
 */
#ifndef SGEMM_LADDER_DISTRIBUTED_H
#define SGEMM_LADDER_DISTRIBUTED_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "sgemm_ladder.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The results of a call on many processes, beside those of sgemm_ladder_status. */
typedef enum sgemm_ladder_distributed_status {
  SGEMM_LADDER_COMMUNICATION_ERROR = 101, /**< A message failed, or nothing came for too long. */
  SGEMM_LADDER_MISMATCH = 102,            /**< A process has other arguments than rank 0. */
  SGEMM_LADDER_FAILED = 103 /**< Another failure, for example an element that changed on its way. */
} sgemm_ladder_distributed_status;

/** A grid of processes, and what carries messages between them. */
typedef struct sgemm_ladder_grid sgemm_ladder_grid;

/** Options of a product. Set all of them with SGEMM_LADDER_DISTRIBUTED_OPTIONS_INIT first, then change some. */
typedef struct sgemm_ladder_distributed_options {
  /** sizeof(sgemm_ladder_distributed_options). Later versions may add options at the end. */
  size_t struct_size;
  /** How much of k is brought and multiplied at once, 1048576 at most. 0 means a quarter of k, but from 2048 to 8192. More takes more
   *  memory, and fewer messages. */
  int64_t panel;
  /** One of sgemm_ladder_algorithm. */
  int32_t algorithm;
  /** Must be 0. */
  int32_t reserved;
} sgemm_ladder_distributed_options;

/** The options that a product has without any: panels of a quarter of k, and SGEMM_LADDER_BEST. */
#define SGEMM_LADDER_DISTRIBUTED_OPTIONS_INIT \
  {sizeof(sgemm_ladder_distributed_options), 0, SGEMM_LADDER_BEST, 0}

/**
 * Makes a grid of all processes of a communicator. All of them call it. Choose the GPU of each process before, with cudaSetDevice(): the
 * grid's calls work on it, and it must be the current device in each of them. Messages travel by NCCL. Those of simulated GPUs travel by
 * MPI.
 *
 * @param comm The communicator. The grid uses a duplicate of it. If MPI cannot duplicate it, MPI calls the error handler of `comm`.
 * @param rows The rows of the grid.
 * @param cols The columns of the grid. rows * cols is the number of processes.
 * @param grid The place for the grid. It gets a null pointer if the call fails.
 * @return SGEMM_LADDER_OK, or why there is no grid.
 */
SGEMM_LADDER_API int sgemm_ladder_grid_create(MPI_Comm comm, int rows, int cols,
                                              sgemm_ladder_grid** grid);

/**
 * Ends a grid, and frees its memory. All of its processes call it, before MPI_Finalize(). A null pointer is allowed, and does nothing.
 *
 * @return SGEMM_LADDER_OK, or SGEMM_LADDER_INVALID_ARGUMENT if MPI has ended before.
 */
SGEMM_LADDER_API int sgemm_ladder_grid_destroy(sgemm_ladder_grid* grid);

/**
 * Computes how many rows and columns of a matrix lie on this process (ScaLAPACK's NUMROC). It is not collective, and sends nothing.
 *
 * @param grid The grid.
 * @param desc The nine numbers of the matrix. LLD_ is not used, since it may depend on the answer: it must be at least the rows, and 1.
 * @param rows The place for the rows.
 * @param cols The place for the columns.
 * @return SGEMM_LADDER_OK or SGEMM_LADDER_INVALID_ARGUMENT.
 */
SGEMM_LADDER_API int sgemm_ladder_local_size(const sgemm_ladder_grid* grid, const int64_t* desc,
                                             int64_t* rows, int64_t* cols);

/**
 * Computes C = alpha * op(A) * op(B) + beta * C. Returns when C is there. All processes of the grid call it.
 *
 * The matrices are whole ones: IA, JA and so on of PSGEMM are 1. Each may have blocks and a first process of its own. A process that has no
 * element of a matrix may pass a null pointer for it. C must not overlap A or B.
 *
 * BLAS's rules hold. If m or n is 0, nothing is done. If alpha or k is 0, A and B are not read and may be null. If beta is 0, C is not read,
 * so it may hold NaNs.
 *
 * The call waits for all work that was launched on the current device before. It takes device memory for two panels of A and of B, for
 * their messages, and for what the kernel needs. The grid keeps the memory for its next products. If a process has too little, all of them
 * refuse the call. A CUDA error from before the call is refused too, and stays pending.
 *
 * After a failure that is no refusal, C may hold anything, and each further product on the grid is refused: destroy the grid. Sums
 * travel with the messages, so an element that changes on its way is such a failure.
 *
 * @param grid The grid. If it is null, the call returns at once, without the other processes.
 * @param trans_a The operation on A: one of sgemm_ladder_transpose.
 * @param trans_b The operation on B.
 * @param m The rows of C, from 0 to 2^36, as all sizes.
 * @param n The columns of C.
 * @param k The columns of op(A).
 * @param alpha A factor.
 * @param A This process's part of the first matrix, in device memory.
 * @param desc_a The nine numbers of A, which is m x k, or k x m if it is transposed.
 * @param B This process's part of the second matrix.
 * @param desc_b The nine numbers of B, which is k x n, or n x k if it is transposed.
 * @param beta A factor.
 * @param C This process's part of the result.
 * @param desc_c The nine numbers of C, which is m x n.
 * @param options The options. They may be null.
 * @return SGEMM_LADDER_OK, another sgemm_ladder_status, or a sgemm_ladder_distributed_status.
 */
SGEMM_LADDER_API int sgemm_ladder_distributed_sgemm(
    sgemm_ladder_grid* grid, int trans_a, int trans_b, int64_t m, int64_t n, int64_t k, float alpha,
    const float* A, const int64_t* desc_a, const float* B, const int64_t* desc_b, float beta,
    float* C, const int64_t* desc_c, const sgemm_ladder_distributed_options* options);

/** Returns a short sentence on a status of these functions. The text stays valid. */
SGEMM_LADDER_API const char* sgemm_ladder_distributed_error_string(int status);

/**
 * Returns why this thread's last call of a function of this header failed, in one sentence; "" if it did not. The text stays valid until the
 * thread's next call of a function of this header that returns a status. Arguments are numbered from 1, as in BLAS.
 */
SGEMM_LADDER_API const char* sgemm_ladder_distributed_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
