// A camera that turns about a point, and fits itself to the volume that the motion sweeps.

const FIELD = 0.6; // radians, from bottom to top

class Camera {
  constructor(view) {
    this.world = view.up;
    this.box = view;
    this.home = unit(view.eye);
    this.aspect = 1;
    this.shift = [0, 0, 0]; // of the target, while the camera follows the bodies
    this.reset();
  }

  reset() {
    this.back = this.home;
    this.target = scale(0.5, add(this.box.low, this.box.high));
    this.distance = this.fitting();
    this.moved = false;
  }

  /** The picture has another shape now. */
  reshape(aspect) {
    this.aspect = aspect;
    if (!this.moved) this.distance = this.fitting();
  }

  get axes() {
    const right = unit(cross(this.world, this.back));
    return [right, cross(this.back, right), this.back];
  }

  /** Distance from which all that the motion sweeps is seen. */
  fitting() {
    const [right, up, back] = this.axes;
    const tanY = Math.tan(FIELD / 2) * 0.88; // leaves a margin
    const tanX = tanY * this.aspect;
    let most = 0;
    for (const corner of this.box.hull) {
      const p = sub(corner, this.target);
      const depth = Math.max(Math.abs(dot(p, right)) / tanX, Math.abs(dot(p, up)) / tanY);
      most = Math.max(most, depth + dot(p, back));
    }
    return most || 1;
  }

  /** By angles; the poles are never passed. */
  turn(azimuth, elevation) {
    const up = this.world;
    const height = clamp(Math.asin(clamp(dot(this.back, up), -1, 1)) + elevation, -1.55, 1.55);
    const level = unit(along(this.back, -dot(this.back, up), up));
    const turned = along(scale(Math.cos(azimuth), level), Math.sin(azimuth), cross(up, level));
    this.back = along(scale(Math.cos(height), turned), Math.sin(height), up);
    this.moved = true;
  }

  /** By parts of the picture's height. */
  move(dx, dy) {
    const [right, up] = this.axes;
    const extent = 2 * this.distance * Math.tan(FIELD / 2);
    this.target = along(along(this.target, -dx * extent, right), dy * extent, up);
    this.moved = true;
  }

  zoom(factor) {
    this.distance *= factor;
    this.moved = true;
  }

  get eye() {
    return along(add(this.target, this.shift), this.distance, this.back);
  }

  matrix() {
    const reach = size(sub(this.box.high, this.box.low)) + size(this.shift);
    const far = this.distance + 8 * reach;
    const near = Math.max(this.distance - 3 * reach, 0.01 * this.distance);
    return multiply(perspective(FIELD, this.aspect, near, far), seenFrom(this.eye, ...this.axes));
  }
}

/** Mouse and fingers on the canvas; `changed` is called after each move. */
function steer(canvas, camera, changed) {
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({ preventScroll: true });
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!event.buttons) return;
    const [dx, dy] = [event.movementX / canvas.clientHeight, event.movementY / canvas.clientHeight];
    if (event.shiftKey || event.buttons & 6) camera.move(dx, dy);
    else camera.turn(-4 * dx, 4 * dy);
    changed();
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 30 : 1;
    camera.zoom(Math.exp(clamp(event.deltaY * lines, -300, 300) * 0.0015));
    changed();
  }, { passive: false });
  canvas.addEventListener("dblclick", () => {
    camera.reset();
    changed();
  });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
}
