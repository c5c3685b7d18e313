// Dynamics of a tree of joints with one degree of freedom each, and their exact derivatives.
//
// q̇ = v, so that nothing but sines and cosines is differentiated. Spatial vectors (turning part first) are
// taken in the world's axes about the root's place, which counts as a fixed point of the world. With the axis S_i
// of coordinate i, velocity and acceleration of its link are those of its parent p plus
//
//     v_i = v_p + S_i q̇_i        a_i = a_p + S_i q̈_i + v_i × S_i q̇_i        a_0 = −g
//     f_i = I_i a_i + v_i ×* I_i v_i          τ_i = S_i · (sum of f over the links that i carries)
//
// (recursive Newton–Euler). Derivatives follow Singh, Russell and Wensing 2022, "Efficient analytical derivatives
// of rigid-body dynamics using spatial vector algebra": with ψ̇_j = v_p × S_j, ψ̈_j = a_p × S_j + v_p × ψ̇_j,
// Ṡ_j = v_j × S_j and B = ½[(v×*) I − I (v×) + (I v)×̄*], sums over what a link carries marked by C, for j an
// ancestor of i (or i itself where both rows agree)
//
//     ∂τ_i/∂q_j = S_i·(2 B_i^C ψ̇_j + I_i^C ψ̈_j)        ∂τ_j/∂q_i = S_j·(2 B_i^C ψ̇_i + I_i^C ψ̈_i + S_i ×* f_i^C)
//     ∂τ_i/∂v_j = S_i·(2 B_i^C S_j + I_i^C(ψ̇_j + Ṡ_j))  ∂τ_j/∂v_i = S_j·(2 B_i^C S_i + I_i^C(ψ̇_i + Ṡ_i))
#pragma once
#include <algorithm>

#include "dynamics.hpp"

namespace amble {

// One row a coordinate; frames of links coincide with the world's axes where all coordinates are zero but for `turn`.
struct FlatTree {
  Ints parent;         // (n) coordinate that carries this one; −1: the world
  Ints slides;         // (n) 1 for a slide, 0 for a turn
  Rows place, turn;    // (n, 3), (n, 9) where a link is in its parent's frame when its coordinate is zero
  Rows anchor, axis;   // (n, 3) ×2 a point of the axis and its direction, in the link's frame
  Vector mass;         // (n) of a link
  Rows com, inertia;   // (n, 3), (n, 9) in the link's frame, the inertia about the centre of mass
  Vector armature;     // (n) rotor inertia, added to the diagonal of the mass matrix
  Vector gravity;      // (3)
  Ints point_link;     // (P) links that carry points
  Rows point_place;    // (P, 3) in the link's frame
};

class FlatDynamics {
 public:
  int n, points;

  explicit FlatDynamics(const FlatTree& t) : n(int(t.parent.shape(0))), points(int(t.point_link.shape(0))) {
    link_.resize(n);
    for (int i = 0; i < n; i++) {
      Link& k = link_[i];
      k.parent = t.parent.data()[i];
      k.slides = t.slides.data()[i] != 0;
      k.mass = t.mass.data()[i];
      k.armature = t.armature.data()[i];
      std::copy_n(t.place.data() + 3 * i, 3, k.place);
      std::copy_n(t.turn.data() + 9 * i, 9, k.turn);
      std::copy_n(t.anchor.data() + 3 * i, 3, k.anchor);
      std::copy_n(t.axis.data() + 3 * i, 3, k.axis);
      std::copy_n(t.com.data() + 3 * i, 3, k.com);
      std::copy_n(t.inertia.data() + 9 * i, 9, k.inertia);
    }
    std::copy_n(t.gravity.data(), 3, gravity_);
    point_link_.assign(t.point_link.data(), t.point_link.data() + points);
    point_place_.assign(t.point_place.data(), t.point_place.data() + 3 * points);
  }

  // Brings the body to pose q (n): frames, axes and inertias in the world.
  void place(const double* q) {
    for (int i = 0; i < n; i++) place_link(link_[i], q[i]);
    const int root = std::min(n, 6) - 1;
    std::copy_n(link_[root].p, 3, origin_);
    for (Link& k : link_) find_axis_and_inertia(k);
  }

  // Velocities v (n) and accelerations a (n; null: zero), with gravity or without, and the forces they take.
  void move(const double* v, const double* a, bool weight) {
    for (int i = 0; i < n; i++) {
      Link& k = link_[i];
      const Link* p = k.parent < 0 ? nullptr : &link_[k.parent];
      double from[6] = {0}, rate[6] = {0};
      if (p) {
        std::copy_n(p->v, 6, from);
        std::copy_n(p->a, 6, rate);
      } else if (weight) {
        for (int j = 0; j < 3; j++) rate[3 + j] = -gravity_[j];
      }
      cross_motion(from, k.S, k.psi);  // ψ̇
      cross_motion(rate, k.S, k.psi2);
      double twice[6];
      cross_motion(from, k.psi, twice);
      for (int j = 0; j < 6; j++) {
        k.psi2[j] += twice[j];  // ψ̈
        k.v[j] = from[j] + k.S[j] * v[i];
      }
      cross_motion(k.v, k.S, k.dS);
      for (int j = 0; j < 6; j++) k.a[j] = rate[j] + k.S[j] * (a ? a[i] : 0) + k.dS[j] * v[i];
      double momentum[6], turning[6];
      times(k.I, k.v, momentum);
      times(k.I, k.a, k.f);
      cross_force(k.v, momentum, turning);
      for (int j = 0; j < 6; j++) k.f[j] += turning[j];
      std::copy_n(momentum, 6, k.momentum);
    }
  }

  // τ (n) of the last `move`, armature included where a is given.
  void torques(const double* a, double* tau) {
    for (int i = n - 1; i >= 0; i--) {
      Link& k = link_[i];
      tau[i] = dot(k.S, k.f, 6) + (a ? k.armature * a[i] : 0);
      if (k.parent >= 0) axpy(1, k.f, link_[k.parent].f, 6);
    }
  }

  // M (n, n)
  void mass_matrix(double* M) {
    std::fill_n(M, n * n, 0.0);
    for (Link& k : link_) std::copy_n(k.I, 36, k.IC);
    for (int i = n - 1; i >= 0; i--) {
      Link& k = link_[i];
      double across[6];
      times(k.IC, k.S, across);
      for (int j = i; j >= 0; j = link_[j].parent) M[i * n + j] = M[j * n + i] = dot(link_[j].S, across, 6);
      M[i * n + i] += k.armature;
      if (k.parent >= 0) axpy(1, k.IC, link_[k.parent].IC, 36);
    }
  }

  // τ (n) and its derivatives (n, n) by q, v and a at the last `move` with weight. M is the one by a.
  void derivatives(const double* a, double* tau, double* dq, double* dv, double* M) {
    std::fill_n(dq, n * n, 0.0);
    std::fill_n(dv, n * n, 0.0);
    std::fill_n(M, n * n, 0.0);
    for (Link& k : link_) {
      std::copy_n(k.I, 36, k.IC);
      find_B(k);
    }
    for (int i = n - 1; i >= 0; i--) {
      Link& k = link_[i];
      tau[i] = dot(k.S, k.f, 6) + k.armature * a[i];
      double lifted[6], by_q[6], by_v[6], turned[6], across[6], row[6];
      times(k.IC, k.S, lifted);
      times(k.IC, k.psi2, by_q);
      times(k.B, k.psi, across);
      cross_force(k.S, k.f, turned);
      axpy(1, across, by_q, 6);
      axpy(1, turned, by_q, 6);
      for (int c = 0; c < 6; c++) across[c] = k.psi[c] + k.dS[c];
      times(k.IC, across, by_v);
      times(k.B, k.S, across);
      axpy(1, across, by_v, 6);
      for (int c = 0; c < 6; c++) {
        row[c] = 0;
        for (int r = 0; r < 6; r++) row[c] += k.B[6 * r + c] * k.S[r];
      }
      for (int j = i; j >= 0; j = link_[j].parent) {
        const Link& u = link_[j];
        M[i * n + j] = M[j * n + i] = dot(u.S, lifted, 6);
        dq[j * n + i] = dot(u.S, by_q, 6);
        dv[j * n + i] = dot(u.S, by_v, 6);
        if (j == i) continue;
        dq[i * n + j] = dot(row, u.psi, 6) + dot(lifted, u.psi2, 6);
        dv[i * n + j] = dot(row, u.S, 6) + dot(lifted, u.psi, 6) + dot(lifted, u.dS, 6);
      }
      M[i * n + i] += k.armature;
      if (k.parent < 0) continue;
      Link& up = link_[k.parent];
      axpy(1, k.IC, up.IC, 36);
      axpy(1, k.B, up.B, 36);
      axpy(1, k.f, up.f, 6);
    }
  }

  // Frame of a link: place (3) and turn (9) in the world.
  const double* position(int link) const { return link_[link].p; }
  const double* rotation(int link) const { return link_[link].R; }

  // Place (3) of a point in the world.
  void point(int index, double* out) const {
    const Link& k = link_[point_link_[index]];
    for (int i = 0; i < 3; i++) out[i] = k.p[i] + dot(k.R + 3 * i, point_place_.data() + 3 * index, 3);
  }

  // Columns of ∂point/∂q into rows (3, n).
  void point_jacobian(int index, double* rows) const {
    std::fill_n(rows, 3 * n, 0.0);
    double r[3];
    arm(index, r);
    for (int j = point_link_[index]; j >= 0; j = link_[j].parent) {
      double column[3];
      velocity_at(link_[j].S, r, column);
      for (int i = 0; i < 3; i++) rows[i * n + j] = column[i];
    }
  }

  // ω of a link for each q̇: rows (3, n).
  void turn_jacobian(int link, double* rows) const {
    std::fill_n(rows, 3 * n, 0.0);
    for (int j = link; j >= 0; j = link_[j].parent)
      for (int i = 0; i < 3; i++) rows[i * n + j] = link_[j].S[i];
  }

  // J̇ v of a point (3): its acceleration with q̈ = 0, after `move(v, null, false)`.
  void point_drift(int index, double* out) const {
    const Link& k = link_[point_link_[index]];
    double r[3], speed[3], turning[3];
    arm(index, r);
    velocity_at(k.v, r, speed);
    velocity_at(k.a, r, out);
    cross(k.v, speed, turning);
    axpy(1, turning, out, 3);
  }

  // sum (n, n) += scale · ∂²(force · point)/∂q², the derivative of Jᵀ force.
  void add_point_hessian(int index, const double* force, double scale, double* sum) const {
    double r[3];
    arm(index, r);
    for (int i = point_link_[index]; i >= 0; i = link_[i].parent) {
      double column[3];
      velocity_at(link_[i].S, r, column);
      // An axis j that carries i turns its column: ∂J_i/∂q_j = ω_j × J_i.
      for (int j = i; j >= 0; j = link_[j].parent) {
        double turned[3];
        cross(link_[j].S, column, turned);
        const double value = scale * dot(force, turned, 3);
        sum[i * n + j] += value;
        if (j != i) sum[j * n + i] += value;
      }
    }
  }

 private:
  struct Link {
    int parent;
    bool slides;
    double mass, armature;
    double place[3], turn[9], anchor[3], axis[3], com[3], inertia[9];
    double p[3], R[9];                              // frame in the world
    double S[6], v[6], a[6], f[6], momentum[6];     // f becomes that of all it carries
    double psi[6], psi2[6], dS[6];                  // ψ̇, ψ̈, Ṡ
    double I[36], IC[36], B[36];                    // B holds 2B of the text above
  };
  std::vector<Link> link_;
  std::vector<int> point_link_;
  std::vector<double> point_place_;
  double gravity_[3], origin_[3] = {0, 0, 0};

  static void times(const double* A, const double* x, double* y) {
    for (int i = 0; i < 6; i++) y[i] = dot(A + 6 * i, x, 6);
  }
  static void cross_motion(const double* v, const double* m, double* out) {
    double part[3];
    cross(v, m, out);
    cross(v, m + 3, out + 3);
    cross(v + 3, m, part);
    axpy(1, part, out + 3, 3);
  }
  static void cross_force(const double* v, const double* f, double* out) {
    double part[3];
    cross(v, f, out);
    cross(v + 3, f + 3, part);
    axpy(1, part, out, 3);
    cross(v, f + 3, out + 3);
  }
  static void velocity_at(const double* motion, const double* r, double* out) {
    cross(motion, r, out);
    axpy(1, motion + 3, out, 3);
  }
  // A[row.., col..] (3 × 3 block of 6 × 6) += s [x]×
  static void add_skew(double s, const double* x, double* block) {
    block[1] -= s * x[2];
    block[2] += s * x[1];
    block[6] += s * x[2];
    block[8] -= s * x[0];
    block[12] -= s * x[1];
    block[13] += s * x[0];
  }

  void arm(int index, double* r) const {
    point(index, r);
    for (int i = 0; i < 3; i++) r[i] -= origin_[i];
  }

  void place_link(Link& k, double q) {
    double R0[9], p0[3];
    if (k.parent < 0) {
      std::copy_n(k.turn, 9, R0);
      std::copy_n(k.place, 3, p0);
    } else {
      const Link& up = link_[k.parent];
      for (int i = 0; i < 3; i++) {
        p0[i] = up.p[i] + dot(up.R + 3 * i, k.place, 3);
        for (int j = 0; j < 3; j++) {
          R0[3 * i + j] = 0;
          for (int c = 0; c < 3; c++) R0[3 * i + j] += up.R[3 * i + c] * k.turn[3 * c + j];
        }
      }
    }
    if (k.slides) {
      std::copy_n(R0, 9, k.R);
      for (int i = 0; i < 3; i++) k.p[i] = p0[i] + q * dot(R0 + 3 * i, k.axis, 3);
      return;
    }
    const double s = std::sin(q), c = std::cos(q), *e = k.axis;
    double own[9];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) own[3 * i + j] = (1 - c) * e[i] * e[j] + (i == j ? c : 0);
    own[1] -= s * e[2];
    own[2] += s * e[1];
    own[3] += s * e[2];
    own[5] -= s * e[0];
    own[6] -= s * e[1];
    own[7] += s * e[0];
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        k.R[3 * i + j] = 0;
        for (int m = 0; m < 3; m++) k.R[3 * i + j] += R0[3 * i + m] * own[3 * m + j];
      }
      k.p[i] = p0[i] + dot(R0 + 3 * i, k.anchor, 3) - dot(k.R + 3 * i, k.anchor, 3);
    }
  }

  void find_axis_and_inertia(Link& k) {
    double along[3], at[3], c[3];
    for (int i = 0; i < 3; i++) {
      along[i] = dot(k.R + 3 * i, k.axis, 3);
      at[i] = k.p[i] + dot(k.R + 3 * i, k.anchor, 3) - origin_[i];
      c[i] = k.p[i] + dot(k.R + 3 * i, k.com, 3) - origin_[i];
    }
    if (k.slides) {
      std::fill_n(k.S, 3, 0.0);
      std::copy_n(along, 3, k.S + 3);
    } else {
      std::copy_n(along, 3, k.S);
      cross(at, along, k.S + 3);
    }
    std::fill_n(k.I, 36, 0.0);
    if (k.mass <= 0) return;
    double half[9];  // R I_c
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        half[3 * i + j] = 0;
        for (int m = 0; m < 3; m++) half[3 * i + j] += k.R[3 * i + m] * k.inertia[3 * m + j];
      }
    const double square = dot(c, c, 3);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++)
        k.I[6 * i + j] = dot(half + 3 * i, k.R + 3 * j, 3) + k.mass * ((i == j ? square : 0) - c[i] * c[j]);
      k.I[6 * (3 + i) + 3 + i] = k.mass;
    }
    add_skew(k.mass, c, k.I + 3);
    add_skew(-k.mass, c, k.I + 18);
  }

  // 2B = (v×*) I − I (v×) + (I v)×̄*
  static void find_B(Link& k) {
    for (int c = 0; c < 6; c++) {
      double column[6], out[6], e[6] = {0}, moved[6], back[6];
      for (int r = 0; r < 6; r++) column[r] = k.I[6 * r + c];
      cross_force(k.v, column, out);
      e[c] = 1;
      cross_motion(k.v, e, moved);
      times(k.I, moved, back);
      for (int r = 0; r < 6; r++) k.B[6 * r + c] = out[r] - back[r];
    }
    add_skew(-1, k.momentum, k.B);
    add_skew(-1, k.momentum + 3, k.B + 3);
    add_skew(-1, k.momentum + 3, k.B + 18);
  }
};

}  // namespace amble
