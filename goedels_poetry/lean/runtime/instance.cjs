'use strict';
/* One instance of Lean in the current thread: wasm instantiated, Lean initialised or restored from a snapshot. */
const fs = require('fs'), vm = require('vm');
const { objects } = require('./objects.cjs');
const { lookup, namedExports } = require('./quick.cjs');

const STACK_BYTES = 64 << 20;        // C stack; the build reserves only 64 KiB for the main thread
const EROFS = 69, WRITING = 1 | 2 | 64 | 512 | 1024;
const SNAPSHOT_FORMAT = 4, STEP = 1 << 16, PAGE = 1 << 16, INITIAL = 256 * PAGE;

/** Memory for an instance, all zero. */
const emptyMemory = (maxMb) => new WebAssembly.Memory({ initial: INITIAL / PAGE, maximum: Math.min(32768, maxMb * 16), shared: true });

/**
 * Start Lean. `onReady(error, instance)` is called once.
 * source: the runtime of lean.js; wasmModule; wasmSize: bytes of lean.wasm; quick: where the names of a module of quick.cjs are,
 * else null; library: folder with Init.olean; snapshot: file to start from, or null; save: make it; maxMb: limit of the memory; warm: called before a snapshot is saved, gives what it holds.
 */
function start({ source, wasmModule, wasmSize, quick, library, snapshot, save: saves, memory = null, maxMb, log, warm, thaw }, onReady) {
  const printed = [], version = `${SNAPSHOT_FORMAT}:${STACK_BYTES}:${wasmSize}`, head = snapshotHead();
  let names = null;                  // those of exports that were asked for
  const print = (s) => {
    s = String(s);
    if (log) log(s);
    if (!s.startsWith('[DEBUG') && !/^  (- |mainModule\?)/.test(s) && printed.length < 200) printed.push(s);
  };
  const M = {
    noInitialRun: true, print, printErr: print, thisProgram: '/L/bin/lean', locateFile: (p) => p,
    wasmMemory: memory || emptyMemory(maxMb),
    instantiateWasm: (imports, done) => done(new WebAssembly.Instance(wasmModule, imports), wasmModule),
    __exports: (instance) => {
      if (!quick) return instance.exports;
      const named = namedExports(instance, lookup(...quick), head && head.names);
      names = named.asked;
      return named.exports;
    },
    onRuntimeInitialized: () => {
      let lean, error = null;
      try { lean = initialise(); } catch (e) { error = describe(e); }
      setImmediate(() => onReady(error, lean));
    },
  };
  /** What a thrown thing says: JavaScript's errors, C++ exceptions (numbers), errors of the file system. */
  function describe(e) {
    if (typeof e === 'number') {
      let more = '';
      try { more = M.getExceptionMessage ? `: ${[].concat(M.getExceptionMessage(e)).join(' ')}` : ''; } catch { more = ''; }
      return `uncaught C++ exception (out of memory?)${more}`;
    }
    if (e && e.name === 'ExitStatus') {
      const panic = printed.map((s) => /^INTERNAL PANIC: (.*)$/.exec(s)).find(Boolean);
      return `it ended itself${panic ? `: ${panic[1]}` : ''}; a term that is too deep, or a number that is too large, does that`;
    }
    if (e && e.errno !== undefined && !e.stack) return `file system error ${e.errno}`;
    return String((e && e.message) || e);
  }

  function initialise() {
    const lean = { ...objects(M), printed, describe, memory: () => M.__mem().buffer.byteLength };
    const { wx } = lean;
    const low = wx.malloc(STACK_BYTES), high = (low + STACK_BYTES) & ~15;
    wx.emscripten_stack_set_limits(high, low); wx._emscripten_stack_restore(high);
    mount();
    if (head) { restore(lean, head); thaw(lean, head.kept); } else {
      initialiseLean(lean);
      const kept = saves === 'snapshot' ? warm(lean) : (thaw(lean, null), null);
      if (kept) save(lean, kept);
    }
    return lean;
  }
  // The library is all of the host that Lean sees, and it cannot be written. Nor can the file system in memory: what one
  // request wrote, the next would find there.
  function mount() {
    const { FS, NODEFS } = M, refuse = () => { throw new FS.ErrnoError(EROFS); };
    FS.mkdirTree('/L/lib/lean'); FS.mount(NODEFS, { root: library }, '/L/lib/lean');
    for (const ops of [NODEFS.node_ops, FS.lookupPath('/tmp').node.node_ops]) for (const k of ['mknod', 'rename', 'unlink', 'rmdir', 'symlink', 'setattr']) ops[k] = refuse;
    FS.chdir = refuse;
    const { open } = NODEFS.stream_ops;
    NODEFS.stream_ops.open = (stream) => { if (stream.flags & WRITING) refuse(); return open(stream); };
    NODEFS.stream_ops.write = refuse;
  }
  function initialiseLean({ wx, dec, io, F, string, NIL, UNIT }) {
    wx.lean_initialize();
    dec(wx.lean_enable_initializer_execution());
    io(F('l_Lean_initSearchPath___boxed')(string('/L'), NIL, UNIT));
    wx.lean_io_mark_end_initialization();
    wx.lean_init_task_manager_using(1);
  }

  // A snapshot is the linear memory. Apart from it an instance has the function table (the functions that dlsym added,
  // replayed in order), the stack globals (set above) and the files (only the standard streams are open). `blocks` are the parts of
  // it that are not zero, [from, to]; `names` spares looking up what every process asks for.
  function save({ views }, kept) {
    const memory = views(), blocks = written(memory);
    const head = Buffer.from(JSON.stringify({ version, bytes: memory.byteLength, blocks, symbols: M.__syms, names, kept }));
    const start = Buffer.alloc(8); start.write('LSN1', 4); start.writeUInt32LE(head.length);
    const temporary = `${snapshot}.${process.pid}.tmp`;
    try {
      write(temporary, [start, head], memory, blocks);
      fs.renameSync(temporary, snapshot);
    } catch (e) {                       // no room, no rights: the next start takes as long as this one
      if (log) log(`no snapshot: ${e.message}`);
      try { fs.rmSync(temporary, { force: true }); } catch { /* it was not even made */ }
    }
  }
  function written(memory) {
    const zero = Buffer.alloc(STEP), found = [];
    for (let from = 0; from < memory.byteLength; from += STEP) {      // by pages of wasm, of which there is a whole number
      if (Buffer.from(memory.slice(from, from + STEP)).equals(zero)) continue;
      const last = found.at(-1);
      if (last && last[1] === from) last[1] += STEP; else found.push([from, from + STEP]);
    }
    return found;
  }
  function write(file, parts, memory, blocks) {
    const fd = fs.openSync(file, 'w');
    try {
      let base = 0;
      for (const part of parts) base += fs.writeSync(fd, part);
      for (const [from, to] of blocks) for (let at = from; at < to;) {             // the rest stays a hole
        const piece = Buffer.from(memory.slice(at, Math.min(to, at + (1 << 24))));
        if (fs.writeSync(fd, piece, 0, piece.length, base + at) !== piece.length) throw new Error('short write');
        at += piece.length;
      }
      fs.ftruncateSync(fd, base + memory.byteLength);
    } finally { fs.closeSync(fd); }
  }
  /** Zero, where it is not: to look costs less than to write, which takes pages of the machine's memory. */
  function clear(memory, from, to) {
    const zero = Buffer.alloc(STEP);
    for (let at = from; at < to; at += STEP) if (!Buffer.from(memory.buffer, at, STEP).equals(zero)) memory.fill(0, at, at + STEP);
  }
  function snapshotHead() {
    if (!snapshot || !fs.existsSync(snapshot)) return null;
    const fd = fs.openSync(snapshot, 'r');
    try {
      const start = Buffer.alloc(8); fs.readSync(fd, start, 0, 8, 0);
      const head = Buffer.alloc(Math.min(start.readUInt32LE(0), 1 << 24)); fs.readSync(fd, head, 0, head.length, 8);
      const read = JSON.parse(head.toString()), base = 8 + head.length;
      return read.version === version && fs.fstatSync(fd).size === base + read.bytes ? { ...read, base } : null;
    } catch { return null; } finally { fs.closeSync(fd); }     // a broken snapshot is none: it is made again
  }
  function restore({ views }, head) {
    const memory = M.__mem(), used = memory.buffer.byteLength, more = head.bytes - used;
    if (more > 0) memory.grow(more >> 16);
    const fd = fs.openSync(snapshot, 'r');
    let done = 0;
    for (const [from, to] of head.blocks) {
      clear(views(), done, Math.min(from, used));
      for (let at = from; at < to;) at += fs.readSync(fd, views(), at, to - at, head.base + at);
      done = to;
    }
    clear(views(), done, used);
    fs.closeSync(fd);
    M.__addSyms(head.symbols);              // at once: with each slot that it grows by the whole table is copied
  }

  const run = vm.compileFunction(source, ['Module', 'require', 'module', '__filename', '__dirname', 'exports'], { filename: 'lean.js' });
  run(M, require, { exports: {} }, 'lean.js', '/', {});
}
module.exports = { start, emptyMemory, INITIAL };
