'use strict';
/*
 * What of a stranger's text Lean elaborates at all: a quick refusal of what would only waste time, or confuse. It is no wall:
 * the process that elaborates is not believed, whatever it lets in.
 */
const SETTING = /^Lean\.Parser\.Tactic\.(valConfigItem|config)$/;
const SETTING_WORD = 'setting';
const LITERAL = /^(null|num|str|hygieneInfo|term_[-+*^]_|term\[_\]|Lean\.Parser\.Term\.(structInst\w*|dotIdent|optEllipsis|paren|hygienicLParen)|Lean\.Parser\.Tactic\.(valConfigItem|config)|group)$/;
const NAMING = new Set(['Lean.Parser.Term.dotIdent', 'Lean.Parser.Term.structInstLVal']);
const BOOLEAN = /^(true|false)$/;

function admissions(front) {
  let known = { text: null };
  /** The tokens of the commands of a text, whose commands may be repeated; elaborated before the stranger's are. */
  function reference(request) {
    if (known.text === request.reference) return known;
    const commands = [];
    const end = front.elaborate({ code: request.reference, fileName: request.fileName, options: request.options }, (c) => { commands.push(front.leaves(c).map((l) => l.text)); });
    front.release(end);
    known = { text: request.reference, commands };
    return known;
  }
  /**
   * Says of a command, as Lean has read it, why it is not elaborated, or null: it is one of the reference's; or it is made
   * of commands of request.kinds alone, on both sides of every `in`, without words of request.barred (".word": any part of
   * a name) but where the reference has them, before or after what differs, and its settings of tactics are literals.
   */
  function admission(request) {
    const theirs = reference(request).commands, barred = new Set(request.barred), kinds = new Set(request.kinds), same = new Set(theirs.map((words) => words.join('\0')));
    const isBarred = (word) => barred.has(word) || word.split('.').some((part) => barred.has(`.${part}`));
    return (command) => {
      const leaves = front.leaves(command), words = leaves.map((l) => l.text);
      if (same.has(words.join('\0'))) return null;
      const foreign = front.parts(command).find((part) => !kinds.has(part.kind));
      if (foreign) return { at: front.start(foreign.syntax), text: foreign.kind };
      let bad = leaves.flatMap((l, i) => (isBarred(l.text) ? [i] : []));
      for (const old of bad.length ? theirs : []) {
        const first = common((i) => words[i] === old[i], words, old), last = common((i) => words[words.length - 1 - i] === old[old.length - 1 - i], words, old);
        bad = bad.filter((i) => i >= first && i < words.length - last);
      }
      return bad.length ? { at: leaves[bad[0]].at, text: words[bad[0]] } : evaluated(command);
    };
  }
  /** `.pos [1]`, a constructor and its argument. */
  function occurrences(node, kind) {
    if (kind !== 'Lean.Parser.Term.app') return false;
    const head = front.leaves(front.children(node)[0]).map((l) => l.text).join('');
    return /^((Lean\.Meta\.)?Occurrences)?\.(pos|neg)$/.test(head);
  }
  /** A setting of a tactic that is more than a literal: `(maxSteps := f)` is a program, which Lean runs without checks. */
  function evaluated(command) {
    let found = null;
    front.visitNodes(command, (node, kind) => {
      if (found || !SETTING.test(kind)) return !found;
      const bad = program(node, false);
      if (bad) found = { at: front.start(bad), text: SETTING_WORD };
      return false;
    });
    return found;
  }
  /** The first piece of a setting that is no literal: identifiers name fields and constructors, nothing else. */
  function program(s, isName) {
    if (front.isIdentifier(s)) return isName || BOOLEAN.test(front.leaves(s)[0].text) ? null : s;
    const kind = front.kindOf(s);
    if (kind === '') return null;                              // an atom
    const constructor = occurrences(s, kind);
    if (!constructor && !LITERAL.test(kind)) return s;
    const named = NAMING.has(kind) ? () => true : SETTING.test(kind) ? (i) => i === 1 : constructor ? (i) => i === 0 : () => false;
    return front.children(s).reduce((bad, child, i) => bad || program(child, named(i)), null);
  }
  const common = (alike, a, b) => { let n = 0; while (n < Math.min(a.length, b.length) && alike(n)) n++; return n; };
  return { reference, admission };
}
module.exports = { admissions };
