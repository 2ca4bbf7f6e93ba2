// Where the bodies are at any time: between frames, cubics that have the velocities of the bodies at both.

const times = decode(data.time, Float64Array);
const motion = decode(data.motion); // frame, body, then 13 numbers
const bodyCount = data.bodies.length;
const start = times[0];
const end = times[times.length - 1];
const GROUND = { q: [1, 0, 0, 0], p: [0, 0, 0] };
const MOST_TURN = 4; // radians from frame to frame above which the rate of turning is taken as constant

/** Quaternion, mass centre, angular velocity in body axes, velocity of the mass centre. */
function frameAt(i, body) {
  const k = 13 * (i * bodyCount + body);
  const part = (from, to) => Array.from(motion.subarray(k + from, k + to));
  return { q: part(0, 4), p: part(4, 7), spin: part(7, 10), speed: part(10, 13) };
}

/** Last frame not after t that has a successor. */
function frameBefore(t) {
  let low = 0;
  let high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  return low;
}

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

function poseBetween(i, s, body) {
  const [a, b] = [frameAt(i, body), frameAt(i + 1, body)];
  const h = times[i + 1] - times[i];
  if (h === 0 || s <= 0 || s >= 1) return s < 1 ? a : b;
  const p = cubic(a.p, scale(h, a.speed), b.p, scale(h, b.speed), s);
  const turn = turned(a, b, h);
  const steady = size(turn) > MOST_TURN;
  const x = steady ? scale(s, turn) : cubic([0, 0, 0], scale(h, a.spin), turn, rateOf(turn, scale(h, b.spin)), s);
  return { q: compose(a.q, turnBy(x)), p };
}

/** Poses {q, p} at time t, ground first: orientation, and place of the mass centre about the page's origin. */
function posesAt(t) {
  const one = times.length === 1;
  const i = one ? 0 : frameBefore(t);
  const h = one ? 0 : times[i + 1] - times[i];
  const s = h > 0 ? clamp((t - times[i]) / h, 0, 1) : 1;
  const poses = [GROUND];
  for (let body = 0; body < bodyCount; body++) {
    poses.push(one ? frameAt(0, body) : poseBetween(i, s, body));
  }
  return poses;
}

/** A body-fixed point, given about the mass centre, in the picture. */
const placeOf = (pose, point) => add(pose.p, rotate(pose.q, point));
