'use strict';
/*
 * node leaks.cjs <folder of our driver> <installation>: bytes that a request leaves behind in Lean's memory, by its kind,
 * as one JSON object. Counted are the blocks in use in Lean's heap, to the byte: its size alone would hide a slow leak.
 */
const path = require('path'), v8 = require('v8');
const { Worker, isMainThread, workerData } = require('worker_threads');
const [, , ours, installation] = process.argv;
const part = (name) => require(path.join(isMainThread ? ours : workerData.ours, name));
const WARM = 3, COUNTED = 2;

const TREE = 'inductive Tree (α : Type) where\n  | leaf : Tree α\n  | node : Tree α → α → Tree α → Tree α\n'
  + 'def Tree.mirror : Tree α → Tree α\n  | .leaf => .leaf\n  | .node l x r => .node r.mirror x l.mirror\n';
const THEOREM = 'theorem t (a b : Nat) (h : a ≤ b) : a < b + 1 := by omega';
const SKETCH = 'theorem t (t : Tree α) : t.mirror.mirror = t := by\n  induction t with\n  | leaf => sorry\n  | node l x r _ hr => have : 1 + 1 = 2 := sorry; sorry';
const DATA = ['{"in":1,"str":{"pre":0,"str":"t"}}', '{"in":2,"str":{"pre":0,"str":"True"}}', '{"in":3,"str":{"pre":2,"str":"intro"}}',
  '{"ie":0,"const":{"name":2,"us":[]}}', '{"ie":1,"const":{"name":3,"us":[]}}', '{"thm":{"name":1,"levelParams":[],"type":0,"value":1,"all":[1]}}'].join('\n');
const REQUESTS = {
  theorem: { code: THEOREM },
  error: { code: 'theorem t : 1 = 2 := by omega' },
  syntax: { code: 'theorem t : 1 = := by omega' },
  options: { code: THEOREM, options: { maxHeartbeats: 2 ** 40, 'pp.all': true } },
  commands: { code: THEOREM, commands: true },
  declarations: { prefix: TREE, code: THEOREM, declarations: true },
  export: { prefix: TREE, code: THEOREM, export: true },
  reference: { code: THEOREM, reference: THEOREM.replace('by omega', 'sorry'), kinds: ['Lean.Parser.Command.theorem'] },
  replay: { op: 'replay', modules: ['Init'], data: DATA, library: true },
  each: { op: 'replay', modules: ['Init'], data: DATA, each: true },
  holes: { prefix: TREE, code: SKETCH, holes: true },
  terms: { code: 'theorem t (a : Nat) : a = a ∧ True := ⟨sorry, trivial⟩', holes: true },
  library: { op: 'library', prefix: TREE, code: '', imported: false },
};

if (isMainThread) {
  v8.setFlagsFromString('--wasm-lazy-validation');
  const { runtimeSource, wasmBytes } = part('build.cjs');
  const bytes = wasmBytes(path.join(installation, 'build', 'lean.wasm'));
  const data = { ours, source: runtimeSource(path.join(installation, 'build', 'lean.js')), wasmModule: new WebAssembly.Module(bytes), wasmSize: bytes.length,
    library: path.join(installation, 'lib'), snapshot: null, maxMb: 1536 };
  const worker = new Worker(__filename, { workerData: data, resourceLimits: { stackSizeMb: 256 }, stdout: true });
  worker.on('message', (found) => process.stdout.write(JSON.stringify(found)));
} else {
  let worker;
  part('instance.cjs').start({ ...workerData, log: null, warm: () => null, thaw: (lean) => { worker = part('worker.cjs').lean(lean, workerData.library); } }, (error, lean) => {
    if (error) throw new Error(error);
    const { parentPort } = require('worker_threads'), { wx } = lean, found = {};
    const words = () => new Uint32Array(lean.views().buffer);
    /** Bytes of the blocks in use; mimalloc gives {blocks, reserved, committed, used, block_size} of each area. */
    function inUse() {
      let sum = 0;
      const visitor = lean.closure((heap, area) => { const w = words(); sum += w[(area >> 2) + 3] * w[(area >> 2) + 4]; return 1; });
      wx.mi_heap_collect(wx.mi_heap_get_backing(), 1);
      wx.mi_heap_visit_blocks(wx.mi_heap_get_backing(), 0, words()[(visitor + 8) >> 2], 0);
      lean.closed(); lean.dec(visitor);
      return sum;
    }
    const lost = (f) => {
      for (let i = 0; i < WARM; i++) f();
      const before = inUse();
      for (let i = 0; i < COUNTED; i++) f();
      return Math.round((inUse() - before) / COUNTED);
    };
    for (const [kind, request] of Object.entries(REQUESTS)) found[kind] = lost(() => worker.handle(request));
    found['a string that nobody frees'] = lost(() => lean.string('x'.repeat(1000)));
    parentPort.postMessage(found);
    process.exit(0);
  });
}
