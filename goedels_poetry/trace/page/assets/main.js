// The page: header, slider, tabs, search, keys, updates.

const parsed = id => JSON.parse(document.getElementById(id).textContent);
const once = make => { let value, made = false; return () => { if (!made) { value = make(); made = true; } return value; }; };

const model = newModel();
extend(model, parsed('run'), once(() => parsed('texts')));
const live = parsed('live');

const view = {
  model, at: model.seq, selected: model.nodes[0] ?? null, withCut: false, needle: '', hits: new Set(), running: new Set(),
  following: true, tab: 'goal', select, goTo,
};
const TABS = {
  tree: ['Tree', null], goal: ['Goal', drawGoal], proof: ['Proof', drawProof], stuck: ['Stuck', drawStuck],
  timeline: ['Timeline', null], theorem: ['Theorem', drawTheorem], log: ['Log', drawLog],
};
const KEYS = [
  ['j k  ↓ ↑', 'next or previous goal'], ['→ ←', 'open or close; to the first subgoal or the parent'], ['Enter', 'open or close'],
  ['Home End', 'first or last goal'], ['/', 'search'], ['n p', 'next or previous match'], ['space', 'play the run'],
  ['[ ]', 'one commit back or on'], ['{ }', 'to the first or last commit'], ['1 … 6', 'tabs'], ['x', 'show goals that were cut off'], ['t', 'light or dark'], ['?', 'this list'], ['Esc', 'close, leave the field'],
];

// -- parts ---------------------------------------------------------------------------------------------------
const tree = makeTree(view, node => { select(node); if (view.tab === 'tree') show('goal'); }); // on a telephone the goal takes the tree's place
const timeline = makeTimeline(view, commit => { select(commit.node, false); goTo(commit.seq); });
const panel = el('div', {class: 'panel', role: 'tabpanel', tabindex: 0, id: 'panel'});
const badge = el('span', {class: 'badge'}), trust = el('span', {class: 'trust'}), title = el('h1', {dir: 'ltr'}), where = el('span', {class: 'where'});
const tally = el('div', {class: 'tally'}), bar = el('div', {class: 'tallybar', 'aria-hidden': 'true'}), spent = el('div', {class: 'spent'});
const connection = el('span', {class: 'connection', role: 'status'});
const search = el('input', {type: 'search', id: 'search', placeholder: 'Search goals  /', 'aria-label': 'Search goals', spellcheck: 'false', on: {input: () => find(search.value)}});
const found = el('span', {class: 'found', role: 'status'});
const slider = el('input', {type: 'range', id: 'slider', min: 0, max: 0, value: 0, 'aria-label': 'Commit', on: {input: () => { stop(); goTo(Number(slider.value)); }}});
const play = el('button', {id: 'play', title: 'Play (space)', 'aria-label': 'Play', on: {click: () => playing ? stop() : start()}}, '▶');
const story = el('div', {class: 'story', 'aria-live': 'off'});
const cutBox = el('input', {type: 'checkbox', id: 'cut', on: {change: () => { view.withCut = cutBox.checked; refresh(); }}});
const tabs = el('div', {class: 'tabs', role: 'tablist', 'aria-label': 'Details'}, Object.entries(TABS).map(([name, [label]]) =>
  el('button', {role: 'tab', id: `tab-${name}`, 'data-tab': name, 'aria-controls': 'panel', on: {click: () => show(name)}}, label)));
const help = el('dialog', {id: 'help', 'aria-label': 'Keys'}, el('h2', {}, 'Keys'),
  el('dl', {class: 'keys'}, KEYS.flatMap(([keys, does]) => [el('dt', {}, keys.split(/ +/).flatMap(key => [el('kbd', {}, key), ' '])), el('dd', {}, does)])),
  el('button', {on: {click: () => help.close()}}, 'Close'));
const plainButton = (id, text, label, act) => el('button', {id, title: label, 'aria-label': label, class: 'quiet', on: {click: act}}, text);

document.getElementById('page').append(
  el('header', {},
    el('div', {class: 'top'}, live?.home ? el('a', {href: live.home, class: 'home'}, '‹ Runs') : null, badge, trust, title, where,
      el('span', {class: 'tools'}, connection, live?.stop ? el('button', {id: 'stop', on: {click: askToStop}}, 'Stop') : null,
        plainButton('theme', '◐', 'Light or dark (t)', otherTheme), plainButton('keys', '?', 'Keys (?)', () => help.showModal()))),
    el('div', {class: 'figures'}, bar, tally, spent),
    el('div', {class: 'time'}, plainButton('back', '‹', 'One commit back ([)', () => step(-1)), play, plainButton('on', '›', 'One commit on (])', () => step(1)), slider, story)),
  el('main', {},
    el('div', {class: 'left'}, el('div', {class: 'bar'}, search, found, el('label', {class: 'check'}, cutBox, 'cut off')), tree.box),
    el('div', {class: 'right'}, tabs, panel)),
  help);

// -- moving about ----------------------------------------------------------------------------------------------
/** Choose a goal; with `reveal` bring it on the screen. From a list of goals the panel of the goal opens. */
function select(node, open = true) {
  view.selected = node;
  if (open && view.tab !== 'timeline' && view.tab !== 'tree') show('goal'); else drawPanel();
  if (node) tree.reveal(node);
  remember();
}

/** The run as it was after a commit. */
function goTo(seq) {
  view.at = Math.max(model.commits[0]?.seq ?? 0, Math.min(model.seq, seq));
  view.following = view.at === model.seq;
  refresh();
}

const step = distance => { stop(); goTo(view.at + distance); };

/** Draw everything anew. */
function refresh() {
  if (view.selected && !isThere(view.selected, view.at, true)) view.selected = model.nodes[0] ?? null;
  drawHeader();
  match();
  tree.refresh();
  drawPanel();
  remember();
}

function show(name) {
  view.tab = name;
  document.body.dataset.tab = name;
  for (const tab of tabs.children) {
    tab.setAttribute('aria-selected', String(tab.dataset.tab === name));
    tab.tabIndex = tab.dataset.tab === name ? 0 : -1;
  }
  panel.setAttribute('aria-labelledby', `tab-${name}`);
  panel.scrollTop = 0;
  drawPanel();
  if (name === 'tree') tree.draw();
}

let panelDrawn = '';
function drawPanel() {
  if (view.tab === 'timeline') {
    if (panel.firstChild !== timeline.box) panel.replaceChildren(timeline.box);
    timeline.draw();
    panelDrawn = '';
    return;
  }
  const draw = TABS[view.tab][1];
  if (!draw) return;
  const now = `${view.tab} ${view.selected?.id}`;
  const scrolled = now === panelDrawn ? panel.scrollTop : 0;
  // What was unfolded stays so while time passes; a fold is known by its place among the folds of its title.
  const unfolded = now === panelDrawn ? new Set(folds().filter(([, fold]) => fold.open).map(([key]) => key)) : new Set();
  panel.replaceChildren(draw(view));
  for (const [key, fold] of folds()) if (unfolded.has(key)) fold.open = true;
  panel.scrollTop = scrolled;
  panelDrawn = now;
}

function folds() {
  const counts = new Map();
  return [...panel.querySelectorAll('details')].map(fold => {
    const name = fold.firstChild.textContent, count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return [`${name} ${count}`, fold];
  });
}

function drawHeader() {
  const {run, result, verdict} = model, ended = result && !live?.running, commit = model.bySeq.get(view.at);
  const word = ended ? result.verdict ?? 'not run' : verdict?.[0] ?? (live ? 'running' : 'not ended');
  badge.textContent = shown(ended && result.verdict ? model.text : word);
  badge.className = `badge verdict-${word.replace(/\W/g, '-')}`;
  const later = !live?.running && view.at < model.seq;  // then the tree below is of a moment before that verdict
  badge.classList.toggle('later', later);
  trust.textContent = [later ? 'at the end' : '', ended && result.trust_level ? `trust ${shown(result.trust_level)}` : ''].filter(Boolean).join(', ');
  title.textContent = oneLine(run.statement || run.theorem || run.name, 500);
  title.title = shown(run.statement || '').slice(0, 2000);
  where.textContent = shown(run.name.split('/').at(-1) || run.id);
  where.title = shown(run.name);
  const counts = tallyAt(model, view.at), words = {proved: 'proved', split: 'split', open: 'open', idle: 'left open', failed: 'failed', refuted: 'refuted', cut: 'cut off'};
  const total = Object.entries(counts).reduce((sum, [name, count]) => name === 'cut' ? sum : sum + count, 0);
  bar.replaceChildren(...Object.entries(counts).filter(([name, count]) => count && name !== 'cut').map(([name, count]) => {
    const part = el('i', {class: `is-${name}`});
    part.style.flexGrow = String(count);
    return part;
  }));
  tally.replaceChildren(el('b', {}, plural(total, 'goal')), ...Object.entries(counts).filter(([, count]) => count)
    .map(([name, count]) => el('span', {class: `is-${name}`}, el('span', {class: 'glyph'}, STATUS[name]?.[0] ?? '?'), ` ${count.toLocaleString('en')} ${words[name] ?? shown(name)}`)));
  const amount = commit?.total ?? {}, models = amount.model_calls;
  spent.textContent = [commit ? seconds(commit.at) : '', amount.solver_calls ? plural(amount.solver_calls, 'solver call') : '',
    models ? plural(models, 'model call') : '', model.backtracks.length ? plural(upTo(model.backtracks, view.at), 'backtrack') : ''].filter(Boolean).join(' · ');
  slider.min = model.commits[0]?.seq ?? 0;
  slider.max = model.seq;
  slider.value = String(view.at);
  const said = commit ? `${commit.seq} of ${model.seq}: ${shown(commit.agent)} on ${shown(commit.node.id)}, ${oneLine(commit.outcome, 120)}` : 'no commit yet';
  slider.setAttribute('aria-valuetext', said);
  story.replaceChildren(...(commit ? [el('b', {}, `${commit.seq} / ${model.seq}`), ` ${seconds(commit.at)} `, el('span', {class: 'agent'}, shown(commit.agent)), ' on ',
    el('button', {class: 'link', on: {click: () => select(commit.node)}}, shown(commit.node.id)), `: ${oneLine(commit.outcome, 120)}`,
    commit.reason ? el('span', {class: 'dim'}, ` ${oneLine(commit.reason, 300)}`) : ''] : ['no commit yet']));
  view.running = new Set(model.underWay.map(([, id]) => id));
  if (live) connection.title = model.underWay.map(([agent, id]) => `${agent} on ${id}`).join(', ');
}

// -- playing ---------------------------------------------------------------------------------------------------
let playing = 0;
function start() {
  if (view.at >= model.seq) goTo(model.commits[0]?.seq ?? 0);
  const count = model.seq - view.at, pause = Math.max(60, Math.min(400, 12_000 / Math.max(1, count)));
  const stride = Math.max(1, Math.round(count * pause / 12_000));
  playing = setInterval(() => {
    goTo(view.at + stride);
    if (view.at >= model.seq) stop();
  }, pause);
  play.textContent = '❚❚';
  play.setAttribute('aria-label', 'Pause');
}

function stop() {
  clearInterval(playing);
  playing = 0;
  play.textContent = '▶';
  play.setAttribute('aria-label', 'Play');
}

// -- searching -------------------------------------------------------------------------------------------------
/** Goals whose id, statement, strategy, status or last obstacle has the text; without any, all its words. */
function match() {
  view.hits = new Set();
  if (!view.needle) { found.textContent = ''; return; }
  const parts = view.needle.split(/\s+/).filter(Boolean), scattered = [];
  for (const node of model.nodes) {
    if (!isThere(node, view.at, view.withCut)) continue;
    const state = stateAt(node, view.at);
    const text = `${node.id} ${statementAt(model, node, view.at)} ${state.fingerprint ?? state.strategy ?? ''} ${statusAt(node, view.at)} ${state.queue ?? ''} ${state.reason ?? ''}`.toLowerCase();
    if (text.includes(view.needle)) view.hits.add(node);
    else if (parts.every(part => text.includes(part))) scattered.push(node);
  }
  if (!view.hits.size) view.hits = new Set(scattered);
  sayFound();
}

function sayFound() {
  const hits = inOrder(), place = hits.indexOf(view.selected);
  found.textContent = hits.length ? `${place >= 0 ? `${place + 1} of ` : ''}${hits.length.toLocaleString('en')}` : 'none';
}

function inOrder() {
  const order = [];
  for (const stack = model.nodes.filter(node => !node.parent).reverse(); stack.length;) {
    const node = stack.pop();
    if (view.hits.has(node)) order.push(node);
    for (let i = node.children.length - 1; i >= 0; i--) stack.push(node.children[i]);
  }
  return order;
}

function find(text) {
  view.needle = text.trim().toLowerCase();
  match();
  tree.refresh();
  if (view.needle && view.hits.size && !view.hits.has(view.selected)) nextMatch(1);
}

function nextMatch(direction) {
  const hits = inOrder();
  if (!hits.length) return;
  const place = hits.indexOf(view.selected);
  select(hits[place < 0 ? 0 : (place + direction + hits.length) % hits.length], view.tab !== 'tree');
  sayFound();
}

// -- keys ------------------------------------------------------------------------------------------------------
const move = distance => { const node = tree.neighbour(distance); if (node) select(node); };
function right() {
  const node = view.selected, child = node?.children.find(one => isThere(one, view.at, view.withCut));
  if (!child) return;
  if (node.collapsed) tree.toggle(node, false); else select(child);
}
function left() {
  const node = view.selected;
  if (!node) return;
  if (!node.collapsed && node.children.some(one => isThere(one, view.at, view.withCut))) tree.toggle(node, true);
  else if (node.parent) select(node.parent);
}
const ACTS = {
  j: () => move(1), k: () => move(-1), ArrowDown: () => move(1), ArrowUp: () => move(-1), ArrowRight: right, ArrowLeft: left,
  PageDown: () => move(tree.page()), PageUp: () => move(-tree.page()),
  Enter: () => view.selected && tree.toggle(view.selected), Home: () => tree.first() && select(tree.first()), End: () => tree.last() && select(tree.last()),
  '/': () => { if (getComputedStyle(search).visibility === 'hidden' || !search.offsetParent) show('tree'); search.focus(); search.select(); },
  n: () => nextMatch(1), p: () => nextMatch(-1), ' ': () => playing ? stop() : start(), '[': () => step(-1), ']': () => step(1),
  '{': () => { stop(); goTo(0); }, '}': () => { stop(); goTo(model.seq); },
  x: () => { cutBox.checked = view.withCut = !view.withCut; refresh(); }, t: otherTheme, '?': () => help.showModal(),
};
Object.keys(TABS).filter(name => name !== 'tree').forEach((name, i) => { ACTS[i + 1] = () => show(name); });

document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  const at = event.target;
  if (at === search) {
    if (event.key === 'Enter') { event.preventDefault(); nextMatch(event.shiftKey ? -1 : 1); }
    if (event.key === 'Escape') { event.preventDefault(); search.blur(); tree.box.focus({preventScroll: true}); }
    return;
  }
  if (at === slider && /^(Arrow|Home|End|Page)/.test(event.key)) return;
  if (at.closest?.('button, a, summary, input') && (event.key === 'Enter' || event.key === ' ')) return;
  if (at.getAttribute?.('role') === 'tab' && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
    event.preventDefault();
    const all = [...tabs.children].filter(tab => tab.offsetParent), next = all[(all.indexOf(at) + (event.key === 'ArrowRight' ? 1 : -1) + all.length) % all.length];
    show(next.dataset.tab);
    next.focus();
    return;
  }
  if (panel.contains(at) && /^(Arrow(Up|Down)|Page|Home|End)/.test(event.key)) return; // it scrolls
  const act = ACTS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// -- light and dark, and where one was ---------------------------------------------------------------------------
function otherTheme() {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  setTheme(dark ? 'light' : 'dark');
  try { localStorage.setItem('goedels-poetry-theme', document.documentElement.dataset.theme); } catch { /* a file in a closed folder: it is forgotten */ }
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  if (view.tab === 'timeline') timeline.draw();
}

let remembering = 0;
function remember() {
  clearTimeout(remembering);
  remembering = setTimeout(() => {
    const parts = [view.selected ? `goal=${encodeURIComponent(view.selected.id)}` : '', view.at === model.seq ? '' : `at=${view.at}`, view.tab === 'goal' ? '' : `tab=${view.tab}`].filter(Boolean);
    try { history.replaceState(null, '', `#${parts.join('&')}`); } catch { /* a frame without an address */ }
  }, 300);
}

function recall() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  if (Object.hasOwn(TABS, wanted.get('tab') ?? '')) view.tab = wanted.get('tab');
  const at = wanted.has('at') ? Number(wanted.get('at')) : model.seq;
  view.at = Number.isFinite(at) ? Math.max(0, Math.min(model.seq, at)) : model.seq;
  view.following = view.at === model.seq;
  view.selected = model.byId.get(wanted.get('goal')) ?? view.selected;
}

// -- updates -----------------------------------------------------------------------------------------------------
/** Take in what has happened since; false when something before it is missing here. */
function applyUpdate(update) {
  const texts = update.texts, before = model.seq;
  if (!extend(model, update, () => texts)) return false;
  if (live && model.seq > before) live.running = true;
  if (!view.selected) view.selected = model.nodes[0] ?? null;
  if (view.following) view.at = model.seq;
  refresh();
  return true;
}

let wait = 500;
function listen() {
  const source = new EventSource(`${live.events}${live.events.includes('?') ? '&' : '?'}since=${model.seq}`);
  const say = (text, state) => { connection.textContent = text; connection.dataset.state = state; };
  const done = () => { source.close(); live.running = false; say('ended', 'ended'); document.getElementById('stop')?.remove(); drawHeader(); drawPanel(); };
  source.onopen = () => { wait = 500; say('live', 'live'); };
  source.onmessage = event => { if (!applyUpdate(JSON.parse(event.data))) { source.close(); listen(); } };
  source.addEventListener('end', done);
  source.onerror = () => {
    source.close();
    say('waiting for the server', 'lost');
    setTimeout(listen, wait);
    wait = Math.min(10_000, wait * 2);
  };
}

async function askToStop() {
  const button = document.getElementById('stop');
  button.disabled = true;
  try { if (!(await fetch(live.stop, {method: 'POST'})).ok) button.disabled = false; } catch { button.disabled = false; }
}

// -- begin -------------------------------------------------------------------------------------------------------
try { const theme = localStorage.getItem('goedels-poetry-theme'); if (theme === 'dark' || theme === 'light') setTheme(theme); } catch { /* as the system has it */ }
addEventListener('hashchange', () => { recall(); show(view.tab); refresh(); if (view.selected) tree.reveal(view.selected); });
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => view.tab === 'timeline' && timeline.draw());
recall();
if (live) live.running = !model.result;
show(view.tab);
refresh();
if (view.selected) tree.reveal(view.selected);
tree.box.focus({preventScroll: true});
if (live) listen();
window.goedelsPoetry = {applyUpdate, seq: () => model.seq};
requestAnimationFrame(() => { document.body.dataset.ready = String(Math.round(performance.now())); });
