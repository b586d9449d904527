'use strict';
/*
 * Declarations as data: Lean's constants in the export format of lean4export, version 3.1.0, one JSON object a line.
 * Ids are consecutive (names and levels from 1, expressions from 0) and equal things have one id; annotations (`mdata`)
 * are left out. Extra: {"assumed": {name, levelParams, type, kind}}, a constant of the library whose value the package
 * does not have.
 */
const AXIOM = 0, DEFINITION = 1, THEOREM = 2, OPAQUE = 3, QUOT = 4, INDUCTIVE = 5, CONSTRUCTOR = 6, RECURSOR = 7;
const BINDERS = ['default', 'implicit', 'strictImplicit', 'instImplicit'], QUOTS = ['type', 'ctor', 'lift', 'ind'];
const SAFETY = ['unsafe', 'safe', 'partial'];
// Lean.ConstantKind: what an imported constant was before it was exported without its value.
const ORIGINALLY = ['def', 'thm', 'axiom', 'opaque', 'quot', 'induct', 'ctor', 'recursor'];
const EXPR_DATA = 8;                     // bytes of cached data before an expression's own scalars
const MOST_BYTES = 56 << 20;
const LITERALS = [['Nat'], ['String', 'String.ofList', 'Char.ofNat', 'List.nil', 'List.cons', 'Nat']];   // what a literal stands for

/** Declarations that the format cannot say, or too many of them. */
class CannotBeWritten extends Error {}

/**
 * A stream that grows: `declare(n)` writes a constant, after all that it needs and `lookup` knows.
 * lookup(name as text, Lean's Name): a ConstantInfo or 0, borrowed; kindOf(Lean's Name): what an imported constant was
 * before it lost its value, one of ORIGINALLY.
 */
function exporter(lean, lookup, kindOf = null) {
  const { wx, isScalar, unbox, tag, fld, byte, views, list, text, nameText, takeText, string, inc, dec, F } = lean;
  const lines = [], names = new Map(), levels = new Map(), exprs = new Map(), same = new Map(), done = new Set(), outside = new Set();
  let bytes = 0, nameCount = 1, levelCount = 1, exprCount = 0;
  const write = (line) => { bytes += line.length + 1; if (bytes > MOST_BYTES) throw new CannotBeWritten(`more than ${MOST_BYTES} bytes of declarations`); lines.push(line); };
  const digits = (n) => (isScalar(n) ? String(unbox(n)) : takeText(F('l_Nat_reprFast')(inc(n))));
  const number = (n) => { if (!isScalar(n)) throw new CannotBeWritten('a number of a declaration'); return unbox(n); };
  /** The id of something that is written as `body`, new or known. */
  const shared = (body, fresh) => { let id = same.get(body); if (id === undefined) { id = fresh(); same.set(body, id); write(body.replace('#', id)); } return id; };

  // Lean's names by their texts, and the other way round.
  const texts = new Map(), pointers = new Map();
  const named = (n) => { let s = texts.get(n); if (s === undefined) { s = nameText(n); texts.set(n, s); if (!pointers.has(s)) pointers.set(s, n); } return s; };
  const made = [];
  const keep = (n) => { made.push(n); return n; };
  const find = (s) => { if (!pointers.has(s)) pointers.set(s, keep(lean.name(s))); return lookup(s, pointers.get(s)); };
  const child = (n, part) => named(keep(wx.lean_name_mk_string(inc(n), string(part))));
  const free = () => made.forEach(dec);

  function name(n) {
    if (isScalar(n)) return 0;
    let id = names.get(n);
    if (id === undefined) {
      const before = name(fld(n, 0));
      const body = tag(n) === 1 ? `{"in":#,"str":{"pre":${before},"str":${quoted(text(fld(n, 1)))}}}` : `{"in":#,"num":{"pre":${before},"i":${digits(fld(n, 1))}}}`;
      id = shared(body, () => nameCount++);
      names.set(n, id);
    }
    return id;
  }
  // The place of the id is marked by `#`: no other may stand before it.
  const quoted = (s) => JSON.stringify(s);
  function level(l) {
    if (isScalar(l) || tag(l) === 0) return 0;
    let id = levels.get(l);
    if (id === undefined) {
      const t = tag(l);
      if (t === 5) throw new CannotBeWritten('a level with a metavariable');
      const body = t === 4 ? `"param":${name(fld(l, 0))}` : t === 1 ? `"succ":${level(fld(l, 0))}` : `"${t === 2 ? 'max' : 'imax'}":[${level(fld(l, 0))},${level(fld(l, 1))}]`;
      id = shared(`{"il":#,${body}}`, () => levelCount++);
      levels.set(l, id);
    }
    return id;
  }
  const CHILDREN = { 5: [0, 1], 6: [1, 2], 7: [1, 2], 8: [1, 2, 3], 10: [1], 11: [2] };
  function expr(root) {
    const stack = [root];
    while (stack.length) {
      const e = stack[stack.length - 1];
      if (exprs.has(e)) { stack.pop(); continue; }
      const below = CHILDREN[tag(e)] || [], missing = below.map((i) => fld(e, i)).filter((x) => !exprs.has(x));
      if (missing.length) { stack.push(...missing.reverse()); continue; }
      stack.pop();
      exprs.set(e, tag(e) === 10 ? exprs.get(fld(e, 1)) : shared(`{"ie":#,${body(e)}}`, () => exprCount++));
    }
    return exprs.get(root);
  }
  function body(e) {
    const at = (i) => exprs.get(fld(e, i));
    switch (tag(e)) {
      case 0: return `"bvar":${digits(fld(e, 0))}`;
      case 3: return `"sort":${level(fld(e, 0))}`;
      case 4: return `"const":{"name":${name(fld(e, 0))},"us":[${list(fld(e, 1)).map(level)}]}`;
      case 5: return `"app":{"fn":${at(0)},"arg":${at(1)}}`;
      case 6: case 7: return `"${tag(e) === 6 ? 'lam' : 'forallE'}":{"name":${name(fld(e, 0))},"type":${at(1)},"body":${at(2)},"binderInfo":"${BINDERS[byte(e, EXPR_DATA)]}"}`;
      case 8: return `"letE":{"name":${name(fld(e, 0))},"type":${at(1)},"value":${at(2)},"body":${at(3)},"nondep":${!!byte(e, EXPR_DATA)}}`;
      case 9: { const l = fld(e, 0), x = fld(l, 0); return tag(l) === 0 ? `"natVal":"${digits(x)}"` : `"strVal":${quoted(text(x))}`; }
      case 11: return `"proj":{"typeName":${name(fld(e, 0))},"idx":${digits(fld(e, 1))},"struct":${at(2)}}`;
      default: throw new CannotBeWritten(tag(e) === 1 ? 'a free variable in a declaration' : 'a metavariable in a declaration');
    }
  }

  const constantVal = (info) => (tag(info) <= RECURSOR ? fld(fld(info, 0), 0) : 0);
  const head = (info) => { const v = constantVal(info); return `"name":${name(fld(v, 0))},"levelParams":[${list(fld(v, 1)).map(name)}],"type":${expr(fld(v, 2))}`; };
  const all = (l) => `[${list(l).map(name)}]`;
  const flag = (v, i) => !!byte(v, i);
  function hints(v) {
    const h = fld(v, 2);
    if (isScalar(h)) return unbox(h) === 0 ? '"opaque"' : '"abbrev"';
    const H8 = views(), at = h + 8 + 4 * H8[h + 6];
    return `{"regular":${(H8[at] | (H8[at + 1] << 8) | (H8[at + 2] << 16) | (H8[at + 3] << 24)) >>> 0}}`;
  }
  const RECORDS = {
    [AXIOM]: (info, v, kind) => (kind === null || kind === 'axiom' ? `{"axiom":{${head(info)},"isUnsafe":${flag(v, 0)}}}` : `{"assumed":{${head(info)},"kind":"${kind}"}}`),
    [DEFINITION]: (info, v) => `{"def":{${head(info)},"value":${expr(fld(v, 1))},"hints":${hints(v)},"safety":"${SAFETY[byte(v, 0)]}","all":${all(fld(v, 3))}}}`,
    [THEOREM]: (info, v) => `{"thm":{${head(info)},"value":${expr(fld(v, 1))},"all":${all(fld(v, 2))}}}`,
    [OPAQUE]: (info, v) => `{"opaque":{${head(info)},"value":${expr(fld(v, 1))},"isUnsafe":${flag(v, 0)},"all":${all(fld(v, 2))}}}`,
    [QUOT]: (info, v) => `{"quot":{${head(info)},"kind":"${QUOTS[byte(v, 0)]}"}}`,
  };
  const inductiveVal = (info, v) => `{${head(info)},"numParams":${number(fld(v, 1))},"numIndices":${number(fld(v, 2))},"all":${all(fld(v, 3))},"ctors":${all(fld(v, 4))},"numNested":${number(fld(v, 5))},"isRec":${flag(v, 0)},"isUnsafe":${flag(v, 1)},"isReflexive":${flag(v, 2)}}`;
  const constructorVal = (info, v) => `{${head(info)},"induct":${name(fld(v, 1))},"cidx":${number(fld(v, 2))},"numParams":${number(fld(v, 3))},"numFields":${number(fld(v, 4))},"isUnsafe":${flag(v, 0)}}`;
  const recursorVal = (info, v) => `{${head(info)},"all":${all(fld(v, 1))},"numParams":${number(fld(v, 2))},"numIndices":${number(fld(v, 3))},"numMotives":${number(fld(v, 4))},"numMinors":${number(fld(v, 5))},"rules":[${list(fld(v, 6)).map(rule)}],"k":${flag(v, 0)},"isUnsafe":${flag(v, 1)}}`;
  const rule = (r) => `{"ctor":${name(fld(r, 0))},"nfields":${number(fld(r, 1))},"rhs":${expr(fld(r, 2))}}`;
  const value = (info) => fld(info, 0), nameOf = (info) => fld(constantVal(info), 0);

  /** The constants of one record: an inductive type stands with its family, its constructors and its recursors. */
  function family(info) {
    const types = list(fld(value(info), 3)).map(named).map(find), ctors = [], recs = [];
    if (types.some((t) => !t || tag(t) !== INDUCTIVE)) throw new CannotBeWritten('an inductive type without its family');
    for (const t of types) for (const c of list(fld(value(t), 4))) ctors.push(find(named(c)));
    const first = nameOf(types[0]), nested = number(fld(value(types[0]), 5));
    for (const t of types) recs.push(find(child(nameOf(t), 'rec')));
    for (let i = 1; i <= nested; i++) recs.push(find(child(first, `rec_${i}`)));
    if ([...ctors, ...recs].some((x) => !x)) throw new CannotBeWritten(`${named(first)} is incomplete`);
    return { types, ctors, recs };
  }
  const expressions = (info) => {
    const v = value(info), t = tag(info), type = fld(constantVal(info), 2);
    return t >= DEFINITION && t <= OPAQUE ? [type, fld(v, 1)] : t === RECURSOR ? [type, ...list(fld(v, 6)).map((r) => fld(r, 2))] : [type];
  };
  /** Names that these expressions mention. */
  function mentioned(roots, scanned) {
    const found = new Set(), stack = [...roots];
    while (stack.length) {
      const e = stack.pop();
      if (scanned.has(e)) continue;
      scanned.add(e);
      const t = tag(e);
      if (t === 4 || t === 11) found.add(named(fld(e, 0)));
      if (t === 9) for (const n of LITERALS[tag(fld(e, 0))]) found.add(n);
      for (const i of CHILDREN[t] || []) stack.push(fld(e, i));
    }
    return found;
  }
  const QUOTIENT = ['Quot', 'Quot.mk', 'Quot.lift', 'Quot.ind'];              // come together, and rest on Eq

  function record(info, infos, group) {
    if (tag(info) === INDUCTIVE) {
      const all = (xs, f) => xs.map((x) => f(x, value(x)));
      const types = all(group.types, inductiveVal), ctors = all(group.ctors, constructorVal), recs = all(group.recs, recursorVal);
      write(`{"inductive":{"types":[${types}],"ctors":[${ctors}],"recs":[${recs}]}}`);
      return;
    }
    if (tag(info) === QUOT) { infos.forEach((x) => write(RECORDS[QUOT](x, value(x)))); return; }
    write(RECORDS[tag(info)](info, value(info), kindOf && tag(info) === AXIOM ? kindOf(nameOf(info)) : null));
  }
  /** Write a constant and, before it, everything that it needs; what `find` does not know is left out. */
  function declare(n) {
    const stack = [{ n, needs: null }];
    while (stack.length) {
      const top = stack[stack.length - 1];
      if (top.needs === null) {
        let info = done.has(top.n) ? 0 : find(top.n);
        if (info && tag(info) === CONSTRUCTOR) info = find(named(fld(value(info), 1)));
        else if (info && tag(info) === RECURSOR) info = find(named(list(fld(value(info), 1))[0]));
        const group = info && tag(info) === INDUCTIVE ? family(info) : null;
        const infos = group ? [...group.types, ...group.ctors, ...group.recs] : info && tag(info) === QUOT ? QUOTIENT.map(find) : [info];
        const own = info ? infos.map((x) => named(nameOf(x))) : [];
        if (!info && !done.has(top.n)) outside.add(top.n);
        if (!info || done.has(own[0])) { stack.pop(); continue; }
        own.forEach((x) => done.add(x));                     // a circle would be refused by whoever reads this
        const needs = new Set(mentioned(infos.flatMap(expressions), new Set()));
        if (tag(info) === QUOT) needs.add('Eq');
        own.forEach((x) => needs.delete(x));
        Object.assign(top, { info, infos, group, needs: [...needs].filter((x) => !done.has(x)) });
      }
      const next = top.needs.pop();
      if (next !== undefined) { if (!done.has(next)) stack.push({ n: next, needs: null }); continue; }
      record(top.info, top.infos, top.group);
      stack.pop();
    }
  }
  return { declare, lines, outside, known: named, free };
}
module.exports = { CannotBeWritten, exporter, LITERALS, ORIGINALLY };
