'use strict';
/*
 * Terms, hash-consed: two terms are equal up to the names of bound variables exactly if they are the same object.
 *
 * Bound variables are de Bruijn indices. A local variable is a term of its own, made of its type and a number (`depth`),
 * and `top` of a term is one more than the largest number of a local in it, those in the types of its locals included.
 * Whoever opens a binder takes a local whose number is at least the `top` of every term it is used with: such a local is
 * new to all of them. So no counter and no context is needed, the same binder is always opened with the same local, and what
 * has been found out about the opened body is found in the caches again (compare the "de Bruijn levels" of nanoda_lib).
 */
const { giveUp, tick } = require('./limits.cjs');
const Level = require('./level.cjs');

const BVAR = 0, SORT = 1, CONST = 2, APP = 3, LAM = 4, PI = 5, LET = 6, PROJ = 7, LOCAL = 8, NAT = 9, STR = 10;

let epoch = 1, count = 0;

class Term {
  constructor(kind, a, b, c, hash, loose, top, open) {
    this.kind = kind;
    this.a = a; this.b = b; this.c = c;       // what they are says the maker of the kind, below
    this.id = count++;
    this.hash = hash;
    this.next = null;                         // in the bucket of the table
    this.loose = loose;                       // all loose bound variables are below this number
    this.top = top;                           // all locals are below this number
    this.open = open;                         // mentions a universe parameter
    this.kept = false;                        // part of the stream or of the environment: survives `sweep`
    this.facts = null;                        // what has been found out about it: see `facts`
    // The last result of a traversal: see `rewrite`.
    this.call = 0; this.offset = 0; this.result = null;
  }
}

/** What is known about a term. */
class Facts {
  constructor() {
    this.epoch = epoch;
    this.type = null;                         // inferred type
    this.checked = false;                     // whether the term was checked when that was inferred
    this.core = null;                         // weak head normal form without unfolding
    this.whnf = null;                         // weak head normal form
    this.unfolded = null;                     // the value of a constant
  }
}

/** What is known about the term; nothing is in another epoch. */
function facts(t) {
  if (t.facts === null || t.facts.epoch !== epoch) t.facts = new Facts();
  return t.facts;
}

/** Forget what is known about all terms: another declaration begins, or the environment has changed. */
function newEpoch() { epoch++; }

// ------------------------------------------------------------------------------------------------------------- the table

let table = new Array(1 << 18).fill(null), size = 0, temporary = 0, keeping = false;

/** Terms made in `action` are part of the stream. */
function keep(action) {
  keeping = true;
  try { return action(); } finally { keeping = false; }
}

function intern(kind, a, b, c, mixed, loose, top, open) {
  let hash = Math.imul(mixed ^ (kind * 0x9e3779b1), 0x85ebca6b);
  hash ^= hash >>> 13;
  const slot = hash & (table.length - 1);
  for (let t = table[slot]; t !== null; t = t.next) {
    if (t.hash === hash && t.a === a && t.b === b && t.c === c && t.kind === kind) {
      if (keeping && !t.kept) { t.kept = true; temporary--; }
      return t;
    }
  }
  const t = new Term(kind, a, b, c, hash, loose, top, open);
  t.kept = keeping;
  if (!keeping) temporary++;
  t.next = table[slot]; table[slot] = t;
  if (++size > table.length) resize(table.length * 2);
  return t;
}

function resize(length) {
  if (length > 1 << 25) giveUp('too many terms');
  const old = table;
  table = new Array(length).fill(null);
  for (let t of old) while (t !== null) { const { next } = t; const s = t.hash & (length - 1); t.next = table[s]; table[s] = t; t = next; }
}

/** Let go of the terms that only a check has made, if they are many. Only between declarations. */
function sweep(many) {
  if (temporary <= many) return;
  newEpoch();
  for (let s = 0; s < table.length; s++) {
    let left = null;
    for (let t = table[s]; t !== null;) {
      const { next } = t;
      if (t.kept) { t.facts = t.result = null; t.next = left; left = t; } else size--;
      t = next;
    }
    table[s] = left;
  }
  temporary = 0;
}

/** The term and its parts survive from now on. */
function retain(t) {
  if (t.kept) return t;
  t.kept = true; temporary--;
  for (const part of [t.a, t.b, t.c]) if (part instanceof Term) retain(part);
  return t;
}

const mix = (x, y) => Math.imul(x, 0x01000193) ^ (y + (x >>> 7));

// ------------------------------------------------------------------------------------------------------------ the makers

const bvar = (index) => intern(BVAR, index, null, null, index, index + 1, 0, false);
const sort = (level) => intern(SORT, level, null, null, level.id, 0, 0, level.open);
const constant = (name, levels) => intern(CONST, name, levels, null, mix(name.id, levels.id), 0, 0, levels.open);
const app = (f, x) =>
  intern(APP, f, x, null, mix(f.id, x.id), f.loose > x.loose ? f.loose : x.loose, f.top > x.top ? f.top : x.top, f.open || x.open);
const binder = (kind, domain, body) => intern(kind, domain, body, null, mix(domain.id, body.id),
  Math.max(domain.loose, body.loose - 1), Math.max(domain.top, body.top), domain.open || body.open);
const lam = (domain, body) => binder(LAM, domain, body);
const pi = (domain, body) => binder(PI, domain, body);
const letIn = (type, value, body) => intern(LET, type, value, body, mix(mix(type.id, value.id), body.id),
  Math.max(type.loose, value.loose, body.loose - 1), Math.max(type.top, value.top, body.top), type.open || value.open || body.open);
const proj = (struct, index, value) => intern(PROJ, struct, value, index, mix(mix(struct.id, index), value.id), value.loose, value.top, value.open);

/** A local variable. Its number must be at least the `top` of whatever it is to be new to. */
function local(depth, type) {
  if (type.loose > 0 || depth < type.top) throw new Error('a local variable out of scope');
  return intern(LOCAL, type, null, depth, mix(type.id, depth), 0, depth + 1, type.open);
}

/** A natural number, a BigInt; it is a property of an object that is the same for equal values. */
const numbers = new Map();
function nat(value) {
  const key = value.toString(32);           // a power of two: linear in the length
  let box = numbers.get(key);
  if (box === undefined) numbers.set(key, box = { value, id: numbers.size });
  return intern(NAT, box, null, null, box.id, 0, 0, false);
}
const natValue = (t) => t.a.value;

const texts = new Map();
function str(text) {
  let box = texts.get(text);
  if (box === undefined) texts.set(text, box = { text, id: texts.size });
  return intern(STR, box, null, null, box.id, 0, 0, false);
}
const strText = (t) => t.a.text;

// ---------------------------------------------------------------------------------------------------------- applications

function head(t) {
  while (t.kind === APP) t = t.a;
  return t;
}

function args(t) {
  let n = 0;
  for (let f = t; f.kind === APP; f = f.a) n++;
  const found = new Array(n);
  for (let f = t; f.kind === APP; f = f.a) found[--n] = f.b;
  return found;
}

function arity(t) {
  let n = 0;
  for (; t.kind === APP; t = t.a) n++;
  return n;
}

/** `f` applied to arguments `from` .. `to` (exclusive) of a list. */
function apply(f, list, from = 0, to = list.length) {
  for (let i = from; i < to; i++) f = app(f, list[i]);
  return f;
}

/** The same, but as long as `f` is an abstraction its body is taken, with the arguments in place. */
function betaApply(f, list, from = 0) {
  let n = 0, body = f;
  while (body.kind === LAM && from + n < list.length) { body = body.b; n++; }
  if (n === 0) return apply(f, list, from);
  const reduct = instantiate(body, n === list.length ? list : list.slice(from, from + n));
  return from + n < list.length ? betaApply(reduct, list, from + n) : reduct;
}

// ------------------------------------------------------------------------------------------------------------ traversals

let calls = 0;

/**
 * A function on terms, applied to all parts of a term from the outside to the inside. Terms share parts, so results are
 * remembered: in the term, for the last traversal and the last number of binders above. `step` answers the result for a
 * term, or undefined where the parts are to be looked at.
 */
function rewrite(term, step) {
  const call = ++calls;
  function visit(t, under) {
    if (t.call === call && t.offset === under) return t.result;
    tick();
    let r = step(t, under);
    if (r === undefined) {
      switch (t.kind) {
        case APP: { const f = visit(t.a, under), x = visit(t.b, under); r = f === t.a && x === t.b ? t : app(f, x); break; }
        case LAM: case PI: { const d = visit(t.a, under), e = visit(t.b, under + 1); r = d === t.a && e === t.b ? t : binder(t.kind, d, e); break; }
        case LET: r = letIn(visit(t.a, under), visit(t.b, under), visit(t.c, under + 1)); break;
        case PROJ: r = proj(t.a, t.c, visit(t.b, under)); break;
        default: r = t;
      }
    }
    t.call = call; t.offset = under; t.result = r;
    return r;
  }
  return visit(term, 0);
}

/** The term in which the last loose bound variables stand for `values`, the outermost first. The values are closed. */
function instantiate(term, values) {
  if (term.loose === 0 || values.length === 0) return term;
  const call = ++calls, n = values.length;
  function visit(t, under) {
    if (t.loose <= under) return t;
    if (t.kind === BVAR) return t.a < under + n ? values[n - 1 - (t.a - under)] : bvar(t.a - n);
    if (t.call === call && t.offset === under) return t.result;
    tick();
    let r;
    switch (t.kind) {
      case APP: r = app(visit(t.a, under), visit(t.b, under)); break;
      case LET: r = letIn(visit(t.a, under), visit(t.b, under), visit(t.c, under + 1)); break;
      case PROJ: r = proj(t.a, t.c, visit(t.b, under)); break;
      default: r = binder(t.kind, visit(t.a, under), visit(t.b, under + 1));
    }
    t.call = call; t.offset = under; t.result = r;
    return r;
  }
  return visit(term, 0);
}

/** The inverse: the locals, the outermost first, become loose bound variables. The term has no others. */
function abstract(term, locals) {
  const n = locals.length;
  if (n === 0 || term.top === 0) return term;
  const lowest = locals.reduce((least, l) => Math.min(least, l.c), Infinity);
  return rewrite(term, (t, under) => {
    if (t.top <= lowest) return t;
    if (t.kind !== LOCAL) return undefined;
    const i = locals[t.c - lowest] === t ? t.c - lowest : locals.lastIndexOf(t);      // mostly their numbers follow each other
    return i < 0 ? t : bvar(under + n - 1 - i);
  });
}

function close(kind, locals, body) {
  let r = abstract(body, locals);
  for (let i = locals.length - 1; i >= 0; i--) r = binder(kind, abstract(locals[i].a, locals.slice(0, i)), r);
  return r;
}

/** The function, and the function type, whose bound variables are these locals. */
const closeLam = (locals, body) => close(LAM, locals, body);
const closePi = (locals, body) => close(PI, locals, body);

/** The term in which the universe parameters `names` stand for `levels`. The term has no locals. */
function instantiateLevels(term, names, levels) {
  if (!term.open || names.length === 0) return term;
  return rewrite(term, (t) => {
    if (!t.open) return t;
    if (t.kind === SORT) return sort(Level.substitute(t.a, names, levels));
    if (t.kind === CONST) return constant(t.a, Level.list(t.b.map((l) => Level.substitute(l, names, levels))));
    return undefined;
  });
}

/** Is there a part of the term, loose bound variables and all, of which `test` holds? */
function some(term, test) {
  let found = false;
  rewrite(term, (t) => {
    if (!found && test(t)) found = true;
    return found ? t : undefined;
  });
  return found;
}

module.exports = {
  BVAR, SORT, CONST, APP, LAM, PI, LET, PROJ, LOCAL, NAT, STR,
  newEpoch, facts, keep, sweep, retain,
  bvar, sort, constant, app, lam, pi, letIn, proj, local, nat, natValue, str, strText,
  head, args, arity, apply, betaApply,
  rewrite, instantiate, abstract, closeLam, closePi, instantiateLevels, some,
};
