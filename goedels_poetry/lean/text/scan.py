"""The allow-list for Lean text that is not the user's: what may stand in a proof, and what may not.

Text is judged before Lean sees it. What stands in the user's own file, command by command, is the user's business;
everything else may declare theorems and definitions, and nothing that reaches into Lean itself, changes how text is
read, adds axioms or switches checks off.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from goedels_poetry.lean.runtime.tokens import Token, is_doubtful, starts_word, tokenize


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that may not stand there. ``line`` from 1, ``column`` from 0."""

    rule: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        return f"{self.line}:{self.column}: {self.rule}: {self.text}"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ALLOWED_COMMANDS = _words(
    "theorem lemma def abbrev example inductive structure namespace section end open variable universe mutual "
    "include omit set_option attribute instance class deriving opaque grind_pattern "
    "notation infix infixl infixr prefix postfix macro"
)
_COMPARED = dict.fromkeys(_words("notation infix infixl infixr prefix postfix macro"), "notation") | {"opaque": "axiom"}
"""Commands that are harmless only where what a text declares is compared with a user's original, as data."""
_RULES = {
    "sorry": "sorry admit stop sorryAx proof_wanted",
    "axiom": "axiom",
    "native": "native_decide ofReduceBool ofReduceNat reduceBool reduceNat trustCompiler",
    "unsafe": "unsafe partial unsafeCast lcProof lcUnreachable lcAny lcErased ptrAddrUnsafe implemented_by extern "
    "csimp unsafeIO unsafeBaseIO unsafeEIO unsafeRunMetaM withPtrEqUnsafe isExclusiveUnsafe evalConst evalConstCheck "
    "evalDecl evalExpr evalExpr' evalSyntaxConstant markPersistent markMT",
    "notation": "unif_hint notation3 syntax macro_rules "
    "declare_syntax_cat binder_predicate elab elab_rules declare_simp_like_tactic declare_config_elab",
    "metaprogram": "run_cmd run_elab run_meta run_tac by_elab elab_term eval% set_library_suggestions "
    "register_try?_tactic register_grind_attr grind_propagator builtin_grind_propagator initialize "
    "builtin_initialize simproc dsimproc simproc_decl dsimproc_decl builtin_simproc builtin_dsimproc "
    "builtin_simproc_decl register_simp_attr register_builtin_option register_option register_label_attr "
    "register_tactic_tag register_parser_alias register_error_explanation tactic_extension "
    "show_term_elab modifyEnv setEnv addDecl addAndCompile "
    "meta public add_decl_doc recommended_spelling initialize_simps_projections",
    "export": "export",
    "import": "include_str import prelude module",
    "suggestion": "exact? apply? rw? rw?? simp? simp_all? dsimp? simpa? aesop? decide? norm_num? try? rfl? grind? "
    "show_term polyrith bound? ring? omega? library_search",
}
RULE_OF = {word: rule for rule, words in _RULES.items() for word in words.split()}
"""Words that may not stand in text of others, and the rule that says so."""
_PARTS = frozenset(w for rule in ("native", "unsafe") for w in _RULES[rule].split()) - {"unsafe", "partial"} | {
    "sorryAx",
    "modifyEnv",
    "setEnv",
    "addDecl",
}
"""Forbidden also as part of a dotted name: ``Lean.ofReduceBool``."""
_TOLD = frozenset({"sorry", "axiom", "native", "suggestion"})
"""Rules whose breach Lean tells in what a theorem rests on; a breach of the others could deceive Lean itself."""
DECEIVING = tuple(
    sorted(w for w, rule in RULE_OF.items() if rule not in _TOLD)
    + sorted(f".{w}" for w in _PARTS if RULE_OF.get(w) not in _TOLD)
)
"""Words that Lean is not to elaborate in text of others; ".word" for a word that no dotted name may have."""
DECEIVING_RULES = frozenset({"metaprogram", "notation", "unsafe", "native", "unterminated"})
"""Rules against what could make a text say something else than a reader takes it to say."""
_LIBRARIES = _words("Init Std Lean Batteries Aesop Qq Mathlib")
"""What may be imported in addition: a module of these changes no statement without being seen in it."""
_HASH_COMMANDS = _words(
    "eval check print reduce exit synth guard guard_msgs guard_expr help where version info_trees widget html find "
    "loogle leansearch moogle search test lint norm_num simp conv check_failure discr_tree_key import_bumps "
    "print_axioms unify eval_expr min_imports check_assertions string_diagrams minimize_imports dump"
)
_ATTRIBUTES = _words(
    "simp grind ext refl symm trans congr gcongr mono elab_as_elim reducible irreducible semireducible inline simps "
    "aesop push_cast norm_cast fun_prop bv_normalize deprecated nolint specialize induction_eliminator "
    "cases_eliminator seval wf_preprocess mono_nat local scoped instance match_pattern coe class always_inline "
    "macro_inline specialize nospecialize to_additive elab_without_expected_type"
)
_MODIFIERS = _words(
    "private protected noncomputable nonrec unsafe partial public meta local scoped scoped[ to_additive"
)
_LIMITS = {
    "maxHeartbeats": 10_000_000,
    "synthInstance.maxHeartbeats": 10_000_000,
    "maxRecDepth": 1_000_000,
    "synthInstance.maxSize": 100_000,
    "exponentiation.threshold": 100_000,
}
"""Options with a number: at most so much; 0 is no limit of Lean's own, the clock's holds all the same."""
_SWITCHES = {"autoImplicit": ("false",), "relaxedAutoImplicit": ("false",)}
_FREE_OPTIONS = ("linter.", "pp.")
_TWINS = str.maketrans(
    "асдеіјԛорсухѕһԁӏԝвкмнтАВЕКМНОРСТХοιενρτυχացոս",
    "acdeijqopcyxshdlwBKMHTABEKMHOPCTXoievptuxwgnu",
)
"""Letters of other scripts that look like Latin ones."""


def scan(text: str, original: str = "", *, compared: bool = False) -> tuple[Finding, ...]:
    """Everything in ``text`` that may not stand there, in the order of the text.

    ``compared``: what it declares will be compared with a user's original, so that it may change how it is read.

    Commands that stand the same in ``original`` (white space and comments aside, in the same order) are the user's
    and are not looked at; neither is what a changed command has in common with the user's, up to the first difference.
    """
    all_tokens, theirs = tokenize(text), tokenize(original)
    found = [*_characters(text, original), *_broken(all_tokens)]
    doubtful = {t.text for t in theirs if is_doubtful(t, original)}
    known = {token.text for token in theirs}
    chunks, before = _chunks(all_tokens), _chunks(theirs)
    foreign: list[tuple[list[Token], int]] = []
    matcher = SequenceMatcher(None, [_key(c) for c in before], [_key(c) for c in chunks], autojunk=False)
    for tag, a, a_end, b, b_end in matcher.get_opcodes():
        if tag == "equal":
            continue
        free = before[a:a_end]
        foreign += [(chunk, max((_common(chunk, f) for f in free), default=0)) for chunk in chunks[b:b_end]]
    for chunk, shared in foreign:
        found += _chunk(chunk, shared, known, {} if compared else _COMPARED)
    for token in all_tokens:
        if token.text not in doubtful and is_doubtful(token, text):
            words = f"not clear where this {token.kind} ends; write it another way"
            found.append(Finding("ambiguous", token.line, token.column, words))
    return tuple(sorted(set(found), key=lambda f: (f.line, f.column, f.rule)))


# ---------------------------------------------------------------- commands


def _chunks(tokens: Iterable[Token]) -> list[list[Token]]:
    """The tokens, comments left out, cut before each word that may begin a command (with its modifiers)."""
    chunks: list[list[Token]] = [[]]
    for token in tokens:
        if token.kind in ("comment", "doc"):
            continue
        begins = token.kind == "word" and not token.inner and (token.text in ALLOWED_COMMANDS or token.text in RULE_OF)
        if begins and not _in_a_list(chunks[-1]):
            head = _modifiers(chunks[-1])
            moved = chunks[-1][head:]
            del chunks[-1][head:]
            chunks.append(moved)
        chunks[-1].append(token)
    return [chunk for chunk in chunks if chunk]


def _in_a_list(before: Sequence[Token]) -> bool:
    """Whether the next word is an attribute: `attribute [local instance]`."""
    last = [token.text for token in before[-2:]]
    return bool(last) and (last[-1] in ("[", ",") or (last[-1] in ("local", "scoped") and last[0] in ("[", ",")))


def _modifiers(chunk: Sequence[Token]) -> int:
    """Where the modifiers and attributes at the end of a chunk begin: they belong to what follows."""
    end = len(chunk)
    while end:
        last = chunk[end - 1].text
        if last in _MODIFIERS:
            end -= 1
        elif last == "]":
            opening = end - 1
            while opening > 0 and not (chunk[opening].text == "[" and chunk[opening - 1].text == "@"):
                opening -= 1
            if opening == 0:
                break
            end = opening - 1
        else:
            break
    return end


def _key(chunk: Sequence[Token]) -> tuple[str, ...]:
    return tuple(token.text for token in chunk)


def _common(chunk: Sequence[Token], other: Sequence[Token]) -> int:
    for i, (a, b) in enumerate(zip(chunk, other, strict=False)):
        if a.text != b.text:
            return i
    return min(len(chunk), len(other))


def _chunk(chunk: Sequence[Token], shared: int, known: set[str], also: Mapping[str, str]) -> Iterable[Finding]:
    attributes = _AttributeLists()
    for i, token in enumerate(chunk):
        rule = _word_rule(token, known) or also.get(token.text) if token.kind == "word" else None
        if token.text == "import" and i + 1 < len(chunk) and chunk[i + 1].text.split(".")[0] in _LIBRARIES:
            rule = None
        if rule is not None and (i >= shared or rule == "sorry"):
            yield Finding(rule, token.line, token.column, f"`{token.text}`")
        if i < shared:
            continue
        following = chunk[i + 1] if i + 1 < len(chunk) else None
        if token.text == "#" and following is not None and following.start == token.end and _is_hash(token, following):
            yield Finding("command", token.line, token.column, f"`#{following.text}`")
        if token.text in ("+", "native") and following is not None:
            words = (token.text, following.text)
            if words == ("+", "native") or (words == ("native", ":")) or words == ("native", ":="):
                yield Finding("native", token.line, token.column, "`native`")
        whole = f"{token.text}%"
        if whole in RULE_OF and following is not None and following.text == "%" and following.start == token.end:
            yield Finding(RULE_OF[whole], token.line, token.column, f"`{whole}`")
        if token.text == "set_option":
            yield from _option(chunk[i + 1 : i + 3], token)
        if token.text == "[" and i and chunk[i - 1].text in ("@", "attribute"):
            attributes.begin()
        else:
            yield from attributes.read(token)


def _is_hash(token: Token, following: Token) -> bool:
    return following.kind == "word" and (following.text.rstrip("!?") in _HASH_COMMANDS or token.column == 0)


def _word_rule(token: Token, known: set[str]) -> str | None:
    """The rule against a word, whatever stands around it."""
    text = token.text
    if text in RULE_OF:
        return RULE_OF[text]
    parts = [part.strip("«»") for part in text.split(".")]
    for part in parts:
        if part in _PARTS:
            return RULE_OF.get(part, "metaprogram")
    if text not in known and not text.isascii():
        for part in filter(lambda p: len(p) > 2, parts):
            twin = unicodedata.normalize("NFKC", part).translate(_TWINS)
            if twin != part and twin.isascii() and (twin in RULE_OF or twin in ALLOWED_COMMANDS or twin in known):
                return "unicode"
    return None


def _option(given: Sequence[Token], at: Token) -> Iterable[Finding]:
    name = given[0].text if given else ""
    value = given[1].text if len(given) > 1 else ""
    if name in _LIMITS and value.isascii() and value.isdigit() and int(value) <= _LIMITS[name]:
        return
    if name in _SWITCHES and value in _SWITCHES[name]:
        return
    if name.startswith(_FREE_OPTIONS) and name != "linter.all":
        return
    yield Finding("option", at.line, at.column, f"`set_option {name} {value}`")


class _AttributeLists:
    """The lists of attributes of a command, `@[…]` and `attribute […]`, a token at a time. One may stand in another."""

    def __init__(self) -> None:
        self._open: list[tuple[int, bool]] = []
        """Of each list: brackets in it that are open, and whether an attribute is expected."""

    def begin(self) -> None:
        self._open.append((0, True))

    def read(self, token: Token) -> Iterable[Finding]:
        if not self._open:
            return
        depth, expected = self._open.pop()
        if token.text == "]" and depth == 0:
            return
        found = []
        depth += (token.text in "([{") - (token.text in ")]}") if token.kind == "symbol" else 0
        if token.text == "attr":  # `to_additive (attr := …)`: a list in the list
            found.append(token)
        if token.text == "," and depth == 0:
            expected = True
        elif expected and token.kind == "word":
            expected = token.text in ("local", "scoped")
            if token.text not in _ATTRIBUTES and token.text not in RULE_OF:  # a word with a rule is named by that
                found.append(token)
        elif expected and token.text != "-":  # `-simp` takes an attribute away
            expected = False
            found.append(token)
        self._open.append((depth, expected))
        for odd in found:
            yield Finding("attribute", odd.line, odd.column, f"attribute `{odd.text}`")


# ---------------------------------------------------------------- characters


def _broken(tokens: Iterable[Token]) -> Iterable[Finding]:
    for token in tokens:
        if token.kind == "broken":
            yield Finding("unterminated", token.line, token.column, f"no end of what begins with {token.text[:10]!r}")


def _characters(text: str, original: str) -> Iterable[Finding]:
    """Characters that cannot be seen, and letters that Lean does not take for letters outside of strings."""
    known = set(original)
    strange = {c for c in set(text) - known if not c.isascii() and _strange(c)}
    odd = {c for c in text if c.isascii() and not c.isprintable() and c not in "\n\t"} | strange
    if not odd:
        return
    covered = 0
    """Where what Lean does not read as names ends: comments, strings, names in brackets."""
    tokens = iter(t for t in tokenize(text) if t.kind in ("comment", "doc", "string", "char") or "«" in t.text)
    following = next(tokens, None)
    line, begins = 1, 0
    for index, c in enumerate(text):
        while following is not None and following.start <= index:
            covered = max(covered, following.end)
            following = next(tokens, None)
        if c in odd and not (index < covered and unicodedata.category(c).startswith("L")):
            name = f"U+{ord(c):04X} {unicodedata.name(c, 'without a name')}"
            yield Finding("unicode", line, index - begins, name)
        if c == "\n":
            line, begins = line + 1, index + 1


def _strange(c: str) -> bool:
    category = unicodedata.category(c)
    if category in ("Cf", "Cc", "Cn", "Co", "Cs", "Zl", "Zp", "Zs", "Mn", "Me"):
        return True
    return category.startswith("L") and not starts_word(c) and c not in "λΠΣ" and category != "Lm"
