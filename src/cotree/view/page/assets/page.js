// Everything together: words, picture, plots and time, drawn again when something has changed.

byId("name").textContent = data.name;
byId("status").textContent = data.status;
byId("status").classList.toggle("bad", data.status === "failed");
if (data.modes) document.querySelector("#words h2").textContent = "Linearization";
byId("version").textContent = `cotree ${data.version}`;
byId("certificate").append(...data.certificate.split("\n").map((line) =>
  element("div", { textContent: line.trim(), className: /^do not trust/.test(line.trim()) ? "warning" : "" })));
for (const other of others) {
  byId("certificate").append(element("h2", { textContent: `compared with ${other.name}` }), ...other.certificate.split("\n").map((line) =>
    element("div", { textContent: line.trim() })));
}
byId("notes").append(...data.notes.map((note) => element("li", { textContent: note })));

const camera = new Camera(data.view);
const canvas = byId("picture");
const timeline = new Timeline(() => refresh());
const plots = makePlots((t) => (t === null ? refresh() : timeline.set(t)));
const scene = makeScene();
const labels = scene && new Labels(byId("overlay"), scene);
let following = false;
let waiting = false;
let last = null;

function makeScene() {
  try {
    return new Scene(canvas, camera);
  } catch (error) {
    byId("trouble").hidden = false;
    byId("trouble").textContent = `The 3-D view needs WebGL 2, which this browser does not support (${error.message}); the plots work without it.`;
    return null;
  }
}

/** Play another mode. */
function showMode(k) {
  motion.use(data.modes[k].motion);
  if (scene) scene.buildPaths();
  timeline.toggle(true);
}

/** Middle of the bodies. */
const middleOf = (poses) => scale(1 / bodyCount, poses.slice(1).reduce((sum, pose) => add(sum, pose.p), [0, 0, 0]));

function draw() {
  const poses = posesAt(timeline.t);
  if (scene) {
    camera.shift = following ? sub(middleOf(poses), following.from) : [0, 0, 0];
    scene.draw(poses, timeline.t);
    labels.draw();
  }
  for (const plot of plots) plot.draw(timeline.t);
  timeline.show();
}

/** Draw at the next chance, and go on while the run plays. */
function refresh() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame((now) => {
    waiting = false;
    if (timeline.playing && last !== null) timeline.pass(Math.min(0.1, (now - last) / 1000));
    last = timeline.playing ? now : null;
    draw();
    if (timeline.playing) refresh();
  });
}

/** Keep the bodies in the middle, near enough to see them; or show the whole motion again. */
function follow(on) {
  const poses = posesAt(timeline.t);
  following = on && { from: middleOf(poses) };
  if (on) {
    const reach = Math.max(...scene.bodies.map((body) => size(sub(poses[body.row].p, following.from)) + body.reach));
    camera.target = following.from;
    camera.distance = (1.25 * reach) / Math.tan(FIELD / 2) / Math.min(1, camera.aspect);
    camera.moved = true;
  } else camera.reset();
}

function makeSwitches() {
  const add = (name, checked, change) => {
    const box = element("input", { type: "checkbox", checked, id: `show-${name}` });
    box.addEventListener("change", () => {
      change(box.checked);
      refresh();
    });
    byId("switches").append(element("label", {}, box, name));
  };
  for (const name of ["joints", "elements", "forces", "compared", "floor", "axes", "paths"].filter((name) => name in scene.show)) add(name, scene.show[name], (on) => (scene.show[name] = on));
  add("names", false, (on) => (labels.names = on));
  add("follow", false, follow);
}

/** Name of what is under the mouse. */
function hover(event) {
  const tip = byId("tip");
  const id = event.buttons ? 0 : scene.pick(event.offsetX / canvas.clientWidth, event.offsetY / canvas.clientHeight);
  if (id !== scene.hot) {
    scene.hot = id;
    refresh();
  }
  tip.hidden = id === 0;
  if (id === 0) return;
  tip.textContent = wordsFor(id);
  tip.style.left = `${Math.min(event.offsetX + 14, canvas.clientWidth - tip.offsetWidth - 6)}px`;
  tip.style.top = `${Math.min(event.offsetY + 14, canvas.clientHeight - tip.offsetHeight - 6)}px`;
}

function reshape() {
  if (scene) scene.reshape();
  for (const plot of plots) plot.still = null;
  draw(); // at once: a canvas that has changed its size is empty
}

if (scene) {
  steer(canvas, camera, refresh);
  fillLegend(scene, refresh);
  makeSwitches();
  canvas.addEventListener("pointermove", hover);
  canvas.addEventListener("pointerleave", () => {
    byId("tip").hidden = true;
    scene.hot = 0;
    refresh();
  });
  canvas.addEventListener("webglcontextlost", () => location.reload());
}
new ResizeObserver(reshape).observe(document.body);
new ResizeObserver(reshape).observe(byId("stage"));
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  if (scene) scene.readColours();
  reshape();
});
reshape();
makeModes(showMode);
if (data.modes && !window.matchMedia("(prefers-reduced-motion: reduce)").matches) timeline.toggle(true);

/** Place of a body's mass centre, or of the origin of the frame that `run.poses()` tells the pose of. */
function centreOf(name) {
  const pose = posesAt(timeline.t)[data.bodies.findIndex((body) => body.name === name) + 1];
  return add(pose.p, data.origin);
}
function positionOf(name) {
  const k = data.bodies.findIndex((body) => body.name === name);
  return sub(centreOf(name), rotate(posesAt(timeline.t)[k + 1].q, data.bodies[k].centre));
}

window.cotree = {
  setTime: (t) => {
    timeline.set(t);
    draw();
  },
  getTime: () => timeline.t,
  play: () => timeline.toggle(true),
  pause: () => timeline.toggle(false),
  isPlaying: () => timeline.playing,
  bodies: () => data.bodies.map((body) => body.name),
  bodyPosition: positionOf,
  bodyTurn: (name) => posesAt(timeline.t)[data.bodies.findIndex((body) => body.name === name) + 1].q,
  massCentre: centreOf,
  modes: () => (data.modes ?? []).map((mode) => mode.name),
  showMode,
  arrow: (name, unitName = "N") => {
    const item = scene.arrows.items.find((one) => one.name === name && one.unit === unitName);
    return item ? scene.arrows.vector(item, timeline.t) : null;
  },
  comparedCentre: (k, name) => {
    const { run, bodies } = others[k];
    return add(run.posesAt(timeline.t)[bodies.findIndex((body) => body.name === name) + 1].p, data.origin);
  },
  show: (name, on) => {
    scene.show[name] = on;
    draw();
  },
  inView: () => Object.fromEntries(Object.entries(scene.inView()).map(([id, box]) => [wordsFor(Number(id)), box])),
};
