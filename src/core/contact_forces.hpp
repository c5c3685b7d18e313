// From MuJoCo's contacts to the ground's forces at a body's contact points.
//
// The solver weighs the edges n ± μ t₁, n ± μ t₂ of each contact's friction pyramid. A contact counts for the
// nearest contact point of the same body; contacts between two parts of the character are internal forces.
#pragma once
#include <vector>

#include "dynamics.hpp"

namespace amble {

class ContactForces {
 public:
  using ContactRows = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;
  using ContactPairs = nb::ndarray<const int, nb::ndim<2>, nb::device::cpu>;
  using ContactInts = nb::ndarray<const int, nb::ndim<1>, nb::device::cpu>;
  using Forces = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

  std::vector<char> touching;  // of each contact point
  Matrix force;                // (points, 3) [N] on the character, in the world
  double other[3] = {0, 0, 0};  // on all that is not at a contact point

  // Bodies (0 is the world) of every geom and of every contact point; where the points are, MuJoCo's site_xpos.
  ContactForces(Ints geom_body, Ints point_body, Ints site, Rows site_xpos, double friction)
      : geom_body_(geom_body), point_body_(point_body), site_(site), site_xpos_(site_xpos), friction_(friction) {
    force.resize(int(site.shape(0)), 3);
    touching.assign(site.shape(0), 0);
    force.zero();
  }

  // The contacts of the step just solved: pairs of geoms, places, frames (rows normal, two tangents), the
  // first row of each in the solver's forces, −1 if it is not active.
  void read(const ContactPairs& geom, const ContactRows& place, const ContactRows& frame, const ContactInts& address,
            const Forces& solved) {
    std::fill(touching.begin(), touching.end(), char(0));
    force.zero();
    std::fill(other, other + 3, 0.0);
    for (size_t i = 0; i < address.shape(0); i++) {
      const int row = address(i), first = geom_body_.data()[geom(i, 0)], second = geom_body_.data()[geom(i, 1)];
      if (row < 0 || (first != 0 && second != 0)) continue;
      const double* weight = solved.data() + row;
      const double along[3] = {weight[0] + weight[1] + weight[2] + weight[3],
                               friction_ * (weight[0] - weight[1]), friction_ * (weight[2] - weight[3])};
      const double sign = first == 0 ? 1 : -1;  // MuJoCo's force acts on the second geom of a pair
      double f[3];
      for (size_t k = 0; k < 3; k++)
        f[k] = sign * (along[0] * frame(i, k) + along[1] * frame(i, 3 + k) + along[2] * frame(i, 6 + k));
      const double at[3] = {place(i, 0), place(i, 1), place(i, 2)};
      const int point = nearest(std::max(first, second), at);
      double* sum = point < 0 ? other : force[point];
      for (int k = 0; k < 3; k++) sum[k] += f[k];
      if (point >= 0 && (f[0] != 0 || f[1] != 0 || f[2] != 0)) touching[point] = 1;
    }
  }

 private:
  // The contact point of a body that is nearest to a place, −1 if it has none.
  int nearest(int body, const double* place) const {
    int found = -1;
    double least = INFINITY;
    for (int k = 0; k < force.rows; k++) {
      if (point_body_.data()[k] != body) continue;
      const double* x = site_xpos_.data() + 3 * site_.data()[k];
      double d = 0;
      for (int i = 0; i < 3; i++) d += (place[i] - x[i]) * (place[i] - x[i]);
      if (d < least) least = d, found = k;
    }
    return found;
  }

  Ints geom_body_, point_body_, site_;
  Rows site_xpos_;
  double friction_;
};

}  // namespace amble
