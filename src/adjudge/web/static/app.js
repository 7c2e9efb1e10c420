"use strict";
// What every page uses: the theme, tooltips, live runs. Every text reaches the page through textContent.

const byId = (id) => document.getElementById(id);

function switchTheme() {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  root.dataset.theme = (root.dataset.theme || system) === "dark" ? "light" : "dark";
  try {
    localStorage.setItem("adjudge-theme", root.dataset.theme);
  } catch {
    // it lasts until the page is closed
  }
}
byId("theme").addEventListener("click", switchTheme);

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
  const node = event.target.closest?.("[data-tip]");
  if (node) showTip(node, event.clientX, event.clientY);
  else tip.hidden = true;
});
document.addEventListener("focusin", (event) => {
  const node = event.target.closest?.("[data-tip]");
  const box = node && node.getBoundingClientRect();
  if (node) showTip(node, box.left, box.bottom - 12);
  else tip.hidden = true;
});
document.addEventListener("scroll", () => (tip.hidden = true), { passive: true, capture: true });

function cookie(name) {
  const found = document.cookie.split("; ").find((part) => part.startsWith(`${name}=`));
  return found ? found.slice(name.length + 1) : "";
}
// The token that shows that a request comes from a page of ours: a cookie that only our pages can read.
const pageToken = () => cookie("adjudge-csrf");
for (const form of document.querySelectorAll('form[method="post"]')) {
  form.addEventListener("submit", () => {
    const field = form.querySelector('input[name="csrf"]') || form.appendChild(document.createElement("input"));
    field.type = "hidden";
    field.name = "csrf";
    field.value = pageToken();
  });
}
document.addEventListener("htmx:configRequest", (event) => (event.detail.headers["x-csrf-token"] = pageToken()));

// On a phone the row of pages is wider than the screen: show where we are.
document.querySelector("nav [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });

// Numbers that are being worked out: ask again.
if (byId("working")) setTimeout(() => location.reload(), 1000);

// An empty field of a filter need not be in the address.
byId("filter")?.addEventListener("submit", (event) => {
  for (const field of event.target.elements) if (field.name && field.value === "") field.disabled = true;
});

// Live runs: the server says what each experiment counts; rates are worked out from what was seen here.
const runs = byId("runs");
const seen = new Map();

function clock(seconds) {
  return new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ");
}

function runRow(run) {
  const there = [...runs.rows].find((row) => row.dataset.experiment === run.experiment);
  if (there) return there;
  const model = runs.rows[0];
  if (!model) return null;
  const row = model.cloneNode(true);
  row.dataset.experiment = run.experiment;
  const link = row.querySelector("a");
  link.textContent = run.experiment;
  link.href = `/trials?experiment=${encodeURIComponent(run.experiment)}`;
  runs.prepend(row);
  return row;
}

function showRun(run, now) {
  const row = runRow(run);
  if (!row) return location.reload();
  const before = seen.get(run.experiment) || { at: now, count: run.evaluations };
  const minutes = (now - before.at) / 60000;
  row.querySelector("[data-count]").textContent = run.evaluations.toLocaleString("en");
  row.querySelector("[data-tasks]").textContent = run.tasks.toLocaleString("en");
  row.querySelector("[data-last]").textContent = clock(run.last_at);
  row.querySelector("[data-rate]").textContent =
    minutes > 0 && run.evaluations > before.count
      ? Math.round((run.evaluations - before.count) / minutes).toLocaleString("en")
      : "–";
  for (const cell of row.querySelectorAll("[data-outcome]")) {
    cell.textContent = (run.outcomes[cell.dataset.outcome] || 0).toLocaleString("en");
  }
  if (!seen.has(run.experiment)) seen.set(run.experiment, before);
}

if (runs) {
  const source = new EventSource(runs.dataset.events);
  source.addEventListener("message", (event) => {
    const now = Date.now();
    for (const run of JSON.parse(event.data)) showRun(run, now);
    byId("live").textContent = `live, last news at ${clock(now / 1000).slice(11)} UTC`;
  });
  source.addEventListener("error", () => (byId("live").textContent = "the connection broke; trying again"));
}

