#include "distributed/gpu/local_product.hpp"

#include "sgemm_ladder.h"

namespace distributed {
namespace {

int op(bool is_transposed) { return is_transposed ? SGEMM_LADDER_TRANS : SGEMM_LADDER_NO_TRANS; }

sgemm_ladder_options options_of(int algorithm) {
  sgemm_ladder_options options = SGEMM_LADDER_OPTIONS_INIT;
  options.algorithm = algorithm;
  return options;
}

void check_ladder(sgemm_ladder_status status) {
  if (status != SGEMM_LADDER_OK) throw LadderError(status, sgemm_ladder_last_error());
}

}  // namespace

void multiply_with_ladder(const LocalProduct& p, int algorithm, cudaStream_t stream) {
  const sgemm_ladder_options options = options_of(algorithm);
  check_ladder(sgemm_ladder_sgemm_ex(SGEMM_LADDER_COL_MAJOR, op(p.trans_a), op(p.trans_b), p.m, p.n,
                                     p.k, p.alpha, p.a, p.lda, 0, p.b, p.ldb, 0, p.beta, p.c, p.ldc,
                                     0, 1, stream, &options));
}

int64_t workspace_bytes(const LocalProduct& p, int algorithm) {
  const sgemm_ladder_options options = options_of(algorithm);
  size_t bytes = 0;
  check_ladder(sgemm_ladder_workspace_bytes(SGEMM_LADDER_COL_MAJOR, op(p.trans_a), op(p.trans_b),
                                            p.m, p.n, p.k, p.alpha, p.a, p.lda, 0, p.b, p.ldb, 0,
                                            p.beta, p.c, p.ldc, 0, 1, &options, &bytes));
  return static_cast<int64_t>(bytes);
}

}  // namespace distributed
