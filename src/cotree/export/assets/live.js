// The page: a mechanism that is simulated here, with sliders for its inputs and its start, drawn as it moves.

const live = data.live;
const SHOWN_SECONDS = 10; // of the plots
const BUDGET = 25; // milliseconds of computing for a picture

/** Quaternion of a rotation given by rows. */
function quaternionOf(R) {
  const [a, b, c] = [R[0], R[4], R[8]];
  const squares = [1 + a + b + c, 1 + a - b - c, 1 - a + b - c, 1 - a - b + c];
  const k = squares.indexOf(Math.max(...squares));
  const s = 2 * Math.sqrt(squares[k]);
  const [x, y, z] = [R[7] - R[5], R[2] - R[6], R[3] - R[1]];
  const [u, v, w] = [R[1] + R[3], R[2] + R[6], R[5] + R[7]];
  const all = [[s * s / 4, x, y, z], [x, s * s / 4, u, v], [y, u, s * s / 4, w], [z, v, w, s * s / 4]];
  return all[k].map((part) => part / s);
}

const turnedBy = (R, x) => [0, 3, 6].map((i) => R[i] * x[0] + R[i + 1] * x[1] + R[i + 2] * x[2]);
const turnedBack = (R, x) => [0, 1, 2].map((i) => R[i] * x[0] + R[i + 3] * x[1] + R[i + 6] * x[2]);

/** Poses for the picture: what the kernels give are body frames, what is drawn are mass centres about the origin of the page. */
class Shown {
  constructor(poses) {
    const at = GROUND_FRAMES();
    this.bodies = at.map(({ q, p }, k) => {
      const frame = poses[k + 1];
      const centre = turnedBack(frame, sub(add(p, data.origin), frame.slice(9)));
      const [w, x, y, z] = quaternionOf(frame);
      return { centre, turn: compose([w, -x, -y, -z], q) };
    });
  }
  of(poses) {
    const moved = this.bodies.map(({ centre, turn }, k) => {
      const frame = poses[k + 1];
      return { q: compose(quaternionOf(frame), turn), p: sub(add(turnedBy(frame, centre), frame.slice(9)), data.origin) };
    });
    return [GROUND, ...moved];
  }
}
const GROUND_FRAMES = () => Array.from({ length: bodyCount }, (_, k) => motion.frameAt(0, k));

/** A curve over the last seconds. */
class Strip {
  constructor(host, title, unit) {
    this.canvas = element("canvas", { className: "strip" });
    this.value = element("output");
    host.append(element("div", { className: "plot" }, element("h2", {}, title, " ", this.value), this.canvas));
    this.unit = unit;
    this.clear();
  }
  clear() { this.points = []; }
  add(t, x) {
    this.points.push([t, x]);
    while (this.points.length && this.points[0][0] < t - SHOWN_SECONDS) this.points.shift();
  }
  draw() {
    const { canvas, points } = this;
    const ratio = window.devicePixelRatio || 1;
    const [w, h] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio].map(Math.round);
    if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
    const g = canvas.getContext("2d");
    g.clearRect(0, 0, w, h);
    if (!points.length) return;
    const [t, x] = points[points.length - 1];
    this.value.textContent = `${readable(x)} ${this.unit}`;
    const values = points.map((point) => point[1]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const reach = Math.max(high - low, 1e-12 * Math.max(1, Math.abs(low), Math.abs(high)));
    g.strokeStyle = colour("c0");
    g.lineWidth = 1.5 * ratio;
    g.beginPath();
    for (const [s, y] of points) g.lineTo(w * (1 - (t - s) / SHOWN_SECONDS), h * (0.92 - (0.84 * (y - low)) / reach));
    g.stroke();
    g.fillStyle = colour("faint");
    g.font = `${11 * ratio}px system-ui`;
    g.fillText(readable(high), 4 * ratio, 11 * ratio);
    g.fillText(readable(low), 4 * ratio, h - 3 * ratio);
  }
}

function slider(host, name, unit, range, value, changed) {
  const number = element("input", { type: "number", step: "any", value });
  const bar = element("input", { type: "range", min: -range, max: range, step: range / 200, value });
  const put = (x) => {
    if (!Number.isFinite(x)) return;
    bar.value = number.value = x;
    changed(x);
  };
  bar.addEventListener("input", () => put(Number(bar.value)));
  number.addEventListener("change", () => put(Number(number.value)));
  bar.setAttribute("aria-label", name);
  host.append(element("label", { className: "given" }, element("span", { textContent: `${name} [${unit}]` }), bar, number));
  return { show: (x) => (bar.value = number.value = x) };
}

async function begin() {
  const [code, model] = await Promise.all([unpack(live.code), unpack(live.model)]);
  const own = await Instance.from({ ...live.runtime, code }, model);
  const camera = new Camera(data.view);
  const scene = makeScene(camera);
  const first = own.measure();
  const shown = new Shown(own.poses());
  const strips = {
    coordinate: new Strip(byId("plots"), "", live.units[live.plotted]), energy: new Strip(byId("plots"), "total energy", "J"),
    closure: new Strip(byId("plots"), "largest error of the constraints", "m, rad"),
  };
  let [playing, waiting, last, owed, trouble, plotted] = [false, false, null, 0, "", live.plotted];

  function measure() {
    const e = own.measure();
    strips.coordinate.add(own.t, own.q[plotted]);
    strips.energy.add(own.t, e.kinetic + e.potential);
    strips.closure.add(own.t, e.position);
    byId("certificate").textContent =
      `energy ${readable(e.kinetic + e.potential)} J (${readable(first.kinetic + first.potential)} J at the start), `
      + `constraints to ${readable(e.position)} in positions, ${readable(e.velocity)} in velocities`;
  }
  function draw() {
    if (scene) {
      scene.draw(shown.of(own.poses()), own.t);
      labels.draw();
    }
    Object.values(strips).forEach((strip) => strip.draw());
    byId("clock").textContent = `t = ${own.t.toFixed(3)} s`;
    byId("status").textContent = trouble || (playing ? "simulated in this page" : "paused");
    byId("status").classList.toggle("bad", trouble !== "");
  }
  function refresh() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame((now) => {
      waiting = false;
      if (playing && last !== null) pass(Math.min(0.1, (now - last) / 1000));
      last = playing ? now : null;
      draw();
      if (playing) refresh();
    });
  }
  /** Simulate what the clock asks for, as far as there is time. */
  function pass(seconds) {
    owed += (seconds * Number(byId("speed").value)) / live.step;
    const until = performance.now() + BUDGET;
    while (owed >= 1 && performance.now() < until && !trouble) {
      const count = Math.min(20, Math.floor(owed));
      advance(count);
      owed -= count;
    }
    owed = Math.min(owed, 1);
  }
  function advance(count) {
    const status = own.step(live.step, count);
    if (status !== 0) {
      trouble = TEXTS[status] ?? "a step could not be computed";
      toggle(false);
    }
    measure();
    return status;
  }
  function toggle(on = !playing) {
    playing = on && !trouble;
    byId("play").classList.toggle("playing", playing);
    refresh();
  }
  function clear() {
    trouble = "";
    owed = 0;
    Object.values(strips).forEach((strip) => strip.clear());
    measure();
    refresh();
  }
  function reset() {
    own.reset();
    inputs.forEach((bar, k) => bar.show(own.input(k)));
    starts.forEach((bar, k) => bar.show(own.q[live.starts[k].q]));
    clear();
  }
  /** Start at rest with a coordinate at a value, the others as near as the loops let them be. */
  function setStart(k, value) {
    const { q: at, v: held } = live.starts[k];
    toggle(false);
    let [q, from] = [own.q, own.q[at]];
    const parts = Math.max(1, Math.ceil(Math.abs(value - from) / 0.1));
    for (let i = 1; i <= parts; i++) {
      const next = q.slice();
      next[at] = from + ((value - from) * i) / parts;
      const closed = own.close(next, new Float64Array(own.model.nv), [held]);
      if (closed.status < 0) {
        byId("status").textContent = "the loops cannot be closed there";
        break;
      }
      q = closed.q;
    }
    const status = own.setState(0, q, new Float64Array(own.model.nv));
    starts.forEach((bar, i) => bar.show(own.q[live.starts[i].q]));
    clear();
    return status;
  }

  byId("name").textContent = data.name;
  byId("version").textContent = `cotree ${data.version}`;
  byId("notes").append(...data.notes.map((note) => element("li", { textContent: note })));
  const inputs = live.inputs.map(({ name, unit, range }, k) =>
    slider(byId("inputs"), name, unit, range, own.input(k), (x) => own.setInput(k, x)));
  const starts = live.starts.map(({ name, unit, range, q }, k) =>
    slider(byId("starts"), name, unit, range, own.q[q], (x) => setStart(k, x)));
  const choice = element("select", {}, ...live.names.map((name, k) =>
    element("option", { value: k, textContent: name, selected: k === plotted })));
  choice.addEventListener("change", () => {
    plotted = Number(choice.value);
    strips.coordinate.unit = live.units[plotted];
    strips.coordinate.clear();
    measure();
    refresh();
  });
  strips.coordinate.value.before(choice, " ");
  byId("play").addEventListener("click", () => toggle());
  byId("reset").addEventListener("click", reset);
  byId("speed").append(...[0.1, 0.2, 0.5, 1, 2, 5].map((s) => element("option", { value: s, textContent: `${s}\u00d7`, selected: s === 1 })));
  document.addEventListener("keydown", (event) => {
    if (event.key === " " && !/INPUT|SELECT|BUTTON/.test(event.target.tagName)) toggle();
  });
  const labels = scene && new Labels(byId("overlay"), scene);
  if (scene) {
    steer(byId("picture"), camera, refresh);
    fillLegend(scene, refresh);
  }
  const reshape = () => {
    if (scene) scene.reshape();
    draw();
  };
  measure();
  new ResizeObserver(reshape).observe(byId("stage"));
  reshape();
  window.cotree = { model: own, advance, reset, setStart, toggle, draw, setInput: (k, x) => own.setInput(k, x) };
  if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches && !navigator.webdriver) toggle(true);
}

function makeScene(camera) {
  try {
    return new Scene(byId("picture"), camera);
  } catch (error) {
    byId("trouble").hidden = false;
    byId("trouble").textContent = `The 3-D view needs WebGL 2, which this browser does not support (${error.message}); all else works without it.`;
    return null;
  }
}

begin().catch((error) => {
  byId("status").textContent = `cannot be simulated: ${error.message}`;
  byId("status").classList.add("bad");
  window.cotree = { error: error.message };
});
