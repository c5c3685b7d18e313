// Vectors and row-major matrices of doubles: just enough for small dense problems.
#pragma once
#include <cmath>
#include <cstring>
#include <vector>

namespace amble {

inline double dot(const double* a, const double* b, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

// y += alpha x
inline void axpy(double alpha, const double* x, double* y, int n) {
  for (int i = 0; i < n; i++) y[i] += alpha * x[i];
}

inline void cross(const double* a, const double* b, double* out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

// A workspace that grows and never shrinks, so that a control loop does not allocate.
struct Matrix {
  int rows = 0, cols = 0, stride = 0;
  std::vector<double> data;

  void resize(int r, int c) {
    rows = r;
    cols = c;
    stride = (c + 3) & ~3;  // rows start on 32-byte steps
    if (data.size() < size_t(r) * stride) data.resize(size_t(r) * stride);
  }
  void zero() { std::memset(data.data(), 0, sizeof(double) * size_t(rows) * stride); }
  double* operator[](int i) { return data.data() + size_t(i) * stride; }
  const double* operator[](int i) const { return data.data() + size_t(i) * stride; }
};

}  // namespace amble
