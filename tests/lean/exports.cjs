'use strict';
/*
 * node exports.cjs <folder of our driver> <installation>: whether the module that is quick to load exports what lean.wasm does.
 * Prints {names, different: names that stand for something else, made_up: names of nothing that stand for something}.
 */
const path = require('path'), v8 = require('v8');
const [, , ours, installation] = process.argv;
const { wasmBytes } = require(path.resolve(ours, 'build.cjs')), quick = require(path.resolve(ours, 'quick.cjs'));

v8.setFlagsFromString('--wasm-lazy-validation');
const original = path.join(installation, 'build', 'lean.wasm'), file = path.join(installation, 'snapshots', 'module-1.bin');
const found = quick.places(file, original), full = new WebAssembly.Module(wasmBytes(original));

/** An instance whose imports do nothing. */
function instance(module) {
  const imports = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(full)) {
    (imports[from] ??= {})[name] = kind === 'function' ? () => 0 : kind === 'global' ? new WebAssembly.Global({ value: 'i32', mutable: true }, 0)
      : new WebAssembly.Memory({ initial: 256, maximum: 32768, shared: true });
  }
  return new WebAssembly.Instance(module, imports);
}
/** A function by its number in the module, which is its name; a global by its value. */
const what = (x) => (typeof x === 'function' ? x.name : x instanceof WebAssembly.Global ? `= ${x.value}` : String(x));

const theirs = instance(full).exports, { exports: own } = quick.namedExports(instance(new WebAssembly.Module(quick.quickBytes(file, found))), quick.lookup(file, original, found), null);
const names = Object.keys(theirs), nothing = ['', 'a', '~', 'toString', '__proto__', 'constructor', 'l_Nat', `${names[5]}_`, names[5].slice(0, -1), 'z'.repeat(9000)];
const tables = names.filter((name) => theirs[name] instanceof WebAssembly.Table);
process.stdout.write(JSON.stringify({
  names: names.length,
  different: names.filter((name) => !tables.includes(name) && (!(name in own) || what(own[name]) !== what(theirs[name]))).slice(0, 9),
  tables: tables.map((name) => [name, theirs[name].length === own[name].length]),
  made_up: nothing.filter((name) => !(name in theirs) && (name in own || own[name] !== undefined)),
}));
