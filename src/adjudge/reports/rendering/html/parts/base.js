"use strict";
// What every part of the page uses: elements, packed data, the theme, tooltips.
// Every text reaches the page through textContent or an attribute setter; nothing is ever parsed as HTML.

const byId = (id) => document.getElementById(id);

const OUTCOMES = ["scored", "wrong", "nothing usable", "suspected", "machinery failed"];

const isThere = (thing) => thing !== null && thing !== undefined && thing !== false;

function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (isThere(value)) node.setAttribute(name, value);
  }
  node.append(...children.flat(Infinity).filter(isThere));
  return node;
}

const number = (value) => (isThere(value) ? value.toFixed(3) : "undefined");
const whole = (value) => value.toLocaleString("en");
// A reward between 0 and a success is neither a pass nor a fail, and must not look like either.
const SUCCESS = Number(document.body.dataset.success || 1);
const isPartial = (outcome, reward) => outcome === "scored" && reward < SUCCESS;
const outcomeDot = (outcome, reward) =>
  element("span", { class: `dot-o ${isPartial(outcome, reward) ? "part" : `o${OUTCOMES.indexOf(outcome)}`}` });
const outcomeWord = (outcome, reward) => (isPartial(outcome, reward) ? "scored in part" : outcome);

// Packed data is JSON, compressed, in Base64. Each part is unpacked once, when it is first asked for.
const unpacked = new Map();

async function decompress(id) {
  const bytes = Uint8Array.from(atob(JSON.parse(byId(id).textContent)), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function unpack(id) {
  if (!unpacked.has(id)) unpacked.set(id, decompress(id));
  return unpacked.get(id);
}

// The theme follows the system until it is chosen. A page opened from a file may have no storage.
const THEME = "adjudge-theme";

function storedTheme() {
  try {
    return localStorage.getItem(THEME);
  } catch {
    return null;
  }
}

function switchTheme() {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  root.dataset.theme = (root.dataset.theme || system) === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(THEME, root.dataset.theme);
  } catch {
    // it lasts until the page is closed
  }
}

if (["light", "dark"].includes(storedTheme())) document.documentElement.dataset.theme = storedTheme();
byId("theme").hidden = false;
byId("theme").addEventListener("click", switchTheme);

byId("save").hidden = false;
byId("save").addEventListener("click", async () => {
  const text = JSON.stringify(await unpack("data-report"), null, 2);
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  element("a", { href: address, download: "report.json" }).click();
  URL.revokeObjectURL(address);
});

// Tooltips: whatever has data-tip, under the pointer or the keyboard's focus.
const tip = byId("tip");

function showTip(node, x, y) {
  tip.textContent = node.dataset.tip;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const below = y + 18 + box.height <= innerHeight;
  tip.style.left = `${Math.max(6, Math.min(x + 14, innerWidth - box.width - 6))}px`;
  tip.style.top = `${below ? y + 18 : Math.max(6, y - box.height - 12)}px`;
}

document.addEventListener("pointermove", (event) => {
  const node = event.target.closest("[data-tip]");
  if (node) showTip(node, event.clientX, event.clientY);
  else tip.hidden = true;
});
document.addEventListener("focusin", (event) => {
  const node = event.target.closest("[data-tip]");
  const box = node && node.getBoundingClientRect();
  if (node) showTip(node, box.left, box.bottom - 12);
  else tip.hidden = true;
});
document.addEventListener("scroll", () => (tip.hidden = true), { passive: true, capture: true });
