'use strict';
/*
 * Declarations, one after the other: what is allowed where, what is checked, and the verdict on each.
 */
const { Refused, Undecided, refuse, allow } = require('./limits.cjs');
const Level = require('./level.cjs');
const T = require('./term.cjs');
const Env = require('./environment.cjs');
const Infer = require('./infer.cjs');
const Equal = require('./equal.cjs');
const Arithmetic = require('./arithmetic.cjs');
const Inductive = require('./inductive.cjs');
const Quotient = require('./quotient.cjs');

const MANY_TERMS = 400000;

class Session {
  /** `heard` is called with the moment at which the present check ends, and in mode each with every verdict. */
  constructor(settings, heard) {
    this.inLibrary = true;
    this.each = settings.mode === 'each';
    this.seconds = settings.seconds;
    this.secondsEach = settings.secondsEach;
    this.premises = new Set(settings.premises);
    this.known = new Set(settings.checked);
    this.counts = { candidate: 0, library: 0, assumed: 0, skipped: 0 };
    this.current = null;                      // the name of the declaration that is being read or checked
    this.heard = heard;
    heard({ deadline: allow(this.seconds) });
  }

  section(name) {
    if (name !== 'candidate') refuse(`no section is called ${name}`);
    if (!this.inLibrary) refuse('a second section');
    this.inLibrary = false;
  }

  /** Read, check and add a declaration; in mode each, say what became of it and go on as if it had not been there. */
  declare(kind, readRecord) {
    if (this.inLibrary || !this.each) { this.judge(kind, readRecord()); return; }
    const start = Env.mark();
    let verdict = 'accepted', reason = '';
    this.heard({ deadline: allow(this.secondsEach), started: this.current });
    try { this.judge(kind, readRecord()); } catch (e) { ({ verdict, reason } = outcome(e)); }
    Env.rollBack(start);
    this.heard({ deadline: allow(this.seconds), declaration: this.current, verdict, reason });
  }

  judge(kind, record) {
    const start = Env.mark();
    if (!this.inLibrary) this.checkAllowed(kind, String(record.name));
    const skipped = this.inLibrary && kind !== 'inductive' && kind !== 'quot' && this.known.has(String(record.name));
    if (kind === 'inductive') Inductive.declare(record);
    else if (kind === 'quot') Quotient.declare(record);
    else {
      const constant = declareConstant(kind, record, skipped);
      Arithmetic.consider(constant, this.inLibrary);
    }
    if (skipped) this.counts.skipped++;
    else if (kind === 'assumed') this.counts.assumed++;
    else if (this.inLibrary) this.counts.library++;
    else this.counts.candidate++;
    if (this.inLibrary || !this.each) Env.commit(start);
    T.sweep(MANY_TERMS);
  }

  /** A stranger may not assume anything but the premises. */
  checkAllowed(kind, name) {
    if (kind === 'assumed' || kind === 'quot') refuse(`${name}: not for a candidate to declare`);
    if ((kind === 'axiom' || kind === 'opaque') && !this.premises.has(name)) refuse(`${name}: an ${kind} that is no premise`);
  }
}

/** Axioms, assumed constants, definitions, theorems, opaque constants. */
function declareConstant(kind, record, skipped) {
  const { name, levelParams, type } = record, value = record.value || null;
  Env.checkName(name);
  Infer.begin(levelParams);
  if (!skipped) {
    const level = Infer.sortOf(type, true);
    const isTheorem = kind === 'thm' || (kind === 'assumed' && record.assumedKind === 'thm');
    if (isTheorem && !Level.isZero(level)) refuse(`${name}: a theorem whose type is no proposition`);
    if (value !== null && !Equal.isDefEq(Infer.check(value), type)) refuse(`${name}: the value has another type than is said`);
  }
  // Theorems unfold, last of all: the accessibility proof of a well-founded recursion may be one.
  const unfolds = kind === 'def' || kind === 'thm';
  return Env.add(new Env.Constant(kind, name, levelParams, type, { value: unfolds ? value : null, rank: record.rank }));
}

/** What an exception says about the declaration. A kernel that ran out of stack, or has a fault, has decided nothing. */
function outcome(e) {
  if (e instanceof Refused) return { verdict: 'refused', reason: e.message };
  if (e instanceof Undecided) return { verdict: 'undecided', reason: e.message };
  if (e instanceof RangeError) return { verdict: 'undecided', reason: 'out of stack or memory' };
  return { verdict: 'undecided', reason: `a fault of the kernel: ${e && e.message}` };
}

module.exports = { Session, outcome };
