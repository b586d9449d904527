'use strict';
/*
 * What has been declared. There is one environment a process; a declaration that is refused leaves nothing behind.
 */
const { refuse } = require('./limits.cjs');
const { anonymous, named, root } = require('./name.cjs');
const { instantiateLevels, retain } = require('./term.cjs');

/** A constant. The fields after `rank` are there for all kinds, null where they mean nothing, so that all look alike. */
class Constant {
  constructor(kind, name, levelParams, type, more = {}) {
    this.kind = kind;                                   // axiom assumed def thm opaque quot inductive ctor rec
    this.name = name;
    this.levelParams = levelParams;
    this.type = type;
    this.value = more.value || null;                    // what the constant unfolds to
    this.rank = more.rank === undefined ? -1 : more.rank;  // the higher one of two constants is unfolded first
    this.fast = null;                                   // literal.cjs: computes the function on literals
    this.inductive = more.inductive || null;            // the inductive type of a constructor or of a recursor
    this.ctors = more.ctors || null;                    // inductive: the constructors' names
    this.numParams = more.numParams || 0;
    this.numIndices = more.numIndices || 0;
    this.numFields = more.numFields || 0;               // ctor
    this.numMotives = more.numMotives || 0;             // rec
    this.numMinors = more.numMinors || 0;
    this.rules = more.rules || null;                    // rec: constructor's name -> { numFields, value }
    this.k = more.k === true;                           // rec: any proof of the right type reduces
    this.isStructure = false;                           // inductive: has eta
    this.hasLiterals = false;                           // inductive: is Nat, see literal.cjs
    this.group = more.group || null;                    // inductive: the names of the types declared together
    this.quot = more.quot || null;                      // quot: type ctor lift ind
  }
}

const constants = new Map();
let added = [];

const find = (name) => constants.get(name);

function get(name) {
  const found = constants.get(name);
  return found === undefined ? refuse(`unknown constant ${name}`) : found;
}

/** Only quotient.cjs declares these. */
const QUOTIENT = ['Quot', 'Quot.mk', 'Quot.lift', 'Quot.ind'].map(named);

/** May something of this name be declared? */
function checkName(name, asQuotient = false) {
  if (name === anonymous) refuse('a declaration without a name');
  if (QUOTIENT.includes(name) !== asQuotient) refuse(`${name}: the names of the quotients are theirs`);
  if (root(name) === '_nested') refuse(`${name}: names that begin with _nested are reserved`);
  if (constants.has(name)) refuse(`${name} is already declared`);
}

function add(constant) {
  if (constants.has(constant.name)) refuse(`${constant.name} is already declared`);
  constants.set(constant.name, constant);
  added.push(constant.name);
  return constant;
}

/** Everything added since is gone. */
function rollBack(mark) {
  while (added.length > mark) constants.delete(added.pop());
}

const mark = () => added.length;

/** What was added stays: its terms survive a sweep. */
function commit(from) {
  for (let i = from; i < added.length; i++) {
    const c = constants.get(added[i]);
    retain(c.type);
    if (c.value !== null) retain(c.value);
    if (c.rules !== null) for (const rule of c.rules.values()) retain(rule.value);
  }
}

const typeOf = (constant, levels) => instantiateLevels(constant.type, constant.levelParams, levels);
const valueOf = (constant, levels) => instantiateLevels(constant.value, constant.levelParams, levels);

module.exports = { Constant, find, get, checkName, add, rollBack, mark, commit, typeOf, valueOf };
