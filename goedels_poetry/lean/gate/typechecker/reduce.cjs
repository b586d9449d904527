'use strict';
/*
 * Weak head normal forms.
 *
 * `whnfCore` does beta, zeta, projections and recursors (iota, with K; quotients), `whnf` unfolds constants as well. The
 * term must be well typed: nothing is checked here.
 */
const { tick } = require('./limits.cjs');
const T = require('./term.cjs');
const Env = require('./environment.cjs');
const Infer = require('./infer.cjs');
const Equal = require('./equal.cjs');
const Literal = require('./literal.cjs');

const { CONST, APP, LAM, LET, PROJ, NAT, STR, facts, head, args, apply, betaApply } = T;

/**
 * Without unfolding of constants at the head; within a major premise and a projected structure constants are unfolded.
 * `cheap`: not within a projected structure, which the comparison of terms would like to leave as it is while it can.
 */
function whnfCore(term, cheap = false) {
  if (term.kind !== APP && term.kind !== LET && term.kind !== PROJ) return term;
  const known = facts(term);
  if (known.core !== null) return known.core;
  let t = term;
  for (;;) {
    tick();
    let next = null;
    if (t.kind === APP) {
      const f = head(t);
      if (f.kind === LAM) next = betaApply(f, args(t));
      else if (f.kind === CONST) next = reduceRecursor(t, f);
      else if (f.kind === LET || f.kind === PROJ) {
        const g = whnfCore(f, cheap);
        if (g !== f) next = betaApply(g, args(t));
      }
    } else if (t.kind === PROJ) next = reduceProjection(t, cheap);
    else if (t.kind === LET) next = withoutLets(t);
    if (next === null) break;
    t = next;
    if (!cheap && facts(t).core !== null) { t = facts(t).core; break; }
  }
  if (!cheap) known.core = t;
  return t;
}

/** The body of a let, or of several, with the values in place. */
function withoutLets(t) {
  const values = [];
  for (; t.kind === LET; t = t.c) values.push(T.instantiate(t.b, values));
  return T.instantiate(t, values);
}

function whnf(term) {
  const { kind } = term;
  if (kind !== APP && kind !== CONST && kind !== LET && kind !== PROJ) return term;
  const known = facts(term);
  if (known.whnf !== null) return known.whnf;
  let t = term;
  for (;;) {
    t = whnfCore(t);
    const next = Literal.reduceNat(t) || unfold(t);
    if (next === null) break;
    t = next;
  }
  known.whnf = t;
  return t;
}

/** The constant at the head if it can be unfolded, or null. */
function unfoldable(t) {
  const f = head(t);
  if (f.kind !== CONST) return null;
  const c = Env.get(f.a);
  return c.value !== null && c.levelParams.length === f.b.length ? c : null;
}

/** The term with the constant at its head unfolded, or null. */
function unfold(t) {
  const c = unfoldable(t);
  if (c === null) return null;
  const f = head(t), known = facts(f);
  if (known.unfolded === null) known.unfolded = Env.valueOf(c, f.b);
  return t.kind === APP ? betaApply(known.unfolded, args(t)) : known.unfolded;
}

/** `c` if it is a constructor application, or a literal as one; null if it is neither. */
function asConstructor(c) {
  if (c.kind === NAT) return Literal.natAsConstructor(c);
  if (c.kind === STR) c = whnf(Literal.strAsTerm(c));
  const f = head(c);
  return f.kind === CONST && Env.get(f.a).kind === 'ctor' ? c : null;
}

function reduceProjection(t, cheap) {
  const made = asConstructor(cheap ? whnfCore(t.b, true) : whnf(t.b));
  if (made === null) return null;
  const ctor = Env.get(head(made).a), i = ctor.numParams + t.c;
  if (ctor.inductive !== t.a || t.c >= ctor.numFields) return null;
  const given = args(made);
  return i < given.length ? given[i] : null;
}

// ------------------------------------------------------------------------------------------------------------- recursors

function reduceRecursor(t, f) {
  const c = Env.get(f.a);
  if (c.kind === 'rec') return reduceRec(t, f, c);
  if (c.kind === 'quot') return reduceQuot(t, c);
  return null;
}

function reduceRec(t, f, rec) {
  const first = rec.numParams + rec.numMotives + rec.numMinors, at = first + rec.numIndices;
  if (T.arity(t) <= at || f.b.length !== rec.levelParams.length) return null;
  const given = args(t);
  let major = given[at];
  if (rec.k) major = asOnlyConstructor(rec, major) || major;
  major = whnf(major);
  const made = asConstructor(major) || expandStructure(rec.inductive, major);
  if (made === null) return null;
  const rule = rec.rules.get(head(made).a);
  if (rule === undefined) return null;
  const parts = args(made);
  if (parts.length < rule.numFields) return null;
  // Of the major premise only the fields are used: the parameters are the recursor's own.
  const all = given.slice(0, first).concat(parts.slice(parts.length - rule.numFields), given.slice(at + 1));
  return betaApply(T.instantiateLevels(rule.value, rec.levelParams, f.b), all);
}

/** K: whatever the proof is, it equals the only constructor if that has its type. */
function asOnlyConstructor(rec, major) {
  const type = whnf(Infer.infer(major)), f = head(type);
  if (f.kind !== CONST || f.a !== rec.inductive) return null;
  const inductive = Env.get(f.a);
  if (inductive.ctors.length !== 1) return null;
  const made = apply(T.constant(inductive.ctors[0], f.b), args(type), 0, inductive.numParams);
  return Equal.isDefEq(type, Infer.infer(made)) ? made : null;
}

/** Structure eta: a value of a structure that is no constructor application is the constructor applied to its projections. */
function expandStructure(name, value) {
  const inductive = Env.get(name);
  if (!inductive.isStructure) return null;
  const type = whnf(Infer.infer(value)), f = head(type);
  if (f.kind !== CONST || f.a !== name || Infer.isProp(type)) return null;
  const ctor = Env.get(inductive.ctors[0]);
  let made = apply(T.constant(ctor.name, f.b), args(type), 0, ctor.numParams);
  for (let i = 0; i < ctor.numFields; i++) made = T.app(made, T.proj(name, i, value));
  return made;
}

function reduceQuot(t, c) {
  // Quot.lift {α} {r} {β} f h q and Quot.ind {α} {r} {β} f q, where q is Quot.mk {α} r a, are f a.
  const at = c.quot === 'lift' ? 5 : c.quot === 'ind' ? 4 : -1;
  if (at < 0 || T.arity(t) <= at) return null;
  const given = args(t), made = whnf(given[at]), f = head(made);
  if (f.kind !== CONST || Env.get(f.a).quot !== 'ctor' || T.arity(made) !== 3) return null;
  return betaApply(T.app(given[3], made.b), given, at + 1);
}

Object.assign(exports, { whnf, whnfCore, withoutLets, unfoldable, unfold });
