// Features of a body (features section 3): value, velocity, Jacobian row and drift of each, and the
// acceleration that an objective wants of it.
#pragma once
#include "records.hpp"

namespace amble {

struct Feature {
  double value = 0, velocity = 0;
  double drift = 0;  // J̇ q̇: its acceleration when no joint accelerates
};

class Features {
 public:
  Matrix position, velocity, drift;  // of the points (points, 3)

  Features(const Dynamics& dynamics, Ints point_body, Rows point_local, Rotations rotations)
      : dynamics_(dynamics), body_(point_body), local_(point_local), rotations_(rotations) {
    const int points = int(point_body.shape(0));
    position.resize(points, 3);
    velocity.resize(points, 3);
    drift.resize(points, 3);
  }

  void update() {
    for (int k = 0; k < position.rows; k++)
      dynamics_.point(body_.data()[k], local_.data() + 3 * k, position[k], velocity[k], drift[k]);
  }

  void point_jacobian(int point, int axis, double* row) const {
    dynamics_.point_jacobian(body_.data()[point], position[point], axis, row);
  }

  // What a row of the task table is about; its Jacobian goes to `row` (nv). Torques are not among them.
  Feature evaluate(const int* column, double* row) const {
    const int index = column[iIndex], axis = column[iAxis], nv = dynamics_.nv;
    Feature f;
    switch (column[iKind]) {
      case kPoint:
      case kPointFromCom:
        point_jacobian(index, axis, row);
        f = {position[index][axis], velocity[index][axis], drift[index][axis]};
        if (column[iKind] == kPoint) break;
        axpy(-1, dynamics_.J_com[axis], row, nv);
        f.value -= dynamics_.com[axis];
        f.velocity -= dynamics_.com_velocity[axis];
        f.drift -= dynamics_.com_drift[axis];
        break;
      case kCom:
        std::memcpy(row, dynamics_.J_com[axis], sizeof(double) * nv);
        f = {dynamics_.com[axis], dynamics_.com_velocity[axis], dynamics_.com_drift[axis]};
        break;
      case kMomentum:  // eq. 8–9: first order, so the value takes the place of the position
        std::memcpy(row, dynamics_.A_momentum[axis], sizeof(double) * nv);
        f = {dynamics_.momentum[axis], 0, dynamics_.momentum_drift[axis]};
        break;
      case kOrientation:
        dynamics_.angular_jacobian(index, axis, row);
        f.value = -rotation_error(dynamics_.mj.xmat.data() + 9 * index,
                                  rotations_.data() + 9 * column[iSlot], axis);
        f.velocity = dynamics_.mj.cvel.data()[6 * index + axis];
        f.drift = dynamics_.bias_acceleration[index][axis];
        break;
    }
    return f;
  }

 private:
  const Dynamics& dynamics_;
  Ints body_;
  Rows local_;
  Rotations rotations_;
};

// The acceleration that row `real` of the task table asks of a feature.
inline double desired_acceleration(const Feature& f, int mode, const double* real, double time) {
  double desired;
  if (mode == kSetpoint) {  // eq. 4
    desired = real[rStiffness] * (real[rReference] - f.value) + real[rDamping] * (real[rVelocity] - f.velocity) +
              real[rAcceleration];
  } else {  // eq. 6–7: a = 6 (y_T − y₀ − ẏ₀T)/T² − 2 (ẏ_T − ẏ₀)/T
    // Never with less than 60 ms to go: the target then moves on ahead with its velocity.
    const double left = real[rDeadline] - time, T = std::max(left, 0.06);
    const double goal = real[rReference] + real[rVelocity] * (T - left);
    desired = 6 * (goal - f.value - f.velocity * T) / (T * T) - 2 * (real[rVelocity] - f.velocity) / T;
  }
  return std::min(std::max(desired, -real[rLimit]), real[rLimit]);
}

}  // namespace amble
