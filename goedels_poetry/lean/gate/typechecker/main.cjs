'use strict';
/*
 * A second kernel for Lean 4: checks exported declarations, independently of Lean's own kernel.
 *
 *   node --permission --allow-worker --allow-fs-read=<this folder> main.cjs '<settings JSON>' < stream
 *
 * The stream (NDJSON) holds a library, then what a stranger declares; the answer is one line of JSON on standard output.
 * Settings: seconds, secondsEach, mode ("all" or "each"), premises, checked, memoryMb. Verdicts: accepted; refused (a rule
 * of the type theory or of the format is broken); undecided (time, memory or stack ran out).
 *
 * Who calls whom, from the outside to the inside:
 *
 *   main          this process, its limits, the answer; the check runs in a worker, as only a worker can have a large stack
 *   read          lines -> names, levels, terms, records
 *   declare       a record -> a constant; what a candidate may declare; verdicts
 *   inductive     inductive types and their recursors;  nested  takes nested occurrences apart;  quotient  Quot
 *   arithmetic    which functions on numbers may be computed on literals
 *   infer         types of terms  }
 *   reduce        weak head normal forms  }  these four call each other
 *   equal         definitional equality  }
 *   literal       numbers and strings  }
 *   environment   the constants declared so far
 *   term, level, name   hash-consed data;  limits  the clock, and the two exceptions
 *
 * Written from: M. Carneiro, The Type Theory of Lean (2019), and Lean4Lean (2024); C. Bailey, Type Checking in Lean 4 (2023)
 * and nanoda_lib; G. Ebner, trepplein (2017); the kernel of Lean 4 (L. de Moura and others, 2013-2026) for the behaviour to
 * agree with; the soundness faults found in these by 2026 (leanprover/lean-kernel-arena) for what not to do.
 */
const v8 = require('v8'), { Worker, isMainThread, workerData, parentPort } = require('worker_threads');

const YOUNG_MB = 192;
const NOTHING = { candidate: 0, library: 0, assumed: 0, skipped: 0 };

const faulty = (e) => ({ verdict: 'undecided', declaration: null, reason: `a fault of the kernel: ${e.message}`, section: null, checked: NOTHING, ms: 0 });

if (isMainThread) main().catch((e) => say(faulty(e)));
else work();

/** The answer, and the end of the process. */
function say(answer) { process.stdout.write(`${JSON.stringify(answer)}\n`, () => process.exit(0)); }

/** The worker: checks the stream and says what it finds, and by when. */
function work() {
  const { read } = require('./read.cjs'), { Session, outcome } = require('./declare.cjs');
  const session = new Session(workerData.settings, (m) => parentPort.postMessage(m));
  let end = { verdict: 'accepted', reason: '' };
  try { read(workerData.bytes, session); } catch (e) { end = outcome(e); }
  const declaration = end.verdict === 'accepted' ? null : session.current, section = session.inLibrary ? 'library' : 'candidate';
  parentPort.postMessage({ end: { ...end, declaration, section, checked: session.counts } });
}

function settingsOf(json) {
  const given = JSON.parse(json || '{}');
  const settings = { seconds: 60, secondsEach: 10, mode: 'all', premises: [], checked: [], memoryMb: 2048, stackMb: 512, ...given };
  const isNumber = (n) => typeof n === 'number' && n > 0, isNames = (ns) => Array.isArray(ns) && ns.every((n) => typeof n === 'string');
  if (!['all', 'each'].includes(settings.mode) || !['seconds', 'secondsEach', 'memoryMb', 'stackMb'].every((k) => isNumber(settings[k]))
    || !isNames(settings.premises) || !isNames(settings.checked)) throw new Error('settings that make no sense');
  return settings;
}

/** The main thread: reads, keeps the clock, answers. */
async function main() {
  const settings = settingsOf(process.argv[2]);
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const bytes = new Uint8Array(Buffer.concat(chunks)), began = performance.now(), each = [];
  // Nearly all terms live until their declaration is done: few and large scavenges, by one thread, are half the time.
  v8.setFlagsFromString('--no-parallel-scavenge');
  v8.setFlagsFromString('--min-semi-space-size=32');
  const worker = new Worker(__filename, {
    workerData: { settings, bytes }, transferList: [bytes.buffer], stdout: true, stderr: true,
    resourceLimits: {
      stackSizeMb: settings.stackMb,
      maxOldGenerationSizeMb: settings.memoryMb, maxYoungGenerationSizeMb: Math.min(YOUNG_MB, settings.memoryMb / 4),
    },
  });

  let started = null, clock = null, answered = false;
  function answer(end) {
    if (answered) return;
    answered = true;
    const ms = Math.round(performance.now() - began);
    if (settings.mode === 'each' && end.verdict !== 'accepted' && started !== null) {
      each.push({ declaration: started, verdict: end.verdict, reason: end.reason });
    }
    const whole = settings.mode === 'each' ? { each, ...end, verdict: end.verdict === 'accepted' ? 'done' : end.verdict } : end;
    say({ ...whole, ms });
  }
  const broken = (reason) => answer({ verdict: 'undecided', declaration: started, reason, section: null, checked: NOTHING });

  // The worker looks at the clock itself. It is stopped from here where it does not get to that.
  function watch(seconds) {
    clearTimeout(clock);
    clock = setTimeout(() => { worker.terminate(); broken('out of time'); }, seconds * 1000 + 1000);
  }
  watch(settings.seconds);
  worker.on('message', (m) => {
    if (m.end) { answer(m.end); return; }
    if (m.started) { started = m.started; watch(settings.secondsEach); return; }
    if (m.verdict) { started = null; each.push({ declaration: m.declaration, verdict: m.verdict, reason: m.reason }); watch(settings.seconds); }
  });
  worker.on('error', (e) => broken(e.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'out of memory' : `a fault of the kernel: ${e.message}`));
  worker.on('exit', () => broken('the worker ended'));
}
