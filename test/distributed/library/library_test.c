/* The library for many GPUs, as a program in C uses it: products of whole numbers, which are exact, on every grid of the processes that
   mpirun starts; what is refused, word by word; and planted failures. A failure is printed by the process that sees it. */
#include <cuda_runtime.h>
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <sgemm_ladder_distributed.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Plants a fault in this process (failures.cpp). */
void plant_in_library(const char* fault, int rank);
/* Returns 1 if a process that fails tells the others before it gives its messages up (failures.cpp). */
int tells_before_it_gives_up(void);

enum { M = 2, N = 3, MB = 4, NB = 5, RSRC = 6, CSRC = 7, LLD = 8 }; /* places in a descriptor */

static const float CANARY = 12345;
static MPI_Comm comm; /* of all processes, in the opposite order */
static int rank, processes;
static int checks, failures;

static void expect(int is_true, const char* format, ...) {
  ++checks;
  if (is_true) return;
  if (++failures > 10) return; /* enough to read */
  char text[1200];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  fprintf(stderr, "rank %d of %d: %s\n", rank, processes, text);
}

static void cuda(cudaError_t error) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "rank %d: %s\n", rank, cudaGetErrorString(error));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Returns a random number from `least` to `most`: the same ones on all processes. */
static int64_t random_number(int64_t least, int64_t most) {
  static uint64_t state = 7;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return least + (int64_t)((state >> 33) % (uint64_t)(most - least + 1));
}

/* Returns the rows or columns of a block. It may be larger than any matrix. */
static int64_t random_block(void) {
  return random_number(0, 9) == 0 ? INT64_MAX : random_number(1, 20);
}

/* ---- grids */

typedef struct Grid {
  sgemm_ladder_grid* handle;
  int rows, cols, row, col;
} Grid;

static Grid grid_of(int rows, int cols) {
  Grid grid = {NULL, rows, cols, rank / cols, rank % cols};
  const int status = sgemm_ladder_grid_create(comm, rows, cols, &grid.handle);
  expect(status == SGEMM_LADDER_OK && grid.handle != NULL, "no grid: %s",
         sgemm_ladder_distributed_last_error());
  return grid;
}

static void destroy(Grid* grid) {
  expect(sgemm_ladder_grid_destroy(grid->handle) == SGEMM_LADDER_OK, "a grid is not destroyed");
}

/* ---- matrices */

static float element_of(char name, int64_t row, int64_t col) {
  return (float)((row * 7 + col * 13 + row * col + name * 5) % 9 - 4);
}

/* Returns the element in a place of a process, and which process has an element. */
static int64_t element_at(int64_t place, int64_t block, int process, int64_t first, int count) {
  return (place / block * count + (count + process - first) % count) * block + place % block;
}
static int owner(int64_t element, int64_t block, int64_t first, int count) {
  return (int)((first + element / block) % count);
}

/* A process's part of a matrix. Canaries lie before it, in its gaps and behind it. */
typedef struct Part {
  int64_t desc[9];
  int64_t rows, cols, before, size;
  float *values, *memory;
  float* data; /* null if the process has no element */
} Part;

static float* element(const Grid* grid, const Part* part, int64_t row, int64_t col, int64_t* i,
                      int64_t* j) {
  const int64_t* d = part->desc;
  *i = element_at(row, d[MB], grid->row, d[RSRC], grid->rows);
  *j = element_at(col, d[NB], grid->col, d[CSRC], grid->cols);
  return part->values + part->before + row + col * d[LLD];
}

static Part part_of(const Grid* grid, char name, int64_t rows, int64_t cols, int is_nan) {
  Part part = {{1, -77, rows, cols, random_block(), random_block(),
                random_number(0, grid->rows - 1), random_number(0, grid->cols - 1), 0},
               0,
               0,
               random_number(1, 5),
               0,
               NULL,
               NULL,
               NULL};
  int64_t* const d = part.desc;
  for (int64_t i = 0; i < rows; ++i) part.rows += owner(i, d[MB], d[RSRC], grid->rows) == grid->row;
  for (int64_t j = 0; j < cols; ++j) part.cols += owner(j, d[NB], d[CSRC], grid->cols) == grid->col;
  d[LLD] = (part.rows < 1 ? 1 : part.rows) + random_number(0, 3) + rank % 2; /* the process's own */
  int64_t said_rows = -1, said_cols = -1;
  expect(sgemm_ladder_local_size(grid->handle, d, &said_rows, &said_cols) == SGEMM_LADDER_OK &&
             said_rows == part.rows && said_cols == part.cols,
         "local_size says %" PRId64 " x %" PRId64 " instead of %" PRId64 " x %" PRId64 ": %s",
         said_rows, said_cols, part.rows, part.cols, sgemm_ladder_distributed_last_error());
  part.size = part.before + d[LLD] * part.cols + 7;
  part.values = malloc((size_t)part.size * sizeof(float));
  for (int64_t i = 0; i < part.size; ++i) part.values[i] = CANARY;
  for (int64_t col = 0, i, j; col < part.cols; ++col) {
    for (int64_t row = 0; row < part.rows; ++row) {
      float* const to = element(grid, &part, row, col, &i, &j);
      *to = is_nan ? NAN : element_of(name, i, j);
    }
  }
  cuda(cudaMalloc((void**)&part.memory, (size_t)part.size * sizeof(float)));
  cuda(cudaMemcpy(part.memory, part.values, (size_t)part.size * sizeof(float),
                  cudaMemcpyHostToDevice));
  if (part.rows > 0 && part.cols > 0) part.data = part.memory + part.before;
  return part;
}

/* Compares what lies in device memory with what shall lie there, and frees both. */
static void expect_values(Part* part, const char* name, const char* text) {
  float* const got = malloc((size_t)part->size * sizeof(float));
  cuda(cudaMemcpy(got, part->memory, (size_t)part->size * sizeof(float), cudaMemcpyDeviceToHost));
  int64_t wrong = 0, first = 0;
  for (int64_t i = part->size - 1; i >= 0; --i) {
    if (got[i] == part->values[i]) continue;
    ++wrong;
    first = i;
  }
  expect(wrong == 0,
         "%s: %" PRId64 " floats of %s are wrong; number %" PRId64 " of %" PRId64
         " is %g, and must be %g",
         text, wrong, name, first, part->size, got[first], part->values[first]);
  free(got);
  free(part->values);
  cuda(cudaFree(part->memory));
}

/* ---- products */

typedef struct Shape {
  int64_t m, n, k;
  int trans_a, trans_b;
  float alpha, beta;
  int64_t panel; /* 0: no options */
  int algorithm;
} Shape;

static void expect_exact(const Grid* grid, const Shape* s) {
  char text[200];
  snprintf(text, sizeof text,
           "%d x %d grid, %" PRId64 " x %" PRId64 " x %" PRId64
           ", trans %d %d, alpha %g, beta %g, panel %" PRId64 ", algorithm %d",
           grid->rows, grid->cols, s->m, s->n, s->k, s->trans_a, s->trans_b, s->alpha, s->beta,
           s->panel, s->algorithm);
  const int a_turns = s->trans_a != SGEMM_LADDER_NO_TRANS,
            b_turns = s->trans_b != SGEMM_LADDER_NO_TRANS;
  Part a = part_of(grid, 'A', a_turns ? s->k : s->m, a_turns ? s->m : s->k, 0);
  Part b = part_of(grid, 'B', b_turns ? s->n : s->k, b_turns ? s->k : s->n, 0);
  Part c = part_of(grid, 'C', s->m, s->n, s->beta == 0);
  sgemm_ladder_distributed_options options = SGEMM_LADDER_DISTRIBUTED_OPTIONS_INIT;
  options.panel = s->panel;
  options.algorithm = s->algorithm;
  const int reads = s->alpha != 0; /* else the matrices need not be there */
  const int status = sgemm_ladder_distributed_sgemm(
      grid->handle, s->trans_a, s->trans_b, s->m, s->n, s->k, s->alpha, reads ? a.data : NULL,
      a.desc, reads ? b.data : NULL, b.desc, s->beta, c.data, c.desc,
      s->panel == 0 ? NULL : &options);
  expect(status == SGEMM_LADDER_OK, "%s: status %d, %s", text, status,
         sgemm_ladder_distributed_last_error());
  expect(strcmp(sgemm_ladder_distributed_last_error(), "") == 0, "%s: an error is left: %s", text,
         sgemm_ladder_distributed_last_error());
  for (int64_t col = 0, i, j; col < c.cols; ++col) {
    for (int64_t row = 0; row < c.rows; ++row) {
      float* const want = element(grid, &c, row, col, &i, &j);
      float sum = 0;
      for (int64_t l = 0; l < s->k; ++l)
        sum += (a_turns ? element_of('A', l, i) : element_of('A', i, l)) *
               (b_turns ? element_of('B', j, l) : element_of('B', l, j));
      *want = s->alpha * sum + (s->beta == 0 ? 0 : s->beta * *want);
    }
  }
  expect_values(&a, "A", text);
  expect_values(&b, "B", text);
  expect_values(&c, "C", text);
}

/* Every grid of the processes, all of them at once. */
static int make_grids(Grid* grids) {
  int count = 0;
  for (int rows = 1; rows <= processes; ++rows)
    if (processes % rows == 0) grids[count++] = grid_of(rows, processes / rows);
  return count;
}

static void products_are_exact(const Grid* grid, int count) {
  for (int i = 0; i < count; ++i) {
    const int trans[] = {SGEMM_LADDER_NO_TRANS, SGEMM_LADDER_TRANS, SGEMM_LADDER_CONJ_TRANS};
    const int algorithms[] = {SGEMM_LADDER_STREAM_K, SGEMM_LADDER_BEST, SGEMM_LADDER_TENSOR_FP32};
    const Shape shape = {random_number(1, 70),
                         random_number(1, 70),
                         random_number(1, 90),
                         trans[i % 3],
                         trans[i / 2 % 3],
                         (float)(i % 3 == 0 ? 1 : -2),
                         (float)(i % 4 == 1 ? 3 : i % 4 == 2),
                         i % 5 == 0 ? 0 : random_number(1, 40),
                         algorithms[i % 6 < 4 ? 0 : i % 6 - 3]};
    expect_exact(grid, &shape);
  }
}

static void nothing_has_blas_rules(const Grid* grid) {
  const int no = SGEMM_LADDER_NO_TRANS;
  for (int beta = 0; beta < 3; ++beta) {
    const Shape shapes[] = {
        {0, 30, 40, no, no, 1, (float)beta, 16, 0}, {20, 0, 40, no, no, 1, (float)beta, 16, 0},
        {20, 30, 0, no, no, 1, (float)beta, 16, 0}, {20, 30, 40, no, no, 0, (float)beta, 16, 0},
        {0, 0, 0, no, no, 1, (float)beta, 0, 0},    {1, 1, 1, no, no, 1, (float)beta, 0, 0}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) expect_exact(grid, &shapes[i]);
  }
}

/* ---- refusals */

/* All arguments of a call. */
typedef struct Call {
  sgemm_ladder_grid* grid;
  int trans_a, trans_b;
  int64_t m, n, k;
  float alpha;
  const float* A;
  int64_t desc_a[9];
  const float* B;
  int64_t desc_b[9];
  float beta;
  float* C;
  int64_t desc_c[9];
  sgemm_ladder_distributed_options options;
  unsigned char later_options[6000]; /* which this version does not know */
  int lacks;                         /* 1, 2, 3: desc_a, desc_b, desc_c is null */
} Call;

static int run(const Call* c) {
  return sgemm_ladder_distributed_sgemm(c->grid, c->trans_a, c->trans_b, c->m, c->n, c->k, c->alpha,
                                        c->A, c->lacks == 1 ? NULL : c->desc_a, c->B,
                                        c->lacks == 2 ? NULL : c->desc_b, c->beta, c->C,
                                        c->lacks == 3 ? NULL : c->desc_c, &c->options);
}

enum { ALL = -1 };

/* Expects what the process `at` is told, or all are. The others are told that it has refused, or failed. */
static void expect_told(const char* function, int status, int want, int at, const char* verb,
                        const char* format, ...) {
  char own[640], text[800];
  va_list values;
  va_start(values, format);
  vsnprintf(own, sizeof own, format, values);
  va_end(values);
  if (at == ALL || at == rank)
    snprintf(text, sizeof text, "%s: %s", function, own);
  else
    snprintf(text, sizeof text, "%s: rank %d %s: %s", function, at, verb, own);
  const char* const said = sgemm_ladder_distributed_last_error();
  expect(status == want, "status %d instead of %d: %s", status, want, said);
  expect(strcmp(said, text) == 0, "it said\n  %s\ninstead of\n  %s", said, text);
}

static const char* const SGEMM = "sgemm_ladder_distributed_sgemm";

/* Refuses a call in which one argument is wrong: on all processes, and on the last one only. */
#define REFUSE(change, ...)                                                                  \
  do {                                                                                       \
    for (int at = ALL; at < processes; at += processes) {                                    \
      Call c = good;                                                                         \
      if (at == ALL || at == rank) {                                                         \
        change;                                                                              \
      }                                                                                      \
      const int status = run(&c);                                                            \
      expect_told(SGEMM, status, SGEMM_LADDER_INVALID_ARGUMENT, at, "refused", __VA_ARGS__); \
    }                                                                                        \
  } while (0)

/* Refuses a call in which the last process has an argument of its own. */
#define MISMATCH(change, ...)                                                        \
  do {                                                                               \
    Call c = good;                                                                   \
    if (rank == last) {                                                              \
      change;                                                                        \
    }                                                                                \
    const int status = run(&c);                                                      \
    expect_told(SGEMM, status, SGEMM_LADDER_MISMATCH, last, "refused", __VA_ARGS__); \
  } while (0)

static Call good_call(const Grid* grid, Part* a, Part* b, Part* c) {
  Call good;
  memset(&good, 0, sizeof good);
  good.grid = grid->handle;
  good.trans_a = good.trans_b = SGEMM_LADDER_NO_TRANS;
  good.m = 48;
  good.n = 49;
  good.k = 50;
  good.alpha = 2;
  good.beta = 3;
  Part* const parts[] = {a, b, c};
  const char names[] = {'A', 'B', 'C'};
  const int64_t sizes[3][2] = {{48, 50}, {50, 49}, {48, 49}};
  int64_t* const descs[] = {good.desc_a, good.desc_b, good.desc_c};
  for (int i = 0; i < 3; ++i) {
    do { /* every process has elements */
      if (parts[i]->memory != NULL) {
        free(parts[i]->values);
        cuda(cudaFree(parts[i]->memory));
      }
      *parts[i] = part_of(grid, names[i], sizes[i][0], sizes[i][1], 0);
    } while (parts[i]->desc[MB] > 48 / processes || parts[i]->desc[NB] > 48 / processes);
    memcpy(descs[i], parts[i]->desc, sizeof parts[i]->desc);
  }
  good.A = a->data;
  good.B = b->data;
  good.C = c->data;
  const sgemm_ladder_distributed_options usual = SGEMM_LADDER_DISTRIBUTED_OPTIONS_INIT;
  good.options = usual;
  good.options.panel = 20;
  return good;
}

static void set_transposed_a(Call* c) {
  c->trans_a = SGEMM_LADDER_TRANS;
  c->desc_a[M] = c->k;
  c->desc_a[N] = c->m;
  c->desc_a[LLD] = 60;
}

static void refuses_arguments(const Grid* grid) {
  Part pa = {0}, pb = {0}, pc = {0};
  const Call good = good_call(grid, &pa, &pb, &pc);
  const int last = processes - 1;
  char here[100];

  REFUSE(c.trans_a = 110,
         "argument 2 (trans_a) is 110; 111 (no transpose), 112 (transpose) and 113 (conjugate "
         "transpose) are allowed");
  REFUSE(c.trans_b = 114,
         "argument 3 (trans_b) is 114; 111 (no transpose), 112 (transpose) and 113 (conjugate "
         "transpose) are allowed");
  REFUSE(c.m = -1, "argument 4 (m) is -1; it must be at least 0");
  REFUSE(c.n = -2, "argument 5 (n) is -2; it must be at least 0");
  REFUSE(c.k = -3, "argument 6 (k) is -3; it must be at least 0");
  REFUSE(c.k = 68719476737, "argument 6 (k) is 68719476737; it must be at most 68719476736");
  REFUSE(c.lacks = 1,
         "argument 9 (desc_a) is null; it must be the address of the nine numbers of a matrix");
  REFUSE(c.lacks = 2,
         "argument 11 (desc_b) is null; it must be the address of the nine numbers of a matrix");
  REFUSE(c.lacks = 3,
         "argument 14 (desc_c) is null; it must be the address of the nine numbers of a matrix");
  REFUSE(c.desc_a[0] = 2,
         "argument 9 (desc_a): number 1 (DTYPE_) is 2; it must be 1, a dense matrix");
  REFUSE(c.desc_a[M] = -5, "argument 9 (desc_a): number 3 (M_) is -5; it must be at least 0");
  REFUSE(c.desc_a[M] = 49, "argument 9 (desc_a): number 3 (M_) is 49; it must be m, which is 48");
  REFUSE(c.desc_a[N] = 49, "argument 9 (desc_a): number 4 (N_) is 49; it must be k, which is 50");
  REFUSE((set_transposed_a(&c), c.desc_a[M] = 48),
         "argument 9 (desc_a): number 3 (M_) is 48; it must be k, which is 50");
  REFUSE(c.desc_b[M] = 51, "argument 11 (desc_b): number 3 (M_) is 51; it must be k, which is 50");
  REFUSE(c.desc_b[N] = 51, "argument 11 (desc_b): number 4 (N_) is 51; it must be n, which is 49");
  REFUSE((c.trans_b = SGEMM_LADDER_TRANS),
         "argument 11 (desc_b): number 3 (M_) is 50; it must be n, which is 49");
  REFUSE(c.desc_c[M] = 51, "argument 14 (desc_c): number 3 (M_) is 51; it must be m, which is 48");
  REFUSE(c.desc_c[N] = 51, "argument 14 (desc_c): number 4 (N_) is 51; it must be n, which is 49");
  REFUSE(c.desc_b[MB] = 0, "argument 11 (desc_b): number 5 (MB_) is 0; it must be at least 1");
  REFUSE(c.desc_c[NB] = -1, "argument 14 (desc_c): number 6 (NB_) is -1; it must be at least 1");
  REFUSE(c.desc_a[RSRC] = -1,
         "argument 9 (desc_a): number 7 (RSRC_) is -1; it must be a row of the grid, from 0 to %d",
         grid->rows - 1);
  REFUSE(c.desc_b[CSRC] = grid->cols,
         "argument 11 (desc_b): number 8 (CSRC_) is %d; it must be a column of the grid, from 0 to "
         "%d",
         grid->cols, grid->cols - 1);
  REFUSE(c.desc_c[LLD] = INT64_MAX,
         "argument 14 (desc_c): number 9 (LLD_) is 9223372036854775807; this process's part would "
         "be larger than the memory that a pointer can address");
  REFUSE(c.A = (const float*)(uintptr_t)0x1001,
         "argument 8 (A) is 0x1001; it must be a multiple of 4");
  REFUSE(c.options.struct_size = 8,
         "argument 15 (options) has a struct_size of 8; it must be "
         "sizeof(sgemm_ladder_distributed_options), which is 24");
  REFUSE((c.options.struct_size = 100, c.later_options[70] = 1),
         "argument 15 (options) has a struct_size of 100, and sets options that this version does "
         "not know; it knows 24 bytes");
  REFUSE(c.options.struct_size = 5000,
         "argument 15 (options) has a struct_size of 5000, and sets options that this version does "
         "not know; it knows 24 bytes");
  REFUSE(c.options.panel = -1,
         "argument 15 (options) has the panel -1; it must be from 1 to 1048576, or 0, which means "
         "a quarter of k");
  REFUSE(c.options.panel = 1048577,
         "argument 15 (options) has the panel 1048577; it must be from 1 to 1048576, or 0, which "
         "means a quarter of k");
  REFUSE(c.options.algorithm = 11,
         "argument 15 (options) has the algorithm 11; 0 (best), 12 (stream_k) and 16 (tensor_fp32) "
         "are allowed");
  REFUSE(c.options.reserved = 1, "argument 15 (options) has 1 as reserved; it must be 0");

  /* A later version's options are allowed if none of them is set. */
  {
    Call c = good;
    c.alpha = 0;
    c.beta = 1;
    c.options.struct_size = 100;
    expect(run(&c) == SGEMM_LADDER_OK, "%s", sgemm_ladder_distributed_last_error());
  }

  /* These depend on the process. Each process knows what the last one is told. */
  int64_t sizes[3][2];
  Part* const parts[] = {&pa, &pb, &pc};
  for (int i = 0; i < 3; ++i) {
    sizes[i][0] = parts[i]->rows;
    sizes[i][1] = parts[i]->cols;
  }
  MPI_Bcast(sizes, 6, MPI_INT64_T, last, comm);
  const char* const pointers[] = {"argument 8 (A)", "argument 10 (B)", "argument 13 (C)"};
  const char* const descs[] = {"argument 9 (desc_a)", "argument 11 (desc_b)",
                               "argument 14 (desc_c)"};
  for (int i = 0; i < 3; ++i) {
    Call c = good;
    if (rank == last) {
      if (i == 0) c.A = NULL;
      if (i == 1) c.B = NULL;
      if (i == 2) c.C = NULL;
    }
    expect_told(SGEMM, run(&c), SGEMM_LADDER_INVALID_ARGUMENT, last, "refused",
                "%s is null; it must be a pointer to this process's part of %" PRId64 " x %" PRId64
                " elements in device memory",
                pointers[i], sizes[i][0], sizes[i][1]);
    c = good;
    int64_t* const d = i == 0 ? c.desc_a : i == 1 ? c.desc_b : c.desc_c;
    if (rank == last) d[LLD] = sizes[i][0] - 1;
    expect_told(SGEMM, run(&c), SGEMM_LADDER_INVALID_ARGUMENT, last, "refused",
                "%s: number 9 (LLD_) is %" PRId64
                "; it must be at least the rows on this process, which are %" PRId64,
                descs[i], sizes[i][0] - 1, sizes[i][0]);
  }

  /* A part without rows */
  {
    Call c = good;
    c.m = c.desc_a[M] = c.desc_c[M] = 0;
    if (rank == last) c.desc_a[LLD] = 0;
    expect_told(SGEMM, run(&c), SGEMM_LADDER_INVALID_ARGUMENT, last, "refused",
                "argument 9 (desc_a): number 9 (LLD_) is 0; it must be at least 1");
  }

  if (processes > 1) {
    const char* const same = "; it must be the same on all processes";
    MISMATCH(set_transposed_a(&c), "argument 2 (trans_a) is 112, and 111 on rank 0%s", same);
    MISMATCH((c.m = c.desc_a[M] = c.desc_c[M] = 47), "argument 4 (m) is 47, and 48 on rank 0%s",
             same);
    MISMATCH((c.n = c.desc_b[N] = c.desc_c[N] = 48), "argument 5 (n) is 48, and 49 on rank 0%s",
             same);
    MISMATCH((c.k = c.desc_a[N] = c.desc_b[M] = 49), "argument 6 (k) is 49, and 50 on rank 0%s",
             same);
    MISMATCH(c.alpha = 0.1F, "argument 7 (alpha) is 0.100000001, and 2 on rank 0%s", same);
    MISMATCH(c.beta = 4, "argument 12 (beta) is 4, and 3 on rank 0%s", same);
    MISMATCH(c.options.panel = 0, "argument 15 (options): panel is 2048, and 20 on rank 0%s", same);
    MISMATCH(c.options.algorithm = 12, "argument 15 (options): algorithm is 12, and 0 on rank 0%s",
             same);
    const char* const names[] = {"MB_", "NB_", "RSRC_", "CSRC_"};
    for (int i = 0; i < 3; ++i) {
      for (int number = MB; number <= CSRC; ++number) {
        const int64_t* const d = i == 0 ? good.desc_a : i == 1 ? good.desc_b : good.desc_c;
        const int lines = number == RSRC ? grid->rows : grid->cols;
        if (number >= RSRC && lines == 1) continue;
        const int64_t other = number < RSRC ? d[number] + 1 : (d[number] + 1) % lines;
        MISMATCH(
            {
              int64_t* const mine = i == 0 ? c.desc_a : i == 1 ? c.desc_b : c.desc_c;
              mine[number] = other;
              mine[LLD] = 60;
            },
            "%s: number %d (%s) is %" PRId64 ", and %" PRId64 " on rank 0%s", descs[i], number + 1,
            names[number - MB], other, d[number], same);
      }
    }
    /* Rank 0 refuses itself, so the others need not have its numbers. */
    Call c = good;
    if (rank == 0) c.m = -1;
    expect_told(SGEMM, run(&c), SGEMM_LADDER_INVALID_ARGUMENT, 0, "refused",
                "argument 4 (m) is -1; it must be at least 0");
  }

  /* A grid that is null is refused by its process alone. */
  if (rank == last) {
    Call c = good;
    c.grid = NULL;
    expect_told(SGEMM, run(&c), SGEMM_LADDER_INVALID_ARGUMENT, ALL, "",
                "argument 1 (grid) is null; it must be a grid of sgemm_ladder_grid_create()");
  }

  /* An error of CUDA from before stays. */
  Call c = good;
  if (rank == last) expect(cudaSetDevice(99) == cudaErrorInvalidDevice, "no error of CUDA");
  snprintf(here, sizeof here, "CUDA had failed before this call: %s (cudaErrorInvalidDevice)",
           cudaGetErrorString(cudaErrorInvalidDevice));
  expect_told(SGEMM, run(&c), SGEMM_LADDER_CUDA_ERROR, last, "refused", "%s", here);
  if (rank == last) expect(cudaGetLastError() == cudaErrorInvalidDevice, "the error is gone");

  /* Too little memory on one process, for a grid that has none yet */
  Grid fresh = grid_of(grid->rows, grid->cols);
  c.grid = fresh.handle;
  size_t there = 0, all = 0;
  void* taken[64] = {NULL};
  if (rank == last) {
    cuda(cudaMemGetInfo(&there, &all));
    int pieces = 0;
    for (size_t size = there; size >= 4096 && pieces < 64;) {
      if (cudaMalloc(&taken[pieces], size) == cudaSuccess) {
        ++pieces;
      } else {
        cudaGetLastError();
        size /= 2;
      }
    }
    cuda(cudaMemGetInfo(&there, &all));
  }
  const int status = run(&c);
  expect(status == SGEMM_LADDER_OUT_OF_MEMORY, "status %d", status);
  const char* const said = sgemm_ladder_distributed_last_error();
  const char* const needs = strstr(said, "the product needs ");
  int64_t needed = 0, free_bytes = -1;
  char end[100] = "";
  /* A GPU may have free bytes that it does not give away. */
  if (needs == NULL) {
    char refused[200];
    snprintf(refused, sizeof refused, "rank %d refused: CUDA: out of memory", last);
    expect(strstr(said, rank == last ? "CUDA: out of memory" : refused) != NULL, "%s", said);
  } else {
    expect(sscanf(needs,
                  "the product needs %" SCNd64
                  " bytes of device memory beside the matrices, and %" SCNd64 " are free; %99[^\n]",
                  &needed, &free_bytes, end) == 3 &&
               needed > free_bytes && strcmp(end, "smaller panels need less") == 0,
           "%s", said);
    if (rank == last)
      expect(free_bytes == (int64_t)there && needs == said + strlen(SGEMM) + 2, "%s", said);
  }
  for (int i = 0; i < 64; ++i) cuda(cudaFree(taken[i]));
  destroy(&fresh);

  /* Nothing was written, and the grid still works. */
  expect_values(&pa, "A", "refused calls");
  expect_values(&pb, "B", "refused calls");
  expect_values(&pc, "C", "refused calls");
  products_are_exact(grid, 1);
}

static void refuses_grids(void) {
  const char* const function = "sgemm_ladder_grid_create";
  sgemm_ladder_grid* const no_grid = (sgemm_ladder_grid*)&failures; /* not null */
  sgemm_ladder_grid* grid = no_grid;
  const int last = processes - 1;
  expect_told(function, sgemm_ladder_grid_create(MPI_COMM_NULL, 1, 1, &grid),
              SGEMM_LADDER_INVALID_ARGUMENT, ALL, "",
              "argument 1 (comm) is MPI_COMM_NULL; it must be a communicator");
  expect(grid == NULL, "a refused grid is not null");
  expect_told(function, sgemm_ladder_grid_create(comm, 0, processes, &grid),
              SGEMM_LADDER_INVALID_ARGUMENT, ALL, "",
              "argument 2 (rows) is 0; it must be at least 1");
  expect_told(function, sgemm_ladder_grid_create(comm, processes, -1, &grid),
              SGEMM_LADDER_INVALID_ARGUMENT, ALL, "",
              "argument 3 (cols) is -1; it must be at least 1");
  expect_told(function, sgemm_ladder_grid_create(comm, processes, 2, &grid),
              SGEMM_LADDER_INVALID_ARGUMENT, ALL, "",
              "argument 2 (rows) is %d and argument 3 (cols) is 2; their product must be the "
              "number of processes, which is %d",
              processes, processes);
  expect_told(function, sgemm_ladder_grid_create(comm, 1, processes, rank == last ? NULL : &grid),
              SGEMM_LADDER_INVALID_ARGUMENT, last, "refused",
              "argument 4 (grid) is null; it must be the address of a pointer");
  expect(grid == NULL, "a refused grid is not null");
  if (processes > 1) {
    const int is_last = rank == last;
    expect_told(
        function,
        sgemm_ladder_grid_create(comm, is_last ? processes : 1, is_last ? 1 : processes, &grid),
        SGEMM_LADDER_MISMATCH, last, "refused",
        "argument 2 (rows) is %d, and 1 on rank 0; it must be the same on all processes",
        processes);
    /* Two groups of processes, and what lies between them */
    MPI_Comm group, between;
    MPI_Comm_split(comm, rank == 0, rank, &group);
    MPI_Intercomm_create(group, 0, comm, rank == 0, 1, &between);
    expect_told(function, sgemm_ladder_grid_create(between, 1, 1, &grid),
                SGEMM_LADDER_INVALID_ARGUMENT, ALL, "",
                "argument 1 (comm) is an intercommunicator; it must be one of one group");
    MPI_Comm_free(&between);
    MPI_Comm_free(&group);
  }
}

static void refuses_sizes(const Grid* grid) {
  const char* const function = "sgemm_ladder_local_size";
  const int64_t good[9] = {1, 0, 10, 10, 2, 2, 0, 0, 0};
  int64_t bad[9], rows = -1, cols = -1;
  memcpy(bad, good, sizeof bad);
  bad[MB] = 0;
  const int invalid = SGEMM_LADDER_INVALID_ARGUMENT;
  expect_told(function, sgemm_ladder_local_size(NULL, good, &rows, &cols), invalid, ALL, "",
              "argument 1 (grid) is null; it must be a grid of sgemm_ladder_grid_create()");
  expect_told(function, sgemm_ladder_local_size(grid->handle, NULL, &rows, &cols), invalid, ALL, "",
              "argument 2 (desc) is null; it must be the address of the nine numbers of a matrix");
  expect_told(function, sgemm_ladder_local_size(grid->handle, bad, &rows, &cols), invalid, ALL, "",
              "argument 2 (desc): number 5 (MB_) is 0; it must be at least 1");
  expect_told(function, sgemm_ladder_local_size(grid->handle, good, NULL, &cols), invalid, ALL, "",
              "argument 3 (rows) is null; it must be the address of an int64_t");
  expect_told(function, sgemm_ladder_local_size(grid->handle, good, &rows, NULL), invalid, ALL, "",
              "argument 4 (cols) is null; it must be the address of an int64_t");
  expect(rows == -1 && cols == -1, "a refused call writes its answer");
  /* A block may be larger than any matrix. */
  const int64_t large[9] = {1, 0, 10, 0, INT64_MAX, INT64_MAX, 0, 0, 0};
  expect(sgemm_ladder_local_size(grid->handle, large, &rows, &cols) == SGEMM_LADDER_OK &&
             rows == (grid->row == 0 ? 10 : 0) && cols == 0,
         "%" PRId64 " x %" PRId64 " of one block", rows, cols);
}

static void explains_every_status(void) {
  const int statuses[] = {0, 1, 2, 3, 4, 101, 102, 103, 99};
  const char* const texts[] = {"the product was computed",
                               "an argument is not allowed",
                               "the current GPU cannot compute this",
                               "too little memory",
                               "CUDA failed",
                               "a message failed, or nothing came for too long",
                               "the processes have different arguments",
                               "the product failed",
                               "not a status of sgemm_ladder"};
  for (int i = 0; i < 9; ++i)
    expect(strcmp(sgemm_ladder_distributed_error_string(statuses[i]), texts[i]) == 0,
           "status %d: %s", statuses[i], sgemm_ladder_distributed_error_string(statuses[i]));
}

/* ---- failures */

static void give_back(Part* a, Part* b, Part* c) {
  Part* const parts[] = {a, b, c};
  for (int i = 0; i < 3; ++i) {
    free(parts[i]->values);
    cuda(cudaFree(parts[i]->memory));
  }
}

/* The last process fails in the middle of a product: all of them return, and none waits for it. The grid is of no use then. */
static void fails_on_all(const char* fault, int status, const char* said) {
  const int last = processes - 1;
  Grid grid = grid_of(1, processes);
  Part a = {0}, b = {0}, c = {0};
  Call call = good_call(&grid, &a, &b, &c);
  char planted[40] = "";
  if (fault != NULL)
    snprintf(planted, sizeof planted, "%d:%s", last, fault);
  else if (rank == last)
    call.desc_a[LLD] = (int64_t)1 << 40; /* CUDA copies no columns at this distance */
  plant_in_library(planted, rank);
  const int got = run(&call);
  if (fault == NULL) fault = "a copy that CUDA refuses";
  const char* const text = sgemm_ladder_distributed_last_error();
  char begin[200];
  if (rank == last)
    snprintf(begin, sizeof begin, "%s: %s", SGEMM, said);
  else
    snprintf(begin, sizeof begin, "%s: rank %d failed: %s", SGEMM, last, said);
  expect(got == status, "%s: status %d: %s", fault, got, text);
  expect(strncmp(text, begin, strlen(begin)) == 0, "%s: it said\n  %s\ninstead of\n  %s", fault,
         text, begin);
  expect(cudaPeekAtLastError() == cudaSuccess, "%s: an error of CUDA is left", fault);
  expect_told(SGEMM, run(&call), SGEMM_LADDER_INVALID_ARGUMENT, ALL, "",
              "argument 1 (grid) is one on which a product has failed; destroy it, and make "
              "another");
  give_back(&a, &b, &c);
  destroy(&grid);
}

/* The last process gets no memory, before the product begins: all of them refuse it, and the grid works on. */
static void lacks_memory(void) {
  const int last = processes - 1;
  Grid grid = grid_of(1, processes);
  Part a = {0}, b = {0}, c = {0};
  Call call = good_call(&grid, &a, &b, &c);
  char planted[40];
  snprintf(planted, sizeof planted, "%d:memory", last);
  plant_in_library(planted, rank);
  expect_told(SGEMM, run(&call), SGEMM_LADDER_OUT_OF_MEMORY, last, "refused",
              "CUDA: out of memory (cudaErrorMemoryAllocation)");
  plant_in_library("", rank);
  expect(cudaPeekAtLastError() == cudaSuccess, "an error of CUDA is left");
  expect(run(&call) == SGEMM_LADDER_OK, "%s", sgemm_ladder_distributed_last_error());
  give_back(&a, &b, &c);
  destroy(&grid);
}

static void fails_on_all_processes_or_none(void) {
  expect(tells_before_it_gives_up(), "a process gives its messages up before it tells the others");
  fails_on_all("product", SGEMM_LADDER_CUDA_ERROR, "CUDA: ");
  fails_on_all("product:3", SGEMM_LADDER_CUDA_ERROR, "CUDA: "); /* in the last panel */
  if (processes == 1) return; /* it sends nothing, and copies no panels */
  fails_on_all(NULL, SGEMM_LADDER_CUDA_ERROR, "CUDA: invalid ");
  fails_on_all("wire", SGEMM_LADDER_FAILED, "a message of rank ");
  fails_on_all("panel", SGEMM_LADDER_FAILED, "panel 0 of ");
}

int main(int argc, char** argv) {
  sgemm_ladder_grid* early = NULL;
  expect_told("sgemm_ladder_grid_create", sgemm_ladder_grid_create(MPI_COMM_NULL, 1, 1, &early),
              SGEMM_LADDER_INVALID_ARGUMENT, ALL, "",
              "MPI does not run; call it between MPI_Init() and MPI_Finalize()");
  MPI_Init(&argc, &argv);
  int world_rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &comm);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &processes);
  int gpus = 0;
  cuda(cudaGetDeviceCount(&gpus));
  cuda(cudaSetDevice(rank % gpus));

  Grid grids[8];
  const int count = make_grids(grids);
  for (int i = 0; i < count; ++i) {
    products_are_exact(&grids[i], 12);
    nothing_has_blas_rules(&grids[i]);
    refuses_arguments(&grids[i]);
    refuses_sizes(&grids[i]);
  }
  refuses_grids();
  explains_every_status();
  lacks_memory();
  fails_on_all_processes_or_none();
  for (int i = count - 1; i >= 0; --i) products_are_exact(&grids[i], 1);
  for (int i = 0; i < count; ++i) destroy(&grids[i]);
  const Grid late = grid_of(1, processes);
  expect(sgemm_ladder_grid_destroy(NULL) == SGEMM_LADDER_OK, "no grid is not destroyed");

  int sums[2] = {checks, failures};
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT, MPI_SUM, comm);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  const int before = failures;
  expect_told("sgemm_ladder_grid_destroy", sgemm_ladder_grid_destroy(late.handle),
              SGEMM_LADDER_INVALID_ARGUMENT, ALL, "",
              "MPI has ended; destroy a grid before MPI_Finalize()");
  if (rank == 0) printf("%d processes: %d checks, %d failures\n", processes, sums[0], sums[1]);
  return sums[1] + failures - before > 0;
}
