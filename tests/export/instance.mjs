// The instance of a page, outside of browsers: node instance.mjs PAGE COMMANDS, commands as JSON; prints what they give.
import { readFileSync } from "node:fs";
const [page, commands] = process.argv.slice(2);
const text = readFileSync(page, "utf8");
const live = JSON.parse(text.match(/<script type="application\/json" id="data">(.*?)<\/script>/s)[1]).live;
const source = readFileSync(new URL("../../src/cotree/export/assets/instance.js", import.meta.url), "utf8");
const { Instance, unpack } = new Function(`${source}; return { Instance, unpack };`)();
const [code, model] = await Promise.all([unpack(live.code), unpack(live.model)]);
const given = JSON.parse(commands);
if (given.damage !== undefined) model[given.damage] ^= 1;
const runtime = { ...live.runtime, code, ...(given.version ? { version: given.version } : {}) };
let told;
try {
  const one = await Instance.from(runtime, model);
  const status = one.step(1e-3, given.steps);
  told = { status, t: one.t, q: [...one.q], v: [...one.v], poses: one.poses(), measure: one.measure() };
  for (let i = 0; i < given.driven; i++) {
    given.inputs.forEach((_, k) => one.setInput(k, 0.1 * Math.sin(0.01 * i + k)));
    one.step(1e-3);
  }
  told.driven = [...one.q];
  one.reset();
  told.start = [...one.q];
  const q = one.q;
  q[0] = 0.05;
  told.closed = [...one.close(q, new Float64Array(one.model.nv), [0]).q];
} catch (error) {
  told = { error: error.message };
}
console.log(JSON.stringify(told));
