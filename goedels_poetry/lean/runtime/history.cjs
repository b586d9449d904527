'use strict';
/*
 * What texts that were elaborated have in common with the next one. As in Lean's own server, what stands before the first
 * difference is not elaborated again: Lean's states are persistent values. The last command before the difference is, since
 * where it ends may depend on what follows; and so is everything from the first error on.
 */
const MOST_TEXTS = 4;

function histories({ inc, dec }) {
  const texts = [];                          // {key, bytes, steps}, the newest first
  const commonLength = (a, b) => { const most = Math.min(a.length, b.length); let n = 0; while (n < most && a[n] === b[n]) n++; return n; };

  /** A command that went well, and where it ends; owns command, before and after, the states of the front end around it. */
  const step = (command, before, after, end, said) => ({ command, before, after: inc(after), end, said });
  const hold = ({ command, before, after }) => [command, before, after].forEach(inc);
  const drop = ({ command, before, after }) => [command, before, after].forEach(dec);

  const again = (known) => { hold(known); return known; };

  /** The steps of an older text that a text begins with, borrowed. `key`: of its imports and options. */
  function shared({ key, bytes }) {
    let found = [];
    for (const old of texts) {
      if (old.key !== key) continue;
      const common = commonLength(old.bytes, bytes), after = old.steps.findIndex((s) => s.end > common);
      const most = (after < 0 ? old.steps.length : after) - 1;
      if (most > found.length) found = old.steps.slice(0, most);
    }
    return found;
  }
  /** Remember the steps of a text; takes them. */
  function keep({ key, bytes }, steps) {
    const same = texts.findIndex((old) => old.key === key && old.bytes.length === bytes.length && commonLength(old.bytes, bytes) === bytes.length);
    texts.unshift({ key, bytes, steps });
    if (same >= 0 || texts.length > MOST_TEXTS) texts.splice(same < 0 ? MOST_TEXTS : same + 1, 1)[0].steps.forEach(drop);
  }
  return { step, again, shared, keep };
}
module.exports = { histories };
