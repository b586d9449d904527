'use strict';
/*
 * Nested inductive types: a constructor takes, say, a List of the type that is being declared.
 *
 * As in Lean, the application `List (Tree a)` becomes an auxiliary type of the same mutual declaration, with copies of the
 * constructors of List, until no such application is left; the recursors are made for all types together, and in them the
 * auxiliary types and constructors are then read as the applications they stand for. The auxiliary names are in no name
 * table, so nothing that was read can mention them.
 */
const { refuse, giveUp } = require('./limits.cjs');
const { unheardOf } = require('./name.cjs');
const T = require('./term.cjs');
const Env = require('./environment.cjs');
const Reduce = require('./reduce.cjs');

const { PI, CONST, APP, head, args, apply } = T;
const MOST_TYPES = 500;

/** What is left of a function type for these arguments. */
function codomain(type, given) {
  for (const x of given) {
    if (type.kind !== PI) type = Reduce.whnf(type);
    if (type.kind !== PI) refuse('a nested occurrence with too many parameters');
    type = T.instantiate(type.b, [x]);
  }
  return type;
}

/** Replace the nested occurrences in the constructors of all members, adding auxiliary members to the group. */
function eliminate(group) {
  const auxiliary = new Map();                   // application to parameters -> member

  function register(inductive, levels, given) {
    for (const name of inductive.group) {
      const J = Env.get(name);
      if (group.members.length >= MOST_TYPES) giveUp('too many nested occurrences');
      const nested = apply(T.constant(name, levels), given);
      const member = group.addMember({
        name: unheardOf(`(nested ${name})`), former: codomain(Env.typeOf(J, levels), given), nested,
        ctors: J.ctors.map((ctor) => ({
          name: unheardOf(`(nested ${ctor})`), nested: apply(T.constant(ctor, levels), given), stands: ctor,
          type: codomain(Env.typeOf(Env.get(ctor), levels), given),
        })),
      });
      auxiliary.set(nested, member);
    }
  }

  function step(t) {
    if (t.kind !== APP) return undefined;
    const f = head(t);
    if (f.kind !== CONST || group.byName.has(f.a)) return undefined;
    const inductive = Env.get(f.a), given = args(t);
    if (inductive.kind !== 'inductive' || given.length < inductive.numParams) return undefined;
    const parameters = given.slice(0, inductive.numParams);
    if (!parameters.some(group.occurs)) return undefined;
    if (parameters.some((d) => d.loose > 0)) refuse(`a nested occurrence in ${f.a} whose parameters depend on fields`);
    const key = apply(f, parameters);
    if (!auxiliary.has(key)) register(inductive, f.b, parameters);
    return apply(apply(auxiliary.get(key).constant, group.params), given, inductive.numParams);
  }

  for (let i = 0; i < group.members.length; i++)           // grows on the way
    for (const ctor of group.members[i].ctors) ctor.type = T.rewrite(ctor.type, step);
}

/** The term with what the auxiliary types and constructors stand for in their places. */
function restore(group, term) {
  const stands = new Map();
  for (const member of group.members) {
    if (member.nested === null) continue;
    stands.set(member.name, member.nested);
    for (const ctor of member.ctors) stands.set(ctor.name, ctor.nested);
  }
  if (stands.size === 0) return term;
  const visit = (t) => T.rewrite(t, (part) => {
    const f = head(part);
    if (f.kind !== CONST || !stands.has(f.a)) return undefined;
    const given = args(part);
    if (given.length < group.params.length || group.params.some((p, i) => given[i] !== p)) refuse('an auxiliary type without its parameters');
    return apply(stands.get(f.a), given.slice(group.params.length).map(visit));
  });
  return visit(term);
}

module.exports = { eliminate, restore };
