'use strict';
/*
 * Literals. A natural number n stands for Nat.succ applied n times to Nat.zero, a string for String.ofList applied to the
 * list of its characters. Literals may be used only where Nat is what we take it for, and where what a string stands for
 * is of type String. Arithmetic on number literals is done at once by functions that arithmetic.cjs has approved.
 */
const { refuse } = require('./limits.cjs');
const { named } = require('./name.cjs');
const Level = require('./level.cjs');
const T = require('./term.cjs');
const Env = require('./environment.cjs');
const Infer = require('./infer.cjs');
const Reduce = require('./reduce.cjs');
const Equal = require('./equal.cjs');

const { CONST, APP, NAT, head } = T;
const NATURAL = named('Nat'), ZERO = named('Nat.zero'), SUCC = named('Nat.succ');
const EAGER = named('eagerReduce');

// Terms that occur again and again; kept, so that they stay the same objects.
const [Nat, zero, succ, yes, no, String_, ofList, Char, ofNat] = T.keep(() =>
  ['Nat', 'Nat.zero', 'Nat.succ', 'Bool.true', 'Bool.false', 'String', 'String.ofList', 'Char', 'Char.ofNat']
    .map((name) => T.constant(named(name), Level.none)));
const [nil, cons] = T.keep(() =>
  ['List.nil', 'List.cons'].map((name) => T.app(T.constant(named(name), Level.list([Level.zero])), Char)));

/** Called for every inductive type that has been declared: is it the natural numbers? */
function recognise(inductive) {
  if (inductive.name !== NATURAL || inductive.levelParams.length > 0 || inductive.group.length > 1) return;
  if (inductive.type !== T.sort(Level.one) || inductive.ctors.length !== 2) return;
  const [first, second] = inductive.ctors.map(Env.get);
  if (first.name !== ZERO || first.type !== Nat || second.name !== SUCC || second.type !== T.pi(Nat, Nat)) return;
  inductive.hasLiterals = true;
  second.fast = { arity: 1, compute: (n) => n + 1n };
}

const hasNat = () => { const c = Env.find(NATURAL); return c !== undefined && c.hasLiterals; };
const natType = () => (hasNat() ? Nat : refuse('a number literal, but Nat is not the natural numbers'));

function strType(t) {
  if (!hasNat()) refuse('a string literal without Nat');
  if (!Equal.isDefEq(Infer.check(strAsTerm(t)), String_)) refuse('a string literal, but String is not made from lists of characters');
  return String_;
}

function natAsConstructor(t) {
  const value = T.natValue(t);
  return value === 0n ? zero : T.app(succ, T.nat(value - 1n));
}

function strAsTerm(t) {
  const codes = Array.from(T.strText(t), (c) => c.codePointAt(0));
  return T.app(ofList, codes.reduceRight((rest, code) => T.app(T.app(cons, T.app(ofNat, T.nat(BigInt(code)))), rest), nil));
}

// ------------------------------------------------------------------------------------------------------------ arithmetic

function value(t) {
  if (t.kind === NAT) return T.natValue(t);
  return t === zero ? 0n : null;
}

/** The literal to which an approved function of literals computes, or null. */
function reduceNat(t, anyLocals = false) {
  if (t.kind !== APP || (t.top > 0 && !anyLocals)) return null;
  const f = head(t);
  if (f.kind !== CONST) return null;
  const { fast } = Env.get(f.a);
  if (fast === null || T.arity(t) !== fast.arity || !hasNat()) return null;
  const values = [];
  for (const x of T.args(t)) {
    const v = value(Reduce.whnf(x));
    if (v === null) return null;
    values.push(v);
  }
  const result = fast.compute(...values);
  return typeof result === 'boolean' ? (result ? yes : no) : T.nat(result);
}

function predecessor(t) {
  if (t.kind === NAT) return T.natValue(t) > 0n ? T.nat(T.natValue(t) - 1n) : null;
  return t.kind === APP && t.a === succ ? t.b : null;
}

/** Two numbers that are both zero, or both successors; undefined for other terms. */
function offsetsEqual(t, s) {
  if (value(t) === 0n && value(s) === 0n) return true;
  const m = predecessor(t);
  if (m === null) return undefined;
  const n = predecessor(s);
  return n === null ? undefined : Equal.isDefEq(m, n);
}

const isTrue = (t) => t === yes;
const isEager = (t) => T.arity(t) === 2 && head(t).kind === CONST && head(t).a === EAGER;

Object.assign(exports, {
  recognise, hasNat, natType, strType, natAsConstructor, strAsTerm, reduceNat, offsetsEqual, isTrue, isEager,
  Nat, zero, succ, yes, no,
});
