'use strict';
/*
 * Quotients: Quot, Quot.mk, Quot.lift and Quot.ind have fixed types. What makes Quot.lift sound is that Eq, of which the
 * type of Quot.lift speaks, is equality; so that is looked at as well. The four may come in any order, as their types are
 * known beforehand: nothing can be said with one of them before those are there that its type mentions.
 */
const { refuse } = require('./limits.cjs');
const { named } = require('./name.cjs');
const Level = require('./level.cjs');
const T = require('./term.cjs');
const Env = require('./environment.cjs');

const { bvar, pi, sort, apply } = T;
const KINDS = new Map([['type', 'Quot'], ['ctor', 'Quot.mk'], ['lift', 'Quot.lift'], ['ind', 'Quot.ind']].map(([k, n]) => [k, named(n)]));
const constant = (name, ...levels) => T.constant(named(name), Level.list(levels));
const Prop = sort(Level.zero);

function checkEquality() {
  const Eq = Env.find(named('Eq'));
  if (Eq === undefined || Eq.kind !== 'inductive' || Eq.levelParams.length !== 1 || Eq.ctors.length !== 1) refuse('quotients need Eq');
  const u = Level.param(Eq.levelParams[0]), refl = Env.get(Eq.ctors[0]);
  const type = pi(sort(u), pi(bvar(0), pi(bvar(1), Prop)));
  const reflType = pi(sort(u), pi(bvar(0), apply(constant('Eq', u), [bvar(1), bvar(0), bvar(0)])));
  if (Eq.type !== type || refl.type !== reflType) refuse('quotients need Eq to be equality');
}

/** The type for each kind; in the comments the context, the innermost variable last. */
function expectedType(kind, [u, v]) {
  const relation = pi(bvar(0), pi(bvar(1), Prop));                          // α
  const quot = (alpha, r) => apply(constant('Quot', u), [alpha, r]);
  const mk = (alpha, r, a) => apply(constant('Quot.mk', u), [alpha, r, a]);
  switch (kind) {
    case 'type': return pi(sort(u), pi(relation, sort(u)));
    case 'ctor': return pi(sort(u), pi(relation, pi(bvar(1), quot(bvar(2), bvar(1)))));                      // α r a
    case 'ind': {
      const motive = pi(quot(bvar(1), bvar(0)), Prop);                                                       // α r
      const all = pi(bvar(2), T.app(bvar(1), mk(bvar(3), bvar(2), bvar(0))));                                // α r β (a)
      return pi(sort(u), pi(relation, pi(motive, pi(all, pi(quot(bvar(3), bvar(2)), T.app(bvar(2), bvar(0)))))));   // α r β h q
    }
    default: {
      const f = pi(bvar(2), bvar(1));                                                                        // α r β (a)
      const equal = apply(constant('Eq', v), [bvar(4), T.app(bvar(3), bvar(2)), T.app(bvar(3), bvar(1))]);   // α r β f a b (h)
      const respects = pi(bvar(3), pi(bvar(4), pi(apply(bvar(4), [bvar(1), bvar(0)]), equal)));
      return pi(sort(u), pi(relation, pi(sort(v), pi(f, pi(respects, pi(quot(bvar(4), bvar(3)), bvar(3)))))));      // α r β f h q
    }
  }
}

function declare({ name, levelParams, type, kind }) {
  Env.checkName(name, true);
  if (KINDS.get(kind) !== name) refuse(`${name} is not the quotient's ${kind}`);
  if (levelParams.length !== (kind === 'lift' ? 2 : 1)) refuse(`${name}: the number of universe parameters is wrong`);
  checkEquality();
  if (type !== expectedType(kind, levelParams.map(Level.param))) refuse(`${name} has another type`);
  if (new Set(levelParams).size !== levelParams.length) refuse('a universe parameter is declared twice');
  Env.add(new Env.Constant('quot', name, levelParams, type, { quot: kind }));
}

module.exports = { declare };
