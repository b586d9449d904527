'use strict';
/*
 * One request to Lean: {op: check, prefix?, code, options?, holes?, commands?, declarations?, export?, reference?, barred?, kinds?} ->
 * what Lean says; {op: replay, …}, {op: library, …}: see replay.cjs, library.cjs.
 */
const { frontend } = require('./frontend.cjs');
const { meta } = require('./meta.cjs');
const { admissions } = require('./admission.cjs');
const { declarations } = require('./declarations.cjs');
const { replayer } = require('./replay.cjs');
const { CannotBeWritten } = require('./export.cjs');
const { library: librarian } = require('./library.cjs');

const WARM = 'theorem _warm (a b : Nat) : a + b = b + a := by omega';

function lean(objects, library) {
  const front = frontend(objects, library), inMeta = meta(objects, front), admits = admissions(front), declared = declarations(objects, front, inMeta);
  const again = replayer(objects, front, inMeta), libraries = librarian(objects, front, inMeta);
  const { fld } = objects;

  function check(request) {
    const began = performance.now();
    objects.printed.length = 0;
    const holes = [], spent = [];
    let last = performance.now();
    const admit = request.reference === undefined ? null : admits.admission(request);
    const end = front.elaborate(request, (command, said, before, after, source, context) => {
      if (request.holes) holes.push(...inMeta.holes(command, before, after, source, context));
      spent.push(Math.round(performance.now() - last)); last = performance.now();
      return true;
    }, admit);
    const answer = { ok: !!end.state && !end.messages.some((m) => m.severity === 'error'), messages: end.messages, imports: end.modules, commandMs: spent };
    if (request.commands) answer.commands = end.commands;
    if (request.holes) answer.holes = holes;
    if (end.state && request.declarations) answer.declarations = declared.inShort(fld(end.state, 0));
    if (end.state && request.export) {
      try { answer.data = declared.asData(fld(end.state, 0)); } catch (e) { if (!(e instanceof CannotBeWritten)) throw e; answer.error = e.message; }
    }
    front.release(end);
    if (objects.printed.length) answer.printed = objects.printed.slice(0, 50);
    answer.ms = Math.round(performance.now() - began);
    return answer;
  }
  const OPERATIONS = { check, replay: again.replay, library: libraries.list };
  return { handle: (request) => OPERATIONS[request.op || 'check'](request), front, warm: () => check({ code: WARM }) };
}
module.exports = { lean };
