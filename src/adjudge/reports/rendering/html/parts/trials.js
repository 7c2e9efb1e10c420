// The list of trials, the cells of the heat map, and deep links: #trial=ID, #agent=NAME, #task=ID, #tag=NAME.

// A row of the index, as drilldown.py writes it.
const [ID, GROUP, TASK, ATTEMPT, REWARD, OUTCOME, EXPERIMENT, REVIEWS, TAGS] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const PAGE = 100;

const groups = [...document.querySelectorAll("#rewards tbody tr")].map((row) => row.dataset.name);
const exact = { agent: null, task: null, tag: null };
const place = new Map();
let index = [];
let limit = PAGE;
let order = null;

const uniqueTags = (row) => [...new Set(row[TAGS])].join(", ");

function columnKey(row, at) {
  if (at === GROUP) return groups[row[GROUP]];
  return at === TAGS ? uniqueTags(row) : row[at];
}

function isWanted(row, word, outcome) {
  if (outcome && row[OUTCOME] !== outcome) return false;
  if (exact.agent && groups[row[GROUP]] !== exact.agent) return false;
  if (exact.task && row[TASK] !== exact.task) return false;
  if (exact.tag && !row[TAGS].includes(exact.tag)) return false;
  const texts = [row[ID], groups[row[GROUP]], row[TASK], row[EXPERIMENT], ...row[TAGS]];
  return !word || texts.some((text) => text.toLowerCase().includes(word));
}

function trialRow(row) {
  return element(
    "tr",
    { "data-trial": row[ID] },
    element("td", {}, element("a", { class: "mono", href: `#trial=${row[ID]}` }, row[ID].slice(0, 13))),
    element("td", { class: "num" }, number(row[REWARD])),
    element("td", {}, outcomeDot(row[OUTCOME], row[REWARD]), outcomeWord(row[OUTCOME], row[REWARD])),
    element("td", {}, row[TASK]),
    element("td", {}, groups[row[GROUP]]),
    element("td", { class: "num" }, String(row[ATTEMPT])),
    element("td", { class: "small" }, uniqueTags(row)),
    element("td", { class: "num" }, row[REVIEWS] ? String(row[REVIEWS]) : ""),
  );
}

function drawTrials() {
  const word = byId("trial-filter").value.trim().toLowerCase();
  const outcome = byId("trial-outcome").value;
  const shown = index.filter((row) => isWanted(row, word, outcome));
  if (order) shown.sort((a, b) => order.sign * compare(columnKey(a, order.at), columnKey(b, order.at)));
  byId("trial-table").tBodies[0].replaceChildren(...shown.slice(0, limit).map(trialRow));
  const picked = Object.values(exact).filter(Boolean);
  byId("trial-count").textContent = [`${whole(shown.length)} of ${whole(index.length)}`, ...picked].join(
    " · ",
  );
  byId("trial-clear").hidden = !picked.length && !word && !outcome;
  byId("trial-more").hidden = shown.length <= limit;
}

function drawFromTheTop() {
  limit = PAGE;
  drawTrials();
}

function pick(kind, name) {
  exact.agent = exact.task = exact.tag = null;
  if (kind) exact[kind] = name;
  drawFromTheTop();
}

function clearFilters() {
  byId("trial-filter").value = "";
  byId("trial-outcome").value = "";
  if (/^#(agent|task|tag)=/.test(location.hash)) history.replaceState(null, "", "#trials");
  pick(null);
}

const titleOf = (task, group) => `${task} · ${groups[group]}`;

// An id, or as much of its beginning as only one trial has: what terminals print can be opened here.
function findTrial(id) {
  if (place.has(id)) return place.get(id);
  const found = id.length >= 4 ? index.filter((row) => row[ID].startsWith(id)) : [];
  return found.length === 1 ? place.get(found[0][ID]) : undefined;
}

function openTrial(id) {
  const at = findTrial(id);
  if (at === undefined) {
    openDrawer(
      id,
      empty("This trial is not in this file. The ledger has it:"),
      element("code", {}, `adjudge show ${id}`),
    );
    return;
  }
  const row = index[at];
  const others = index.filter((o) => o[GROUP] === row[GROUP] && o[TASK] === row[TASK] && o[ID] !== row[ID]);
  showTrial(at, titleOf(row[TASK], row[GROUP]), others);
}

function attemptBox(row) {
  const link = element("a", { href: `#trial=${row[ID]}` }, `attempt ${row[ATTEMPT]}: ${number(row[REWARD])}`);
  const more = element("span", { class: "soft" }, `${row[EXPERIMENT]} ${uniqueTags(row)}`);
  return element("p", { class: "said" }, link, ` ${row[OUTCOME]} `, more);
}

function openCell(task, group) {
  const rows = index.filter((row) => row[TASK] === task && row[GROUP] === group);
  if (rows.length === 1) location.hash = `trial=${rows[0][ID]}`;
  else if (rows.length) openDrawer(titleOf(task, group), rows.map(attemptBox));
  else
    openDrawer(
      titleOf(task, group),
      empty("None of these trials is in this file; adjudge trials lists them."),
    );
}

function onCell(event) {
  const cell = event.target.closest("[data-cell]");
  if (!cell || (event.type === "keydown" && event.key !== "Enter")) return;
  event.preventDefault(); // or the same Enter would press the button that the drawer opens with
  openCell(cell.parentNode.cells[0].querySelector("a").dataset.value, Number(cell.dataset.cell));
}

function follow() {
  const found = /^#(trial|agent|task|tag)=(.*)$/.exec(location.hash);
  if (!found) return closeDrawer();
  let name;
  try {
    name = decodeURIComponent(found[2]);
  } catch {
    return; // a broken link leads nowhere
  }
  if (found[1] === "trial") return openTrial(name);
  closeDrawer();
  pick(found[1], name);
  byId("trials").scrollIntoView();
}

async function start() {
  byId("trial-filter").addEventListener("input", drawFromTheTop);
  byId("trial-outcome").addEventListener("change", drawFromTheTop);
  byId("trial-clear").addEventListener("click", clearFilters);
  byId("trial-more").addEventListener("click", () => {
    limit += 5 * PAGE;
    drawTrials();
  });
  byId("trial-table").tBodies[0].addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (row && !event.target.closest("a")) location.hash = `trial=${row.dataset.trial}`;
  });
  for (const heading of byId("trial-table").tHead.rows[0].cells) {
    onHeading(heading, () => {
      order = { at: Number(heading.dataset.key), sign: turn(heading) };
      drawTrials();
    });
  }
  for (const link of document.querySelectorAll("[data-go]")) {
    link.setAttribute("href", `#${link.dataset.go}=${encodeURIComponent(link.dataset.value)}`);
  }
  for (const event of ["click", "keydown"]) byId("heat")?.addEventListener(event, onCell);
  try {
    index = await unpack("data-index");
  } catch {
    byId("trial-count").textContent =
      "This browser cannot unpack the trials; a newer one can. adjudge show has them.";
    return;
  }
  index.forEach((row, at) => place.set(row[ID], at));
  drawTrials();
  addEventListener("hashchange", follow);
  follow();
}

if (byId("trial-table")) start();
