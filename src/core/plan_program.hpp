// The nonlinear program of a plan in numbers (`plan/problem.py`): objective, rows, derivatives, linear systems.
//
// Unknowns x: footholds (limbs, slots, 2), then the nodes. Those with equal bounds are fixed. Equalities c: the
// residuals of the segments. Inequalities d: changes of normal force and squared leg lengths, as far as bounded.
#pragma once
#include <limits>

#include "plan_fronts.hpp"
#include "plan_segment.hpp"

namespace amble {

// As Python holds them: matrices with one column a segment, row-major, and vectors.
struct PlanNumbers {
  int segments = 0, slots = 0;
  const double *h, *frame, *plane, *reference, *emphasis, *weights, *on, *at, *ground, *hip, *p0;
  const double *lbx, *ubx, *lbg, *ubg, *x0;
};

// One row of d. Rate: Σλ₁ − Σλ₀ of an effector. Leg: |c + hip − foot|² of a limb at the second node.
struct PlanRow {
  bool leg;
  int segment, which, index;    // effector or limb; row of g
  double lo, hi;
  int foothold = -1;            // unknown x of the foot, the first of two
  double offset[3], slope[2];   // leg = c + offset − (x, y, slope · (x, y))
  double gradient[5];           // of a leg's row, by c and the foothold
};

class PlanProgram {
 public:
  PlanBody body;
  PlanNumbers given;
  Fronts fronts;
  std::vector<int> unknown, place;  // of each free unknown: its index in x, and where it stands in a linear system
  std::vector<PlanRow> rows;
  std::vector<double> gradient;     // of the objective, by x

  int size() const { return 2 * body.limbs * given.slots + body.node() * (given.segments + 1); }
  int equalities() const { return kResiduals * given.segments; }
  int row_count() const { return (kResiduals + body.effectors() + body.limbs) * given.segments; }

  void take(const PlanNumbers& numbers) {
    given = numbers;
    const int N = given.segments, limbs = body.limbs;
    for (int i = 0; i < kEdges; i++)
      for (int j = 0; j < kEdges; j++) {
        Q_[i][j] = 0;
        for (int a = 0; a < 3; a++) Q_[i][j] += body.edges[kEdges * a + i] * body.edges[kEdges * a + j];
      }
    if (int(segments.size()) < N) segments.resize(N);
    foot_.resize(2 * limbs);
    gradient.resize(size());
    slot_.resize(size_t(N) * limbs);
    for (int k = 0; k < N; k++) {
      segments[k].give(body, k, N, given.h, given.frame, given.plane);
      for (int i = 0; i < limbs; i++) slot_[k * limbs + i] = slot_of(given.on, k, i);
    }
    find_places();
    find_rows();
  }

  // Objective and constraints at x.
  double evaluate(const double* x, double* c, double* d) {
    for (int k = 0; k < given.segments; k++) {
      stand(k, x);
      segments[k].evaluate(node(x, k), node(x, k + 1), foot_.data(), c + kResiduals * k);
    }
    for (size_t r = 0; r < rows.size(); r++) d[r] = value(rows[r], x);
    return objective(x);
  }

  // All derivatives at x.
  void differentiate(const double* x) {
    for (int k = 0; k < given.segments; k++) {
      stand(k, x);
      segments[k].differentiate(node(x, k), node(x, k + 1), foot_.data());
    }
    for (PlanRow& row : rows)
      if (row.leg) differentiate(row, x);
    differentiate_objective(x);
  }

  // out += Jᵀ y of the equalities and Jᵀ t of the inequalities, by x.
  void add_transposed(const double* y, const double* t, double* out) const {
    const int n = body.node(), limbs = body.limbs;
    std::vector<double>& sum = sum_;
    for (int k = 0; k < given.segments; k++) {
      const PlanSegment& s = segments[k];
      sum.assign(s.width, 0.0);
      for (int i = 0; i < kResiduals; i++) axpy(y[kResiduals * k + i], &s.jacobian[size_t(i) * s.width], sum.data(), s.width);
      axpy(1.0, sum.data(), node(out, k), 2 * n);
      for (int i = 0; i < limbs; i++) {
        const int slot = slot_[k * limbs + i];
        if (slot >= 0) axpy(1.0, &sum[2 * n + 2 * i], out + 2 * slot, 2);
      }
    }
    for (size_t r = 0; r < rows.size(); r++) {
      const PlanRow& row = rows[r];
      if (row.leg) {
        axpy(t[r], row.gradient, node(out, row.segment + 1), 3);
        axpy(t[r], row.gradient + 3, out + row.foothold, 2);
      } else {
        double *before = node(out, row.segment) + kState + kEdges * row.which, *after = before + n;
        for (int j = 0; j < kEdges; j++) before[j] -= t[r], after[j] += t[r];
      }
    }
  }

  // Change of an inequality along dx.
  double slope(const PlanRow& row, const double* dx) const {
    if (row.leg) return dot(row.gradient, node(dx, row.segment + 1), 3) + dot(row.gradient + 3, dx + row.foothold, 2);
    const double *before = node(dx, row.segment) + kState + kEdges * row.which, *after = before + body.node();
    return after[0] + after[1] + after[2] + after[3] - before[0] - before[1] - before[2] - before[3];
  }

  // Factorise [W + Σ + JᵀSJ + ρ, Jᵀ; J, 0] with W the Hessian of the Lagrangian for the multipliers y, t; Σ (by
  // free unknown) and S (by inequality) from the barriers. True if its inertia is that of a minimum.
  bool factorise(const double* y, const double* t, const double* sigma, const double* stiff, double rho) {
    for (int k = given.segments; k >= 0; k--) {
      fronts.begin(k);
      for (int i = node_first_[k]; i < node_first_[k + 1]; i++) {
        const int at = i - node_first_[k];
        fronts.F[at][at] += sigma[i] + rho;
      }
      if (k > 0) {
        add_segment(k - 1, y + kResiduals * (k - 1));
        add_rows(k - 1, t, stiff);
      } else {
        for (int i = 0; i < node_first_[0]; i++) {
          const int at = fronts.footholds(k) + i;
          fronts.F[at][at] += sigma[i] + 2 * given.weights[7] + rho;
        }
      }
      fronts.eliminate(k);
      if (fronts.singular) return false;
    }
    return fronts.negative == equalities();
  }

  // g of all rows, as Python knows it.
  void all_rows(const double* x, double* g) {
    const int N = given.segments, E = body.effectors(), limbs = body.limbs;
    for (int k = 0; k < N; k++) {
      stand(k, x);
      segments[k].evaluate(node(x, k), node(x, k + 1), foot_.data(), g + kResiduals * k);
      for (int e = 0; e < E; e++) {
        PlanRow row = rate_row(k, e);
        g[row.index] = value(row, x);
      }
      for (int i = 0; i < limbs; i++) {
        PlanRow row = leg_row(k, i);
        g[row.index] = row.foothold >= 0 ? value(row, x) : square(row.offset);
      }
    }
  }

  std::vector<PlanSegment> segments;

 private:
  int first_node() const { return 2 * body.limbs * given.slots; }
  template <class T>
  T* node(T* x, int k) const {
    return x + first_node() + body.node() * k;
  }
  static double square(const double* v) { return dot(v, v, 3); }
  bool fixed(int i) const { return !(given.ubx[i] - given.lbx[i] > 1e-12); }

  // The slot (of all limbs) on which a limb stands, or −1.
  int slot_of(const double* which, int k, int limb) const {
    for (int j = 0; j < given.slots; j++) {
      const int slot = limb * given.slots + j;
      if (which[slot * given.segments + k] > 0.5) return slot;
    }
    return -1;
  }

  // Places of the feet that stand in segment k.
  void stand(int k, const double* x) {
    for (int i = 0; i < body.limbs; i++) {
      const int slot = slot_[k * body.limbs + i];
      for (int a = 0; a < 2; a++) foot_[2 * i + a] = slot < 0 ? 0.0 : x[2 * slot + a];
    }
  }

  void find_places() {
    const int N = given.segments, n = body.node();
    unknown.clear();
    place.clear();
    within_.assign(size(), -1);
    counts_.assign(N + 1, 0);
    int border = 0;
    for (int i = 0; i < size(); i++) {
      if (fixed(i)) continue;
      within_[i] = i < first_node() ? border++ : counts_[(i - first_node()) / n]++;
      unknown.push_back(i);
    }
    fronts.shape(counts_, border, kResiduals);
    node_first_.assign(1, border);
    for (int count : counts_) node_first_.push_back(node_first_.back() + count);
    for (int i : unknown)
      place.push_back(within_[i] + (i < first_node() ? fronts.foothold_start() : fronts.node_start((i - first_node()) / n)));
    at_node_.resize(2 * size_t(n) * N);
    at_foot_.resize(2 * size_t(body.limbs) * N);
    for (int k = 0; k < N; k++) {
      const int fixed_place = fronts.width(k + 1);
      for (int q = 0; q < 2; q++)
        for (int j = 0; j < n; j++) {
          const int in = within_[first_node() + n * (k + q) + j];
          at_node_[(2 * k + q) * n + j] = in < 0 ? fixed_place : in + (q ? 0 : fronts.node_before(k + 1));
        }
      for (int i = 0; i < body.limbs; i++)
        for (int a = 0; a < 2; a++) {
          const int slot = slot_[k * body.limbs + i];
          at_foot_[2 * (k * body.limbs + i) + a] = slot < 0 ? fixed_place : foothold_place(k, 2 * slot + a);
        }
    }
  }

  int foothold_place(int k, int i) const {
    return within_[i] < 0 ? fronts.width(k + 1) : fronts.footholds(k + 1) + within_[i];
  }
  Places places(int k) const {
    const int n = body.node();
    return {{&at_node_[2 * k * n], &at_node_[(2 * k + 1) * n]}, &at_foot_[2 * k * body.limbs]};
  }

  PlanRow rate_row(int k, int e) const {
    PlanRow row{};
    row.leg = false;
    row.segment = k;
    row.which = e;
    row.index = kResiduals * given.segments + body.effectors() * k + e;
    return row;
  }
  PlanRow leg_row(int k, int limb) const {
    const int N = given.segments;
    PlanRow row{};
    row.leg = true;
    row.segment = k;
    row.which = limb;
    row.index = (kResiduals + body.effectors()) * N + body.limbs * k + limb;
    const int slot = slot_of(given.at, k, limb);
    row.foothold = slot < 0 ? -1 : 2 * slot;
    const double* ground = given.ground + 3 * limb * N + k;
    for (int a = 0; a < 3; a++) row.offset[a] = given.hip[(3 * limb + a) * N + k];
    row.offset[2] -= ground[0];
    row.slope[0] = ground[N];
    row.slope[1] = ground[2 * N];
    return row;
  }

  void find_rows() {
    const int n = body.node();
    rows.clear();
    row_first_.assign(1, 0);
    for (int k = 0; k < given.segments; k++) {
      for (int e = 0; e < body.effectors() + body.limbs; e++) {
        PlanRow row = e < body.effectors() ? rate_row(k, e) : leg_row(k, e - body.effectors());
        row.lo = given.lbg[row.index];
        row.hi = given.ubg[row.index];
        if (!std::isfinite(row.lo) && !std::isfinite(row.hi)) continue;
        if (row.leg && row.foothold < 0) continue;
        if (!row.leg) {
          const int* before = &within_[first_node() + n * k + kState + kEdges * row.which];
          int free = 0;
          for (int j = 0; j < kEdges; j++) free += (before[j] >= 0) + (before[n + j] >= 0);
          if (!free) continue;
        }
        rows.push_back(row);
      }
      row_first_.push_back(int(rows.size()));
    }
  }

  void leg(const PlanRow& row, const double* x, double* out) const {
    const double *c = node(x, row.segment + 1), *foot = x + row.foothold;
    out[0] = c[0] + row.offset[0] - foot[0];
    out[1] = c[1] + row.offset[1] - foot[1];
    out[2] = c[2] + row.offset[2] - row.slope[0] * foot[0] - row.slope[1] * foot[1];
  }
  double value(const PlanRow& row, const double* x) const {
    if (!row.leg) return slope(row, x);
    double v[3];
    leg(row, x, v);
    return square(v);
  }
  void differentiate(PlanRow& row, const double* x) const {
    double v[3];
    leg(row, x, v);
    for (int a = 0; a < 3; a++) row.gradient[a] = 2 * v[a];
    for (int a = 0; a < 2; a++) row.gradient[3 + a] = -2 * (v[a] + row.slope[a] * v[2]);
  }

  // Weight of a state's error in the objective, as `_cost` in `plan/segment.py`.
  double tracked(int k, int i) const {
    const double* w = given.weights;
    const double each = i % 6 < 2 ? w[0] : i % 6 == 2 ? w[1] : w[2];
    return given.emphasis[k] * each * (i < 6 ? 1.0 : w[3]);
  }
  double force_size(const double* v, double* Qv) const {
    for (int i = 0; i < kEdges; i++) Qv[i] = dot(Q_[i], v, kEdges);
    return dot(v, Qv, kEdges);
  }

  double objective(const double* x) const { return each_cost(x, nullptr); }
  void differentiate_objective(const double* x) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    each_cost(x, gradient.data());
  }
  double each_cost(const double* x, double* out) const {
    const int N = given.segments, n = body.node(), slots = body.limbs * given.slots;
    double total = 0, Qv[kEdges], change[kEdges], Qc[kEdges];
    for (int r = 0; r < slots; r++)
      for (int a = 0; a < 2; a++) {
        const double off = x[2 * r + a] - given.p0[a * slots + r];
        total += given.weights[7] * off * off;
        if (out) out[2 * r + a] += 2 * given.weights[7] * off;
      }
    for (int k = 0; k < N; k++) {
      const double *z0 = node(x, k), *z1 = z0 + n;
      double *g0 = out ? node(out, k) : nullptr, *g1 = out ? g0 + n : nullptr;
      for (int i = 0; i < kState; i++) {
        const double w = tracked(k, i), error = z1[i] - given.reference[i * N + k];
        total += w * error * error;
        if (out) g1[i] += 2 * w * error;
      }
      for (int j = kState; j < n; j += kEdges) {
        for (int i = 0; i < kEdges; i++) change[i] = z1[j + i] - z0[j + i];
        total += given.weights[5] * force_size(z1 + j, Qv) + given.weights[6] * force_size(change, Qc);
        if (!out) continue;
        for (int i = 0; i < kEdges; i++) {
          g1[j + i] += 2 * given.weights[5] * Qv[i] + 2 * given.weights[6] * Qc[i];
          g0[j + i] -= 2 * given.weights[6] * Qc[i];
        }
      }
    }
    return total;
  }

  // Jacobian, and Hessians of the objective and of y · residuals.
  void add_segment(int k, const double* y) {
    const int n = body.node(), first = fronts.multipliers(k + 1);
    const PlanSegment& s = segments[k];
    const Places at = places(k);
    Matrix& F = fronts.F;
    s.add_hessian(y, F, at);
    for (int i = 0; i < kResiduals; i++) {
      const double* J = &s.jacobian[size_t(i) * s.width];
      const int r = first + i;
      for (int j = 0; j < n; j++) F[at.node[1][j]][r] += J[n + j];
      for (int j = 0; j < n; j++) F[r][at.node[0][j]] += J[j];
      for (int j = 0; j < 2 * body.limbs; j++) F[r][at.foot[j]] += J[2 * n + j];
    }
    for (int i = 0; i < kState; i++) F[at.node[1][i]][at.node[1][i]] += 2 * tracked(k, i);
  }

  // The inequalities of segment k, and what force and its change cost.
  void add_rows(int k, const double* t, const double* stiff) {
    const Places at = places(k);
    std::vector<double>& by_rate = sum_;
    by_rate.assign(body.effectors(), 0.0);
    for (int row = row_first_[k]; row < row_first_[k + 1]; row++) {
      if (rows[row].leg) add_leg(k, rows[row], t[row], stiff[row], at);
      else by_rate[rows[row].which] = stiff[row];
    }
    Matrix& F = fronts.F;
    const double smooth = 2 * given.weights[6], size = 2 * given.weights[5];
    for (int e = 0; e < body.effectors(); e++) {
      const int *before = at.node[0] + kState + kEdges * e, *after = at.node[1] + kState + kEdges * e;
      for (int i = 0; i < kEdges; i++)
        for (int j = 0; j < kEdges; j++) {
          const double change = smooth * Q_[i][j] + by_rate[e];
          F[after[i]][before[j]] -= change;
          if (j < i) continue;
          F[before[i]][before[j]] += change;
          F[after[i]][after[j]] += change + size * Q_[i][j];
        }
    }
  }

  // t times the Hessian of |leg|², and stiff times the square of its gradient.
  void add_leg(int k, const PlanRow& row, double t, double stiff, const Places& at) {
    const int where[5] = {at.node[1][0], at.node[1][1], at.node[1][2], foothold_place(k, row.foothold),
                          foothold_place(k, row.foothold + 1)};
    const double along[5][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, -row.slope[0]}, {0, -1, -row.slope[1]}};
    for (int i = 0; i < 5; i++)
      for (int j = i; j < 5; j++)
        fronts.F[where[i]][where[j]] += 2 * t * dot(along[i], along[j], 3) + stiff * row.gradient[i] * row.gradient[j];
  }

  double Q_[kEdges][kEdges];  // |force|² = λᵀ Q λ
  std::vector<int> slot_, within_, counts_, at_node_, at_foot_, node_first_, row_first_;
  std::vector<double> foot_;
  mutable std::vector<double> sum_;
};

}  // namespace amble
