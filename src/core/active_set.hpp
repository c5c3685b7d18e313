// Strictly convex quadratic programs by the dual active-set method of Goldfarb and Idnani
// (Mathematical Programming 27, 1983), with two-sided constraints lo ≤ C x ≤ hi.
#pragma once
#include <limits>

#include "linear.hpp"

namespace amble {

enum class QpStatus { solved = 0, infeasible = 1, iterations = 2 };

class ActiveSet {
 public:
  int iterations = 0;
  int active = 0;      // constraints active at the end
  int constraint = -1; // the one that could not be met, on failure

  // On entry x is the unconstrained minimiser and `Jt` holds J with J Jᵀ = H⁻¹ (row k = column k of J);
  // both are overwritten. Row i of C starts at C + i·stride and may be missed by tolerance[i]; where that
  // is negative, no variable can move the row any more, and it is left alone.
  QpStatus solve(int n, int m, Matrix& Jt, double* x, const double* C, int stride, const double* lo,
                 const double* hi, const double* tolerance) {
    prepare(n, m);
    iterations = active = 0;
    constraint = -1;
    const int limit = 50 + 20 * (n + m);
    for (;;) {
      double worst = -1, sign = 1;
      int chosen = -1;
      for (int i = 0; i < m; i++) {
        if (is_active_[i] || tolerance[i] < 0) continue;
        double v = dot(C + size_t(i) * stride, x, n);
        double below = (v - lo[i]) / tolerance[i], above = (hi[i] - v) / tolerance[i];
        if (lo[i] > -kFree && below < worst) worst = below, chosen = i, sign = 1;
        if (hi[i] < kFree && above < worst) worst = above, chosen = i, sign = -1;
      }
      if (chosen < 0) return QpStatus::solved;
      const double* row = C + size_t(chosen) * stride;
      for (int k = 0; k < n; k++) normal_[k] = sign * row[k];
      double bound = sign > 0 ? lo[chosen] : -hi[chosen];
      double slack = dot(normal_.data(), x, n) - bound;
      double multiplier = 0;
      for (bool added = false; !added;) {
        if (++iterations > limit) {
          constraint = chosen;
          return QpStatus::iterations;
        }
        added = advance(n, Jt, x, chosen, slack, multiplier);
        if (constraint >= 0) return QpStatus::infeasible;
        if (!added) slack = dot(normal_.data(), x, n) - bound;
      }
    }
  }

  static constexpr double kFree = 1e29;  // a bound beyond this is no bound

 private:
  void prepare(int n, int m) {
    R_.resize(n + 1, n + 1);
    direction_.resize(n);
    step_.resize(n);
    dual_step_.resize(n);
    normal_.resize(n);
    multiplier_.assign(n + 1, 0.0);
    member_.assign(n, -1);
    is_active_.assign(m, 0);
  }

  // One step towards the chosen constraint: full (it becomes active, returns true) or partial (one that
  // blocks the dual leaves). Sets `constraint` when neither is possible: the constraints contradict.
  bool advance(int n, Matrix& Jt, double* x, int chosen, double slack, double& multiplier) {
    const int q = active;
    double* d = direction_.data();
    double all = 0, free = 0;
    for (int k = 0; k < n; k++) {
      d[k] = dot(Jt[k], normal_.data(), n);
      all += d[k] * d[k];
      if (k >= q) free += d[k] * d[k];
    }
    std::fill(step_.begin(), step_.end(), 0.0);
    for (int k = q; k < n; k++) axpy(d[k], Jt[k], step_.data(), n);
    double* r = dual_step_.data();
    for (int i = 0; i < q; i++) r[i] = d[i];
    for (int k = q - 1; k >= 0; k--) {
      r[k] /= R_[k][k];
      axpy(-r[k], R_[k], r, k);
    }
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    double partial = kInfinite, full = kInfinite;
    int leaving = -1;
    for (int k = 0; k < q; k++)
      if (r[k] > 1e-13 && multiplier_[k] / r[k] < partial) partial = multiplier_[k] / r[k], leaving = k;
    if (free > 1e-20 * all) full = -slack / free;
    double t = partial < full ? partial : full;
    if (!(t < kInfinite)) {
      constraint = chosen;
      return false;
    }
    for (int k = 0; k < q; k++) multiplier_[k] -= t * r[k];
    multiplier += t;
    if (full < kInfinite) axpy(t, step_.data(), x, n);
    if (full <= partial) {
      insert(n, Jt, chosen, multiplier);
      return true;
    }
    remove(n, Jt, leaving);
    return false;
  }

  // Givens rotations of columns k−1, k of J (rows of Jt).
  static void turn(Matrix& Jt, int k, double c, double s, int n) {
    double *a = Jt[k - 1], *b = Jt[k];
    for (int i = 0; i < n; i++) {
      double p = a[i], o = b[i];
      a[i] = c * p + s * o;
      b[i] = c * o - s * p;
    }
  }

  void insert(int n, Matrix& Jt, int chosen, double multiplier) {
    double* d = direction_.data();
    for (int k = n - 1; k > active; k--) {
      if (d[k] == 0) continue;
      const double h = std::sqrt(d[k - 1] * d[k - 1] + d[k] * d[k]);
      turn(Jt, k, d[k - 1] / h, d[k] / h, n);
      d[k - 1] = h;
    }
    for (int i = 0; i <= active; i++) R_[active][i] = d[i];  // row k of R_ = column k of R
    member_[active] = chosen;
    multiplier_[active] = multiplier;
    is_active_[chosen] = 1;
    active++;
  }

  void remove(int n, Matrix& Jt, int leaving) {
    is_active_[member_[leaving]] = 0;
    for (int k = leaving; k < active - 1; k++) {
      member_[k] = member_[k + 1];
      multiplier_[k] = multiplier_[k + 1];
      std::memcpy(R_[k], R_[k + 1], sizeof(double) * (k + 2));
    }
    active--;
    for (int k = leaving; k < active; k++) {
      double a = R_[k][k], b = R_[k][k + 1];
      if (b == 0) continue;
      const double h = std::sqrt(a * a + b * b), c = a / h, s = b / h;
      R_[k][k] = h;
      for (int j = k + 1; j < active; j++) {
        double p = R_[j][k], o = R_[j][k + 1];
        R_[j][k] = c * p + s * o;
        R_[j][k + 1] = c * o - s * p;
      }
      turn(Jt, k + 1, c, s, n);
    }
  }

  Matrix R_;
  std::vector<double> direction_, step_, dual_step_, normal_, multiplier_;
  std::vector<int> member_;
  std::vector<char> is_active_;
};

}  // namespace amble
