// One segment of a plan: residuals of the equation of motion with exact derivatives (`plan/segment.py`).
//
// All is bilinear in positions, velocities and forces but the angular momentum at the start, the middle and the end.
// The moment received over a share of the segment is, with c a cubic and forces linear in time,
//   T = h (φ M₀ + γ M₁ − (K cᵠ) × F₀ − (K cᵞ) × F₁),   K = [c₀, h ċ₀, c₁, h ċ₁].
#pragma once
#include <vector>

#include "linear.hpp"
#include "plan_turning.hpp"

namespace amble {

constexpr int kEdges = 4, kState = 12, kResiduals = 12;

// The body in its own units.
struct PlanBody {
  int limbs = 0;
  std::vector<int> limb_of;    // of each effector
  std::vector<double> along;   // of each effector, along its foot
  double inertia[9], largest;  // largest: of the diagonal, by which residuals of angular momentum are divided
  double edges[3 * kEdges];    // of a friction cone, row-major

  int effectors() const { return int(limb_of.size()); }
  int node() const { return kState + kEdges * effectors(); }
};

// ∫ over a share of the segment: of 1 − u and u, and of each times the four Hermite polynomials.
struct Share {
  double weight[2], key[2][4];  // fading, growing

  explicit Share(double share) {
    static constexpr double hermite[4][4] = {{1, 0, -3, 2}, {0, 1, -2, 1}, {0, 0, 3, -2}, {0, 0, -1, 1}};
    double power[5], x = share;  // ∫ uᵐ
    for (int m = 0; m < 5; m++, x *= share) power[m] = x / (m + 1);
    weight[0] = power[0] - power[1];
    weight[1] = power[1];
    for (int j = 0; j < 4; j++) {
      key[0][j] = key[1][j] = 0;
      for (int m = 0; m < 4; m++) {
        key[0][j] += hermite[j][m] * (power[m] - power[m + 1]);
        key[1][j] += hermite[j][m] * power[m + 1];
      }
    }
  }
};

// Where the unknowns of a segment stand in a symmetric matrix of which the upper triangle counts: the second node
// stands before the first, and the places (x, y) of the feet behind both. Those that are fixed all share one place,
// whose row and column are of no meaning.
struct Places {
  const int *node[2], *foot;
};

class PlanSegment {
 public:
  std::vector<double> jacobian;  // (12, 2 nodes, then 2 a limb) row-major
  double residual[kResiduals];
  int width = 0;

  // The given values of segment k of N, each a row-major matrix of N columns (`Problem.parameter_shapes`).
  void give(const PlanBody& body, int k, int N, const double* h, const double* frame, const double* plane) {
    body_ = &body;
    h_ = h[k];
    width = 2 * body.node() + 2 * body.limbs;
    plane_.resize(3 * body.limbs);
    for (int i = 0; i < 3 * body.limbs; i++) plane_[i] = plane[i * N + k];
    G_.resize(12 * body.effectors());
    arm_.resize(3 * body.effectors());
    touches_.resize(body.effectors());
    for (int e = 0; e < body.effectors(); e++) {
      const double* R = frame + 9 * body.limb_of[e] * N + k;  // entry (a, b) at 3 b + a: by columns
      touches_[e] = 0;
      for (int a = 0; a < 3; a++) {
        arm_[3 * e + a] = body.along[e] * R[a * N];
        for (int j = 0; j < kEdges; j++) {
          double sum = 0;
          for (int b = 0; b < 3; b++) sum += R[(3 * b + a) * N] * body.edges[kEdges * b + j];
          G_[12 * e + kEdges * a + j] = sum;
          if (sum != 0) touches_[e] = 1;
        }
      }
    }
    limb_force_.resize(6 * body.limbs);
  }

  // Residuals only. z0, z1: nodes; foot (2 limbs): the places of the feet that stand.
  void evaluate(const double* z0, const double* z1, const double* foot, double* out) {
    double start[3], middle[3], end[3], y[3], rate[3];
    load(z0, z1, foot);
    between(z0, z1, y, rate);
    Turning::value(body_->inertia, z0 + 3, z0 + 9, start);
    Turning::value(body_->inertia, y, rate, middle);
    Turning::value(body_->inertia, z1 + 3, z1 + 9, end);
    residuals(z0, z1, start, middle, end, out);
  }

  // Residuals and Jacobian, and all that `add_hessian` needs.
  void differentiate(const double* z0, const double* z1, const double* foot) {
    double y[3], rate[3];
    load(z0, z1, foot);
    between(z0, z1, y, rate);
    turning_[0].differentiate(body_->inertia, z0 + 3, z0 + 9);
    turning_[1].differentiate(body_->inertia, y, rate);
    turning_[2].differentiate(body_->inertia, z1 + 3, z1 + 9);
    residuals(z0, z1, turning_[0].momentum, turning_[1].momentum, turning_[2].momentum, residual);

    const int n = body_->node();
    jacobian.assign(size_t(kResiduals) * width, 0.0);
    for (int i = 0; i < 3; i++) {
      double *position = row(i), *velocity = row(3 + i);
      position[i] = -1;
      position[6 + i] = -h_;
      position[n + i] = 1;
      velocity[6 + i] = -1;
      velocity[n + 6 + i] = 1;
      for (int e = 0; e < body_->effectors(); e++) {
        const double* g = &G_[12 * e + kEdges * i];
        double *p0 = position + kState + kEdges * e, *v0 = velocity + kState + kEdges * e;
        for (int j = 0; j < kEdges; j++) {
          p0[j] = -h_ * h_ / 3 * g[j];
          p0[n + j] = -h_ * h_ / 6 * g[j];
          v0[j] = v0[n + j] = -h_ / 2 * g[j];
        }
      }
    }
    turn_rows();
    moment_rows(share(0), 6, foot);
    moment_rows(share(1), 9, foot);
  }

  // Adds the upper triangle of the Hessian of multiplier · residual to F.
  void add_hessian(const double* multiplier, Matrix& F, const Places& at) const {
    double half[3], whole[3], start[3], H[6][6];
    for (int i = 0; i < 3; i++) {
      half[i] = multiplier[6 + i] / body_->largest;
      whole[i] = multiplier[9 + i] / body_->largest;
      start[i] = -half[i] - whole[i];
    }
    turning_[0].hessian(start, H);
    add_turn(H, F, at.node[0]);
    turning_[2].hessian(whole, H);
    add_turn(H, F, at.node[1]);
    turning_[1].hessian(half, H);
    add_middle(H, F, at);
    for (int q = 0; q < 2; q++) add_moments(q, half, whole, F, at);
  }

 private:
  static const Share& share(int which) {
    static const Share shares[2] = {Share(0.5), Share(1.0)};
    return shares[which];
  }
  double* row(int r) { return jacobian.data() + size_t(r) * width; }

  // Yaw, pitch, roll and their rates in the middle of the segment.
  void between(const double* z0, const double* z1, double* y, double* rate) const {
    for (int i = 0; i < 3; i++) {
      y[i] = (z0[3 + i] + z1[3 + i]) / 2 + h_ / 8 * (z0[9 + i] - z1[9 + i]);
      rate[i] = 1.5 * (z1[3 + i] - z0[3 + i]) / h_ - (z0[9 + i] + z1[9 + i]) / 4;
    }
  }

  void place(int limb, const double* foot, double* P) const {
    P[0] = foot[2 * limb];
    P[1] = foot[2 * limb + 1];
    P[2] = plane_[3 * limb] + plane_[3 * limb + 1] * P[0] + plane_[3 * limb + 2] * P[1];
  }

  // Total force and its moment about the origin, and the force of each limb, at both nodes.
  void load(const double* z0, const double* z1, const double* foot) {
    const double* z[2] = {z0, z1};
    std::fill(limb_force_.begin(), limb_force_.end(), 0.0);
    for (int q = 0; q < 2; q++) {
      for (int a = 0; a < 3; a++) F_[q][a] = M_[q][a] = 0;
      for (int e = 0; e < body_->effectors(); e++) {
        if (!touches_[e]) continue;
        const int limb = body_->limb_of[e];
        double f[3], P[3], moment[3];
        place(limb, foot, P);
        for (int a = 0; a < 3; a++) {
          f[a] = dot(&G_[12 * e + kEdges * a], z[q] + kState + kEdges * e, kEdges);
          P[a] += arm_[3 * e + a];
          F_[q][a] += f[a];
          limb_force_[6 * limb + 3 * q + a] += f[a];
        }
        cross(P, f, moment);
        for (int a = 0; a < 3; a++) M_[q][a] += moment[a];
      }
    }
    for (int a = 0; a < 3; a++) {
      keys_[0][a] = z0[a];
      keys_[1][a] = h_ * z0[6 + a];
      keys_[2][a] = z1[a];
      keys_[3][a] = h_ * z1[6 + a];
    }
  }

  // K c of the fading (0) or growing (1) force.
  void arm_of_force(const Share& s, int q, double* out) const {
    for (int a = 0; a < 3; a++) {
      out[a] = 0;
      for (int j = 0; j < 4; j++) out[a] += s.key[q][j] * keys_[j][a];
    }
  }

  void residuals(const double* z0, const double* z1, const double* start, const double* middle, const double* end,
                 double* out) const {
    for (int i = 0; i < 3; i++) {
      const double up = i == 2, a0 = F_[0][i] - up, a1 = F_[1][i] - up;
      out[i] = z1[i] - z0[i] - h_ * z0[6 + i] - h_ * h_ / 6 * (2 * a0 + a1);
      out[3 + i] = z1[6 + i] - z0[6 + i] - h_ / 2 * (a0 + a1);
    }
    for (int s = 0; s < 2; s++) {
      const double* reached = s == 0 ? middle : end;
      double arm[3], moment[2][3];
      for (int q = 0; q < 2; q++) {
        arm_of_force(share(s), q, arm);
        cross(arm, F_[q], moment[q]);
      }
      for (int a = 0; a < 3; a++) {
        const double received = h_ * (share(s).weight[0] * M_[0][a] + share(s).weight[1] * M_[1][a] - moment[0][a] - moment[1][a]);
        out[6 + 3 * s + a] = (reached[a] - start[a] - received) / body_->largest;
      }
    }
  }

  // How y and ẏ in the middle depend on (y₀, ẏ₀, y₁, ẏ₁), the same for each axis.
  void middle_weights(double T[2][4]) const {
    const double by_y[4] = {0.5, h_ / 8, 0.5, -h_ / 8}, by_rate[4] = {-1.5 / h_, -0.25, 1.5 / h_, -0.25};
    for (int j = 0; j < 4; j++) T[0][j] = by_y[j], T[1][j] = by_rate[j];
  }

  void turn_rows() {
    const int n = body_->node(), first[4] = {3, 9, n + 3, n + 9};
    double T[2][4];
    middle_weights(T);
    for (int i = 0; i < 3; i++) {
      double *half = row(6 + i), *whole = row(9 + i);
      for (int j = 0; j < 3; j++) {
        for (int t = 0; t < 2; t++) {
          const double by_start = turning_[0].jacobian[i][3 * t + j] / body_->largest;
          half[first[t] + j] -= by_start;
          whole[first[t] + j] -= by_start;
          whole[first[2 + t] + j] += turning_[2].jacobian[i][3 * t + j] / body_->largest;
          for (int s = 0; s < 4; s++) half[first[s] + j] += T[t][s] * turning_[1].jacobian[i][3 * t + j] / body_->largest;
        }
      }
    }
  }

  // Derivatives of −T / largest.
  void moment_rows(const Share& s, int first_row, const double* foot) {
    const int n = body_->node(), key_column[4] = {0, 6, n, n + 6};
    const double unit = h_ / body_->largest;
    for (int j = 0; j < 4; j++) {
      double F[3];  // −(δ × F) = F × δ
      const double by = -unit * (j % 2 ? h_ : 1.0);
      for (int a = 0; a < 3; a++) F[a] = by * (s.key[0][j] * F_[0][a] + s.key[1][j] * F_[1][a]);
      const int c = key_column[j];
      row(first_row)[c + 1] = -F[2];
      row(first_row)[c + 2] = F[1];
      row(first_row + 1)[c] = F[2];
      row(first_row + 1)[c + 2] = -F[0];
      row(first_row + 2)[c] = -F[1];
      row(first_row + 2)[c + 1] = F[0];
    }
    for (int q = 0; q < 2; q++) {
      double arm[3];
      arm_of_force(s, q, arm);
      for (int e = 0; e < body_->effectors(); e++) {
        if (!touches_[e]) continue;
        double P[3];
        place(body_->limb_of[e], foot, P);
        for (int a = 0; a < 3; a++) P[a] = -unit * (s.weight[q] * (P[a] + arm_[3 * e + a]) - arm[a]);
        const double* g = &G_[12 * e];
        for (int a = 0; a < 3; a++) {
          const int b = (a + 1) % 3, c = (a + 2) % 3;
          double* out = row(first_row + a) + q * n + kState + kEdges * e;
          for (int j = 0; j < kEdges; j++) out[j] = P[b] * g[kEdges * c + j] - P[c] * g[kEdges * b + j];
        }
      }
    }
    for (int limb = 0; limb < body_->limbs; limb++) {
      double f[3], moment[3];
      for (int a = 0; a < 3; a++)
        f[a] = s.weight[0] * limb_force_[6 * limb + a] + s.weight[1] * limb_force_[6 * limb + 3 + a];
      for (int axis = 0; axis < 2; axis++) {
        const double t[3] = {double(axis == 0), double(axis == 1), plane_[3 * limb + 1 + axis]};
        cross(t, f, moment);
        for (int a = 0; a < 3; a++) row(first_row + a)[2 * n + 2 * limb + axis] = -unit * moment[a];
      }
    }
  }

  static void add_turn(const double H[6][6], Matrix& F, const int* at) {
    static constexpr int local[6] = {3, 4, 5, 9, 10, 11};
    for (int i = 0; i < 6; i++)
      for (int j = i; j < (i < 3 ? 6 : 3); j++) F[at[local[i]]][at[local[j]]] += H[i][j];
  }

  void add_middle(const double H[6][6], Matrix& F, const Places& at) const {
    const int* first[4] = {at.node[0] + 3, at.node[0] + 9, at.node[1] + 3, at.node[1] + 9};
    static constexpr int order[4] = {2, 3, 0, 1};
    double T[2][4];
    middle_weights(T);
    for (int s : order)
      for (int t : order) {
        if (s < 2 ? t < s || t > 1 : t > 1 && t < s) continue;  // below the diagonal
        for (int i = 0; i < 3; i++)
          for (int j = s == t ? i : 0; j < 3; j++)
            F[first[s][i]][first[t][j]] += T[0][s] * T[0][t] * H[i][j] + T[0][s] * T[1][t] * H[i][3 + j] +
                                           T[1][s] * T[0][t] * H[3 + i][j];
      }
  }

  // Forces of node q against positions, velocities and places of feet.
  void add_moments(int q, const double* half, const double* whole, Matrix& F, const Places& at) const {
    double kappa[4][3], phi[3];
    for (int a = 0; a < 3; a++) {
      phi[a] = h_ * (share(0).weight[q] * half[a] + share(1).weight[q] * whole[a]);
      for (int j = 0; j < 4; j++)
        kappa[j][a] = h_ * (j % 2 ? h_ : 1.0) * (share(0).key[q][j] * half[a] + share(1).key[q][j] * whole[a]);
    }
    for (int e = 0; e < body_->effectors(); e++) {
      if (!touches_[e]) continue;
      const int* lambda = at.node[q] + kState + kEdges * e;
      const double* g = &G_[12 * e];
      for (int j = 0; j < 4; j++) {
        const int* key = at.node[j / 2] + 6 * (j % 2);
        const bool forces_first = q > j / 2;
        for (int a = 0; a < 3; a++) {
          const int b = (a + 1) % 3, c = (a + 2) % 3;
          for (int i = 0; i < kEdges; i++) {
            const double entry = g[kEdges * b + i] * kappa[j][c] - g[kEdges * c + i] * kappa[j][b];
            if (forces_first) F[lambda[i]][key[a]] += entry;
            else F[key[a]][lambda[i]] += entry;
          }
        }
      }
      const int limb = body_->limb_of[e];
      for (int axis = 0; axis < 2; axis++) {
        const double t[3] = {double(axis == 0), double(axis == 1), plane_[3 * limb + 1 + axis]};
        double v[3];
        cross(phi, t, v);
        for (int i = 0; i < kEdges; i++)
          F[lambda[i]][at.foot[2 * limb + axis]] -= g[i] * v[0] + g[kEdges + i] * v[1] + g[2 * kEdges + i] * v[2];
      }
    }
  }

  const PlanBody* body_ = nullptr;
  double h_ = 0, F_[2][3], M_[2][3], keys_[4][3];
  std::vector<double> G_, arm_, plane_, limb_force_;
  std::vector<char> touches_;  // whether an effector's limb stands during the segment
  Turning turning_[3];         // at the start, in the middle, at the end
};

}  // namespace amble
