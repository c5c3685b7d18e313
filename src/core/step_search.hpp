// Where and when a walker's next foot lands: the cheapest of many times, each with the best place for it.
//
// At the end of a swing of t more seconds the divergent component of motion is at p + (ξ − p) e^{ωt}; the
// foot's place follows from it in closed form, within what legs can do (control/walking/pendulum.py). The
// numpy twin is in tests/control/test_walk_pendulum.py.
#pragma once
#include <algorithm>
#include <cmath>
#include <complex>

namespace amble {

struct StepCosts {
  double error, inward, outward, timing, too_fast, unreached;
};

struct StepReach {
  double back, ahead, outer, foot_speed;
};

class StepSearch {
 public:
  using Place = std::complex<double>;

  struct Now {
    Place xi, pressure, stance, foot;  // the pressure as it will be kept
    Place wish, offset, turn;          // the regular step, ξ beside it after the double support, e^{iψ}
    double side, inner, kappa;         // 1 when the left foot swings; nearest that it may land; κ
    double late;                       // [s] the swing would be late by, were it over now
    double next;                       // growth of ξ until the step after this one lands
  };

  struct Step {
    Place place;
    double left;  // [s] until it lands
  };

  StepSearch(double omega, StepCosts costs, StepReach reach) : omega_(omega), costs_(costs), reach_(reach) {}

  // Of the times soonest, soonest + interval, …: `count` of them.
  Step best(const Now& now, double soonest, double interval, int count) const {
    Step best{now.wish, soonest};
    double least = INFINITY;
    for (int k = 0; k < count; k++) {
      const double left = soonest + interval * k;
      Place place;
      const double found = cost(now, left, place);
      if (found < least) least = found, best = {place, left};
    }
    return best;
  }

 private:
  double cost(const Now& now, double left, Place& place) const {
    const double share = 1 - now.kappa, weight = costs_.error * share * share;
    const Place end = now.pressure + (now.xi - now.pressure) * std::exp(omega_ * left);
    const Place ideal = (end - now.kappa * now.stance - now.offset) / share;
    const Place wanted = times(std::conj(now.turn), (now.wish + weight * ideal) / (1 + weight) - now.stance);
    const double x = std::min(std::max(wanted.real(), reach_.back), reach_.ahead);
    const double y = std::min(std::max(now.side * wanted.imag(), now.inner), reach_.outer);
    place = now.stance + times(now.turn, Place(x, now.side * y));

    const Place missed = share * times(std::conj(now.turn), ideal - place);
    const double sideways = now.side * missed.imag();
    const double error = missed.real() * missed.real() +
                         sideways * sideways * (sideways < 0 ? costs_.inward : costs_.outward);
    const double lag = std::max(std::abs(place - now.foot) - reach_.foot_speed * left, 0.0);
    const double delay = left + now.late;
    return std::norm(place - now.wish) + costs_.error * error + costs_.too_fast * lag * lag +
           costs_.timing * delay * delay + costs_.unreached * beyond_next(missed, now);
  }

  // How far beyond its reach the step after this one would have to land, squared.
  double beyond_next(Place missed, const Now& now) const {
    const Place away = now.next * (missed + times(std::conj(now.turn), now.offset));
    const double wide = std::max(-now.side * away.imag() - reach_.outer, 0.0);
    const double far = std::max(std::max(away.real() - reach_.ahead, reach_.back - away.real()), 0.0);
    return wide * wide + far * far;
  }

  static Place times(Place a, Place b) {  // without the library's care for infinities
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

  double omega_;
  StepCosts costs_;
  StepReach reach_;
};

}  // namespace amble
