// A mechanism that runs in this page: the compiled kernels and the model as data, as functions of plain arrays.

const FIRST_PLACE = 14; // word of the head behind which all are places in the image
const STACK = 1 << 20; // bytes
const TEXTS = { 3: "the state became infinite or NaN", 4: "the loops could not be closed" };

/** Words of the head by their names, and the lists behind it. */
function readModel(bytes, names) {
  const words = new BigUint64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 3);
  const head = Object.fromEntries(names.map((name, k) => [name, words[k]]));
  if (words.length < names.length || head.magic !== 0x314d454552544f43n || head.words !== BigInt(words.length)) {
    throw new Error("the model is damaged");
  }
  let sum = 0xcbf29ce484222325n;
  for (const word of words.subarray(3)) sum = BigInt.asUintN(64, (sum ^ word) * 0x100000001b3n);
  if (sum !== head.sum) throw new Error("the model is damaged");
  let at = names.length;
  const take = (n) => words.subarray(at, (at += Number(n)));
  const pairs = (list) => Array.from({ length: list.length / 2 }, (_, k) => [Number(list[2 * k]), Number(list[2 * k + 1])]);
  const inputs = Array.from(take(head.n_inputs), Number);
  const inside = pairs(take(2n * head.n_inside));
  const outside = pairs(take(2n * head.n_outside));
  const sizes = Object.fromEntries(names.slice(3).map((name) => [name, Number(head[name])]));
  return { ...sizes, version: head.version, inputs, inside, outside, words: take(head.stored) };
}

/** Text of base64 that is zipped, as bytes. */
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Instance {
  /** runtime: {code, pages, table, version, names, entries, doors}, code as bytes; model: bytes. */
  static async from(runtime, bytes) {
    const model = readModel(bytes, runtime.names);
    if (model.version !== BigInt(runtime.version)) throw new Error("the model is of another version");
    const room = Math.ceil((STACK + model.size + 16 * 8 * (model.nq + 4 * model.nv + 16)) / 65536) + 1;
    const memory = new WebAssembly.Memory({ initial: runtime.pages + room });
    const table = new WebAssembly.Table({ initial: runtime.table + runtime.entries.length, element: "anyfunc" });
    const top = runtime.pages * 65536 + STACK;
    const { sin, cos, atan2, exp } = Math;
    /** Product of two numbers of 128 bits, put into memory: sizes of arrays are multiplied so, to see whether they overflow. */
    const __multi3 = (at, a, aHigh, b, bHigh) => {
      const whole = (low, high) => BigInt.asUintN(64, low) | (BigInt.asUintN(64, high) << 64n);
      const product = whole(a, aHigh) * whole(b, bHigh);
      const view = new DataView(memory.buffer);
      view.setBigUint64(at, BigInt.asUintN(64, product), true);
      view.setBigUint64(at + 8, BigInt.asUintN(64, product >> 64n), true);
    };
    const env = {
      sin, cos, atan2, exp, __multi3, __linear_memory: memory, __indirect_function_table: table,
      __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, top),
    };
    const { instance } = await WebAssembly.instantiate(runtime.code, { env });
    runtime.entries.forEach((name, k) => table.set(runtime.table + k, instance.exports[name]));
    return new Instance(runtime, model, memory, instance.exports, top);
  }

  constructor(runtime, model, memory, functions, base) {
    Object.assign(this, { runtime, model, memory, functions, base });
    const { nq, nv } = model;
    let at = base + model.size;
    const place = (n) => (at += 8 * n) - 8 * n;
    this.given = { q: place(nq), v: place(nv), w: place(nv) };
    this.reset();
  }

  floats(at, n) {
    return new Float64Array(this.memory.buffer, at, n);
  }

  /** As it was exported. */
  reset() {
    const { model, base } = this;
    const image = new BigUint64Array(this.memory.buffer, base, model.size / 8);
    image.fill(0n);
    image.set(model.words);
    for (const [word, place] of model.inside) image[word] = BigInt(base + place);
    for (const [word, entry] of model.outside) image[word] = BigInt(this.runtime.table + entry);
  }

  get t() { return this.floats(this.base + this.model.time_at, 1)[0]; }
  get q() { return this.floats(this.base + this.model.state_at, this.model.nq).slice(); }
  get v() { return this.floats(this.base + this.model.state_at + 8 * this.model.nq, this.model.nv).slice(); }

  word(name) { return new BigInt64Array(this.memory.buffer, this.base + this.model[name], 1); }

  input(k) { return this.floats(this.base + this.model.inputs[k], 1)[0]; }
  setInput(k, value) {
    const place = this.floats(this.base + this.model.inputs[k], 1);
    if (place[0] === value) return;
    place[0] = value;
    this.word("stale_at")[0] = 1n;
  }

  /** Call a kernel with copies of q, v and w; returns its status. */
  call(door, t, q, v, w) {
    const given = { q, v, w };
    for (const [name, x] of Object.entries(given)) if (x) this.floats(this.given[name], x.length).set(x);
    const [a, b, c] = [this.given.q, this.given.v, this.given.w].map(BigInt);
    return Number(this.functions[this.runtime.doors[door]](BigInt(this.base + this.model.model), t, a, b, c));
  }
  out(name, n) { return this.floats(this.given[name], n).slice(); }

  /** So many steps of a size; 0, or the status of the one that failed, before which the state stays. */
  step(size, count = 1) {
    this.word("count_at")[0] = BigInt(count);
    return this.call("step", size);
  }
  setState(t, q, v) { return this.call("begin", t, q, v); }

  /** Rotation by rows and position of each body, ground first. */
  poses(q = this.q) {
    this.call("poses", this.t, q);
    const all = this.floats(this.base + this.model.poses_at, 12 * this.model.n_bodies);
    return Array.from({ length: this.model.n_bodies }, (_, k) => Array.from(all.subarray(12 * k, 12 * k + 12)));
  }

  /** Kinetic and potential energy, largest errors of the constraints in positions and velocities. */
  measure(q = this.q, v = this.v) {
    this.call("measure", this.t, q, v);
    const [kinetic, potential, position, velocity] = this.floats(this.base + this.model.energy_at, 4);
    return { kinetic, potential, position, velocity };
  }

  /** Power times time that inputs and elements have supplied and dissipated so far. */
  forward(q = this.q, v = this.v) {
    const status = this.call("forward", this.t, q, v, new Float64Array(this.model.nv));
    return { status, v_dot: this.out("w", this.model.nv) };
  }

  /** q and v with closed loops, the coordinates of v that are named by their places held. */
  close(q, v, held = []) {
    const fixed = new BigInt64Array(this.memory.buffer, this.base + this.model.fixed_at, this.model.nv);
    fixed.fill(0n);
    for (const k of held) fixed[k] = 1n;
    const status = this.call("close", this.t, q, v);
    return { status, q: this.out("q", this.model.nq), v: this.out("v", this.model.nv) };
  }
}
