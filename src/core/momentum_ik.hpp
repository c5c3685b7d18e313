// Momentum-mapped inverse kinematics (centroidal eq. 23): Gauss–Newton with all terms in one problem,
//
//   Σ_k i_k ‖y_k(x) − ȳ_k‖² + w_g ‖I_F⁻¹ J_M (x ⊖ x̄)‖² + w_m ‖I_F⁻¹ J_M ẋ − Θ̇‖²
//   + w_p max(0, v_p − N_pᵀ J_p ẋ)² + w_v ‖ẋ − x̄̇‖² + w_r ‖x ⊖ x̄‖²,   ẋ = (x ⊖ x_prev)/dt,
//
// linearised at the current iterate as rows J δ = r and solved within the joint limits.
#pragma once
#include <limits>
#include <stdexcept>

#include "box.hpp"
#include "kinematics.hpp"
#include "pose_problem.hpp"

namespace amble {

class MomentumIk {
 public:
  Kinematics kinematics;
  const int legs;

  MomentumIk(const BodyTree& tree, PoseProblem problem)
      : kinematics(tree), legs(int(problem.foot.shape(0))), p_(std::move(problem)), balls_(kinematics.balls()) {
    const int nv = kinematics.nv;
    rest_.assign(tree.qpos0.data(), tree.qpos0.data() + kinematics.nq);
    for (int leg = 0, row = 0, point = 0; leg < legs; leg++) {
      first_row_.push_back(row);
      first_point_.push_back(point);
      row += p_.turns.data()[leg] ? 6 : 3 * p_.points.data()[leg];
      point += p_.points.data()[leg];
      com_row_ = row;
    }
    first_row_.push_back(com_row_);
    turn_row_ = com_row_ + 3;
    push_row_ = turn_row_ + 3;
    reach_row_ = push_row_ + 1;
    tie_row_ = reach_row_ + legs;
    ties_ = p_.tied.is_valid() ? int(p_.tied.shape(0)) / 2 : 0;
    rows_.resize(tie_row_ + 3 * ties_, nv);
    rows_.zero();
    H_.resize(nv, nv);
    damped_.resize(nv, nv);
    point_.resize(3, nv);
    target_.resize(first_point_.back() + p_.points.data()[legs - 1], 6);
    desired_R_.resize(legs, 9);
    ankle_.resize(legs, 3);
    residual_.assign(rows_.rows, 0.0);
    weight_.assign(rows_.rows, 0.0);
    for (auto* v : {&off_, &moved_, &reference_step_, &pull_, &velocity_weight_, &diagonal_, &g_, &step_, &angles_, &row_})
      v->assign(nv, 0.0);
    low_.assign(nv, -kLargestStep);
    high_.assign(nv, kLargestStep);
    carries_.assign(nv, 0.0);
    std::fill_n(carries_.begin(), 3, 1.0);
    for (size_t i = 0; i < p_.leg_dofs.shape(0); i++) carries_[p_.leg_dofs.data()[i]] = 1;
    best_.resize(kinematics.nq);
    within_.resize(kinematics.nq);
  }

  // qpos (nq) is where the search starts and becomes the pose. A step smaller than `tolerance` [rad] is the
  // last.
  void solve(const PoseGoal& goal, int iterations, double tolerance, double* qpos) {
    const int nv = kinematics.nv, nq = kinematics.nq;
    const bool moves = goal.previous != nullptr;
    clamp(qpos);
    // Velocities count by the time they last: a sum over frames is then an integral.
    const double rate = moves ? kRate / goal.dt : 0, w_m = p_.momentum * rate;
    if (moves) kinematics.differentiate(goal.previous_reference, goal.reference, 1, reference_step_.data());
    for (int i = 0; i < nv; i++) {
      velocity_weight_[i] = p_.velocity.data()[i] * rate;
      diagonal_[i] = p_.pose.data()[i] + velocity_weight_[i] + p_.damping.data()[i];
    }
    set_feet(goal.feet);
    std::fill_n(weight_.begin() + com_row_, 3, p_.com);
    std::fill_n(weight_.begin() + turn_row_, 3, p_.configuration + w_m);
    weight_[push_row_] = 0;
    std::fill_n(weight_.begin() + tie_row_, 3 * ties_, p_.loop);
    double best_cost = std::numeric_limits<double>::infinity(), damping = 0;
    for (int iteration = 0; iteration < iterations; iteration++) {
      kinematics.place(qpos);
      if (iteration == 0) invert_inertia();  // once a frame: it hardly changes from iterate to iterate
      double cost = pull(goal, qpos);
      linearise(goal, w_m);
      for (int i = 0; i < rows_.rows; i++) cost += weight_[i] * residual_[i] * residual_[i];
      if (cost < kBlown * best_cost) {
        std::copy(qpos, qpos + nq, best_.begin());
        best_cost = cost;
        damping *= kEased;
        normal_equations();
        limit_step(qpos);
      } else if (iteration == 0) {
        throw std::runtime_error("pose: what is asked for, or the pose to start from, is not finite");
      } else {  // Levenberg–Marquardt: the step was too bold
        damping = std::max(kDamped * damping, kDamping);
      }
      if (damping > 0) {
        for (int i = 0; i < nv; i++) {
          std::copy(H_[i], H_[i] + i + 1, damped_[i]);
          damped_[i][i] *= 1 + damping;
        }
        box_.solve(damped_, g_.data(), low_.data(), high_.data(), step_.data());
      } else {
        box_.solve(H_, g_.data(), low_.data(), high_.data(), step_.data());
      }
      std::copy(best_.begin(), best_.end(), qpos);
      kinematics.integrate(qpos, step_.data(), 1);
      double largest = 0;
      for (double s : step_) largest = std::max(largest, std::abs(s));
      if (damping < kDamping && largest < tolerance) break;
    }
    clamp(qpos);
  }

  // Largest distance of a standing foot from its place [m], of the pose last placed and of the feet last
  // solved for.
  double foot_error() const {
    double largest = 0;
    for (int leg = 0; leg < legs; leg++) {
      if (!standing_[leg]) continue;
      double at[3], square = 0;
      const double* target = target_[first_point_[leg]];
      kinematics.point(p_.foot.data()[leg], target + 3, at);
      for (int k = 0; k < 3; k++) square += (at[k] - target[k]) * (at[k] - target[k]);
      largest = std::max(largest, std::sqrt(square));
    }
    return largest;
  }

  // Centre of mass (3) and hips (legs, 3) of a pose [m].
  void place(const double* qpos, double* com, double* hips) {
    kinematics.place(qpos);
    std::copy_n(kinematics.com, 3, com);
    for (int leg = 0; leg < legs; leg++)
      std::copy_n(kinematics.position(p_.hip.data()[leg]), 3, hips + 3 * leg);
  }

  // About the centre of mass (3) [N m s].
  void angular_momentum(const double* velocity, double* out) {
    kinematics.momentum_matrix(point_[0], point_.stride);
    for (int k = 0; k < 3; k++) out[k] = dot(point_[k], velocity, kinematics.nv);
  }

 private:
  static constexpr double kRate = 60;          // [1/s] at which the weights of velocities hold
  static constexpr double kLargestStep = 0.5;  // [rad]
  static constexpr double kStretched = 1.008;  // of a leg's longest reach: beyond, hips are drawn to their feet
  static constexpr double kBlown = 4;          // a cost grown to more than this was a step too bold
  static constexpr double kDamping = 1e-3, kDamped = 10, kEased = 0.2;  // of steps that made it worse; more; less
  static constexpr double kEdgeInAir = 0.05;   // share of its weight that the toe of an edge has in the air
  static constexpr double kReachInAir = 0.1;   // of the weight of a leg that is too long

  // Brings every joint of a pose within its limits.
  void clamp(double* qpos) {
    kinematics.differentiate(rest_.data(), qpos, 1, angles_.data());
    const double *low = p_.low.data(), *high = p_.high.data();
    bool inside = true;
    std::fill_n(angles_.begin(), 6, 0.0);
    for (int i = 6; i < kinematics.nv; i++) {
      const double angle = angles_[i];
      inside = inside && angle >= low[i - 6] && angle <= high[i - 6];
      angles_[i] = std::min(std::max(angle, low[i - 6]), high[i - 6]);
    }
    if (inside) return;
    within_ = rest_;
    kinematics.integrate(within_.data(), angles_.data(), 1);
    for (int q : balls_)  // a quaternion and its negative mean the same: keep the sign that the pose had
      if (dot(within_.data() + q, qpos + q, 4) < 0)
        for (int i = 0; i < 4; i++) within_[q + i] = -within_[q + i];
    std::copy(within_.begin() + 7, within_.end(), qpos + 7);
  }

  // Where the feet's points should be, how its body should be turned, and what its rows weigh. A sole is
  // held at its pivot, and by its ankle in the air: where the ankle's joints cannot follow, the heel lifts,
  // or the foot hangs, and the rest of the body is not bent for it.
  void set_feet(const double* feet) {
    sole_R_.assign(size_t(legs) * 9, 0.0);
    standing_.assign(legs, 0);
    on_toe_.assign(legs, 0);
    for (int leg = 0; leg < legs; leg++) {
      const double *foot = feet + leg * kFootColumns, *at = foot + fPosition, *R = foot + fRotation;
      const double load = foot[fLoad], height = p_.ankle_height.data()[leg];
      const double* rest = p_.rest_R.data() + 9 * leg;
      std::copy_n(R, 9, sole_R_.begin() + 9 * leg);
      standing_[leg] = foot[fStanding] != 0;
      on_toe_[leg] = foot[fPivot] > 0;
      double* weight = weight_.data() + first_row_[leg];
      const bool turns = p_.turns.data()[leg];
      for (int i = 0; i < p_.points.data()[leg]; i++) {
        const int point = first_point_[leg] + i;
        const double x = turns ? load * foot[fPivot] : p_.along.data()[point];
        const double z = turns ? (1 - load) * height : 0;
        double* target = target_[point];
        for (int k = 0; k < 3; k++) {
          target[k] = at[k] + x * R[3 * k] + z * R[3 * k + 2];
          target[3 + k] = p_.points_b.data()[3 * point + k];
          if (turns) target[3 + k] += x * rest[k] + z * rest[6 + k];
          weight[3 * i + k] = p_.swing + load * (p_.stance - p_.swing);
          if (i > 0) weight[3 * i + k] *= kEdgeInAir + load * (1 - kEdgeInAir);
        }
      }
      for (int k = 0; k < 3; k++) {
        ankle_[leg][k] = at[k] + height * R[3 * k + 2];
        if (turns) weight[3 + k] = p_.swing_turn + load * (p_.stance_turn - p_.swing_turn);
        for (int c = 0; c < 3; c++)
          desired_R_[leg][3 * k + c] = R[3 * k] * rest[c] + R[3 * k + 1] * rest[3 + c] + R[3 * k + 2] * rest[6 + c];
      }
    }
  }

  // Terms of the single degrees of freedom: their pull (nv) and their cost.
  double pull(const PoseGoal& goal, const double* qpos) {
    double cost = 0;
    kinematics.differentiate(qpos, goal.reference, 1, off_.data());  // x̄ ⊖ x
    for (int i = 0; i < kinematics.nv; i++) {
      pull_[i] = p_.pose.data()[i] * off_[i];
      cost += pull_[i] * off_[i];
    }
    if (!goal.previous) return cost;
    kinematics.differentiate(goal.previous, qpos, 1, moved_.data());  // x ⊖ x_prev
    for (int i = 0; i < kinematics.nv; i++) {
      const double slower = reference_step_[i] - moved_[i];
      pull_[i] += velocity_weight_[i] * slower;
      cost += velocity_weight_[i] * slower * slower;
    }
    return cost;
  }

  void linearise(const PoseGoal& goal, double w_m) {
    for (int leg = 0; leg < legs; leg++) {
      fill_foot(leg);
      fill_reach(leg);
    }
    for (int tie = 0; tie < ties_; tie++) fill_tie(tie);
    kinematics.com_jacobian(rows_[com_row_], rows_.stride);
    for (int k = 0; k < 3; k++) {
      // Root and legs carry the centre of mass: a spine that bends for it is no solution.
      for (int i = 0; i < kinematics.nv; i++) rows_[com_row_ + k][i] *= carries_[i];
      residual_[com_row_ + k] = goal.com[k] - kinematics.com[k];
    }
    fill_momentum(goal, w_m);
    if (goal.push_body >= 0 && goal.previous) fill_push(goal);
  }

  void fill_foot(int leg) {
    const int body = p_.foot.data()[leg], row = first_row_[leg];
    const bool turns = p_.turns.data()[leg];
    for (int i = 0; i < p_.points.data()[leg]; i++) {
      const double* target = target_[first_point_[leg] + i];
      double at[3];
      kinematics.point(body, target + 3, at);
      kinematics.jacobian(body, at, rows_[row + 3 * i], turns ? rows_[row + 3] : nullptr, rows_.stride);
      for (int k = 0; k < 3; k++) residual_[row + 3 * i + k] = target[k] - at[k];
    }
    if (!turns) return;
    double error[3];
    rotation_error(kinematics.rotation(body), desired_R_[leg], error);
    to_axes(sole_R_.data() + 9 * leg, error, 1, 1);  // the sole's own: roll, pitch, yaw
    to_axes(sole_R_.data() + 9 * leg, rows_[row + 3], rows_.stride, kinematics.nv);
    std::copy_n(error, 3, residual_.begin() + row + 3);
    // A heel too high lifts before the body gives way.
    if (standing_[leg]) weight_[row + 4] = on_toe_[leg] && error[1] < 0 ? p_.stance_pitch : p_.stance_turn;
  }

  // rows (3, n) = Rᵀ rows
  static void to_axes(const double* R, double* rows, int stride, int n) {
    for (int i = 0; i < n; i++) {
      const double a = rows[i], b = rows[stride + i], c = rows[2 * stride + i];
      for (int k = 0; k < 3; k++) rows[k * stride + i] = R[k] * a + R[3 + k] * b + R[6 + k] * c;
    }
  }

  // Hips stay within reach of their feet: the centre of mass yields, no knee snaps.
  void fill_reach(int leg) {
    const double* hip = kinematics.position(p_.hip.data()[leg]);
    double away[3];
    for (int k = 0; k < 3; k++) away[k] = hip[k] - ankle_[leg][k];
    const double distance = std::sqrt(dot(away, away, 3)), excess = distance - kStretched * p_.longest.data()[leg];
    const int row = reach_row_ + leg;
    weight_[row] = 0;
    if (!(excess > 0)) return;
    kinematics.jacobian(p_.hip.data()[leg], hip, point_[0], nullptr, point_.stride);
    for (double& a : away) a /= distance;
    along(away, rows_[row]);
    residual_[row] = -excess;
    weight_[row] = standing_[leg] ? p_.reach : kReachInAir * p_.reach;
  }

  // Closed loops: two points of the body are in one place.
  void fill_tie(int tie) {
    const int row = tie_row_ + 3 * tie;
    double at[2][3];
    for (int end = 0; end < 2; end++) {
      const int body = p_.tied.data()[2 * tie + end];
      kinematics.point(body, p_.tied_b.data() + 3 * (2 * tie + end), at[end]);
      kinematics.jacobian(body, at[end], end ? point_[0] : rows_[row], nullptr, rows_.stride);
    }
    for (int k = 0; k < 3; k++) {
      axpy(-1, point_[k], rows_[row + k], kinematics.nv);
      residual_[row + k] = at[1][k] - at[0][k];
    }
  }

  // row (nv) = nᵀ J of the Jacobian in `point_`
  void along(const double* n, double* row) {
    for (int i = 0; i < kinematics.nv; i++) row[i] = n[0] * point_[0][i] + n[1] * point_[1][i] + n[2] * point_[2][i];
  }

  // Rows I_F⁻¹ J_M, which w_g and w_m share: their residuals are averaged by weight.
  void fill_momentum(const PoseGoal& goal, double w_m) {
    const double w_g = p_.configuration;
    if (w_g + w_m == 0) return;
    kinematics.momentum_matrix(rows_[turn_row_], rows_.stride);
    to_axes(inverse_, rows_[turn_row_], rows_.stride, kinematics.nv);  // symmetric
    for (size_t i = 0; i < p_.leg_dofs.shape(0); i++)
      off_[p_.leg_dofs.data()[i]] = 0;  // legs are where their feet want them
    for (int k = 0; k < 3; k++) {
      const double* row = rows_[turn_row_ + k];
      double r = w_g * dot(row, off_.data(), kinematics.nv);
      if (w_m != 0) {
        const double wanted = goal.dt * dot(inverse_ + 3 * k, goal.momentum, 3);
        r += w_m * (wanted - dot(row, moved_.data(), kinematics.nv));
      }
      residual_[turn_row_ + k] = r / (w_g + w_m);
    }
  }

  // I_F⁻¹ by cofactors.
  void invert_inertia() {
    double I[9];
    kinematics.inertia(I);
    cross(I + 3, I + 6, inverse_);
    cross(I + 6, I, inverse_ + 3);
    cross(I, I + 3, inverse_ + 6);
    const double determinant = dot(I, inverse_, 3);
    for (double& x : inverse_) x /= determinant;
  }

  // One row, only where the point does not yield fast enough yet.
  void fill_push(const PoseGoal& goal) {
    double at[3];
    kinematics.point(goal.push_body, goal.push + pPoint, at);
    kinematics.jacobian(goal.push_body, at, point_[0], nullptr, point_.stride);
    along(goal.push + pDirection, row_.data());
    const double missing = goal.push[pSpeed] * goal.dt - dot(row_.data(), moved_.data(), kinematics.nv);
    if (!(missing > 0)) return;
    std::copy(row_.begin(), row_.end(), rows_[push_row_]);
    residual_[push_row_] = missing;
    weight_[push_row_] = p_.push * kRate / goal.dt;
  }

  // H (lower triangle) and g of Σ w (J δ − r)² + Σ d δ² − 2 pᵀδ = δᵀH δ − 2 gᵀδ + const.
  void normal_equations() {
    const int nv = kinematics.nv;
    H_.zero();
    g_ = pull_;
    for (int row = 0; row < rows_.rows; row++) {
      if (weight_[row] == 0) continue;
      const double* J = rows_[row];
      axpy(weight_[row] * residual_[row], J, g_.data(), nv);
      for (int i = 0; i < nv; i++)
        if (J[i] != 0) axpy(weight_[row] * J[i], J, H_[i], i + 1);
    }
    for (int i = 0; i < nv; i++) H_[i][i] += diagonal_[i];
  }

  // The box of a step from this pose.
  void limit_step(const double* qpos) {
    kinematics.differentiate(rest_.data(), qpos, 1, angles_.data());
    for (int i = 6; i < kinematics.nv; i++) {
      low_[i] = std::max(p_.low.data()[i - 6] - angles_[i], -kLargestStep);
      high_[i] = std::min(p_.high.data()[i - 6] - angles_[i], kLargestStep);
    }
  }

  PoseProblem p_;
  std::vector<int> balls_, first_row_, first_point_;
  int com_row_ = 0, turn_row_, push_row_, reach_row_, tie_row_, ties_;  // after those of the feet
  BoxSolver box_;
  Matrix rows_, H_, damped_, point_;
  Matrix target_;             // (all points, 6) in the world, in the foot's body
  Matrix desired_R_, ankle_;  // (legs, 9), (legs, 3)
  std::vector<double> sole_R_, residual_, weight_, rest_, best_, within_;
  std::vector<double> off_, moved_, reference_step_, pull_, velocity_weight_, diagonal_, g_, step_, angles_, row_;
  std::vector<double> low_, high_;
  std::vector<double> carries_;  // 1 for what moves the centre of mass: the root's place and the legs
  std::vector<char> standing_, on_toe_;
  double inverse_[9];  // I_F⁻¹
};

}  // namespace amble
