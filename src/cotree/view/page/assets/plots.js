// Curves over time on a canvas, with axes, a key that tells the present values, and a cursor.

const LEAST = 1e-18; // on a logarithmic axis zero would have no place

/** Numbers at `step` from each other, written with as many digits as tell them apart. */
function labelsFor(ticks, step) {
  const most = Math.max(...ticks.map(Math.abs), step);
  if (most >= 1e5 || most < 1e-3) {
    const digits = clamp(Math.ceil(Math.log10(most / step) - 1e-9), 0, 12);
    return ticks.map((x) => (x === 0 ? "0" : x.toExponential(digits)));
  }
  const digits = clamp(Math.ceil(-Math.log10(step) - 1e-9), 0, 12);
  return ticks.map((x) => x.toFixed(digits));
}

/** Round numbers from low to high, about n of them. */
function roundTicks(low, high, n) {
  const step = niceAbove((high - low) / n);
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) ticks.push(k * step);
  return { ticks, labels: labelsFor(ticks, step) };
}

/** Powers of ten, at most about n of them. */
function decadeTicks(low, high, n) {
  const every = Math.max(1, Math.ceil((high - low) / n));
  const ticks = [];
  for (let k = Math.ceil(low / every) * every; k <= high; k += every) ticks.push(k);
  return { ticks, labels: ticks.map((k) => `1e${k}`) };
}

class Plot {
  /** curves: [{name, values, colour (name in the style sheet), dashed, run (whose motion it belongs to)}]. */
  constructor(host, { title, unit: unitName, logarithmic = false, curves = [], onTime }) {
    this.logarithmic = logarithmic;
    this.heading = element("h2");
    this.key = element("div", { className: "key" });
    this.canvas = element("canvas");
    this.box = element("div", { className: "plot" }, this.heading, this.key, element("div", { className: "area" }, this.canvas));
    host.append(this.box);
    this.name(title, unitName);
    this.setCurves(curves);
    const jump = (event) => {
      const [left, right] = this.span;
      onTime(start + (clamp((event.offsetX - left) / (right - left), 0, 1)) * (end - start));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      jump(event);
    });
    this.canvas.addEventListener("pointermove", (event) => event.buttons && jump(event));
  }

  name(title, unitName) {
    this.heading.textContent = `${title} [${unitName}]`;
    this.canvas.setAttribute("aria-label", `${title} in ${unitName} over time in s`);
  }

  setCurves(curves) {
    this.curves = curves;
    this.values = curves.map(() => element("b"));
    this.key.replaceChildren(...curves.map((curve, k) => {
      const line = element("i", { className: curve.dashed ? "dashed" : "" });
      line.style.borderColor = `var(--${curve.colour})`;
      this.values[k].style.fontWeight = "normal";
      return element("span", {}, line, `${curve.name} `, this.values[k]);
    }));
    this.range = this.findRange();
    this.still = null;
  }

  /** Value as it is drawn. */
  seen(x) {
    return this.logarithmic ? Math.log10(Math.max(Math.abs(x), LEAST)) : x;
  }

  findRange() {
    let [low, high] = [Infinity, -Infinity];
    for (const { values } of this.curves) {
      for (const x of values) {
        const y = this.seen(x);
        if (Number.isFinite(y)) [low, high] = [Math.min(low, y), Math.max(high, y)];
      }
    }
    if (low > high) return [0, 1];
    const least = this.logarithmic ? 1 : Math.max(1e-6 * Math.max(Math.abs(low), Math.abs(high)), 1e-30);
    const pad = Math.max(0.06 * (high - low), high - low < least ? least : 0);
    return [low - pad, high + pad];
  }

  /** Everything but the cursor, kept until something changes. */
  drawStill() {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.still = element("canvas", { width: this.canvas.width, height: this.canvas.height });
    const pen = this.still.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = "10px system-ui, sans-serif";
    const [low, high] = this.range;
    const marks = (this.logarithmic ? decadeTicks : roundTicks)(low, high, clamp(height / 26, 3, 7));
    const left = Math.max(...marks.labels.map((text) => pen.measureText(text).width), 20) + 8;
    const [right, top, bottom] = [width - 6, 5, height - 18];
    this.span = [left, right];
    this.y = (x) => bottom - ((this.seen(x) - low) / (high - low)) * (bottom - top);
    this.x = (t) => left + ((t - start) / (end - start || 1)) * (right - left);
    this.limits = [top, bottom];
    this.drawAxes(pen, marks, (y) => bottom - ((y - low) / (high - low)) * (bottom - top));
    pen.save();
    pen.beginPath();
    pen.rect(left, top - 1, right - left, bottom - top + 2);
    pen.clip();
    this.drawMarks(pen);
    for (const curve of this.curves) this.drawCurve(pen, curve);
    pen.restore();
  }

  drawAxes(pen, marks, place) {
    const [left, right] = this.span;
    const [top, bottom] = this.limits;
    pen.strokeStyle = colour("line");
    pen.fillStyle = colour("faint");
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const stroke = (x0, y0, x1, y1) => {
      pen.beginPath();
      pen.moveTo(x0, y0);
      pen.lineTo(x1, y1);
      pen.stroke();
    };
    marks.ticks.forEach((y, k) => {
      stroke(left, place(y), right, place(y));
      pen.fillText(marks.labels[k], left - 4, place(y));
    });
    pen.textBaseline = "top";
    pen.textAlign = "center";
    if (end > start) {
      const { ticks, labels } = roundTicks(start, end, clamp((right - left) / 60, 2, 8));
      const nameFrom = right - pen.measureText("time [s]").width - 8;
      ticks.forEach((t, k) => {
        stroke(this.x(t), top, this.x(t), bottom);
        if (this.x(t) + pen.measureText(labels[k]).width / 2 < nameFrom) pen.fillText(labels[k], this.x(t), bottom + 5);
      });
    }
    pen.textAlign = "right";
    pen.fillText("time [s]", right, bottom + 5);
  }

  /** Events and crossings as vertical lines. */
  drawMarks(pen) {
    const [top, bottom] = this.limits;
    for (const mark of data.marks) {
      pen.strokeStyle = colour(mark.kind === "event" ? "mark" : "crossing");
      pen.setLineDash(mark.kind === "event" ? [4, 3] : [1, 2]);
      pen.beginPath();
      pen.moveTo(this.x(mark.t), top);
      pen.lineTo(this.x(mark.t), bottom);
      pen.stroke();
    }
    pen.setLineDash([]);
  }

  drawCurve(pen, curve) {
    pen.strokeStyle = colour(curve.colour);
    pen.lineWidth = 1.4;
    pen.setLineDash(curve.dashed ? [5, 3] : []);
    pen.beginPath();
    let drawing = false;
    const own = curve.run.times;
    for (let i = 0; i < own.length; i++) {
      const y = this.y(curve.values[i]);
      if (!Number.isFinite(y)) drawing = false;
      else if (drawing) pen.lineTo(this.x(own[i]), y);
      else {
        pen.moveTo(this.x(own[i]), y);
        drawing = true;
      }
    }
    pen.stroke();
  }

  draw(t) {
    if (!this.still) this.drawStill();
    const pen = this.canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.still, 0, 0);
    const ratio = window.devicePixelRatio || 1;
    pen.scale(ratio, ratio);
    pen.strokeStyle = colour("text");
    pen.beginPath();
    pen.moveTo(this.x(t), this.limits[0]);
    pen.lineTo(this.x(t), this.limits[1]);
    pen.stroke();
    this.curves.forEach(({ values, run }, k) => {
      const [i, s] = run.placeOf(t);
      const value = s > 0 ? values[i] * (1 - s) + values[i + 1] * s : values[i];
      this.values[k].textContent = Number.isFinite(value) ? readable(value) : "";
    });
  }
}

/** The plots of a run, of what it has. */
function makePlots(onTime) {
  const host = byId("plots");
  const valuesOf = (given) => Object.fromEntries(Object.entries(given).map(([name, text]) => [name, decode(text)]));
  const values = valuesOf(data.curves);
  const compared = others.map((other) => ({ ...other, values: valuesOf(other.curves) }));
  const curves = (names) => names.flatMap(([name, hue, dashed]) => [
    ...(values[name] ? [{ name, values: values[name], colour: hue, dashed, run: motion }] : []),
    ...compared.filter((other) => other.values[name] && !dashed).map((other) =>
      ({ name: `${name}, ${other.name}`, values: other.values[name], colour: hue, dashed: true, run: other.run })),
  ]);
  const plots = [];
  if (values.kinetic) {
    const energies = [["kinetic", "c0"], ["potential", "c3"], ["total", "c1"], ["supplied", "c2", true], ["dissipated", "c4", true]];
    plots.push(new Plot(host, { title: "energy", unit: "J", curves: curves(energies), onTime }));
    plots.push(new Plot(host, { title: "energy balance error", unit: "J", curves: curves([["balance", "c2"]]), onTime }));
  }
  if (values.position) {
    const violations = curves([["position", "c0"], ["velocity", "c3"]]);
    plots.push(new Plot(host, { title: "constraint violation", unit: "m, rad, m/s, rad/s", logarithmic: true, curves: violations, onTime }));
  }
  if (data.coordinates.values) plots.push(coordinatePlot(host, onTime));
  return plots;
}

/** Coordinates by choice. */
function coordinatePlot(host, onTime) {
  const { names, units, shown } = data.coordinates;
  const values = decode(data.coordinates.values);
  const compared = others.map(({ name, run, coordinates }) =>
    ({ name, run, names: coordinates.names, values: decode(coordinates.values) }));
  const plot = new Plot(host, { title: "coordinates", unit: "", onTime });
  const chosen = new Set(shown);
  const refresh = () => {
    const order = [...chosen].sort((a, b) => a - b);
    plot.setCurves(order.flatMap((i, k) => [
      {
        name: names[i], values: values.subarray(i * times.length, (i + 1) * times.length),
        colour: `c${k % COLOURS}`, dashed: k >= COLOURS, run: motion,
      },
      ...compared.filter((other) => other.names.includes(names[i])).map((other) => {
        const [j, n] = [other.names.indexOf(names[i]), other.run.times.length];
        return {
          name: `${names[i]}, ${other.name}`, values: other.values.subarray(j * n, (j + 1) * n), colour: `c${k % COLOURS}`,
          dashed: true, run: other.run,
        };
      }),
    ]));
    plot.name("coordinates", [...new Set(order.map((i) => units[i]))].join(", ") || "none chosen");
  };
  const choice = element("div", { className: "choice" }, ...names.map((name, i) => {
    const box = element("input", { type: "checkbox", checked: chosen.has(i) });
    box.addEventListener("change", () => {
      if (box.checked) chosen.add(i);
      else chosen.delete(i);
      refresh();
      onTime(null);
    });
    return element("label", { title: `${name} [${units[i]}]` }, box, name);
  }));
  plot.box.append(choice);
  refresh();
  return plot;
}
