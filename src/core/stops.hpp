// Stops of ball joints: springs with dampers where a component of the rotation vector passes its limits.
//
// MuJoCo bounds only the whole angle of a ball joint. The components about x and y of a limb that lies
// along z say how far and where it swings, the one about z how far it twists. A component φᵢ beyond its
// limit by d gets the force f = −k d − c φ̇ᵢ, never one that pulls; with φ̇ = J⁻¹(φ) ω the torque is J⁻ᵀ f.
#pragma once
#include "joints.hpp"

namespace amble {

class Stops {
 public:
  // stiffness (nv) [N m/rad] and damping (nv) [N m s/rad] of every degree of freedom, limits (nv − 6, 2).
  Stops(Ints type, Ints qposadr, Ints dofadr, Vector qpos, Vector qvel, Rows limits, Vector stiffness, Vector damping)
      : type_(type), qposadr_(qposadr), dofadr_(dofadr), qpos_(qpos), qvel_(qvel), limits_(limits),
        stiffness_(stiffness), damping_(damping) {}

  // Adds the stops' torques to `torque` (nv − 6); whether there were any.
  bool add(double* torque) const {
    bool any = false;
    for (size_t j = 0; j < type_.shape(0); j++) {
      if (type_.data()[j] != Joints::kBall) continue;
      const int d = dofadr_.data()[j];
      const double* omega = qvel_.data() + d;
      double angle[3], map[3][3], force[3];
      rotation_vector(qpos_.data() + qposadr_.data()[j], angle);
      bool beyond = false;
      for (int i = 0; i < 3; i++) {
        const double* bound = limits_.data() + 2 * (d - 6 + i);
        beyond = beyond || angle[i] < bound[0] || angle[i] > bound[1];
      }
      if (!beyond) continue;
      any = true;
      Joints::inverse_jacobian(angle, map);
      for (int i = 0; i < 3; i++) {
        const double* bound = limits_.data() + 2 * (d - 6 + i);
        const double k = stiffness_.data()[d + i], c = damping_.data()[d + i], rate = dot(map[i], omega, 3);
        force[i] = 0;
        if (angle[i] < bound[0]) force[i] = std::max(0.0, k * (bound[0] - angle[i]) - c * rate);
        if (angle[i] > bound[1]) force[i] = std::min(0.0, k * (bound[1] - angle[i]) - c * rate);
      }
      for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) torque[d - 6 + k] += map[i][k] * force[i];
    }
    return any;
  }

 private:
  Ints type_, qposadr_, dofadr_;
  Vector qpos_, qvel_;
  Rows limits_;
  Vector stiffness_, damping_;
};

}  // namespace amble
