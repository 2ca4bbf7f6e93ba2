"""A pole on a cart as an environment of Gymnasium: pip install cotree[learn]. It is checked, then balanced by a PD law."""

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env

import cotree as ct

STEP, FORCE, FAR, STEEP, LENGTH = 0.02, 10.0, 2.4, 0.21, 500


def cart_pole():
    """A cart of 1 kg on a rail with a pole of 0.1 kg and 1 m, upright."""
    mech = ct.Mechanism("cart-pole", gravity=(0, 0, -9.81))
    cart = mech.body("cart", mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1))
    pole = mech.body("pole", mass=0.1, com=(0, 0, 0.5), inertia=(0.1 / 12, 0.1 / 12, 1e-5))
    mech.joint("rail", mech.ground, cart, ct.Prismatic(axis=(1, 0, 0)))
    mech.joint("hinge", cart, pole, ct.Revolute(point=(0, 0, 0), axis=(0, 1, 0)))
    return mech


class CartPole(gymnasium.Env):
    """Observed: position and rate of the cart, angle and rate of the pole. The action is the force on the cart, -1 to 1."""

    metadata = {"render_modes": []}  # noqa: RUF012
    names = ("rail", "hinge")

    def __init__(self):
        self.stepper = ct.Stepper(cart_pole(), step=STEP / 4, record=False)
        self.stepper.set(torque={"rail": 0.0})
        most = np.array([2 * FAR, 50.0, np.pi, 50.0], dtype=np.float32)
        self.observation_space = gymnasium.spaces.Box(-most, most, dtype=np.float32)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        q, v = self.np_random.uniform(-0.05, 0.05, (2, 2))
        self.stepper.reset(q=q, v=v)
        self.steps = 0
        return self._observed(), {}

    def step(self, action):
        self.stepper.set(torque={"rail": FORCE * float(np.clip(action[0], -1.0, 1.0))})
        self.stepper.step(4)
        self.steps += 1
        seen = self._observed()
        fallen = bool(abs(seen[0]) > FAR or abs(seen[2]) > STEEP)
        return seen, 1.0, fallen, self.steps >= LENGTH, {}

    def _observed(self):
        (x, angle), (speed, rate) = self.stepper.q, self.stepper.v
        return np.array([x, speed, angle, rate], dtype=np.float32)


def balanced(env, seed):
    """Steps that a pole stays up under a linear law."""
    seen, _ = env.reset(seed=seed)
    done, total = False, 0.0
    while not done:
        force = 1.0 * seen[0] + 2.0 * seen[1] + 30.0 * seen[2] + 8.0 * seen[3]
        seen, reward, fallen, late, _ = env.step(np.array([force / FORCE], dtype=np.float32))
        done, total = fallen or late, total + reward
    return total


if __name__ == "__main__":
    check_env(CartPole(), skip_render_check=True)
    print("the environment passes Gymnasium's check")
    print(f"balanced for {min(balanced(CartPole(), seed) for seed in range(5)):.0f} of {LENGTH} steps")
