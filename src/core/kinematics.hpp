// Kinematics of a tree of bodies on a free root: places, Jacobians, centre of mass, angular momentum.
//
// The numbers equal MuJoCo's (mj_kinematics, mj_comPos, mj_jac, mj_jacSubtreeCom, mj_angmomMat,
// mj_differentiatePos, mj_integratePos) for a model that is one tree. What does not change with the pose is
// copied once; no call allocates.
#pragma once
#include "dynamics.hpp"
#include "quaternions.hpp"

namespace amble {

// Arrays of mjModel; the names are MuJoCo's.
struct BodyTree {
  Ints body_parentid, jnt_type, jnt_bodyid, jnt_qposadr, jnt_dofadr;
  Vector body_mass, qpos0;
  Rows body_pos, body_quat, body_ipos, body_iquat, body_inertia, jnt_pos, jnt_axis;
};

class Kinematics {
 public:
  int nq, nv = 0, nbody;
  double mass = 0;
  double com[3] = {0, 0, 0};

  explicit Kinematics(const BodyTree& tree) {
    nq = int(tree.qpos0.shape(0));
    nbody = int(tree.body_parentid.shape(0));
    copy_bodies(tree);
    copy_joints(tree);
    place_.resize(nbody);
    composite_.resize(nbody);
    dof_.resize(nv);
    for (int i = 0; i < 4; i++) place_[0].quat[i] = i == 0;
    matrix_from(place_[0].quat, place_[0].R);
  }

  const double* position(int body) const { return place_[body].position; }
  const double* rotation(int body) const { return place_[body].R; }

  // Brings all bodies to the pose qpos (nq).
  void place(const double* qpos) {
    for (int b = 1; b < nbody; b++) place_body(b, qpos);
    find_com();
    for (Dof& dof : dof_) {
      // v: of the body's point that is now at the centre of mass, as in MuJoCo's cdof
      if (!dof.turns) continue;
      const double arm[3] = {com[0] - dof.anchor[0], com[1] - dof.anchor[1], com[2] - dof.anchor[2]};
      cross(dof.w, arm, dof.v);
    }
    find_composites();
  }

  // World position of a point fixed to a body.
  void point(int body, const double* local, double* out) const {
    const Place& at = place_[body];
    for (int i = 0; i < 3; i++) out[i] = at.position[i] + dot(at.R + 3 * i, local, 3);
  }

  // Rows (3, nv) of ∂position/∂q of a world position that moves with a body, and of its turn (or null).
  void jacobian(int body, const double* position, double* shift, double* turn, int stride) const {
    const double r[3] = {position[0] - com[0], position[1] - com[1], position[2] - com[2]};
    for (int k = 0; k < 3; k++) {
      if (shift) std::fill_n(shift + k * stride, nv, 0.0);
      if (turn) std::fill_n(turn + k * stride, nv, 0.0);
    }
    for (int i : chain_[body]) {
      const Dof& d = dof_[i];
      double across[3];
      cross(d.w, r, across);
      for (int k = 0; k < 3; k++) {
        if (shift) shift[k * stride + i] = d.v[k] + across[k];
        if (turn) turn[k * stride + i] = d.w[k];
      }
    }
  }

  // (3, nv): m_s/m (v + ω × (c_s − c)) of the subtree that a degree of freedom moves
  void com_jacobian(double* rows, int stride) const {
    for (int i = 0; i < nv; i++) {
      const Dof& d = dof_[i];
      const Composite& s = composite_[d.body];
      double across[3];
      cross(d.w, s.moment, across);
      for (int k = 0; k < 3; k++) rows[k * stride + i] = (s.mass * d.v[k] + across[k]) / mass;
    }
  }

  // (3, nv), angular momentum about the centre of mass: I_s ω + m_s (c_s − c) × v
  void momentum_matrix(double* rows, int stride) const {
    for (int i = 0; i < nv; i++) {
      const Dof& d = dof_[i];
      const Composite& s = composite_[d.body];
      double across[3];
      cross(s.moment, d.v, across);
      for (int k = 0; k < 3; k++) rows[k * stride + i] = dot(s.inertia + 3 * k, d.w, 3) + across[k];
    }
  }

  // I_F (3, 3) of the whole body about its centre of mass [kg m²], in the world's axes.
  void inertia(double* out) const {
    std::fill_n(out, 9, 0.0);
    for (int b = 1; b < nbody; b++)
      if (body_[b].parent == 0) axpy(1, composite_[b].inertia, out, 9);
  }

  // out (nv) = (to ⊖ from)/dt
  void differentiate(const double* from, const double* to, double dt, double* out) const {
    for (const Joint& j : joint_) {
      const double *a = from + j.q, *b = to + j.q;
      double* v = out + j.v;
      if (j.type == kFree) {
        for (int i = 0; i < 3; i++) v[i] = b[i] - a[i];
        difference(a + 3, b + 3, v + 3);
      } else if (j.type == kBall) {
        difference(a, b, v);
      } else {
        v[0] = b[0] - a[0];
      }
    }
    if (dt != 1)
      for (int i = 0; i < nv; i++) out[i] /= dt;
  }

  // qpos (nq) ⊕ velocity (nv) dt
  void integrate(double* qpos, const double* velocity, double dt) const {
    for (const Joint& j : joint_) {
      double* q = qpos + j.q;
      const double* v = velocity + j.v;
      if (j.type == kFree || j.type == kBall) {
        const int linear = j.type == kFree ? 3 : 0;
        for (int i = 0; i < linear; i++) q[i] += dt * v[i];
        const double turn[3] = {dt * v[linear], dt * v[linear + 1], dt * v[linear + 2]};
        turn_by(q + linear, turn);
      } else {
        q[0] += dt * v[0];
      }
    }
  }

  // First quaternion component in qpos of each ball joint.
  std::vector<int> balls() const {
    std::vector<int> found;
    for (const Joint& j : joint_)
      if (j.type == kBall) found.push_back(j.q);
    return found;
  }

 private:
  enum JointType { kFree, kBall, kSlide, kHinge };
  struct Body {
    int parent, first_joint = 0, joints = 0;
    double pos[3], quat[4], ipos[3], mass;
    double inertia[9];  // about its own centre of mass, in the body's axes
  };
  struct Joint {
    int type, q, v;
    double pos[3], axis[3], rest;
  };
  struct Place {
    double position[3] = {0, 0, 0}, quat[4], R[9], com[3];
  };
  struct Dof {
    int body;
    bool turns;
    double anchor[3], w[3] = {0, 0, 0}, v[3] = {0, 0, 0};
  };
  struct Composite {  // of a body and all that hangs on it, about the whole body's centre of mass
    double mass, moment[3], inertia[9];
  };

  void copy_bodies(const BodyTree& t) {
    body_.resize(nbody);
    for (int b = 0; b < nbody; b++) {
      Body& body = body_[b];
      body.parent = t.body_parentid.data()[b];
      std::copy_n(t.body_pos.data() + 3 * b, 3, body.pos);
      std::copy_n(t.body_quat.data() + 4 * b, 4, body.quat);
      std::copy_n(t.body_ipos.data() + 3 * b, 3, body.ipos);
      body.mass = b > 0 ? t.body_mass.data()[b] : 0;
      mass += body.mass;
      double R[9];
      matrix_from(t.body_iquat.data() + 4 * b, R);
      const double* principal = t.body_inertia.data() + 3 * b;
      for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
          body.inertia[3 * i + k] = 0;
          for (int a = 0; a < 3; a++) body.inertia[3 * i + k] += R[3 * i + a] * principal[a] * R[3 * k + a];
        }
    }
  }

  void copy_joints(const BodyTree& t) {
    const int count = int(t.jnt_type.shape(0));
    for (int j = 0; j < count; j++) {
      Joint joint;
      joint.type = t.jnt_type.data()[j];
      joint.q = t.jnt_qposadr.data()[j];
      joint.v = t.jnt_dofadr.data()[j];
      std::copy_n(t.jnt_pos.data() + 3 * j, 3, joint.pos);
      std::copy_n(t.jnt_axis.data() + 3 * j, 3, joint.axis);
      joint.rest = t.qpos0.data()[joint.q];
      joint_.push_back(joint);
      const int b = t.jnt_bodyid.data()[j];
      if (body_[b].joints++ == 0) body_[b].first_joint = j;
      const int dofs = joint.type == kFree ? 6 : joint.type == kBall ? 3 : 1;
      for (int i = 0; i < dofs; i++) {
        Dof dof;
        dof.body = b;
        dof.turns = joint.type == kFree ? i >= 3 : joint.type != kSlide;
        dof_.push_back(dof);
      }
      nv += dofs;
    }
    chain_.resize(nbody);
    for (int b = 1; b < nbody; b++) {
      chain_[b] = chain_[body_[b].parent];
      for (int i = 0; i < nv; i++)
        if (dof_[i].body == b) chain_[b].push_back(i);
    }
  }

  void place_body(int b, const double* qpos) {
    const Body& body = body_[b];
    Place& at = place_[b];
    const Joint* first = joint_.data() + body.first_joint;
    if (body.joints > 0 && first->type == kFree) {
      std::copy_n(qpos + first->q, 3, at.position);
      std::copy_n(qpos + first->q + 3, 4, at.quat);
    } else {
      const Place& parent = place_[body.parent];
      point(body.parent, body.pos, at.position);
      multiply(parent.quat, body.quat, at.quat);
      for (int j = 0; j < body.joints; j++) move_joint(first[j], qpos, at);
    }
    normalise(at.quat);
    matrix_from(at.quat, at.R);
    point(b, body.ipos, at.com);
    for (int j = 0; j < body.joints; j++) {  // axes of turns that are the body's own
      if (first[j].type != kFree && first[j].type != kBall) continue;
      Dof* dof = dof_.data() + first[j].v;
      if (first[j].type == kFree) {
        for (int i = 0; i < 3; i++) dof[i].v[i] = 1;
        dof += 3;
      }
      for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
          dof[i].w[k] = at.R[3 * k + i];
          if (first[j].type == kFree) dof[i].anchor[k] = at.position[k];
        }
    }
  }

  void move_joint(const Joint& joint, const double* qpos, Place& at) {
    double anchor[3], axis[3], turn[4];
    rotate(at.quat, joint.pos, anchor);
    for (int i = 0; i < 3; i++) anchor[i] += at.position[i];
    Dof* dof = dof_.data() + joint.v;
    rotate(at.quat, joint.axis, axis);
    if (joint.type == kSlide) {
      axpy(qpos[joint.q] - joint.rest, axis, at.position, 3);
      std::copy_n(axis, 3, dof->v);
      return;
    }
    if (joint.type == kBall) {
      std::copy_n(qpos + joint.q, 4, turn);
      normalise(turn);
      for (int i = 0; i < 3; i++) std::copy_n(anchor, 3, dof[i].anchor);
    } else {
      about_axis(joint.axis, qpos[joint.q] - joint.rest, turn);
      std::copy_n(anchor, 3, dof->anchor);
      std::copy_n(axis, 3, dof->w);
    }
    multiply(at.quat, turn, at.quat);
    double back[3];
    rotate(at.quat, joint.pos, back);
    for (int i = 0; i < 3; i++) at.position[i] = anchor[i] - back[i];
  }

  void find_com() {
    com[0] = com[1] = com[2] = 0;
    for (int b = 1; b < nbody; b++) axpy(body_[b].mass, place_[b].com, com, 3);
    for (double& c : com) c /= mass;
  }

  void find_composites() {
    for (int b = 1; b < nbody; b++) {
      const Body& body = body_[b];
      const Place& at = place_[b];
      Composite& c = composite_[b];
      c.mass = body.mass;
      double r[3], RI[9];
      for (int i = 0; i < 3; i++) {
        r[i] = at.com[i] - com[i];
        c.moment[i] = body.mass * r[i];
      }
      for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) RI[3 * i + k] = dot(at.R + 3 * i, body.inertia + 3 * k, 3);
      const double square = dot(r, r, 3);
      for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
          c.inertia[3 * i + k] =
              dot(RI + 3 * i, at.R + 3 * k, 3) + body.mass * ((i == k) * square - r[i] * r[k]);
    }
    for (int b = nbody - 1; b > 0; b--) {
      const int parent = body_[b].parent;
      if (parent == 0) continue;
      composite_[parent].mass += composite_[b].mass;
      axpy(1, composite_[b].moment, composite_[parent].moment, 3);
      axpy(1, composite_[b].inertia, composite_[parent].inertia, 9);
    }
  }

  std::vector<Body> body_;
  std::vector<Joint> joint_;
  std::vector<std::vector<int>> chain_;  // of each body: the degrees of freedom that move it
  std::vector<Place> place_;
  std::vector<Dof> dof_;
  std::vector<Composite> composite_;
};

}  // namespace amble
