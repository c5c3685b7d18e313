// Kinematics and dynamics of the current state, read from MuJoCo's arrays: what the features are made of.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "linear.hpp"

namespace amble {

namespace nb = nanobind;
using Vector = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using IntRows = nb::ndarray<int, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Rotations = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Ints = nb::ndarray<int, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Views of mjModel and mjData arrays; the names are MuJoCo's.
struct MuJoCoArrays {
  Ints body_parentid, body_dofadr, body_dofnum, M_rownnz, M_rowadr, M_colind;
  Ints jnt_type, jnt_qposadr, jnt_dofadr;
  Vector body_mass, gravity, qpos, qvel, M, qfrc_bias, qfrc_passive;
  Rows cdof, cdof_dot, cvel, xpos, xmat, subtree_com;
  int root = 1;
};

class Dynamics {
 public:
  MuJoCoArrays mj;
  int nv, nbody;
  double mass = 0;
  Matrix M;                    // (nv, nv) mass matrix
  std::vector<double> h;       // (nv) bias minus passive forces
  Matrix bias_acceleration;    // (nbody, 6) [angular, linear at the centre of mass] with q̈ = 0
  Matrix J_com, A_momentum;    // (3, nv) COM Jacobian; (3, nv) angular momentum about the COM
  double com[3], com_velocity[3], com_drift[3], momentum[3], momentum_drift[3];

  explicit Dynamics(MuJoCoArrays arrays) : mj(std::move(arrays)) {
    nv = int(mj.qvel.shape(0));
    nbody = int(mj.body_parentid.shape(0));
    M.resize(nv, nv);
    h.resize(nv);
    bias_acceleration.resize(nbody, 6);
    bias_acceleration.zero();
    J_com.resize(3, nv);
    A_momentum.resize(3, nv);
    ancestor_.assign(size_t(nbody) * nv, 0);
    for (int b = 1; b < nbody; b++) {
      int parent = mj.body_parentid.data()[b], first = mj.body_dofadr.data()[b];
      for (int i = 0; i < nv; i++) ancestor_[size_t(b) * nv + i] = ancestor_[size_t(parent) * nv + i];
      for (int i = 0; i < mj.body_dofnum.data()[b]; i++) ancestor_[size_t(b) * nv + first + i] = 1;
    }
  }

  bool moves(int dof, int body) const { return ancestor_[size_t(body) * nv + dof]; }

  void update() {
    mass = 0;
    for (int b = 1; b < nbody; b++) mass += mj.body_mass.data()[b];
    M.zero();
    for (int i = 0; i < nv; i++) {
      const int first = mj.M_rowadr.data()[i];
      for (int k = 0; k < mj.M_rownnz.data()[i]; k++) {
        int j = mj.M_colind.data()[first + k];
        M[i][j] = M[j][i] = mj.M.data()[first + k];
      }
      h[i] = mj.qfrc_bias.data()[i] - mj.qfrc_passive.data()[i];
    }
    const double* qvel = mj.qvel.data();
    for (int b = 1; b < nbody; b++) {
      double* a = bias_acceleration[b];
      std::memcpy(a, bias_acceleration[mj.body_parentid.data()[b]], 6 * sizeof(double));
      const int first = mj.body_dofadr.data()[b];
      for (int i = first; i < first + mj.body_dofnum.data()[b]; i++)
        axpy(qvel[i], mj.cdof_dot.data() + 6 * i, a, 6);
    }
    momenta(qvel);
  }

  // Position, velocity and J̇q̇ of a point fixed to a body (any may be null).
  void point(int body, const double* local, double* position, double* velocity, double* drift) const {
    const double *R = mj.xmat.data() + 9 * body, *twist = mj.cvel.data() + 6 * body;
    double r[3], v[3];
    for (int i = 0; i < 3; i++) {
      position[i] = mj.xpos.data()[3 * body + i] + dot(R + 3 * i, local, 3);
      r[i] = position[i] - com[i];
    }
    cross(twist, r, v);
    for (int i = 0; i < 3; i++) velocity[i] = v[i] + twist[3 + i];
    const double* a = bias_acceleration[body];
    double turning[3], centripetal[3];
    cross(a, r, turning);
    cross(twist, velocity, centripetal);
    for (int i = 0; i < 3; i++) drift[i] = a[3 + i] + turning[i] + centripetal[i];
  }

  // One row (axis) of the Jacobian of a world position that moves with a body.
  void point_jacobian(int body, const double* position, int axis, double* row) const {
    const double r[3] = {position[0] - com[0], position[1] - com[1], position[2] - com[2]};
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    const char* moves = ancestor_.data() + size_t(body) * nv;
    for (int i = 0; i < nv; i++) {
      const double* d = mj.cdof.data() + 6 * i;
      row[i] = moves[i] ? d[3 + axis] + d[j] * r[k] - d[k] * r[j] : 0;
    }
  }

  void angular_jacobian(int body, int axis, double* row) const {
    for (int i = 0; i < nv; i++) row[i] = moves(i, body) ? mj.cdof.data()[6 * i + axis] : 0;
  }

 private:
  // The six base rows of M and h hold the centroidal map (features eq. 10–14): with o the root's
  // position and R its orientation, m J_com = M[0:3] and A = R M[3:6] − (c − o) × M[0:3].
  void momenta(const double* qvel) {
    const double* R = mj.xmat.data() + 9 * mj.root;
    double arm[3];
    for (int k = 0; k < 3; k++) {
      com[k] = mj.subtree_com.data()[3 * mj.root + k];
      arm[k] = com[k] - mj.xpos.data()[3 * mj.root + k];
    }
    for (int i = 0; i < nv; i++) {
      double f[3] = {M[0][i], M[1][i], M[2][i]}, moment[3];
      cross(arm, f, moment);
      for (int k = 0; k < 3; k++) {
        J_com[k][i] = f[k] / mass;
        A_momentum[k][i] =
            R[3 * k] * M[3][i] + R[3 * k + 1] * M[4][i] + R[3 * k + 2] * M[5][i] - moment[k];
      }
    }
    const double* bias = mj.qfrc_bias.data();
    double moment[3];
    cross(arm, bias, moment);
    for (int k = 0; k < 3; k++) {
      com_velocity[k] = dot(J_com[k], qvel, nv);
      momentum[k] = dot(A_momentum[k], qvel, nv);
      com_drift[k] = bias[k] / mass + mj.gravity.data()[k];
      momentum_drift[k] = dot(R + 3 * k, bias + 3, 3) - moment[k];
    }
  }

  std::vector<char> ancestor_;  // (nbody, nv): does this degree of freedom move that body?
};

}  // namespace amble
