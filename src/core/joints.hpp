// Joint angles: difference to a reference pose, and limits, for hinge, slide and ball joints.
#pragma once
#include "dynamics.hpp"
#include "quaternions.hpp"

namespace amble {

class Joints {
 public:
  static constexpr int kFree = 0, kBall = 1;  // MuJoCo's types

  explicit Joints(const MuJoCoArrays& mj) : mj_(mj) {}

  // error (na): what takes the present pose to the reference, in the coordinates of the velocities.
  void difference(const double* reference, std::vector<double>& error, int na) const {
    error.assign(na, 0.0);
    for (size_t j = 0; j < mj_.jnt_type.shape(0); j++) {
      const int type = mj_.jnt_type.data()[j], q = mj_.jnt_qposadr.data()[j], d = mj_.jnt_dofadr.data()[j] - 6;
      if (type == kFree) continue;
      const double *now = mj_.qpos.data() + q, *goal = reference + q;
      if (type != kBall) {
        error[d] = goal[0] - now[0];
        continue;
      }
      amble::difference(now, goal, error.data() + d);
    }
  }

  // Collects the limits that are near: rows g with the least g·q̈ that still stops in time,
  // d̈ = g·q̈ + ġ·q̇ ≥ −k d − c ḋ for the distance d. The rotation vector φ of a ball joint moves by
  // φ̇ = J⁻¹(φ) ω; its length stays below `cone` (of its first degree of freedom).
  void find_limits(const Rows& limits, const Vector& cone, double stiffness, double damping, int na) {
    rows_.clear();
    least_.clear();
    distance_.clear();
    dof_.clear();
    const double* qvel = mj_.qvel.data() + 6;
    for (size_t j = 0; j < mj_.jnt_type.shape(0); j++) {
      const int type = mj_.jnt_type.data()[j], d = mj_.jnt_dofadr.data()[j] - 6;
      if (type == kFree) continue;
      const double* q = mj_.qpos.data() + mj_.jnt_qposadr.data()[j];
      double angle[3] = {q[0], 0, 0}, map[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, drift[3] = {0, 0, 0};
      const int size = type == kBall ? 3 : 1;
      if (type == kBall) {
        rotation_vector(q, angle);
        inverse_jacobian(angle, map);
        find_drift(angle, map, qvel + d, drift);
      }
      for (int i = 0; i < size; i++) {
        const double rate = dot(map[i], qvel + d, size);
        for (int side = 0; side < 2; side++) {
          const double sign = side ? -1 : 1, bound = limits.data()[2 * (d + i) + side];
          const double least = sign * (-stiffness * (angle[i] - bound) - damping * rate - drift[i]);
          if (!(least > -kFar)) continue;
          rows_.emplace_back(na, 0.0);
          for (int k = 0; k < size; k++) rows_.back()[d + k] = sign * map[i][k];
          least_.push_back(std::min(least, kHardest));
          dof_.push_back(d + i);
          distance_.push_back(sign * (angle[i] - bound));
        }
      }
      if (type == kBall) find_cone(angle, map, qvel + d, d, cone.data()[d], stiffness, damping, na);
    }
  }

  int active() const { return int(rows_.size()); }
  const double* row(int j) const { return rows_[j].data(); }
  double distance(int j) const { return distance_[j]; }  // [rad] to the limit
  double least(int j) const { return least_[j]; }
  const std::vector<int>& dofs() const { return dof_; }  // that the rows are about

  // J⁻¹(φ) = 1 + φ̂/2 + (1/θ² − (1 + cos θ)/(2 θ sin θ)) φ̂²  for body-frame angular velocity.
  static void inverse_jacobian(const double* phi, double map[3][3]) {
    const double theta = std::sqrt(dot(phi, phi, 3));
    const double turn = std::min(theta, 2.8);  // the formula is singular at half a turn
    const double c = turn < 1e-3 ? 1.0 / 12
                                 : 1 / (turn * turn) - (1 + std::cos(turn)) / (2 * turn * std::sin(turn));
    const double hat[3][3] = {{0, -phi[2], phi[1]}, {phi[2], 0, -phi[0]}, {-phi[1], phi[0], 0}};
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) {
        double square = phi[i] * phi[k] - (i == k ? theta * theta : 0);
        map[i][k] = (i == k) + hat[i][k] / 2 + c * square;
      }
  }

 private:
  static constexpr double kFar = 60, kHardest = 300;  // [rad/s²]

  // |φ| ≤ cone, with d|φ|/dt = n·ω for the axis n = φ/|φ|.
  void find_cone(const double* phi, const double map[3][3], const double* omega, int d, double cone, double stiffness,
                 double damping, int na) {
    const double angle = std::sqrt(dot(phi, phi, 3));
    if (angle < 0.1) return;
    double axis[3], turning[3], drift = 0;
    for (int i = 0; i < 3; i++) axis[i] = phi[i] / angle;
    for (int i = 0; i < 3; i++) turning[i] = dot(map[i], omega, 3);
    const double rate = dot(axis, omega, 3);
    for (int i = 0; i < 3; i++) drift += (turning[i] - axis[i] * dot(axis, turning, 3)) / angle * omega[i];
    const double least = -stiffness * (cone - angle) + damping * rate + drift;
    if (!(least > -kFar)) return;
    rows_.emplace_back(na, 0.0);
    for (int k = 0; k < 3; k++) rows_.back()[d + k] = -axis[k];
    least_.push_back(std::min(least, kHardest));
    dof_.push_back(d);
    distance_.push_back(cone - angle);
  }

  // d(J⁻¹(φ) ω)/dt for constant ω: the difference over a short time either way.
  static void find_drift(const double* phi, const double map[3][3], const double* omega, double* drift) {
    constexpr double kStep = 1e-5;  // [s]
    double there[3], ends[2][3][3];
    for (int side = 0; side < 2; side++) {
      for (int i = 0; i < 3; i++) there[i] = phi[i] + (side ? kStep : -kStep) * dot(map[i], omega, 3);
      inverse_jacobian(there, ends[side]);
    }
    for (int i = 0; i < 3; i++)
      drift[i] = (dot(ends[1][i], omega, 3) - dot(ends[0][i], omega, 3)) / (2 * kStep);
  }

  const MuJoCoArrays& mj_;
  std::vector<std::vector<double>> rows_;
  std::vector<double> least_, distance_;
  std::vector<int> dof_;
};

}  // namespace amble
