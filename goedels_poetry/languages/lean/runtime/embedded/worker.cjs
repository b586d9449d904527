'use strict';
/* One request to Lean: {prefix?, code, options?, holes?, commands?, declarations?, reference?, names?, barred?, kinds?} -> what Lean says. */
const { frontend } = require('./frontend.cjs');
const { meta } = require('./meta.cjs');
const { gate } = require('./gate.cjs');
const { library: librarian } = require('./library.cjs');

const WARM = 'theorem _warm (a b : Nat) : a + b = b + a := by omega';

function lean(objects, library) {
  const front = frontend(objects, library), inMeta = meta(objects, front), judge = gate(objects, front, inMeta), shelves = librarian(objects, front, inMeta);
  const { fld, dec } = objects;

  function check(request) {
    const began = performance.now();
    objects.printed.length = 0;
    const holes = [], spent = [];
    let last = performance.now();
    const trusted = request.reference === undefined ? null : judge.reference(request);     // before the code can do anything
    const end = front.elaborate(request, (command, said, before, after, source, context) => {
      if (request.holes) holes.push(...inMeta.holes(command, before, after, source, context));
      spent.push(Math.round(performance.now() - last)); last = performance.now();
      return true;
    }, trusted && request.barred ? judge.admission(request, trusted) : null);
    const answer = { ok: !!end.state && !end.messages.some((m) => m.severity === 'error'), messages: end.messages, imports: end.modules, commandMs: spent };
    if (request.commands) answer.commands = end.commands;
    if (request.holes) answer.holes = holes;
    if (end.state && request.declarations) answer.declarations = judge.declarations(fld(end.state, 0));
    if (trusted) { answer.statement = judge.compare(request, trusted, end); judge.forget(trusted); }
    if (end.state && request.replay) answer.replay = judge.replay(end.state, end.modules);
    if (end.state) dec(end.state);
    if (objects.printed.length) answer.printed = objects.printed.slice(0, 50);
    answer.ms = Math.round(performance.now() - began);
    return answer;
  }
  const OPERATIONS = { check, evaluate: (r) => judge.evaluate(r), library: (r) => shelves.list(r) };
  return { handle: (request) => OPERATIONS[request.op || 'check'](request), front, warm: () => check({ code: WARM }) };
}
module.exports = { lean };
