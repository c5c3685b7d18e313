// What Python sees of kinematics and momentum-mapped inverse kinematics.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "momentum_ik.hpp"

namespace amble {

using Given = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using GivenRows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline void bind_pose(nb::module_& m) {
  nb::class_<BodyTree>(m, "BodyTree")
      .def(nb::init<>())
      .def_rw("body_parentid", &BodyTree::body_parentid)
      .def_rw("jnt_type", &BodyTree::jnt_type)
      .def_rw("jnt_bodyid", &BodyTree::jnt_bodyid)
      .def_rw("jnt_qposadr", &BodyTree::jnt_qposadr)
      .def_rw("jnt_dofadr", &BodyTree::jnt_dofadr)
      .def_rw("body_mass", &BodyTree::body_mass)
      .def_rw("qpos0", &BodyTree::qpos0)
      .def_rw("body_pos", &BodyTree::body_pos)
      .def_rw("body_quat", &BodyTree::body_quat)
      .def_rw("body_ipos", &BodyTree::body_ipos)
      .def_rw("body_iquat", &BodyTree::body_iquat)
      .def_rw("body_inertia", &BodyTree::body_inertia)
      .def_rw("jnt_pos", &BodyTree::jnt_pos)
      .def_rw("jnt_axis", &BodyTree::jnt_axis);

  nb::class_<Kinematics>(m, "Kinematics")
      .def(nb::init<const BodyTree&>())
      .def("place", [](Kinematics& self, Given qpos) { self.place(qpos.data()); })
      .def("body",
           [](Kinematics& self, int body, Vector position, Rows rotation) {
             std::copy_n(self.position(body), 3, position.data());
             std::copy_n(self.rotation(body), 9, rotation.data());
           })
      .def("jacobian",
           [](Kinematics& self, int body, Given position, Rows shift, Rows turn) {
             self.jacobian(body, position.data(), shift.data(), turn.data(), self.nv);
           })
      .def("centre",
           [](Kinematics& self, Vector com, Rows com_jacobian, Rows momentum, Rows inertia) {
             std::copy_n(self.com, 3, com.data());
             self.com_jacobian(com_jacobian.data(), self.nv);
             self.momentum_matrix(momentum.data(), self.nv);
             self.inertia(inertia.data());
           })
      .def("differentiate",
           [](Kinematics& self, Given from, Given to, double dt, Vector out) {
             self.differentiate(from.data(), to.data(), dt, out.data());
           })
      .def("integrate", [](Kinematics& self, Vector qpos, Given velocity, double dt) {
        self.integrate(qpos.data(), velocity.data(), dt);
      });

  nb::class_<PoseProblem>(m, "PoseProblem")
      .def(nb::init<>())
      .def_rw("hip", &PoseProblem::hip)
      .def_rw("foot", &PoseProblem::foot)
      .def_rw("turns", &PoseProblem::turns)
      .def_rw("points", &PoseProblem::points)
      .def_rw("points_b", &PoseProblem::points_b)
      .def_rw("along", &PoseProblem::along)
      .def_rw("rest_R", &PoseProblem::rest_R)
      .def_rw("ankle_height", &PoseProblem::ankle_height)
      .def_rw("longest", &PoseProblem::longest)
      .def_rw("leg_dofs", &PoseProblem::leg_dofs)
      .def_rw("low", &PoseProblem::low)
      .def_rw("high", &PoseProblem::high)
      .def_rw("pose", &PoseProblem::pose)
      .def_rw("velocity", &PoseProblem::velocity)
      .def_rw("damping", &PoseProblem::damping)
      .def_rw("tied", &PoseProblem::tied)
      .def_rw("tied_b", &PoseProblem::tied_b)
      .def_rw("stance", &PoseProblem::stance)
      .def_rw("swing", &PoseProblem::swing)
      .def_rw("stance_turn", &PoseProblem::stance_turn)
      .def_rw("stance_pitch", &PoseProblem::stance_pitch)
      .def_rw("swing_turn", &PoseProblem::swing_turn)
      .def_rw("com", &PoseProblem::com)
      .def_rw("reach", &PoseProblem::reach)
      .def_rw("configuration", &PoseProblem::configuration)
      .def_rw("momentum", &PoseProblem::momentum)
      .def_rw("push", &PoseProblem::push)
      .def_rw("loop", &PoseProblem::loop);

  nb::class_<MomentumIk>(m, "MomentumIk")
      .def(nb::init<const BodyTree&, PoseProblem>())
      .def("solve",
           [](MomentumIk& self, GivenRows feet, Given com, Given momentum, Given reference, Given previous,
              Given previous_reference, double dt, int push_body, Given push, int iterations,
              double tolerance, Vector qpos) {
             PoseGoal goal;
             goal.feet = feet.data();
             goal.com = com.data();
             goal.momentum = momentum.data();
             goal.reference = reference.data();
             if (dt > 0) {
               goal.previous = previous.data();
               goal.previous_reference = previous_reference.data();
               goal.dt = dt;
             }
             goal.push_body = push_body;
             goal.push = push.data();
             self.solve(goal, iterations, tolerance, qpos.data());
           })
      .def("place",
           [](MomentumIk& self, Given qpos, Vector com, Rows hips) {
             self.place(qpos.data(), com.data(), hips.data());
           })
      .def("points",
           [](MomentumIk& self, Ints bodies, GivenRows points_b, Rows out) {
             for (size_t i = 0; i < bodies.shape(0); i++)
               self.kinematics.point(bodies.data()[i], points_b.data() + 3 * i, out.data() + 3 * i);
           })
      .def("foot_error", &MomentumIk::foot_error)
      .def("angular_momentum", [](MomentumIk& self, Given velocity, Vector out) {
        self.angular_momentum(velocity.data(), out.data());
      });

  nb::class_<BoxSolver>(m, "BoxSolver")
      .def(nb::init<>())
      .def("solve", [](BoxSolver& self, GivenRows H, Given g, Given low, Given high, Vector step) {
        Matrix copy;
        copy.resize(int(H.shape(0)), int(H.shape(1)));
        for (int i = 0; i < copy.rows; i++) std::copy_n(H.data() + size_t(i) * copy.cols, copy.cols, copy[i]);
        self.solve(copy, g.data(), low.data(), high.data(), step.data());
      });
}

}  // namespace amble
