// The list of runs, and the form that starts one. Every text is put into the page as text, never as markup.
"use strict";
(() => {
  const EVERY = 2000; // milliseconds between two looks at the list
  const VERDICTS = ["proved", "refuted", "unknown", "inconsistent", "tested", "out_of_budget", "running", "stopped"];
  const SIGNS = { proved: "✓", tested: "✓", refuted: "✗", inconsistent: "⚡", invalid: "✗", running: "▸", stopped: "‖" };
  const SUFFIXES = { smt2: "smt", smt: "smt", lean: "lean", py: "python", json: "logic" };
  const get = (id) => document.getElementById(id);
  const rows = new Map(); // run id -> [what is shown, its row]
  let timer = 0;
  let asked = 0;
  let languages = "";

  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  // What cannot be seen, or turns the direction of writing round, and half surrogate pairs.
  const ODD = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu;
  const seen = (text) => String(text).replace(ODD, "\ufffd");

  const when = (seconds) => {
    const then = new Date(seconds * 1000);
    const day = then.toDateString() === new Date().toDateString();
    return day ? then.toLocaleTimeString() : then.toLocaleString([], { dateStyle: "short", timeStyle: "short" });
  };
  const size = (bytes) => (bytes >= 100000 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e3).toFixed(0)} kB`);

  function row(run) {
    const theorem = element("td", { class: "theorem" });
    theorem.append(element("a", { href: `/runs/${encodeURIComponent(run.run_id)}` }, seen(run.name) || "(no name)"));
    if (run.reason && run.outcome !== "proved") theorem.append(element("span", { class: "why" }, seen(run.reason)));
    const word = run.text.replaceAll("_", " ");
    const verdict = element("span", { class: "verdict" }, `${SIGNS[run.outcome] || "?"} ${word}`);
    if (VERDICTS.includes(run.outcome) || run.outcome === "invalid") verdict.classList.add(run.outcome);
    return element("tr", {},
      element("td", {}, verdict),
      theorem,
      element("td", { class: "language" }, seen(run.language)),
      element("td", { class: "when" }, when(run.started)),
      element("td", { class: "number" }, run.status === "running" ? "" : String(run.nodes)), // known at its end
      element("td", { class: "number" }, run.status === "running" ? "" : String(run.steps)),
      element("td", { class: "number" }, size(run.size)),
      element("td", { class: "id" }, run.run_id));
  }

  function show(list) {
    const body = get("runs");
    const shown = list.runs.map((run) => {
      const facts = JSON.stringify(run);
      const known = rows.get(run.run_id);
      if (known && known[0] === facts) return known[1];
      const made = row(run);
      rows.set(run.run_id, [facts, made]);
      return made;
    });
    if (shown.length !== body.children.length || shown.some((each, n) => body.children[n] !== each)) {
      body.replaceChildren(...shown); // only what is new: what has the focus keeps it
    }
    const more = list.found > list.runs.length ? `, the latest ${list.runs.length} shown` : "";
    get("count").textContent = list.found === list.total ? `${list.total} runs${more}` : `${list.found} of ${list.total} runs${more}`;
    const running = list.runs.filter((run) => run.outcome === "running").length;
    state(running ? `${running} under way` : "");
    if (languages !== list.languages.join()) choices(list);
    if (list.most_seconds !== null) {
      get("seconds").max = list.most_seconds;
      get("seconds").placeholder = `up to ${list.most_seconds}`;
    }
  }

  function choices(list) {
    languages = list.languages.join();
    const options = () => list.languages.map((name) => element("option", { value: name }, name));
    get("language").replaceChildren(...options());
    get("of-language").replaceChildren(element("option", { value: "" }, "any"), ...options());
  }

  function state(words, lost = false) {
    const place = get("state");
    if (place.textContent !== words) place.textContent = words;
    place.classList.toggle("lost", lost);
  }

  async function look() {
    clearTimeout(timer);
    if (document.hidden) return;
    const query = new URLSearchParams();
    for (const [name, id] of [["match", "match"], ["verdict", "verdict"], ["language", "of-language"], ["since", "since"]]) {
      if (get(id).value) query.set(name, get(id).value);
    }
    const mine = ++asked;
    try {
      const answer = await fetch(`/api/runs?${query}`, { credentials: "same-origin" });
      const list = await answer.json();
      if (mine !== asked) return; // a later question has been asked
      if (answer.ok) show(list);
      else state(list.error, true);
    } catch {
      if (mine === asked) state("the server does not answer", true);
    }
    if (mine === asked) timer = setTimeout(look, EVERY);
  }

  async function start(submitted) {
    submitted.preventDefault();
    const order = { text: get("text").value, language: get("language").value, fresh: get("fresh").checked };
    if (get("name").value.trim()) order.name = get("name").value;
    if (get("theorem").value.trim()) order.theorem = get("theorem").value;
    if (get("seconds").value) order.seconds = Number(get("seconds").value);
    get("problem").textContent = "";
    get("start").disabled = true;
    get("start").textContent = "Reading…";
    try {
      const answer = await fetch("/api/runs", {
        method: "POST", credentials: "same-origin",
        headers: { "Content-Type": "application/json" }, body: JSON.stringify(order),
      });
      const said = await answer.json();
      if (answer.ok) location.assign(`/runs/${encodeURIComponent(said.run_id)}`);
      else get("problem").textContent = said.error;
    } catch {
      get("problem").textContent = "the server does not answer";
    }
    get("start").disabled = false;
    get("start").textContent = "Prove";
  }

  async function take(file) {
    if (!file) return;
    if (file.size > 900000) {
      get("problem").textContent = "the file is larger than 0.9 MB";
      return;
    }
    get("text").value = await file.text();
    get("name").value = file.name;
    const language = SUFFIXES[file.name.split(".").pop().toLowerCase()];
    if (language) get("language").value = language;
  }

  get("verdict").append(...VERDICTS.map((name) => element("option", { value: name }, name.replaceAll("_", " "))));
  for (const id of ["match", "verdict", "of-language", "since"]) get(id).addEventListener("input", look);
  get("new").addEventListener("submit", start);
  get("file").addEventListener("change", () => take(get("file").files[0]));
  const text = get("text");
  text.addEventListener("dragover", (event) => { event.preventDefault(); text.classList.add("over"); });
  text.addEventListener("dragleave", () => text.classList.remove("over"));
  text.addEventListener("drop", (event) => {
    text.classList.remove("over");
    if (event.dataTransfer.files.length) {
      event.preventDefault();
      take(event.dataTransfer.files[0]);
    }
  });
  document.addEventListener("visibilitychange", look);
  look();
})();
