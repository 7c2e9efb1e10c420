// Tables: sort by a heading, filter by a word, walk through a heat map with the arrow keys.
// A cell sorts by its data-v, else by its text.

function sortKey(row, at) {
  const cell = row.cells[at];
  const raw = cell.dataset.v === undefined ? cell.textContent.trim() : cell.dataset.v;
  const plain = raw.replace(/,/g, "");
  return plain !== "" && !Number.isNaN(Number(plain)) ? Number(plain) : raw.toLowerCase();
}

function compare(a, b) {
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

// The first click sorts names upwards and numbers downwards, the next one turns the order round.
function turn(heading) {
  const numbers = heading.classList.contains("num") || heading.classList.contains("slant");
  const before = heading.getAttribute("aria-sort");
  const up = before === "descending" || (before === null && !numbers);
  for (const other of heading.parentNode.children) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", up ? "ascending" : "descending");
  return up ? 1 : -1;
}

function onHeading(heading, act) {
  heading.tabIndex = 0;
  heading.addEventListener("click", act);
  heading.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act();
  });
}

function sortTable(table, at) {
  const sign = turn(table.tHead.rows[0].cells[at]);
  const rows = [...table.tBodies[0].rows].map((row) => [sortKey(row, at), row]);
  rows.sort((a, b) => sign * compare(a[0], b[0]));
  table.tBodies[0].append(...rows.map((pair) => pair[1]));
}

function filterTable(table, word, count) {
  let kept = 0;
  for (const row of table.tBodies[0].rows) {
    row.hidden = !row.cells[0].textContent.toLowerCase().includes(word);
    kept += row.hidden ? 0 : 1;
  }
  count.textContent = word ? `${kept} of ${table.tBodies[0].rows.length}` : "";
}

for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((heading, at) => {
    if (!heading.hasAttribute("data-nosort")) onHeading(heading, () => sortTable(table, at));
  });
}
for (const input of document.querySelectorAll("input.filter")) {
  const count = document.querySelector(`[data-count="${input.dataset.for}"]`);
  input.addEventListener("input", () =>
    filterTable(byId(input.dataset.for), input.value.toLowerCase(), count),
  );
}

// A heat map has thousands of cells: one of them is in the order of the Tab key, arrows lead to the others.
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const HEAT = "td[data-cell]";

function nextCell(cell, [down, right]) {
  const rows = [...cell.closest("tbody").rows].filter((row) => !row.hidden);
  let row = rows.indexOf(cell.parentNode);
  let at = cell.cellIndex;
  do {
    row += down;
    at += right;
  } while (rows[row]?.cells[at] && !rows[row].cells[at].matches(HEAT));
  return rows[row]?.cells[at];
}

for (const table of document.querySelectorAll("table.heat")) {
  for (const cell of table.querySelectorAll(HEAT)) cell.tabIndex = -1;
  const first = table.querySelector(HEAT);
  if (first) first.tabIndex = 0;
  table.addEventListener("focusin", (event) => {
    if (!event.target.matches(HEAT)) return;
    for (const cell of table.querySelectorAll(`${HEAT}[tabindex="0"]`)) cell.tabIndex = -1;
    event.target.tabIndex = 0;
  });
  table.addEventListener("keydown", (event) => {
    if (!(event.key in ARROWS) || !event.target.matches(HEAT)) return;
    event.preventDefault();
    nextCell(event.target, ARROWS[event.key])?.focus();
  });
}
