'use strict';
/*
 * Which functions on Nat may be computed on literals.
 *
 * A function is approved if its defining equations hold definitionally, with variables for the arguments: by induction it
 * then agrees with the computation on all numbers. Functions whose equations speak of a decision of the order (division)
 * are approved for the library only, where the order is known to be the order; and what the library only assumes, without
 * a value, is approved by its type. Everything else is computed by unfolding, however long that takes.
 */
const { Refused, giveUp } = require('./limits.cjs');
const { named } = require('./name.cjs');
const Level = require('./level.cjs');
const T = require('./term.cjs');
const Env = require('./environment.cjs');
const Infer = require('./infer.cjs');
const Equal = require('./equal.cjs');
const { hasNat, Nat, zero, succ, yes, no } = require('./literal.cjs');

const MOST_BITS = 2 ** 24;

const bits = (n) => n.toString(16).length * 4;
const sized = (size) => { if (size > MOST_BITS) giveUp('a number with too many digits'); };
const small = (n) => { if (n > MOST_BITS) giveUp('a number with too many digits'); return n; };
const gcd = (m, n) => { while (m > 0n) [m, n] = [n % m, m]; return n; };

const S = (n) => T.app(succ, n);
const [one, two] = T.keep(() => [S(zero), S(S(zero))]);
const call = (name, ...xs) => T.apply(T.constant(named(name), Level.none), xs);
const at1 = (name) => T.constant(named(name), Level.list([Level.one]));
/** if a <= b then `then` else `otherwise`, both numbers, as Lean writes it with and without the proofs. */
const dite = (holds, decided, then, otherwise) =>
  T.apply(at1('dite'), [Nat, holds, decided, T.lam(holds, then), T.lam(call('Not', holds), otherwise)]);
const ite = (holds, decided, then, otherwise) => T.apply(at1('ite'), [Nat, holds, decided, then, otherwise]);
const le = (a, b) => [call('Nat.le', a, b), call('Nat.decLe', a, b)];
const positive = (n) => [call('Nat.lt', zero, n), call('Nat.decLt', zero, n)];

/**
 * For each function: how it is computed; the functions that have to be approved before; the other constants its equations
 * mention; and the equations, pairs of terms for given variables. `variable` makes another one, of the type given.
 */
const functions = new Map(Object.entries({
  'Nat.add': {
    compute: (m, n) => m + n,
    equations: (f, x, y) => [[f(x, zero), x], [f(x, S(y)), S(f(x, y))]],
  },
  'Nat.sub': {
    compute: (m, n) => (m < n ? 0n : m - n),
    mentions: ['Nat.pred'],
    equations: (f, x, y) => [[call('Nat.pred', zero), zero], [call('Nat.pred', S(x)), x],
      [f(x, zero), x], [f(x, S(y)), call('Nat.pred', f(x, y))]],
  },
  'Nat.mul': {
    compute: (m, n) => { sized(bits(m) + bits(n)); return m * n; },
    after: ['Nat.add'],
    equations: (f, x, y) => [[f(x, zero), zero], [f(x, S(y)), call('Nat.add', f(x, y), x)]],
  },
  'Nat.pow': {
    compute: (m, n) => { if (m > 1n) sized(bits(m) * Number(small(n))); return m ** n; },
    after: ['Nat.mul'],
    equations: (f, x, y) => [[f(x, zero), one], [f(x, S(y)), call('Nat.mul', f(x, y), x)]],
  },
  'Nat.beq': {
    compute: (m, n) => m === n, decides: true,
    equations: (f, x, y) => [[f(zero, zero), yes], [f(zero, S(y)), no], [f(S(x), zero), no], [f(S(x), S(y)), f(x, y)]],
  },
  'Nat.ble': {
    compute: (m, n) => m <= n, decides: true,
    equations: (f, x, y) => [[f(zero, zero), yes], [f(zero, S(y)), yes], [f(S(x), zero), no], [f(S(x), S(y)), f(x, y)]],
  },
  'Nat.shiftLeft': {
    compute: (m, n) => { if (m > 0n) sized(bits(m) + Number(small(n))); return m === 0n ? m : m << n; },
    after: ['Nat.mul'],
    equations: (f, x, y) => [[f(x, zero), x], [f(x, S(y)), f(call('Nat.mul', two, x), y)]],
  },
  // Division counts down a number that is larger than the dividend.
  'Nat.div': {
    compute: (m, n) => (n === 0n ? 0n : m / n), libraryOnly: true,
    after: ['Nat.sub'], mentions: ['Nat.div.go', 'Nat.decLt', 'Nat.decLe', 'dite', 'Not'],
    equations: (f, x, y, variable) => {
      const go = (...xs) => call('Nat.div.go', ...xs), n = variable(Nat), [holds, decided] = positive(y);
      const h = variable(holds), enough = variable(call('Nat.lt', x, S(n))), left = variable(call('Nat.lt', call('Nat.sub', x, y), n));
      return [[f(x, y), dite(holds, decided, zero, zero), (t) => underCase(t, 3, variable, (p) => go(y, p, S(x), x, variable(call('Nat.lt', x, S(x)))))],
        [go(y, h, S(n), x, enough), dite(...le(y, x), S(go(y, h, n, call('Nat.sub', x, y), left)), zero)]];
    },
  },
  'Nat.mod': {
    compute: (m, n) => (n === 0n ? m : m % n), libraryOnly: true,
    after: ['Nat.sub'], mentions: ['Nat.modCore', 'Nat.modCore.go', 'Nat.decLt', 'Nat.decLe', 'dite', 'ite', 'Not'],
    equations: (f, x, y, variable) => {
      const go = (...xs) => call('Nat.modCore.go', ...xs), n = variable(Nat), [holds, decided] = positive(y);
      const h = variable(holds), enough = variable(call('Nat.lt', x, S(n))), left = variable(call('Nat.lt', call('Nat.sub', x, y), n));
      return [[f(zero, y), zero],
        [f(S(x), y), ite(...le(y, S(x)), call('Nat.modCore', S(x), y), S(x))],
        [call('Nat.modCore', x, y), dite(holds, decided, zero, x),
          (t) => underCase(t, 3, variable, (p) => go(y, p, S(x), x, variable(call('Nat.lt', x, S(x)))))],
        [go(y, h, S(n), x, enough), ite(...le(y, x), go(y, h, n, call('Nat.sub', x, y), left), x)]];
    },
  },
  'Nat.shiftRight': {
    compute: (m, n) => (n >= BigInt(bits(m)) ? 0n : m >> n), libraryOnly: true,
    after: ['Nat.div'],
    equations: (f, x, y) => [[f(x, zero), x], [f(x, S(y)), call('Nat.div', f(x, y), two)]],
  },
  // These recur in ways that do not unfold with variables: approved only where the library assumes them.
  'Nat.gcd': { compute: gcd },
  'Nat.land': { compute: (m, n) => m & n },
  'Nat.lor': { compute: (m, n) => m | n },
  'Nat.xor': { compute: (m, n) => m ^ n },
  'Nat.log2': { compute: (n) => (n === 0n ? 0n : BigInt(n.toString(2).length - 1)) },
}).map(([name, f]) => [named(name), f]));

/** The term in which the body of the function that is argument number `i` is made from its variable. */
function underCase(t, i, variable, body) {
  const xs = T.args(t), p = variable(xs[i].a);
  xs[i] = T.closeLam([p], body(p));
  return T.apply(T.head(t), xs);
}

/** Called for every constant that has been declared: may it be computed? */
function consider(constant, inLibrary) {
  const f = functions.get(constant.name);
  if (f === undefined || !hasNat() || constant.levelParams.length > 0) return;
  const arity = f.compute.length;
  let type = f.decides ? T.constant(named('Bool'), Level.none) : Nat;
  for (let i = 0; i < arity; i++) type = T.pi(Nat, type);
  if (constant.type !== type) return;
  const approved = constant.kind === 'assumed' ? inLibrary
    : constant.kind === 'def' && f.equations !== undefined && (inLibrary || !f.libraryOnly) && equationsHold(constant, f);
  if (approved) constant.fast = { arity, compute: f.compute };
}

function equationsHold(constant, f) {
  for (const name of f.after || []) { const c = Env.find(named(name)); if (c === undefined || c.fast === null) return false; }
  for (const name of f.mentions || []) if (Env.find(named(name)) === undefined) return false;
  Infer.begin([]);
  let depth = 0;
  const variable = (type) => T.local(depth++, type);
  const x = variable(Nat), y = variable(Nat);
  const self = (...xs) => T.apply(T.constant(constant.name, Level.none), xs);
  try {
    return f.equations(self, x, y, variable).every(([left, right, finish]) => {
      const whole = finish === undefined ? right : finish(right);
      Infer.check(left); Infer.check(whole);
      return Equal.isDefEq(left, whole);
    });
  } catch (e) {
    if (e instanceof Refused) return false;      // a constant that the equations mention is not what it is in Lean's library
    throw e;
  }
}

module.exports = { consider };
