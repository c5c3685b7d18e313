// Values kept between bounds by barriers: −μ Σ ln(v − lo) − μ Σ ln(hi − v), with a multiplier for each.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

namespace amble {

class Barriers {
 public:
  std::vector<double> v, lo, hi, by_lo, by_hi;  // values, bounds, multipliers (0 where there is no bound)
  std::vector<double> step;                     // of the values

  int size() const { return int(v.size()); }
  void resize(int n) {
    for (auto* each : {&v, &lo, &hi, &by_lo, &by_hi, &step, &lo_step_, &hi_step_}) each->resize(n);
  }
  bool below(int i) const { return lo[i] > -kUnbounded; }  // has a lower bound
  bool above(int i) const { return hi[i] < kUnbounded; }

  // Value i is to be v0, if that is well between its bounds, which give by a hair as in IPOPT.
  void begin(int i, double v0, double low, double high) {
    constexpr double push = 1e-2, hair = 1e-8;
    lo[i] = low;
    hi[i] = high;
    if (below(i)) lo[i] -= hair * std::max(1.0, std::abs(low));
    if (above(i)) hi[i] += hair * std::max(1.0, std::abs(high));
    const double room = below(i) && above(i) ? push * (hi[i] - lo[i]) : kUnbounded;
    if (above(i)) v0 = std::min(v0, hi[i] - std::min(push * std::max(1.0, std::abs(hi[i])), room));
    if (below(i)) v0 = std::max(v0, lo[i] + std::min(push * std::max(1.0, std::abs(lo[i])), room));
    v[i] = v0;
    by_lo[i] = below(i);
    by_hi[i] = above(i);
  }

  // Second derivative that the eliminated multipliers leave behind.
  double stiffness(int i) const {
    return (below(i) ? by_lo[i] / (v[i] - lo[i]) : 0.0) + (above(i) ? by_hi[i] / (hi[i] - v[i]) : 0.0);
  }
  // First derivative of the barriers.
  double push(int i, double mu) const {
    return (above(i) ? mu / (hi[i] - v[i]) : 0.0) - (below(i) ? mu / (v[i] - lo[i]) : 0.0);
  }
  double force(int i) const { return by_hi[i] - by_lo[i]; }

  // Barriers at v + alpha step.
  double value(double mu, double alpha) const {
    double sum = 0, product = 1;
    for (int i = 0; i < size(); i++) {
      const double x = v[i] + alpha * step[i];
      if (below(i)) product *= x - lo[i];
      if (above(i)) product *= hi[i] - x;
      // One logarithm for many factors, taken before they leave the range of numbers.
      if (product < 1e-200 || product > 1e200) sum += std::log(product), product = 1;
    }
    return -mu * (sum + std::log(product));
  }

  // Steps of the multipliers, from that of the values.
  void find_multiplier_steps(double mu) {
    for (int i = 0; i < size(); i++) {
      lo_step_[i] = hi_step_[i] = 0;
      if (below(i)) {
        const double gap = v[i] - lo[i];
        lo_step_[i] = (mu - by_lo[i] * step[i]) / gap - by_lo[i];
      }
      if (above(i)) {
        const double gap = hi[i] - v[i];
        hi_step_[i] = (mu + by_hi[i] * step[i]) / gap - by_hi[i];
      }
    }
  }

  // The longest share of a step that leaves a share 1 − tau of every gap.
  double longest(double tau, double alpha) const {
    for (int i = 0; i < size(); i++) {
      if (step[i] < 0 && below(i)) alpha = std::min(alpha, -tau * (v[i] - lo[i]) / step[i]);
      if (step[i] > 0 && above(i)) alpha = std::min(alpha, tau * (hi[i] - v[i]) / step[i]);
    }
    return alpha;
  }
  double longest_of_multipliers(double tau, double alpha) const {
    for (int i = 0; i < size(); i++) {
      if (lo_step_[i] < 0) alpha = std::min(alpha, -tau * by_lo[i] / lo_step_[i]);
      if (hi_step_[i] < 0) alpha = std::min(alpha, -tau * by_hi[i] / hi_step_[i]);
    }
    return alpha;
  }

  // Take the steps; multipliers stay within a factor of μ / gap.
  void advance(double alpha, double multiplier_alpha, double mu) {
    constexpr double most = 1e10;
    for (int i = 0; i < size(); i++) {
      v[i] += alpha * step[i];
      if (below(i)) {
        const double central = mu / (v[i] - lo[i]);
        by_lo[i] = std::clamp(by_lo[i] + multiplier_alpha * lo_step_[i], central / most, central * most);
      }
      if (above(i)) {
        const double central = mu / (hi[i] - v[i]);
        by_hi[i] = std::clamp(by_hi[i] + multiplier_alpha * hi_step_[i], central / most, central * most);
      }
    }
  }

  // Greatest |gap × multiplier − μ|.
  double complementarity(double mu) const {
    double worst = 0;
    for (int i = 0; i < size(); i++) {
      if (below(i)) worst = std::max(worst, std::abs((v[i] - lo[i]) * by_lo[i] - mu));
      if (above(i)) worst = std::max(worst, std::abs((hi[i] - v[i]) * by_hi[i] - mu));
    }
    return worst;
  }
  // Sum and number of multipliers.
  void count(double& sum, int& number) const {
    for (int i = 0; i < size(); i++) {
      sum += by_lo[i] + by_hi[i];
      number += below(i) + above(i);
    }
  }

 private:
  static constexpr double kUnbounded = 1e19;
  std::vector<double> lo_step_, hi_step_;
};

}  // namespace amble
