// Prioritised whole-body control: tasks on features → joint torques (features sections 3, 7 and 8).
//
// Unknowns x = [q̈_a, λ, ρ, μ]: joint accelerations, friction-cone weights, joint-limit forces, forces in
// closed loops. Torques and base acceleration are eliminated exactly, so the equations of motion (eq. 24)
// are no constraint:
//   q̈_b = M_bb⁻¹ (J_cbᵀ V λ + J_lbᵀ μ − h_b − M_ba q̈_a) = W x + w₀
//   τ   = M_ab q̈_b + M_aa q̈_a + h_a − J_caᵀ V λ − Gᵀ ρ − J_laᵀ μ = T x + t₀
// What the mechanism itself dictates stands above all tasks: loops stay closed, joints without a motor get
// no torque, and springs, much faster than any task, count as rigid.
#pragma once
#include "features.hpp"
#include "joints.hpp"
#include "lexicographic.hpp"

namespace amble {

class WholeBody {
 public:
  Dynamics dynamics;
  Lexicographic solver;
  Features features;

  WholeBody(MuJoCoArrays arrays, Mechanism mechanism, Ints point_body, Rows point_local, IntRows ints,
            Rows reals, Rotations rotations)
      : dynamics(std::move(arrays)), features(dynamics, point_body, point_local, rotations),
        joints_(dynamics.mj), mechanism_(std::move(mechanism)), ints_(ints), reals_(reals) {}

  void update() {
    dynamics.update();
    features.update();
  }

  // Rows of the levels in the reduced unknowns, and everything the solver needs.
  void assemble(double time, Ints level, const Contacts& contacts, const Posture& posture) {
    const int nv = dynamics.nv, na = nv - 6, nc = int(contacts.point.shape(0));
    joints_.find_limits(posture.limits, posture.cone, posture.limit_stiffness, posture.limit_damping, na);
    const int nl = 4 * nc, nr = joints_.active(), nm = 3 * int(mechanism_.loop.shape(0));
    n_ = na + nl + nr + nm;
    unit_ = dynamics.mass;  // λ in units of about a tenth of the weight: all unknowns of similar size
    contact_rows(contacts, nc);
    loop_rows();
    eliminate_base(na, nl, nr);
    torque_rows(na, nl, nr, posture);
    limit_rows(na, nl, nr);
    if (contacts.non_penetration) non_penetration_rows(contacts, na, nl);
    const int tasks = level.data()[level.shape(0) - 1];
    A_.resize(nm + na + tasks, n_);
    b_.resize(nm + na + tasks);
    first_task_ = mechanism_rows(na, posture);
    level_.assign(first_task_ ? 1 : 0, 0);
    for (size_t l = 0; l < level.shape(0); l++) level_.push_back(first_task_ + level.data()[l]);
    for (int t = 0; t < tasks; t++) task_row(t, time, na);
    weight_.assign(n_, posture.force_weight * unit_);
    target_.assign(n_, 0.0);
    lower_.assign(n_, 0.0);
    upper_.assign(n_, 1e30);
    joints_.difference(posture.reference.data(), error_, na);
    for (int i = 0; i < na; i++) {
      weight_[i] = posture.weight.data()[i];
      target_[i] = posture.stiffness.data()[i] * error_[i] -
                   posture.damping.data()[i] * dynamics.mj.qvel.data()[6 + i];
      bound_acceleration(i, posture);
    }
    soften_limits(na, nr);
    for (int j = 0; j < nr; j++) {  // a stop pushes where the joint touches it, not before
      weight_[na + nl + j] = posture.limit_weight * unit_;
      if (joints_.distance(j) > kTouching) upper_[na + nl + j] = 0;
    }
    for (int i = na + nl + nr; i < n_; i++) lower_[i] = -1e30;
  }

  // Writes torque (na), acceleration (nv) and forces (contacts, 3); the residual norm of each level.
  LexInfo solve(const Contacts& contacts, const Posture& posture, bool algorithm1_only, double* torque,
                double* acceleration, double* force, double* residual) {
    const int nv = dynamics.nv, na = nv - 6, nc = int(contacts.point.shape(0));
    x_.resize(n_);
    const bool yields = posture.yielding > 0 && !algorithm1_only;
    LexInfo info = yields ? solver.optimistic(problem(), x_.data())
                          : solver.solve(problem(), x_.data(), algorithm1_only);
    const int above = first_task_ ? 1 : 0, levels = int(level_.size()) - 1;
    auto failed = [&] { return info.status != QpStatus::solved && (yields || info.level <= above); };
    for (int attempt = yields ? 0 : 1; attempt < (yields ? 3 : 2) && failed(); attempt++) {
      if (attempt > 0) widen_bounds(!yields || attempt == 2, yields, na, posture);
      info = yields ? weighted(posture.yielding) : solver.solve(problem(), x_.data(), algorithm1_only);
      info.fallback = true;
    }
    info.level = std::max(info.level - above, info.level < 0 ? -1 : 0);
    if (info.status != QpStatus::solved && info.level <= 0) return info;
    for (int i = 0; i < na; i++) {
      const double t = dot(D_[i], x_.data(), n_) + torque0_[i];
      torque[i] = std::min(std::max(t, least_torque_[i]), most_torque_[i]);
      acceleration[6 + i] = x_[i];
    }
    for (int i = 0; i < 6; i++) acceleration[i] = dot(W_[i], x_.data(), n_) + W_[i][n_];
    for (int k = 0; k < nc; k++)
      for (int i = 0; i < 3; i++)
        force[3 * k + i] = unit_ * dot(contacts.cone.data() + 12 * k + 4 * i, x_.data() + na + 4 * k, 4);
    for (int l = above; l < levels; l++) {
      double s = 0;
      for (int j = level_[l]; j < level_[l + 1]; j++) {
        double e = dot(A_[j], x_.data(), n_) - b_[j];
        s += e * e;
      }
      residual[l - above] = std::sqrt(s);
    }
    return info;
  }

  LexProblem problem() const {
    LexProblem p;
    p.n = n_;
    p.levels = int(level_.size()) - 1;
    p.level = level_.data();
    p.A = A_.data.data();
    p.A_stride = A_.stride;
    p.b = b_.data();
    p.m = D_.rows;
    p.D = D_.data.data();
    p.D_stride = D_.stride;
    p.lo = lo_.data();
    p.hi = hi_.data();
    p.weight = weight_.data();
    p.target = target_.data();
    p.lower = lower_.data();
    p.upper = upper_.data();
    // Planar linkages in space determine their sideways forces and motions barely: better not at all.
    if (first_task_) p.first_rank_tolerance = 1e-3;
    return p;
  }

  const std::vector<int>& limited() const { return joints_.dofs(); }

 private:
  // All levels of tasks in one weighted sum (eq. 16, 37). Where a level cannot be met, strict priority throws
  // everything against its bounds to miss it by a little less; in a sum, arms and spine are worth more.
  LexInfo weighted(double ratio) {
    const std::vector<int> strict = level_;
    const int above = first_task_ ? 1 : 0, levels = int(strict.size()) - 1;
    std::vector<double> factor(levels, 1.0);
    for (int l = levels - 2; l >= above; l--) factor[l] = ratio * factor[l + 1];
    for (int l = above; l < levels; l++) scale_rows(strict[l], strict[l + 1], factor[l]);
    level_.assign(strict.begin(), strict.begin() + above + 1);
    level_.push_back(strict.back());
    LexInfo info = solver.solve(problem(), x_.data());
    level_ = strict;
    for (int l = above; l < levels; l++) scale_rows(strict[l], strict[l + 1], 1 / factor[l]);
    return info;
  }

  void scale_rows(int first, int next, double factor) {
    for (int j = first; j < next; j++) {
      for (int k = 0; k < n_; k++) A_[j][k] *= factor;
      b_[j] *= factor;
    }
  }

  // Too fast for the bounds on accelerations: most of them give way, or all. Limits of joints do first where
  // levels yield, since the joints have stops.
  void widen_bounds(bool all, bool limits, int na, const Posture& posture) {
    for (int j = na; limits && j < na + joints_.active(); j++) lo_[j] = -1e30;
    for (int i = 0; i < na; i++) {
      const double wider = all ? 1e30 : kWider * posture.most_acceleration.data()[i];
      lower_[i] = std::min(lower_[i], -wider);
      upper_[i] = std::max(upper_[i], wider);
    }
  }

  static constexpr double kWider = 4, kTouching = 0.01;

  // No joint faster than `most_speed` soon, none jerked: near a singular pose (a straight knee) the upper
  // levels would ask for any acceleration.
  void bound_acceleration(int i, const Posture& posture) {
    constexpr double kSoon = 0.02;  // [s]
    const double most = has_motor(i, posture) ? posture.most_acceleration.data()[i] : 1e30;
    const double rate = dynamics.mj.qvel.data()[6 + i];
    auto within = [&](double a) { return std::min(std::max(a, -most), most); };
    lower_[i] = within((-posture.most_speed - rate) / kSoon);
    upper_[i] = within((posture.most_speed - rate) / kSoon);
  }

  // Row 4k + e: the generalised force of cone generator e of contact k, in units of λ.
  void contact_rows(const Contacts& contacts, int nc) {
    const int nv = dynamics.nv;
    JtV_.resize(4 * nc, nv);
    JtV_.zero();
    row_.resize(nv);
    for (int k = 0; k < nc; k++) {
      const int point = contacts.point.data()[k];
      const double* V = contacts.cone.data() + 12 * k;
      for (int axis = 0; axis < 3; axis++) {
        features.point_jacobian(point, axis, row_.data());
        for (int e = 0; e < 4; e++) axpy(unit_ * V[4 * axis + e], row_.data(), JtV_[4 * k + e], nv);
      }
    }
  }

  // Rows 3k + axis: how the two ends of loop k accelerate apart, and the forces in it act, in units of μ.
  void loop_rows() {
    const int nv = dynamics.nv, loops = int(mechanism_.loop.shape(0));
    J_loop_.resize(3 * loops, nv);
    loop_pull_.assign(3 * loops, 0.0);
    row_.resize(nv);
    for (int k = 0; k < loops; k++) {
      double position[2][3], velocity[2][3], drift[2][3];
      const int* body = mechanism_.loop.data() + 2 * k;
      for (int end = 0; end < 2; end++)
        dynamics.point(body[end], mechanism_.anchor.data() + 6 * k + 3 * end, position[end], velocity[end],
                       drift[end]);
      for (int axis = 0; axis < 3; axis++) {
        double* r = J_loop_[3 * k + axis];
        dynamics.point_jacobian(body[0], position[0], axis, r);
        dynamics.point_jacobian(body[1], position[1], axis, row_.data());
        axpy(-1, row_.data(), r, nv);
        loop_pull_[3 * k + axis] = -kClosing * kClosing * (position[0][axis] - position[1][axis]) -
                                   2 * kClosing * (velocity[0][axis] - velocity[1][axis]) -
                                   (drift[0][axis] - drift[1][axis]);
      }
    }
  }

  static constexpr double kClosing = 20;  // [1/s] how fast an open loop closes

  bool has_motor(int i, const Posture& posture) const { return posture.torque_limits.data()[i] != 0; }

  // What no task can change: closed loops, joints without a motor (τ = 0) and springs (q̈ = 0).
  int mechanism_rows(int na, const Posture& posture) {
    int rows = 0;
    for (int j = 0; j < J_loop_.rows; j++) {
      double* r = A_[rows];
      std::memset(r, 0, sizeof(double) * n_);
      std::memcpy(r, J_loop_[j] + 6, sizeof(double) * na);
      double known = 0;
      for (int k = 0; k < 6; k++) {
        axpy(J_loop_[j][k], W_[k], r, n_);
        known += J_loop_[j][k] * W_[k][n_];
      }
      b_[rows++] = loop_pull_[j] - known;
    }
    for (int i = 0; i < na; i++) {
      if (has_motor(i, posture)) continue;
      double* r = A_[rows];
      if (mechanism_.spring.data()[i]) {
        std::memset(r, 0, sizeof(double) * n_);
        r[i] = 1;
        b_[rows++] = 0;
      } else {
        std::memcpy(r, D_[i], sizeof(double) * n_);
        b_[rows++] = -torque0_[i];
      }
      lo_[i] = -1e30;
      hi_[i] = 1e30;
    }
    return rows;
  }

  // W (6, n + 1): base acceleration as W x + w₀, w₀ in the last column; Cholesky of M_bb.
  void eliminate_base(int na, int nl, int nr) {
    double L[6][6] = {};
    const Matrix& M = dynamics.M;
    for (int i = 0; i < 6; i++) {
      for (int j = 0; j < i; j++) L[i][j] = (M[i][j] - dot(L[i], L[j], j)) / L[j][j];
      L[i][i] = std::sqrt(M[i][i] - dot(L[i], L[i], i));
    }
    W_.resize(6, n_ + 1);
    W_.zero();
    for (int i = 0; i < 6; i++) {
      double* r = W_[i];
      for (int j = 0; j < na; j++) r[j] = -M[i][6 + j];
      for (int j = 0; j < nl; j++) r[na + j] = JtV_[j][i];
      for (int j = 0; j < J_loop_.rows; j++) r[na + nl + nr + j] = unit_ * J_loop_[j][i];
      r[n_] = -dynamics.h[i];
      for (int k = 0; k < i; k++) axpy(-L[i][k], W_[k], r, n_ + 1);
      for (int j = 0; j <= n_; j++) r[j] /= L[i][i];
    }
    for (int i = 5; i >= 0; i--) {
      double* r = W_[i];
      for (int k = i + 1; k < 6; k++) axpy(-L[k][i], W_[k], r, n_ + 1);
      for (int j = 0; j <= n_; j++) r[j] /= L[i][i];
    }
  }

  // The first na rows of D: τ = T x + t₀ within its limits.
  void torque_rows(int na, int nl, int nr, const Posture& posture) {
    D_.resize(na + nr, n_);
    D_.zero();
    lo_.resize(na + nr);
    hi_.resize(na + nr);
    torque0_.resize(na);
    least_torque_.resize(na);
    most_torque_.resize(na);
    for (int i = 0; i < na; i++) {
      double* r = D_[i];
      const double* m = dynamics.M[6 + i];
      std::memcpy(r, m + 6, sizeof(double) * na);
      for (int j = 0; j < nl; j++) r[na + j] = -JtV_[j][6 + i];
      for (int j = 0; j < nr; j++) r[na + nl + j] = -unit_ * joints_.row(j)[i];
      for (int j = 0; j < J_loop_.rows; j++) r[na + nl + nr + j] = -unit_ * J_loop_[j][6 + i];
      torque0_[i] = dynamics.h[6 + i];
      for (int k = 0; k < 6; k++) {
        axpy(m[k], W_[k], r, n_);
        torque0_[i] += m[k] * W_[k][n_];
      }
      // A motor that turns fast drives less, and none at the greatest speed; it always brakes.
      const double most = posture.torque_limits.data()[i], rate = dynamics.mj.qvel.data()[6 + i];
      const double drives = std::min(std::max(2 - 2 * std::abs(rate) / posture.most_speed, 0.0), 1.0);
      least_torque_[i] = -most * (rate < 0 ? drives : 1);
      most_torque_[i] = most * (rate > 0 ? drives : 1);
      lo_[i] = least_torque_[i] - torque0_[i];
      hi_[i] = most_torque_[i] - torque0_[i];
    }
  }

  // Joints at their limits (eq. 27): acceleration away from the limit, helped by a unilateral force ρ.
  void limit_rows(int na, int nl, int nr) {
    for (int j = 0; j < nr; j++) {
      std::memcpy(D_[na + j], joints_.row(j), sizeof(double) * na);
      lo_[na + j] = joints_.least(j);
      hi_[na + j] = 1e30;
    }
  }

  // A joint that is thrown against its stop may ask for more than the bounds on accelerations allow; half
  // of what they do leaves room for limits of the same ball joint about other axes.
  void soften_limits(int na, int nr) {
    for (int j = na; j < na + nr; j++) {
      double most = 0;
      for (int i = 0; i < na; i++) most += std::max(D_[j][i] * lower_[i], D_[j][i] * upper_[i]);
      lo_[j] = std::min(lo_[j], most > 0 ? 0.5 * most : 2 * most);
    }
  }

  void non_penetration_rows(const Contacts& contacts, int na, int nl) {
    const int first = D_.rows, nv = dynamics.nv;
    Matrix all;
    all.resize(first + nl, n_);
    all.zero();
    for (int i = 0; i < first; i++) std::memcpy(all[i], D_[i], sizeof(double) * n_);
    for (int j = 0; j < nl; j++) {
      const int point = contacts.point.data()[j / 4];
      double* r = all[first + j];
      double drift = 0;
      for (int axis = 0; axis < 3; axis++)
        drift += contacts.cone.data()[12 * (j / 4) + 4 * axis + j % 4] * features.drift[point][axis];
      for (int i = 6; i < nv; i++) r[i - 6] = JtV_[j][i] / unit_;
      for (int k = 0; k < 6; k++) {
        axpy(JtV_[j][k] / unit_, W_[k], r, n_);
        drift += JtV_[j][k] / unit_ * W_[k][n_];
      }
      lo_.push_back(-drift);
      hi_.push_back(1e30);
    }
    std::swap(D_, all);
  }

  // Row t of the task table: weight · (feature acceleration) = weight · (desired acceleration).
  void task_row(int t, double time, int na) {
    const int* column = ints_.data() + kIntColumns * t;
    const double* real = reals_.data() + kRealColumns * t;
    double *r = A_[first_task_ + t], &right = b_[first_task_ + t];
    if (column[iKind] == kTorque) {  // eq. 15
      const int joint = column[iIndex];
      for (int j = 0; j < n_; j++) r[j] = real[rWeight] * D_[joint][j];
      right = real[rWeight] * (real[rAcceleration] - torque0_[joint]);
      return;
    }
    row_.resize(dynamics.nv);
    const Feature feature = features.evaluate(column, row_.data());
    const double desired = desired_acceleration(feature, column[iMode], real, time);
    std::memcpy(r, row_.data() + 6, sizeof(double) * na);
    std::memset(r + na, 0, sizeof(double) * (n_ - na));
    double known = feature.drift;
    for (int k = 0; k < 6; k++) {
      axpy(row_[k], W_[k], r, n_);
      known += row_[k] * W_[k][n_];
    }
    for (int j = 0; j < n_; j++) r[j] *= real[rWeight];
    right = real[rWeight] * (desired - known);
  }

  Joints joints_;
  Mechanism mechanism_;
  IntRows ints_;
  Rows reals_;
  int n_ = 0, first_task_ = 0;
  double unit_ = 1;
  Matrix JtV_, J_loop_, W_, A_, D_;
  std::vector<double> loop_pull_;
  std::vector<double> row_, torque0_, least_torque_, most_torque_, lo_, hi_, b_, weight_, target_, lower_, upper_, x_, error_;
  std::vector<int> level_;
};

}  // namespace amble
