// Time: playing, pausing, speed, the slider and its ticks.

const SPEEDS = [0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const MOST_TICKS = 400;

class Timeline {
  constructor(changed) {
    this.changed = changed;
    this.t = start;
    this.playing = false;
    this.slider = byId("slider");
    Object.assign(this.slider, { min: start, max: end, value: start, disabled: end === start });
    this.slider.addEventListener("input", () => this.set(Number(this.slider.value)));
    byId("play").disabled = end === start;
    byId("play").addEventListener("click", () => this.toggle());
    this.digits = end > start ? clamp(Math.ceil(3 - Math.log10(end - start)), 2, 9) : 3;
    this.fillSpeeds();
    this.fillTicks();
    document.addEventListener("keydown", (event) => this.key(event));
  }

  /** A run that is over in a moment starts slowed down. */
  fillSpeeds() {
    const usual = data.modes ? 1 : SPEEDS.slice(1).filter((s) => s <= 1 && (end - start) / s >= 3).pop() ?? 0.1;
    byId("speed").append(...SPEEDS.map((s) => element("option", { value: s, textContent: `${s}\u00d7`, selected: s === usual })));
  }

  fillTicks() {
    const ticks = data.marks.slice(0, MOST_TICKS).map((mark) => {
      const tick = element("button", { type: "button", className: `tick ${mark.kind}` });
      tick.title = `${mark.text}, t = ${Number(mark.t.toPrecision(9))} s`;
      tick.style.left = `${(100 * (mark.t - start)) / (end - start || 1)}%`;
      tick.addEventListener("click", () => this.set(mark.t));
      return tick;
    });
    byId("ticks").append(...ticks);
  }

  get speed() {
    return Number(byId("speed").value);
  }

  set(t) {
    this.t = clamp(t, start, end);
    this.changed();
  }

  toggle(on = !this.playing) {
    this.playing = on && end > start;
    if (this.playing && this.t >= end) this.t = start;
    byId("play").classList.toggle("playing", this.playing);
    byId("play").blur();
    this.changed();
  }

  /** `seconds` have passed on the clock. */
  pass(seconds) {
    const t = this.t + seconds * this.speed;
    if (t <= end) this.t = t;
    else if (byId("loop").checked) this.t = start + ((t - start) % (end - start));
    else {
      this.t = end;
      this.toggle(false);
    }
  }

  key(event) {
    const typing = /^(SELECT|INPUT|SUMMARY|TEXTAREA)$/.test(event.target.tagName) && event.target !== this.slider;
    if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === " ") {
      event.preventDefault();
      this.toggle();
    } else if ((event.key === "ArrowRight" || event.key === "ArrowLeft") && times.length > 1) {
      event.preventDefault();
      const i = frameBefore(this.t);
      this.set(times[event.key === "ArrowRight" ? i + 1 : this.t > times[i] ? i : Math.max(0, i - 1)]);
    }
  }

  show() {
    this.slider.value = this.t;
    const part = (this.t - start) / (end - start || 1);
    if (data.modes) byId("clock").textContent = `phase ${Math.round(360 * part)}\u00b0`;
    else byId("clock").textContent = `${this.t.toFixed(this.digits)} / ${Number(end.toPrecision(6))} s`;
  }
}
