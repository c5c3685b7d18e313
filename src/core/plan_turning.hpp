// Angular momentum of a turning rigid body, L = R I E ẏ, with first and second derivatives.
//
// y = (yaw, pitch, roll); R turns the body's vectors into the world's and E makes ω in the body's frame from ẏ.
// Yaw stands alone on the left, R = R_z(yaw) S(pitch, roll), so that L = R_z B ẏ with B(pitch, roll) = S I E, and
// all derivatives are products of the small matrices below.
#pragma once
#include <cmath>

namespace amble {

struct Turning {
  enum Derivative { none, p, r, pp, pr, rr, kDerivatives };  // of B, by pitch p and roll r

  double momentum[3];
  double jacobian[3][6];  // of L, by (y, ẏ)

  // L alone.
  static void value(const double* inertia, const double* y, const double* rate, double* out) {
    double S[9], E[9], omega[3], spin[3], turned[3];
    const Angles angles(y);
    angles.matrices(0, 0, S, E);
    times(E, rate, omega);
    times(inertia, omega, spin);
    times(S, spin, turned);
    turn(angles.cos_yaw, angles.sin_yaw, turned, out);
  }

  // L, its Jacobian, and what `hessian` needs.
  void differentiate(const double* inertia, const double* y, const double* given_rate) {
    static constexpr int order[kDerivatives][2] = {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}};
    const Angles angles(y);
    cos_yaw_ = angles.cos_yaw;
    sin_yaw_ = angles.sin_yaw;
    for (int i = 0; i < 3; i++) rate_[i] = given_rate[i];
    double S[9], SI[kDerivatives][9], E[kDerivatives][9];
    for (int d = 0; d < kDerivatives; d++) {
      angles.matrices(order[d][0], order[d][1], S, E[d]);
      multiply(S, inertia, SI[d]);
      multiply(SI[d], E[none], B_[d]);
    }
    // The product rule: the terms in which E is differentiated, too.
    add_product(SI[none], E[p], 1, B_[p]);
    add_product(SI[none], E[r], 1, B_[r]);
    add_product(SI[p], E[p], 2, B_[pp]);
    add_product(SI[none], E[pp], 1, B_[pp]);
    add_product(SI[p], E[r], 1, B_[pr]);
    add_product(SI[r], E[p], 1, B_[pr]);
    add_product(SI[none], E[pr], 1, B_[pr]);
    add_product(SI[r], E[r], 2, B_[rr]);
    add_product(SI[none], E[rr], 1, B_[rr]);

    double column[3], turned[3];
    times(B_[none], rate_, column);
    turn(cos_yaw_, sin_yaw_, column, momentum);
    turn(-sin_yaw_, cos_yaw_, column, turned);  // dR_z/dyaw, but for its last row
    set_column(0, turned[0], turned[1], 0.0);
    for (int d = p; d <= r; d++) {
      times(B_[d], rate_, column);
      turn(cos_yaw_, sin_yaw_, column, turned);
      set_column(d, turned[0], turned[1], turned[2]);
    }
    for (int j = 0; j < 3; j++) {
      for (int i = 0; i < 3; i++) column[i] = B_[none][3 * i + j];
      turn(cos_yaw_, sin_yaw_, column, turned);
      set_column(3 + j, turned[0], turned[1], turned[2]);
    }
  }

  // Hessian of u · L by (y, ẏ), symmetric.
  void hessian(const double* u, double H[6][6]) const {
    const double v[3] = {cos_yaw_ * u[0] + sin_yaw_ * u[1], -sin_yaw_ * u[0] + cos_yaw_ * u[1], u[2]};  // R_zᵀ u
    const double by_yaw[3] = {v[1], -v[0], 0.0}, by_yaw_twice[3] = {-v[0], -v[1], 0.0};
    H[0][0] = between(by_yaw_twice, B_[none]);
    H[0][1] = between(by_yaw, B_[p]);
    H[0][2] = between(by_yaw, B_[r]);
    H[1][1] = between(v, B_[pp]);
    H[1][2] = between(v, B_[pr]);
    H[2][2] = between(v, B_[rr]);
    for (int j = 0; j < 3; j++) {
      H[0][3 + j] = by_yaw[0] * B_[none][j] + by_yaw[1] * B_[none][3 + j];
      for (int d = p; d <= r; d++)
        H[d][3 + j] = v[0] * B_[d][j] + v[1] * B_[d][3 + j] + v[2] * B_[d][6 + j];
      for (int i = 0; i < 3; i++) H[3 + i][3 + j] = 0.0;
    }
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < i; j++) H[i][j] = H[j][i];
  }

 private:
  struct Angles {
    double cos_yaw, sin_yaw, pitch[4], roll[4];  // cos, sin, −cos, −sin: cos differentiated d times is [d mod 4]…

    explicit Angles(const double* y) : cos_yaw(std::cos(y[0])), sin_yaw(std::sin(y[0])) {
      cycle(y[1], pitch);
      cycle(y[2], roll);
    }
    // … in the cycle cos → −sin → −cos → sin, and sin is the one before cos.
    static void cycle(double angle, double* out) {
      out[0] = std::cos(angle);
      out[1] = -std::sin(angle);
      out[2] = -out[0];
      out[3] = -out[1];
    }
    // S and E, differentiated a times by pitch and b times by roll.
    void matrices(int a, int b, double* S, double* E) const {
      const double cp = pitch[a], sp = pitch[(a + 3) & 3], cr = roll[b], sr = roll[(b + 3) & 3];
      const double no_pitch = a == 0, no_roll = b == 0;  // of entries that depend on one angle alone
      const double s[9] = {cp * no_roll, sp * sr, sp * cr, 0, cr * no_pitch, -sr * no_pitch, -sp * no_roll, cp * sr, cp * cr};
      const double e[9] = {-sp * no_roll, 0, no_pitch * no_roll, cp * sr, cr * no_pitch, 0, cp * cr, -sr * no_pitch, 0};
      for (int i = 0; i < 9; i++) S[i] = s[i], E[i] = e[i];
    }
  };

  static void multiply(const double* A, const double* B, double* out) {
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
  }
  // out += factor A B
  static void add_product(const double* A, const double* B, double factor, double* out) {
    double AB[9];
    multiply(A, B, AB);
    for (int i = 0; i < 9; i++) out[i] += factor * AB[i];
  }
  static void times(const double* A, const double* x, double* out) {
    for (int i = 0; i < 3; i++) out[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
  }
  static void turn(double c, double s, const double* x, double* out) {
    out[0] = c * x[0] - s * x[1];
    out[1] = s * x[0] + c * x[1];
    out[2] = x[2];
  }
  double between(const double* v, const double* B) const {
    double Bx[3];
    times(B, rate_, Bx);
    return v[0] * Bx[0] + v[1] * Bx[1] + v[2] * Bx[2];
  }
  void set_column(int j, double x, double y, double z) {
    jacobian[0][j] = x;
    jacobian[1][j] = y;
    jacobian[2][j] = z;
  }

  double cos_yaw_, sin_yaw_, rate_[3];
  double B_[kDerivatives][9];
};

}  // namespace amble
