// The proof tree as a list of which only the rows on the screen are in the document.

const ROW = 30, MARGIN = 12, DEEPEST_INDENT = 24, MOST_PRINTED = 3000;
const STATUS = {
  proved: ['✓', 'proved'], refuted: ['✗', 'refuted'], failed: ['!', 'failed'], open: ['○', 'open'],
  split: ['◐', 'split'], idle: ['–', 'open'], cut: ['✂', 'cut off'],
};

/** `view`: {model, at, withCut, needle, selected, hits}; `select(node)` is called when somebody chooses one. */
function makeTree(view, select) {
  const rowsBox = el('div', {class: 'rows', role: 'presentation'});
  const box = el('div', {class: 'tree', role: 'tree', tabindex: 0, 'aria-label': 'Proof tree', on: {scroll: draw}}, rowsBox);
  let rows = [], position = new Map();

  function visibleChildren(node) {
    return node.children.filter(child => isThere(child, view.at, view.withCut));
  }

  // Rows are drawn anew at any moment, also between pressing and letting go: whose row it was is known by its place.
  const rowAt = event => rows[Math.floor((event.clientY - rowsBox.getBoundingClientRect().top) / ROW)];
  rowsBox.addEventListener('click', event => {
    const row = rowAt(event);
    if (!row) return;
    if (event.target.closest('.twisty')) return toggle(row.node);
    box.focus({preventScroll: true});
    return select(row.node);
  });
  rowsBox.addEventListener('dblclick', event => { const row = rowAt(event); if (row && !event.target.closest('.twisty')) toggle(row.node); });

  /** The rows anew: after another commit, or when something was opened or closed. */
  function refresh() {
    rows = [];
    const roots = view.model.nodes.filter(node => !node.parent && isThere(node, view.at, view.withCut));
    const stack = roots.map((node, i) => ({node, place: i + 1, of: roots.length, children: 0})).reverse();
    while (stack.length) {
      const row = stack.pop(), children = visibleChildren(row.node);
      row.children = children.length;
      rows.push(row);
      if (row.node.collapsed) continue;
      for (let i = children.length - 1; i >= 0; i--) stack.push({node: children[i], place: i + 1, of: children.length, children: 0});
    }
    position = new Map(rows.map((row, index) => [row.node, index]));
    rowsBox.style.height = `${rows.length * ROW}px`;
    draw();
  }

  function draw() {
    const first = Math.max(0, Math.floor(box.scrollTop / ROW) - MARGIN);
    const last = Math.min(rows.length, Math.ceil((box.scrollTop + (box.clientHeight || 600)) / ROW) + MARGIN);
    rowsBox.replaceChildren(...rows.slice(first, last).map((row, i) => drawRow(row, first + i)));
    const chosen = position.get(view.selected);
    box.setAttribute('aria-activedescendant', chosen >= first && chosen < last ? `row-${chosen}` : '');
  }

  function drawRow({node, children, place, of}, index) {
    const state = stateAt(node, view.at), status = statusAt(node, view.at);
    const [glyph, name] = STATUS[status] ?? ['?', status];
    const lemma = node.parent && of < 200
      && visibleChildren(node.parent).some(other => (stateAt(other, view.at).waits_for ?? []).includes(node.id));
    const notes = [];
    if (state.strategy) notes.push(el('span', {class: 'strategy'}, oneLine(state.strategy, 40)));
    if (state.queue && status !== 'cut') notes.push(el('span', {class: 'queue'}, oneLine(state.queue.replaceAll('_', ' '), 30)));
    if (view.running.has(node.id) && view.following) notes.push(el('span', {class: 'now'}, 'now'));
    const row = el('div', {
      class: `row is-${status}${node === view.selected ? ' selected' : ''}${view.hits.has(node) ? ' hit' : ''}`,
      role: 'treeitem', id: `row-${index}`, 'aria-level': node.depth + 1, 'aria-selected': String(node === view.selected),
      'aria-setsize': of, 'aria-posinset': place,
      'aria-expanded': children ? String(!node.collapsed) : null, 'data-id': node.id,
    },
    el('span', {class: 'indent'}),
    el('span', {class: 'twisty', 'aria-hidden': 'true'}, children ? (node.collapsed ? '▸' : '▾') : ''),
    el('span', {class: 'glyph', 'aria-hidden': 'true'}, glyph),
    el('span', {class: 'statement', dir: 'ltr'}, lemma ? el('b', {}, 'lemma ') : '', marked(oneLine(statementAt(view.model, node, view.at), 300), view.needle)),
    node.collapsed && children ? el('span', {class: 'count'}, `+${count(node)}`) : null,
    notes, el('span', {class: 'status'}, name));
    row.style.top = `${index * ROW}px`;
    row.querySelector('.indent').style.width = `${Math.min(node.depth, DEEPEST_INDENT) * 16}px`;
    return row;
  }

  function count(node) {
    let total = 0;
    for (const below = visibleChildren(node); below.length;) { total++; below.push(...visibleChildren(below.pop())); }
    return total;
  }

  function toggle(node, collapsed = !node.collapsed) {
    node.collapsed = collapsed;
    refresh();
  }

  /** Bring a node on the screen, opening what it is in. */
  function reveal(node) {
    let opened = false;
    for (let above = node.parent; above; above = above.parent) {
      opened ||= above.collapsed;
      above.collapsed = false;
    }
    if (opened || !position.has(node)) refresh();
    const index = position.get(node);
    if (index === undefined) return;
    const top = index * ROW, height = box.clientHeight;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + ROW > box.scrollTop + height) box.scrollTop = top + ROW - height;
    draw();
  }

  /** The node so many rows away from the selected one. */
  const neighbour = distance => rows[Math.max(0, Math.min(rows.length - 1, (position.get(view.selected) ?? 0) + distance))]?.node;

  function printed(printing) {
    if (!printing || rows.length > MOST_PRINTED) return draw();
    rowsBox.replaceChildren(...rows.map(drawRow));
    return undefined;
  }
  window.addEventListener('beforeprint', () => printed(true));
  window.addEventListener('afterprint', () => printed(false));
  new ResizeObserver(draw).observe(box);
  return {box, refresh, draw, reveal, toggle, neighbour, first: () => rows[0]?.node, last: () => rows.at(-1)?.node, page: () => Math.max(1, Math.floor(box.clientHeight / ROW) - 1)};
}
