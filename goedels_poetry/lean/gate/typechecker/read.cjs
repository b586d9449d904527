'use strict';
/*
 * The reader: one JSON object a line, the export format 3.1.0 with `section` and `assumed`. It is strict: ids are
 * consecutive and refer back, every record has exactly the fields of its kind, and a declaration's terms are closed.
 */
const { refuse, tick } = require('./limits.cjs');
const Name = require('./name.cjs');
const Level = require('./level.cjs');
const T = require('./term.cjs');

const MOST_DIGITS = 100000;
const BINDER_INFOS = new Set(['default', 'implicit', 'strictImplicit', 'instImplicit']);

const isObject = (o) => typeof o === 'object' && o !== null && !Array.isArray(o);
const malformed = (what) => refuse(`malformed stream: ${what}`);

/** The object, if these are its fields, no more and no fewer. */
function fields(o, names) {
  if (!isObject(o)) malformed('an object was expected');
  const keys = Object.keys(o);
  if (keys.length !== names.length || !names.every((n) => Object.hasOwn(o, n))) malformed(`fields ${keys} instead of ${names}`);
  return o;
}

const natural = (n) => (Number.isSafeInteger(n) && n >= 0 ? n : malformed('a natural number was expected'));
const truth = (b) => (typeof b === 'boolean' ? b : malformed('true or false was expected'));
const text = (s) => (typeof s === 'string' && s.isWellFormed() ? s : malformed('a text was expected'));
const list = (xs, of) => (Array.isArray(xs) ? xs.map(of) : malformed('a list was expected'));

class Reader {
  constructor(session) {
    this.session = session;
    this.started = false;
    this.begin();
    this.name = (id) => this.names[natural(id)] || malformed(`no name has the id ${id}`);
    this.level = (id) => this.levels[natural(id)] || malformed(`no level has the id ${id}`);
    this.term = (id) => this.terms[natural(id)] || malformed(`no expression has the id ${id}`);
    this.closed = (id) => { const t = this.term(id); return t.loose === 0 ? t : refuse('a loose bound variable'); };
  }

  /** Each section has ids of its own. */
  begin() {
    this.names = [Name.anonymous];
    this.levels = [Level.zero];
    this.terms = [];
  }

  line(json) {
    tick();
    let o;
    try { o = JSON.parse(json); } catch (e) {
      if (!(e instanceof SyntaxError)) throw e;
      malformed('a line that is no JSON');
    }
    if (!isObject(o)) malformed('a line that is no object');
    if (!this.started) {
      const { format } = fields(o, ['meta']).meta || {};
      if (!isObject(format) || format.version !== '3.1.0') malformed('the format has to be 3.1.0');
      this.started = true;
    } else if (Object.hasOwn(o, 'ie')) T.keep(() => this.readTerm(o));
    else if (Object.hasOwn(o, 'in')) this.readName(o);
    else if (Object.hasOwn(o, 'il')) this.readLevel(o);
    else this.readRecord(o);
  }

  next(o, idField, table) {
    const keys = Object.keys(o);
    if (keys.length !== 2 || o[idField] !== table.length) malformed(`${idField} ${o[idField]} where ${table.length} is next`);
    return keys[0] === idField ? keys[1] : keys[0];
  }

  readName(o) {
    const kind = this.next(o, 'in', this.names);
    if (kind === 'str') { const { pre, str } = fields(o.str, ['pre', 'str']); this.names.push(Name.child(this.name(pre), text(str))); }
    else if (kind === 'num') { const { pre, i } = fields(o.num, ['pre', 'i']); this.names.push(Name.child(this.name(pre), natural(i))); }
    else malformed(`a name of kind ${kind}`);
  }

  readLevel(o) {
    const kind = this.next(o, 'il', this.levels);
    const two = () => { const ls = list(o[kind], this.level); return ls.length === 2 ? ls : malformed('two levels were expected'); };
    switch (kind) {
      case 'succ': this.levels.push(Level.succ(this.level(o.succ))); break;
      case 'max': this.levels.push(Level.max(...two())); break;
      case 'imax': this.levels.push(Level.imax(...two())); break;
      case 'param': this.levels.push(Level.param(this.name(o.param))); break;
      default: malformed(`a level of kind ${kind}`);
    }
  }

  readTerm(o) {
    const kind = this.next(o, 'ie', this.terms);
    this.terms.push(this.makeTerm(kind, o[kind]));
  }

  makeTerm(kind, o) {
    switch (kind) {
      case 'app': { const { fn, arg } = fields(o, ['fn', 'arg']); return T.app(this.term(fn), this.term(arg)); }
      case 'bvar': return T.bvar(natural(o) < 2 ** 20 ? o : malformed('a bound variable beyond all binders'));
      case 'const': { const { name, us } = fields(o, ['name', 'us']); return T.constant(this.name(name), Level.list(list(us, this.level))); }
      case 'forallE': return this.binder(T.pi, o);
      case 'lam': return this.binder(T.lam, o);
      case 'letE': {
        const { name, type, value, body, nondep } = fields(o, ['name', 'type', 'value', 'body', 'nondep']);
        this.name(name); truth(nondep);
        return T.letIn(this.term(type), this.term(value), this.term(body));
      }
      case 'sort': return T.sort(this.level(o));
      case 'proj': {
        const { typeName, idx, struct } = fields(o, ['typeName', 'idx', 'struct']);
        return T.proj(this.name(typeName), natural(idx), this.term(struct));
      }
      case 'natVal': return /^(0|[1-9]\d*)$/.test(text(o)) && o.length <= MOST_DIGITS ? T.nat(BigInt(o)) : malformed('a number literal');
      case 'strVal': return T.str(text(o));
      case 'mdata': return this.term(fields(o, ['expr', 'data']).expr);
      default: return malformed(`an expression of kind ${kind}`);
    }
  }

  binder(make, o) {
    const { name, type, body, binderInfo } = fields(o, ['name', 'type', 'body', 'binderInfo']);
    this.name(name);
    if (!BINDER_INFOS.has(binderInfo)) malformed(`a binder that is ${binderInfo}`);
    return make(this.term(type), this.term(body));
  }

  // --------------------------------------------------------------------------------------------------------- declarations

  readRecord(o) {
    const keys = Object.keys(o), [kind] = keys;
    if (keys.length !== 1) malformed(`a record with fields ${keys}`);
    if (kind === 'section') { this.session.section(o.section); this.begin(); return; }
    if (!Object.hasOwn(RECORDS, kind)) malformed(`a record of kind ${kind}`);
    const named = kind === 'inductive' && isObject(o[kind]) && Array.isArray(o[kind].types) ? o[kind].types[0] : o[kind];
    this.session.current = isObject(named) && Number.isInteger(named.name) && this.names[named.name] ? String(this.names[named.name]) : null;
    this.session.declare(kind, () => RECORDS[kind](this, o[kind]));
  }

  head(o) {
    return { name: this.name(o.name), levelParams: list(o.levelParams, this.name), type: this.closed(o.type) };
  }

  safe(o) {
    if (truth(o.isUnsafe)) refuse('an unsafe declaration');
  }
}

const HEAD = ['name', 'levelParams', 'type'];

const RECORDS = {
  axiom(r, o) {
    r.safe(fields(o, [...HEAD, 'isUnsafe']));
    return r.head(o);
  },
  assumed(r, o) {
    fields(o, [...HEAD, 'kind']);
    if (!['thm', 'def', 'opaque'].includes(o.kind)) malformed(`an assumed ${o.kind}`);
    return { ...r.head(o), assumedKind: o.kind };
  },
  def(r, o) {
    fields(o, [...HEAD, 'value', 'hints', 'safety', 'all']);
    if (o.safety !== 'safe') refuse(`a definition that is ${o.safety}`);
    list(o.all, r.name);
    let rank = -1;
    if (o.hints === 'abbrev') rank = Infinity;
    else if (o.hints !== 'opaque') rank = natural(fields(o.hints, ['regular']).regular);
    return { ...r.head(o), value: r.closed(o.value), rank };
  },
  thm(r, o) {
    fields(o, [...HEAD, 'value', 'all']);
    list(o.all, r.name);
    return { ...r.head(o), value: r.closed(o.value) };
  },
  opaque(r, o) {
    r.safe(fields(o, [...HEAD, 'value', 'isUnsafe', 'all']));
    list(o.all, r.name);
    return { ...r.head(o), value: r.closed(o.value) };
  },
  quot(r, o) {
    return { ...r.head(fields(o, [...HEAD, 'kind'])), kind: o.kind };
  },
  inductive(r, o) {
    fields(o, ['types', 'ctors', 'recs']);
    const types = list(o.types, (t) => {
      fields(t, [...HEAD, 'numParams', 'numIndices', 'all', 'ctors', 'numNested', 'isRec', 'isUnsafe', 'isReflexive']);
      r.safe(t);
      return {
        ...r.head(t), numParams: natural(t.numParams), numIndices: natural(t.numIndices), all: list(t.all, r.name), ctors: list(t.ctors, r.name),
        numNested: natural(t.numNested), isRec: truth(t.isRec), isReflexive: truth(t.isReflexive),
      };
    });
    const ctors = list(o.ctors, (c) => {
      fields(c, [...HEAD, 'induct', 'cidx', 'numParams', 'numFields', 'isUnsafe']);
      r.safe(c);
      return { ...r.head(c), induct: r.name(c.induct), cidx: natural(c.cidx), numParams: natural(c.numParams), numFields: natural(c.numFields) };
    });
    const recs = list(o.recs, (c) => {
      fields(c, [...HEAD, 'all', 'numParams', 'numIndices', 'numMotives', 'numMinors', 'rules', 'k', 'isUnsafe']);
      r.safe(c);
      return {
        ...r.head(c), all: list(c.all, r.name), numParams: natural(c.numParams), numIndices: natural(c.numIndices),
        numMotives: natural(c.numMotives), numMinors: natural(c.numMinors), k: truth(c.k),
        rules: list(c.rules, (rule) => {
          fields(rule, ['ctor', 'nfields', 'rhs']);
          return { ctor: r.name(rule.ctor), nfields: natural(rule.nfields), rhs: r.closed(rule.rhs) };
        }),
      };
    });
    if (types.length === 0) malformed('an inductive declaration without a type');
    return { types, ctors, recs };
  },
};

/** Hand every declaration in these bytes to the session. */
function read(bytes, session) {
  let stream;
  try { stream = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes); } catch (e) {
    if (e.code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw e;        // too long for a string, perhaps
    malformed('not UTF-8');
  }
  const reader = new Reader(session);
  for (let from = 0; from < stream.length;) {
    let to = stream.indexOf('\n', from);
    if (to < 0) to = stream.length;
    if (to > from) reader.line(stream.slice(from, to));
    from = to + 1;
  }
  if (!reader.started) malformed('an empty stream');
}

module.exports = { read };
