// Jobs over time: a lane for each agent, drawn in one canvas; what is narrower than a pixel is drawn together.

const LANE = 22, GUTTER = 104, AXIS = 22, MOST_LEVELS = 4;

/** `box`, and `draw()` after anything has changed. `open(commit)` is called with the job that is clicked on. */
function makeTimeline(view, open) {
  const canvas = el('canvas', {tabindex: 0, role: 'img', 'aria-label': 'Timeline of jobs; the table below has the sums'});
  const note = el('div', {class: 'tip', role: 'status'}), sums = el('div', {});
  const button = (text, title, act) => el('button', {title, 'aria-label': title, on: {click: act}}, text);
  const box = el('div', {class: 'timeline'},
    el('div', {class: 'tools'}, button('−', 'Zoom out', () => zoom(0.5)), button('+', 'Zoom in', () => zoom(2)), button('all', 'Show all', () => { window_ = null; draw(); }), note),
    canvas, sums);
  let window_ = null, lanes = [], laid = -1, drawn = [];

  function layOut() {
    if (laid === view.model.commits.length) return;
    laid = view.model.commits.length;
    const byAgent = new Map();
    for (const commit of view.model.commits) {
      if (!byAgent.has(commit.agent)) byAgent.set(commit.agent, {agent: commit.agent, ends: [], jobs: [], steps: 0, solver: 0, calls: 0});
      const lane = byAgent.get(commit.agent), from = beganAt(view.model, commit);
      let level = lane.ends.findIndex(end => end <= from);
      if (level < 0) level = lane.ends.length < MOST_LEVELS ? lane.ends.push(0) - 1 : MOST_LEVELS - 1;
      lane.ends[level] = commit.at;
      lane.jobs.push({commit, from, to: commit.at, level});
      lane.steps++;
      lane.solver += commit.cost.solver_seconds ?? 0;
      lane.calls += commit.cost.solver_calls ?? 0;
    }
    lanes = [...byAgent.values()];
    sums.replaceChildren(el('div', {class: 'scroll'}, el('table', {}, el('thead', {}, el('tr', {}, el('th', {}, 'agent'), ['jobs', 'in solvers', 'solver calls'].map(title => el('th', {class: 'number'}, title)))),
      el('tbody', {}, lanes.map(lane => el('tr', {}, el('td', {}, shown(lane.agent)), el('td', {class: 'number'}, lane.steps.toLocaleString('en')),
        el('td', {class: 'number'}, lane.solver ? seconds(Math.round(lane.solver * 1000)) : ''), el('td', {class: 'number'}, lane.calls ? lane.calls.toLocaleString('en') : '')))))));
  }

  const whole = () => [0, Math.max(1, view.model.commits.at(-1)?.at ?? 1)];
  const span = () => window_ ?? whole();

  function draw() {
    if (!box.clientWidth) return;
    layOut();
    const style = getComputedStyle(document.documentElement), colour = name => style.getPropertyValue(`--${name}`).trim();
    const width = box.clientWidth, height = AXIS + lanes.reduce((sum, lane) => sum + Math.max(1, lane.ends.length) * LANE, 0) + 6;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext('2d'), [from, to] = span(), scale = (width - GUTTER - 8) / (to - from);
    const x = time => GUTTER + (time - from) * scale;
    pen.scale(ratio, ratio);
    pen.font = `12px ${style.getPropertyValue('--sans')}`;
    pen.textBaseline = 'middle';
    const step = niceStep((to - from) / Math.max(2, width / 130));
    pen.fillStyle = colour('dim');
    pen.strokeStyle = colour('line');
    for (let time = Math.ceil(from / step) * step; time <= to; time += step) {
      pen.beginPath(); pen.moveTo(Math.round(x(time)) + 0.5, AXIS); pen.lineTo(Math.round(x(time)) + 0.5, height); pen.stroke();
      pen.fillText(step < 1000 ? `${+(time / 1000).toFixed(2)} s` : `${Math.round(time / 1000)} s`, x(time) + 3, AXIS / 2);
    }
    drawn = [];
    let top = AXIS;
    for (const lane of lanes) {
      pen.fillStyle = colour('text');
      pen.fillText(lane.agent.length > 14 ? `${shown(lane.agent).slice(0, 13)}…` : shown(lane.agent), 6, top + LANE / 2);
      const filled = new Array(MOST_LEVELS).fill(-1);
      pen.save();
      pen.beginPath(); pen.rect(GUTTER, top, width - GUTTER, LANE * lane.ends.length); pen.clip();
      for (const job of lane.jobs) {
        if (job.to < from || job.from > to) continue;
        const left = x(job.from), right = Math.max(left + 1, x(job.to)), y = top + job.level * LANE + 4;
        if (right <= filled[job.level]) continue; // that pixel is drawn
        filled[job.level] = Math.ceil(right);
        const bad = /reject|fail|backtrack|exhaust|banned|refuted|not corrected|no strategy/.test(job.commit.outcome), good = /^(proved|adopted)/.test(job.commit.outcome);
        pen.globalAlpha = job.commit.seq > view.at ? 0.25 : 1;
        pen.fillStyle = colour(bad ? 'bad-soft' : good ? 'good-soft' : 'bar');
        pen.fillRect(left, y, right - left, LANE - 8);
        const solver = Math.min(right - left, (job.commit.cost.solver_seconds ?? 0) * 1000 * scale);
        pen.fillStyle = colour(bad ? 'bad' : good ? 'good' : 'bar-strong');
        pen.fillRect(right - Math.max(1, solver), y, Math.max(1, solver), LANE - 8);
        drawn.push({job, left, right, y});
      }
      pen.restore();
      pen.globalAlpha = 1;
      top += Math.max(1, lane.ends.length) * LANE;
    }
    const present = x(view.model.bySeq.get(view.at)?.at ?? 0);
    pen.fillStyle = colour('accent');
    if (present >= GUTTER && present <= width) pen.fillRect(present, AXIS - 4, 1.5, height);
  }

  function zoom(factor, around = null) {
    const [from, to] = span(), middle = around ?? (from + to) / 2, [low, high] = whole();
    const size = Math.max(1, (to - from) / factor);
    if (size >= high - low) window_ = null;
    else {
      const start = Math.max(low, Math.min(high - size, middle - (middle - from) / factor));
      window_ = [start, start + size];
    }
    draw();
  }

  function shift(distance) {
    const [from, to] = span(), [low, high] = whole(), size = to - from;
    const start = Math.max(low, Math.min(high - size, from + distance * size));
    window_ = size >= high - low ? null : [start, start + size];
    draw();
  }

  const timeAt = event => { const [from, to] = span(), area = canvas.getBoundingClientRect(); return from + (event.clientX - area.left - GUTTER) / (area.width - GUTTER - 8) * (to - from); };
  const jobAt = event => {
    const area = canvas.getBoundingClientRect(), x = event.clientX - area.left, y = event.clientY - area.top;
    return drawn.findLast(bar => x >= bar.left - 2 && x <= bar.right + 2 && y >= bar.y - 4 && y <= bar.y + LANE - 4)?.job;
  };
  canvas.addEventListener('wheel', event => { event.preventDefault(); if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) shift((event.deltaX || event.deltaY) / 1000); else zoom(event.deltaY < 0 ? 1.25 : 0.8, timeAt(event)); }, {passive: false});
  canvas.addEventListener('mousemove', event => {
    const job = jobAt(event);
    canvas.style.cursor = job ? 'pointer' : 'default';
    if (job) note.textContent = `#${job.commit.seq} ${shown(job.commit.agent)} on ${shown(job.commit.node.id)}: ${oneLine(job.commit.outcome, 80)} — ${seconds(job.from)} to ${seconds(job.to)}`;
  });
  canvas.addEventListener('click', event => { const job = jobAt(event); if (job) open(job.commit); });
  canvas.addEventListener('keydown', event => {
    const act = {'+': () => zoom(2), '-': () => zoom(0.5), '0': () => { window_ = null; draw(); }, ArrowLeft: () => shift(-0.25), ArrowRight: () => shift(0.25)}[event.key];
    if (act) { event.preventDefault(); event.stopPropagation(); act(); }
  });
  new ResizeObserver(draw).observe(box);
  return {box, draw};
}

/** A step of an axis: 1, 2 or 5 times a power of ten, not below a value. */
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= least) ?? 10 * power;
}
