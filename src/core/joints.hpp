// Joint angles: difference to a reference pose, and limits, for hinge, slide and ball joints.
#pragma once
#include <algorithm>

#include "dynamics.hpp"

namespace amble {

// Rotation vector of a unit quaternion (w, x, y, z), the short way round.
inline void rotation_vector(const double* q, double* v) {
  const double s = std::sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  double angle = 2 * std::atan2(s, q[0]);
  if (angle > M_PI) angle -= 2 * M_PI;
  const double f = s > 1e-12 ? angle / s : 2;
  for (int i = 0; i < 3; i++) v[i] = f * q[1 + i];
}

// Component `axis` of the rotation vector, in the world, that takes R to `desired` (both 3 × 3 row-major).
inline double rotation_error(const double* R, const double* desired, int axis) {
  double E[3][3];
  for (int p = 0; p < 3; p++)
    for (int q = 0; q < 3; q++) E[p][q] = dot(desired + 3 * p, R + 3 * q, 3);
  const double s[3] = {(E[2][1] - E[1][2]) / 2, (E[0][2] - E[2][0]) / 2, (E[1][0] - E[0][1]) / 2};
  const double sine = std::sqrt(dot(s, s, 3)), cosine = (E[0][0] + E[1][1] + E[2][2] - 1) / 2;
  return (sine > 1e-9 ? std::atan2(sine, cosine) / sine : 1) * s[axis];
}

class Joints {
 public:
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
      double turn[4] = {dot(now, goal, 4), 0, 0, 0};  // now⁻¹ goal
      double across[3];
      cross(now + 1, goal + 1, across);
      for (int i = 0; i < 3; i++) turn[1 + i] = now[0] * goal[1 + i] - goal[0] * now[1 + i] - across[i];
      rotation_vector(turn, error.data() + d);
    }
  }

  // Collects the limits that are near: rows g with the least acceleration g·q̈ that still stops in time,
  // −k d − c ḋ for the distance d. The rotation vector φ of a ball joint moves by φ̇ = J⁻¹(φ) ω.
  void find_limits(const Rows& limits, double stiffness, double damping, int na) {
    rows_.clear();
    least_.clear();
    const double* qvel = mj_.qvel.data() + 6;
    for (size_t j = 0; j < mj_.jnt_type.shape(0); j++) {
      const int type = mj_.jnt_type.data()[j], d = mj_.jnt_dofadr.data()[j] - 6;
      if (type == kFree) continue;
      const double* q = mj_.qpos.data() + mj_.jnt_qposadr.data()[j];
      double angle[3] = {q[0], 0, 0}, map[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
      const int size = type == kBall ? 3 : 1;
      if (type == kBall) {
        rotation_vector(q, angle);
        inverse_jacobian(angle, map);
      }
      for (int i = 0; i < size; i++) {
        const double rate = dot(map[i], qvel + d, size);
        for (int side = 0; side < 2; side++) {
          const double sign = side ? -1 : 1, bound = limits.data()[2 * (d + i) + side];
          const double least = -stiffness * sign * (angle[i] - bound) - damping * sign * rate;
          if (!(least > -kFar)) continue;
          rows_.emplace_back(na, 0.0);
          for (int k = 0; k < size; k++) rows_.back()[d + k] = sign * map[i][k];
          least_.push_back(std::min(least, kHardest));
        }
      }
    }
  }

  int active() const { return int(rows_.size()); }
  const double* row(int j) const { return rows_[j].data(); }
  double least(int j) const { return least_[j]; }

 private:
  static constexpr int kFree = 0, kBall = 1;
  static constexpr double kFar = 60, kHardest = 300;  // [rad/s²]

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

  const MuJoCoArrays& mj_;
  std::vector<std::vector<double>> rows_;
  std::vector<double> least_;
};

}  // namespace amble
