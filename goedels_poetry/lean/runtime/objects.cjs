'use strict';
/*
 * Lean objects in the memory of a wasm32 instance. header {i32 rc; u16 size; u8 other; u8 tag}; a scalar n is (n<<1)|1.
 * Functions of Lean are called under their exported C names; the `___boxed` variants take every argument owned.
 */
const encoder = new TextEncoder(), decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });   // every character counts
const CLOSURE = 245;

function objects(module) {
  const wx = module.__x;
  let H32, U32, H8;
  const views = () => {
    const { buffer } = module.__mem();
    if (!H32 || H32.buffer !== buffer) { H32 = new Int32Array(buffer); U32 = new Uint32Array(buffer); H8 = new Uint8Array(buffer); }
    return H8;
  };
  views();
  const box = (n) => (n << 1) | 1, isScalar = (o) => (o & 1) === 1, unbox = (o) => o >>> 1;   // 31 bits without a sign
  const inc = (o) => {
    if (!isScalar(o)) { views(); const rc = H32[o >> 2]; if (rc > 0) H32[o >> 2] = rc + 1; else if (rc < 0) Atomics.sub(H32, o >> 2, 1); }
    return o;
  };
  const dec = (o) => {
    if (isScalar(o)) return;
    views(); const rc = H32[o >> 2];
    if (rc > 1) H32[o >> 2] = rc - 1; else if (rc !== 0) wx.lean_dec_ref_cold(o);
  };
  const tag = (o) => { if (isScalar(o)) return unbox(o); views(); return H8[o + 7]; };
  const count = (o) => { views(); return H8[o + 6]; };                            // object fields of a constructor
  const size = (o) => { views(); return H8[o + 4] | (H8[o + 5] << 8); };
  const fld = (o, i) => { views(); return H32[(o + 8 + 4 * i) >> 2]; };            // borrowed
  const byte = (o, i) => { views(); return H8[o + 8 + 4 * H8[o + 6] + i]; };       // of the scalar part
  const setByte = (o, i, v) => { views(); H8[o + 8 + 4 * H8[o + 6] + i] = v; };
  const arrLen = (a) => { views(); return U32[(a + 8) >> 2]; };
  const arrGet = (a, i) => { views(); return H32[(a + 16 + 4 * i) >> 2]; };        // borrowed
  const items = (a) => Array.from({ length: arrLen(a) }, (_, i) => arrGet(a, i));
  const list = (l) => { const r = []; while (!isScalar(l)) { r.push(fld(l, 0)); l = fld(l, 1); } return r; };
  const F = (name) => { const f = wx[name]; if (!f) throw new Error(`lean.wasm does not export ${name}`); return f; };
  const global = (name) => { const g = wx[name]; views(); return inc(H32[(typeof g === 'object' ? g.value : g) >> 2]); };

  const ctor = (t, fields, scalarBytes = 0) => {
    const bytes = (8 + 4 * fields.length + scalarBytes + 7) & ~7, o = wx.lean_alloc_object(bytes);
    views(); H32[o >> 2] = 1; H8[o + 4] = bytes & 255; H8[o + 5] = bytes >> 8; H8[o + 6] = fields.length; H8[o + 7] = t;
    H8.fill(0, o + 8, o + bytes); fields.forEach((f, i) => { H32[(o + 8 + 4 * i) >> 2] = f; });
    return o;
  };
  /** A copy of a constructor object with object field i replaced by v (owned); o is borrowed. */
  const copyWith = (o, i, v) => {
    const n = count(o), bytes = size(o), c = wx.lean_alloc_object(bytes);
    views(); H8.copyWithin(c + 4, o + 4, o + bytes); H32[c >> 2] = 1;
    for (let k = 0; k < n; k++) if (k !== i) inc(H32[(c + 8 + 4 * k) >> 2]);
    H32[(c + 8 + 4 * i) >> 2] = v;
    return c;
  };
  const emptyArray = () => wx.lean_mk_array(box(0), box(0));
  const array = (owned) => owned.reduce((a, o) => wx.lean_array_push(a, o), emptyArray());
  const string = (s) => {
    const u = encoder.encode(s), p = wx.malloc(u.length + 1);
    views(); H8.set(u, p); H8[p + u.length] = 0;
    const o = wx.lean_mk_string_from_bytes(p, u.length); wx.free(p);
    return o;
  };
  const stringBytes = (o) => { views(); return U32[(o + 8) >> 2] - 1; };
  const text = (o) => { const n = stringBytes(o); return decoder.decode(H8.slice(o + 20, o + 20 + n)); };
  const takeText = (o) => { const s = text(o); dec(o); return s; };
  const name = (s) => s.split('.').reduce((n, p) => wx.lean_name_mk_string(n, string(p)), box(0));
  // Different names give different texts: a part that could be taken for something else is quoted, `«Classical.choice»`.
  const part = (s) => (/["«»]/.test(s) ? JSON.stringify(s) : /^\d*$|[\s.]/.test(s) ? `«${s}»` : s);
  const nameText = (n) => {
    const parts = [];
    while (!isScalar(n)) { const x = fld(n, 1); parts.unshift(tag(n) === 1 ? part(text(x)) : isScalar(x) ? String(unbox(x)) : takeText(F('l_Nat_reprFast')(inc(x)))); n = fld(n, 0); }
    return parts.join('.');
  };
  /** The value of an IO result (owned); throws what Lean threw. */
  const io = (r) => {
    const v = inc(fld(r, 0)), t = tag(r); dec(r);
    if (t !== 0) throw new Error(`IO error: ${takeText(F('lean_io_error_to_string')(v))}`);
    return v;
  };

  // One table slot serves every JavaScript function that Lean calls back: calls are nested, never concurrent.
  let slot = -1;
  const stack = [];
  /** A Lean closure of five arguments (those of MetaM) that runs a JavaScript function. */
  const closure = (js) => {
    if (slot < 0) {
      const table = wx.__indirect_function_table;
      slot = table.length; table.grow(1);
      table.set(slot, module.convertJsFunctionToWasm((a, b, c, d, w) => stack[stack.length - 1](a, b, c, d, w), 'iiiiii'));
    }
    stack.push(js);
    const o = wx.lean_alloc_object(16);
    views(); H32[o >> 2] = 1; H8.set([16, 0, 0, CLOSURE], o + 4); H32[(o + 8) >> 2] = slot; H8.set([5, 0, 0, 0], o + 12);
    return o;
  };
  const closed = () => stack.pop();
  return { wx, views, box, isScalar, unbox, inc, dec, tag, count, fld, byte, setByte, arrLen, arrGet, items, list, F, global, ctor, copyWith,
    emptyArray, array, string, stringBytes, text, takeText, name, nameText, io, closure, closed, UNIT: box(0), NONE: box(0), NIL: box(0), FALSE: box(0), TRUE: box(1) };
}
module.exports = { objects };
