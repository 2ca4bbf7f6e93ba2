// A list of modes, of which one is played, and what moves in it.

const MOST_PARTS = 40; // coordinates in the table

/** The list, where there are modes; chosen(k) is called with the number of the mode to show. */
function makeModes(chosen) {
  if (!data.modes) return;
  const table = element("table", { id: "parts" });
  const choose = (k) => {
    fillParts(table, data.modes[k].parts);
    chosen(k);
  };
  const list = element("fieldset", { id: "modes" }, element("legend", { textContent: "Modes" }), ...data.modes.map((mode, k) => {
    const button = element("input", { type: "radio", name: "mode", value: k, checked: k === 0 });
    button.addEventListener("change", () => choose(k));
    return element("label", {}, button, mode.name);
  }));
  byId("plots").append(list, element("div", { className: "plot" }, element("h2", { textContent: "What moves" }), table));
  fillParts(table, data.modes[0].parts);
}

/** Size and phase of the coordinates, the largest first. */
function fillParts(table, parts) {
  const cell = (tag, text) => element(tag, { textContent: text });
  const rows = parts.filter(([, size]) => size > 1e-6).sort((a, b) => b[1] - a[1]).slice(0, MOST_PARTS);
  const degrees = (phase) => `${Math.round((180 * phase) / Math.PI) + 0}\u00b0`;
  table.replaceChildren(
    element("tr", {}, cell("th", "coordinate"), cell("th", "size"), cell("th", "phase")),
    ...rows.map(([name, size, phase]) => element("tr", {}, cell("td", name), cell("td", readable(size)), cell("td", degrees(phase)))),
  );
}
