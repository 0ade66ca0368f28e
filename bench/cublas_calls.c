/* A program in C that calls cuBLAS and knows nothing of this project. bench/preload.py runs it with the preloaded library and without.
 *
 *     cublas_calls times    reads "m n k" from each line of stdin; prints "m n k us_of_cublas us error_over_bound": cublasSgemm of NVIDIA's
 *                           library, and cublasSgemm as the program got it, which may be a preloaded one, in turns
 *     cublas_calls once     reads the same, and calls once for each line; prints nothing
 *     cublas_calls costs    prints "small NS_OF_CUBLAS NS", and the same for "faster" and "tf32": the host's time of a call that cuBLAS
 *                           computes in any case, by the same two functions in turns. It is left to cuBLAS for its size, because cuBLAS
 *                           is as fast, or because it allows TF32.
 *
 * A time is the median of samples on the GPU. The error is the largest one of some elements, over FP32's bound: at most 1 if all are
 * right.
 */
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CHECK(call)                                                     \
  do {                                                                  \
    const int status = (int)(call);                                     \
    if (status != 0) {                                                  \
      fprintf(stderr, "cublas_calls: %s returned %d\n", #call, status); \
      exit(70);                                                         \
    }                                                                   \
  } while (0)

enum { SAMPLES = 15, CHECKED = 64 };

static float* random_matrix(size_t count, float** on_host) {
  float* host = malloc(count * sizeof(float));
  float* device = NULL;
  if (host == NULL) exit(70);
  for (size_t i = 0; i < count; ++i) host[i] = 2 * (float)rand() / (float)RAND_MAX - 1;
  CHECK(cudaMalloc((void**)&device, count * sizeof(float)));
  CHECK(cudaMemcpy(device, host, count * sizeof(float), cudaMemcpyHostToDevice));
  *on_host = host;
  return device;
}

static int compare(const void* a, const void* b) {
  const float x = *(const float*)a, y = *(const float*)b;
  return (x > y) - (x < y);
}

/* One product of column-major matrices without gaps. */
struct product {
  int m, n, k;
  float *A, *B, *C, *host_a, *host_b, *host_c;
};

static struct product make_product(int m, int n, int k) {
  struct product p = {m, n, k, NULL, NULL, NULL, NULL, NULL, NULL};
  p.A = random_matrix((size_t)m * (size_t)k, &p.host_a);
  p.B = random_matrix((size_t)k * (size_t)n, &p.host_b);
  p.C = random_matrix((size_t)m * (size_t)n, &p.host_c);
  return p;
}

static void free_product(struct product* p) {
  CHECK(cudaFree(p->A));
  CHECK(cudaFree(p->B));
  CHECK(cudaFree(p->C));
  free(p->host_a);
  free(p->host_b);
  free(p->host_c);
}

typedef cublasStatus_t sgemm_function(cublasHandle_t, cublasOperation_t, cublasOperation_t, int,
                                      int, int, const float*, const float*, int, const float*, int,
                                      const float*, float*, int);

/* Returns the function of NVIDIA's library, which a preloaded one does not hide from dlsym(). */
static sgemm_function* sgemm_of_nvidia(void) {
  char name[32];
  snprintf(name, sizeof name, "libcublas.so.%d", CUBLAS_VER_MAJOR);
  void* const library = dlopen(name, RTLD_LAZY);
  void* const function = library == NULL ? NULL : dlsym(library, "cublasSgemm_v2");
  sgemm_function* sgemm = NULL;
  if (function == NULL) {
    fprintf(stderr, "cublas_calls: %s\n", dlerror());
    exit(70);
  }
  memcpy(&sgemm, &function, sizeof sgemm);
  return sgemm;
}

static void multiply(sgemm_function* sgemm, cublasHandle_t handle, const struct product* p) {
  const float one = 1, zero = 0;
  CHECK(sgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, p->m, p->n, p->k, &one, p->A, p->m, p->B, p->k,
              &zero, p->C, p->m));
}

/* Returns the microseconds of one call, of `calls` in a row. */
static float sample(sgemm_function* sgemm, cublasHandle_t handle, const struct product* p,
                    int calls, cudaEvent_t begin, cudaEvent_t end) {
  float ms = 0;
  CHECK(cudaEventRecord(begin, 0));
  for (int i = 0; i < calls; ++i) multiply(sgemm, handle, p);
  CHECK(cudaEventRecord(end, 0));
  CHECK(cudaEventSynchronize(end));
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  return 1e3f * ms / (float)calls;
}

/* Stores the median of each of two functions' times. They are measured in turns. The second one computes last. */
static void measure(sgemm_function* const sgemm[2], cublasHandle_t handle, const struct product* p,
                    float median_us[2]) {
  cudaEvent_t begin, end;
  float us[2][SAMPLES];
  int calls[2];
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (int f = 0; f < 2; ++f) {
    sample(sgemm[f], handle, p, 3, begin, end); /* the first call loads kernels */
    const float rough = sample(sgemm[f], handle, p, 3, begin, end);
    calls[f] = rough > 3000 ? 1 : (int)(3000 / (rough + 1)) + 1; /* three milliseconds a sample */
  }
  for (int i = 0; i < SAMPLES; ++i)
    for (int f = 0; f < 2; ++f) us[f][i] = sample(sgemm[f], handle, p, calls[f], begin, end);
  for (int f = 0; f < 2; ++f) {
    qsort(us[f], SAMPLES, sizeof us[f][0], compare);
    median_us[f] = us[f][SAMPLES / 2];
  }
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
}

static double error_over_bound(const struct product* p) {
  const size_t m = (size_t)p->m, k = (size_t)p->k;
  double worst = 0;
  CHECK(cudaMemcpy(p->host_c, p->C, m * (size_t)p->n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < CHECKED; ++i) {
    const size_t row = (size_t)rand() % m, col = (size_t)rand() % (size_t)p->n;
    double want = 0, magnitude = 0;
    for (size_t l = 0; l < k; ++l) {
      const double one = (double)p->host_a[row + l * m] * (double)p->host_b[l + col * k];
      want += one;
      magnitude += fabs(one);
    }
    const double bound = 2 * (double)k * 0x1p-23 * magnitude;
    const double share = fabs((double)p->host_c[row + col * m] - want) / bound;
    if (!(share <= worst)) worst = share;
  }
  return worst;
}

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Prints the host's least time of a call of each function, of several rows of calls. */
static void print_cost(sgemm_function* const sgemm[2], cublasHandle_t handle, const char* name,
                       int m, int n, int k, cublasMath_t mode) {
  enum { ROWS = 200, CALLS = 100 };
  struct product p = make_product(m, n, k);
  double least[2] = {1e30, 1e30};
  CHECK(cublasSetMathMode(handle, mode));
  for (int row = 0; row < ROWS; ++row) {
    for (int f = 0; f < 2; ++f) {
      const double begin = now_ns();
      for (int i = 0; i < CALLS; ++i) multiply(sgemm[f], handle, &p);
      const double ns = (now_ns() - begin) / CALLS;
      if (ns < least[f]) least[f] = ns;
      CHECK(cudaDeviceSynchronize());
    }
  }
  printf("%s %.1f %.1f\n", name, least[0], least[1]);
  free_product(&p);
}

int main(int argc, char** argv) {
  const char* const what = argc == 2 ? argv[1] : "";
  cublasHandle_t handle;
  int m, n, k;
  if (strcmp(what, "times") != 0 && strcmp(what, "once") != 0 && strcmp(what, "costs") != 0) {
    fprintf(stderr, "usage: cublas_calls times|once|costs\n");
    return 2;
  }
  sgemm_function* const both[2] = {sgemm_of_nvidia(), cublasSgemm};
  CHECK(cublasCreate(&handle));
  if (strcmp(what, "costs") == 0) {
    print_cost(both, handle, "small", 8, 8, 8, CUBLAS_DEFAULT_MATH);
    print_cost(both, handle, "faster", 1152, 320, 384, CUBLAS_DEFAULT_MATH);
    print_cost(both, handle, "tf32", 1024, 1024, 1024, CUBLAS_TF32_TENSOR_OP_MATH);
  } else {
    while (scanf("%d %d %d", &m, &n, &k) == 3) {
      struct product p = make_product(m, n, k);
      if (strcmp(what, "once") == 0) {
        multiply(cublasSgemm, handle, &p);
      } else {
        float us[2];
        measure(both, handle, &p, us);
        printf("%d %d %d %.3f %.3f %.4f\n", m, n, k, (double)us[0], (double)us[1],
               error_over_bound(&p));
        fflush(stdout);
      }
      free_product(&p);
    }
  }
  CHECK(cublasDestroy(handle));
  return 0;
}
