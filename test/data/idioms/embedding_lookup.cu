// Embedding lookup: a block a token, rows copied as float4, and the backward pass by integer atomics.
// Easily got wrong: a token beyond the vocabulary; the row's length must be a multiple of 4 for the wide copy.
#include <cstdio>

__global__ void look_up(const int* tokens, const float4* table, const float4* positions, float4* out, int quads, int vocabulary) {
  const int token = tokens[blockIdx.x];
  for (int q = threadIdx.x; q < quads; q += blockDim.x) {
    float4 v = token >= 0 && token < vocabulary ? __ldg(&table[token * quads + q]) : make_float4(0, 0, 0, 0);
    const float4 p = positions[blockIdx.x * quads + q];
    v.x += p.x, v.y += p.y, v.z += p.z, v.w += p.w;
    out[blockIdx.x * quads + q] = v;
  }
}
__global__ void count(const int* tokens, int* gradient, int dimension, int vocabulary) {
  const int token = tokens[blockIdx.x];
  if (token < 0 || token >= vocabulary) return;
  for (int d = threadIdx.x; d < dimension; d += blockDim.x) atomicAdd(&gradient[token * dimension + d], d + 1);
}

int main() {
  const int length = 90, dimension = 100, vocabulary = 37;
  int *tokens, *gradient;
  float *table, *positions, *out;
  cudaMallocManaged(&tokens, length * sizeof(int));
  cudaMallocManaged(&gradient, vocabulary * dimension * sizeof(int));
  cudaMallocManaged(&table, vocabulary * dimension * sizeof(float));
  cudaMallocManaged(&positions, length * dimension * sizeof(float));
  cudaMallocManaged(&out, length * dimension * sizeof(float));
  int counts[vocabulary] = {}, wrong = 0;
  for (int i = 0; i < length; ++i) {
    tokens[i] = i == 50 ? -1 : i == 60 ? vocabulary : i * i % vocabulary;
    if (tokens[i] >= 0 && tokens[i] < vocabulary) ++counts[tokens[i]];
  }
  for (int i = 0; i < vocabulary * dimension; ++i) table[i] = float(i), gradient[i] = 0;
  for (int i = 0; i < length * dimension; ++i) positions[i] = i % 8 * 0.125f;
  look_up<<<length, 32>>>(tokens, reinterpret_cast<float4*>(table), reinterpret_cast<float4*>(positions),
                          reinterpret_cast<float4*>(out), dimension / 4, vocabulary);
  count<<<length, 64>>>(tokens, gradient, dimension, vocabulary);
  cudaDeviceSynchronize();
  for (int i = 0; i < length * dimension; ++i) {
    const int t = tokens[i / dimension];
    wrong += out[i] != (t >= 0 && t < vocabulary ? t * dimension + i % dimension : 0) + i % 8 * 0.125f;
  }
  for (int i = 0; i < vocabulary * dimension; ++i) wrong += gradient[i] != counts[i / dimension] * (i % dimension + 1);
  printf("%g %g %d\n", out[101], out[5001], gradient[99]);
  puts(wrong ? "FAILED" : "PASSED");
  cudaFree(tokens);
  cudaFree(gradient);
  cudaFree(table);
  cudaFree(positions);
  cudaFree(out);
}
