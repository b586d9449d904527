// The run at any commit. Nothing here touches the document.

const NEVER = Infinity;

/** A run without commits yet. */
function newModel() {
  return {
    run: {}, result: null, verdict: null, spent: null, proof: [], explanations: {}, underWay: [],
    seq: 0, nodes: [], byId: new Map(), commits: [], bySeq: new Map(), backtracks: [],
  };
}

/** Take in an update; false when it begins after a commit that is not here. `texts`: a function that gives its texts. */
function extend(model, data, texts) {
  if (data.since > model.seq || data.format !== 1) return false;
  model.run = data.run;
  model.result = data.result;
  model.text = data.text;
  model.verdict = data.verdict;
  model.spent = data.spent ?? model.spent;
  model.proof = data.proof;
  model.underWay = data.under_way;
  Object.assign(model.explanations, data.explanations);
  const chunk = {strings: data.strings, fields: data.fields, texts, nodes: []};
  for (const [parent, name] of data.nodes) chunk.nodes.push(nodeOf(model, parent < 0 ? null : chunk.nodes[parent], name));
  for (const commit of data.commits) if (commit[0] > model.seq) takeCommit(model, chunk, commit);
  return true;
}

function nodeOf(model, parent, name) {
  const id = parent ? `${parent.id}.${name}` : name;
  let node = model.byId.get(id);
  if (!node) {
    node = {
      id, name, parent, depth: parent ? parent.depth + 1 : 0, children: [], created: NEVER, cut: NEVER,
      changes: [], states: [], history: [], steps: [], backtracks: 0, collapsed: false,
    };
    model.byId.set(id, node);
    model.nodes.push(node);
    if (parent) parent.children.push(node);
  }
  return node;
}

function takeCommit(model, chunk, raw) {
  const [seq, agent, node, at, outcome, reason, from, cost, revisions, cuts, history] = raw;
  const last = model.commits.at(-1);
  const commit = {
    seq, at, from, agent: chunk.strings[agent], node: chunk.nodes[node], outcome: chunk.strings[outcome],
    reason: chunk.strings[reason], cost: {}, total: {...last?.total}, start: last?.start ?? 0,
  };
  if (commit.agent === 'framework' && commit.outcome.startsWith('resumed')) commit.start = at;
  for (let i = 0; i < cost.length; i += 2) {
    const name = chunk.strings[cost[i]];
    commit.cost[name] = cost[i + 1];
    commit.total[name] = (commit.total[name] ?? 0) + cost[i + 1];
  }
  commit.node.steps.push(commit);
  for (const revision of revisions) {
    const changed = chunk.nodes[revision[0]];
    changed.created = Math.min(changed.created, seq);
    changed.changes.push({seq, chunk, revision});
  }
  for (const [index, generation] of cuts) {
    for (const child of chunk.nodes[index].children) if (child.name.startsWith(`${generation}_`)) cutOff(child, seq);
  }
  for (const [index, kind, entry] of history) {
    const what = {seq, chunk, kind: chunk.strings[kind], entry};
    chunk.nodes[index].history.push(what);
    if (what.kind === 'backtrack') model.backtracks.push({node: chunk.nodes[index], ...what});
  }
  model.commits.push(commit);
  model.bySeq.set(seq, commit);
  model.seq = seq;
}

function cutOff(node, seq) {
  const below = [node];
  while (below.length) {
    const one = below.pop();
    if (one.cut > seq) one.cut = seq;
    below.push(...one.children);
  }
}

/** The number of elements of a list, sorted by commits, that are not later than a commit. */
function upTo(list, seq) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].seq <= seq) low = middle + 1; else high = middle;
  }
  return low;
}

const UNTOUCHED = Object.freeze({status: 'open', attempts: 0, decomposition_attempts: 0, generation: 0, statement: ''});

/** A node's fields after a commit. */
function stateAt(node, seq) {
  const {changes, states} = node;
  while (states.length < changes.length) {
    const {chunk, revision} = changes[states.length];
    const state = {...(states.at(-1) ?? UNTOUCHED)};
    for (let i = 1; i < revision.length; i += 2) {
      const [name, kind] = chunk.fields[revision[i]], value = revision[i + 1];
      if (value === null) {
        if (name in UNTOUCHED) state[name] = UNTOUCHED[name]; else delete state[name];
      } else state[name] = kind === 's' ? chunk.strings[value] : kind === 't' ? {chunk, index: value} : value;
    }
    states.push(state);
  }
  const count = upTo(changes, seq);
  return count ? states[count - 1] : UNTOUCHED;
}

const textOf = reference => reference.chunk.texts()[reference.index] ?? '';

/** Whether a node is there after a commit; one that was cut off is, when `withCut` says so. */
const isThere = (node, seq, withCut) => node.created <= seq && (withCut || node.cut > seq);

/** What is called its status: that in the store, finer for goals that are open. */
function statusAt(node, seq) {
  if (node.cut <= seq) return 'cut';
  const state = stateAt(node, seq);
  if (state.status !== 'open') return state.status;
  if (state.pending) return 'split';
  return state.queue || state.blocked ? 'open' : 'idle';
}

/** What people call the goal, and its text in the language. */
function statementAt(model, node, seq) {
  const state = stateAt(node, seq);
  const own = node.parent ? '' : model.run.statement || model.run.theorem;
  return state.statement || own || '(no statement yet)';
}

/** Bans in force on a node after a commit, oldest first. */
function bansAt(node, seq) {
  const bans = new Map();
  for (const {seq: when, kind, entry} of node.history) {
    if (when > seq) break;
    if (kind === 'ban') bans.set(entry.fingerprint, {...entry, seq: when});
    if (kind === 'lift') bans.delete(entry.fingerprint);
  }
  return [...bans.values()];
}

/** How many goals have which status after a commit. */
function tallyAt(model, seq) {
  const tally = {proved: 0, split: 0, open: 0, idle: 0, failed: 0, refuted: 0, cut: 0};
  for (const node of model.nodes) {
    if (node.created > seq) continue;
    const status = statusAt(node, seq);
    tally[status] = (tally[status] ?? 0) + 1;
  }
  return tally;
}

/** When the work of a commit began, in milliseconds; where nobody has measured it, since when the goal stood ready. */
function beganAt(model, commit) {
  const measured = commit.cost.job_seconds;
  return measured === undefined ? readyAt(model, commit) : Math.max(0, Math.round(commit.at - measured * 1000));
}

/** Not before this start of the run: the pause before a resume is nobody's work. */
function readyAt(model, commit) {
  return Math.max(model.bySeq.get(commit.from)?.at ?? commit.at, commit.start);
}

/** Costs of the steps on a node until a commit. */
function costsAt(node, seq) {
  const total = {};
  for (let i = 0, n = upTo(node.steps, seq); i < n; i++) {
    for (const [name, amount] of Object.entries(node.steps[i].cost)) total[name] = (total[name] ?? 0) + amount;
  }
  return total;
}

/** Goals that stand open after a commit and have no open goals below them. */
function openLeaves(model, seq) {
  return model.nodes.filter(node => {
    if (!isThere(node, seq, false)) return false;
    const state = stateAt(node, seq);
    return state.status !== 'proved' && !node.children.some(child => isThere(child, seq, false) && stateAt(child, seq).status !== 'proved');
  });
}
