// Vectors are arrays of three numbers, quaternions of four with the scalar first, matrices Float32Array(16) by columns.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (s, a) => [s * a[0], s * a[1], s * a[2]];
const along = (a, s, b) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const size = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => scale(1 / (size(a) || 1), a);

/** Two unit vectors normal to a unit vector and to each other. */
function across(u) {
  const e = unit(cross(u, Math.abs(u[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0]));
  return [e, cross(u, e)];
}

/** v turned by the quaternion q: v + 2 w (x × v) + 2 x × (x × v). */
function rotate(q, v) {
  const x = [q[1], q[2], q[3]];
  const s = cross(x, v);
  return add(along(v, 2 * q[0], s), scale(2, cross(x, s)));
}

/** Quaternion of q after r. */
const compose = (q, r) => [
  q[0] * r[0] - q[1] * r[1] - q[2] * r[2] - q[3] * r[3],
  q[0] * r[1] + q[1] * r[0] + q[2] * r[3] - q[3] * r[2],
  q[0] * r[2] - q[1] * r[3] + q[2] * r[0] + q[3] * r[1],
  q[0] * r[3] + q[1] * r[2] - q[2] * r[1] + q[3] * r[0],
];

/** Quaternion of a rotation vector. */
function turnBy(x) {
  const angle = size(x);
  return [Math.cos(angle / 2), ...scale(angle > 1e-8 ? Math.sin(angle / 2) / angle : 0.5, x)];
}

/** Rotation vector from q to r in the axes of q, by the shorter way. */
function turnFrom(q, r) {
  const d = compose([q[0], -q[1], -q[2], -q[3]], r);
  const x = scale(d[0] < 0 ? -1 : 1, [d[1], d[2], d[3]]);
  const half = size(x);
  return scale(half > 1e-9 ? (2 * Math.atan2(half, Math.abs(d[0]))) / half : 2, x);
}

/** Cubic from a to b over s = 0..1 with the slopes u and w. */
function cubic(a, u, b, w, s) {
  const r = 1 - s;
  const d = sub(b, a);
  return along(along(along(a, s, d), r * r * s, sub(u, d)), -r * s * s, sub(w, d));
}

/** Columns x, y, z and the place p. */
const columns = (x, y, z, p) => new Float32Array([...x, 0, ...y, 0, ...z, 0, ...p, 1]);

const poseMatrix = (pose) =>
  columns(rotate(pose.q, [1, 0, 0]), rotate(pose.q, [0, 1, 0]), rotate(pose.q, [0, 0, 1]), pose.p);

function multiply(A, B) {
  const C = new Float32Array(16);
  for (let j = 0; j < 4; j++) {
    for (let i = 0; i < 4; i++) {
      for (let k = 0; k < 4; k++) C[4 * j + i] += A[4 * k + i] * B[4 * j + k];
    }
  }
  return C;
}

/** Point in clip coordinates (x, y, z, w). */
const transform = (M, p) => [0, 1, 2, 3].map((i) => M[i] * p[0] + M[4 + i] * p[1] + M[8 + i] * p[2] + M[12 + i]);

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2);
  const M = new Float32Array(16);
  M[0] = f / aspect;
  M[5] = f;
  M[10] = (far + near) / (near - far);
  M[11] = -1;
  M[14] = (2 * far * near) / (near - far);
  return M;
}

/** The world seen from an eye with the axes right, up, back. */
const seenFrom = (eye, right, up, back) =>
  new Float32Array([
    right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
    -dot(right, eye), -dot(up, eye), -dot(back, eye), 1,
  ]);
