'use strict';
/* The constants that a text has added: in short for the search, whole as data for a checker. */
const { exporter } = require('./export.cjs');

const KINDS = ['axiom', 'def', 'theorem', 'opaque', 'quot', 'inductive', 'constructor', 'recursor'];
const DEFINITION = 1, OPAQUE = 3;
// Imported theorems look like axioms (their proofs are not in the package), so of imported names only the axioms of core
// count here; the first three are those of Lean's logic. A checker walks over the data instead.
const CORE_AXIOMS = new Set(['propext', 'Classical.choice', 'Quot.sound', 'sorryAx', 'Lean.ofReduceBool', 'Lean.ofReduceNat', 'Lean.trustCompiler']);

function declarations(lean, front, meta) {
  const { box, inc, dec, tag, fld, byte, items, F, ctor, text, nameText, emptyArray } = lean;
  const constantVal = (info) => fld(fld(info, 0), 0);           // ConstantVal {name, levelParams, type}

  /** Constants that the file has added, with the axioms that each rests on. */
  function inShort(env) {
    const local = meta.localConstants(env), found = [];
    for (const [n, info] of local) {
      const kind = KINDS[tag(info)], entry = { name: n, kind };
      if (tag(info) <= OPAQUE) {
        const r = F('l_Lean_CollectAxioms_collect')(inc(fld(constantVal(info), 0)), inc(env), ctor(0, [box(1), emptyArray()]));
        entry.axioms = items(fld(fld(r, 1), 1)).map(nameText).filter((a) => CORE_AXIOMS.has(a) || local.has(a)).sort();
        dec(r);
        if (tag(info) === DEFINITION && byte(fld(info, 0), 0) !== 1) entry.unsafe = true;
      }
      found.push(entry);
    }
    return found.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** All of them in the export format. */
  function asData(env) {
    const local = meta.localConstants(env), out = exporter(lean, (n) => local.get(n) || 0);
    try {
      for (const n of local.keys()) out.declare(n);
      return out.lines.join('\n');
    } finally { out.free(); }
  }

  return { inShort, asData };
}
module.exports = { declarations };
