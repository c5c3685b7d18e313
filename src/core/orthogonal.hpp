// Rank-revealing complete orthogonal decomposition of the rows of a matrix.
//
//   A (r × n) = P [ L 0 ] Qᵀ      L (r × k) lower trapezoidal, k = rank, P a row permutation
//   L = U T                        T (k × k) upper triangular; only when r > k (redundant rows)
//
// In coordinates w = Q [y; z], A w depends on y alone, and z spans the null space of A.
#pragma once
#include <algorithm>

#include "linear.hpp"

namespace amble {

class Orthogonal {
 public:
  int rank = 0;

  // Decomposes a copy of `rows` rows of length n; a pivot below `tolerance` × the first, or below
  // `smallest`, ends the rank.
  void factor(const double* const* row, int rows, int n, double tolerance, double smallest) {
    r_ = rows;
    n_ = n;
    reflector_.resize(rows, n);
    order_.resize(rows);
    norm2_.resize(rows);
    int most = std::min(rows, n);
    beta_.resize(most);
    diagonal_.resize(most);
    for (int j = 0; j < rows; j++) {
      std::memcpy(reflector_[j], row[j], sizeof(double) * n);
      order_[j] = j;
      norm2_[j] = dot(row[j], row[j], n);
    }
    double first = 0;
    for (rank = 0; rank < most; rank++) {
      int p = rank;
      int best = int(std::max_element(norm2_.begin() + p, norm2_.begin() + rows) - norm2_.begin());
      if (best != p) {
        std::swap_ranges(reflector_[p], reflector_[p] + n, reflector_[best]);
        std::swap(norm2_[p], norm2_[best]);
        std::swap(order_[p], order_[best]);
      }
      double* v = reflector_[p] + p;
      double s = dot(v, v, n - p), norm = std::sqrt(s);
      if (p == 0) first = norm;
      if (!(norm > tolerance * first) || !(norm > smallest)) break;
      double alpha = v[0] > 0 ? -norm : norm;
      double vv = s - v[0] * v[0];
      v[0] -= alpha;
      vv += v[0] * v[0];
      beta_[p] = 2 / vv;
      diagonal_[p] = alpha;
      for (int j = p + 1; j < rows; j++) {
        double* c = reflector_[j] + p;
        axpy(-beta_[p] * dot(v, c, n - p), v, c, n - p);
        norm2_[j] = dot(c + 1, c + 1, n - p - 1);
      }
    }
    triangularise();
  }

  // x ← x Q for each of `count` rows of length n, four at a time to reuse each reflector.
  void rotate(double* x, int stride, int count) const {
    int i = 0;
    for (; i + 4 <= count; i += 4) {
      double* x0 = x + size_t(i) * stride;
      for (int p = 0; p < rank; p++) {
        const double* v = reflector_[p] + p;
        double *a = x0 + p, *b = a + stride, *c = b + stride, *d = c + stride;
        int len = n_ - p;
        double sa = 0, sb = 0, sc = 0, sd = 0;
        for (int k = 0; k < len; k++) {
          sa += v[k] * a[k];
          sb += v[k] * b[k];
          sc += v[k] * c[k];
          sd += v[k] * d[k];
        }
        sa *= -beta_[p];
        sb *= -beta_[p];
        sc *= -beta_[p];
        sd *= -beta_[p];
        for (int k = 0; k < len; k++) {
          a[k] += sa * v[k];
          b[k] += sb * v[k];
          c[k] += sc * v[k];
          d[k] += sd * v[k];
        }
      }
    }
    for (; i < count; i++) {
      double* row = x + size_t(i) * stride;
      for (int p = 0; p < rank; p++) {
        const double* v = reflector_[p] + p;
        axpy(-beta_[p] * dot(v, row + p, n_ - p), v, row + p, n_ - p);
      }
    }
  }

  // y (rank) that minimises ‖A Q [y; 0] − b‖.
  void least_squares(const double* b, double* y) {
    if (r_ == rank) {  // L is square: forward substitution
      for (int i = 0; i < rank; i++)
        y[i] = (b[order_[i]] - dot(reflector_[i], y, i)) / diagonal_[i];
      return;
    }
    work_.resize(r_);
    for (int j = 0; j < r_; j++) work_[j] = b[order_[j]];
    for (int p = 0; p < rank; p++) {  // Uᵀ b
      const double* v = column_[p] + p;
      axpy(-column_beta_[p] * dot(v, work_.data() + p, r_ - p), v, work_.data() + p, r_ - p);
    }
    for (int i = rank - 1; i >= 0; i--) {
      double s = work_[i];
      for (int j = i + 1; j < rank; j++) s -= column_[j][i] * y[j];
      y[i] = s / column_diagonal_[i];
    }
  }

  // J (rank × rank, row c of `transposed` = column c of J) with J Jᵀ = (Lᵀ L)⁻¹.
  void inverse_root(Matrix& transposed) const {
    for (int c = 0; c < rank; c++) std::fill(transposed[c], transposed[c] + rank, 0.0);
    for (int c = 0; c < rank; c++) {
      double* x = transposed[c];
      if (r_ == rank) {  // J = L⁻¹
        x[c] = 1 / diagonal_[c];
        for (int i = c + 1; i < rank; i++)
          x[i] = -dot(reflector_[i] + c, x + c, i - c) / diagonal_[i];
      } else {  // J = T⁻¹
        x[c] = 1 / column_diagonal_[c];
        for (int i = c - 1; i >= 0; i--) {
          double s = 0;
          for (int j = i + 1; j <= c; j++) s -= column_[j][i] * x[j];
          x[i] = s / column_diagonal_[i];
        }
      }
    }
  }

 private:
  // Householder on the columns of L when rows are redundant: L = U T.
  void triangularise() {
    if (r_ == rank) return;
    column_.resize(rank, r_);
    column_beta_.resize(rank);
    column_diagonal_.resize(rank);
    for (int c = 0; c < rank; c++)
      for (int j = 0; j < r_; j++)
        column_[c][j] = j < c ? 0 : (j == c ? diagonal_[c] : reflector_[j][c]);
    for (int p = 0; p < rank; p++) {
      double* v = column_[p] + p;
      double s = dot(v, v, r_ - p), norm = std::sqrt(s), alpha = v[0] > 0 ? -norm : norm;
      double vv = s - v[0] * v[0];
      v[0] -= alpha;
      vv += v[0] * v[0];
      column_beta_[p] = vv > 0 ? 2 / vv : 0;
      column_diagonal_[p] = alpha;
      for (int c = p + 1; c < rank; c++) {
        double* x = column_[c] + p;
        axpy(-column_beta_[p] * dot(v, x, r_ - p), v, x, r_ - p);
      }
    }
  }

  int r_ = 0, n_ = 0;
  Matrix reflector_;  // row p from column p on: reflector p; before that: L
  Matrix column_;     // row p from entry p on: reflector p of L's columns; before that: T
  std::vector<int> order_;
  std::vector<double> norm2_, beta_, diagonal_, column_beta_, column_diagonal_, work_;
};

}  // namespace amble
