'use strict';
/*
 * Lean's front end, a command at a time: header -> environment (cached), commands -> messages, ranges, holes.
 * What `Lean.Elab.IO.processCommands` does, without its threads.
 */
const fs = require('fs');
const { histories } = require('./history.cjs');
const SORRY = { 'Lean.Parser.Tactic.tacticSorry': true, 'Lean.Parser.Term.sorry': false };
const KEPT_AFTER_SYNTAX_ERROR = /^Elab\.synthPlaceholder$|^Tactic\.unsolvedGoals$|_traceMsg$/;
const BARRED = 'goedels.barred';
const LOG = 1, INFO = 8;               // of Command.State
const MOST_PREFIXES = 6, COUNTED_BITS = 10, MOST_NUMBER = 2 ** 53;

function frontend(lean, library) {
  const { wx, box, isScalar, unbox, inc, dec, tag, count, fld, byte, setByte, items, F, global, ctor, copyWith, emptyArray, string, stringBytes, text,
    takeText, name, nameText, io, UNIT, NONE, NIL, FALSE, TRUE } = lean;
  const encoder = new TextEncoder();
  const emptyLog = () => global('l_Lean_MessageLog_empty');

  // ---------------------------------------------------------------- header
  const environments = new Map();
  function parseHeader(source, file) {
    const s = string(source), n = stringBytes(s);
    const context = F('l_Lean_Parser_mkInputContext___redArg___boxed')(s, string(file), TRUE, box(n));
    const p = io(F('l_Lean_Parser_parseHeader___boxed')(inc(context), UNIT));
    const syntax = inc(fld(p, 0)), state = inc(fld(fld(p, 1), 0)), log = inc(fld(fld(p, 1), 1)); dec(p);
    const imports = F('l_Lean_Elab_HeaderSyntax_imports___boxed')(inc(syntax), TRUE);
    const modules = items(imports).map((i) => nameText(fld(i, 0)));
    return { context, state, modules, syntax, log, imports, free: () => [context, syntax, state, log, imports].forEach(dec) };
  }
  // The build imports at level `exported` and so marks every environment as that of a `module` (declarations private by
  // default, `#print axioms` refused). env.base.{private,public} and env.checked hold kernel environments; field 5 is the
  // header {.., isModule : Bool at +4 of the scalars}.
  function clearIsModule(env) {
    for (const kernel of [fld(fld(env, 0), 0), fld(fld(env, 0), 1), fld(fld(env, 2), 0)]) {
      const header = fld(kernel, 5);
      if (count(header) !== 6 || tag(header) !== 0 || byte(header, 4) > 1) throw new Error('unexpected EnvironmentHeader layout');
      setByte(header, 4, 0);
    }
  }
  function missing(modules) {          // in Lean's words; a failed import would leave 100 MB behind
    for (const m of modules) {
      const path = m.split('.'), there = (p) => fs.existsSync(`${library}/${p}`);
      if (!there(path[0]) && !there(`${path[0]}.olean`)) return `unknown module prefix '${path[0]}'\n\nNo directory '${path[0]}' or file '${path[0]}.olean' in the search path entries:\n/L/lib/lean`;
      if (!there(`${path.join('/')}.olean`)) return `object file '/L/lib/lean/${path.join('/')}.olean' of module ${m} does not exist`;
    }
    return null;
  }
  function environment(header) {
    const key = header.modules.join(' '), known = environments.get(key);
    if (known) return known;
    const none = missing(header.modules);
    if (none) return { env: 0, log: 0, error: none };
    const at = F('l_Lean_Elab_HeaderSyntax_startPos___boxed')(inc(header.syntax));
    const p = io(F('l_Lean_Elab_processHeaderCore___boxed')(at, inc(header.imports), FALSE, NIL, inc(header.log), inc(header.context), box(0), emptyArray(), TRUE, name('Main'), NONE, box(1), UNIT));
    const found = { env: inc(fld(p, 0)), log: inc(fld(p, 1)), error: null }; dec(p);
    if (!messages(found.log).some((m) => m.severity === 'error')) { clearIsModule(found.env); environments.set(key, found); }
    return found;
  }

  // ---------------------------------------------------------------- messages
  function messages(log) {
    const all = F('l_Lean_MessageLog_toArray___boxed')(inc(log));
    const read = items(all).map((m) => {
      const j = JSON.parse(takeText(F('l_Lean_Json_compress')(F('l_Lean_Message_toJson___boxed')(inc(m), UNIT))));
      return { severity: j.severity === 'information' ? 'info' : j.severity, line: j.pos.line, column: j.pos.column, endLine: j.endPos ? j.endPos.line : null,
        endColumn: j.endPos ? j.endPos.column : null, kind: j.kind === '[anonymous]' ? '' : j.kind, text: j.data };
    });
    dec(all);
    return read;
  }

  // ---------------------------------------------------------------- syntax
  const isNode = (s) => !isScalar(s) && tag(s) === 1;
  const kindOf = (s) => (isNode(s) ? nameText(fld(s, 1)) : '');
  const children = (s) => (isNode(s) ? items(fld(s, 2)) : []);
  /** First and last byte of a piece of syntax, by its original tokens. */
  function range(s) {
    let from = -1, to = -1;
    (function visit(x) {
      if (isScalar(x)) return;
      if (tag(x) === 1) { children(x).forEach(visit); return; }
      const info = fld(x, 0);          // atom or identifier
      if (!isScalar(info) && tag(info) === 0) { if (from < 0) from = unbox(fld(info, 1)); to = unbox(fld(info, 3)); }
    })(s);
    return from < 0 ? null : [from, to];
  }
  function visitNodes(s, f) { if (isNode(s) && f(s, kindOf(s)) !== false) children(s).forEach((c) => visitNodes(c, f)); }
  function sorries(s) {
    const found = [];
    visitNodes(s, (node, kind) => {
      if (!(kind in SORRY)) return true;
      const r = range(node);
      if (r) found.push({ at: r[0], to: r[1], tactic: SORRY[kind] });
      return false;
    });
    return found;
  }
  /** The names that a command declares, as it writes them: `declId` nodes hold an identifier first. */
  function declared(s) {
    const found = [];
    visitNodes(s, (node, kind) => {
      if (kind !== 'Lean.Parser.Command.declId') return kind !== 'Lean.Parser.Term.byTactic';
      const id = children(node)[0];
      if (!isScalar(id) && tag(id) === 3) found.push(nameText(fld(id, 2)));
      return false;
    });
    return found;
  }

  // ---------------------------------------------------------------- commands
  // Scope = {header, opts, currNamespace, openDecls, levelNames, varDecls, varUIds, includedVars, omittedVars, attrs;
  // isNoncomputable, isPublic, isMeta : Bool}. The package has no data of the code generator, which fails on ordinary
  // definitions; as in a `noncomputable section` this is not reported.
  function setNoncomputable(state) {
    const scope = fld(fld(state, 2), 0);
    if (count(scope) !== 10 || tag(scope) !== 0) throw new Error('unexpected Command.Scope layout');
    setByte(scope, 0, 1);
  }
  const scopeOf = (state) => fld(fld(state, 2), 0);

  const IN = 'Lean.Parser.Command.in', MUTUAL = 'Lean.Parser.Command.mutual', DECLARATION = 'Lean.Parser.Command.declaration';
  /** What a command declares, `… in` taken away: its syntax, and the kind of its declaration or "". */
  function declares(command) {
    let inner = command;
    while (kindOf(inner) === IN) inner = children(inner)[2];
    const kind = kindOf(inner);
    return { inner, declaration: kind === DECLARATION ? kindOf(children(inner)[1]) : kind === 'lemma' ? 'lemma' : '' };
  }
  /** The commands that a command is made of, {kind, syntax}: those on both sides of every `in`, and those of a `mutual`. */
  function parts(command) {
    const kind = kindOf(command), below = children(command);
    if (kind === IN) return [...parts(below[0]), ...parts(below[2])];
    if (kind === MUTUAL) return [{ kind, syntax: command }, ...children(below[1]).flatMap(parts)];
    return [{ kind: kind === DECLARATION ? kindOf(below[1]) : kind, syntax: command }];
  }
  const isIdentifier = (s) => !isScalar(s) && tag(s) === 3;
  const start = (s) => (range(s) || [0])[0];
  /** The tokens of a command as Lean has read them, {text, at: first byte}, in order. */
  function leaves(s) {
    const found = [];
    (function visit(x) {
      if (isScalar(x)) return;
      if (tag(x) === 1) { children(x).forEach(visit); return; }
      const info = fld(x, 0), at = !isScalar(info) && tag(info) === 0 ? unbox(fld(info, 1)) : -1;
      if (tag(x) === 2) found.push({ text: text(fld(x, 1)), at }); else if (tag(x) === 3) found.push({ text: nameText(fld(x, 2)), at });
    })(s);
    return found;
  }

  /**
   * Parse and elaborate commands from `parser` on, until the end of input (`stopAtEnd`: not elaborating that).
   * `admit(command)`, asked before a command is elaborated, may refuse it with {at, text}: then nothing more is read.
   * `whole`: {key, bytes} of a text that is read from its first command on, see history.cjs; admit and each see all of it.
   */
  function commands(context, state, parser, { stopAtEnd, each, admit, whole }) {
    const steps = [], none = inc(fld(state, INFO)), done = (end) => { dec(none); if (whole) past.keep(whole, steps); return end; };
    for (const step of whole ? past.shared(whole) : []) {
      const refused = admit && admit(step.command);
      if (refused) return done({ state, parser, messages: [barred(context, refused)] });
      dec(state); state = inc(step.after);
      const next = copyWith(parser, 0, box(step.end)); dec(parser); parser = next;
      steps.push(past.again(step));
      if (each(step.command, step.said, step.before, step.after) === false) return done({ state, parser, messages: [] });
    }
    for (let right = true; ;) {
      const scope = scopeOf(state);
      const pm = ctor(0, [inc(fld(state, 0)), inc(fld(scope, 1)), inc(fld(scope, 2)), inc(fld(scope, 3))]);
      const p = F('l_Lean_Parser_parseCommand' + ('l_Lean_Parser_parseCommand___boxed' in wx ? '___boxed' : ''))(inc(context), pm, inc(parser), emptyLog());
      const command = inc(fld(p, 0)), next = inc(fld(fld(p, 1), 0)), parsed = messages(fld(fld(p, 1), 1)); dec(p);
      const last = !!unbox(F('l_Lean_Parser_isTerminalCommand___boxed')(inc(command)));
      if (last && stopAtEnd && kindOf(command) === 'Lean.Parser.Command.eoi') {
        dec(command); dec(parser); return done({ state, parser: next, messages: parsed });
      }
      const refused = admit && admit(command);
      if (refused) { dec(command); dec(parser); return done({ state, parser: next, messages: [...parsed, barred(context, refused)] }); }
      const before = inc(state);
      const ref = wx.lean_st_mk_ref(ctor(0, [state, inc(next), inc(fld(parser, 0)), emptyArray()]));
      dec(parser); parser = next;
      io(F('l_Lean_Elab_Frontend_elabCommandAtFrontend___boxed')(inc(command), inc(context), inc(ref), UNIT));
      const value = wx.lean_st_ref_get(ref); dec(ref);
      state = inc(fld(value, 0)); dec(value);
      let said = messages(fld(state, 1));
      // As Lean does: after a syntax error only the errors that are unlikely to follow from it.
      if (parsed.some((m) => m.severity === 'error') && unbox(F('l_Lean_Syntax_hasMissing___boxed')(inc(command)))) said = said.filter((m) => KEPT_AFTER_SYNTAX_ERROR.test(m.kind));
      said = [...parsed, ...said];
      const goOn = each(command, said, before, state);
      const quiet = copyWith(state, LOG, emptyLog()); dec(state); state = quiet;
      if (!sorries(command).length) { const bare = copyWith(state, INFO, inc(none)); dec(state); state = bare; }        // some megabytes
      right &&= !last && !said.some((m) => m.severity === 'error');
      if (whole && right) steps.push(past.step(command, before, state, unbox(fld(parser, 0)), said)); else { dec(before); dec(command); }
      if (last || goOn === false) return done({ state, parser, messages: [] });
    }
  }

  function barred(context, { at, text: word }) {
    const before = text(fld(context, 0)), lines = new TextDecoder().decode(encoder.encode(before).subarray(0, Math.max(at, 0))).split('\n');
    return { severity: 'error', line: lines.length, column: [...lines.pop()].length, endLine: null, endColumn: null, kind: BARRED, text: word };
  }

  const options = (given) => Object.entries(given || {}).reduce((o, [k, v]) => (typeof v === 'boolean'
    ? F('l_Lean_KVMap_setBool___boxed')(o, name(k), v ? TRUE : FALSE) : F('l_Lean_KVMap_setNat')(o, name(k), nat(k, v))), NIL);
  function nat(option, v) {             // a boxed number has 31 bits
    if (!Number.isInteger(v) || v < 0) throw new Error(`option ${option}: ${v} is no natural number`);
    return v < 2 ** 31 ? box(v) : wx.lean_big_uint64_to_nat(BigInt(Math.min(v, MOST_NUMBER)));
  }

  // A prefix that many requests share (imports, definitions) is elaborated once; Lean's states are persistent values.
  const prefixes = new Map();
  const past = histories(lean), historyKey = (header, given) => JSON.stringify([header.modules, given]);
  function prefixState(prefix, file, given) {
    const key = JSON.stringify([prefix, given]), known = prefixes.get(key);
    if (known) { prefixes.delete(key); prefixes.set(key, known); return known; }
    const header = parseHeader(prefix, file), found = environment(header), bytes = encoder.encode(prefix);
    const said = found.error ? [{ severity: 'error', line: 1, column: 0, endLine: null, endColumn: null, kind: '', text: found.error }] : messages(found.log);
    const ranges = [];
    let state = 0;
    if (!said.some((m) => m.severity === 'error')) {
      const first = wx.l_Lean_Elab_Command_mkState(inc(found.env), emptyLog(), options(given));
      setNoncomputable(first);
      const end = commands(header.context, first, inc(header.state), { stopAtEnd: true, whole: { key: historyKey(header, given), bytes }, each: (c, m, before) => { said.push(...m); ranges.push(described(prefix, c, before)); } });
      state = end.state; dec(end.parser); said.push(...end.messages);
    }
    const made = { state, messages: said, commands: ranges, modules: header.modules, bytes: bytes.length };
    header.free();
    prefixes.set(key, made);
    if (prefixes.size > MOST_PREFIXES) { const [oldest, gone] = prefixes.entries().next().value; prefixes.delete(oldest); if (gone.state) dec(gone.state); }
    return made;
  }
  /** Offset in code points of a byte offset. */
  function codePoints(source, at) {
    if (counted.source !== source) counted = counts(source);
    const { bytes, marks } = counted, mark = at >> COUNTED_BITS;
    let n = marks[mark];
    for (let i = mark << COUNTED_BITS; i < at; i++) n += isFirst(bytes[i]);
    return n;
  }
  const isFirst = (byteOfText) => ((byteOfText & 0xc0) !== 0x80 ? 1 : 0);
  let counted = { source: null };      // of the text that was asked about last: the code points before every 1024th byte
  function counts(source) {
    const bytes = encoder.encode(source), marks = new Uint32Array((bytes.length >> COUNTED_BITS) + 1);
    for (let i = 0, n = 0; i < bytes.length; i++) { if ((i & ((1 << COUNTED_BITS) - 1)) === 0) marks[i >> COUNTED_BITS] = n; n += isFirst(bytes[i]); }
    if ((bytes.length & ((1 << COUNTED_BITS) - 1)) === 0) marks[bytes.length >> COUNTED_BITS] = [...source].length;
    return { source, bytes, marks };
  }
  function described(source, command, before) {
    const r = range(command) || [0, 0], outer = kindOf(command), { inner: one, declaration: inner } = declares(command);
    const space = nameText(fld(scopeOf(before), 2));
    let head = -1;
    if (inner) visitNodes(one, (node, kind) => {
      if (kind === 'Lean.Parser.Command.declSig' && head < 0) { const s = range(node); head = s ? codePoints(source, s[1]) : -1; }
      return head < 0;
    });
    return { kind: outer, parts: parts(command).map((p) => p.kind), declaration: inner, start: codePoints(source, r[0]), end: codePoints(source, r[1]), names: declared(command), namespace: space, head };
  }

  /**
   * Elaborate prefix + code. `each(command, messages, before, after)` sees every command of `code`, `admit(command)`
   * before it is elaborated. Gives {state (owned, 0 when the header fails), messages, commands, modules}.
   */
  function elaborate({ prefix = '', code, fileName = 'Main.lean', options: given }, each = () => true, admit = null) {
    const start = prefixState(prefix, fileName, given), whole = prefix + code, said = [...start.messages], ranges = [...start.commands];
    if (!start.state) return { state: 0, messages: said, commands: ranges, modules: start.modules };
    const header = parseHeader(whole, fileName);
    if (header.modules.join(' ') !== start.modules.join(' ')) {        // the prefix ended inside the header
      header.free();
      return prefix === '' ? elaborateWhole(whole, fileName, given, each, admit) : elaborate({ code: whole, fileName, options: given }, each, admit);
    }
    if (prefix === '') said.push(...messages(header.log));
    if (said.some((m) => m.severity === 'error' && prefix === '')) { header.free(); return { state: 0, messages: said, commands: [], modules: start.modules }; }
    const first = prefix === '' ? inc(header.state) : copyWith(header.state, 0, box(start.bytes));
    const text = prefix === '' ? { key: historyKey(header, given), bytes: encoder.encode(whole) } : null;
    const end = commands(header.context, inc(start.state), first, { stopAtEnd: false, admit, whole: text, each: (c, m, before, after) => {
      said.push(...m); ranges.push(described(whole, c, before));
      return each(c, m, before, after, whole, header.context);
    } });
    said.push(...end.messages); dec(end.parser); header.free();
    return { state: end.state, messages: said, commands: ranges, modules: start.modules };
  }
  function elaborateWhole(whole, fileName, given, each, admit) {
    const header = parseHeader(whole, fileName), at = unbox(fld(header.state, 0)); header.free();
    const bytes = encoder.encode(whole), prefix = new TextDecoder().decode(bytes.subarray(0, at));
    return elaborate({ prefix, code: whole.slice(prefix.length), fileName, options: given }, each, admit);
  }
  const release = (end) => { if (end.state) dec(end.state); };
  return { environments, environment, elaborate, release, declares, parts, leaves, isIdentifier, start, messages, sorries, range, kindOf, children, scopeOf, codePoints, emptyLog, commands, parseHeader, visitNodes };
}
module.exports = { frontend };
