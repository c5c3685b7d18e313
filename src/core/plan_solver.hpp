// Primal–dual interior point method for plans, after IPOPT (Wächter and Biegler 2006, numbers of equations from there).
//
// Exact Hessian, one sparse factorisation an iteration, filter line search with one second-order correction; no
// restoration phase: where the filter finds no step, or the multipliers of rows that contradict each other grow until
// no step descends (`kDiverged`), it says so. It does not allocate after the first call.
#pragma once
#include <utility>

#include "plan_barriers.hpp"
#include "plan_program.hpp"

namespace amble {

struct PlanResult {
  enum Status { kSolved, kAcceptable, kTooManyIterations, kNoStep, kDiverged, kNoNumbers } status;
  int iterations;
  double objective, violation, dual, complementarity;
};

class PlanSolver {
 public:
  PlanProgram program;
  std::vector<double> x, g;  // the answer
  int factorisations = 0;

  PlanResult solve(const PlanNumbers& numbers) {
    begin(numbers);
    int acceptable = 0;
    for (int iteration = 0;; iteration++) {
      program.differentiate(x.data());
      const Errors now = errors(0.0);
      if (!std::isfinite(now.total)) return finish(PlanResult::kNoNumbers, iteration, now);
      if (now.total <= kTolerance && now.violation <= 1e-5 && now.dual <= 1e-2 && now.complementarity <= 1e-3)
        return finish(PlanResult::kSolved, iteration, now);
      acceptable = now.total <= 1e-3 && now.violation <= 1e-4 ? acceptable + 1 : 0;
      if (acceptable >= 4) return finish(PlanResult::kAcceptable, iteration, now);
      if (iteration == kMostIterations) return finish(PlanResult::kTooManyIterations, iteration, now);
      while (mu_ > kLeastMu && errors(mu_).total <= 10 * mu_) {  // eq. 7
        mu_ = std::max(kLeastMu, std::min(0.2 * mu_, std::pow(mu_, 1.5)));
        filter_.clear();
      }
      if (!find_step()) return finish(PlanResult::kDiverged, iteration, now);
      if (!take_step()) return finish(PlanResult::kNoStep, iteration, now);
    }
  }

 private:
  static constexpr double kTolerance = 1e-4, kLeastMu = kTolerance / 11;
  static constexpr int kMostIterations = 60;
  struct Errors {
    double total, dual, violation, complementarity;
  };

  void begin(const PlanNumbers& numbers) {
    program.take(numbers);
    const int n = int(program.unknown.size()), rows = int(program.rows.size());
    x.assign(numbers.x0, numbers.x0 + program.size());
    for (int i = 0; i < program.size(); i++)  // fixed ones; the others follow below
      x[i] = std::min(std::max(x[i], numbers.lbx[i]), numbers.ubx[i]);
    bounds_.resize(n);
    for (int i = 0; i < n; i++) {
      const int at = program.unknown[i];
      bounds_.begin(i, x[at], numbers.lbx[at], numbers.ubx[at]);
      x[at] = bounds_.v[i];
    }
    for (auto* each : {&trial_x_, &dx_, &lagrangian_}) each->assign(program.size(), 0.0);
    for (auto* each : {&c_, &trial_c_, &y_, &dy_, &corrected_c_}) each->assign(program.equalities(), 0.0);
    for (auto* each : {&d_, &trial_d_, &t_, &dt_, &stiff_, &pull_, &off_}) each->assign(rows, 0.0);
    sigma_.resize(n);
    objective_ = program.evaluate(x.data(), c_.data(), d_.data());
    slacks_.resize(rows);
    for (int r = 0; r < rows; r++) slacks_.begin(r, d_[r], program.rows[r].lo, program.rows[r].hi);
    system_.assign(program.fronts.size(), 0.0);
    mu_ = 1e-2;
    rho_ = 0;
    factorisations = 0;
    filter_.clear();
    filter_.reserve(kMostIterations + 1);
    first_violation_ = total_violation(c_, d_, slacks_, 0.0);
  }

  // Sum of |c| and |d − s|, θ.
  static double total_violation(const std::vector<double>& c, const std::vector<double>& d, const Barriers& s, double alpha) {
    double sum = 0;
    for (double each : c) sum += std::abs(each);
    for (size_t r = 0; r < d.size(); r++) sum += std::abs(d[r] - s.v[r] - alpha * s.step[r]);
    return sum;
  }

  // Eq. 5. Leaves the gradient of f + y · c + t · d in `lagrangian_`.
  Errors errors(double mu) {
    if (mu == 0) {
      lagrangian_ = program.gradient;
      program.add_transposed(y_.data(), t_.data(), lagrangian_.data());
    }
    Errors e{};
    double multipliers = 0, bounds = 0;
    int count = 0;
    for (int i = 0; i < bounds_.size(); i++)
      e.dual = worse(e.dual, lagrangian_[program.unknown[i]] + bounds_.force(i));
    for (int r = 0; r < slacks_.size(); r++) {
      e.dual = worse(e.dual, slacks_.force(r) - t_[r]);
      e.violation = worse(e.violation, d_[r] - slacks_.v[r]);
      multipliers += std::abs(t_[r]);
    }
    for (size_t i = 0; i < c_.size(); i++) {
      e.violation = worse(e.violation, c_[i]);
      multipliers += std::abs(y_[i]);
    }
    bounds_.count(bounds, count);
    slacks_.count(bounds, count);
    e.complementarity = std::max(bounds_.complementarity(mu), slacks_.complementarity(mu));
    constexpr double usual = 100;  // eq. 6
    const double all = double(c_.size() + d_.size() + count);
    const double by_dual = std::max(usual, (multipliers + bounds) / std::max(all, 1.0)) / usual;
    const double by_bounds = std::max(usual, bounds / std::max(count, 1)) / usual;
    e.total = std::max({e.dual / by_dual, e.violation, e.complementarity / by_bounds});
    return e;
  }
  // The greater of two errors, and no number if one of them is none.
  static double worse(double a, double b) { return !(std::abs(b) <= a) ? std::abs(b) : a; }

  // The Newton step, with as much of the identity added as makes it one of descent.
  bool find_step() {
    for (int i = 0; i < bounds_.size(); i++) sigma_[i] = bounds_.stiffness(i);
    for (int r = 0; r < slacks_.size(); r++) stiff_[r] = slacks_.stiffness(r);
    double rho = 0;
    while (!program.factorise(y_.data(), t_.data(), sigma_.data(), stiff_.data(), rho)) {
      factorisations++;
      rho = rho > 0 ? (rho_ > 0 ? 8 : 100) * rho : rho_ > 0 ? std::max(1e-12, rho_ / 3) : 1e-4;
      if (!(rho < 1e8)) return false;
    }
    factorisations++;
    if (rho > 0) rho_ = rho;
    for (int r = 0; r < slacks_.size(); r++) off_[r] = d_[r] - slacks_.v[r];
    solve_for(c_, off_);
    for (int r = 0; r < slacks_.size(); r++) dt_[r] = stiff_[r] * slacks_.step[r] + slacks_.push(r, mu_) - t_[r];
    for (int i = 0; i < program.given.segments; i++) {
      const double* from = &system_[program.fronts.multiplier_start(i + 1)];
      std::copy(from, from + kResiduals, dy_.begin() + kResiduals * i);
    }
    bounds_.find_multiplier_steps(mu_);
    slacks_.find_multiplier_steps(mu_);
    for (double each : system_)
      if (!std::isfinite(each)) return false;
    return true;
  }

  // Steps of x and of the slacks that take c and d − s = off to 0 in first order. Slacks and their multipliers are
  // eliminated: ds = J dx + off, dt = S ds + push − t.
  void solve_for(const std::vector<double>& c, const std::vector<double>& off) {
    for (int r = 0; r < slacks_.size(); r++) pull_[r] = stiff_[r] * off[r] + slacks_.push(r, mu_);
    std::vector<double>& right = dx_;  // by x
    right = program.gradient;
    program.add_transposed(y_.data(), pull_.data(), right.data());
    for (int i = 0; i < bounds_.size(); i++)
      system_[program.place[i]] = -right[program.unknown[i]] - bounds_.push(i, mu_);
    for (int k = 0; k < program.given.segments; k++)
      for (int i = 0; i < kResiduals; i++)
        system_[program.fronts.multiplier_start(k + 1) + i] = -c[kResiduals * k + i];
    program.fronts.solve(system_.data());
    std::fill(dx_.begin(), dx_.end(), 0.0);
    for (int i = 0; i < bounds_.size(); i++) dx_[program.unknown[i]] = bounds_.step[i] = system_[program.place[i]];
    for (int r = 0; r < slacks_.size(); r++) slacks_.step[r] = program.slope(program.rows[r], dx_.data()) + off[r];
  }

  double longest(double tau) const { return slacks_.longest(tau, bounds_.longest(tau, 1.0)); }

  struct Trial {
    double objective, barrier, violation;
  };
  Trial attempt(double alpha) {
    for (int i = 0; i < program.size(); i++) trial_x_[i] = x[i] + alpha * dx_[i];
    Trial trial;
    trial.objective = program.evaluate(trial_x_.data(), trial_c_.data(), trial_d_.data());
    trial.barrier = trial.objective + bounds_.value(mu_, alpha) + slacks_.value(mu_, alpha);
    trial.violation = total_violation(trial_c_, trial_d_, slacks_, alpha);
    return trial;
  }

  bool take_step() {
    const double tau = std::max(0.99, 1 - mu_);
    const double theta = total_violation(c_, d_, slacks_, 0.0);
    const double phi = objective_ + bounds_.value(mu_, 0.0) + slacks_.value(mu_, 0.0);
    double slope = dot(program.gradient.data(), dx_.data(), program.size());
    for (int i = 0; i < bounds_.size(); i++) slope += bounds_.push(i, mu_) * bounds_.step[i];
    for (int r = 0; r < slacks_.size(); r++) slope += slacks_.push(r, mu_) * slacks_.step[r];
    const double multiplier_alpha = slacks_.longest_of_multipliers(tau, bounds_.longest_of_multipliers(tau, 1.0));

    double alpha = longest(tau);
    for (int trials = 0; trials < 20; trials++, alpha /= 2) {
      const Trial trial = attempt(alpha);
      if (accepts(trial, alpha, theta, phi, slope)) return advance(trial, alpha, alpha, multiplier_alpha);
      if (trials == 0 && trial.violation >= theta && correct(alpha, tau, theta, phi, slope, multiplier_alpha)) return true;
    }
    return false;
  }

  // The second-order correction: the same step, but to where the curved constraints are. Multipliers of the bounds
  // keep the steps found before.
  bool correct(double alpha, double tau, double theta, double phi, double slope, double multiplier_alpha) {
    kept_dx_ = dx_;
    kept_bounds_ = bounds_.step;
    kept_slacks_ = slacks_.step;
    for (size_t i = 0; i < c_.size(); i++) corrected_c_[i] = alpha * c_[i] + trial_c_[i];
    for (int r = 0; r < slacks_.size(); r++)
      off_[r] = alpha * (d_[r] - slacks_.v[r]) + trial_d_[r] - slacks_.v[r] - alpha * slacks_.step[r];
    solve_for(corrected_c_, off_);
    const double corrected_alpha = longest(tau);
    const Trial trial = attempt(corrected_alpha);
    if (accepts(trial, alpha, theta, phi, slope)) return advance(trial, corrected_alpha, alpha, multiplier_alpha);
    dx_ = kept_dx_;
    bounds_.step = kept_bounds_;
    slacks_.step = kept_slacks_;
    return false;
  }

  // Eqs. 18–20 and the filter.
  bool accepts(const Trial& trial, double alpha, double theta, double phi, double slope) {
    constexpr double margin = 1e-5;
    if (!std::isfinite(trial.barrier) || !std::isfinite(trial.violation)) return false;
    if (trial.violation > 1e4 * std::max(1.0, first_violation_)) return false;
    const double hair = 1e-14 * std::abs(phi) + 1e-14;
    for (const auto& [violation, barrier] : filter_)
      if (trial.violation >= violation && trial.barrier >= barrier) return false;
    const bool descends = slope < 0 && alpha * std::pow(-slope, 2.3) > std::pow(theta, 1.1);
    if (descends && theta <= 1e-4 * std::max(1.0, first_violation_))
      return trial.barrier <= phi + 1e-4 * alpha * slope + hair;
    const bool better = trial.violation <= (1 - margin) * theta || trial.barrier <= phi - margin * theta + hair;
    if (!better) return false;
    filter_.emplace_back((1 - margin) * theta, phi - margin * theta);
    return true;
  }

  bool advance(const Trial& trial, double alpha, double y_alpha, double multiplier_alpha) {
    x = trial_x_;
    c_ = trial_c_;
    d_ = trial_d_;
    objective_ = trial.objective;
    axpy(y_alpha, dy_.data(), y_.data(), int(y_.size()));
    axpy(y_alpha, dt_.data(), t_.data(), int(t_.size()));
    bounds_.advance(alpha, multiplier_alpha, mu_);
    slacks_.advance(alpha, multiplier_alpha, mu_);
    return true;
  }

  PlanResult finish(PlanResult::Status status, int iterations, const Errors& e) {
    for (int i = 0; i < program.size(); i++)
      x[i] = std::min(std::max(x[i], program.given.lbx[i]), program.given.ubx[i]);
    g.resize(program.row_count());
    program.all_rows(x.data(), g.data());
    return {status, iterations, objective_, e.violation, e.dual, e.complementarity};
  }

  Barriers bounds_, slacks_;  // of the free unknowns and of the inequalities
  double mu_, rho_, objective_, first_violation_;
  std::vector<std::pair<double, double>> filter_;  // violation and barrier function
  std::vector<double> trial_x_, dx_, lagrangian_, kept_dx_, kept_bounds_, kept_slacks_, sigma_, system_;
  std::vector<double> c_, trial_c_, corrected_c_, y_, dy_;               // by equality
  std::vector<double> d_, trial_d_, off_, t_, dt_, stiff_, pull_;        // by inequality
};

}  // namespace amble
