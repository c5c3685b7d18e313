// LDLᵀ of the linear systems of a plan, front by front.
//
// Unknowns in the order of elimination: z_N ν_N | z_{N−1} ν_{N−1} | … | z₁ ν₁ | z₀, footholds, with ν_k the multipliers
// of the equation of motion from node k − 1 to node k. A node is coupled to the one before and to the footholds only,
// so that a front is a dense matrix
//   [pivots: z_k ν_k | z_{k−1} | footholds]
// whose pivots are eliminated and whose rest is added to the next front. From the end to the start, as that is the
// direction in which the equation of motion always gives ν_k its pivots: it can be solved for the state of node k.
// Pivots are taken as they come; their signs are the inertia.
#pragma once
#include <algorithm>
#include <vector>

#include "linear.hpp"

namespace amble {

class Fronts {
 public:
  Matrix F;  // the front that is being put together, its upper triangle
  int negative = 0;
  bool singular = false;

  // nodes: free unknowns of each node; border: free footholds; rows: multipliers a segment.
  void shape(const std::vector<int>& nodes, int border, int rows) {
    last_ = int(nodes.size()) - 1;
    nodes_ = nodes;
    border_ = border;
    for (auto* each : {&start_, &pivots_, &width_}) each->resize(last_ + 1);
    if (int(store_.size()) <= last_) store_.resize(last_ + 1);
    size_ = 0;
    int widest = 0;
    for (int k = last_; k >= 0; k--) {
      pivots_[k] = nodes[k] + (k > 0 ? rows : border);
      width_[k] = pivots_[k] + (k > 0 ? nodes[k - 1] + border : 0);
      start_[k] = size_;
      size_ += pivots_[k];
      widest = std::max(widest, width_[k]);
      store_[k].resize(pivots_[k], padded(width_[k]));
    }
    F.resize(widest + 1, padded(widest));
    inverse_.resize(size_);
    local_.resize(padded(widest));
  }

  int size() const { return size_; }
  int width(int k) const { return width_[k]; }
  // Where unknowns stand in the front of node k; the node itself comes first.
  int multipliers(int k) const { return nodes_[k]; }
  int node_before(int k) const { return pivots_[k]; }
  int footholds(int k) const { return width_[k] - border_; }
  // Where they stand among all unknowns.
  int node_start(int k) const { return start_[k]; }
  int multiplier_start(int k) const { return start_[k] + nodes_[k]; }
  int foothold_start() const { return size_ - border_; }

  // Begin the front of node k, in which the rest of the one before stands already. The last node comes first.
  void begin(int k) {
    const int w = width_[k];
    if (k < last_) {
      const int first = pivots_[k + 1], rest = width_[k + 1] - first;
      rest_.resize(rest, padded(rest));
      for (int i = 0; i < rest; i++) std::copy(F[first + i] + first + i, F[first + i] + first + rest, rest_[i] + i);
    } else {
      negative = 0;
      singular = false;
    }
    F.stride = padded(w);
    std::fill(F.data.begin(), F.data.begin() + size_t(w + 1) * F.stride, 0.0);
    if (k == last_) return;
    const int kept = nodes_[k], shift = w - border_ - kept;  // of the footholds
    for (int i = 0; i < kept; i++) {
      std::copy(rest_[i] + i, rest_[i] + kept, F[i] + i);
      std::copy(rest_[i] + kept, rest_[i] + kept + border_, F[i] + kept + shift);
    }
    for (int i = kept; i < kept + border_; i++) std::copy(rest_[i] + i, rest_[i] + kept + border_, F[i + shift] + i + shift);
  }

  // Eliminate the pivots of the front.
  void eliminate(int k) {
    const int pivots = pivots_[k], w = width_[k];
    int p = 0;
    for (; p + 4 <= pivots; p += 4) {
      for (int j = 0; j < 4; j++) {
        invert(k, p + j);
        for (int r = p + j + 1; r < p + 4; r++) {
          const double factor = F[p + j][r] * inverse_[start_[k] + p + j];
          axpy(-factor, F[p + j] + r, F[r] + r, w - r);
        }
      }
      update4(p, w, &inverse_[start_[k] + p]);
    }
    for (; p < pivots; p++) {
      invert(k, p);
      for (int r = p + 1; r < w; r++) axpy(-F[p][r] * inverse_[start_[k] + p], F[p] + r, F[r] + r, w - r);
    }
    for (int i = 0; i < pivots; i++) std::copy(F[i] + i, F[i] + w, store_[k][i] + i);
  }

  // Solve in place, with the factors of all fronts.
  void solve(double* b) {
    for (int k = last_; k >= 0; k--) {
      gather(k, b);
      for (int i = 0; i < pivots_[k]; i++)
        axpy(-local_[i] * inverse_[start_[k] + i], store_[k][i] + i + 1, &local_[i] + 1, width_[k] - i - 1);
      scatter(k, b, width_[k]);
    }
    for (int k = 0; k <= last_; k++) {
      gather(k, b);
      for (int i = pivots_[k] - 1; i >= 0; i--) {
        const double rest = dot(store_[k][i] + i + 1, &local_[i] + 1, width_[k] - i - 1);
        local_[i] = (local_[i] - rest) * inverse_[start_[k] + i];
      }
      scatter(k, b, pivots_[k]);
    }
  }

 private:
  static int padded(int w) { return (w + 1 + 7) & ~7; }  // one more column: where fixed unknowns are written

  void invert(int k, int i) {
    const double d = F[i][i];
    if (!(std::abs(d) > 1e-13)) singular = true;
    negative += d < 0;
    inverse_[start_[k] + i] = 1.0 / d;
  }

  // x −= Σ f_j u_j for two rows at once, with u_j four rows `stride` apart; n is a multiple of eight.
  static void subtract(const double* __restrict u, int stride, const double (*f)[4], double* __restrict x,
                       double* __restrict y, int n) {
    const double *u1 = u + stride, *u2 = u1 + stride, *u3 = u2 + stride;
    const double a0 = f[0][0], a1 = f[0][1], a2 = f[0][2], a3 = f[0][3];
    const double b0 = f[1][0], b1 = f[1][1], b2 = f[1][2], b3 = f[1][3];
    for (int i = 0; i < (n & ~7); i++) {
      x[i] -= a0 * u[i] + a1 * u1[i] + a2 * u2[i] + a3 * u3[i];
      y[i] -= b0 * u[i] + b1 * u1[i] + b2 * u2[i] + b3 * u3[i];
    }
  }

  // Rows below p + 4 less what the four pivots from p on take: F_rc −= Σ U_jr U_jc / d_j. Starts at whole steps of
  // eight columns, and may take one row too many: what is left of the diagonal or below the last row is of no
  // meaning, and whole registers are faster.
  void update4(int p, int w, const double* inverse) {
    for (int r = p + 4; r < w; r += 2) {
      double f[2][4];
      for (int j = 0; j < 4; j++) {
        f[0][j] = F[p + j][r] * inverse[j];
        f[1][j] = F[p + j][r + 1] * inverse[j];
      }
      const int first = r & ~7;
      subtract(F[p] + first, F.stride, f, F[r] + first, F[r + 1] + first, F.stride - first);
    }
  }

  // The unknowns of a front: its pivots, those of the node before, the footholds.
  void gather(int k, const double* b) {
    const int inner = width_[k] - border_;
    std::copy(b + start_[k], b + start_[k] + inner, local_.begin());
    std::copy(b + foothold_start(), b + size_, local_.begin() + inner);
  }
  void scatter(int k, double* b, int count) const {
    const int inner = width_[k] - border_;
    std::copy(local_.begin(), local_.begin() + std::min(count, inner), b + start_[k]);
    if (count > inner) std::copy(local_.begin() + inner, local_.begin() + count, b + foothold_start());
  }

  std::vector<int> nodes_, start_, pivots_, width_;
  int last_ = 0, border_ = 0, size_ = 0;
  Matrix rest_;
  std::vector<Matrix> store_;
  std::vector<double> inverse_, local_;
};

}  // namespace amble
