// What Python sees of the dynamics of flat bodies.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "flat_dynamics.hpp"
#include "lemke.hpp"
#include "pose_bindings.hpp"

namespace amble {

using GivenBlocks = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Blocks = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

inline void bind_flat(nb::module_& m) {
  nb::class_<FlatTree>(m, "FlatTree")
      .def(nb::init<>())
      .def_rw("parent", &FlatTree::parent)
      .def_rw("slides", &FlatTree::slides)
      .def_rw("place", &FlatTree::place)
      .def_rw("turn", &FlatTree::turn)
      .def_rw("anchor", &FlatTree::anchor)
      .def_rw("axis", &FlatTree::axis)
      .def_rw("mass", &FlatTree::mass)
      .def_rw("com", &FlatTree::com)
      .def_rw("inertia", &FlatTree::inertia)
      .def_rw("armature", &FlatTree::armature)
      .def_rw("gravity", &FlatTree::gravity)
      .def_rw("point_link", &FlatTree::point_link)
      .def_rw("point_place", &FlatTree::point_place);

  nb::class_<FlatDynamics>(m, "FlatDynamics")
      .def(nb::init<const FlatTree&>())
      .def("place", [](FlatDynamics& self, Given q) { self.place(q.data()); })
      .def("link",
           [](FlatDynamics& self, int link, Vector position, Rows rotation) {
             std::copy_n(self.position(link), 3, position.data());
             std::copy_n(self.rotation(link), 9, rotation.data());
           })
      .def("turn_jacobian", [](FlatDynamics& self, int link, Rows out) { self.turn_jacobian(link, out.data()); })
      .def("mass_matrix", [](FlatDynamics& self, Rows out) { self.mass_matrix(out.data()); })
      .def("bias",
           [](FlatDynamics& self, Given v, Vector out) {
             self.move(v.data(), nullptr, true);
             self.torques(nullptr, out.data());
           })
      .def("points",
           [](FlatDynamics& self, Rows out) {
             for (int i = 0; i < self.points; i++) self.point(i, out.data() + 3 * i);
           })
      .def("jacobians",
           [](FlatDynamics& self, Blocks out) {
             for (int i = 0; i < self.points; i++) self.point_jacobian(i, out.data() + size_t(3) * i * self.n);
           })
      .def("drifts",
           [](FlatDynamics& self, Given v, Rows out) {
             self.move(v.data(), nullptr, false);
             for (int i = 0; i < self.points; i++) self.point_drift(i, out.data() + 3 * i);
           })
      .def("step_terms",
           [](FlatDynamics& self, Given q, Given v, Rows M, Vector c, Rows places, Blocks jacobians) {
             self.place(q.data());
             self.mass_matrix(M.data());
             self.move(v.data(), nullptr, true);
             self.torques(nullptr, c.data());
             for (int i = 0; i < self.points; i++) {
               self.point(i, places.data() + 3 * i);
               self.point_jacobian(i, jacobians.data() + size_t(3) * i * self.n);
             }
           })
      .def("add_force_derivative",
           [](FlatDynamics& self, GivenRows force, double scale, Rows sum) {
             for (int i = 0; i < self.points; i++)
               self.add_point_hessian(i, force.data() + 3 * i, scale, sum.data());
           })
      .def("inverse",
           [](FlatDynamics& self, Given v, Given a, Vector tau, Rows dq, Rows dv, Rows M) {
             self.move(v.data(), a.data(), true);
             self.derivatives(a.data(), tau.data(), dq.data(), dv.data(), M.data());
           });

  nb::class_<Lemke>(m, "Lemke")
      .def(nb::init<>())
      .def_ro("pivots", &Lemke::pivots)
      .def_ro("residual", &Lemke::residual)
      .def("solve", [](Lemke& self, GivenRows M, Given q, double regular, Vector z) {
        return int(self.solve(int(q.shape(0)), M.data(), q.data(), regular, z.data()));
      });
}

}  // namespace amble
