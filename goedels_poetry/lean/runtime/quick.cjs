'use strict';
/*
 * lean.wasm in a form that is loaded three times as fast. It exports 201 109 names: to read them takes V8 0.2 s, and to make an
 * object of each for an instance 0.4 s, of which Lean asks for some thousand. In their place stands one more table, of all the
 * functions that have a name; what a name stands for is looked up when somebody asks. Nothing else of the module is changed.
 *
 * A file: {'LQK1', length of the head, head, the rows of the names, in their order, the module}.
 * A row: where the name stands in lean.wasm, and its slot in the table, or the address (with GLOBAL) that a global holds.
 */
const fs = require('fs');

const FORMAT = 1, TABLE = 'functions_with_names', ROW = 8, GLOBAL = 2 ** 31;
const SECTION = { imports: 2, tables: 4, globals: 6, exports: 7, elements: 9 }, FUNCTION = 0, GLOBAL_KIND = 3;
const I32 = 0x7f, I32_CONST = 0x41, GLOBAL_GET = 0x23, END = 0x0b, FUNCREF = 0x70, MOST_LENGTH = 5;

class Unreadable extends Error {}

// ---------------------------------------------------------------- the module, rewritten
/** A number without a sign at `at`, and where the next thing begins. */
function number(bytes, at) {
  let found = 0, scale = 1;
  for (;;) { const x = bytes[at++]; found += (x & 127) * scale; if (x < 128) return [found, at]; scale *= 128; }
}
function signed(bytes, at) {
  let found = 0, shift = 0, x;
  do { x = bytes[at++]; found |= (x & 127) << shift; shift += 7; } while (x & 128);
  return [shift < 32 && x & 64 ? found | (-1 << shift) : found, at];
}
function encoded(n) {
  const made = [];
  do { const x = n & 127; n >>>= 7; made.push(n ? x | 128 : x); } while (n);
  return Buffer.from(made);
}
const vector = (count, parts) => Buffer.concat([encoded(count), ...parts]);

function sections(bytes) {
  const found = [];
  for (let from = 8; from < bytes.length;) { const [size, at] = number(bytes, from + 1); found.push({ kind: bytes[from], from, at, to: at + size }); from = at + size; }
  return found;
}
/** How many globals are imported: they stand before the module's own. */
function importedGlobals(bytes, at) {
  let [left, p] = number(bytes, at), globals = 0, size, flags;
  const skip = () => { [size, p] = number(bytes, p); };
  for (; left > 0; left--) {
    for (let k = 0; k < 2; k++) { skip(); p += size; }
    const kind = bytes[p++];
    if (kind === GLOBAL_KIND) { globals++; p += 2; } else if (kind === FUNCTION) skip(); else if (kind === 2) {
      flags = bytes[p++]; skip(); if (flags & 1) skip();
    } else throw new Unreadable(`an import of kind ${kind}`);
  }
  return globals;
}
/** For every global of the module its value where that is a constant, else null. */
function constants(bytes, at) {
  let [left, p] = number(bytes, at), value;
  const found = [];
  for (; left > 0; left--) {
    const [type, variable, op] = bytes.subarray(p, p + 3);
    if (op === I32_CONST) [value, p] = signed(bytes, p + 3); else if (op === GLOBAL_GET) [value, p] = number(bytes, p + 3); else throw new Unreadable(`a global made by ${op}`);
    if (bytes[p++] !== END) throw new Unreadable('a global that is computed');
    found.push(op === I32_CONST && type === I32 && !variable ? value : null);
  }
  return found;
}
/** All exports: {name, at, kind, index}. */
function exportsOf(bytes, at) {
  let [left, p] = number(bytes, at), size, index;
  const found = [];
  for (; left > 0; left--) {
    const start = p;
    [size, p] = number(bytes, p);
    const name = bytes.latin1Slice(p, p + size), kind = bytes[p + size];
    [index, p] = number(bytes, p + size + 1);
    found.push({ name, at: start, kind, index });
  }
  return found;
}

/** The module with a table in place of its exports, and the rows of the names. */
function rewritten(bytes) {
  const all = sections(bytes), section = (kind) => all.find((s) => s.kind === kind).at;
  const before = importedGlobals(bytes, section(SECTION.imports)), values = constants(bytes, section(SECTION.globals));
  const named = exportsOf(bytes, section(SECTION.exports)), kept = [], rows = [];
  const functions = [...new Set(named.filter((e) => e.kind === FUNCTION).map((e) => e.index))].sort((a, b) => a - b);
  const slots = new Map(functions.map((index, slot) => [index, slot]));
  const [tables, firstTable] = number(bytes, section(SECTION.tables)), [elements, firstElement] = number(bytes, section(SECTION.elements));
  for (const e of named) {
    const value = e.kind === FUNCTION ? slots.get(e.index) : e.kind === GLOBAL_KIND ? values[e.index - before] : null;
    if (value === null || value === undefined) kept.push(e); else rows.push({ ...e, value });
  }
  kept.push({ name: TABLE, kind: 1, index: tables });
  rows.sort((a, b) => (a.name < b.name ? -1 : 1));
  const list = Buffer.alloc(ROW * rows.length);
  rows.forEach((r, k) => { list.writeUInt32LE(r.at + (r.kind === FUNCTION ? 0 : GLOBAL), ROW * k); list.writeInt32LE(r.value, ROW * k + 4); });
  const rest = (kind, first) => { const s = all.find((x) => x.kind === kind); return bytes.subarray(first, s.to); };
  const instead = {
    [SECTION.exports]: vector(kept.length, kept.flatMap(({ name, kind, index }) => [encoded(name.length), Buffer.from(name, 'latin1'), Buffer.from([kind]), encoded(index)])),
    [SECTION.tables]: vector(tables + 1, [rest(SECTION.tables, firstTable), Buffer.from([FUNCREF, 0]), encoded(functions.length)]),
    [SECTION.elements]: vector(elements + 1, [rest(SECTION.elements, firstElement), Buffer.from([2]), encoded(tables), Buffer.from([I32_CONST, 0, END, 0]), vector(functions.length, functions.map(encoded))]),
  };
  const parts = all.flatMap((s) => (s.kind in instead ? [Buffer.from([s.kind]), encoded(instead[s.kind].length), instead[s.kind]] : [bytes.subarray(s.from, s.to)]));
  return { list, module: [bytes.subarray(0, 8), ...parts] };
}

// ---------------------------------------------------------------- the file
const versionOf = (original) => `${FORMAT}:${fs.statSync(original).size}`;

/** Write the file of a module, `bytes`, that was read from `original`. */
function makeQuick(file, bytes, original) {
  const { list, module } = rewritten(bytes), size = module.reduce((n, part) => n + part.length, 0);
  const head = Buffer.from(JSON.stringify({ version: versionOf(original), rows: list.length, bytes: list.length + size }));
  const start = Buffer.alloc(8); start.writeUInt32LE(head.length); start.write('LQK1', 4);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    fs.writeFileSync(temporary, Buffer.concat([start, head, list, ...module]));
    fs.renameSync(temporary, file);
  } finally { fs.rmSync(temporary, { force: true }); }
}

function readAt(fd, at, length, bytes = Buffer.allocUnsafeSlow(length)) {
  for (let n, done = 0; done < length; done += n) { n = fs.readSync(fd, bytes, done, length - done, at + done); if (!n) throw new Unreadable('cut off'); }
  return bytes;
}
/** What a file holds: {module: where, rows: where}, each [from, length]; null where there is none for this `original`. */
function places(file, original) {
  if (!file || !fs.existsSync(file)) return null;
  const fd = fs.openSync(file, 'r');
  try {
    const length = readAt(fd, 0, 8).readUInt32LE(0), head = JSON.parse(readAt(fd, 8, length).toString()), from = 8 + length;
    if (head.version !== versionOf(original) || fs.fstatSync(fd).size !== from + head.bytes) return null;
    return { rows: [from, head.rows], module: [from + head.rows, head.bytes - head.rows] };
  } catch { return null; } finally { fs.closeSync(fd); }      // a broken file is none: it is made again
}
/** The bytes of the module of a file that is there, in `into` where they have room there. */
function quickBytes(file, { module: [from, length] }, into) {
  const fd = fs.openSync(file, 'r');
  try { return readAt(fd, from, length, into && into.length >= length ? into.subarray(0, length) : undefined); } finally { fs.closeSync(fd); }
}

// ---------------------------------------------------------------- names
/** A function that gives, for a name, what its row says: a slot, [the value of a global], or null where no export has this name. */
function lookup(file, original, { rows: [from, length] }) {
  let rows = null, names = -1;
  const nameAt = (at, longest) => {                           // no more of it than tells it from one of `longest` characters
    const bytes = Buffer.alloc(MOST_LENGTH + longest + 1);
    fs.readSync(names, bytes, 0, bytes.length, at);
    const [size, start] = number(bytes, 0);
    return bytes.latin1Slice(start, start + Math.min(size, longest + 1));
  };
  return (name) => {
    if (rows === null) {
      const fd = fs.openSync(file, 'r');
      try { rows = readAt(fd, from, length); } finally { fs.closeSync(fd); }
      names = fs.openSync(original, 'r');
    }
    let low = 0, high = rows.length / ROW;
    while (low < high) {
      const middle = (low + high) >> 1, at = rows.readUInt32LE(ROW * middle), found = nameAt(at % GLOBAL, name.length);
      if (found === name) { const value = rows.readInt32LE(ROW * middle + 4); return at >= GLOBAL ? [value] : value; }
      if (found < name) low = middle + 1; else high = middle;
    }
    return null;
  };
}

/**
 * What an instance of the module exports, by name, as one of the original would: a name is looked up when it is asked for.
 * `known`: rows of names, instead of `find`. Gives {exports, asked}: rows of all names that were asked for.
 */
function namedExports(instance, find, known) {
  const { [TABLE]: table, ...kept } = instance.exports, asked = Object.create(null);
  const row = (name) => {
    if (!(name in asked)) asked[name] = known && Object.hasOwn(known, name) ? known[name] : find(name);
    return asked[name];
  };
  const named = new Proxy(Object.create(null), {
    has: (_, name) => typeof name === 'string' && row(name) !== null,
    get: (_, name) => {
      const found = typeof name === 'string' ? row(name) : null;
      if (found === null) return undefined;
      return exports[name] = typeof found === 'number' ? table.get(found) : new WebAssembly.Global({ value: 'i32' }, found[0]);
    },
  });
  const exports = Object.create(null);              // without a prototype it is a dictionary from the start: no new shape with each name
  Object.setPrototypeOf(exports, named);
  Object.assign(exports, kept);
  return { exports, asked };
}

module.exports = { makeQuick, versionOf, places, quickBytes, lookup, namedExports };
