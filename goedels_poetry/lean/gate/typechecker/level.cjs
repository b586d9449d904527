'use strict';
/*
 * Universe levels: 0, l+1, max l m, imax l m (which is 0 where m is 0, and max l m elsewhere), and parameters.
 *
 * Levels are hash-consed. `atMost` decides l <= m for all values of the parameters: it tries both cases, zero and positive,
 * for each parameter that decides the value of some imax. In each case no imax is left, and what remains is a maximum of
 * constants and of parameters plus constants, for which the comparison is elementary.
 */
const { giveUp, tick } = require('./limits.cjs');

const ZERO = 0, SUCC = 1, MAX = 2, IMAX = 3, PARAM = 4;
const LARGEST_ID = 2 ** 22, MOST_SPLITS = 12;

class Level {
  constructor(kind, a, b, id) {
    this.kind = kind;
    this.a = a;                // level, or the name of a parameter
    this.b = b;
    this.id = id;
    this.positive = kind === SUCC || (kind === MAX && (a.positive || b.positive));   // seen by its form: zero for no parameters
    this.open = kind === PARAM || (a !== null && a.open === true) || (b !== null && b.open);   // mentions a parameter
  }
}

const known = new Map();
let count = 0;
const zero = new Level(ZERO, null, null, count++);

function make(kind, a, b) {
  const key = kind + 8 * (a.id + LARGEST_ID * (b === null ? 0 : b.id));
  let level = known.get(key);
  if (level === undefined) {
    if (count >= LARGEST_ID || a.id >= LARGEST_ID) giveUp('too many universe levels');
    known.set(key, level = new Level(kind, a, b, count++));
  }
  return level;
}

const succ = (l) => make(SUCC, l, null);
const param = (name) => make(PARAM, name, null);

// The makers of max and imax simplify where that is free of cost; the value is the same for all parameters.
function max(l, m) {
  if (l === m || m === zero) return l;
  return l === zero ? m : make(MAX, l, m);
}

function imax(l, m) {
  if (m === zero || l === zero || l === m) return m;
  return m.positive ? max(l, m) : make(IMAX, l, m);
}

/** The level in which each of `names` stands for the level at the same place in `levels`. */
function substitute(l, names, levels) {
  if (!l.open) return l;
  switch (l.kind) {
    case SUCC: return succ(substitute(l.a, names, levels));
    case MAX: return max(substitute(l.a, names, levels), substitute(l.b, names, levels));
    case IMAX: return imax(substitute(l.a, names, levels), substitute(l.b, names, levels));
    default: { const i = names.indexOf(l.a); return i < 0 ? l : levels[i]; }
  }
}

/** A parameter of `l` that is not among `names`, or null. */
function undeclared(l, names) {
  if (!l.open) return null;
  if (l.kind === PARAM) return names.includes(l.a) ? null : l.a;
  return undeclared(l.a, names) || (l.b === null ? null : undeclared(l.b, names));
}

// ------------------------------------------------------------------------------------------------------------ comparison

/** All parameters of `l`. */
function parameters(l, found) {
  if (!l.open) return;
  if (l.kind === PARAM) { found.add(l.a); return; }
  parameters(l.a, found);
  if (l.b !== null) parameters(l.b, found);
}

/** The parameters that decide whether the right side of some imax is zero. */
function deciding(l, found) {
  if (!l.open || l.kind === PARAM) return;
  if (l.kind === IMAX) parameters(l.b, found);
  deciding(l.a, found);
  if (l.b !== null) deciding(l.b, found);
}

/** A maximum: the constant, and for each parameter what is added to it. A parameter taken as positive stands for q+1. */
class Maximum {
  constructor(constant) { this.constant = constant; this.offsets = new Map(); }

  include(other) {
    this.constant = Math.max(this.constant, other.constant);
    for (const [p, o] of other.offsets) if (!(this.offsets.get(p) >= o)) this.offsets.set(p, o);
  }

  /** The value where all parameters are 0, which is the least. */
  least() {
    let value = this.constant;
    for (const o of this.offsets.values()) if (o > value) value = o;
    return value;
  }

  atMost(other) {
    if (this.constant > other.least()) return false;
    for (const [p, o] of this.offsets) if (!(other.offsets.get(p) >= o)) return false;
    return true;
  }
}

/** `l` as a maximum in the case where the names of `positive` are positive and the others of `split` are zero. */
function maximum(l, split, positive) {
  tick();
  switch (l.kind) {
    case ZERO: return new Maximum(0);
    case PARAM: {
      const m = new Maximum(0);
      if (!split.includes(l.a)) m.offsets.set(l.a, 0);
      else if (positive.has(l.a)) m.offsets.set(l.a, 1);
      return m;
    }
    case SUCC: {
      const m = maximum(l.a, split, positive);
      m.constant++;
      for (const [p, o] of m.offsets) m.offsets.set(p, o + 1);
      return m;
    }
    default: {
      const right = maximum(l.b, split, positive);
      // Every parameter right of an imax is split: the value there is zero, or it is at least one, in the whole case.
      if (l.kind === IMAX && right.constant === 0 && right.offsets.size === 0) return right;
      right.include(maximum(l.a, split, positive));
      return right;
    }
  }
}

const answers = new Map();

/** Is l <= m for all values of the parameters? */
function atMost(l, m) {
  if (l === m || l === zero) return true;
  const key = l.id * LARGEST_ID + m.id;
  let answer = answers.get(key);
  if (answer === undefined) answers.set(key, answer = decide(l, m));
  return answer;
}

function decide(l, m) {
  const found = new Set();
  deciding(l, found); deciding(m, found);
  if (found.size > MOST_SPLITS) giveUp('a universe level with too many cases');
  const split = [...found];
  for (let choice = 0; choice < 2 ** split.length; choice++) {
    const positive = new Set(split.filter((_, i) => (choice >> i) & 1));
    if (!maximum(l, split, positive).atMost(maximum(m, split, positive))) return false;
  }
  return true;
}

const equal = (l, m) => l === m || (atMost(l, m) && atMost(m, l));
const one = succ(zero);
/** Zero whatever the parameters are. */
const isZero = (l) => l === zero || (l.kind !== SUCC && l.kind !== PARAM && atMost(l, zero));
/** Zero for no parameters. */
const isNeverZero = (l) => l.kind === SUCC || atMost(one, l);

// ------------------------------------------------------------------------------------------------------- lists of levels

const lists = new Map();

/** The one object for this list of levels. */
function list(levels) {
  const key = levels.map((l) => l.id).join();
  let found = lists.get(key);
  if (found === undefined) {
    found = Object.assign(levels.slice(), { id: lists.size, open: levels.some((l) => l.open) });
    lists.set(key, found);
  }
  return found;
}

const none = list([]);

function listsEqual(ls, ms) {
  return ls === ms || (ls.length === ms.length && ls.every((l, i) => equal(l, ms[i])));
}

module.exports = { zero, one, succ, max, imax, param, substitute, undeclared, atMost, equal, isZero, isNeverZero, list, none, listsEqual };
