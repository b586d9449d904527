
'use strict';
module.exports = (lean, env) => {
  const { fld, unbox, inc, items, F, global, box, array, arrGet, emptyArray, views } = lean;
  const kernels = [fld(fld(env, 0), 0), fld(fld(env, 0), 1), fld(fld(env, 2), 0)];
  const stateOf = (kernel, ext) => arrGet(fld(kernel, 3), unbox(fld(fld(ext, 0), 0)));
  for (const name of ['l_Lean_Compiler_LCNF_baseExt', 'l_Lean_Compiler_LCNF_monoExt']) {
    for (const state of new Set(kernels.map((k) => stateOf(k, global(name))))) {
      const none = array(items(fld(state, 0)).map(emptyArray));
      new Int32Array(views().buffer)[(state + 8) >> 2] = none;
    }
  }
  const ext = global('l_Lean_IR_declMapExt'), mode = () => inc(fld(fld(ext, 0), 2));
  const isBoxed = (d) => unbox(F('l_Lean_IR_ExplicitBoxing_requiresBoxedVersion___boxed')(inc(env), inc(d)));
  const boxed = items(fld(stateOf(kernels[0], ext), 0)).flatMap(items).filter(isBoxed);
  const more = (e, d) => F('l_Lean_PersistentEnvExtension_addEntry___redArg')(inc(ext), e, d, mode(), box(0));
  return boxed.map((d) => F('l_Lean_IR_ExplicitBoxing_mkBoxedVersion')(inc(d))).reduce(more, env);
};
