'use strict';
/*
 * Declarations that come as data, through Lean's kernel: {modules, base?, data, library?, each?, show?}.
 *
 * Nothing is elaborated: the text of the data becomes Lean's own terms, on top of the imports alone. The reader takes
 * what export.cjs writes and stops at anything else; who asks has read the data before.
 */
const { exporter, LITERALS, ORIGINALLY } = require('./export.cjs');

const DECLARATION = { axiom: 0, def: 1, thm: 2, opaque: 3, inductive: 6 };
const BINDERS = { default: 0, implicit: 1, strictImplicit: 2, instImplicit: 3 };
const SAFE = 1;
// Lean.Kernel.Exception, by its constructors. What is not a fault of the declaration is undecided.
const EXCEPTIONS = ['an unknown constant', 'declared already', 'the value has another type', 'metavariables', 'free variables', 'a function was expected',
  'a type was expected', 'the value of a let has another type', 'a type mismatch', 'an argument has another type', 'no such projection', 'the theorem is no proposition', 'refused'];

class BadData extends Error {}

function replayer(lean, front, meta) {
  const { wx, box, isScalar, inc, dec, tag, fld, list, F, ctor, string, nameText, NONE, NIL, TRUE } = lean;
  const leanList = (owned) => owned.reduceRight((tail, o) => ctor(1, [o, tail]), NIL);

  /** The terms of one stream: tables of Lean's objects, which `free` gives back. `each(kind, record)` sees the declarations. */
  function reader() {
    const names = [box(0)], levels = [wx.lean_level_mk_zero(box(0))], exprs = [], used = new Set(), literals = new Set();
    const at = (table, i) => { if (!Number.isInteger(i) || i < 0 || i >= table.length) throw new BadData('an id that was not given before'); return inc(table[i]); };
    const name = (i) => at(names, i), level = (i) => at(levels, i), expr = (i) => at(exprs, i);
    const put = (table, i, o) => { if (i !== table.length) { dec(o); throw new BadData('ids are not consecutive'); } table.push(o); };
    function nat(digits) {
      if (!/^(0|[1-9][0-9]*)$/.test(digits)) throw new BadData('a number');
      if (digits.length < 10) return box(Number(digits));
      const bytes = new TextEncoder().encode(`${digits}\0`), p = wx.malloc(bytes.length);
      lean.views().set(bytes, p);
      const n = wx.lean_cstr_to_nat(p); wx.free(p);
      return n;
    }
    const info = (b) => { if (!(b in BINDERS)) throw new BadData('a kind of binder'); return BINDERS[b]; };
    const EXPRESSIONS = {
      bvar: (v) => wx.lean_expr_mk_bvar(nat(String(v))),
      sort: (v) => wx.lean_expr_mk_sort(level(v)),
      const: (v) => { used.add(v.name); return wx.lean_expr_mk_const(name(v.name), leanList(v.us.map(level))); },
      app: (v) => wx.lean_expr_mk_app(expr(v.fn), expr(v.arg)),
      lam: (v) => wx.lean_expr_mk_lambda(name(v.name), expr(v.type), expr(v.body), info(v.binderInfo)),
      forallE: (v) => wx.lean_expr_mk_forall(name(v.name), expr(v.type), expr(v.body), info(v.binderInfo)),
      letE: (v) => wx.lean_expr_mk_let(name(v.name), expr(v.type), expr(v.value), expr(v.body)),
      proj: (v) => { used.add(v.typeName); return wx.lean_expr_mk_proj(name(v.typeName), nat(String(v.idx)), expr(v.struct)); },
      natVal: (v) => { literals.add(0); return wx.lean_expr_mk_lit(ctor(0, [nat(v)])); },
      strVal: (v) => { literals.add(1); return wx.lean_expr_mk_lit(ctor(1, [string(v)])); },
    };
    const LEVELS = {
      succ: (v) => wx.lean_level_mk_succ(level(v)), param: (v) => wx.lean_level_mk_param(name(v)),
      max: ([a, b]) => wx.lean_level_mk_max(level(a), level(b)), imax: ([a, b]) => wx.lean_level_mk_imax(level(a), level(b)),
    };
    function line(record, declare) {
      if ('in' in record) put(names, record.in, record.str ? wx.lean_name_mk_string(name(record.str.pre), string(record.str.str)) : wx.lean_name_mk_numeral(name(record.num.pre), nat(String(record.num.i))));
      else if ('il' in record || 'ie' in record) {
        const [table, id, makers] = 'il' in record ? [levels, record.il, LEVELS] : [exprs, record.ie, EXPRESSIONS];
        const [kind] = Object.keys(record).filter((k) => k !== 'il' && k !== 'ie');
        if (!Object.hasOwn(makers, kind)) throw new BadData(`a ${kind}`);
        put(table, id, makers[kind](record[kind]));
      } else {
        const [kind, ...more] = Object.keys(record);
        if (!Object.hasOwn(DECLARATION, kind) || more.length) throw new BadData(`a record of the kind ${kind}`);
        declare(kind, record[kind]);
      }
    }
    const textOf = (i) => nameText(names[i]);
    const free = () => { names.forEach(dec); levels.forEach(dec); exprs.forEach(dec); };
    return { line, name, expr, textOf, names, used, literals, free };
  }

  const constantVal = (r, d) => ctor(0, [r.name(d.name), leanList(d.levelParams.map(r.name)), r.expr(d.type)]);
  const all = (r, d) => leanList((d.all || [d.name]).map(r.name));
  function hints(h) {
    if (h === 'opaque' || h === 'abbrev') return box(h === 'opaque' ? 0 : 1);
    return wx.lean_mk_reducibility_hints_regular(h.regular);
  }
  /** Lean's Declaration for a record. */
  function declaration(r, kind, d) {
    const whole = (value) => ctor(DECLARATION[kind], [value]);
    switch (kind) {
      case 'axiom': return whole(ctor(0, [constantVal(r, d)], 1));
      case 'def': { const v = ctor(0, [constantVal(r, d), r.expr(d.value), hints(d.hints), all(r, d)], 1); lean.setByte(v, 0, SAFE); return whole(v); }
      case 'thm': return whole(ctor(0, [constantVal(r, d), r.expr(d.value), all(r, d)]));
      case 'opaque': return whole(ctor(0, [constantVal(r, d), r.expr(d.value), all(r, d)], 1));
      case 'inductive': {
        const types = d.types.map((t) => {
          const own = d.ctors.filter((c) => c.induct === t.name);
          return ctor(0, [r.name(t.name), r.expr(t.type), leanList(own.map((c) => ctor(0, [r.name(c.name), r.expr(c.type)])))]);
        });
        return ctor(DECLARATION.inductive, [leanList(d.types[0].levelParams.map(r.name)), box(d.types[0].numParams), leanList(types)], 1);
      }
      default: throw new BadData(`a declaration of the kind ${kind}`);
    }
  }
  /** The environment with a declaration more, or why the kernel refuses it. kernel: owned. */
  function added(kernel, decl) {
    const result = wx.lean_add_decl(kernel, 0, decl, NONE), fine = tag(result) === 1, value = fld(result, 0); dec(decl);
    const found = fine ? { kernel: inc(value) } : { refused: EXCEPTIONS[tag(value)] || null };
    dec(result);
    return found;
  }
  const why = ({ refused }) => (refused === null ? 'Lean gave up: too much time, memory or depth' : refused);
  /** A constructor or recursor that the kernel made itself must be the one of the data. */
  function madeOtherwise(r, kernel, d) {
    for (const c of [...d.ctors, ...d.recs]) {
      const found = wx.lean_environment_find(inc(kernel), r.name(c.name)), theirs = isScalar(found) ? 0 : fld(fld(fld(found, 0), 0), 0);
      const type = r.expr(c.type), levels = c.levelParams.map(r.textOf).join(' ');
      const same = theirs && wx.lean_expr_eqv(fld(theirs, 2), type) && list(fld(theirs, 1)).map(nameText).join(' ') === levels;
      dec(type); if (!isScalar(found)) dec(found);
      if (!same) return r.textOf(c.name);
    }
    return null;
  }

  /** A constant of a family that is there before it is declared: the kernel looks at types and their constructors only. */
  function alreadyThere(r, kernel, d) {
    for (const c of [...d.types, ...d.ctors, ...d.recs]) {
      const found = wx.lean_environment_find(inc(kernel), r.name(c.name));
      if (!isScalar(found)) { dec(found); return r.textOf(c.name); }
    }
    return null;
  }

  const rows = (text) => text.split('\n').filter(Boolean).map((l) => JSON.parse(l));
  const nameOf = (r, kind, d) => r.textOf(kind === 'inductive' ? d.types[0].name : d.name);
  /** Add what a stream declares to kernel (owned); gives {kernel, count, failed, at}. */
  function addAll(kernel, text, own) {
    const r = reader();
    let count = 0, failed = '', at = '';
    try {
      for (const row of rows(text)) {
        if (failed) break;
        r.line(row, (kind, d) => {
          own(r, kind, d);
          const known = kind === 'inductive' ? alreadyThere(r, kernel, d) : null;
          if (known) { failed = EXCEPTIONS[1]; at = known; return; }
          const next = added(inc(kernel), declaration(r, kind, d));
          if (!next.kernel) { failed = why(next); at = nameOf(r, kind, d); return; }
          dec(kernel); kernel = next.kernel; count++;
          const other = kind === 'inductive' && madeOtherwise(r, kernel, d);
          if (other) { failed = 'not what the kernel makes of its type'; at = other; }
        });
      }
    } catch (e) { dec(kernel); r.free(); throw e; }
    return { kernel, count, failed, at, reader: r };
  }

  /** The library's part that a stream needs: everything below the names that it mentions and does not declare. */
  function libraryOf(env, base, r, declared) {
    const held = [];
    const lookup = (s, n) => {
      if (declared.has(s)) return 0;
      const found = wx.lean_environment_find(inc(base), inc(n));
      if (isScalar(found)) return 0;
      held.push(found);
      return fld(found, 0);
    };
    const kindOf = (n) => {
      const found = F('l_Lean_getOriginalConstKind_x3f')(inc(env), inc(n));
      if (isScalar(found)) return 'axiom';
      const kind = ORIGINALLY[tag(fld(found, 0))]; dec(found);
      return kind;
    };
    const out = exporter(lean, lookup, kindOf);
    try {
      for (const i of r.used) out.declare(out.known(r.names[i]));
      for (const kind of r.literals) LITERALS[kind].forEach(out.declare);
      return out.lines.join('\n');
    } finally { out.free(); held.forEach(dec); }
  }

  /** The environment of exactly these modules: {env, error}. */
  function imported(modules) {
    const header = front.parseHeader(`prelude\n${modules.map((m) => `import ${m}\n`).join('')}`, 'Main.lean');
    const wrong = () => [header, found].flatMap((x) => front.messages(x.log)).find((m) => m.severity === 'error');
    let found = { env: 0, log: header.log, error: null };
    if (header.modules.join('\n') !== modules.join('\n') || wrong()) found.error = 'these are no modules';
    else {
      found = front.environment(header);
      if (!found.error && wrong()) found = { ...found, error: wrong().text };
    }
    header.free();
    return found;
  }
  /** What these constants of a stream are, as text: a definition as an equation, others by their types. env: borrowed, of the imports. */
  function shown(env, text, names) {
    const r = reader(), found = new Map(), facts = [];
    let known = inc(env);
    try {
      for (const row of rows(text)) r.line(row, (kind, d) => {
        const decl = declaration(r, kind, d), result = F('l_Lean_Environment_addDeclCore___boxed')(known, ctor(0, [], 4), decl, NONE, TRUE), next = inc(fld(result, 0));
        known = tag(result) === 1 ? next : 0;
        dec(result);
        if (!known) { dec(next); throw new BadData('a declaration that is not accepted'); }
        for (const c of kind === 'inductive' ? [...d.types, ...d.ctors] : [d]) found.set(r.textOf(c.name), kind === 'def' ? c : { ...c, value: null });
      });
      for (const n of names) {
        const d = found.get(n);
        facts.push({ type: r.expr(d.type), self: Number.isInteger(d.value) ? wx.lean_expr_mk_const(r.name(d.name), leanList(d.levelParams.map((u) => wx.lean_level_mk_param(r.name(u))))) : 0, value: Number.isInteger(d.value) ? r.expr(d.value) : 0 });
      }
      return meta.statements(inc(known), facts);
    } finally { if (known) dec(known); r.free(); facts.flatMap(Object.values).forEach((o) => { if (o) dec(o); }); }
  }
  function replay({ modules, base = '', data, library, each, show = [] }) {
    const began = performance.now();
    const found = imported(modules);
    if (found.error) return { replay: { count: 0, failed: found.error, at: '' } };
    const start = F('lean_elab_environment_to_kernel_env')(inc(found.env)), declared = new Set(), readers = [];
    const own = (r, kind, d) => { for (const x of kind === 'inductive' ? [...d.types, ...d.ctors, ...d.recs] : [d]) declared.add(r.textOf(x.name)); };
    let kernel = inc(start);
    try {
      const answer = {};
      if (base || !each) {
        const done = addAll(kernel, base || data, own); readers.push(done.reader); kernel = done.kernel;
        answer.replay = { count: done.count, failed: done.failed, at: done.at };
        if (library && !done.failed) answer.library = libraryOf(found.env, start, done.reader, declared);
      }
      if (show.length && !answer.replay.failed) answer.shown = shown(found.env, data, show);
      if (each) answer.each = eachAlone(kernel, data, readers);
      return { ...answer, ms: Math.round(performance.now() - began) };
    } finally { readers.forEach((r) => r.free()); dec(kernel); dec(start); }
  }
  /** Every declaration of a stream by itself on top of `kernel`: [{name, refused: "" | why | null}]. */
  function eachAlone(kernel, text, readers) {
    const r = reader(), found = []; readers.push(r);
    for (const row of rows(text)) {
      r.line(row, (kind, d) => {
        const name = nameOf(r, kind, d), next = added(inc(kernel), declaration(r, kind, d));
        let refused = next.kernel ? '' : next.refused;
        if (next.kernel) { if (kind === 'inductive' && madeOtherwise(r, next.kernel, d)) refused = 'not what the kernel makes of its type'; dec(next.kernel); }
        found.push({ name, refused });
      });
    }
    return found;
  }
  return { replay };
}
module.exports = { replayer };
