"""Contact adaptation: torques as a function of the contact forces that come (section 4.1).

Features are accelerations α of the joints, the trunk and the shoulders. The torques that bring
them nearest to those that the look-ahead policy expected are, with W of table 3 and W_m = 1/γ,

    τ = τ̃ + C (B_c λ − B̃_c λ̃)        C = −(W_m + B_mᵀ W B_m)⁻¹ B_mᵀ W        (eq. 14, 15)

with B_m = Y Sᵀ, B_c λ = Y Jᵀ λ, and Y = J_α M⁻¹. All forces on the body enter by the generalised
force f = Jᵀ λ, and so τ = τ₀ + C Y f.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from amble.errors import InputError
from amble.tracking.flat_body import ROOT, FlatBody
from amble.tracking.regulator import Prediction
from amble.tracking.step_terms import StepTerms
from amble.tracking.weights import SHOULDER_PLACE, TRUNK_PLACE, adaptation_weights


@dataclass(frozen=True, eq=False)
class Policy:
    """Torques that answer to contact: τ = torque + answer · f, with f (n,) the generalised force of
    contacts and of stops of the joints."""

    torque: np.ndarray  # τ₀ (n − 6,) [N m]
    answer: np.ndarray | None = None  # (n − 6, n); none: the torques stay as they are


class ContactAdaptation:
    """Makes policies of predictions; γ = 0 leaves predicted torques as they are (eq. 17)."""

    def __init__(self, body: FlatBody, gamma: float) -> None:
        if not (np.isfinite(gamma) and gamma >= 0):
            raise InputError(f"gamma = {gamma}; it must be a number that is not negative")
        self.gamma = gamma
        arms = sum(limb.kind == "arm" for limb in body.character.limbs)
        place = [*TRUNK_PLACE, *SHOULDER_PLACE * arms]
        self._W = np.concatenate([place, adaptation_weights(body)])

    def policy(self, terms: StepTerms, predicted: Prediction) -> Policy:
        """The policy of a step."""
        if self.gamma == 0:
            return Policy(predicted.torque)
        Mi = terms.inverse_mass
        Y = np.concatenate([terms.J_places @ Mi, Mi[ROOT:]])
        B_m = Y[:, ROOT:]
        weighted = B_m.T * self._W
        H = weighted @ B_m
        H[np.diag_indices_from(H)] += 1 / self.gamma
        answer = -np.linalg.solve(H, weighted @ Y)
        expected = terms.J.T @ predicted.force_w.ravel()
        return Policy(predicted.torque - answer @ expected, answer)
