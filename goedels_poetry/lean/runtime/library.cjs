'use strict';
/*
 * What can be cited: names of theorems and the symbols of their statements, of the imports and of the text itself.
 * Statements are not printed: that takes 2 ms each, and most are never looked at.
 */
const MADE_BY_LEAN = /(^|\.)(_|\d+$|«|match_\d|eq_\d+$|eq_def$|proof_\d|sizeOf_spec$|injEq$|inj$|noConfusion|brecOn|below|ibelow|binductionOn|casesOn$|recOn$|rec$|congr_simp$|hcongr_\d|ctorIdx|ctorElim|toCtorIdx|ofNat_ctorIdx|unsafe_|hygCtx)/;
const OF_LEAN_ITSELF = /^(Lean|Lake|Std\.Tactic|Init)\.|(^|\.)Internal\./;
const SORT = 3, CONST = 4, APP = 5, LAMBDA = 6, FORALL = 7, LET = 8, LITERAL = 9, MDATA = 10, PROJECTION = 11;
const EXPLICIT = 0, INSTANCE = 3;
const OF_NAT = 'OfNat.ofNat';

function library(lean, front, meta) {
  const { isScalar, unbox, inc, dec, tag, fld, byte, items, F, nameText, text } = lean;
  const typeOf = (info) => fld(fld(fld(info, 0), 0), 2);
  const binder = (e) => byte(e, 8);                              // of forallE: after the 8 bytes of cached data
  const plain = (e) => { while (tag(e) === MDATA) e = fld(e, 1); return e; };

  /** Names of all constants, those of the text apart, with what Lean knows of each; borrowed from `kernel`. */
  function constants(kernel) {
    const imported = new Map(), maps = fld(kernel, 0);
    for (let bucket of items(fld(fld(maps, 0), 1))) for (; !isScalar(bucket); bucket = fld(bucket, 2)) imported.set(nameText(fld(bucket, 0)), fld(bucket, 1));
    const own = new Map();
    meta.eachEntry(fld(maps, 1), (k, v) => own.set(nameText(k), v));
    return { imported, own };
  }

  function reader({ imported, own }) {
    const names = new Map(), infos = new Map(), ids = new Map(), symbols = [];
    const nameOf = (n) => { let s = names.get(n); if (s === undefined) { s = nameText(n); names.set(n, s); } return s; };
    const infoOf = (n) => own.get(n) || imported.get(n);
    const id = (s) => { let i = ids.get(s); if (i === undefined) { i = symbols.length; symbols.push(s); ids.set(s, i); } return i; };
    /** How the arguments of a constant are given. */
    function binders(n) {
      let found = infos.get(n);
      if (found === undefined) {
        found = [];
        const info = infoOf(n);
        for (let e = info ? plain(typeOf(info)) : 0; e && tag(e) === FORALL; e = plain(fld(e, 2))) found.push(binder(e));
        infos.set(n, found);
      }
      return found;
    }
    /** Whether a type ends in Prop, for a predicate or a proposition. */
    function endsInProp(type) {
      let e = plain(type);
      while (tag(e) === FORALL) e = plain(fld(e, 2));
      return tag(e) === SORT && (isScalar(fld(e, 0)) || tag(fld(e, 0)) === 0);
    }
    /** Whether the conclusion of a type is a proposition, so that what has the type is a proof. */
    function isStatement(type) {
      const local = [];
      let e = plain(type);
      while (tag(e) === FORALL) { local.push(fld(e, 1)); e = plain(fld(e, 2)); }
      while (tag(e) === APP) e = plain(fld(e, 0));
      if (tag(e) === CONST) { const info = infoOf(nameOf(fld(e, 0))); return !!info && endsInProp(typeOf(info)); }
      return tag(e) === 0 && !isScalar(e) && local.length > 0 && endsInProp(local[local.length - 1 - unbox(fld(e, 0))] || e);
    }
    /** Symbols of an expression, and pairs `outer>inner` of a symbol and that of one of its arguments. */
    function visit(expr, outer, out) {
      const e = plain(expr), t = tag(e);
      const emit = (s) => { out.add(id(s)); if (outer) out.add(id(`${outer}>${s}`)); };
      if (t === CONST || t === APP) {
        const args = [];
        let head = e;
        while (tag(head) === APP) { args.unshift(fld(head, 1)); head = plain(fld(head, 0)); }
        if (tag(head) !== CONST) { visit(head, '', out); args.forEach((a) => visit(a, '', out)); return; }
        const n = nameOf(fld(head, 0)), how = binders(n);
        if (n === OF_NAT && args.length > 1) { visit(args[0], '', out); visit(args[1], outer, out); return; }
        emit(n);
        args.forEach((a, i) => { if (how[i] !== INSTANCE) visit(a, how[i] === EXPLICIT ? n : '', out); });
      } else if (t === LITERAL) {
        const literal = fld(e, 0);
        if (tag(literal) === 0 && isScalar(fld(literal, 0))) emit(`#${unbox(fld(literal, 0))}`);
        else if (tag(literal) === 1 && text(fld(literal, 0)).length < 20) emit(JSON.stringify(text(fld(literal, 0))));
      } else if (t === LAMBDA || t === FORALL) { visit(fld(e, 1), '', out); visit(fld(e, 2), t === LAMBDA ? outer : '', out); } else if (t === LET) [1, 2, 3].forEach((i) => visit(fld(e, i), '', out));
      else if (t === PROJECTION) visit(fld(e, 2), '', out);
    }
    function entry(n, info) {
      const given = new Set(), goal = new Set(), statement = isStatement(typeOf(info));
      let e = plain(typeOf(info));
      for (; tag(e) === FORALL; e = plain(fld(e, 2))) if (binder(e) !== INSTANCE) visit(fld(e, 1), '', given);
      visit(e, '', goal);
      return [n, statement ? 1 : 0, [...goal], [...given].filter((i) => !goal.has(i))];
    }
    return { entry, isStatement, symbols };
  }

  /** {prefix, code, imported}: {symbols, own: [name, is it a theorem, symbols of the conclusion, of the rest], imported: likewise}. */
  function list(request) {
    const end = front.elaborate(request);
    if (!end.state) return { symbols: [], own: [], imported: [] };
    const kernel = F('lean_elab_environment_to_kernel_env')(inc(fld(end.state, 0))), found = constants(kernel), read = reader(found);
    const own = [...found.own].filter(([n]) => !MADE_BY_LEAN.test(n)).map(([n, info]) => read.entry(n, info));
    const imported = [];
    if (request.imported) {
      for (const [n, info] of found.imported) if (!MADE_BY_LEAN.test(n) && !OF_LEAN_ITSELF.test(n) && read.isStatement(typeOf(info))) imported.push(read.entry(n, info));
    }
    imported.sort((a, b) => (a[0] < b[0] ? -1 : 1));
    dec(kernel); dec(end.state);
    return { symbols: read.symbols, own, imported, modules: end.modules };
  }
  return { list };
}
module.exports = { library };
