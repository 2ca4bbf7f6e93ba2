// Where the bodies are at any time: between frames, cubics that have the velocities of the bodies at both.

const GROUND = { q: [1, 0, 0, 0], p: [0, 0, 0] };
const MOST_TURN = 4; // radians from frame to frame above which the rate of turning is taken as constant

/** Rotation vector from one frame to the next, with the full turns that the angular velocities tell of. */
function turned(a, b, h) {
  const shortest = turnFrom(a.q, b.q);
  const mean = scale(0.5 * h, add(a.spin, b.spin));
  const axis = unit(size(shortest) > 1e-6 ? shortest : mean);
  const turns = Math.round((dot(mean, axis) - dot(shortest, axis)) / (2 * Math.PI));
  return along(shortest, 2 * Math.PI * turns, axis);
}

/** Rate of the rotation vector x for the angular velocity w in the axes that x leads to: the inverse of dexp. */
function rateOf(x, w) {
  const angle = size(x);
  const c = angle > 1e-3 ? (1 - angle / 2 / Math.tan(angle / 2)) / (angle * angle) : 1 / 12;
  return along(along(w, 0.5, cross(x, w)), c, cross(x, cross(x, w)));
}

/** The motion of one run: {time, motion, bodies} as Python sent them. */
class Motion {
  constructor({ time, motion, bodies }) {
    this.times = decode(time, Float64Array);
    this.numbers = decode(motion); // frame, body, then 13 numbers
    this.count = bodies.length;
  }

  /** Another motion at the same times. */
  use(motion) {
    this.numbers = decode(motion);
  }

  /** Quaternion, mass centre, angular velocity in body axes, velocity of the mass centre. */
  frameAt(i, body) {
    const k = 13 * (i * this.count + body);
    const part = (from, to) => Array.from(this.numbers.subarray(k + from, k + to));
    return { q: part(0, 4), p: part(4, 7), spin: part(7, 10), speed: part(10, 13) };
  }

  /** Last frame not after t that has a successor. */
  frameBefore(t) {
    let low = 0;
    let high = this.times.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.times[middle] <= t) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Frame before t, and how much of the way to the next has passed, from 0 to 1. */
  placeOf(t) {
    if (this.times.length === 1) return [0, 0];
    const i = this.frameBefore(t);
    const h = this.times[i + 1] - this.times[i];
    return [i, h > 0 ? clamp((t - this.times[i]) / h, 0, 1) : 1];
  }

  poseBetween(i, s, body) {
    const [a, b] = [this.frameAt(i, body), this.frameAt(i + 1, body)];
    const h = this.times[i + 1] - this.times[i];
    if (h === 0 || s <= 0 || s >= 1) return s < 1 ? a : b;
    const p = cubic(a.p, scale(h, a.speed), b.p, scale(h, b.speed), s);
    const turn = turned(a, b, h);
    const steady = size(turn) > MOST_TURN;
    const x = steady ? scale(s, turn) : cubic([0, 0, 0], scale(h, a.spin), turn, rateOf(turn, scale(h, b.spin)), s);
    return { q: compose(a.q, turnBy(x)), p };
  }

  /** Poses {q, p} at time t, ground first: orientation, and place of the mass centre about the page's origin. */
  posesAt(t) {
    const one = this.times.length === 1;
    const [i, s] = this.placeOf(t);
    const poses = [GROUND];
    for (let body = 0; body < this.count; body++) {
      poses.push(one ? this.frameAt(0, body) : this.poseBetween(i, s, body));
    }
    return poses;
  }

  /** Places that a point of a body (0: ground), given about its mass centre, passes; finer than the frames where there are few. */
  path(row, point) {
    const points = [];
    if (row === 0) return point;
    const between = clamp(Math.round(3000 / this.times.length), 1, 8);
    for (let i = 0; i + 1 < this.times.length; i++) {
      for (let k = 0; k < between; k++) points.push(...placeOf(this.poseBetween(i, k / between, row - 1), point));
    }
    return [...points, ...placeOf(this.frameAt(this.times.length - 1, row - 1), point)];
  }
}

/** A body-fixed point, given about the mass centre, in the picture. */
const placeOf = (pose, point) => add(pose.p, rotate(pose.q, point));

const motion = new Motion(data);
const others = data.others.map((other) => ({ ...other, run: new Motion(other) })); // runs to compare with
const times = motion.times;
const bodyCount = data.bodies.length;
const start = Math.min(times[0], ...others.map(({ run }) => run.times[0]));
const end = Math.max(times[times.length - 1], ...others.map(({ run }) => run.times[run.times.length - 1]));
const frameBefore = (t) => motion.frameBefore(t);
const posesAt = (t) => motion.posesAt(t);
