'use strict';
/*
 * What needs Lean's MetaM: goals at holes, closed over their local context and printed so that they read back; values of
 * terms. A JavaScript function becomes the MetaM action: `ContextInfo.runMetaM` builds its contexts, and the function
 * calls Lean's own compiled functions with them.
 */
const BINDERS = ['default', 'implicit', 'strict', 'inst'];
// How a statement is printed: the first form that elaborates back to the same statement is used.
const PLAIN = { 'pp.fullNames': true, 'pp.sanitizeNames': false, 'pp.deepTerms': true, 'pp.proofs': true, 'pp.piBinderTypes': true, 'pp.letVarTypes': true,
  'pp.fieldNotation': false, 'pp.mvars': true };
const FORMS = [PLAIN, { ...PLAIN, 'pp.funBinderTypes': true, 'pp.numericTypes': true, 'pp.analyze': true }, { ...PLAIN, 'pp.funBinderTypes': true, 'pp.explicit': true, 'pp.universes': true },
  { ...PLAIN, 'pp.all': true }];
const MOST_STEPS = 1000000, WIDTH = 110;

function meta(lean, front) {
  const { wx, box, isScalar, unbox, inc, dec, tag, count, fld, byte, items, list, F, global, ctor, copyWith, array, string, takeText, name, nameText, text, io,
    closure, closed, UNIT, NIL, FALSE, TRUE } = lean;
  const emptyContext = () => global('l_Lean_LocalContext_empty');
  const pretty = (format) => takeText(F('l_Std_Format_pretty___boxed')(format, box(WIDTH), box(0), box(0)));

  /** Run `f(call)` in MetaM; `call(name, ...owned)` calls a compiled MetaM function and gives its value. context: borrowed; local: owned. */
  function inMeta(context, local, f) {
    let value, failed = null;
    const action = closure((m, ms, c, cs) => {
      try {
        value = f((fn, ...args) => {
          const r = F(fn)(...args, inc(m), inc(ms), inc(c), inc(cs), UNIT), v = inc(fld(r, 0)), t = tag(r); dec(r);
          if (t !== 0) throw new Error(`${fn} failed`);
          return v;
        });
      } catch (e) { failed = e; } finally { [m, ms, c, cs].forEach(dec); }
      return ctor(0, [UNIT]);
    });
    try { io(F('l_Lean_Elab_ContextInfo_runMetaM___redArg___boxed')(inc(context), local, action, UNIT)); } finally { closed(); }
    if (failed) throw failed;
    return value;
  }

  const withOptions = (start, given) => Object.entries(given).reduce((o, [k, v]) => F('l_Lean_KVMap_setBool___boxed')(o, name(k), v ? TRUE : FALSE),
    F('l_Lean_KVMap_setNat')(start, name('pp.maxSteps'), box(MOST_STEPS)));
  const instantiated = (mctx, e) => { const p = F('l_Lean_instantiateMVarsCore')(inc(mctx), e), r = inc(fld(p, 0)); dec(p); return r; };
  const plainName = (n) => { const plain = wx.lean_erase_macro_scopes(inc(n)), shown = nameText(plain); dec(plain); return shown || 'x'; };
  const hygienic = (n) => !!unbox(F('l_Lean_Name_hasMacroScopes___boxed')(inc(n)));

  /** The local variables of a goal, with names that can be written: hidden ones (inaccessible or shadowed) get new names. */
  function locals(context) {
    const all = F('l_Lean_LocalContext_getFVars___boxed')(inc(context)), found = [];
    for (const e of items(all)) {
      const decl = wx.l_Lean_LocalContext_get_x21(inc(context), inc(fld(e, 0)));
      const isLet = tag(decl) === 1 && !byte(decl, 0), kind = byte(decl, 1);     // cdecl: binder info, kind; ldecl: nondep, kind
      if (kind !== 0) { dec(decl); continue; }
      found.push({ e, id: fld(e, 0), decl, isLet, info: tag(decl) === 1 ? 'default' : BINDERS[byte(decl, 0)], name: fld(decl, 2) });
    }
    const last = new Map(found.map((l, i) => [nameText(l.name), i])), taken = new Set([...found].map((l) => nameText(l.name)));
    let renamed = inc(context);
    found.forEach((l, i) => {
      l.hidden = hygienic(l.name) || last.get(nameText(l.name)) !== i;
      l.shown = plainName(l.name);
      if (!l.hidden) return;
      const stem = l.shown.replace(/[^\p{L}\p{N}_'!?]/gu, '') || 'x';
      for (let k = 1; taken.has(l.shown) || l.shown === plainName(l.name); k++) l.shown = `${stem}_${k}`;
      taken.add(l.shown);
      renamed = wx.l_Lean_LocalContext_setUserName(renamed, inc(l.id), name(l.shown));
    });
    return { found, renamed, free: () => { found.forEach((l) => dec(l.decl)); dec(all); } };
  }

  /** A metavariable's goal: its local context and target, owned. */
  function goalOf(context, goal) {
    const decl = inMeta(context, emptyContext(), (call) => call('l_Lean_MVarId_getDecl___boxed', inc(goal)));
    const found = { local: inc(fld(decl, 1)), target: inc(fld(decl, 2)) }; dec(decl);
    return found;
  }
  /**
   * A goal as a closed statement that elaborates back to itself; statement "" when no form does. local, target: owned.
   * Forms that read back as the same term go before those that read back as an equal one. `any`: it need be no proposition.
   */
  function closedGoal(context, { local, target }, before, any = false) {
    const core = fld(context, 0), mctx = fld(core, 3);
    const { found, renamed, free } = locals(local);
    const goal = instantiated(mctx, target);
    const raw = inMeta(context, inc(renamed), (call) => call('l_Lean_Meta_mkForallFVars___boxed', array(found.map((l) => inc(l.e))), goal, FALSE, FALSE, TRUE, box(1)));
    const type = instantiated(mctx, raw);
    dec(renamed); dec(local);
    const binders = found.map((l) => ({ name: l.shown, hidden: l.hidden, let: l.isLet, info: l.info }));
    free();
    const declared = list(fld(front.scopeOf(before), 4)).map(nameText), levels = levelNames(type).filter((u) => !declared.includes(u));
    const out = { binders, levels, statement: '', form: -1 };
    if (!wx.lean_expr_has_mvar(inc(type)) && !wx.lean_expr_has_fvar(inc(type))) {
      [true, false].some((same) => FORMS.some((form, i) => {
        const options = withOptions(inc(fld(core, 4)), form);
        const printed = pretty(io(F('l_Lean_PrettyPrinter_ppExprLegacy___boxed')(inc(fld(core, 0)), inc(mctx), emptyContext(), options, inc(type), UNIT)));
        if (!readsBack(before, printed, levels, type, same, any)) return false;
        Object.assign(out, { statement: printed, form: i });
        return true;
      }));
    }
    dec(type);
    return out;
  }
  // Expr: bvar fvar mvar sort const app lam forallE letE lit mdata proj; Level: zero succ max imax param mvar.
  const EXPR_CHILDREN = { 5: [0, 1], 6: [1, 2], 7: [1, 2], 8: [1, 2, 3], 10: [1], 11: [2] };
  /** Level parameters of an expression, in order of appearance. */
  function levelNames(type) {
    const seen = new Set(), names = [];
    const level = (l) => {
      if (isScalar(l) || seen.has(l)) return;
      seen.add(l);
      const t = tag(l);
      if (t === 4) { const n = nameText(fld(l, 0)); if (!names.includes(n)) names.push(n); } else if (t >= 1 && t <= 3) for (let i = 0; i < (t === 1 ? 1 : 2); i++) level(fld(l, i));
    };
    const stack = [type];
    while (stack.length) {
      const e = stack.pop();
      if (isScalar(e) || seen.has(e)) continue;
      seen.add(e);
      const t = tag(e);
      if (t === 3) level(fld(e, 0));
      if (t === 4) list(fld(e, 1)).forEach(level);
      for (const i of (EXPR_CHILDREN[t] || []).slice().reverse()) stack.push(fld(e, i));
    }
    return names;
  }

  const PROBE = '_goedels_poetry_probe';
  /** Whether `printed`, elaborated where the command stands, is the statement it was printed from: an equal one, or the same where `exactly`. */
  function readsBack(before, printed, levels, type, exactly, any) {
    const universe = levels.length ? `.{${levels.join(', ')}}` : '';
    const source = any ? `axiom ${PROBE}${universe} : ${printed}` : `theorem ${PROBE}${universe} : ${printed} := sorry`;
    const header = front.parseHeader(source, 'Main.lean');
    let same = false;
    const quiet = copyWith(before, 1, front.emptyLog());
    const end = front.commands(header.context, quiet, inc(header.state), { stopAtEnd: true, each: (c, said, b, after) => {
      if (said.some((m) => m.severity === 'error')) return false;
      const constant = find(fld(after, 0), PROBE);
      if (constant) {
        const value = fld(fld(constant, 0), 0), theirs = fld(value, 2);
        same = levels.every((u) => list(fld(value, 1)).map(nameText).includes(u)) && (!!wx.lean_expr_eqv(theirs, type) || (!exactly && kernelEqual(fld(after, 0), theirs, type)));
      }
      return false;
    } });
    dec(end.state); dec(end.parser); header.free();
    return same;
  }
  /** Definitional equality by the kernel: the elaborator turns `let` in a statement into `have`, and drops annotations. */
  function kernelEqual(env, a, b) {
    const r = F('l_Lean_Kernel_isDefEq___boxed')(inc(env), emptyContext(), inc(a), inc(b)), yes = tag(r) === 1 && !!unbox(fld(r, 0));
    dec(r);
    return yes;
  }
  /** The constant of this file whose name ends in `last`, borrowed from env; 0 when there is none. */
  function find(env, last) {
    for (const [n, info] of localConstants(env)) if (n === last || n.endsWith(`.${last}`)) return info;
    return 0;
  }
  function eachEntry(node, f) {         // PersistentHashMap.Node
    if (tag(node) === 0) {
      for (const x of items(fld(node, 0))) { if (isScalar(x)) continue; if (tag(x) === 0) f(fld(x, 0), fld(x, 1)); else eachEntry(fld(x, 0), f); }
    } else { const ks = items(fld(node, 0)), vs = items(fld(node, 1)); ks.forEach((k, i) => f(k, vs[i])); }
  }
  /** Constants that this file has added: name -> ConstantInfo, borrowed from env. */
  function localConstants(env) {
    const kernel = F('lean_elab_environment_to_kernel_env')(inc(env)), found = new Map();
    eachEntry(fld(fld(kernel, 0), 1), (k, v) => found.set(nameText(k), v));
    dec(kernel);
    return found;
  }

  // ---------------------------------------------------------------- holes
  function tacticGoals(fileMap, trees, at, before) {
    for (const tree of trees) {
      const results = F('l_Lean_Elab_InfoTree_goalsAt_x3f')(inc(fileMap), inc(tree), box(at)), goals = [];
      for (const g of list(results)) {
        const info = fld(g, 0), tactic = fld(g, 1), after = byte(g, 0);
        const core = copyWith(fld(info, 0), 3, inc(fld(tactic, after ? 3 : 1))), context = copyWith(info, 0, core);
        for (const goal of list(fld(tactic, after ? 4 : 2))) {
          const shown = pretty(io(F('l_Lean_Elab_ContextInfo_ppGoals___boxed')(inc(context), ctor(1, [inc(goal), NIL]), UNIT))).trim();
          goals.push({ goal: shown, ...closedGoal(context, goalOf(context, goal), before) });
        }
        dec(context);
      }
      dec(results);
      if (goals.length) return goals;
    }
    return [];
  }
  /** The expected type at a `sorry` in term position. */
  function termGoals(trees, at, before) {
    for (const tree of trees) {
      const found = F('l_Lean_Elab_InfoTree_termGoalAt_x3f')(inc(tree), box(at));
      if (isScalar(found)) continue;
      const pair = fld(found, 0), context = fld(pair, 0), info = fld(pair, 1);
      const term = tag(info) === 1 ? fld(info, 0) : 0;         // Info.ofTermInfo {toElabInfo, lctx, expectedType?, expr}
      const expected = term ? fld(term, 2) : NIL;
      const goals = [];
      if (term && !isScalar(expected)) {
        const type = fld(expected, 0), core = fld(context, 0);
        const shown = pretty(io(F('l_Lean_PrettyPrinter_ppExprLegacy___boxed')(inc(fld(core, 0)), inc(fld(core, 3)), inc(fld(term, 1)), inc(fld(core, 4)), inc(type), UNIT)));
        goals.push({ goal: `⊢ ${shown}`, ...closedGoal(context, { local: inc(fld(term, 1)), target: inc(type) }, before) });
      }
      dec(found);
      if (goals.length) return goals;
    }
    return [];
  }
  /** Every `sorry` of a command with the goals it stands for. before, after: states of the front end. */
  function holes(command, before, after, source, context) {
    const found = front.sorries(command);
    if (!found.length) return [];
    const array = F('l_Lean_PersistentArray_toArray___redArg___boxed')(inc(fld(fld(after, 8), 2))), trees = items(array), map = fld(context, 2);
    const seen = found.map((h) => ({ start: front.codePoints(source, h.at), end: front.codePoints(source, h.to), tactic: h.tactic,
      goals: h.tactic ? tacticGoals(map, trees, h.at, before) : termGoals(trees, h.at, before) }));
    dec(array);
    return seen;
  }
  const HOLE = 'example : True := sorry';
  /** Facts {type} or {self, value}, `self = value`, in Lean's words, by an environment (owned) that has read no text, and so knows no class of the data's; "" where no form reads back. */
  function statements(env, facts) {
    const header = front.parseHeader(HOLE, 'Main.lean'), options = F('l_Lean_KVMap_setBool___boxed')(NIL, name('checkBinderAnnotations'), FALSE);
    let shown = [];
    const end = front.commands(header.context, wx.l_Lean_Elab_Command_mkState(env, front.emptyLog(), options), inc(header.state), { stopAtEnd: true, each: (c, said, before, after) => {
      const trees = F('l_Lean_PersistentArray_toArray___redArg___boxed')(inc(fld(fld(after, 8), 2)));
      const found = items(trees).map((tree) => F('l_Lean_Elab_InfoTree_termGoalAt_x3f')(inc(tree), box(HOLE.indexOf('sorry')))).find((x) => !isScalar(x));
      const context = fld(fld(found, 0), 0);
      const equation = ({ self, value }) => inMeta(context, emptyContext(), (call) => call('l_Lean_Meta_mkEq___boxed', inc(self), inc(value)));
      shown = facts.map((fact) => closedGoal(context, { local: emptyContext(), target: fact.self ? equation(fact) : inc(fact.type) }, before, true).statement);
      dec(found); dec(trees);
      return false;
    } });
    dec(end.state); dec(end.parser); header.free();
    return shown;
  }
  return { inMeta, closedGoal, holes, find, localConstants, pretty, eachEntry, emptyContext, statements };
}
module.exports = { meta };
