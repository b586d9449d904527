'use strict';
/*
 * Definitional equality of two terms of the same type.
 *
 * Answers are remembered for exactly the pair that was asked. They are not closed under transitivity: this relation is not
 * transitive (Acc.rec), and what holds must not depend on what was asked before (lean-kernel-arena, rec-missing-ih).
 */
const { giveUp, tick } = require('./limits.cjs');
const Level = require('./level.cjs');
const T = require('./term.cjs');
const Env = require('./environment.cjs');
const Infer = require('./infer.cjs');
const Reduce = require('./reduce.cjs');
const Literal = require('./literal.cjs');

const { SORT, CONST, APP, LAM, PI, PROJ, NAT, STR, head, args } = T;
const LARGEST_ID = 2 ** 26;

/** What has been found out: the answer for a pair; and pairs of applications of one constant with different arguments. */
class Memory {
  constructor() { this.answers = new Map(); this.different = new Set(); }
  clear() { this.answers.clear(); this.different.clear(); }
}

const usual = new Memory(), hasty = new Memory();
let eager = false, memory = usual;

function forget() { usual.clear(); hasty.clear(); }

function pair(t, s) {
  if (t.id >= LARGEST_ID || s.id >= LARGEST_ID) giveUp('too many terms');
  return t.id < s.id ? t.id * LARGEST_ID + s.id : s.id * LARGEST_ID + t.id;
}

/** Within `action`, arithmetic is done at once: what the constant eagerReduce asks for in library proofs. */
function eagerly(action) {
  const before = eager;
  eager = true; memory = hasty;
  try { return action(); } finally { eager = before; memory = before ? hasty : usual; }
}

function isDefEq(t, s) {
  if (t === s) return true;
  tick();
  if (t.kind === SORT && s.kind === SORT) return Level.equal(t.a, s.a);
  const { answers } = memory, key = pair(t, s), known = answers.get(key);
  if (known !== undefined) return known;
  const easy = quick(t, s), answer = easy === undefined ? compare(t, s) : easy;
  answers.set(key, answer);
  return answer;
}

/** The answer where the form of both terms gives it away, else undefined. */
function quick(t, s) {
  if (t === s) return true;
  if (t.kind !== s.kind) return undefined;
  switch (t.kind) {
    case SORT: return Level.equal(t.a, s.a);
    case LAM: case PI: return bindersEqual(t, s);
    case NAT: case STR: return false;                    // equal literals are one object
    default: return undefined;
  }
}

function bindersEqual(t, s) {
  const { kind } = t, from = Math.max(t.top, s.top), locals = [];
  while (t.kind === kind && s.kind === kind) {
    const domain = T.instantiate(s.a, locals);
    if (t.a !== s.a && !isDefEq(T.instantiate(t.a, locals), domain)) return false;
    if (t.b === s.b) return true;
    locals.push(T.local(from + locals.length, domain));
    t = t.b; s = s.b;
  }
  return isDefEq(T.instantiate(t, locals), T.instantiate(s, locals));
}

function compare(t0, s0) {
  // A decision procedure that is run by comparing its result with `true` is best run to its end.
  if ((t0.top === 0 || eager) && Literal.isTrue(s0) && Literal.isTrue(Reduce.whnf(t0))) return true;
  if ((s0.top === 0 || eager) && Literal.isTrue(t0) && Literal.isTrue(Reduce.whnf(s0))) return true;

  let t = Reduce.whnfCore(t0, true), s = Reduce.whnfCore(s0, true);
  if (t !== t0 || s !== s0) {
    const easy = quick(t, s);
    if (easy !== undefined) return easy;
  }
  const irrelevant = proofsEqual(t, s);
  if (irrelevant !== undefined) return irrelevant;

  const found = unfoldLazily(t, s);
  if (typeof found === 'boolean') return found;
  [t, s] = found;

  if (t.kind === CONST && s.kind === CONST && t.a === s.a && Level.listsEqual(t.b, s.b)) return true;
  if (t.kind === PROJ && s.kind === PROJ && t.a === s.a && t.c === s.c && isDefEq(t.b, s.b)) return true;

  const t1 = Reduce.whnfCore(t), s1 = Reduce.whnfCore(s);    // now within projected structures too
  if (t1 !== t || s1 !== s) return isDefEq(t1, s1);

  return applicationsEqual(t, s) || etaEqual(t, s) || etaEqual(s, t) || etaStructureEqual(t, s) || etaStructureEqual(s, t)
    || stringsEqual(t, s) || stringsEqual(s, t) || unitsEqual(t, s);
}

/** Two proofs of the same proposition are equal; undefined where they are no proofs. */
function proofsEqual(t, s) {
  const type = Infer.infer(t);
  return Infer.isProp(type) ? isDefEq(type, Infer.infer(s)) : undefined;
}

// ----------------------------------------------------------------------------------------------------- unfolding, lazily

/** Unfold the higher constant again and again: true, false, or both terms where nothing is left to unfold. */
function unfoldLazily(t, s) {
  for (;;) {
    tick();
    const offset = Literal.offsetsEqual(t, s);
    if (offset !== undefined) return offset;
    if ((t.top === 0 && s.top === 0) || eager) {
      const m = Literal.reduceNat(t, eager);
      if (m !== null) return isDefEq(m, s);
      const n = Literal.reduceNat(s, eager);
      if (n !== null) return isDefEq(t, n);
    }
    const c = Reduce.unfoldable(t), d = Reduce.unfoldable(s);
    if (c === null && d === null) return [t, s];
    if (c === null || d === null) {
      // A stuck projection may be the folded form of what the other side unfolds to: it goes first.
      if (c === null) { const p = projected(t); if (p !== null) t = p; else s = step(s); }
      else { const p = projected(s); if (p !== null) s = p; else t = step(t); }
    } else if (c.rank > d.rank) t = step(t);
    else if (c.rank < d.rank) s = step(s);
    else {
      if (c === d && t.kind === APP && s.kind === APP && c.rank >= 0 && c.rank < Infinity) {
        const key = pair(t, s);
        if (!memory.different.has(key)) {
          if (Level.listsEqual(head(t).b, head(s).b) && argumentsEqual(t, s)) return true;
          memory.different.add(key);
        }
      }
      t = step(t); s = step(s);
    }
    const easy = quick(t, s);
    if (easy !== undefined) return easy;
  }
}

const step = (t) => Reduce.whnfCore(Reduce.unfold(t), true);

function projected(t) {
  if (head(t).kind !== PROJ) return null;
  const r = Reduce.whnfCore(t);
  return r === t ? null : r;
}

function argumentsEqual(t, s) {
  const xs = args(t), ys = args(s);
  return xs.length === ys.length && xs.every((x, i) => isDefEq(x, ys[i]));
}

function applicationsEqual(t, s) {
  return t.kind === APP && s.kind === APP && T.arity(t) === T.arity(s) && isDefEq(head(t), head(s)) && argumentsEqual(t, s);
}

// ------------------------------------------------------------------------------------------------------------ extensional

/** fun x, b  and  s, where s is a function that is no abstraction: compare with fun x, s x. */
function etaEqual(t, s) {
  if (t.kind !== LAM || s.kind === LAM) return false;
  const type = Reduce.whnf(Infer.infer(s));
  return type.kind === PI && isDefEq(t, T.lam(type.a, T.app(s, T.bvar(0))));
}

/** t and a constructor application of a structure: compare the projections of t with the fields. */
function etaStructureEqual(t, s) {
  const f = head(s);
  if (f.kind !== CONST) return false;
  const ctor = Env.get(f.a);
  if (ctor.kind !== 'ctor' || T.arity(s) !== ctor.numParams + ctor.numFields || !Env.get(ctor.inductive).isStructure) return false;
  if (!isDefEq(Infer.infer(t), Infer.infer(s))) return false;
  return args(s).slice(ctor.numParams).every((field, i) => isDefEq(T.proj(ctor.inductive, i, t), field));
}

/** Two values of a structure without fields. */
function unitsEqual(t, s) {
  const type = Reduce.whnf(Infer.infer(t)), f = head(type);
  if (f.kind !== CONST) return false;
  const inductive = Env.get(f.a);
  return inductive.isStructure && Env.get(inductive.ctors[0]).numFields === 0 && isDefEq(type, Infer.infer(s));
}

/** A string literal and something built of characters. */
function stringsEqual(t, s) {
  if (t.kind !== STR || s.kind !== APP || head(s).kind !== CONST) return false;
  const spelled = Literal.strAsTerm(t), f = head(s).a;
  if (head(spelled).a === f) return isDefEq(spelled, s);
  return Env.get(f).kind === 'ctor' && isDefEq(Reduce.whnf(spelled), s);
}

Object.assign(exports, { forget, eagerly, isDefEq });
