// What Python sees of the plan's solver.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>
#include <string>

#include "dynamics.hpp"
#include "plan_solver.hpp"

namespace amble {

inline void expect_size(const char* name, size_t found, size_t expected) {
  if (found == expected) return;
  throw std::invalid_argument(std::string("a plan's ") + name + " has " + std::to_string(found) + " numbers instead of " +
                              std::to_string(expected));
}

// A matrix of the parameters, whose size must fit.
inline const double* parameter(const nb::dict& all, const char* name, int rows, int columns) {
  if (!all.contains(name)) throw std::invalid_argument(std::string("a plan needs the parameter '") + name + "'");
  const auto found = nb::cast<nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>>(all[name], false);
  expect_size(name, found.size(), size_t(rows) * columns);
  return found.data();
}

// The arrays live in `all` and in the caller's variables for as long as a solve takes.
inline PlanNumbers numbers(const PlanBody& body, const nb::dict& all, int segments, int slots) {
  PlanNumbers n;
  const int limbs = body.limbs, places = limbs * slots;
  n.segments = segments;
  n.slots = slots;
  n.h = parameter(all, "h", 1, segments);
  n.frame = parameter(all, "frame", 9 * limbs, segments);
  n.plane = parameter(all, "plane", 3 * limbs, segments);
  n.reference = parameter(all, "reference", kState, segments);
  n.emphasis = parameter(all, "emphasis", 1, segments);
  n.weights = parameter(all, "weights", 8, 1);
  n.on = parameter(all, "on", places, segments);
  n.at = parameter(all, "at", places, segments);
  n.ground = parameter(all, "ground", 3 * limbs, segments);
  n.hip = parameter(all, "hip", 3 * limbs, segments);
  n.p0 = parameter(all, "p0", 2, places);
  return n;
}

inline void make_plan_solver(PlanSolver* self, int limbs, Ints limb_of, Vector along, Rows inertia, double largest, Rows edges) {
  expect_size("inertia", inertia.size(), 9);
  expect_size("cone", edges.size(), 3 * kEdges);
  expect_size("effectors", along.size(), limb_of.size());
  new (self) PlanSolver();
  PlanBody& body = self->program.body;
  body.limbs = limbs;
  body.limb_of.assign(limb_of.data(), limb_of.data() + limb_of.size());
  body.along.assign(along.data(), along.data() + along.size());
  std::copy_n(inertia.data(), 9, body.inertia);
  body.largest = largest;
  std::copy_n(edges.data(), 3 * kEdges, body.edges);
}

inline nb::tuple solve_plan(PlanSolver& self, const nb::dict& parameters, int segments, int slots, Vector lbx, Vector ubx,
                            Vector lbg, Vector ubg, Vector x0, Vector x, Vector g) {
  if (segments < 1 || slots < 1) throw std::invalid_argument("a plan needs segments and slots");
  const PlanBody& body = self.program.body;
  PlanNumbers n = numbers(body, parameters, segments, slots);
  const size_t size = size_t(2 * body.limbs * slots + body.node() * (segments + 1));
  const size_t rows = size_t(kResiduals + body.effectors() + body.limbs) * segments;
  for (const Vector* each : {&lbx, &ubx, &x0, &x}) expect_size("unknowns", each->size(), size);
  for (const Vector* each : {&lbg, &ubg, &g}) expect_size("rows", each->size(), rows);
  n.lbx = lbx.data();
  n.ubx = ubx.data();
  n.lbg = lbg.data();
  n.ubg = ubg.data();
  n.x0 = x0.data();
  const PlanResult r = self.solve(n);
  std::copy(self.x.begin(), self.x.end(), x.data());
  std::copy(self.g.begin(), self.g.end(), g.data());
  return nb::make_tuple(int(r.status), r.iterations, r.objective, r.violation, r.dual, r.complementarity);
}

// Residuals of one segment, their Jacobian and the Hessian of multiplier · residuals, for tests.
inline void differentiate_segment(PlanSolver& self, const nb::dict& given, Vector z0, Vector z1, Vector foot, Vector multiplier,
                                  Vector residual, Rows jacobian, Rows hessian) {
  const PlanBody& body = self.program.body;
  const int n = body.node(), limbs = body.limbs, width = 2 * n + 2 * limbs;
  for (const Vector* each : {&z0, &z1}) expect_size("node", each->size(), n);
  expect_size("feet", foot.size(), 2 * limbs);
  for (const Vector* each : {&multiplier, &residual}) expect_size("residuals", each->size(), kResiduals);
  expect_size("Jacobian", jacobian.size(), size_t(kResiduals) * width);
  expect_size("Hessian", hessian.size(), size_t(width) * width);
  PlanSegment segment;
  segment.give(body, 0, 1, parameter(given, "h", 1, 1), parameter(given, "frame", 9 * limbs, 1),
               parameter(given, "plane", 3 * limbs, 1));
  segment.evaluate(z0.data(), z1.data(), foot.data(), residual.data());
  segment.differentiate(z0.data(), z1.data(), foot.data());
  std::copy(segment.jacobian.begin(), segment.jacobian.end(), jacobian.data());
  Matrix F;
  F.resize(width, width);
  F.zero();
  std::vector<int> at(width);
  for (int i = 0; i < width; i++) at[i] = i;
  segment.add_hessian(multiplier.data(), F, {{&at[0], &at[n]}, &at[2 * n]});
  // Each pair stands on one side of the diagonal only; which one depends on the order of elimination.
  for (int i = 0; i < width; i++)
    for (int j = 0; j < width; j++) hessian.data()[size_t(i) * width + j] = i == j ? F[i][i] : F[i][j] + F[j][i];
}

inline void bind_plan(nb::module_& m) {
  nb::class_<PlanSolver>(m, "PlanSolver")
      .def("__init__", &make_plan_solver)
      .def("solve", &solve_plan)
      .def("segment", &differentiate_segment);
}

}  // namespace amble
