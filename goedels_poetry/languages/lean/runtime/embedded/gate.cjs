'use strict';
/* What an audit needs of Lean: declarations with their axioms, comparison of statements, replay through the kernel, values. */
const KINDS = ['axiom', 'def', 'theorem', 'opaque', 'quot', 'inductive', 'constructor', 'recursor'];
const AXIOM = 0, DEFINITION = 1, THEOREM = 2, OPAQUE = 3, QUOT = 4, INDUCTIVE = 5, CONSTRUCTOR = 6, RECURSOR = 7;
// Imported theorems look like axioms (their proofs are not in the package), so of imported names only the axioms of core
// count; the first three are those of Lean's logic.
const CORE_AXIOMS = new Set(['propext', 'Classical.choice', 'Quot.sound', 'sorryAx', 'Lean.ofReduceBool', 'Lean.ofReduceNat', 'Lean.trustCompiler']);
const MADE_BY_LEAN = /(^|\.)(_(?!private)|match_\d|splitter$|congr_eq)/;
const SETTING = /^Lean\.Parser\.Tactic\.(valConfigItem|config)$/;
const SETTING_WORD = 'setting';
const LITERAL = /^(null|num|str|hygieneInfo|term_[-+*^]_|term\[_\]|Lean\.Parser\.Term\.(structInst\w*|dotIdent|optEllipsis|paren|hygienicLParen)|Lean\.Parser\.Tactic\.(valConfigItem|config)|group|ident)$/;
const MOST_VALUE = 400, DEPTH = 60;

function gate(lean, front, meta) {
  const { wx, box, isScalar, unbox, inc, dec, tag, fld, byte, items, list, F, global, ctor, array, string, takeText, text, name, nameText, emptyArray, UNIT, NONE, NIL } = lean;
  const constantVal = (info) => fld(fld(info, 0), 0);           // ConstantVal {name, levelParams, type}
  const typeOf = (info) => fld(constantVal(info), 2);
  const levelsOf = (info) => list(fld(constantVal(info), 1)).map(nameText).join(' ');
  const kernelOf = (env) => F('lean_elab_environment_to_kernel_env')(inc(env));

  /** Constants that the file has added, with the axioms that each rests on. */
  function declarations(env) {
    const local = meta.localConstants(env), found = [];
    for (const [n, info] of local) {
      const kind = KINDS[tag(info)], entry = { name: n, kind };
      if (tag(info) <= OPAQUE) {
        const r = F('l_Lean_CollectAxioms_collect')(inc(fld(constantVal(info), 0)), inc(env), ctor(0, [box(1), emptyArray()]));
        entry.axioms = items(fld(fld(r, 1), 1)).map(nameText).filter((a) => CORE_AXIOMS.has(a) || local.has(a)).sort();
        dec(r);
        if (tag(info) === DEFINITION && byte(fld(info, 0), 0) !== 1) entry.unsafe = true;
      }
      if (tag(info) === INDUCTIVE && unbox(fld(fld(info, 0), 5)) > 0) entry.nested = true;
      found.push(entry);
    }
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  // ---------------------------------------------------------------- statement
  /** What the code is to be compared with, elaborated before the code is: nothing of the code can touch it. */
  function reference(request) {
    const theirs = [];
    const trusted = front.elaborate({ code: request.reference, fileName: request.fileName, options: request.options }, (c) => { theirs.push(front.leaves(c).map((l) => l.text)); });
    return { ...trusted, leaves: theirs };
  }
  /**
   * Whether Lean may elaborate a command at all, as it has read it: a command of the reference, or one of a kind of
   * request.kinds, without words of request.barred (".word": any part of a name) but where the reference has them, before or after what differs.
   */
  function admission(request, trusted) {
    const barred = new Set(request.barred), kinds = new Set(request.kinds), known = new Set(trusted.leaves.map((words) => words.join('\0')));
    const isBarred = (word) => barred.has(word) || word.split('.').some((part) => barred.has(`.${part}`));
    return (command) => {
      const leaves = front.leaves(command), words = leaves.map((l) => l.text);
      if (known.has(words.join('\0'))) return null;
      const { kind, declaration } = front.kinds(command);
      if (!kinds.has(declaration || kind)) return { at: leaves.length ? leaves[0].at : 0, text: declaration || kind };
      let bad = leaves.flatMap((l, i) => (isBarred(l.text) ? [i] : []));
      for (const old of bad.length ? trusted.leaves : []) {
        const first = common((i) => words[i] === old[i], words, old), last = common((i) => words[words.length - 1 - i] === old[old.length - 1 - i], words, old);
        bad = bad.filter((i) => i >= first && i < words.length - last);
      }
      return bad.length ? { at: leaves[bad[0]].at, text: words[bad[0]] } : evaluated(command);
    };
  }
  /** `.pos [1]`, a constructor and its argument. */
  function occurrences(node, kind) {
    if (kind !== 'Lean.Parser.Term.app') return false;
    const head = front.leaves(front.children(node)[0]).map((l) => l.text).join('');
    return /^((Lean\.Meta\.)?Occurrences)?\.(pos|neg)$/.test(head);
  }
  /** A setting of a tactic that is more than a literal: `(maxSteps := f 1)` is a program, which Lean runs without checks. */
  function evaluated(command) {
    let found = null;
    front.visitNodes(command, (node, kind) => {
      if (found || !SETTING.test(kind)) return !found;
      front.visitNodes(node, (inner, k) => { if (!found && !LITERAL.test(k) && !occurrences(inner, k)) found = { at: (front.range(inner) || [0])[0], text: SETTING_WORD }; return !found; });
      return false;
    });
    return found;
  }
  const common = (alike, a, b) => { let n = 0; while (n < Math.min(a.length, b.length) && alike(n)) n++; return n; };
  const forget = (trusted) => { if (trusted.state) dec(trusted.state); };
  /**
   * Whether `end` still states what the reference states: the theorems request.names with the same type, every other
   * definition, inductive type and axiom of the reference unchanged, at least the same imports. With request.negates, the first
   * of the names is to state that this theorem of the reference is false. What Lean makes by itself, such as
   * `t.match_1`, is compared where something refers to it: its name depends on what was elaborated before.
   */
  function compare(request, trusted, end) {
    const wrong = trusted.messages.find((m) => m.severity === 'error');
    if (!trusted.state || wrong) return { same: false, why: `the reference does not elaborate: ${wrong ? wrong.text : ''}` };
    if (!end.state) return { same: false, why: 'the code does not elaborate' };
    const left = trusted.modules.find((m) => !end.modules.includes(m));
    if (left) return { same: false, why: `it does not import ${left}` };
    return compared(meta.localConstants(fld(trusted.state, 0)), meta.localConstants(fld(end.state, 0)), new Set(request.names || []), request.negates);
  }
  function compared(theirs, ours, names, negates) {
    const { sameType, sameValue, negation } = equality(theirs, ours);
    if (negates) {                                               // the first name states that a theorem of the reference is false
      const [n] = names, a = theirs.get(negates), b = ours.get(n);
      names.delete(n);
      if (!a || tag(a) !== THEOREM) return { same: false, why: `the reference does not declare ${negates}` };
      if (!b || tag(b) !== THEOREM) return { same: false, why: `${n} is missing` };
      if (!negation(a, b)) return { same: false, why: `${n} does not say that ${negates} is false` };
    }
    for (const n of names) if (!theirs.has(n)) return { same: false, why: `the reference does not declare ${n}` };
    for (const [n, a] of theirs) {
      const wanted = names.has(n), kind = tag(a), b = ours.get(n);
      if (!wanted && (kind === THEOREM || madeByLean(n, a))) continue;   // other theorems need not be there
      if (!b) return { same: false, why: `${n} is missing` };
      if (tag(b) !== kind) return { same: false, why: `${n} is no longer a ${KINDS[kind]}` };
      if (!sameType(a, b)) return { same: false, why: `the type of ${n} is another one` };
      if (!wanted && !sameValue(a, b)) return { same: false, why: `the value of ${n} is another one` };
    }
    return { same: true, why: '' };
  }
  const levelText = (l) => (isScalar(l) ? '0' : [() => '0', () => `(s ${levelText(fld(l, 0))})`, () => `(m ${levelText(fld(l, 0))} ${levelText(fld(l, 1))})`,
    () => `(i ${levelText(fld(l, 0))} ${levelText(fld(l, 1))})`, () => nameText(fld(l, 0)), () => '?'][tag(l)]());
  /** Only what is compared whole by its type and value: an inductive type called `_T` is not. */
  const madeByLean = (n, info) => !!info && (tag(info) === THEOREM || tag(info) === DEFINITION) && MADE_BY_LEAN.test(n);
  /** Equality of expressions of two files, up to the names of what Lean has made by itself. */
  function equality(theirs, ours) {
    const known = new Set();
    const ownNames = (e, local) => [...constantsIn(e)].some((n) => madeByLean(n, local.get(n)));
    function same(a, b) {
      if (isScalar(a) || isScalar(b)) return a === b;
      if (wx.lean_expr_eqv(a, b) && !ownNames(a, theirs) && !ownNames(b, ours)) return true;
      return alike(a, b);
    }
    function alike(a, b) {
      const pair = `${a} ${b}`, t = tag(a);
      if (known.has(pair)) return true;
      if (t !== tag(b)) return false;
      known.add(pair);                                               // one difference anywhere makes the whole answer false
      if (t === 4) return constant(a, b);
      if (t === 3) return levelText(fld(a, 0)) === levelText(fld(b, 0));
      if (t === 11 && (nameText(fld(a, 0)) !== nameText(fld(b, 0)) || unbox(fld(a, 1)) !== unbox(fld(b, 1)))) return false;
      const below = EXPR_CHILDREN[t];
      return below ? below.every((i) => alike(fld(a, i), fld(b, i))) : !!wx.lean_expr_eqv(a, b);
    }
    function constant(a, b) {
      const n = nameText(fld(a, 0)), m = nameText(fld(b, 0)), x = theirs.get(n), y = ours.get(m);
      if (list(fld(a, 1)).map(levelText).join(' ') !== list(fld(b, 1)).map(levelText).join(' ')) return false;
      if (madeByLean(n, x) && madeByLean(m, y)) return tag(x) === tag(y) && sameType(x, y) && sameValue(x, y);
      return n === m && !x === !y;
    }
    const sameType = (a, b) => levelsOf(a) === levelsOf(b) && same(typeOf(a), typeOf(b));
    const sameValue = (a, b) => (tag(a) !== DEFINITION && tag(a) !== OPAQUE) || same(fld(fld(a, 0), 1), fld(fld(b, 0), 1));
    /** Whether b's type is `Not` of a's, word for word and with the same universes. */
    const negation = (a, b) => {
      const t = typeOf(b);
      return levelsOf(a) === levelsOf(b) && tag(t) === 5 && tag(fld(t, 0)) === 4 && nameText(fld(fld(t, 0), 0)) === 'Not' && same(fld(t, 1), typeOf(a));
    };
    return { sameType, sameValue, negation };
  }

  // ---------------------------------------------------------------- replay
  const EXPR_CHILDREN = { 5: [0, 1], 6: [1, 2], 7: [1, 2], 8: [1, 2, 3], 10: [1], 11: [2] };
  function constantsIn(...exprs) {
    const seen = new Set(), names = new Set(), stack = [...exprs];
    while (stack.length) {
      const e = stack.pop();
      if (isScalar(e) || seen.has(e)) continue;
      seen.add(e);
      const t = tag(e);
      if (t === 4) names.add(nameText(fld(e, 0)));
      if (t === 11) names.add(nameText(fld(e, 0)));
      for (const i of EXPR_CHILDREN[t] || []) stack.push(fld(e, i));
    }
    return names;
  }
  /** Every declaration of the file once more through the kernel, on top of the imports alone: {count, failed}. */
  function replay(state, modules) {
    const local = meta.localConstants(fld(state, 0)), done = new Set();
    let kernel = kernelOf(front.environments.get(modules.join(' ')).env), count = 0;
    const add = (declaration, n) => {
      const r = wx.lean_add_decl(kernel, 0, declaration, NONE); dec(declaration);
      kernel = 0;
      if (tag(r) === 0) { dec(r); throw new Error(`the kernel refuses ${n}`); }
      kernel = inc(fld(r, 0)); dec(r); count++;
    };
    const visit = (n) => {
      const info = local.get(n);
      if (!info || done.has(n)) return;
      done.add(n);
      const kind = tag(info), value = fld(info, 0);
      if (kind === CONSTRUCTOR) { visit(nameText(fld(value, 1))); return; }
      if (kind === RECURSOR) { list(fld(value, 1)).map(nameText).forEach(visit); return; }
      constantsIn(typeOf(info), ...(kind >= DEFINITION && kind <= OPAQUE ? [fld(value, 1)] : [])).forEach(visit);
      if (kind === AXIOM) add(ctor(0, [inc(value)]), n);
      else if (kind === DEFINITION) { if (byte(value, 0) === 1) add(ctor(1, [inc(value)]), n); }
      else if (kind === THEOREM) add(ctor(2, [inc(value)]), n);
      else if (kind === OPAQUE) { if (!byte(value, 0)) add(ctor(3, [inc(value)]), n); }
      else if (kind === INDUCTIVE) family(value, add, visit, done, local);
    };
    try {
      for (const n of local.keys()) visit(n);
      for (const [n, info] of local) if (tag(info) === CONSTRUCTOR || tag(info) === RECURSOR) same(n, info, kernel);
      return { count, failed: '' };
    } catch (e) { return { count, failed: lean.describe(e) }; } finally { if (kernel) dec(kernel); }
  }
  function family(value, add, visit, done, local) {
    const all = list(fld(value, 3)).map(nameText), infos = all.map((n) => local.get(n));
    all.forEach((n) => done.add(n));
    if (byte(value, 1)) return;                                    // unsafe
    const types = infos.map((info) => {
      const constructors = list(fld(fld(info, 0), 4)).map((c) => local.get(nameText(c)));
      constantsIn(typeOf(info), ...constructors.map(typeOf)).forEach((n) => { if (!all.includes(n)) visit(n); });
      return ctor(0, [inc(fld(constantVal(info), 0)), inc(typeOf(info)), leanList(constructors.map((c) => ctor(0, [inc(fld(constantVal(c), 0)), inc(typeOf(c))])))]);
    });
    add(ctor(6, [inc(fld(constantVal(infos[0]), 1)), inc(fld(value, 1)), leanList(types)], 1), all[0]);
  }
  const leanList = (owned) => owned.reduceRight((tail, o) => ctor(1, [o, tail]), NIL);
  /** A constructor or recursor that the kernel made itself must be the one of the file. */
  function same(n, info, kernel) {
    const found = wx.lean_environment_find(inc(kernel), inc(fld(constantVal(info), 0)));
    const theirs = isScalar(found) ? 0 : fld(found, 0);
    const fine = theirs && tag(theirs) === tag(info) && levelsOf(theirs) === levelsOf(info) && wx.lean_expr_eqv(typeOf(theirs), typeOf(info));
    if (!isScalar(found)) dec(found);
    if (!fine) throw new Error(`${n} is not what the kernel makes of its type`);
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
  return { declarations, reference, admission, compare, forget, replay, evaluate };
}
module.exports = { gate };
