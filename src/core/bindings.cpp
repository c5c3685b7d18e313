// What Python sees of the compiled core.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/complex.h>

#include "contact_forces.hpp"
#include "flat_bindings.hpp"
#include "plan_bindings.hpp"
#include "pose_bindings.hpp"
#include "step_search.hpp"
#include "stops.hpp"
#include "task_rows.hpp"
#include "whole_body.hpp"

namespace nb = nanobind;
using namespace amble;
using namespace nanobind::literals;

static nb::tuple as_tuple(const amble::LexInfo& i) {
  return nb::make_tuple(int(i.status), i.level, i.constraint, i.iterations, i.active, i.fallback);
}

using Flags = nb::ndarray<bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A numpy array over memory of the core, which must outlive it (`owner`).
static nb::object view(nb::handle owner, double* data, size_t rows, size_t cols, int64_t stride) {
  size_t shape[2] = {rows, cols};
  int64_t strides[2] = {stride, 1};
  return nb::cast(nb::ndarray<nb::numpy, double>(data, 2, shape, owner, strides), nb::rv_policy::reference);
}
static nb::object view(nb::handle owner, double* data, size_t size) {
  return nb::cast(nb::ndarray<nb::numpy, double>(data, 1, &size, owner), nb::rv_policy::reference);
}
static nb::object copy(const Matrix& a) {
  auto* data = new double[size_t(a.rows) * a.cols];
  for (int i = 0; i < a.rows; i++) std::copy(a[i], a[i] + a.cols, data + size_t(i) * a.cols);
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  size_t shape[2] = {size_t(a.rows), size_t(a.cols)};
  return nb::cast(nb::ndarray<nb::numpy, double>(data, 2, shape, owner));
}

static nb::object copy(const double* from, int size) {
  auto* data = new double[size];
  std::copy(from, from + size, data);
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
  size_t shape = size_t(size);
  return nb::cast(nb::ndarray<nb::numpy, double>(data, 1, &shape, owner));
}

NB_MODULE(_core, m) {
  m.doc() = "amble's compiled numerics";
  nb::set_leak_warnings(false);  // what a thread still holds when Python ends is no error of the user's

  nb::class_<amble::Lexicographic>(m, "Lexicographic")
      .def(nb::init<>())
      .def("solve",
           [](amble::Lexicographic& self, Rows A, Vector b, Ints level, Rows D, Vector lo, Vector hi,
              Vector weight, Vector target, Vector lower, Vector upper, bool algorithm1_only, Vector x) {
             amble::LexProblem p;
             p.n = int(x.shape(0));
             p.levels = int(level.shape(0)) - 1;
             p.m = int(D.shape(0));
             p.level = level.data();
             p.A = A.data();
             p.b = b.data();
             p.A_stride = p.D_stride = p.n;
             p.D = D.data();
             p.lo = lo.data();
             p.hi = hi.data();
             p.weight = weight.data();
             p.target = target.data();
             p.lower = lower.data();
             p.upper = upper.data();
             return as_tuple(self.solve(p, x.data(), algorithm1_only));
           });

  nb::class_<MuJoCoArrays>(m, "MuJoCoArrays")
      .def(nb::init<>())
      .def_rw("body_parentid", &MuJoCoArrays::body_parentid)
      .def_rw("body_dofadr", &MuJoCoArrays::body_dofadr)
      .def_rw("body_dofnum", &MuJoCoArrays::body_dofnum)
      .def_rw("M_rownnz", &MuJoCoArrays::M_rownnz)
      .def_rw("M_rowadr", &MuJoCoArrays::M_rowadr)
      .def_rw("M_colind", &MuJoCoArrays::M_colind)
      .def_rw("jnt_type", &MuJoCoArrays::jnt_type)
      .def_rw("jnt_qposadr", &MuJoCoArrays::jnt_qposadr)
      .def_rw("jnt_dofadr", &MuJoCoArrays::jnt_dofadr)
      .def_rw("body_mass", &MuJoCoArrays::body_mass)
      .def_rw("gravity", &MuJoCoArrays::gravity)
      .def_rw("qpos", &MuJoCoArrays::qpos)
      .def_rw("qvel", &MuJoCoArrays::qvel)
      .def_rw("M", &MuJoCoArrays::M)
      .def_rw("qfrc_bias", &MuJoCoArrays::qfrc_bias)
      .def_rw("qfrc_passive", &MuJoCoArrays::qfrc_passive)
      .def_rw("cdof", &MuJoCoArrays::cdof)
      .def_rw("cdof_dot", &MuJoCoArrays::cdof_dot)
      .def_rw("cvel", &MuJoCoArrays::cvel)
      .def_rw("xpos", &MuJoCoArrays::xpos)
      .def_rw("xmat", &MuJoCoArrays::xmat)
      .def_rw("subtree_com", &MuJoCoArrays::subtree_com)
      .def_rw("root", &MuJoCoArrays::root);

  nb::class_<Contacts>(m, "Contacts")
      .def(nb::init<>())
      .def_rw("point", &Contacts::point)
      .def_rw("cone", &Contacts::cone)
      .def_rw("non_penetration", &Contacts::non_penetration);

  nb::class_<Mechanism>(m, "Mechanism")
      .def(nb::init<>())
      .def_rw("loop", &Mechanism::loop)
      .def_rw("anchor", &Mechanism::anchor)
      .def_rw("spring", &Mechanism::spring);

  nb::class_<Posture>(m, "Posture")
      .def(nb::init<>())
      .def_rw("weight", &Posture::weight)
      .def_rw("stiffness", &Posture::stiffness)
      .def_rw("damping", &Posture::damping)
      .def_rw("reference", &Posture::reference)
      .def_rw("limits", &Posture::limits)
      .def_rw("cone", &Posture::cone)
      .def_rw("torque_limits", &Posture::torque_limits)
      .def_rw("force_weight", &Posture::force_weight)
      .def_rw("limit_weight", &Posture::limit_weight)
      .def_rw("limit_stiffness", &Posture::limit_stiffness)
      .def_rw("limit_damping", &Posture::limit_damping)
      .def_rw("most_acceleration", &Posture::most_acceleration)
      .def_rw("most_speed", &Posture::most_speed)
      .def_rw("yielding", &Posture::yielding);

  nb::class_<Stops>(m, "Stops")
      .def(nb::init<Ints, Ints, Ints, Vector, Vector, Rows, Vector, Vector>())
      .def("add", [](const Stops& self, Vector torque) { return self.add(torque.data()); });

  nb::class_<ContactForces>(m, "ContactForces")
      .def(nb::init<Ints, Ints, Ints, Rows, double>())
      .def("read", &ContactForces::read)
      .def("report", [](ContactForces& self, Flags touching, Rows force, Vector other) {
        std::copy(self.touching.begin(), self.touching.end(), touching.data());
        for (int k = 0; k < self.force.rows; k++) std::copy_n(self.force[k], 3, force.data() + 3 * k);
        std::copy_n(self.other, 3, other.data());
      });

  nb::class_<StepSearch>(m, "StepSearch")
      .def("__init__",
           [](StepSearch* self, double omega, double error, double inward, double outward, double timing,
              double too_fast, double unreached, double back, double ahead, double outer, double foot_speed) {
             new (self) StepSearch(omega, {error, inward, outward, timing, too_fast, unreached},
                                   {back, ahead, outer, foot_speed});
           },
           "omega"_a, nb::kw_only(), "error"_a, "inward"_a, "outward"_a, "timing"_a, "too_fast"_a, "unreached"_a,
           "back"_a, "ahead"_a, "outer"_a, "foot_speed"_a)
      .def("best",
           [](const StepSearch& self, StepSearch::Place xi, StepSearch::Place pressure, StepSearch::Place stance,
              StepSearch::Place foot, StepSearch::Place wish, StepSearch::Place offset, StepSearch::Place turn,
              double side, double inner, double kappa, double late, double next, double soonest, double interval,
              int count) {
             const auto step = self.best({xi, pressure, stance, foot, wish, offset, turn, side, inner, kappa, late, next},
                                         soonest, interval, count);
             return nb::make_tuple(step.place, step.left);
           });

  nb::class_<TaskRows>(m, "TaskRows")
      .def(nb::init<IntRows, Rows>())
      .def("write", &TaskRows::write)
      .def("set", &TaskRows::set)
      .def("turn", &TaskRows::turn);

  nb::class_<WholeBody>(m, "WholeBody")
      .def(nb::init<MuJoCoArrays, Mechanism, Ints, Rows, IntRows, Rows, Rotations>())
      .def("update", &WholeBody::update)
      .def("assemble", &WholeBody::assemble)
      .def("solve",
           [](WholeBody& self, const Contacts& contacts, const Posture& posture, bool algorithm1_only,
              Vector torque, Vector acceleration, Rows force, Vector residual) {
             return as_tuple(self.solve(contacts, posture, algorithm1_only, torque.data(), acceleration.data(),
                                        force.data(), residual.data()));
           })
      .def("limited",
           [](WholeBody& self) {
             nb::list dofs;
             for (int dof : self.limited()) dofs.append(dof);
             return dofs;
           })
      .def_prop_ro("mass", [](WholeBody& self) { return self.dynamics.mass; })
      .def("views",
           [](nb::object self) {
             auto& body = nb::cast<WholeBody&>(self);
             auto& d = body.dynamics;
             nb::dict out;
             out["com"] = view(self, d.com, 3);
             out["com_velocity"] = view(self, d.com_velocity, 3);
             out["com_drift"] = view(self, d.com_drift, 3);
             out["momentum"] = view(self, d.momentum, 3);
             out["momentum_drift"] = view(self, d.momentum_drift, 3);
             auto table = [&](Matrix& a) { return view(self, a.data.data(), a.rows, a.cols, a.stride); };
             out["point_position"] = table(body.features.position);
             out["point_velocity"] = table(body.features.velocity);
             out["point_drift"] = table(body.features.drift);
             out["com_jacobian"] = table(d.J_com);
             out["momentum_jacobian"] = table(d.A_momentum);
             return out;
           })
      .def("problem", [](WholeBody& self) {
        LexProblem p = self.problem();
        auto matrix = [&](const double* data, int rows, int stride) {
          Matrix a;
          a.resize(rows, p.n);
          for (int i = 0; i < rows; i++) std::copy(data + size_t(i) * stride, data + size_t(i) * stride + p.n, a[i]);
          return copy(a);
        };
        const int rows = p.level[p.levels];
        nb::list level;
        for (int i = 0; i <= p.levels; i++) level.append(p.level[i]);
        return nb::make_tuple(matrix(p.A, rows, p.A_stride), copy(p.b, rows), level,
                              matrix(p.D, p.m, p.D_stride), copy(p.lo, p.m), copy(p.hi, p.m),
                              copy(p.weight, p.n), copy(p.target, p.n), copy(p.lower, p.n),
                              copy(p.upper, p.n));
      });
  bind_flat(m);
  bind_pose(m);
  bind_plan(m);
}
