// One trial in the drawer: a function for each part, from its document (drilldown.py writes it).

const CHUNK = 40;
const drawer = byId("drawer");

function openDrawer(title, ...body) {
  byId("drawer-title").textContent = title;
  byId("drawer-body").replaceChildren(...body.flat(Infinity).filter(isThere));
  if (!drawer.open) drawer.showModal();
  drawer.scrollTop = 0;
}

function closeDrawer() {
  if (drawer.open) drawer.close();
}

byId("drawer-close").addEventListener("click", closeDrawer);
drawer.addEventListener("click", (event) => event.target === drawer && closeDrawer());
drawer.addEventListener("close", () => {
  if (location.hash.startsWith("#trial=")) history.replaceState(null, "", "#");
});

const section = (title, ...content) => {
  const inner = content.flat(Infinity).filter(isThere);
  return inner.length ? [element("h3", {}, title), ...inner] : [];
};
const pre = (text) => (text ? element("pre", {}, text) : null);
const empty = (text) => element("p", { class: "empty" }, text);
const soft = (text) => element("p", { class: "soft small" }, text);
const folded = (title, text) => element("details", {}, element("summary", {}, title), pre(text));
const facts = (pairs) =>
  element(
    "dl",
    {},
    pairs
      .filter(([, text]) => isThere(text) && text !== "")
      .map(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]),
  );

function verdict(trial) {
  return element(
    "div",
    { class: "verdict" },
    element("span", { class: "reward" }, number(trial.reward)),
    element("span", {}, outcomeDot(trial.outcome, trial.reward), outcomeWord(trial.outcome, trial.reward)),
    element("span", { class: "soft" }, `attempt ${trial.attempt}`),
    element("code", {}, trial.id),
  );
}

function otherAttempts(rows) {
  if (!rows.length) return null;
  const links = rows.map((row) => element("a", { href: `#trial=${row[0]}` }, `${row[3]}: ${number(row[4])}`));
  return element("div", { class: "attempts" }, element("span", { class: "soft" }, "Other attempts:"), links);
}

function meter(score, maximum) {
  if (!isThere(score) || !maximum) return null;
  const bar = element("i");
  if (score < maximum) bar.className = "part";
  bar.style.width = `${100 * Math.min(1, Math.max(0, score / maximum))}%`;
  return element("span", { class: "meter" }, bar);
}

function fieldRow([field, score, maximum, evidence, weight]) {
  const of = isThere(maximum) ? +maximum.toFixed(4) : "?";
  const written = isThere(score) ? `${+score.toFixed(4)} of ${of}` : "n/a";
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, field),
    element("td", { class: "num" }, meter(score, maximum), written),
    element("td", { class: "num" }, isThere(weight) ? String(+weight.toFixed(4)) : "–"),
    element("td", { class: "small" }, evidence || ""),
  );
}

function fields(trial) {
  const raw = trial.breakdown ? folded("The breakdown as the verifier wrote it", trial.breakdown) : null;
  if (!trial.fields.length) {
    const why = trial.breakdown
      ? "The breakdown holds no scores that read as a table."
      : "The verifier left no breakdown.";
    return section("Fields and evidence", empty(why), raw);
  }
  const heads = [
    element("th", {}, "field"),
    element("th", { class: "num" }, "score"),
    element("th", { class: "num", "data-tip": "How much the field counts beside the others" }, "weight"),
    element("th", {}, "evidence"),
  ];
  const table = element(
    "table",
    {},
    element("thead", {}, element("tr", {}, heads)),
    element("tbody", {}, trial.fields.map(fieldRow)),
  );
  return section("Fields and evidence", element("div", { class: "scroll" }, table), raw);
}

function tagBox(tag) {
  const source = element("span", { class: "pill" }, tag.source);
  const why = tag.description ? [element("br"), tag.description] : null;
  return element("p", { class: "said" }, element("b", {}, tag.category), " ", source, why);
}

const contradicts = (judgment, reward, threshold) =>
  (judgment === "pass" && reward < threshold) || (judgment === "fail" && reward >= threshold);

function review(note, reward, threshold) {
  const against = contradicts(note.judgment, reward, threshold);
  return element(
    "div",
    { class: against ? "said against" : "said" },
    element("b", {}, note.judgment),
    ` by ${note.reviewer}${note.discipline ? ` (${note.discipline})` : ""} `,
    element("span", { class: "soft" }, note.time),
    against ? element("span", { class: "warn" }, ` contradicts the reward of ${number(reward)}`) : null,
    note.categories.length ? ` [${note.categories.join(", ")}]` : null,
    note.notes ? element("div", {}, note.notes) : null,
  );
}

function reviews(trial, threshold) {
  const said = trial.annotations.map((note) => review(note, trial.reward, threshold));
  return section("People, beside the reward", said.length ? said : empty("Nobody has reviewed this trial."));
}

function confidence(found) {
  if (!found) return [];
  const { interval, judge } = found;
  return section(
    "Confidence",
    facts([
      ["reviewers", found.annotator_count],
      [
        "agreement",
        isThere(found.agreement) ? `${number(found.agreement)} (${found.agreement_method})` : null,
      ],
      [
        "interval",
        interval ? `[${number(interval.low)}, ${number(interval.high)}] ${interval.method}` : null,
      ],
      ["samples", found.sample_count],
      ["judge", judge ? `${judge.name}, ${judge.model}` : null],
    ]),
  );
}

function outputFile([path, text, note]) {
  if (!isThere(text)) return element("p", { class: "said" }, element("code", {}, path), ` ${note}`);
  return folded(path, text);
}

function output({ path, type, size, note, text, files }) {
  const about = [path, type, isThere(size) ? `${whole(size)} bytes` : null, note];
  return section("Output", soft(about.filter(Boolean).join(" · ")), pre(text), files.map(outputFile));
}

function judgementBox({ head, calibrated, lines }) {
  const label = element("span", { class: calibrated ? "pill" : "warn" }, calibrated ? "calibrated" : "uncalibrated");
  return element("div", { class: "said" }, element("b", {}, head), " ", label, lines.map((text) => element("div", {}, text)));
}

function traceTurn({ head, parts }) {
  return element("div", { class: "said" }, element("b", {}, head), parts.map(pre));
}

function traceSection(found) {
  if (!found) return [];
  const title = `Show the ${found.turns.length} turns of ${found.name}`;
  const turns = element("details", {}, element("summary", {}, title), found.turns.map(traceTurn));
  return section("Trace", found.turns.length ? turns : null, found.note ? soft(found.note) : null);
}

function instruction(task, trial) {
  if (!task) return [];
  const changed = "This is the task as it is now; it has changed since this trial was scored.";
  const warning = task.digest === trial.digest ? null : element("p", { class: "warn small" }, changed);
  return section("Instruction", warning, folded("Show the instruction", task.text));
}

function streams({ stdout, stderr }) {
  const shown = [];
  if (stdout) shown.push(soft("stdout"), pre(stdout));
  if (stderr) shown.push(soft("stderr"), pre(stderr));
  return section("What the verifier printed", shown.length ? shown : empty("Nothing."));
}

function earlier(old) {
  const score = (value) => (isThere(value) ? number(value) : "absent");
  const moved = old.moved.map(([field, before, after]) => `${field}: ${score(before)} → ${score(after)}`);
  return element(
    "div",
    { class: "said" },
    element("b", {}, number(old.reward)),
    ` ${old.outcome} `,
    element(
      "span",
      { class: "soft" },
      `scored ${old.scored} by task ${(old.digest || "not known").slice(0, 12)}`,
    ),
    moved.length ? element("div", { class: "small" }, moved.join(", ")) : null,
  );
}

function trialFacts(trial) {
  const gates = Object.entries(trial.validity).map(
    ([name, good]) => `${name.replaceAll("_", " ")}: ${good ? "yes" : "no"}`,
  );
  const { run } = trial;
  return section(
    "Facts",
    facts([
      ["experiment", trial.experiment],
      ["agent", trial.agent],
      ["model", trial.model],
      ["gates", gates.join(", ")],
      ["scored", `${trial.scored} by ${run.by}, ${run.backend}, adjudge ${trial.version}`],
      ["reused from", run.reused],
      ["exit code", isThere(run.exit) ? String(run.exit) : "none"],
      ["verifier's time", isThere(run.seconds) ? `${run.seconds.toFixed(3)} s` : null],
      ["limits hit", run.limits.join(", ")],
      [
        "cost",
        Object.entries(trial.cost)
          .map(([name, amount]) => `${name} ${amount}`)
          .join(", "),
      ],
      ["task digest", trial.digest],
      ["output SHA-256", trial.output.sha256],
    ]),
    trial.metadata ? folded("Metadata", trial.metadata) : null,
  );
}

// `at` is the trial's place in the index, and so in the chunks; `others` are its siblings' index rows.
async function showTrial(at, title, others) {
  const chunk = await unpack(`data-chunk-${Math.floor(at / CHUNK)}`);
  const { choices } = await unpack("data-report");
  const instructions = await unpack("data-instructions");
  const trial = chunk[at % CHUNK];
  const task = Object.hasOwn(instructions, trial.task) ? instructions[trial.task] : null;
  const problems = trial.problems.map((text) => element("li", {}, text));
  openDrawer(
    title,
    verdict(trial),
    otherAttempts(others),
    problems.length ? section("What went wrong", element("ul", {}, problems)) : null,
    fields(trial),
    section("Tags", trial.tags.map(tagBox)),
    reviews(trial, choices.threshold),
    confidence(trial.confidence),
    output(trial.output),
    section("Judges, beside the reward", trial.judgements.map(judgementBox)),
    traceSection(trial.trace),
    instruction(task, trial),
    streams(trial.run),
    section("Earlier evaluations", trial.history.length ? trial.history.map(earlier) : empty("Scored once.")),
    trialFacts(trial),
  );
}
