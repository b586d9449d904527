// What the panel beside the tree shows: a goal, the proof, where it was stuck, the theorem.

const KINDS = {
  attempt: ['attempt failed', 'bad'], sketch: ['sketch', 'plain'], rejected: ['sketch rejected', 'bad'],
  failure: ['evidence against a strategy', 'bad'], ban: ['strategy banned', 'bad'], lift: ['ban lifted', 'plain'],
  backtrack: ['backtracked', 'bad'], decision: ['decision', 'plain'], fault: ['an agent or plug-in failed', 'bad'],
  model: ['conversation with the model', 'plain'], note: ['note', 'plain'], trials: ['tried', 'plain'],
  candidate: ['candidate', 'plain'], formalization: ['formalization rejected', 'bad'],
  refutation: ['refutation by a model rejected', 'bad'],
};
const UNITS = {solver_seconds: 's in solvers', cpu_seconds: 's of processor', job_seconds: 's of work', solver_calls: ['solver call'], steps: ['step'], model_calls: ['model call'], model_tokens: ['model token']};
const SPARED = /:|^model_(replies|latency|seconds|faults|tokens_(in|out))$/; // by role, or of no use beside the others
const QUIET = new Set(['reason', 'strategy', 'fingerprint', 'attempt', 'move', 'legal', 'deterministic', 'node', 'statement',
  'limit', 'failures', 'banned', 'shape', 'trials', 'more', 'agent', 'exchange', 'generation', 'role', 'prompt', 'model',
  'temperature', 'reasons', 'round', 'failed', 'cut', 'seq', 'who']);

const section = (title, ...content) => content.flat().some(Boolean)
  ? el('section', {}, el('h3', {}, title), ...content) : null;
const facts = pairs => el('dl', {class: 'facts'}, pairs.filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
  .flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));

/** Something large that is drawn when it is opened. */
function folded(summary, draw, open = false) {
  const box = el('details', {}, el('summary', {}, summary));
  const fill = () => { if (box.childElementCount === 1) box.append(draw()); };
  box.addEventListener('toggle', () => box.open && fill());
  if (open) { box.open = true; fill(); }
  return box;
}

function amounts(cost) {
  return Object.entries(cost).filter(([name, amount]) => amount && !SPARED.test(name)).map(([name, amount]) => {
    const unit = UNITS[name] ?? shown(name.replaceAll('_', ' '));
    if (Array.isArray(unit)) return plural(amount, ...unit);
    return `${Number.isInteger(amount) ? amount.toLocaleString('en') : amount.toFixed(amount < 1 ? 3 : 2)} ${unit}`;
  });
}

/** JSON as compact as it can be read: lists and objects that fit in a line stand in one. */
function pretty(value, indent = '') {
  const flat = JSON.stringify(value);
  if (value === null || typeof value !== 'object' || flat.length + indent.length < 96) return flat;
  const inner = `${indent}  `, list = Array.isArray(value);
  const parts = list ? value.map(item => inner + pretty(item, inner))
    : Object.entries(value).map(([name, item]) => `${inner}${JSON.stringify(name)}: ${pretty(item, inner)}`);
  return `${list ? '[' : '{'}\n${parts.join(',\n')}\n${indent}${list ? ']' : '}'}`;
}

/** An attempt, a sketch, a report: texts of several lines as they are, the rest as JSON. */
function artefact(text, language) {
  let value;
  try { value = JSON.parse(text); } catch { return code(text, language); }
  if (typeof value === 'string') return code(value, language);
  const box = el('div', {class: 'artefact'});
  if (value && typeof value === 'object' && !Array.isArray(value)) {
    const rest = {};
    for (const [name, item] of Object.entries(value)) {
      if (typeof item === 'string' && (item.includes('\n') || /^(source|text|proof|code|lean|tactics?|message)$/.test(name))) {
        box.append(el('div', {class: 'label'}, shown(name)), code(item, language));
      } else rest[name] = item;
    }
    if (!Object.keys(rest).length) return box;
    value = rest;
  }
  box.append(code(pretty(value), 'json'));
  return box;
}

/** The result of a trial behind the word of its status, which some results begin with themselves. */
function resultWithout(trial) {
  const result = oneLine(trial.result ?? ''), words = `${trial.status}: `;
  const rest = result.startsWith(words) ? result.slice(words.length) : result === trial.status ? '' : result;
  return rest && `: ${rest}`;
}

/** What was tried, as a table. */
function trialsTable(trials, more = 0) {
  if (!trials.length) return null;
  const rows = trials.map(trial => el('tr', {class: `trial-${String(trial.status).replace(/\W/g, '-')}`},
    el('td', {}, el('b', {}, oneLine(trial.strategy, 60)), trial.times > 1 ? ` ×${trial.times}` : '',
      trial.what ? el('div', {class: 'formula', dir: 'ltr'}, oneLine(trial.what)) : ''),
    el('td', {}, el('span', {class: 'verdict-word'}, shown(trial.status)), resultWithout(trial),
      trial.left ? el('div', {class: 'formula', dir: 'ltr'}, `left open: ${oneLine(trial.left)}`) : ''),
    el('td', {class: 'number'}, trial.seconds === null || trial.seconds === undefined ? '' : seconds(Math.round(trial.seconds * 1000)))));
  if (more) rows.push(el('tr', {}, el('td', {colspan: 3, class: 'dim'}, `and ${more.toLocaleString('en')} more`)));
  return el('div', {class: 'scroll'}, el('table', {class: 'trials'},
    el('thead', {}, el('tr', {}, el('th', {}, 'tried'), el('th', {}, 'result'), el('th', {class: 'number'}, 'time'))), el('tbody', {}, rows)));
}

/** The messages and replies of one exchange with a model. */
function exchangeOf(what) {
  const text = textOf({chunk: what.chunk, index: what.entry.exchange});
  let exchange;
  try { exchange = JSON.parse(text); } catch { return code(text, null); }
  const bubble = (who, text, note = '') => el('div', {class: `bubble from-${who === 'assistant' ? 'model' : 'us'}`},
    el('div', {class: 'who'}, shown(who), note ? el('span', {class: 'dim'}, ` ${oneLine(note)}`) : ''), code(text, null));
  return el('div', {class: 'exchange'},
    (exchange.messages ?? []).map(([role, text]) => bubble(role, text)),
    (exchange.replies ?? []).map(reply => bubble('assistant', reply.text || reply.error || '(nothing)',
      reply.holds ? 'accepted' : reply.reason || reply.error || '')));
}

/** One thing that happened to a goal. */
function happening(view, what) {
  const {kind, entry, chunk, seq} = what, language = view.model.run.language;
  const [title, tone] = KINDS[kind] ?? [kind.replaceAll('_', ' '), 'plain'];
  const head = [el('b', {}, shown(title))];
  if (kind === 'decision') head.push(' ', el('span', {class: 'chip'}, shown(entry.move)));
  if (entry.strategy) head.push(' ', el('span', {class: 'strategy'}, oneLine(entry.fingerprint?.startsWith(`${entry.strategy}(`) ? entry.fingerprint : entry.strategy, 120)));
  if (kind === 'model') head.push(' ', el('span', {class: 'dim'}, oneLine([entry.role, entry.prompt, entry.model].filter(Boolean).join(' · '))));
  if (kind === 'trials' && entry.agent) head.push(' ', el('span', {class: 'dim'}, `by the ${shown(entry.agent)}`));
  const card = el('article', {class: `happening ${tone}`},
    el('div', {class: 'head'}, head, el('button', {class: 'when link', title: 'Show the run at this commit', on: {click: () => view.goTo(seq)}},
      `#${seq} · ${seconds(view.model.bySeq.get(seq)?.at ?? 0)}`)));
  if (entry.reason) card.append(el('p', {dir: 'auto'}, oneLine(entry.reason, 2000)));
  if (kind === 'decision' && entry.legal?.length) card.append(el('p', {class: 'dim'}, `legal moves: ${entry.legal.map(move => shown(move)).join(', ')}`));
  if (kind === 'backtrack' || kind === 'ban') card.append(el('p', {class: 'dim'}, kind === 'ban'
    ? `after ${plural(entry.failures ?? 1, 'failure')}` : `${plural(entry.cut ?? 0, 'goal')} cut off; subgoal ${shown(entry.failed ?? '')} had failed`));
  if (kind === 'trials') card.append(trialsTable(entry.trials ?? [], entry.more ?? 0) ?? '');
  for (const reason of kind === 'model' ? entry.reasons ?? [] : []) card.append(el('p', {dir: 'auto'}, oneLine(reason, 2000)));
  if (kind === 'model' && Number.isInteger(entry.exchange)) card.append(folded('Messages and replies', () => exchangeOf(what)));
  for (const [name, value] of Object.entries(entry)) {
    if (name.endsWith('_ref') && Number.isInteger(value)) {
      card.append(folded(shown(name.slice(0, -4)), () => artefact(textOf({chunk, index: value}), language)));
    }
  }
  const others = Object.fromEntries(Object.entries(entry).filter(([name]) => !QUIET.has(name) && !name.endsWith('_ref')));
  if (Object.keys(others).length) card.append(folded('More', () => code(pretty(others), 'json')));
  return card;
}

/** The panel of one goal. */
function drawGoal(view) {
  const node = view.selected, {model, at} = view;
  if (!node) return el('p', {class: 'dim pad'}, 'No goal yet.');
  const state = stateAt(node, at), status = statusAt(node, at), [glyph, name] = STATUS[status] ?? ['?', status];
  const history = node.history.slice(0, upTo(node.history, at)), bans = bansAt(node, at), costs = costsAt(node, at);
  const path = [];
  for (let above = node; above; above = above.parent) path.unshift(above);
  const crumbs = path.slice(-6).map((each, i) => [i || path.length > 6 ? ' › ' : '', each === node ? el('span', {}, shown(each.id === '0' ? 'theorem' : each.name))
    : el('button', {class: 'link', on: {click: () => view.select(each)}}, shown(each.id === '0' ? 'theorem' : each.name))]);
  const statement = statementAt(model, node, at);
  const conversations = history.filter(what => what.kind === 'model');
  const artefacts = ['proof', 'sketch', 'candidate', 'report', 'solution'].filter(part => state[`ref:${part}`]);
  const steps = node.steps.slice(0, upTo(node.steps, at));
  const links = ids => ids.map(id => [' ', model.byId.has(id) ? el('button', {class: 'link', on: {click: () => view.select(model.byId.get(id))}}, shown(id)) : shown(id)]);
  const MOST = 200;
  return el('div', {class: 'goal'},
    el('div', {class: 'crumbs', title: shown(node.id)}, path.length > 6 ? '…' : '', crumbs),
    el('div', {class: `headline is-${status}`}, el('span', {class: 'glyph', 'aria-hidden': 'true'}, glyph), el('b', {}, name),
      state.strategy ? el('span', {class: 'strategy'}, oneLine(state.strategy, 80)) : null,
      node.cut <= at ? el('span', {class: 'dim'}, `by backtracking in commit ${node.cut}`) : null),
    el('div', {class: 'big formula', dir: 'ltr'}, shown(statement)),
    state.formal && state.formal !== statement ? folded('As the language has it', () => code(state.formal, view.model.run.language)) : null,
    status !== 'proved' && state.reason ? el('p', {class: 'obstacle', dir: 'auto'}, el('b', {}, 'last obstacle: '), oneLine(state.reason, 2000)) : null,
    facts([
      ['waits in', state.queue && status !== 'cut' ? shown(state.queue.replaceAll('_', ' ')) : ''],
      ['decomposed by', state.fingerprint ? shown(state.fingerprint) : ''],
      ['proof attempts', state.attempts || ''], ['failed sketches', state.decomposition_attempts || ''],
      ['open subgoals', state.pending || ''], ['may cite', state.waits_for?.length ? links(state.waits_for) : ''],
      ['lemmas retrieved', state.lemmas?.length ? shown(state.lemmas.join(', ')) : ''],
      ['taken from', state.origin ? shown(state.origin) : ''], ['stopped by the limit', state.limit ? shown(state.limit) : ''],
      ['moves used up', state.exhausted?.length ? shown(state.exhausted.join(', ')) : ''], ['cost', amounts(costs).join(', ')],
    ]),
    section('Bans in force', bans.map(ban => el('p', {class: 'ban', dir: 'auto'}, el('span', {class: 'strategy'}, oneLine(ban.fingerprint, 160)), ban.reason ? ` ${oneLine(ban.reason, 600)}` : ''))),
    at === model.seq && status !== 'proved' ? section('Why it is open', explained(view, node)) : null,
    section('Now', artefacts.map(part => folded(part, () => artefact(textOf(state[`ref:${part}`]), model.run.language), part === 'proof'))),
    section('Conversation', conversations.map(what => happening(view, what))),
    section(`What happened (${history.length})`, history.length > MOST ? el('p', {class: 'dim'}, `the last ${MOST}`) : null,
      history.slice(-MOST).filter(what => what.kind !== 'model').map(what => happening(view, what))),
    section(`Jobs (${steps.length})`, steps.length ? el('div', {class: 'scroll'}, el('table', {class: 'jobs'},
      el('thead', {}, el('tr', {}, ['commit', 'agent', 'outcome', 'ready', 'begun', 'done', 'in solvers'].map((title, i) => el('th', {class: i > 2 ? 'number' : ''}, title)))),
      el('tbody', {}, steps.slice(-MOST).map(step => el('tr', {},
        el('td', {}, el('button', {class: 'link', on: {click: () => view.goTo(step.seq)}}, `#${step.seq}`)), el('td', {}, shown(step.agent)), el('td', {}, oneLine(step.outcome, 80)),
        el('td', {class: 'number'}, seconds(readyAt(model, step))), el('td', {class: 'number'}, step.cost.job_seconds === undefined ? '' : seconds(beganAt(model, step))), el('td', {class: 'number'}, seconds(step.at)),
        el('td', {class: 'number'}, step.cost.solver_seconds ? seconds(Math.round(step.cost.solver_seconds * 1000)) : '')))))) : null));
}

/** Why one goal is open: what was tried, how near it came, what would help. */
function explained(view, node) {
  const found = view.model.explanations[node.id];
  if (!found) return null;
  const {nearest, advice, tried, more} = found;
  return [
    nearest?.statement ? el('p', {}, el('b', {}, 'nearest: '), `${nearest.proved} of ${plural(nearest.goals, 'goal')} proved; the simplest that is open`,
      nearest.by ? ` (left by ${oneLine(nearest.by, 80)})` : '', el('div', {class: 'formula', dir: 'ltr'}, oneLine(nearest.statement))) : null,
    advice?.length ? el('div', {}, el('b', {}, 'what would help'), el('ul', {class: 'advice'}, advice.map(line => el('li', {dir: 'auto'}, oneLine(line, 1000))))) : null,
    trialsTable(tried ?? [], more),
  ];
}

/** Open goals with what stands against them, then where most of the work went. */
function drawStuck(view) {
  const {model, at} = view, result = at === model.seq ? model.result : null, MOST = 40;
  const open = openLeaves(model, at);
  const goalLink = node => el('button', {class: 'link formula', on: {click: () => view.select(node, true)}}, oneLine(statementAt(model, node, at), 110));
  const work = model.nodes.filter(node => node.created <= at).map(node => ({node, costs: costsAt(node, at), state: stateAt(node, at),
    backtracks: node.history.filter(what => what.kind === 'backtrack' && what.seq <= at).length}))
    .sort((a, b) => (b.costs.solver_seconds ?? 0) - (a.costs.solver_seconds ?? 0) || b.backtracks - a.backtracks || b.state.attempts - a.state.attempts)
    .slice(0, 10);
  const back = model.backtracks.filter(what => what.seq <= at);
  return el('div', {class: 'goal'},
    result?.reason ? el('p', {class: 'obstacle', dir: 'auto'}, oneLine(result.reason, 3000)) : null,
    result?.counterexample ? section('Counterexample', code(pretty(result.counterexample), 'json')) : null,
    section(`Open goals (${open.length})`, open.length > MOST ? el('p', {class: 'dim'}, `the first ${MOST}`) : null,
      open.slice(0, MOST).map(node => el('article', {class: 'happening bad'},
        el('div', {class: 'head'}, goalLink(node)),
        stateAt(node, at).reason ? el('p', {dir: 'auto'}, oneLine(stateAt(node, at).reason, 1000)) : null,
        at === model.seq ? explained(view, node) : null))) ?? el('p', {class: 'all-proved'}, '✓ No goal is open.'),
    section(`Backtracks (${back.length})`, back.slice(-MOST).map(what => el('article', {class: 'happening bad'},
      el('div', {class: 'head'}, goalLink(what.node), el('button', {class: 'when link', on: {click: () => { view.select(what.node); view.goTo(what.seq); }}}, `#${what.seq}`)),
      el('p', {dir: 'auto'}, oneLine(what.entry.reason ?? '', 1000))))),
    section('Where the work went', work.length ? el('div', {class: 'scroll'}, el('table', {},
      el('thead', {}, el('tr', {}, el('th', {}, 'goal'), ['in solvers', 'attempts', 'failed sketches', 'backtracks'].map(title => el('th', {class: 'number'}, title)))),
      el('tbody', {}, work.map(({node, costs, state, backtracks}) => el('tr', {}, el('td', {}, goalLink(node)),
        el('td', {class: 'number'}, costs.solver_seconds ? seconds(Math.round(costs.solver_seconds * 1000)) : ''),
        [state.attempts, state.decomposition_attempts, backtracks].map(number => el('td', {class: 'number'}, number || ''))))))) : null));
}

/** Why there is nothing to read. */
function withoutProof(result) {
  if (!result) return 'The run has not ended.';
  if (result.error) return `No verdict: ${shown(result.error.reason)}`;
  return result.certificate ? 'The certificate is gone.' : `No certificate: the verdict is ${shown(result.verdict)}.`;
}

/** The finished proof and the certificate's files. */
function drawProof(view) {
  const {proof, result} = view.model;
  if (!proof.length) return el('p', {class: 'dim pad'}, withoutProof(result));
  return el('div', {class: 'goal'}, proof.map((file, i) => i === 0 && file.kind !== 'json'
    ? el('section', {}, el('h3', {}, shown(file.name)), code(file.text, file.kind))
    : folded(shown(file.name), () => code(file.text, file.kind), i === 0)),
  result?.certificate ? el('p', {class: 'dim'}, 'certificate: ', el('span', {class: 'formula'}, shown(result.certificate))) : null);
}

/** What the run is about, and its figures. */
function drawTheorem(view) {
  const {run, result} = view.model, metrics = result?.metrics ?? {};
  const plain = Object.entries(metrics).filter(([, value]) => typeof value === 'number');
  return el('div', {class: 'goal'},
    el('div', {class: 'big formula', dir: 'ltr'}, shown(run.statement || run.name)),
    facts([['file', shown(run.name)], ['language', shown(run.language)], ['run', shown(run.id)], ['begun', run.started ? new Date(run.started * 1000).toLocaleString() : '']]),
    section('Text', code(run.theorem, run.language)),
    section('Figures', plain.length ? facts(plain.map(([name, value]) => [shown(name.replaceAll('_', ' ')), value.toLocaleString('en')])) : null),
    section('Warnings', (result?.warnings ?? []).map(line => el('p', {dir: 'auto'}, oneLine(line, 2000)))),
    result?.answer ? section('Answer', code(pretty(result.answer), 'json')) : null,
    result?.formalization ? section('Formalization', code(pretty(result.formalization), 'json')) : null);
}

/** The log of commits around the present one. */
function drawLog(view) {
  const {model, at} = view, here = upTo(model.commits, at), AROUND = 150;
  const from = Math.max(0, here - AROUND), to = Math.min(model.commits.length, here + AROUND);
  return el('div', {class: 'goal'}, el('p', {class: 'dim'}, `commits ${from + 1} to ${to} of ${model.commits.length}`),
    el('div', {class: 'scroll'}, el('table', {class: 'log'}, el('thead', {}, el('tr', {}, ['', 'time', 'agent', 'goal', 'outcome'].map(title => el('th', {}, title)))),
      el('tbody', {}, model.commits.slice(from, to).map(commit => el('tr', {class: commit.seq === at ? 'current' : commit.seq > at ? 'later' : ''},
        el('td', {}, el('button', {class: 'link', on: {click: () => view.goTo(commit.seq)}}, `#${commit.seq}`)),
        el('td', {class: 'number'}, seconds(commit.at)), el('td', {}, shown(commit.agent)),
        el('td', {}, el('button', {class: 'link', on: {click: () => view.select(commit.node)}}, shown(commit.node.id))),
        el('td', {dir: 'auto'}, oneLine(commit.outcome, 100), commit.reason ? el('div', {class: 'dim'}, oneLine(commit.reason, 200)) : '')))))));
}
