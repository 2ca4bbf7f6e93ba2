// Words over the picture: names of bodies, the axes in the corner, the width of the grid, and what the mouse is over.

class Labels {
  constructor(canvas, scene) {
    this.canvas = canvas;
    this.scene = scene;
    this.names = false;
  }

  draw() {
    const { canvas, scene } = this;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = scene.canvas.width;
    canvas.height = scene.canvas.height;
    this.pen = canvas.getContext("2d");
    this.pen.scale(ratio, ratio);
    this.pen.font = "12px system-ui, sans-serif";
    this.pen.textBaseline = "middle";
    this.corner();
    if (scene.show.axes && scene.axesNear) scene.axes.forEach((axis, k) => this.word("xyz"[k], axis.tip, 0, "center"));
    if (this.names) {
      data.bodies.forEach((body, k) => {
        if (!scene.hidden.has(k + 1)) this.word(body.name, scene.poses[k + 1].p, 8, "left");
      });
    }
  }

  /** A word beside a point of the picture, with a rim that keeps it legible. */
  word(text, point, shift, align) {
    const [x, y, , w] = transform(this.scene.view, point);
    if (w <= 0) return;
    this.text(text, ((x / w + 1) / 2) * this.canvas.clientWidth + shift, ((1 - y / w) / 2) * this.canvas.clientHeight - 8, align);
  }

  text(text, x, y, align) {
    const { pen } = this;
    pen.textAlign = align;
    pen.lineWidth = 3;
    pen.lineJoin = "round";
    pen.strokeStyle = colour("sky");
    pen.strokeText(text, x, y);
    pen.fillStyle = colour("text");
    pen.fillText(text, x, y);
  }

  /** The world's axes as they lie, those that point away first, and the width of the grid. */
  corner() {
    const { pen, scene } = this;
    const [right, up, back] = scene.camera.axes;
    const middle = [38, this.canvas.clientHeight - 46];
    const order = [0, 1, 2].sort((i, j) => back[i] - back[j]);
    for (const k of order) {
      const [x, y] = [middle[0] + 24 * right[k], middle[1] - 24 * up[k]];
      pen.strokeStyle = colour(["cut", "c1", "c0"][k]);
      pen.lineWidth = 2;
      pen.beginPath();
      pen.moveTo(...middle);
      pen.lineTo(x, y);
      pen.stroke();
      this.text("xyz"[k], middle[0] + 32 * right[k], middle[1] - 32 * up[k], "center");
    }
    if (scene.show.forces) this.text(`arrows ${scene.arrows.words}`, 100, this.canvas.clientHeight - 10, "left");
    if (scene.show.floor) this.text(`grid ${Number(scene.step.toPrecision(3))} m`, 10, this.canvas.clientHeight - 10, "left");
  }
}

/** Boxes to tick: which bodies are shown. */
function fillLegend(scene, changed) {
  const legend = byId("legend");
  for (const body of [...data.bodies].sort((a, b) => a.place - b.place)) {
    const row = data.bodies.indexOf(body) + 1;
    const swatch = element("span", { className: "swatch" });
    swatch.style.background = body.parts[0]?.color ?? `var(--${hueOf(body)})`;
    const box = element("input", { type: "checkbox", checked: true });
    box.addEventListener("change", () => {
      if (box.checked) scene.hidden.delete(row);
      else scene.hidden.add(row);
      changed();
    });
    const label = element("label", {}, box, swatch, body.name);
    const light = (id) => () => {
      scene.hot = id;
      changed();
    };
    label.addEventListener("pointerenter", light(row));
    label.addEventListener("pointerleave", light(0));
    legend.querySelector("ul").append(element("li", {}, label));
  }
  const cut = data.joints.filter((joint) => joint.cut);
  const swatch = element("span", { className: "swatch" });
  swatch.style.background = "var(--cut)";
  const shown = cut.slice(0, 6).map((joint) => joint.name).join(", ") + (cut.length > 6 ? ` and ${cut.length - 6} more` : "");
  if (cut.length) legend.querySelector("p").append(swatch, ` cut joint${cut.length > 1 ? "s" : ""}: ${shown}`);
  for (const other of others) legend.append(element("p", { textContent: `as through glass: ${other.name}` }));
  legend.open = bodyCount <= 14;
}
