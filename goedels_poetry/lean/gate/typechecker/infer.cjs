'use strict';
/*
 * Types of terms. `check` checks the term on the way; `infer` takes it as checked and only says what its type is.
 */
const { refuse, tick } = require('./limits.cjs');
const Level = require('./level.cjs');
const T = require('./term.cjs');
const Env = require('./environment.cjs');
const Reduce = require('./reduce.cjs');
const Equal = require('./equal.cjs');
const Literal = require('./literal.cjs');

const { SORT, CONST, APP, LAM, PI, LET, PROJ, LOCAL, NAT, STR, BVAR, facts, instantiate } = T;

let levelParams = [];

/** The universe parameters that the terms to be checked may use. Forgets what is known about all terms. */
function begin(names) {
  if (new Set(names).size !== names.length) refuse('a universe parameter is declared twice');
  levelParams = names;
  T.newEpoch();
  Equal.forget();
}

const infer = (t) => typeOf(t, false);
const check = (t) => typeOf(t, true);

function typeOf(t, checking) {
  const known = facts(t);
  if (known.type !== null && (known.checked || !checking)) return known.type;
  tick();
  const type = compute(t, checking);
  known.type = type;
  known.checked = checking;
  return type;
}

function compute(t, checking) {
  switch (t.kind) {
    case LOCAL: return t.a;
    case SORT:
      if (checking) checkLevel(t.a);
      return T.sort(Level.succ(t.a));
    case CONST: {
      const c = Env.get(t.a);
      if (c.levelParams.length !== t.b.length) refuse(`${t.a} takes ${c.levelParams.length} universe levels, not ${t.b.length}`);
      if (checking) t.b.forEach(checkLevel);
      return Env.typeOf(c, t.b);
    }
    case APP: return typeOfApplication(t, checking);
    case LAM: return typeOfFunction(t, checking);
    case PI: return typeOfFunctionType(t, checking);
    case LET: return typeOfLet(t, checking);
    case PROJ: return typeOfProjection(t, checking);
    case NAT: return Literal.natType();
    case STR: return Literal.strType(t);
    case BVAR: return refuse('a loose bound variable');
    default: throw new Error('no such kind of term');
  }
}

function checkLevel(level) {
  const name = Level.undeclared(level, levelParams);
  if (name !== null) refuse(`unknown universe parameter ${name}`);
}

/** The level of the sort that is the type of this type. */
function sortOf(type, checking = false) {
  const s = Reduce.whnf(typeOf(type, checking));
  return s.kind === SORT ? s.a : refuse('a type was expected');
}

/** Is this type a proposition? It must be a type: an answer for what is stuck would let data out of proofs (lean4#14807). */
const isProp = (type) => Level.isZero(sortOf(type));

function asFunctionType(type) {
  if (type.kind === PI) return type;
  const t = Reduce.whnf(type);
  return t.kind === PI ? t : refuse('a function was expected');
}

function typeOfApplication(t, checking) {
  const given = T.args(t);
  let type = typeOf(T.head(t), checking), done = 0;      // arguments from `done` on are not yet in `type`
  for (let i = 0; i < given.length; i++) {
    if (type.kind !== PI) {
      type = asFunctionType(instantiate(type, given.slice(done, i)));
      done = i;
    }
    if (checking) checkArgument(given[i], instantiate(type.a, given.slice(done, i)));
    type = type.b;
  }
  return instantiate(type, given.slice(done));
}

function checkArgument(x, domain) {
  const type = check(x);
  if (type === domain) return;
  const same = Literal.isEager(x) ? Equal.eagerly(() => Equal.isDefEq(type, domain)) : Equal.isDefEq(type, domain);
  if (!same) refuse('an argument has another type than the function takes');
}

function typeOfFunction(t, checking) {
  const locals = [], domains = [];
  const from = t.top;
  for (; t.kind === LAM; t = t.b) {
    const domain = instantiate(t.a, locals);
    if (checking) sortOf(domain, true);
    domains.push(t.a);
    locals.push(T.local(from + locals.length, domain));
  }
  let type = T.abstract(typeOf(instantiate(t, locals), checking), locals);
  for (let i = domains.length - 1; i >= 0; i--) type = T.pi(domains[i], type);
  if (type.top > from) throw new Error('a local variable has escaped');
  return type;
}

function typeOfFunctionType(t, checking) {
  const locals = [], levels = [];
  const from = t.top;
  for (; t.kind === PI; t = t.b) {
    const domain = instantiate(t.a, locals);
    levels.push(sortOf(domain, checking));
    locals.push(T.local(from + locals.length, domain));
  }
  return T.sort(levels.reduceRight((level, l) => Level.imax(l, level), sortOf(instantiate(t, locals), checking)));
}

/** A value takes its variable's place at once; parts that come to be shared are checked once. */
function typeOfLet(t, checking) {
  const values = [];
  for (; t.kind === LET; t = t.c) {
    const value = instantiate(t.b, values);
    if (checking) {
      const type = instantiate(t.a, values);
      sortOf(type, true);
      if (!Equal.isDefEq(check(value), type)) refuse('the value of a let has another type than is said');
    }
    values.push(value);
  }
  return typeOf(instantiate(t, values), checking);
}

function typeOfProjection(t, checking) {
  const type = Reduce.whnf(typeOf(t.b, checking)), f = T.head(type), given = T.args(type);
  if (f.kind !== CONST || f.a !== t.a) refuse(`a projection of ${t.a} from a value of another type`);
  const inductive = Env.get(t.a);
  if (inductive.kind !== 'inductive' || inductive.ctors.length !== 1 || inductive.numIndices > 0 || given.length !== inductive.numParams)
    refuse(`a projection of ${t.a}, which is no structure`);
  const ctor = Env.get(inductive.ctors[0]);
  if (t.c >= ctor.numFields) refuse(`${t.a} has no field number ${t.c}`);
  let field = Env.typeOf(ctor, f.b);
  for (const x of given) field = instantiate(asFunctionType(field).b, [x]);
  // Out of a proof only proofs, and nothing behind a field of data that the rest depends on.
  const fromProof = isProp(type);
  const mustBeProof = (domain) => { if (fromProof && !isProp(domain)) refuse(`a projection of data out of a proof of ${t.a}`); };
  for (let i = 0; i < t.c; i++) {
    const p = asFunctionType(field);
    if (p.b.loose > 0) mustBeProof(p.a);
    field = instantiate(p.b, [T.proj(t.a, i, t.b)]);
  }
  const { a: domain } = asFunctionType(field);
  mustBeProof(domain);
  return domain;
}

Object.assign(exports, { begin, infer, check, sortOf, isProp });
