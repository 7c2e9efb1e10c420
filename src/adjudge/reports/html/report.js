"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const OUTCOMES = ["scored", "wrong", "nothing usable", "suspected", "machinery failed"];
  const PAGE = 100, CHUNK = 40;

  // Every text below reaches the page through textContent or an attribute setter; nothing is parsed as HTML.
  const el = (tag, attributes, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name === "onclick") node.addEventListener("click", value); else node.setAttribute(name, value);
    }
    for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== false) node.append(child);
    return node;
  };
  const number = (x) => (x === null || x === undefined ? "undefined" : x.toFixed(3));

  const unpacked = new Map();
  const unpack = (id) => {
    if (!unpacked.has(id)) unpacked.set(id, (async () => {
      const bytes = Uint8Array.from(atob(JSON.parse($(id).textContent)), (c) => c.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
      return JSON.parse(await new Response(stream).text());
    })());
    return unpacked.get(id);
  };

  // theme
  const root = document.documentElement;
  const remember = (value) => { try { value === undefined ? 0 : localStorage.setItem("adjudge-theme", value); return localStorage.getItem("adjudge-theme"); } catch { return null; } };
  const known = remember();
  if (known === "light" || known === "dark") root.dataset.theme = known;
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  $("theme").hidden = false;
  $("theme").addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; remember(root.dataset.theme); });

  // the numbers as JSON
  $("save").hidden = false;
  $("save").addEventListener("click", async () => {
    const text = JSON.stringify(await unpack("data-report"), null, 2);
    const link = el("a", { href: URL.createObjectURL(new Blob([text], { type: "application/json" })), download: "report.json" });
    link.click();
    URL.revokeObjectURL(link.href);
  });

  // tooltips
  const tip = $("tip");
  const show = (node, x, y) => {
    tip.textContent = node.dataset.tip;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.max(6, Math.min(x + 14, innerWidth - box.width - 6)) + "px";
    tip.style.top = (y + 18 + box.height > innerHeight ? Math.max(6, y - box.height - 12) : y + 18) + "px";
  };
  document.addEventListener("pointermove", (event) => {
    const node = event.target.closest && event.target.closest("[data-tip]");
    if (node) show(node, event.clientX, event.clientY); else tip.hidden = true;
  });
  document.addEventListener("focusin", (event) => {
    const node = event.target.closest("[data-tip]");
    if (node) { const box = node.getBoundingClientRect(); show(node, box.left, box.bottom - 12); } else tip.hidden = true;
  });
  document.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true, capture: true });

  // tables: sort by a heading, filter by a word
  const value = (row, at) => {
    const cell = row.cells[at];
    const raw = cell.dataset.v !== undefined ? cell.dataset.v : cell.textContent.trim();
    const plain = raw.replace(/,/g, "");
    return plain !== "" && !Number.isNaN(Number(plain)) ? Number(plain) : raw.toLowerCase();
  };
  const compare = (a, b) => (typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1);
  const heading = (head, act) => {
    head.tabIndex = 0;
    head.addEventListener("click", act);
    head.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); act(); } });
  };
  const turn = (head) => {
    const up = head.getAttribute("aria-sort") === "descending" || (!head.hasAttribute("aria-sort") && !head.classList.contains("num") && !head.classList.contains("slant"));
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    return up ? 1 : -1;
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((head, at) => {
      if (head.hasAttribute("data-nosort")) return;
      heading(head, () => {
        const sign = turn(head);
        const rows = [...table.tBodies[0].rows].map((row) => [value(row, at), row]);
        rows.sort((a, b) => sign * compare(a[0], b[0]));
        table.tBodies[0].append(...rows.map((pair) => pair[1]));
      });
    });
  }
  for (const input of document.querySelectorAll("input.filter")) {
    const table = $(input.dataset.for), count = document.querySelector(`[data-count="${input.dataset.for}"]`);
    const apply = () => {
      const word = input.value.toLowerCase();
      let kept = 0;
      for (const row of table.tBodies[0].rows) kept += !(row.hidden = !row.cells[0].textContent.toLowerCase().includes(word));
      count.textContent = word ? `${kept} of ${table.tBodies[0].rows.length}` : "";
    };
    input.addEventListener("input", apply);
  }
  if (!$("trial-table")) return;

  // trials
  const groups = [...document.querySelectorAll("#rewards tbody tr")].map((row) => row.dataset.name);
  const exact = { agent: null, task: null, tag: null };
  let index = [], shown = [], limit = PAGE, order = null;
  const place = new Map();
  const keyOf = (row, at) => (at === 1 ? groups[row[1]] : at === 8 ? row[8].join(", ") : row[at]);
  const matches = (row, word, outcome) =>
    (!outcome || row[5] === outcome) && (!exact.agent || groups[row[1]] === exact.agent) && (!exact.task || row[2] === exact.task) && (!exact.tag || row[8].includes(exact.tag)) &&
    (!word || [row[0], groups[row[1]], row[2], row[6], ...row[8]].some((text) => text.toLowerCase().includes(word)));
  const draw = () => {
    const word = $("trial-filter").value.trim().toLowerCase(), outcome = $("trial-outcome").value;
    shown = index.filter((row) => matches(row, word, outcome));
    if (order) shown.sort((a, b) => order.sign * compare(keyOf(a, order.at), keyOf(b, order.at)));
    $("trial-table").tBodies[0].replaceChildren(...shown.slice(0, limit).map((row) => el("tr", { "data-trial": row[0] },
      el("td", {}, el("a", { class: "mono", href: "#trial=" + row[0] }, row[0].slice(0, 13))),
      el("td", { class: "num" }, number(row[4])),
      el("td", {}, el("span", { class: "dot-o o" + OUTCOMES.indexOf(row[5]) }), row[5]),
      el("td", {}, row[2]), el("td", {}, groups[row[1]]), el("td", { class: "num" }, String(row[3])),
      el("td", { class: "small" }, [...new Set(row[8])].join(", ")), el("td", { class: "num" }, row[7] ? String(row[7]) : ""))));
    const words = Object.entries(exact).filter((pair) => pair[1]).map((pair) => pair[1]);
    $("trial-count").textContent = `${shown.length.toLocaleString("en")} of ${index.length.toLocaleString("en")}` + (words.length ? " · " + words.join(" · ") : "");
    $("trial-clear").hidden = !words.length && !word && !outcome;
    $("trial-more").hidden = shown.length <= limit;
  };
  const reset = () => { limit = PAGE; draw(); };
  $("trial-filter").addEventListener("input", reset);
  $("trial-outcome").addEventListener("change", reset);
  $("trial-more").addEventListener("click", () => { limit += 5 * PAGE; draw(); });
  $("trial-clear").addEventListener("click", () => { exact.agent = exact.task = exact.tag = null; $("trial-filter").value = ""; $("trial-outcome").value = ""; if (/^#(agent|task|tag)=/.test(location.hash)) history.replaceState(null, "", "#trials"); reset(); });
  $("trial-table").tBodies[0].addEventListener("click", (event) => {
    const row = event.target.closest("tr");
    if (row && !event.target.closest("a")) location.hash = "trial=" + row.dataset.trial;
  });
  for (const head of $("trial-table").tHead.rows[0].cells) heading(head, () => { order = { at: Number(head.dataset.key), sign: turn(head) }; draw(); });
  for (const link of document.querySelectorAll("[data-go]")) link.setAttribute("href", `#${link.dataset.go}=${encodeURIComponent(link.dataset.value)}`);

  // one trial
  const drawer = $("drawer");
  const close = () => { if (drawer.open) drawer.close(); };
  $("drawer-close").addEventListener("click", close);
  drawer.addEventListener("click", (event) => { if (event.target === drawer) close(); });
  drawer.addEventListener("close", () => { if (/^#(trial|cell)=/.test(location.hash)) history.replaceState(null, "", "#"); });
  const open = (title, ...body) => {
    $("drawer-title").textContent = title;
    $("drawer-body").replaceChildren(...body.flat(Infinity).filter(Boolean));
    if (!drawer.open) drawer.showModal();
    drawer.scrollTop = 0;
  };
  const part = (title, ...content) => { const inner = content.flat(Infinity).filter(Boolean); return inner.length ? [el("h3", {}, title), ...inner] : []; };
  const pre = (text) => (text ? el("pre", {}, text) : null);
  const facts = (pairs) => el("dl", {}, pairs.filter((pair) => pair[1] !== null && pair[1] !== undefined && pair[1] !== "").map(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]));
  const meter = (score, max) => {
    if (score === null || !max) return "";
    const bar = el("i"), box = el("span", { class: "meter" }, bar);
    bar.style.width = 100 * Math.min(1, Math.max(0, score / max)) + "%";
    return box;
  };
  const against = (judgment, reward, threshold) => (judgment === "pass" && reward < threshold) || (judgment === "fail" && reward >= threshold);
  const view = async (id) => {
    const at = place.get(id);
    if (at === undefined) return open(id, el("p", { class: "empty" }, "This trial is not in this file. adjudge show has it: "), el("code", {}, "adjudge show " + id));
    const [chunk, report, instructions] = await Promise.all([unpack("data-chunk-" + Math.floor(at / CHUNK)), unpack("data-report"), unpack("data-instructions")]);
    const t = chunk[at % CHUNK], task = Object.hasOwn(instructions, t.task) ? instructions[t.task] : null, threshold = report.choices.threshold;
    const others = index.filter((row) => row[1] === index[at][1] && row[2] === index[at][2] && row[0] !== id);
    open(`${t.task} · ${groups[t.group]}`,
      el("div", { class: "verdict" }, el("span", { class: "reward" }, number(t.reward)), el("span", {}, el("span", { class: "dot-o o" + OUTCOMES.indexOf(t.outcome) }), t.outcome), el("span", { class: "soft" }, `attempt ${t.attempt}`), el("code", {}, t.id)),
      others.length ? el("div", { class: "attempts" }, el("span", { class: "soft" }, "Other attempts:"), others.map((row) => el("a", { href: "#trial=" + row[0] }, `${row[3]}: ${number(row[4])}`))) : null,
      t.problems.length ? part("What went wrong", el("ul", {}, t.problems.map((text) => el("li", {}, text)))) : null,
      part("Fields and evidence", t.fields.length ? el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, el("th", {}, "field"), el("th", { class: "num" }, "score"), el("th", {}, "evidence"))), el("tbody", {}, t.fields.map(([field, score, max, evidence]) => el("tr", {}, el("th", { scope: "row" }, field), el("td", { class: "num" }, meter(score, max), score === null ? "n/a" : `${+score.toFixed(4)} of ${max === null ? "?" : +max.toFixed(4)}`), el("td", { class: "small" }, evidence || "")))))) : el("p", { class: "empty" }, t.breakdown ? "The breakdown holds no scores that could be read as a table." : "The verifier left no breakdown."),
        t.breakdown ? el("details", {}, el("summary", {}, "The breakdown as the verifier wrote it"), pre(t.breakdown)) : null),
      part("Tags", t.tags.map((tag) => el("p", { class: "said" }, el("b", {}, tag.category), " ", el("span", { class: "pill" }, tag.source), tag.description ? [el("br"), tag.description] : null))),
      part("People, beside the reward", t.annotations.length ? t.annotations.map((note) => el("div", { class: "said" + (against(note.judgment, t.reward, threshold) ? " against" : "") }, el("b", {}, note.judgment), ` by ${note.reviewer}`, note.discipline ? ` (${note.discipline})` : "", el("span", { class: "soft" }, ` ${note.time}`), against(note.judgment, t.reward, threshold) ? el("span", { class: "warn" }, `  contradicts the reward of ${number(t.reward)}`) : null, note.categories.length ? ` [${note.categories.join(", ")}]` : null, note.notes ? el("div", {}, note.notes) : null)) : el("p", { class: "empty" }, "Nobody has reviewed this trial.")),
      t.confidence ? part("Confidence", facts([["reviewers", t.confidence.annotator_count], ["agreement", t.confidence.agreement === undefined ? null : `${number(t.confidence.agreement)} (${t.confidence.agreement_method})`], ["interval", t.confidence.interval ? `[${number(t.confidence.interval.low)}, ${number(t.confidence.interval.high)}] ${t.confidence.interval.method}` : null], ["samples", t.confidence.sample_count], ["judge", t.confidence.judge ? `${t.confidence.judge.name}, ${t.confidence.judge.model}` : null]])) : null,
      part("Output", el("p", { class: "soft small" }, [t.output.path, t.output.type, t.output.size === null ? null : `${t.output.size.toLocaleString("en")} bytes`, t.output.note].filter(Boolean).join(" · ")), pre(t.output.text)),
      task ? part("Instruction", task.digest !== t.digest ? el("p", { class: "warn small" }, "This is the task as it is now; it has changed since this trial was scored.") : null, el("details", {}, el("summary", {}, "Show the instruction"), pre(task.text))) : null,
      part("What the verifier printed", !t.run.stdout && !t.run.stderr ? el("p", { class: "empty" }, "Nothing.") : null, t.run.stdout ? [el("p", { class: "soft small" }, "stdout"), pre(t.run.stdout)] : null, t.run.stderr ? [el("p", { class: "soft small" }, "stderr"), pre(t.run.stderr)] : null),
      part("Earlier evaluations", t.history.length ? t.history.map((old) => el("div", { class: "said" }, el("b", {}, number(old.reward)), ` ${old.outcome}`, el("span", { class: "soft" }, ` scored ${old.scored} by task ${(old.digest || "not known").slice(0, 12)}`), old.moved.length ? el("div", { class: "small" }, old.moved.map(([field, before, after]) => `${field}: ${before === null ? "absent" : number(before)} → ${after === null ? "absent" : number(after)}`).join(", ")) : null)) : el("p", { class: "empty" }, "Scored once.")),
      part("Facts", facts([["experiment", t.experiment], ["agent", t.agent], ["model", t.model], ["gates", Object.entries(t.validity).map(([name, good]) => `${name.replaceAll("_", " ")}: ${good ? "yes" : "no"}`).join(", ")], ["scored", `${t.scored} by ${t.run.by}, ${t.run.backend}, adjudge ${t.version}`], ["reused from", t.run.reused], ["exit code", t.run.exit === null ? "none" : String(t.run.exit)], ["verifier's time", t.run.seconds === null ? null : `${t.run.seconds.toFixed(3)} s`], ["limits hit", t.run.limits.join(", ")], ["cost", Object.entries(t.cost).map(([name, amount]) => `${name} ${amount}`).join(", ")], ["task digest", t.digest], ["output SHA-256", t.output.sha256]]), t.metadata ? el("details", {}, el("summary", {}, "Metadata"), pre(t.metadata)) : null));
  };
  const cell = (task, at) => {
    const rows = index.filter((row) => row[2] === task && row[1] === at);
    if (rows.length === 1) { location.hash = "trial=" + rows[0][0]; return; }
    open(`${task} · ${groups[at]}`, rows.length ? rows.map((row) => el("p", { class: "said" }, el("a", { href: "#trial=" + row[0] }, `attempt ${row[3]}: ${number(row[4])}`), ` ${row[5]}`, el("span", { class: "soft" }, ` ${row[6]} ${[...new Set(row[8])].join(", ")}`))) : el("p", { class: "empty" }, "None of these trials is in this file; adjudge trials lists them."));
  };
  const heat = $("heat");
  if (heat) {
    const act = (event) => {
      const node = event.target.closest("[data-cell]");
      if (node && (event.type === "click" || event.key === "Enter")) cell(node.parentNode.cells[0].querySelector("a").dataset.value, Number(node.dataset.cell));
    };
    heat.addEventListener("click", act);
    heat.addEventListener("keydown", act);
  }

  // deep links: #trial=ID, #agent=NAME, #task=ID, #tag=CATEGORY
  const follow = () => {
    const found = /^#(trial|agent|task|tag)=(.*)$/.exec(location.hash);
    if (!found) return close();
    let wanted;
    try { wanted = decodeURIComponent(found[2]); } catch { return; }
    if (found[1] === "trial") return view(wanted);
    close();
    exact.agent = exact.task = exact.tag = null;
    exact[found[1]] = wanted;
    reset();
    $("trials").scrollIntoView();
  };
  addEventListener("hashchange", follow);
  unpack("data-index").then((rows) => {
    index = rows;
    rows.forEach((row, at) => place.set(row[0], at));
    draw();
    follow();
  }).catch(() => { $("trial-count").textContent = "This browser cannot unpack the trials; a newer one can. adjudge show has them too."; });
})();
