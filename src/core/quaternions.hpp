// Rotations as unit quaternions (w, x, y, z) and 3 × 3 row-major matrices, in MuJoCo's conventions.
#pragma once
#include <algorithm>

#include "linear.hpp"

namespace amble {

inline void normalise(double* q) {
  const double length = std::sqrt(dot(q, q, 4));
  if (length < 1e-15) {
    q[0] = 1;
    q[1] = q[2] = q[3] = 0;
  } else {
    for (int i = 0; i < 4; i++) q[i] /= length;
  }
}

// out = a b; out may be a.
inline void multiply(const double* a, const double* b, double* out) {
  const double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  const double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  const double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  const double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
  out[0] = w;
  out[1] = x;
  out[2] = y;
  out[3] = z;
}

// out = q v q⁻¹ = v + 2 (w u + u × ) (u × v), with q = (w, u)
inline void rotate(const double* q, const double* v, double* out) {
  double t[3], s[3];
  cross(q + 1, v, t);
  cross(q + 1, t, s);
  for (int i = 0; i < 3; i++) out[i] = v[i] + 2 * (q[0] * t[i] + s[i]);
}

inline void matrix_from(const double* q, double* R) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  R[0] = w * w + x * x - y * y - z * z;
  R[1] = 2 * (x * y - w * z);
  R[2] = 2 * (x * z + w * y);
  R[3] = 2 * (x * y + w * z);
  R[4] = w * w - x * x + y * y - z * z;
  R[5] = 2 * (y * z - w * x);
  R[6] = 2 * (x * z - w * y);
  R[7] = 2 * (y * z + w * x);
  R[8] = w * w - x * x - y * y + z * z;
}

inline void about_axis(const double* axis, double angle, double* q) {
  const double s = std::sin(0.5 * angle);
  q[0] = std::cos(0.5 * angle);
  for (int i = 0; i < 3; i++) q[1 + i] = s * axis[i];
}

// Turns q by a rotation vector in its own frame.
inline void turn_by(double* q, const double* v) {
  const double angle = std::sqrt(dot(v, v, 3));
  if (angle < 1e-15) return;
  const double axis[3] = {v[0] / angle, v[1] / angle, v[2] / angle};
  double turn[4];
  about_axis(axis, angle, turn);
  multiply(q, turn, q);
  normalise(q);
}

// Rotation vector of a unit quaternion, the short way round.
inline void rotation_vector(const double* q, double* v) {
  const double s = std::sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  double angle = 2 * std::atan2(s, q[0]);
  if (angle > M_PI) angle -= 2 * M_PI;
  const double f = s > 1e-12 ? angle / s : 2;
  for (int i = 0; i < 3; i++) v[i] = f * q[1 + i];
}

// The rotation vector, in the frame of `from`, that takes it to `to`: that of from⁻¹ to.
inline void difference(const double* from, const double* to, double* v) {
  double turn[4] = {dot(from, to, 4), 0, 0, 0}, across[3];
  cross(from + 1, to + 1, across);
  for (int i = 0; i < 3; i++) turn[1 + i] = from[0] * to[1 + i] - to[0] * from[1 + i] - across[i];
  rotation_vector(turn, v);
}

// The rotation vector, in the world, that takes R to `desired`.
// By the quaternion, from its largest component on (Shepperd 1978): exact up to half a turn.
inline void rotation_error(const double* R, const double* desired, double* v) {
  double E[3][3];
  for (int p = 0; p < 3; p++)
    for (int q = 0; q < 3; q++) E[p][q] = dot(desired + 3 * p, R + 3 * q, 3);
  const double trace = E[0][0] + E[1][1] + E[2][2];
  const double four[4] = {1 + trace, 1 - trace + 2 * E[0][0], 1 - trace + 2 * E[1][1], 1 - trace + 2 * E[2][2]};
  const int largest = int(std::max_element(four, four + 4) - four);
  double q[4] = {0, E[2][1] - E[1][2], E[0][2] - E[2][0], E[1][0] - E[0][1]};
  if (largest > 0) {
    const int i = largest - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    q[0] = q[1 + i];
    q[1 + j] = E[i][j] + E[j][i];
    q[1 + k] = E[i][k] + E[k][i];
  }
  q[largest] = four[largest];
  const double scale = (q[0] < 0 ? -0.5 : 0.5) / std::sqrt(four[largest]);
  for (double& component : q) component *= scale;
  rotation_vector(q, v);
}

inline double rotation_error(const double* R, const double* desired, int axis) {
  double v[3];
  rotation_error(R, desired, v);
  return v[axis];
}

}  // namespace amble
