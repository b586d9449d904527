'use strict';
/*
 * Lean's program as machine code, for the functions that most texts call. V8 compiles a function when it is called first, which
 * is the larger part of what the first requests of a process take. Compiled once with V8's better compiler, while it is told to use
 * no other, the code is written down as V8 itself writes and reads it: for this version of V8, these flags and this processor.
 *
 * A file: {'LCD1', length of the head, head, the code}.
 */
const fs = require('fs'), path = require('path'), v8 = require('v8'), zlib = require('zlib');

const FORMAT = 1;
const COMPILING = ['liftoff', 'wasm-tier-up', 'wasm-inlining'];      // inlined code is three times as long, and saves nothing
const SAMPLES = path.join(__dirname, 'samples.lean'), BETWEEN = /^----$/m;

/** From now on every function that is called is compiled well. */
const compileWell = () => COMPILING.forEach((flag) => v8.setFlagsFromString(`--no-${flag}`));

/** Ask a worker all that most programs ask one. */
function exercise(worker) {
  for (const code of fs.readFileSync(SAMPLES, 'utf8').split(BETWEEN)) {
    worker.handle({ op: 'check', code, holes: true, commands: true, declarations: true });
    const { imports, data } = worker.handle({ op: 'check', code, commands: true, export: true, reference: code, barred: [], kinds: [] });
    if (data) worker.handle({ op: 'replay', modules: imports, data, library: true });
  }
}

/** A function of V8 itself; null where this V8 has none of this name. */
function native(name, parameters) {
  v8.setFlagsFromString('--allow-natives-syntax');
  try { return new Function(...parameters, `return %${name}(${parameters})`); } catch { return null; }
}
const versionOf = (of) => `${FORMAT}:${of}`;

/** Write what is compiled of `module`, whose bytes are those that `of` names. */
function keepCode(file, module, of) {
  const serialise = native('SerializeWasmModule', ['module']);
  if (!serialise || !zlib.crc32) return;
  COMPILING.forEach((flag) => v8.setFlagsFromString(`--${flag}`));    // V8 compares the flags
  const code = Buffer.from(serialise(module)), head = Buffer.from(JSON.stringify({ version: versionOf(of), bytes: code.length, sum: zlib.crc32(code) }));
  const start = Buffer.alloc(8); start.writeUInt32LE(head.length); start.write('LCD1', 4);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    fs.writeFileSync(temporary, Buffer.concat([start, head, code]));
    fs.renameSync(temporary, file);
  } finally { fs.rmSync(temporary, { force: true }); }
}

/** The module of the bytes `wire`, which `of` names, with the code of a file; null where there is none that can be used. */
function withCode(file, wire, of) {
  if (!file || !fs.existsSync(file) || !zlib.crc32) return null;
  try {
    const fd = fs.openSync(file, 'r'), start = Buffer.alloc(8);
    let code;
    try {
      fs.readSync(fd, start, 0, 8, 0);
      const length = start.readUInt32LE(0), text = Buffer.alloc(Math.min(length, 4096));
      fs.readSync(fd, text, 0, text.length, 8);
      const head = JSON.parse(text.toString());
      if (head.version !== versionOf(of) || fs.fstatSync(fd).size !== 8 + length + head.bytes) return null;
      code = Buffer.allocUnsafeSlow(head.bytes);
      for (let n, done = 0; done < code.length; done += n) { n = fs.readSync(fd, code, done, code.length - done, 8 + length + done); if (!n) return null; }
      if (zlib.crc32(code) !== head.sum) return null;
    } finally { fs.closeSync(fd); }
    const deserialise = native('DeserializeWasmModule', ['code', 'wire']), module = deserialise && deserialise(code.buffer, wire);
    if (code.buffer.transfer) code.buffer.transfer(0);                // its memory is free at once
    return module || null;
  } catch { return null; } finally { v8.setFlagsFromString('--no-allow-natives-syntax'); }      // a broken file is none: it is made again
}

module.exports = { compileWell, exercise, keepCode, withCode };
