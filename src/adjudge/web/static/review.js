"use strict";
// One item of the queue. What is typed is kept in this browser at once and on the server a moment later; a
// verdict that could not be sent is kept and sent again, also after a reload. A verdict carries an id of its own, so
// that one that arrives twice counts once.

const box = byId("review");
const number = Number(box.dataset.number);
const verdict = byId("verdict");
// what is kept is this reviewer's and this ledger's: others may use the same browser, or the same port
const prefix = `adjudge-review-${location.host}-${cookie("adjudge-kept")}-`;
const place = `${prefix}${number}`;
const started = Date.now();
let away = 0;
let left = null;
let busy = false;

function kept(key) {
  try {
    return JSON.parse(localStorage.getItem(key) || "null");
  } catch {
    return null;
  }
}
function keep(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // without storage the server's copy has to do
  }
}

const say = (text) => (byId("saved").textContent = text);
const earlier = kept(`${place}-spent`) || JSON.parse(verdict.dataset.draft).seconds || 0;
const now = () => (left === null ? Date.now() : left);
const spent = () => Math.min(86400, Math.round(10 * earlier + (now() - started - away) / 100) / 10);
addEventListener("pagehide", () => keep(`${place}-spent`, box.dataset.judged === "yes" || busy ? null : spent()));
document.addEventListener("visibilitychange", () => {
  if (document.hidden) left = Date.now();
  else if (left !== null) {
    away += Date.now() - left;
    left = null;
  }
});

function typed() {
  const fields = {};
  for (const row of document.querySelectorAll("[data-field]")) {
    const score = row.querySelector("[data-score]").value;
    const note = row.querySelector("[data-note]").value.trim();
    if (score !== "" || note) fields[row.dataset.field] = { score: score === "" ? null : Number(score), note: note || null };
  }
  const categories = byId("categories").value.split(",").map((word) => word.trim()).filter(Boolean);
  return { categories, notes: byId("notes").value || null, fields, seconds: spent() };
}

function fill(draft) {
  byId("categories").value = (draft.categories || []).join(", ");
  byId("notes").value = draft.notes || "";
  for (const [name, found] of Object.entries(draft.fields || {})) {
    const row = [...document.querySelectorAll("[data-field]")].find((one) => one.dataset.field === name);
    if (!row) continue;
    row.querySelector("[data-score]").value = found.score ?? "";
    row.querySelector("[data-note]").value = found.note || "";
    byId("fields-box").open = true;
  }
}

async function send(method, path, body) {
  const answer = await fetch(path, {
    method,
    headers: { "content-type": "application/json", accept: "application/json", "x-csrf-token": pageToken() },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (answer.status === 401) location.assign(`/log-in?next=${encodeURIComponent(location.pathname)}`);
  const told = await answer.json();
  const status = answer.status;
  if (!answer.ok) throw Object.assign(new Error(told.error.what), { status, final: status < 500 && status !== 429 });
  return told;
}

// Drafts
let timer = null;
function changed() {
  keep(`${place}-draft`, typed());
  clearTimeout(timer);
  timer = setTimeout(async () => {
    try {
      await send("PUT", `/review/${number}/draft`, typed());
      say("saved");
    } catch {
      say("saved in this browser; the server does not answer");
    }
  }, 400);
}
verdict.addEventListener("input", changed);

// Verdicts: written down first, then sent, until the server has it.
const discipline = () => byId("discipline")?.value || "";
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

async function deliver(at, body) {
  for (let pause = 500; ; pause = Math.min(pause * 2, 8000)) {
    try {
      const told = await send("POST", `/review/${at}`, body);
      keep(`${prefix}${at}-verdict`, null);
      keep(`${prefix}${at}-draft`, null);
      return told;
    } catch (error) {
      if (error.final) {
        if (error.status !== 401) keep(`${prefix}${at}-verdict`, null); // else it is sent after the log-in
        throw error;
      }
      say("the server does not answer; your verdict is kept and sent again");
      await wait(pause);
    }
  }
}

async function judge(word) {
  if (busy) return;
  busy = true;
  clearTimeout(timer);
  const body = { ...typed(), judgment: word, submission: crypto.randomUUID?.() || `${Date.now()}-${Math.random().toString(36).slice(2, 12)}` };
  keep(`${place}-verdict`, body);
  await finish(body);
}

async function finish(body) {
  busy = true;
  for (const button of verdict.querySelectorAll("[data-judge]")) button.disabled = true;
  try {
    const told = await deliver(number, body);
    keep(`${prefix}last`, { number, shown: told.shown });
    await go(1);
  } catch (error) {
    say(error.message);
    for (const button of verdict.querySelectorAll("[data-judge]")) button.disabled = false;
    busy = false;
  }
}

async function go(step) {
  const query = discipline() ? `?discipline=${encodeURIComponent(discipline())}` : "";
  if (step < 0) {
    if (number > 1) location.assign(`/review/${number - 1}${query}`);
    return;
  }
  for (let pause = 500; ; pause = Math.min(pause * 2, 8000)) {
    try {
      const told = await send("GET", `/review/next?after=${number}&discipline=${encodeURIComponent(discipline())}`);
      location.assign(told.number === null || told.number === number ? `/review${query}` : `/review/${told.number}${query}`);
      return;
    } catch (error) {
      if (error.final) throw error;
      say("the server does not answer; trying again");
      await wait(pause);
    }
  }
}

async function undo() {
  const last = kept(`${prefix}last`);
  const at = box.dataset.judged === "yes" ? number : last?.number;
  if (!at) return say("there is nothing to undo");
  await send("POST", `/review/${at}/undo`);
  keep(`${prefix}last`, null);
  location.assign(`/review/${at}`);
}

// What the last one turned out to be: only of trials that are judged.
function showLast() {
  const last = kept(`${prefix}last`);
  if (!last || last.number === number) return;
  const strip = byId("strip");
  const others = last.shown.others.map((one) => `${one.reviewer} ${one.judgment}`).join(", ") || "nobody else yet";
  strip.textContent = `Item ${last.number}: you said ${last.shown.judgment}; the verifier gave ${last.shown.reward.toFixed(3)} to ${last.shown.agent}; others: ${others}.`;
  strip.hidden = false;
}

const KEYS = {
  p: () => judge("pass"),
  f: () => judge("fail"),
  d: () => judge("defer"),
  c: () => byId("categories").focus(),
  n: () => byId("notes").focus(),
  j: () => go(1),
  k: () => go(-1),
  u: () => undo(),
  "?": () => byId("help").showModal(),
};
document.addEventListener("keydown", (event) => {
  const inField = event.target.closest("input, textarea, select");
  if (event.key === "Escape" && inField) return inField.blur();
  if (inField || event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  const act = KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  Promise.resolve(act()).catch((error) => say(error.message));
});
for (const button of verdict.querySelectorAll("[data-judge]")) {
  button.addEventListener("click", () => judge(button.dataset.judge));
}
verdict.addEventListener("submit", (event) => event.preventDefault());
byId("next").addEventListener("click", () => go(1));
byId("previous").addEventListener("click", () => go(-1));
byId("undo").addEventListener("click", () => undo().catch((error) => say(error.message)));
byId("help-button").addEventListener("click", () => byId("help").showModal());
byId("discipline")?.addEventListener("change", () => location.assign(`/review?discipline=${encodeURIComponent(discipline())}`));
if (byId("discipline")) byId("discipline").value = new URLSearchParams(location.search).get("discipline") || "";

fill(kept(`${place}-draft`) || JSON.parse(verdict.dataset.draft));
showLast();
box.dataset.ready = "yes";
if (box.dataset.judged === "no" && kept(`${place}-verdict`)) finish(kept(`${place}-verdict`));
