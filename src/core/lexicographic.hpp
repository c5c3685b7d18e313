// Prioritised least squares with inequalities (features eq. 17):
//
//   minimise ‖A₁x − b₁‖², then ‖A₂x − b₂‖² among its minimisers, …, then
//   ‖A_N x − b_N‖² + Σ wᵢ² (xᵢ − tᵢ)²,    subject to  lo ≤ D x ≤ hi,  lower ≤ x ≤ upper
//
// Optimistic first: the upper levels take their unconstrained optimum, and one quadratic program at the
// last level meets all inequalities. When it cannot, Algorithm 1 of the paper: one program a level.
// Instead of null-space bases, all rows still to come are rotated so that each level's rows depend on
// the first coordinates that are left; those are fixed, the rest go on.
#pragma once
#include "active_set.hpp"
#include "orthogonal.hpp"

namespace amble {

constexpr double kGive = 0.2;  // of an inequality's tolerance, which the next level may use
constexpr double kSettled = 1e-9;  // change of a level's coordinates, relative to what they miss: its optimum
constexpr double kRankTolerance = 1e-7;  // pivots below this, relative to a level's first, count as zero

struct LexProblem {
  int n = 0, levels = 0, m = 0;
  const int* level = nullptr;  // row offsets, levels + 1
  const double *A = nullptr, *b = nullptr;
  int A_stride = 0;
  const double *D = nullptr, *lo = nullptr, *hi = nullptr;
  int D_stride = 0;
  double first_rank_tolerance = kRankTolerance;
  const double *weight = nullptr, *target = nullptr, *lower = nullptr, *upper = nullptr;  // n each
};

struct LexInfo {
  QpStatus status = QpStatus::solved;
  int level = -1;       // where it stopped, on failure
  int constraint = -1;  // row of D, or m + i for a bound of xᵢ
  int iterations = 0;
  int active = 0;
  bool fallback = false;
};

class Lexicographic {
 public:
  LexInfo solve(const LexProblem& p, double* x, bool algorithm1_only = false) {
    LexInfo info;
    if (!algorithm1_only) {
      info = attempt(p, x, false);
      if (info.status == QpStatus::solved) return info;
    }
    info = attempt(p, x, true);
    info.fallback = true;
    return info;
  }

  // The optimistic way alone; it fails where an upper level's optimum meets an inequality.
  LexInfo optimistic(const LexProblem& p, double* x) { return attempt(p, x, false); }

 private:
  LexInfo attempt(const LexProblem& p, double* x, bool every_level) {
    begin(p);
    LexInfo info;
    const int n = p.n, rows = p.level[p.levels], c = p.m + n;
    for (int i = 0, fixed = 0; i < p.levels; i++) {
      const int first = p.level[i], next = p.level[i + 1], left = n - fixed;
      const bool last = i == p.levels - 1, constrains = every_level || last || left == 0;
      double* w = w_.data() + fixed;
      info.level = i;
      if (every_level && i > 0) keep_feasible(c, rows, fixed);
      if (constrains && !can_move(c, rows, fixed, info)) return info;
      if (left == 0) break;  // nothing is left to choose (Algorithm 1, line 12)
      int rank = 0;
      QpStatus status = QpStatus::solved;
      if (last && damped(p, left, fixed, first, next)) {
        status = program(left, c, rows, fixed, w, info);
      } else {
        gather(p, i, last, fixed);
        const double tolerance = i == 0 ? p.first_rank_tolerance : kRankTolerance;
        qr_.factor(pointers_.data(), int(pointers_.size()), left, tolerance, smallest_pivot_);
        rank = qr_.rank;
        qr_.rotate(X_[next] + fixed, X_.stride, rows + c - next);
        if (every_level && i > 0) qr_.rotate(w, left, 1);  // the feasible point so far
        y_.resize(left);
        qr_.least_squares(targets_.data(), y_.data());
        if (constrains) status = proximal(left, rank, c, rows, fixed, info);
        else std::memcpy(w, y_.data(), sizeof(double) * rank);
      }
      if (status != QpStatus::solved) {
        info.status = status;
        info.constraint = qp_.constraint;
        if (!every_level || i == 0) return info;
        break;  // w still holds the optimum of the levels above
      }
      if (!last) fix(p, next, rows, c, fixed, rank);
      fixed += rank;
    }
    for (int j = 0; j < n; j++) x[j] = dot(X_[rows + p.m + j], w_.data(), n);
    if (info.status == QpStatus::solved) info.level = -1;
    return info;
  }

  // The point that the levels above have found meets every inequality up to the tolerance: widen the
  // bounds by what it misses and a little more, so that rounding neither tells the levels below otherwise
  // nor leaves them slits that no long step fits into.
  void keep_feasible(int c, int rows, int fixed) {
    for (int j = 0; j < c; j++) {
      const double v = dot(X_[rows + j] + fixed, w_.data() + fixed, X_.cols - fixed);
      lo_[j] = std::min(lo_[j], v - kGive * slack_[j]);
      hi_[j] = std::max(hi_[j], v + kGive * slack_[j]);
    }
  }

  // Marks the inequalities that the coordinates left can still move, by their tolerance; false when one
  // of the others is not met, or when one contradicts itself.
  bool can_move(int c, int rows, int fixed, LexInfo& info) {
    const int left = X_.cols - fixed;
    for (int j = 0; j < c; j++) {
      const double* row = X_[rows + j] + fixed;
      const bool moves = dot(row, row, left) > 1e-20 * size2_[j];
      tolerance_[j] = moves ? slack_[j] : -1;
      const double least = moves ? lo_[j] - hi_[j] : std::max(lo_[j], -hi_[j]);
      if (least <= slack_[j]) continue;
      info.status = QpStatus::infeasible;
      info.constraint = j;
      return false;
    }
    return true;
  }

  QpStatus program(int left, int c, int rows, int fixed, double* x, LexInfo& info) {
    const QpStatus status = qp_.solve(left, c, Jt_, x, X_[rows] + fixed, X_.stride, lo_.data(), hi_.data(),
                                      tolerance_.data());
    info.iterations += qp_.iterations;
    info.active = qp_.active;
    return status;
  }

  // Rows of the levels, of D and of the identity (which becomes the basis), and their right-hand sides.
  void begin(const LexProblem& p) {
    const int n = p.n, rows = p.level[p.levels];
    X_.resize(rows + p.m + n, n);
    for (int j = 0; j < rows; j++)
      std::memcpy(X_[j], p.A + size_t(j) * p.A_stride, sizeof(double) * n);
    for (int j = 0; j < p.m; j++)
      std::memcpy(X_[rows + j], p.D + size_t(j) * p.D_stride, sizeof(double) * n);
    for (int j = 0; j < n; j++) {
      std::memset(X_[rows + p.m + j], 0, sizeof(double) * n);
      X_[rows + p.m + j][j] = 1;
    }
    b_.assign(p.b, p.b + rows);
    lo_.assign(p.lo, p.lo + p.m);
    hi_.assign(p.hi, p.hi + p.m);
    lo_.insert(lo_.end(), p.lower, p.lower + n);
    hi_.insert(hi_.end(), p.upper, p.upper + n);
    t_.assign(p.target, p.target + n);
    w_.assign(n, 0.0);
    double largest2 = 0;
    for (int j = 0; j < rows; j++) largest2 = std::max(largest2, dot(X_[j], X_[j], n));
    for (int j = 0; j < n; j++) largest2 = std::max(largest2, p.weight[j] * p.weight[j]);
    smallest_pivot_ = 1e-11 * std::sqrt(largest2);
    const int c = p.m + n;
    size2_.resize(c);
    slack_.resize(c);
    tolerance_.resize(c);
    for (int j = 0; j < c; j++) {
      size2_[j] = dot(X_[rows + j], X_[rows + j], n);
      slack_[j] = std::sqrt(size2_[j]);
      if (lo_[j] > -ActiveSet::kFree) slack_[j] = std::max(slack_[j], std::abs(lo_[j]));
      if (hi_[j] < ActiveSet::kFree) slack_[j] = std::max(slack_[j], std::abs(hi_[j]));
      slack_[j] *= 1e-10;
    }
  }

  // The rows of level i in the coordinates that are left, the weighted identity with the last.
  void gather(const LexProblem& p, int i, bool last, int fixed) {
    pointers_.clear();
    targets_.clear();
    for (int j = p.level[i]; j < p.level[i + 1]; j++) {
      pointers_.push_back(X_[j] + fixed);
      targets_.push_back(b_[j]);
    }
    if (!last) return;
    const int left = p.n - fixed, rows = p.level[p.levels];
    extra_.resize(p.n, left);
    for (int j = 0; j < p.n; j++) {
      if (p.weight[j] == 0) continue;
      for (int k = 0; k < left; k++) extra_[j][k] = p.weight[j] * X_[rows + p.m + j][fixed + k];
      pointers_.push_back(extra_[j]);
      targets_.push_back(p.weight[j] * t_[j]);
    }
  }

  // The usual last level has full rank: Cholesky of its normal matrix. False when it has not.
  bool damped(const LexProblem& p, int left, int fixed, int first, int next) {
    const int rows = p.level[p.levels];
    H_.resize(left, left);
    Jt_.resize(left, left);
    H_.zero();
    g_.assign(left, 0.0);
    pointers_.clear();
    squares_.clear();
    auto add = [&](const double* a, double weight, double target) {
      pointers_.push_back(a);
      squares_.push_back(weight * weight);
      axpy(weight * weight * target, a, g_.data(), left);
    };
    for (int j = first; j < next; j++) add(X_[j] + fixed, 1, b_[j]);
    for (int j = 0; j < p.n; j++)
      if (p.weight[j] != 0) add(X_[rows + p.m + j] + fixed, p.weight[j], t_[j]);
    add_squares(left);
    double largest = 0, smallest = 1e300;
    for (int k = 0; k < left; k++) {
      for (int j = 0; j < k; j++) H_[k][j] = (H_[k][j] - dot(H_[k], H_[j], j)) / H_[j][j];
      double pivot = H_[k][k] - dot(H_[k], H_[k], k);
      largest = std::max(largest, pivot);
      smallest = std::min(smallest, pivot);
      if (!(pivot > 1e-9 * largest)) return false;
      H_[k][k] = std::sqrt(pivot);
    }
    if (smallest < 1e-9 * largest) return false;
    for (int k = 0; k < left; k++) {  // rows of Jt = rows of L⁻¹
      double* row = Jt_[k];
      std::memset(row, 0, sizeof(double) * left);
      for (int j = 0; j < k; j++) axpy(-H_[k][j], Jt_[j], row, j + 1);
      row[k] = 1;
      for (int j = 0; j <= k; j++) row[j] /= H_[k][k];
    }
    double* x = w_.data() + fixed;
    std::memset(x, 0, sizeof(double) * left);
    for (int k = 0; k < left; k++) axpy(dot(Jt_[k], g_.data(), k + 1), Jt_[k], x, k + 1);
    return true;
  }

  // H += Σ w² a aᵀ over the rows gathered, lower half, four rows at a time to touch H less often.
  void add_squares(int left) {
    while (pointers_.size() % 4) {
      pointers_.push_back(pointers_.back());
      squares_.push_back(0);
    }
    for (size_t i = 0; i < pointers_.size(); i += 4) {
      const double *a = pointers_[i], *b = pointers_[i + 1], *c = pointers_[i + 2], *d = pointers_[i + 3];
      for (int k = 0; k < left; k++) {
        const double ak = squares_[i] * a[k], bk = squares_[i + 1] * b[k];
        const double ck = squares_[i + 2] * c[k], dk = squares_[i + 3] * d[k];
        double* h = H_[k];
        for (int j = 0; j <= k; j++) h[j] += ak * a[j] + bk * b[j] + ck * c[j] + dk * d[j];
      }
    }
  }

  // min ‖T (y − y₀)‖² + ε ‖z − z₀‖² under the inequalities, z₀ moved until it no longer matters
  // (proximal point): exact for levels that leave z free. It ends as soon as y does not change any more:
  // z would still wander into corners, from which the levels below do not come out again.
  QpStatus proximal(int left, int rank, int c, int rows, int fixed, LexInfo& info) {
    double* w = w_.data() + fixed;
    std::vector<double>& point = point_;
    std::vector<double> centre(w + rank, w + left);
    root_.resize(rank, rank);
    qr_.inverse_root(root_);
    double size = 0;
    for (int k = 0; k < rank; k++) size = std::max(size, std::sqrt(dot(root_[k], root_[k], rank)));
    double spread = rank ? 1e3 * size : 1;  // 1/√ε: z moves much more easily than y
    for (int pass = 0; pass < 30; pass++, spread = std::min(3 * spread, 1e6 * size)) {
      Jt_.resize(left, left);
      Jt_.zero();
      for (int k = 0; k < rank; k++) std::memcpy(Jt_[k], root_[k], sizeof(double) * rank);
      for (int k = rank; k < left; k++) Jt_[k][k] = spread;
      point.assign(y_.begin(), y_.begin() + rank);
      point.insert(point.end(), centre.begin(), centre.end());
      const QpStatus status = program(left, c, rows, fixed, point.data(), info);
      if (status != QpStatus::solved) {
        if (pass == 0) return status;
        break;
      }
      double missed = 0, change = 0, reach = 1, settled = pass ? 0 : 1e300;
      for (int k = 0; k < rank; k++) {
        missed = std::max(missed, std::abs(point[k] - y_[k]));
        if (pass) settled = std::max(settled, std::abs(point[k] - w[k]));
      }
      for (int k = rank; k < left; k++) {
        change = std::max(change, std::abs(point[k] - centre[k - rank]));
        reach = std::max(reach, std::abs(point[k]));
      }
      std::memcpy(w, point.data(), sizeof(double) * left);
      std::memcpy(centre.data(), w + rank, sizeof(double) * (left - rank));
      if (missed <= 1e-12 || change <= 1e-10 * reach || settled <= kSettled * missed) break;
    }
    return QpStatus::solved;
  }

  // Coordinates fixed … fixed + rank keep their values from now on.
  void fix(const LexProblem& p, int next, int rows, int c, int fixed, int rank) {
    const double* y = w_.data() + fixed;
    for (int j = next; j < rows; j++) b_[j] -= dot(X_[j] + fixed, y, rank);
    for (int j = 0; j < c; j++) {
      double s = dot(X_[rows + j] + fixed, y, rank);
      if (lo_[j] > -ActiveSet::kFree) lo_[j] -= s;
      if (hi_[j] < ActiveSet::kFree) hi_[j] -= s;
      if (j >= p.m) t_[j - p.m] -= s;
    }
  }

  Matrix X_, H_, Jt_, root_, extra_;
  double smallest_pivot_ = 0;
  std::vector<double> size2_, slack_, tolerance_;  // of each inequality: ‖row‖², what it may be missed by
  std::vector<double> b_, lo_, hi_, t_, w_, y_, g_, point_, targets_, squares_;
  std::vector<const double*> pointers_;
  Orthogonal qr_;
  ActiveSet qp_;
};

}  // namespace amble
