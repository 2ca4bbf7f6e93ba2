// Parts of a picture as triangles: positions and normals, three numbers a corner; and the sharp edges between them.

const SMOOTH = Math.cos(0.6); // of the angle between faces up to which an edge is rounded

/** Grows by the parts that are added to it. `sides`: of a circle. */
class Triangles {
  constructor(sides = 24) {
    this.sides = sides;
    this.positions = [];
    this.normals = [];
    this.edges = []; // two corners each
  }

  /** Farthest corner from the origin. */
  get reach() {
    let most = 0;
    const x = this.positions;
    for (let i = 0; i < x.length; i += 3) most = Math.max(most, Math.hypot(x[i], x[i + 1], x[i + 2]));
    return most;
  }

  corner(p, n) {
    this.positions.push(p[0], p[1], p[2]);
    this.normals.push(n[0], n[1], n[2]);
  }

  /** Surface over a grid: point(i, j) gives [place, normal] for i = 0..rows, j = 0..columns. */
  surface(rows, columns, point) {
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++) {
        const corners = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
        for (const k of [0, 1, 2, 0, 2, 3]) this.corner(...corners[k]);
      }
    }
  }

  /** Directions round a circle normal to e and f. */
  round(e, f, j) {
    const angle = (2 * Math.PI * j) / this.sides;
    return along(scale(Math.cos(angle), e), Math.sin(angle), f);
  }

  cylinder({ a, b, radius }) {
    const u = unit(sub(b, a));
    const [e, f] = across(u);
    const rim = (c, j) => along(c, radius, this.round(e, f, j));
    this.surface(1, this.sides, (i, j) => [rim(i ? b : a, j), this.round(e, f, j)]);
    this.surface(1, this.sides, (i, j) => [i ? rim(a, j) : a, scale(-1, u)]);
    this.surface(1, this.sides, (i, j) => [i ? rim(b, j) : b, u]);
    for (let j = 0; j < this.sides; j++) this.edges.push(...rim(a, j), ...rim(a, j + 1), ...rim(b, j), ...rim(b, j + 1));
  }

  cone({ a, b, radius }) {
    const u = unit(sub(b, a));
    const [e, f] = across(u);
    const tilt = radius / (size(sub(b, a)) || 1);
    const rim = (j) => along(a, radius, this.round(e, f, j));
    this.surface(1, this.sides, (i, j) => [i ? b : rim(j), unit(along(this.round(e, f, j), tilt, u))]);
    this.surface(1, this.sides, (i, j) => [i ? rim(j) : a, scale(-1, u)]);
  }

  sphere({ center, radius }) {
    const rows = Math.max(4, this.sides >> 1);
    this.surface(rows, this.sides, (i, j) => {
      const polar = (Math.PI * i) / rows;
      const n = along(scale(Math.sin(polar), this.round([1, 0, 0], [0, 1, 0], j)), Math.cos(polar), [0, 0, 1]);
      return [along(center, radius, n), n];
    });
  }

  capsule(part) {
    const sharp = this.edges.length;
    this.cylinder(part);
    this.edges.length = sharp; // the balls round them off
    this.sphere({ center: part.a, radius: part.radius });
    this.sphere({ center: part.b, radius: part.radius });
  }

  box({ center, size: edges, axes }) {
    const half = [0, 1, 2].map((k) => scale(edges[k] / 2, axes.slice(3 * k, 3 * k + 3)));
    for (let k = 0; k < 3; k++) {
      for (const sign of [1, -1]) {
        const middle = along(center, sign, half[k]);
        const [e, f] = [half[(k + 1) % 3], half[(k + 2) % 3]];
        const n = unit(scale(sign, half[k]));
        this.surface(1, 1, (i, j) => [along(along(middle, 2 * i - 1, e), 2 * j - 1, f), n]);
        for (const other of [1, -1]) {
          const corner = along(middle, other, e);
          this.edges.push(...sub(corner, f), ...add(corner, f));
        }
      }
    }
  }

  /** Round where its faces meet at small angles, sharp where not. */
  mesh({ triangles }) {
    const x = decode(triangles);
    const faces = [];
    const around = new Map(); // normals at each corner, by its place
    for (let k = 0; k < x.length; k += 9) {
      const corners = [0, 3, 6].map((i) => Array.from(x.subarray(k + i, k + i + 3)));
      const n = unit(cross(sub(corners[1], corners[0]), sub(corners[2], corners[0])));
      faces.push({ corners, n });
      for (const p of corners) around.set(String(p), [...(around.get(String(p)) || []), n]);
    }
    for (const { corners, n } of faces) {
      for (const p of corners) {
        const near = around.get(String(p)).filter((m) => dot(m, n) > SMOOTH);
        this.corner(p, unit(near.reduce(add, [0, 0, 0])));
      }
    }
  }

  /** Helical spring along z from 0 to `length`. */
  coil(length, radius, wire) {
    const turns = clamp(Math.round(length / (1.5 * radius)), 5, 30);
    const pieces = 14 * turns;
    const point = (k) => {
      const angle = (2 * Math.PI * turns * k) / pieces;
      return [radius * Math.cos(angle), radius * Math.sin(angle), (length * k) / pieces];
    };
    for (let k = 0; k < pieces; k++) this.cylinder({ a: point(k), b: point(k + 1), radius: wire });
  }

  addAll(parts) {
    for (const part of parts) this[part.kind](part);
    return this;
  }
}
