// The picture: bodies, joints, springs, floor and axes, drawn for given poses.

class Scene {
  constructor(canvas, camera) {
    const gl = canvas.getContext("webgl2", { antialias: true, stencil: true });
    if (!gl) throw new Error("no WebGL 2");
    this.canvas = canvas;
    this.camera = camera;
    this.gl = gl;
    this.solid = new Program(gl, SOLID_VERTEX, SOLID_FRAGMENT);
    this.line = new Program(gl, LINE_VERTEX, LINE_FRAGMENT);
    this.show = { joints: true, floor: data.view.floor_shown, axes: true, paths: false };
    if (data.ties.length + data.fittings.length) this.show.elements = true;
    if (data.arrows.items.length) this.show.forces = true;
    if (others.length) this.show.compared = true;
    this.hidden = new Set(); // rows of bodies
    this.hot = 0; // what the mouse is over: see ids in `things`
    this.build();
    this.readColours();
  }

  build() {
    const sides = bodyCount > 300 ? 10 : bodyCount > 60 ? 16 : 28;
    const buffer = (parts) => this.buffer(new Triangles(sides).addAll(parts));
    this.bodies = data.bodies.map((body, k) => {
      const groups = paintedGroups(this.gl, body.parts, sides);
      return { row: k + 1, id: k + 1, reach: Math.max(...groups.map((group) => group.reach)), groups };
    });
    this.scenery = { row: 0, id: 0, groups: paintedGroups(this.gl, data.scenery, sides) };
    this.ghosts = others.map((other) => other.bodies.map((body, k) => ({
      row: k + 1, id: 0, body, groups: paintedGroups(this.gl, body.parts, sides),
    })));
    this.joints = data.joints.flatMap((joint, j) =>
      joint.glyphs.map((glyph) => ({
        row: glyph.body, id: bodyCount + 1 + j, cut: joint.cut, buffer: buffer(glyph.parts),
        child: data.bodies.findIndex((body) => body.name === joint.child) + 1,
      })));
    const behind = bodyCount + 1 + data.joints.length;
    this.ties = data.ties.map((tie, i) => this.tie(tie, behind + i));
    this.fittings = data.fittings.map((fitting, i) => ({
      row: fitting.body, id: behind + data.ties.length + i, buffer: buffer(fitting.parts),
    }));
    this.arrows = new Arrows(this.gl);
    this.buildPaths();
    const line = (points) => new Buffer(this.gl, [points], this.gl.LINE_STRIP);
    this.ghostTraces = others.flatMap(({ run, bodies }) => data.traces.flatMap((trace) => {
      const row = trace.body && bodies.findIndex((body) => body.name === data.bodies[trace.body - 1].name) + 1;
      return row ? [{ trace, buffer: line(run.path(row, trace.point)) }] : [];
    }));
    this.buildFloor();
    this.buildAxes(buffer);
    this.buildPicking();
  }

  buildPaths() {
    const line = (points) => new Buffer(this.gl, [points], this.gl.LINE_STRIP);
    this.paths = data.bodies.map((body, k) => line(motion.path(k + 1, [0, 0, 0])));
    this.traces = data.traces.map((trace) => ({ trace, buffer: line(motion.path(trace.body, trace.point)) }));
  }

  buffer(triangles) {
    return new Buffer(this.gl, [triangles.positions, triangles.normals], this.gl.TRIANGLES);
  }

  /** A spring, damper, rope or bar between two bodies, made at its first length and stretched later. */
  tie(tie, id) {
    const triangles = new Triangles(8);
    if (tie.kind === "spring") triangles.coil(tie.length, 0.8 * data.size, 0.18 * data.size);
    else triangles.addAll(tie.parts);
    return { tie, id, length: tie.length, buffer: this.buffer(triangles) };
  }

  /** Lines at round numbers of metres in the plane of the floor. */
  buildFloor() {
    const { low, high, normal: up, floor } = data.view;
    const e = unit(Math.abs(up[0]) < 0.9 ? along([1, 0, 0], -up[0], up) : along([0, 1, 0], -up[1], up));
    const f = cross(up, e);
    const middle = scale(0.5, add(low, high));
    const reach = 0.75 * size(sub(high, low));
    this.step = niceAbove(reach / 7);
    const place = (x, y) => add(add(scale(x, e), scale(y, f)), scale(floor, up));
    const [x0, y0] = [dot(middle, e), dot(middle, f)];
    const points = [];
    for (const [origin, centre, at] of [
      [dot(data.origin, e), x0, (s, end) => place(s, y0 + end)],
      [dot(data.origin, f), y0, (s, end) => place(x0 + end, s)],
    ]) {
      const first = Math.ceil((origin + centre - reach) / this.step);
      const last = Math.floor((origin + centre + reach) / this.step);
      for (let k = first; k <= last; k++) {
        const s = k * this.step - origin;
        for (let piece = -16; piece < 16; piece++) points.push(...at(s, (piece / 16) * reach), ...at(s, ((piece + 1) / 16) * reach));
      }
    }
    this.floor = { buffer: new Buffer(this.gl, [points], this.gl.LINES), middle: place(x0, y0), reach };
  }

  /** Thin arrows along the world's axes, at its origin where that is near. */
  buildAxes(buffer) {
    const reach = size(sub(data.view.high, data.view.low));
    const away = size(along(scale(-1, data.origin), -0.5, add(data.view.low, data.view.high)));
    this.axisLength = 0.09 * reach;
    this.axesNear = away < 2 * reach;
    const zero = scale(-1, data.origin);
    this.axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((e) => {
      const [neck, tip] = [along(zero, 0.8 * this.axisLength, e), along(zero, this.axisLength, e)];
      const thin = 0.012 * this.axisLength;
      return {
        tip,
        buffer: buffer([
          { kind: "cylinder", a: zero, b: neck, radius: 1.6 * thin }, { kind: "cone", a: neck, b: tip, radius: 4.5 * thin },
        ]),
      };
    });
  }

  /** A picture in which colours are numbers of things. */
  buildPicking() {
    const gl = this.gl;
    this.picking = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.picking);
    this.stores = [[gl.COLOR_ATTACHMENT0, gl.RGBA8], [gl.DEPTH_ATTACHMENT, gl.DEPTH_COMPONENT16]].map(([slot, format]) => {
      const store = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, store);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, slot, gl.RENDERBUFFER, store);
      return { store, format };
    });
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  readColours() {
    const all = (names) => Object.fromEntries(names.map((name) => [name, rgb(colour(name))]));
    this.colours = all(["sky", "grid", "joint", "cut", "text", "crossing", "c1", "c3"]);
    this.palette = data.bodies.map((body) => rgb(colour(hueOf(body))));
    this.axisColours = ["cut", "c1", "c0"].map((name) => rgb(colour(name)));
  }

  /** Size of the canvas in pixels of the screen. */
  reshape() {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight].map((x) => Math.max(1, Math.round(x * ratio)));
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    this.camera.reshape(width / height);
  }

  draw(poses, t) {
    const { gl, camera, colours } = this;
    this.poses = poses;
    this.t = t;
    this.view = camera.matrix();
    this.matrices = poses.map(poseMatrix);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(...colours.sky, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    if (this.show.floor) this.drawFloor();
    const [right, up, back] = camera.axes;
    const key = unit(add(add(scale(0.55, camera.world), scale(0.45, back)), add(scale(-0.35, right), scale(0.25, up))));
    this.solid.use({ view: this.view, eye: camera.eye, up: data.view.normal, key, flatness: 0, shadow: 0, glow: 0,
      floorHeight: data.view.floor });
    gl.enable(gl.POLYGON_OFFSET_FILL); // leaves edges in front of the faces that they bound
    gl.polygonOffset(1, 1);
    this.drawBodies((body, group) => this.paint(body, group), (group) => group.opacity === 1);
    this.drawScenery(true);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    if (this.show.axes && this.axesNear) this.throughGlass((alpha) => this.drawAxes(alpha));
    if (this.show.joints || this.show.elements) this.throughGlass((alpha) => this.drawJoints(alpha));
    if (this.show.forces) this.throughGlass((alpha) => this.drawArrows(alpha));
    this.drawEdges();
    this.drawLines();
    this.drawGlass();
  }

  /** Colour of a part of a body, with its opacity. */
  paint(body, group) {
    return [...(group.color ?? this.palette[body.row - 1] ?? this.colours.grid), group.opacity];
  }

  drawScenery(solid) {
    for (const group of this.scenery.groups.filter((group) => (group.opacity === 1) === solid)) {
      this.solid.set({ model: this.matrices[0], colour: this.paint(this.scenery, group), glow: 0 });
      group.buffer.draw();
    }
  }

  /** What can be seen through, after all else: parts of bodies, scenery, and runs to compare with. */
  drawGlass() {
    const { gl } = this;
    this.solid.use();
    gl.depthMask(false);
    this.drawBodies((body, group) => this.paint(body, group), (group) => group.opacity < 1);
    this.drawScenery(false);
    if (this.show.compared) {
      this.ghosts.forEach((ghost, k) => {
        const poses = others[k].run.posesAt(this.t).map(poseMatrix);
        for (const body of ghost) {
          for (const group of body.groups) {
            const own = group.color ?? rgb(colour(hueOf(body.body)));
            this.solid.set({ model: poses[body.row], colour: [...own, 0.3 * group.opacity], glow: 0 });
            group.buffer.draw();
          }
        }
      });
    }
    gl.depthMask(true);
  }

  drawArrows(alpha) {
    const tints = { reaction: this.colours.crossing, force: this.colours.c1 };
    this.arrows.each(this.poses, this.t, (item, buffer, model) => {
      this.solid.set({ model, colour: [...tints[item.source], alpha], glow: 0 });
      buffer.draw();
    });
  }

  drawFloor() {
    const { gl } = this;
    gl.depthMask(false);
    this.line.use({ view: this.view, model: this.matrices[0], colour: [...this.colours.grid, 0.8], middle: this.floor.middle, fade: this.floor.reach });
    this.floor.buffer.draw();
    gl.enable(gl.STENCIL_TEST); // each pixel of a shadow is darkened once
    gl.stencilFunc(gl.EQUAL, 0, 0xff);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    this.solid.use({ view: this.view, up: data.view.normal, floorHeight: data.view.floor, shadow: 1, flatness: 1 });
    this.drawBodies((body, group) => [0, 0, 0, 0.13 * group.opacity]);
    gl.disable(gl.STENCIL_TEST);
    gl.depthMask(true);
  }

  /** paint(body, group): colour with opacity. which(group): whether it is drawn now. */
  drawBodies(paint, which = () => true) {
    for (const body of this.bodies) {
      if (this.hidden.has(body.row)) continue;
      for (const group of body.groups.filter(which)) {
        this.solid.set({ model: this.matrices[body.row], colour: paint(body, group), glow: body.id === this.hot ? 1 : 0 });
        group.buffer.draw();
      }
    }
  }

  drawEdges() {
    this.line.use({ view: this.view, fade: 0 });
    for (const body of [...this.bodies, this.scenery]) {
      if (this.hidden.has(body.row)) continue;
      for (const group of body.groups) {
        const [r, g, b, a] = this.paint(body, group);
        this.line.set({ model: this.matrices[body.row], colour: [0.5 * r, 0.5 * g, 0.5 * b, 0.75 * a] });
        group.edges.draw();
      }
    }
  }

  /** In front of bodies as it is, behind them as through glass: paint(alpha) draws it. */
  throughGlass(paint) {
    const { gl } = this;
    paint(1);
    gl.depthFunc(gl.GREATER);
    gl.depthMask(false);
    paint(0.3);
    gl.depthFunc(gl.LESS);
    gl.depthMask(true);
  }

  drawAxes(alpha) {
    this.axes.forEach((axis, k) => {
      this.solid.set({ model: this.matrices[0], colour: [...this.axisColours[k], alpha], glow: 0 });
      axis.buffer.draw();
    });
  }

  drawJoints(alpha) {
    const { joint, cut, c3 } = this.colours;
    this.eachSign((sign, model) => {
      const own = sign.cut ? cut : sign.id > bodyCount + data.joints.length ? c3 : joint;
      this.solid.set({ model, colour: [...own, alpha], glow: sign.id === this.hot ? 1 : 0 });
      sign.buffer.draw();
    });
  }

  /** Signs of joints and elements that are to be seen, each with its place. */
  eachSign(visit) {
    if (this.show.joints) {
      for (const joint of this.joints) {
        if (!this.hidden.has(joint.child)) visit(joint, this.matrices[joint.row]);
      }
    }
    if (this.show.elements) {
      for (const one of this.ties) visit(one, this.stretched(one));
      for (const one of this.fittings) visit(one, this.matrices[one.row]);
    }
  }

  stretched({ tie, length }) {
    const a = placeOf(this.poses[tie.body_a], tie.point_a);
    const d = sub(placeOf(this.poses[tie.body_b], tie.point_b), a);
    const [e, f] = across(unit(d));
    return columns(e, f, scale(1 / length, d), a);
  }

  /** Paths: of named points always, of mass centres where they are asked for. */
  drawLines() {
    const draw = (buffer, tint, alpha) => {
      this.line.use({ view: this.view, model: this.matrices[0], colour: [...tint, alpha], fade: 0 });
      buffer.draw();
    };
    const tintOf = (trace) => (trace.color ? rgb(trace.color) : this.palette[trace.body - 1] ?? this.colours.text);
    for (const { trace, buffer } of this.traces) draw(buffer, tintOf(trace), 0.95);
    if (this.show.compared) for (const { trace, buffer } of this.ghostTraces) draw(buffer, tintOf(trace), 0.4);
    if (!this.show.paths) return;
    this.paths.forEach((path, k) => {
      if (!this.hidden.has(k + 1)) draw(path, this.palette[k], 0.9);
    });
  }

  /** Number of the thing at a place of the canvas, from 0 to 1 across and down: body, joint or spring; 0 for none. */
  pick(x, y) {
    const { width, height } = this.canvas;
    return this.identify([width, height], [-(2 * x - 1) * width, -(1 - 2 * y) * height], 1)[0];
  }

  /** What is to be seen: {number: [left, top, right, bottom]}, from 0 to 1 across and down. */
  inView(n = 300) {
    const boxes = {};
    this.identify([1, 1], [0, 0], n).forEach((id, k) => {
      const [x, y] = [((k % n) + 0.5) / n, 1 - (Math.floor(k / n) + 0.5) / n];
      const [left, top, right, bottom] = boxes[id] || [x, y, x, y];
      boxes[id] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
    });
    delete boxes[0];
    return boxes;
  }

  /** Numbers of the things in a picture of n by n pixels, from the bottom left; `zoom` and `shift` say of which part. */
  identify(zoom, shift, n) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.picking);
    for (const { store, format } of this.stores) {
      gl.bindRenderbuffer(gl.RENDERBUFFER, store);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, n, n);
    }
    gl.viewport(0, 0, n, n);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.disable(gl.BLEND);
    const part = columns([zoom[0], 0, 0], [0, zoom[1], 0], [0, 0, 1], [...shift, 0]);
    this.solid.use({ view: multiply(part, this.view), up: this.camera.world, shadow: 0, flatness: 1, floorHeight: 0 });
    const code = (id) => [(id & 255) / 255, ((id >> 8) & 255) / 255, (id >> 16) / 255, 1];
    this.drawBodies((body) => code(body.id));
    this.eachSign((sign, model) => {
      this.solid.set({ model, colour: code(sign.id) });
      sign.buffer.draw();
    });
    const bytes = new Uint8Array(4 * n * n);
    gl.readPixels(0, 0, n, n, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return Array.from({ length: n * n }, (_, k) => bytes[4 * k] + 256 * bytes[4 * k + 1] + 65536 * bytes[4 * k + 2]);
  }
}

/** What a number stands for, in words. */
function wordsFor(id) {
  if (id <= bodyCount) return data.bodies[id - 1].name;
  const joint = data.joints[id - bodyCount - 1];
  if (joint) return `${joint.name}: ${joint.kind}, ${joint.parent} \u2192 ${joint.child}${joint.cut ? ", cut" : ""}`;
  const made = [...data.ties, ...data.fittings][id - bodyCount - 1 - data.joints.length];
  return `${made.name}: ${made.kind}`;
}
