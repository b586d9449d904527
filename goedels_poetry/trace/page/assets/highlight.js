// Text for people to see: nothing invisible, nothing executed. Small highlighters for what proofs are written in.

/** An element. Children are nodes or texts, and texts stay texts; of attributes only these names are set. */
function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'on') for (const [event, heard] of Object.entries(value)) element.addEventListener(event, heard);
    else if (name === 'class') element.className = value;
    else if (name === 'value') element.value = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** A text in which characters that cannot be seen, or turn others around, are spelled. */
function shown(text) {
  return String(text).replace(INVISIBLE, c => {
    const code = c.charCodeAt(0);
    return code < 32 ? String.fromCharCode(0x2400 + code) : `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

const oneLine = (text, limit = 400) => {
  const line = shown(text).replace(/\s+/g, ' ').trim();
  return line.length > limit ? `${line.slice(0, limit)}…` : line;
};

const words = list => new RegExp(`^(?:${list.trim().split(/\s+/).map(w => w.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})$`);

const LEAN_WORDS = words(`abbrev axiom by calc class def deriving do else end example exists fun have if import in inductive
  infix infixl infixr instance lemma let local macro match mutual namespace noncomputable notation open opaque private
  protected section show structure suffices syntax termination_by then theorem universe variable where with at from
  decreasing_by return for unless partial unsafe set_option attribute`);
const LEAN_TACTICS = words(`simp simp_all simpa rw rfl exact intro intros induction cases rcases omega decide apply refine
  constructor exfalso contradiction funext ext ring linarith nlinarith norm_num positivity aesop unfold subst symm trans
  rewrite generalize revert obtain assumption trivial split left right use sorry grind bv_decide native_decide rintro
  all_goals any_goals repeat first try specialize injection next case dsimp change clear rename`);
const SMT_WORDS = words(`assert check-sat check-sat-assuming declare-const declare-fun declare-sort declare-datatype
  declare-datatypes define-fun define-fun-rec define-funs-rec define-sort define-const set-logic set-info set-option push
  pop exit echo get-model get-value get-proof get-unsat-core prove reset par match let forall exists as lambda sequent`);
const SMT_SYMBOLS = words('=> and or not xor = distinct ite + - * / div mod abs < <= > >= is select store true false _ !');
const PYTHON_WORDS = words(`and as assert async await break case class continue def del elif else except finally for from
  global if import in is lambda match nonlocal not or pass raise return try while with yield None True False self`);

const rest = token => (/^[\d-]/.test(token) ? 'number' : '');
const LANGUAGES = {
  lean: {
    tokens: /--[^\n]*|\/-[\s\S]*?(?:-\/|$)|"(?:\\[\s\S]|[^"\\])*"|\b\d[\w.]*|[\p{L}_][\p{L}\p{N}_'!?.₀-₉]*|[←→↔∀∃λ¬∧∨≤≥≠⟨⟩∣∈∉⊢·×]|:=/gu,
    kind: t => /^(--|\/-)/.test(t) ? 'comment' : t[0] === '"' ? 'string' : LEAN_WORDS.test(t) ? 'keyword'
      : LEAN_TACTICS.test(t) ? 'call' : /^[^\p{L}\p{N}_]/u.test(t) ? 'symbol' : rest(t),
  },
  smt2: {
    tokens: /;[^\n]*|"(?:""|[^"])*"|\|[^|]*\||:[\w-]+|-?\b\d+(?:\.\d+)?\b|[^\s()";|]+/g,
    kind: t => t[0] === ';' ? 'comment' : t[0] === '"' ? 'string' : t[0] === ':' ? 'label' : SMT_WORDS.test(t) ? 'keyword'
      : SMT_SYMBOLS.test(t) ? 'symbol' : rest(t),
  },
  python: {
    tokens: /#[^\n]*|(?:[rbfRBF]{0,2})(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|@[\w.]+|\b\d[\w.]*|[\p{L}_][\p{L}\p{N}_]*/gu,
    kind: t => t[0] === '#' ? 'comment' : /^[rbfRBF]{0,2}["']/.test(t) ? 'string' : t[0] === '@' ? 'label'
      : PYTHON_WORDS.test(t) ? 'keyword' : rest(t),
  },
  json: {
    tokens: /"(?:\\.|[^"\\])*"(?=\s*:)|"(?:\\.|[^"\\])*"|-?\b\d[\d.eE+-]*|\b(?:true|false|null)\b/g,
    kind: (t, text, end) => t[0] === '"' ? (/^\s*:/.test(text.slice(end, end + 20)) ? 'label' : 'string')
      : /^[tfn]/.test(t) ? 'keyword' : 'number',
  },
  outline: {
    tokens: /^\s*(?:lemma \d+|theorem|contract|then|case [^:\n]*|claim)(?=:)|^\s*(?:induction|cases?|by|definitions?|closed by)\b[^\n:]*|\b(?:if|then|and|or|not|for all|there is)\b|=>|!=|<=|>=|[=<>]/gm,
    kind: t => /^\s*(?:lemma|theorem|contract|claim)/.test(t) ? 'keyword' : /^\s*(?:induction|cases?|by|definition|closed|then$|case)/.test(t) && t !== 'then' ? 'call'
      : /^\s+then$/.test(t) ? 'call' : 'symbol',
  },
};
LANGUAGES.smt = LANGUAGES.smt2;
LANGUAGES.py = LANGUAGES.python;
const MOST_HIGHLIGHTED = 60_000;

/** Text with its tokens coloured; what comes after the first 60,000 characters stays plain. */
function highlighted(text, language) {
  const fragment = document.createDocumentFragment();
  const spelled = shown(text), rules = LANGUAGES[language];
  const head = rules ? spelled.slice(0, MOST_HIGHLIGHTED) : '';
  let done = 0;
  for (const found of head ? head.matchAll(rules.tokens) : []) {
    if (!found[0]) continue;
    const kind = rules.kind(found[0], head, found.index + found[0].length);
    if (!kind) continue;
    fragment.append(head.slice(done, found.index), el('span', {class: `tok-${kind}`}, found[0]));
    done = found.index + found[0].length;
  }
  fragment.append(spelled.slice(done));
  return fragment;
}

const code = (text, language) => el('pre', {class: 'code', tabindex: 0, dir: 'ltr'}, highlighted(text, language));

/** A text with what was searched for marked. */
function marked(text, needle) {
  const fragment = document.createDocumentFragment();
  const lower = text.toLowerCase();
  let done = 0;
  for (let at; needle && (at = lower.indexOf(needle, done)) >= 0 && lower.length === text.length; done = at + needle.length) {
    fragment.append(text.slice(done, at), el('mark', {}, text.slice(at, at + needle.length)));
  }
  fragment.append(text.slice(done));
  return fragment;
}

const seconds = milliseconds => {
  const s = milliseconds / 1000;
  return s < 0.01 ? `${milliseconds} ms` : s < 10 ? `${s.toFixed(2)} s` : s < 120 ? `${s.toFixed(1)} s`
    : `${Math.floor(s / 60)} min ${String(Math.round(s % 60)).padStart(2, '0')} s`;
};
const plural = (count, one, many = `${one}s`) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
