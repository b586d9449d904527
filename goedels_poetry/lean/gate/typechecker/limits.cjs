'use strict';
/*
 * The two ways in which a check ends without acceptance, and the clock.
 *
 * Refused: a rule of the type theory or of the format is broken. Undecided: time, memory, stack or a size limit ran out,
 * which says nothing about the declaration. They are caught where a verdict is given (declare.cjs, main.cjs), and once
 * where the answer is to be cautious (arithmetic.cjs), so that no half-finished comparison is taken for an answer.
 */

Error.stackTraceLimit = 0;                    // a trace of a deep recursion costs more than the check itself

class Refused extends Error {}
class Undecided extends Error {}

const refuse = (reason) => { throw new Refused(reason); };
const giveUp = (reason) => { throw new Undecided(reason); };

let steps = 0, deadline = Infinity;

/** Every loop and every recursion of the kernel passes through here. */
function tick() {
  if ((++steps & 2047) === 0 && performance.now() > deadline) giveUp('out of time');
}

/** From now on checks may take this many seconds; answers the moment at which they end. */
function allow(seconds) {
  deadline = performance.now() + seconds * 1000;
  return deadline;
}

module.exports = { Refused, Undecided, refuse, giveUp, tick, allow };
