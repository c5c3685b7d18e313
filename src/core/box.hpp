// Least squares within a box: the step of inverse kinematics.
#pragma once
#include <algorithm>

#include "linear.hpp"

namespace amble {

// The δ (n) that minimises δᵀH δ − 2 gᵀδ with low ≤ δ ≤ high, H positive definite.
// Active set: what exceeds a bound is fixed there and the rest solved again; what its gradient draws back
// inside is let go.
class BoxSolver {
 public:
  // The lower triangle of H is read.
  void solve(const Matrix& H, const double* g, const double* low, const double* high, double* step) {
    const int n = H.rows;
    factor_.resize(n, n);
    held_.resize(n);
    slope_.resize(n);
    for (int i = 0; i < n; i++) std::copy(H[i], H[i] + i + 1, factor_[i]);
    std::copy(g, g + n, step);
    cholesky(step);
    bool inside = true;
    for (int i = 0; i < n; i++) inside = inside && step[i] >= low[i] && step[i] <= high[i];
    if (inside) return;
    side_.assign(n, 0);
    for (int pass = 0; pass < kPasses; pass++) {
      if (!fix(low, high, step) && !let_go(H, g, step)) break;
      solve_free(H, g, low, high, step);
    }
    for (int i = 0; i < n; i++) step[i] = std::min(std::max(step[i], low[i]), high[i]);
  }

 private:
  static constexpr int kPasses = 10;  // changes of the active set, at most
  static constexpr double kInside = 1e-12;

  bool fix(const double* low, const double* high, const double* step) {
    bool changed = false;
    for (int i = 0; i < factor_.rows; i++) {
      const int side = step[i] < low[i] - kInside ? -1 : step[i] > high[i] + kInside ? 1 : 0;
      if (side == 0 || side == side_[i]) continue;
      side_[i] = side;
      changed = true;
    }
    return changed;
  }

  bool let_go(const Matrix& H, const double* g, const double* step) {
    times(H, step, slope_.data());
    bool changed = false;
    for (int i = 0; i < H.rows; i++) {
      const double slope = slope_[i] - g[i];
      if ((side_[i] < 0 && slope < -kInside) || (side_[i] > 0 && slope > kInside)) {
        side_[i] = 0;
        changed = true;
      }
    }
    return changed;
  }

  void solve_free(const Matrix& H, const double* g, const double* low, const double* high, double* step) {
    const int n = H.rows;
    for (int i = 0; i < n; i++) held_[i] = side_[i] < 0 ? low[i] : side_[i] > 0 ? high[i] : 0;
    times(H, held_.data(), slope_.data());
    for (int i = 0; i < n; i++) {
      step[i] = side_[i] ? held_[i] : g[i] - slope_[i];
      for (int k = 0; k <= i; k++) factor_[i][k] = side_[i] || side_[k] ? i == k : H[i][k];
    }
    cholesky(step);
  }

  // out = H x, of the lower triangle.
  static void times(const Matrix& H, const double* x, double* out) {
    for (int i = 0; i < H.rows; i++) {
      out[i] = dot(H[i], x, i + 1);
      axpy(x[i], H[i], out, i);
    }
  }

  // x = (L Lᵀ)⁻¹ x, where L becomes the factor of `factor_`.
  void cholesky(double* x) {
    const int n = factor_.rows;
    for (int i = 0; i < n; i++) {
      double* row = factor_[i];
      for (int k = 0; k < i; k++) row[k] = (row[k] - dot(row, factor_[k], k)) / factor_[k][k];
      row[i] = std::sqrt(std::max(row[i] - dot(row, row, i), kInside));
      x[i] = (x[i] - dot(row, x, i)) / row[i];
    }
    for (int i = n - 1; i >= 0; i--) {
      x[i] /= factor_[i][i];
      axpy(-x[i], factor_[i], x, i);
    }
  }

  Matrix factor_;
  std::vector<double> held_, slope_;
  std::vector<int> side_;  // −1 held at its lower bound, 1 at its upper, 0 free
};

}  // namespace amble
