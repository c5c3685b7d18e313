// What Python hands to momentum-mapped inverse kinematics: feet, limits, weights, and what a frame asks for.
#pragma once
#include "dynamics.hpp"

namespace amble {

// What does not change from frame to frame.
struct PoseProblem {
  Ints hip, foot;               // (legs) bodies at both ends of each leg
  Ints turns;                   // (legs) 1 where the foot's orientation counts too
  Ints points;                  // (legs) points that hold the foot: a sole has one, an edge two
  Rows points_b;                // (all points, 3) in the frame of the foot's body [m]
  Vector along;                 // (all points) where they lie along the foot [m]
  Rows rest_R;                  // (legs, 9) orientation of the foot's body at rest, when the sole is level
  Vector ankle_height, longest; // (legs) [m]
  Ints leg_dofs;                // degrees of freedom of all legs
  Vector low, high;             // (nv − 6) joint limits, against the rest pose [rad]
  Vector pose, velocity;        // (nv) w_r, w_v
  Vector damping;               // (nv) of a step, where a straight leg leaves its direction undetermined
  Ints tied;                    // (ties × 2) bodies whose points are held together by closed loops
  Rows tied_b;                  // (ties × 2, 3) those points, each in the frame of its body [m]
  double stance, swing, stance_turn, stance_pitch, swing_turn, com, reach, configuration, momentum, push, loop;
};

enum FootColumn { fPosition, fRotation = 3, fLoad = 12, fPivot, fStanding, kFootColumns };
enum PushColumn { pPoint, pDirection = 3, pSpeed = 6, kPushColumns };

// What one frame asks for.
struct PoseGoal {
  const double* feet;               // (legs, kFootColumns) sole's place [m] and R, load, pivot [m], standing
  const double *com, *momentum;     // (3) [m], [N m s]
  const double* reference;          // (nq) x̄
  const double* previous = nullptr; // (nq) x_prev; null in a first frame, where velocities do not count
  const double* previous_reference = nullptr;
  double dt = 1;                    // [s]
  int push_body = -1;               // none
  const double* push = nullptr;     // (kPushColumns) point in the body's frame, direction, v_p [m/s]
};

}  // namespace amble
