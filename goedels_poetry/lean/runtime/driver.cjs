'use strict';
/*
 * A persistent Lean 4: node driver.cjs <folder of lean.js and lean.wasm> <folder of Init.olean> [JSON settings]
 *
 * One JSON request a line on standard input, one JSON answer a line on standard output (same id). The main thread only
 * reads, writes and keeps the clock; Lean runs in one worker thread, which is replaced after a time-out or a crash.
 */
const fs = require('fs'), path = require('path'), v8 = require('v8');
const { Worker, isMainThread, workerData, parentPort } = require('worker_threads');
const { runtimeSource, wasmBytes } = require('./build.cjs');
const { compileWell, exercise, keepCode, withCode } = require('./code.cjs');
const { emptyMemory, INITIAL } = require('./instance.cjs');
const { makeQuick, places, quickBytes, versionOf } = require('./quick.cjs');

if (isMainThread) main(); else work();

function work() {
  const { start } = require('./instance.cjs'), { lean } = require('./worker.cjs');
  let worker;
  const begin = (objects, kept) => {
    worker = lean(objects, workerData.library);
    for (const [key, env, log] of kept || []) worker.front.environments.set(key, { env, log, error: null });
  };
  const warm = (objects) => { begin(objects, null); worker.warm(); return [...worker.front.environments].map(([k, e]) => [k, e.env, e.log]); };
  start({ ...workerData, log: workerData.debug ? (s) => fs.writeSync(2, `${s}\n`) : null, warm, thaw: begin }, (error, objects) => {
    if (error) { parentPort.postMessage({ fatal: error }); return; }
    if (workerData.save === 'code') exercise(worker);
    parentPort.postMessage({ ready: true });
    parentPort.on('message', (request) => {
      let answer;
      try { answer = worker.handle(request); } catch (e) { answer = { crash: objects.describe(e), stack: String((e && e.stack) || '').slice(0, 600) }; }
      parentPort.postMessage({ answer: { ...answer, memory: objects.memory() } });
    });
  });
}

function main() {
  const began = performance.now();
  const [, , build, library, given] = process.argv;
  const settings = { stackMb: 512, maxMb: 1536, recycleMb: 1000, snapshot: null, quick: null, code: null, save: null, debug: false, ...JSON.parse(given || '{}') };
  const send = (o) => {
    const bytes = Buffer.from(`${JSON.stringify(o)}\n`);
    for (let i = 0; i < bytes.length;) try { i += fs.writeSync(1, bytes, i); } catch (e) { if (e.code !== 'EAGAIN') throw e; }
  };
  const fatal = (error, code) => { send({ event: 'fatal', error }); process.exit(code); };
  if (!fs.existsSync(path.join(library, 'Init.olean'))) fatal(`no Init.olean in ${library}`, 2);
  v8.setFlagsFromString('--wasm-lazy-validation');          // functions are compiled on their first call, not all 147 000 at start
  // Optimised later than by default: most processes answer some tens of requests, and spent a quarter of their processor
  // time on it (60 checks: 7.5 s with 13 million, 5.5 s with 200 million; 250 checks: 17 and 15 s).
  v8.setFlagsFromString('--wasm-tiering-budget=200000000');
  const original = path.join(build, 'lean.wasm');
  let source, wasmModule, quick, wasmSize, code, memory = null;
  try {
    source = runtimeSource(path.join(build, 'lean.js'));
    wasmSize = fs.statSync(original).size;
    if (settings.save === 'snapshot' && settings.quick) makeQuick(settings.quick, wasmBytes(original), original);
    const found = places(settings.quick, original);
    quick = found && [settings.quick, original, found];
    if (settings.save === 'code') compileWell();
    if (found && settings.snapshot && settings.save !== 'snapshot') { memory = emptyMemory(settings.maxMb); memory.grow((found.module[1] + 65535) >> 16); }
    const bytes = found ? quickBytes(settings.quick, found, memory && new Uint8Array(memory.buffer, INITIAL)) : wasmBytes(original);
    const compiled = found && settings.save !== 'code' ? withCode(settings.code, bytes, versionOf(original)) : null;
    code = compiled !== null;
    wasmModule = compiled || new WebAssembly.Module(bytes);
  } catch (e) { fatal(String(e.message), 2); }
  if (!memory) { v8.setFlagsFromString('--expose-gc'); require('vm').runInNewContext('gc')(); }       // the bytes are not needed any more

  let worker = null, ready = false, everReady = false, starts = 0, current = null, timer = null;
  const queue = [];
  function start() {
    ready = false; starts++;
    const w = worker = new Worker(__filename, {
      workerData: { source, wasmModule, wasmSize, quick, library, snapshot: settings.snapshot, save: settings.save, memory, maxMb: settings.maxMb, debug: settings.debug },
      stdout: true, stderr: true,              // what lean.js prints must not reach our standard output
      resourceLimits: { stackSizeMb: settings.stackMb, maxOldGenerationSizeMb: 1024 },
    });
    memory = null;
    w.stdout.resume(); w.stderr.on('data', (d) => { if (settings.debug) fs.writeSync(2, d); });
    w.on('message', (m) => { if (w === worker) hear(m); });
    w.on('error', (e) => { if (w === worker) died(String((e && e.message) || e)); });
    w.on('exit', (code) => { if (w === worker) died(`the worker exited with code ${code}`); });
  }
  function hear(m) {
    if (m.fatal) fatal(m.fatal, 3);
    if (m.ready) {
      if (settings.save === 'code') keepCode(settings.code, wasmModule, versionOf(original));
      if (settings.save) process.exit(0);                       // what it was for is made: nothing is asked of this process
      ready = true;
      if (!everReady) send({ event: 'ready', ms: Math.round(performance.now() - began), code });
      everReady = true; pump(); return;
    }
    const request = current, { answer } = m; finish();
    if (answer.crash) { send({ id: request.id, status: 'crash', error: answer.crash, stack: answer.stack }); restart(); return; }
    send({ id: request.id, status: 'done', rss: process.memoryUsage.rss(), ...answer });
    if (answer.memory > settings.recycleMb * 1048576) restart(); else pump();
  }
  function finish() { clearTimeout(timer); timer = null; current = null; }
  function died(why) {
    const request = current; finish(); worker = null;
    if (request) send({ id: request.id, status: 'crash', error: why });
    if (!everReady && starts > 3) fatal(why, 3);
    start();
  }
  function restart() { const w = worker; worker = null; ready = false; w.terminate().then(start, start); }
  function pump() {
    if (!ready || current || !queue.length) return;
    const request = current = queue.shift();
    timer = setTimeout(() => { finish(); send({ id: request.id, status: 'timeout', error: `no answer within ${request.timeoutMs} ms` }); restart(); }, request.timeoutMs || 60000);
    worker.postMessage(request);
  }
  start();
  let rest = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (data) => {
    const lines = (rest + data).split('\n'); rest = lines.pop();
    for (const line of lines.filter((l) => l.trim())) {
      let request;
      try { request = JSON.parse(line); } catch (e) { send({ event: 'bad-request', error: String(e) }); continue; }
      if (request.op === 'ping') send({ id: request.id, status: 'done', ready, starts, rss: process.memoryUsage.rss() });
      else { queue.push(request); pump(); }
    }
  });
  process.stdin.on('end', () => { if (!settings.save) process.exit(0); });
}
