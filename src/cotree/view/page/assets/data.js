// What Python sent, and small helpers around the document. Names are only ever put into the page as text.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

/** Numbers from base64: little-endian single or double precision. */
function decode(text, Kind = Float32Array) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Kind(bytes.buffer);
}

/** An element with properties and children; strings become text, never markup. */
function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

/** Colour of the style sheet by its name, as written there. */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** "#rrggbb" as three numbers from 0 to 1. */
const rgb = (text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16) / 255);

const COLOURS = 6;
const hueOf = (body) => `c${body.place % COLOURS}`; // by the order in which the user wrote the bodies

/** 1, 2 or 5 times a power of ten, not below x. */
function niceAbove(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * [1, 2, 5, 10].find((f) => f * power >= x * (1 - 1e-9));
}

/** A number for reading. */
const readable = (x) => (x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e5) ? x.toExponential(3) : x.toPrecision(4));

const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
