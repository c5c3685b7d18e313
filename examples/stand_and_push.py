"""Push a standing person to the left, harder and harder, until they fall."""

from amble import scenario
from amble.world import Push

balance = scenario("balance")
for newton in (100, 300, 900):
    push = Push("thorax", force_w=(0, newton, 0), start=0.2, seconds=0.1)
    outcome = balance.make(balance.request(seconds=1.5, pushes=(push,)))
    lean = outcome.report["measures"]["max_lean_deg"]
    print(f"{newton:4d} N: {outcome.reason}, leaned {lean:.1f}°")
