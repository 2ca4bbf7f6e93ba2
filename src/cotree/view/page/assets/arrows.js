// Forces as arrows, long as they are great; moments have two heads.

class Arrows {
  constructor(gl) {
    const made = (parts) => {
      const triangles = new Triangles(14).addAll(parts);
      return new Buffer(gl, [triangles.positions, triangles.normals], gl.TRIANGLES);
    };
    const up = (z) => [0, 0, z];
    this.shaft = made([{ kind: "cylinder", a: up(0), b: up(1), radius: 1 }]);
    this.head = made([{ kind: "cone", a: up(0), b: up(1), radius: 1 }]);
    this.items = data.arrows.items.map((item) => ({ ...item, values: decode(item.vectors) }));
    this.thin = 0.32 * data.size;
  }

  /** Vector in the picture at a time: the force between frames on a straight line. */
  vector(item, t) {
    const [i, s] = motion.placeOf(t);
    const at = (k) => Array.from(item.values.subarray(3 * k, 3 * k + 3));
    return s > 0 ? add(scale(1 - s, at(i)), scale(s, at(i + 1))) : at(i);
  }

  /** visit(item, buffer, matrix) for all that is to be drawn at a time. */
  each(poses, t, visit) {
    for (const item of this.items) {
      const d = scale(data.arrows.scales[item.unit], this.vector(item, t));
      const length = size(d);
      if (length < 2 * this.thin) continue; // too short to be seen as an arrow
      const u = unit(d);
      const [e, f] = across(u);
      const place = placeOf(poses[item.body], item.point);
      const heads = item.unit === "N" ? 1 : 2;
      const head = Math.min(7 * this.thin, (0.7 * length) / heads);
      const wide = (k) => [scale(k * this.thin, e), scale(k * this.thin, f)];
      visit(item, this.shaft, columns(...wide(1), scale(length - head * heads, u), place));
      for (let k = 0; k < heads; k++) visit(item, this.head, columns(...wide(2.6), scale(head, u), along(place, length - head * (k + 1), u)));
    }
  }

  /** What lengths mean, in words. */
  get words() {
    const reach = 0.15 * size(sub(data.view.high, data.view.low));
    return Object.entries(data.arrows.scales).map(([unitName, s]) => {
      const value = niceAbove(reach / s);
      return `${Number((value * s).toPrecision(2))} m: ${readable(value)} ${unitName}`;
    }).join(", ");
  }
}
