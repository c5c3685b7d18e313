// What Python hands to the whole-body controller: task table, contacts, mechanism, posture.
#pragma once
#include "dynamics.hpp"

namespace amble {

enum Kind { kPoint, kCom, kMomentum, kOrientation, kPointFromCom, kTorque };
enum Mode { kSetpoint, kTarget };
enum IntColumn { iKind, iIndex, iAxis, iMode, iSlot, kIntColumns };
enum RealColumn { rWeight, rStiffness, rDamping, rReference, rVelocity, rAcceleration, rDeadline, rLimit, kRealColumns };

struct Contacts {
  Ints point;   // which points may carry force
  Rows cone;    // (contacts, 12) generators of each linearised friction cone, 3 × 4 row-major, unit normal part
  bool non_penetration = false;  // the paper's rows a_c ≥ 0 (eq. 26)
};

struct Mechanism {
  IntRows loop;   // (loops, 2) bodies that a closed loop pins together
  Rows anchor;    // (loops, 6) where, in the frame of either [m]
  Ints spring;    // (na) 1 where a spring acts on a joint
};

struct Posture {
  Vector weight, stiffness, damping, reference;  // (na) ×3, qpos (nq)
  Rows limits;                                    // (na, 2) [rad]
  Vector cone;                                    // (na) of a ball joint's first: its whole angle [rad]
  Vector torque_limits;                           // (na)
  double force_weight, limit_weight;              // cost of λ [1/N] and of ρ [1/(N m)]
  double limit_stiffness, limit_damping;
  Vector most_acceleration;                       // (na) of each joint [rad/s²]
  double most_speed;                              // of any joint [rad/s]
  double yielding = 0;                            // weight of a level over the next where they yield, 0: never
};

}  // namespace amble
