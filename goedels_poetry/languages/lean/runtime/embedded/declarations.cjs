'use strict';
/* The constants that a text has added: in short for the search, whole as data for a checker; values of closed terms. */
const { exporter } = require('./export.cjs');

const KINDS = ['axiom', 'def', 'theorem', 'opaque', 'quot', 'inductive', 'constructor', 'recursor'];
const DEFINITION = 1, OPAQUE = 3, CONSTRUCTOR = 6;
// Imported theorems look like axioms (their proofs are not in the package), so of imported names only the axioms of core
// count here; the first three are those of Lean's logic. A checker walks over the data instead.
const CORE_AXIOMS = new Set(['propext', 'Classical.choice', 'Quot.sound', 'sorryAx', 'Lean.ofReduceBool', 'Lean.ofReduceNat', 'Lean.trustCompiler']);
const MOST_VALUE = 400, DEPTH = 60;

function declarations(lean, front, meta) {
  const { wx, box, isScalar, unbox, inc, dec, tag, fld, byte, items, F, ctor, takeText, text, nameText, emptyArray, NIL } = lean;
  const constantVal = (info) => fld(fld(info, 0), 0);           // ConstantVal {name, levelParams, type}
  const kernelOf = (env) => F('lean_elab_environment_to_kernel_env')(inc(env));

  /** Constants that the file has added, with the axioms that each rests on. */
  function inShort(env) {
    const local = meta.localConstants(env), found = [];
    for (const [n, info] of local) {
      const kind = KINDS[tag(info)], entry = { name: n, kind };
      if (tag(info) <= OPAQUE) {
        const r = F('l_Lean_CollectAxioms_collect')(inc(fld(constantVal(info), 0)), inc(env), ctor(0, [box(1), emptyArray()]));
        entry.axioms = items(fld(fld(r, 1), 1)).map(nameText).filter((a) => CORE_AXIOMS.has(a) || local.has(a)).sort();
        dec(r);
        if (tag(info) === DEFINITION && byte(fld(info, 0), 0) !== 1) entry.unsafe = true;
      }
      found.push(entry);
    }
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** All of them in the export format. */
  function asData(env) {
    const local = meta.localConstants(env), out = exporter(lean, (n) => local.get(n) || 0);
    try {
      for (const n of local.keys()) out.declare(n);
      return out.lines.join('\n');
    } finally { out.free(); }
  }

  // ---------------------------------------------------------------- values
  /**
   * Values of closed terms by the kernel: request {prefix, terms: [function texts], arguments: [[argument texts]]} gives
   * values[i][k]: term i applied to the k-th arguments as text, null when it has no value (ill-typed, not a datum, too large).
   */
  function evaluate(request) {
    const began = performance.now();
    const definitions = request.terms.map((t, i) => `def _goedels_term_${i} := ${t}`);
    const data = [...new Set(request.arguments.flat())];
    const given = data.map((t, i) => `def _goedels_data_${i} := (${t})`);
    const end = front.elaborate({ prefix: request.prefix, code: `\n${[...given, ...definitions].join('\n')}\n` });
    if (!end.state) return { values: [], messages: end.messages };
    const env = fld(end.state, 0), local = meta.localConstants(env);
    const constant = (n) => { for (const [k, info] of local) if (k === n || k.endsWith(`.${n}`)) return info; return 0; };
    const place = new Map(data.map((t, i) => [t, constant(`_goedels_data_${i}`)]));
    const values = request.terms.map((_, i) => {
      const info = constant(`_goedels_term_${i}`);
      return request.arguments.map((args) => {
        const infos = args.map((a) => place.get(a));
        if (!info || infos.some((x) => !x)) return null;
        const applied = infos.reduce((f, a) => F('l_Lean_mkApp')(f, constantExpr(a)), constantExpr(info));
        try { return valueText(env, applied, DEPTH); } catch { return null; }
      });
    });
    const answer = { values, messages: end.messages.filter((m) => m.severity === 'error'), ms: Math.round(performance.now() - began) };
    dec(end.state);
    return answer;
  }
  const constantExpr = (info) => F('l_Lean_mkConst')(inc(fld(constantVal(info), 0)), NIL);
  function whnf(env, e) {
    const r = F('l_Lean_Kernel_whnf___boxed')(inc(env), meta.emptyContext(), e);
    if (tag(r) === 0) { dec(r); throw new Error('no value'); }
    const v = inc(fld(r, 0)); dec(r);
    return v;
  }
  /** A datum in constructors and numerals; throws when it is none. e: owned. */
  function valueText(env, e, depth) {
    if (depth === 0) throw new Error('too deep');
    const v = whnf(env, e);
    try {
      let head = v; const args = [];
      while (tag(head) === 5) { args.unshift(fld(head, 1)); head = fld(head, 0); }
      if (tag(head) === 9) { const l = fld(head, 0), x = fld(l, 0); return tag(l) === 0 ? (isScalar(x) ? String(unbox(x)) : takeText(F('l_Nat_reprFast')(inc(x)))) : JSON.stringify(text(x)); }
      if (tag(head) !== 4) throw new Error('not a datum');
      const n = nameText(fld(head, 0));
      if (n === 'Nat.zero') return '0';
      if (n === 'Nat.succ') { const below = valueText(env, inc(args[0]), depth - 1); return /^\d+$/.test(below) ? String(BigInt(below) + 1n) : `(succ ${below})`; }
      const kernel = kernelOf(env), found = wx.lean_environment_find(kernel, inc(fld(head, 0)));
      const info = isScalar(found) ? 0 : fld(found, 0);
      if (!info || tag(info) !== CONSTRUCTOR) { if (!isScalar(found)) dec(found); throw new Error('not a datum'); }
      const params = unbox(fld(fld(info, 0), 3)); dec(found);
      const shown = args.slice(params).map((a) => valueText(env, inc(a), depth - 1));
      const whole = shown.length ? `(${n} ${shown.join(' ')})` : n;
      if (whole.length > MOST_VALUE) throw new Error('too large');
      return whole;
    } finally { dec(v); }
  }
  return { inShort, asData, evaluate };
}
module.exports = { declarations };
