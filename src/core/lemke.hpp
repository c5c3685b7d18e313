// Lemke's method for the linear complementarity problem
//
//     w = M z + q,    w ≥ 0,    z ≥ 0,    wᵀ z = 0
//
// (Cottle, Pang and Stone 1992, algorithm 4.4.1) with the covering vector of ones. It works on a condensed table:
// each basic variable as a sum of the nonbasic ones, basic = r + T nonbasic, so that a pivot costs n² operations.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "linear.hpp"

namespace amble {

class Lemke {
 public:
  enum Status { solved = 0, ray = 1, too_many = 2 };

  int pivots = 0;
  double residual = 0;  // largest |min(z, w)| of the last solution: what pivoting has lost

  // Finds z (n) for M (n, n) and q (n); `regular` is added to M's diagonal.
  Status solve(int n, const double* M, const double* q, double regular, double* z) {
    pivots = 0;
    residual = 0;
    std::fill_n(z, n, 0.0);
    int row = int(std::min_element(q, q + n) - q);
    if (n == 0 || q[row] >= 0) return solved;
    begin(n, M, q, regular);
    int column = n;  // the artificial variable
    const int limit = 20 * n + 100;
    while (true) {
      if (pivots++ == limit) return too_many;
      const int leaving = basic_[row];
      pivot(n, row, column);
      if (leaving == artificial(n)) break;
      // The complement of what left enters: w_i (i) and z_i (n + i) are a pair.
      const int entering = leaving < n ? leaving + n : leaving - n;
      column = int(std::find(other_.begin(), other_.begin() + n + 1, entering) - other_.begin());
      row = blocking(n, column);
      if (row < 0) return ray;
    }
    for (int i = 0; i < n; i++)
      if (basic_[i] >= n && basic_[i] < 2 * n) z[basic_[i] - n] = std::max(0.0, right_[i]);
    for (int i = 0; i < n; i++) {
      const double w = dot(M + size_t(i) * n, z, n) + regular * z[i] + q[i];
      residual = std::max(residual, std::abs(std::min(z[i], w)));
    }
    return solved;
  }

 private:
  Matrix table_;               // T (n, n + 1)
  std::vector<double> right_;  // r (n)
  std::vector<int> basic_, other_;

  static int artificial(int n) { return 2 * n; }

  void begin(int n, const double* M, const double* q, double regular) {
    table_.resize(n, n + 1);
    right_.assign(q, q + n);
    basic_.resize(n);
    other_.resize(n + 1);
    for (int i = 0; i < n; i++) {
      std::copy_n(M + size_t(i) * n, n, table_[i]);
      table_[i][i] += regular;
      table_[i][n] = 1;
      basic_[i] = i;
      other_[i] = n + i;
    }
    other_[n] = artificial(n);
  }

  // The row that first falls to zero as a nonbasic variable grows; −1: none does. Ties go to the artificial
  // variable, which ends the search, and else to the largest pivot.
  int blocking(int n, int column) const {
    int best = -1;
    double least = 0;
    for (int i = 0; i < n; i++) {
      const double slope = -table_[i][column];
      if (slope <= 1e-11) continue;
      const double ratio = std::max(right_[i], 0.0) / slope;
      const double near = 1e-13 * std::max(1.0, std::abs(least));
      bool better = best < 0 || ratio < least - near;
      if (!better && ratio <= least + near && basic_[best] != artificial(n))
        better = basic_[i] == artificial(n) || slope > -table_[best][column];
      if (better) {
        best = i;
        least = ratio;
      }
    }
    return best;
  }

  // Basic variable `row` and nonbasic variable `column` change places.
  void pivot(int n, int row, int column) {
    double* own = table_[row];
    const double by = 1 / own[column];
    for (int j = 0; j <= n; j++) own[j] *= -by;
    right_[row] *= -by;
    own[column] = by;
    for (int i = 0; i < n; i++) {
      if (i == row) continue;
      double* line = table_[i];
      const double share = line[column];
      if (share == 0) continue;
      line[column] = 0;
      axpy(share, own, line, n + 1);
      right_[i] += share * right_[row];
    }
    std::swap(basic_[row], other_[column]);
  }
};

}  // namespace amble
