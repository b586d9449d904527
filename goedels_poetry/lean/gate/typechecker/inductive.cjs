'use strict';
/*
 * Inductive types: mutual, indexed, reflexive, nested.
 *
 * From the formers and the constructors everything else is computed: numbers of indices and fields, whether the types are
 * recursive, the universe the recursors eliminate into, the recursors and their rules. What the record says of this is
 * compared and never used. Terms are kept with the parameters opened: a `Group` has one local for each parameter, and all
 * its locals have different numbers. (Dybjer, Inductive Families, 1994; Carneiro, The Type Theory of Lean, 2019; nested
 * types as in nested.cjs.)
 */
const { refuse, tick } = require('./limits.cjs');
const { child } = require('./name.cjs');
const Level = require('./level.cjs');
const T = require('./term.cjs');
const Env = require('./environment.cjs');
const Infer = require('./infer.cjs');
const Reduce = require('./reduce.cjs');
const Equal = require('./equal.cjs');
const Literal = require('./literal.cjs');
const Nested = require('./nested.cjs');

const { SORT, CONST, APP, PI, LAM, LET, PROJ, head, args, apply, instantiate, closePi, closeLam } = T;

/** The types that are declared together, the auxiliary ones included. */
class Group {
  constructor(levelParams, numParams) {
    this.levelParams = levelParams;
    this.levels = Level.list(levelParams.map(Level.param));
    this.numParams = numParams;
    this.params = [];
    this.members = [];
    this.byName = new Map();
    this.level = null;                       // of the sort the types live in
    this.depth = 0;
    this.occurs = (t) => T.some(t, (part) => (part.kind === CONST || part.kind === PROJ) && this.byName.has(part.a));
  }

  variable(type) { return T.local(this.depth++, type); }

  /**
   * A type: its former with the parameters opened, and the constructors, likewise. `nested`: what it stands for, if it is
   * auxiliary. From now on it is a constant, of which nothing is known but the type.
   */
  addMember({ name, former, ctors, nested }) {
    const member = { name, former, ctors, nested, constant: T.constant(name, this.levels), indices: [] };
    this.members.push(member);
    this.byName.set(name, member);
    const type = closePi(this.params, former);
    let t = binderForm(former);
    while (t.kind === PI) {
      const index = this.variable(t.a);
      member.indices.push(index);
      t = binderForm(instantiate(t.b, [index]));
    }
    if (t.kind !== SORT) refuse(`the type of ${name} does not end in a sort`);
    if (this.level === null) this.level = t.a;
    else if (!Level.equal(this.level, t.a)) refuse('inductive types declared together live in different universes');
    Env.add(new Env.Constant('inductive', name, this.levelParams, type,
      { ctors: [], group: [name], numParams: this.numParams, numIndices: member.indices.length }));
    return member;
  }
}

/**
 * The type of a type former is read with beta, zeta and unfolding only. A sort that took a recursor to reach might be stuck
 * for other arguments that are as well typed (lean-kernel-arena: proj-of-subst-prop, rec-of-subst-prop).
 */
function binderForm(t) {
  for (;;) {
    tick();
    const f = head(t);
    if (t.kind === LET) t = Reduce.withoutLets(t);
    else if (f.kind === LAM && t.kind === APP) t = T.betaApply(f, args(t));
    else if (f.kind === LET) t = T.betaApply(Reduce.withoutLets(f), args(t));
    else {
      const next = Reduce.unfold(t);
      if (next === null) return t;
      t = next;
    }
  }
}

// ------------------------------------------------------------------------------------------------------------ the record

const same = (xs, ys) => xs.length === ys.length && xs.every((x, i) => x === ys[i]);
const must = (holds, what) => { if (!holds) refuse(what); };

/** What has to agree within the record before anything is computed. */
function checkRecord({ types, ctors, recs }) {
  must(types.length > 0, 'an inductive declaration without a type');
  const [{ levelParams, numParams }] = types, names = types.map((t) => t.name);
  for (const t of types) {
    must(same(t.levelParams, levelParams) && t.numParams === numParams && same(t.all, names), `${t.name}: the types declared together differ`);
    must(same(t.ctors, ctors.filter((c) => c.induct === t.name).map((c) => c.name)), `${t.name}: the list of constructors is wrong`);
  }
  for (const c of ctors) must(names.includes(c.induct) && same(c.levelParams, levelParams), `${c.name}: a constructor of another type`);
  const all = [...names, ...ctors.map((c) => c.name), ...recs.map((r) => r.name)];
  all.forEach((name) => Env.checkName(name));
  must(new Set(all).size === all.length, 'a name is declared twice');
}

// --------------------------------------------------------------------------------------------- formers and constructors

function openFormers(group, types) {
  for (const t of types) Infer.sortOf(t.type, true);         // before any is known: no former mentions the types
  types.forEach((t, number) => {
    let { type } = t;
    for (let i = 0; i < group.numParams; i++) {
      type = binderForm(type);
      must(type.kind === PI, `${t.name} has fewer parameters than is said`);
      if (number === 0) group.params.push(group.variable(type.a));
      else must(Equal.isDefEq(type.a, group.params[i].a), 'inductive types declared together have different parameters');
      type = instantiate(type.b, [group.params[i]]);
    }
    group.addMember({ name: t.name, former: type, ctors: [], nested: null });
  });
}

function openConstructors(group, ctors) {
  for (const c of ctors) {
    Infer.sortOf(c.type, true);
    let { type } = c;
    for (const p of group.params) {
      must(type.kind === PI && !group.occurs(type.a) && Equal.isDefEq(type.a, p.a), `${c.name}: the parameters are not those of the type`);
      type = instantiate(type.b, [p]);
    }
    checkUniform(group, type, c.name);
    group.byName.get(c.induct).ctors.push({ name: c.name, type, nested: null, stands: c.name });
  }
}

/** Every occurrence of the types has the declaration's own levels and parameters, be it in a place that matters or not. */
function checkUniform(group, type, name) {
  T.rewrite(type, (t) => {
    if (t.kind === PROJ) must(!group.byName.has(t.a), `${name}: a projection out of the type that is being declared`);
    const f = head(t);
    if (f.kind !== CONST || !group.byName.has(f.a)) return undefined;
    const given = args(t);
    must(f === group.byName.get(f.a).constant && given.length >= group.numParams && group.params.every((p, i) => given[i] === p),
      `${name}: ${f.a} occurs with other parameters or levels`);
    given.slice(group.numParams).forEach((x) => checkUniform(group, x, name));
    return t;
  });
}

/** The member and the indices, if this is one of the types with its parameters, and indices in which none of them occurs. */
function memberApplication(group, t) {
  const f = head(t), member = f.kind === CONST ? group.byName.get(f.a) : undefined;
  if (member === undefined || f !== member.constant) return null;
  const given = args(t), indices = given.slice(group.numParams);
  if (!group.params.every((p, i) => given[i] === p) || indices.length !== member.indices.length || indices.some(group.occurs)) return null;
  return { member, indices };
}

/** A field's type: null where none of the types occurs in it, else what it is a function of, and which type it ends in. */
function recursiveArgument(group, type, name) {
  const xs = [];
  for (let t = Reduce.whnf(type); ;) {
    if (!group.occurs(t)) return null;
    if (t.kind !== PI) {
      const found = memberApplication(group, t);
      must(found !== null, `${name}: an occurrence of the type that is not allowed`);
      return { xs, ...found };
    }
    must(!group.occurs(t.a), `${name}: a non-positive occurrence of the type`);
    const x = group.variable(t.a);
    xs.push(x);
    t = Reduce.whnf(instantiate(t.b, [x]));
  }
}

/** Fields, their levels, positivity, the result. The classification of a field is made once and used for all that follows. */
function readFields(group, member, ctor) {
  let t = ctor.type;
  ctor.fields = [];
  while (t.kind === PI) {
    const level = Infer.sortOf(t.a);
    must(Level.isZero(group.level) || Level.atMost(level, group.level), `${ctor.name}: a field's universe is too high`);
    const field = group.variable(t.a);
    ctor.fields.push({ variable: field, level, recursive: recursiveArgument(group, t.a, ctor.name) });
    t = instantiate(t.b, [field]);
  }
  const result = memberApplication(group, t);
  must(result !== null && result.member === member, `${ctor.name} does not end in its type`);
  ctor.indices = result.indices;
  ctor.variables = ctor.fields.map((f) => f.variable);
}

/** May the recursors eliminate into all universes? For what may be a proposition only if it has at most one proof, visibly. */
function eliminatesLargely({ level, members }) {
  if (Level.isNeverZero(level)) return true;
  if (members.length > 1 || members[0].ctors.length > 1) return false;
  return members[0].ctors.every((c) => c.fields.every((f) => Level.isZero(f.level) || c.indices.includes(f.variable)));
}

// -------------------------------------------------------------------------------------------------------------- recursors

/** All recursors with their rules, closed, and for each rule the type it has to have. */
function makeRecursors(group, elimination, recLevels) {
  const { params, members } = group;
  const main = members[0].name;
  let aux = 0;
  for (const m of members) {
    m.recursor = m.nested === null ? child(m.name, 'rec') : child(main, `rec_${++aux}`);
    m.major = group.variable(apply(apply(m.constant, params), m.indices));
    m.motive = group.variable(closePi([...m.indices, m.major], T.sort(elimination)));
  }
  const motives = members.map((m) => m.motive), minors = [];
  for (const m of members) {
    for (const c of m.ctors) {
      const hypotheses = c.fields.filter((f) => f.recursive !== null).map((f) => {
        const { xs, member, indices } = f.recursive;
        return group.variable(closePi(xs, T.app(apply(member.motive, indices), apply(f.variable, xs))));
      });
      c.made = apply(apply(T.constant(c.name, group.levels), params), c.variables);
      c.result = T.app(apply(m.motive, c.indices), c.made);
      minors.push(c.minor = group.variable(closePi([...c.variables, ...hypotheses], c.result)));
    }
  }
  const finish = (close, locals, body) => close(params, Nested.restore(group, close(locals, body)));
  const rule = (c) => {
    const calls = c.fields.filter((f) => f.recursive !== null).map((f) => {
      const { xs, member, indices } = f.recursive;
      const call = [params, motives, minors, indices, [apply(f.variable, xs)]].reduce((g, list) => apply(g, list), T.constant(member.recursor, recLevels));
      return closeLam(xs, call);
    });
    const locals = [...motives, ...minors, ...c.variables];
    return {
      ctor: c.stands, numFields: c.fields.length,
      value: finish(closeLam, locals, apply(apply(c.minor, c.variables), calls)), type: finish(closePi, locals, c.result),
    };
  };
  const k = members.length === 1 && Level.isZero(group.level) && members[0].ctors.length === 1 && members[0].ctors[0].fields.length === 0;
  return members.map((m) => ({
    name: m.recursor, inductive: m.nested === null ? m.name : head(m.nested).a,
    type: finish(closePi, [...motives, ...minors, ...m.indices, m.major], T.app(apply(m.motive, m.indices), m.major)),
    numIndices: m.indices.length, numMotives: motives.length, numMinors: minors.length, rules: m.ctors.map(rule), k,
  }));
}

function compareRecursor(group, names, levelParams, made, said) {
  const { name } = made;
  must(same(said.levelParams, levelParams), `${name}: the universe parameters are not those of the recursor`);
  must(same(said.all, names) && said.numParams === group.numParams && said.numIndices === made.numIndices
    && said.numMotives === made.numMotives && said.numMinors === made.numMinors, `${name}: a number is not that of the recursor`);
  must(said.k === made.k, `${name}: K is ${made.k} for this type`);
  const agree = (ours, theirs) => ours === theirs || Equal.isDefEq(Infer.check(ours), Infer.check(theirs)) && Equal.isDefEq(ours, theirs);
  must(agree(made.type, said.type), `${name}: the type is not that of the recursor`);
  must(said.rules.length === made.rules.length, `${name}: the number of rules is wrong`);
  made.rules.forEach((rule, i) => {
    const other = said.rules[i];
    must(other.ctor === rule.ctor && other.nfields === rule.numFields, `${name}: the rule for ${rule.ctor} is missing`);
    must(agree(rule.value, other.rhs), `${name}: the rule for ${rule.ctor} is not that of the recursor`);
  });
}

// ------------------------------------------------------------------------------------------------------------ declaration

/** Check an inductive declaration and add its types, constructors and recursors. */
function declare(record) {
  checkRecord(record);
  const { types, ctors, recs } = record, { levelParams, numParams } = types[0], names = types.map((t) => t.name);
  const group = new Group(levelParams, numParams), start = Env.mark();

  // The declaration as it stands is checked before anything is taken apart: also what the auxiliary types leave out.
  Infer.begin(levelParams);
  openFormers(group, types);
  openConstructors(group, ctors);
  Nested.eliminate(group);
  const nested = group.members.length - types.length;
  for (const m of group.members) {
    for (const c of m.ctors) {
      if (nested > 0) Infer.sortOf(c.type, true);
      readFields(group, m, c);
    }
  }

  const fields = group.members.flatMap((m) => m.ctors.flatMap((c) => c.variables.map((v) => v.a)));
  const isRec = fields.some(group.occurs), isReflexive = fields.some((t) => t.kind === PI && group.occurs(t));
  const large = eliminatesLargely(group), [universe] = large && recs.length > 0 ? recs[0].levelParams : [];
  if (large) must(universe !== undefined && !levelParams.includes(universe), `${names[0]}: the recursor lacks its universe parameter`);
  const recParams = large ? [universe, ...levelParams] : levelParams;
  const recursors = makeRecursors(group, large ? Level.param(universe) : Level.zero, Level.list(recParams.map(Level.param)));

  // From here on there are only the real constants.
  Env.rollBack(start);
  const added = types.map((t) => {
    const m = group.byName.get(t.name), numIndices = m.indices.length;
    must(t.numIndices === numIndices, `${t.name} has ${numIndices} indices`);
    must(t.numNested === nested, `${t.name} has ${nested} nested occurrences`);
    must(t.isRec === isRec && t.isReflexive === isReflexive, `${t.name}: isRec or isReflexive is wrong`);
    return Env.add(new Env.Constant('inductive', t.name, levelParams, t.type, { ctors: t.ctors, group: names, numParams, numIndices }));
  });
  for (const t of types) {
    t.ctors.forEach((name, i) => {
      const c = ctors.find((other) => other.name === name), numFields = group.byName.get(t.name).ctors[i].fields.length;
      must(c.cidx === i && c.numParams === numParams && c.numFields === numFields, `${name}: cidx, numParams or numFields is wrong`);
      Env.add(new Env.Constant('ctor', name, levelParams, c.type, { inductive: t.name, numParams, numFields }));
    });
  }
  for (const r of recursors) {
    Env.add(new Env.Constant('rec', r.name, recParams, r.type, {
      ...r, numParams, rules: new Map(r.rules.map((rule) => [rule.ctor, { numFields: rule.numFields, value: rule.value }])),
    }));
  }
  added.forEach((c) => { c.isStructure = c.ctors.length === 1 && c.numIndices === 0 && !isRec; });
  added.forEach(Literal.recognise);

  // What was made is checked again as if it came from outside, and compared with what the record says.
  Infer.begin(recParams);
  must(recs.length === recursors.length, `${names[0]} has ${recursors.length} recursors`);
  for (const r of recursors) {
    const said = recs.find((other) => other.name === r.name);
    must(said !== undefined, `the recursor ${r.name} is missing`);
    Infer.sortOf(r.type, true);
    for (const rule of r.rules) must(Equal.isDefEq(Infer.check(rule.value), rule.type), `${r.name}: an ill-typed rule`);
    compareRecursor(group, names, recParams, r, said);
  }
}

module.exports = { declare };
