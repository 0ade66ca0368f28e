/* Multiplies two matrices in column-major order, as cblas_sgemm() would, and asks for something that is not allowed. */
#include <cuda_runtime.h>
#include <sgemm_ladder.h>
#include <stdio.h>
#include <string.h>

static int fails(cudaError_t error) {
  if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}

int main(void) {
  /* A is 2 x 3, B is 3 x 2: columns one after the other. */
  const float a[] = {1, 4, 2, 5, 3, 6}, b[] = {7, 9, 11, 8, 10, 12}, want[] = {58, 139, 64, 154};
  float c[4];
  float *A = NULL, *B = NULL, *C = NULL;
  cudaStream_t stream;
  if (fails(cudaStreamCreate(&stream)) || fails(cudaMalloc((void**)&A, sizeof a)) ||
      fails(cudaMalloc((void**)&B, sizeof b)) || fails(cudaMalloc((void**)&C, sizeof c)) ||
      fails(cudaMemcpy(A, a, sizeof a, cudaMemcpyHostToDevice)) ||
      fails(cudaMemcpy(B, b, sizeof b, cudaMemcpyHostToDevice))) {
    return 1;
  }

  const sgemm_ladder_status status =
      sgemm_ladder_sgemm(SGEMM_LADDER_COL_MAJOR, SGEMM_LADDER_NO_TRANS, SGEMM_LADDER_NO_TRANS, 2, 2,
                         3, 1, A, 2, B, 3, 0, C, 2, stream);
  if (status != SGEMM_LADDER_OK) {
    fprintf(stderr, "%s\n", sgemm_ladder_last_error());
    return 1;
  }
  if (fails(cudaStreamSynchronize(stream)) ||
      fails(cudaMemcpy(c, C, sizeof c, cudaMemcpyDeviceToHost))) {
    return 1;
  }
  for (int i = 0; i < 4; ++i) {
    if (c[i] == want[i]) continue;
    fprintf(stderr, "element %d is %g; it must be %g\n", i, c[i], want[i]);
    return 1;
  }

  const char* const said =
      "sgemm_ladder_sgemm: argument 9 (lda) is 1; it must be at least m, which is 2";
  if (sgemm_ladder_sgemm(SGEMM_LADDER_COL_MAJOR, SGEMM_LADDER_NO_TRANS, SGEMM_LADDER_NO_TRANS, 2, 2,
                         3, 1, A, 1, B, 3, 0, C, 2, stream) != SGEMM_LADDER_INVALID_ARGUMENT ||
      strcmp(sgemm_ladder_last_error(), said) != 0) {
    fprintf(stderr, "%s\n", sgemm_ladder_last_error());
    return 1;
  }
  cudaFree(A);
  cudaFree(B);
  cudaFree(C);
  cudaStreamDestroy(stream);
  printf("C: right\n");
  return 0;
}
