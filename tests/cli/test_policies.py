"""Policies: a rule text formalised once, reviewed, tested, and applied to cases whose rules no model may change."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from model_server import Answer, Server

from goedels_poetry.errors import InvalidInput
from goedels_poetry.questions.policy import EXPECTED, case_of, in_words, read_policy, reviewed, with_case

ROOT = Path(__file__).parents[2]
TRAVEL = ROOT / "theorems" / "policies" / "travel_expenses.smt2"
SCHEMA = json.loads((ROOT / "docs" / "schema" / "answer-v1.json").read_text("utf-8"))
POLICY = """(set-info :policy "Passes")
(declare-sort Person 0)
(declare-fun age (Person) Int)
(set-info :words (age "age of {1} in years"))
(declare-fun may_enter (Person) Bool)
(set-info :words (may_enter "{1} may enter"))
(set-info :sentence (1 "Everybody over 17 may enter, and nobody else."))
(assert (! (forall ((p Person)) (= (may_enter p) (> (age p) 17))) :named adults :sentence 1))
(set-info :sentence (2 "We are glad to see you."))
(set-info :not-formalised (2 "a greeting"))
"""
TEST = """(push 1)
(set-info :test ("Ann is 20. May she enter?" valid))
(declare-const ann Person)
(assert (= (age ann) 20))
(define-fun goal () Bool (may_enter ann))
(pop 1)
"""


def flags(server: Server) -> list[str]:
    return ["--model", "scripted", "--base-url", server.url]


def fenced(case: str) -> Answer:
    return Answer(f"```smt2\n{case}\n```")


def test_an_example_is_reviewed_and_its_tests_agree(cli: Any) -> None:
    ran = cli("ask", "--policy", TRAVEL)
    assert (ran.code, ran.err) == (0, "")
    *tests, last = ran.out.splitlines()
    assert {line.split()[1] for line in tests} == set(EXPECTED) and all(line.startswith("ok ") for line in tests)
    assert last.startswith("6 of 6 tests agree; 11 rules, not reviewed (digest ")
    words = {"age": "age of {1}", "boss": "{1} leads {2}"}
    assert in_words("(=> (boss a b) (> (age a) 3))", words) == '"a leads b" => "age of a" > 3'
    page = cli("ask", "--policy", TRAVEL, "--review").out
    assert '[2] Nobody is both an employee and a guest.\n      one_role: not ("the traveller is employed' in page
    assert "not formalised: a motive" in page


def test_an_edit_after_the_review_is_said_and_a_test_that_fails_shows_what_it_lacks(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "passes.smt2"
    file.write_text(POLICY + TEST)
    assert cli("ask", "--policy", file, "--reviewed-by", 'Ada "the first"').code == 0
    text = file.read_text()
    assert re.sub(r".*:reviewed.*\n", "", text) == POLICY + TEST
    assert 'reviewed by Ada "the first"' in cli("ask", "--policy", file).out
    file.write_text(text.replace("; ", ";; ").replace("valid))", "invalid))") + "; a remark\n")  # no rule is touched
    ran = cli("ask", "--policy", file)
    assert ran.code == 1 and "reviewed by" in ran.out and "FAILED  valid, expected invalid  Ann is 20." in ran.out
    assert 'adults: for all p: "p may enter" = ("age of p in years" > 17) [sentence 1]' in ran.out
    file.write_text(text.replace(") 17)", ") 18)"))
    (said,) = cli("ask", "--policy", file, "--json").objects()
    assert said["standing"].startswith("edited since the review by Ada") and said["reviewed"] is None
    assert (said["exit_code"], [row["finding"] for row in said["tests"]]) == (0, ["valid"])
    assert cli("ask", "--policy", file, "--reviewed-by", "Bo").code == 0
    assert file.read_text().count(":reviewed") == 1 and read_policy(file.read_text()).card["reviewed"] == "Bo"
    file.write_text(POLICY.replace("(= (may_enter p)", "(and (> (age p) 90) (< (age p) 80)  (may_enter p)"))
    assert cli("ask", "--policy", file).code == 4
    file.write_text(POLICY + TEST.replace("(age ann)", "(agee ann)"))
    ran = cli("ask", "--policy", file)
    assert ran.code == 2 and "14:13: unknown symbol `agee` (did you mean `age`?)" in ran.out


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (POLICY + "(set-info :sentense (3 \"x\"))", 11, "did you mean `:sentence`?"),
        (POLICY.replace(":sentence 1", ":sentence 7"), 8, "adults cites sentence 7, which is not there"),
        (POLICY.replace("(age \"", "(aeg \""), 4, "words for `aeg`"),
        (POLICY + TEST.replace(" valid", " vaild"), 12, "did you mean `valid`?"),
        (POLICY + TEST + "(assert true)", 17, "malformed test (rules first, then tests:"),
        (POLICY + TEST.replace("(pop 1)", ""), 11, "malformed test"),
        (POLICY + TEST.replace("(define-fun goal () Bool (may_enter ann))", ""), 11, "malformed test"),
        (POLICY + "(define-fun goal () Bool true)", 11, "`define-fun goal` among the rules"),
        (POLICY + "(check-sat)", 11, "`check-sat ` among the rules"),
        (POLICY + "(set-info :sentence (1 \"again\"))", 11, "a second :sentence 1"),
        (POLICY + TEST.replace("declare-const ann", "declare-fun ann (Person)"), 13, "declares no `ann`"),
    ],
)  # fmt: skip
def test_what_is_no_policy_is_refused_with_its_line(text: str, place: int, words: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_policy(text)
    assert words in str(refused.value) and refused.value.line == place


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("(declare-fun may_entre (Person) Bool)", "a case declares no `may_entre`"),
        ("(define-fun age2 ((p Person)) Int 3)", "a case declares no `age2`"),
        ("(declare-sort Ghost 0)", "a case declares no `Ghost`"),
        ("(assert (forall ((p Person)) (may_enter p)))", "where is this fact from?"),
        ("(assert (! (forall ((p Person)) (may_enter p)) :named x :sentence 1))", "1 does not tell of the case"),
        ("(reset)", "`reset` in a case"),
        ("(assert (! (=> true (may_enter p)) :named x :world \"so\"))", "an assumption states a fact"),
    ],
)  # fmt: skip
def test_a_case_changes_no_rule_and_no_vocabulary(case: str, words: str) -> None:
    policy = read_policy(POLICY)
    with pytest.raises(InvalidInput, match=re.escape(words)):
        with_case(policy, case, frozenset({3}))
    good = "(declare-const ann Person)(assert (! (= (age ann) 3) :named c1 :sentence 3))"
    program = with_case(policy, f"{policy.rules}\n{good}(pop 1)", frozenset({3}))
    assert program.startswith(policy.rules) and program.count("adults") == 1  # what repeats the rules is left out


def test_the_case_is_told_from_the_rules_whatever_comments_say() -> None:
    policy = read_policy(POLICY.replace("(assert (!", "(assert ; the case of all people\n(!"))
    case = "(declare-const ann Person)\n(assert (! (= (age ann) 3)\n; the case\n:named c1 :sentence 3))"
    program = with_case(policy, case, frozenset({3}))
    assert case_of(program) == (len(policy.rules.splitlines()) + 1, case)
    assert program.splitlines()[case_of(program)[0] :] == case.splitlines()


def test_a_question_gets_the_rules_from_the_file_and_the_case_from_the_model(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "passes.smt2"
    file.write_text(reviewed(POLICY, "Ada") + TEST)
    fact = (
        "(declare-const bo Person)(assert (! (> (age bo) {}) :named c1 :sentence 3))(define-fun goal () Bool ({} bo))"
    )
    with Server([fenced(fact.format(30, "may_entre")), fenced(fact.format(30, "may_enter"))]) as server:
        ran = cli("ask", "Bo is over 30. May Bo enter?", "--policy", file, "--json", *flags(server))
        prompts = [request["messages"][-1]["content"] for request in server.requests]
    (said,) = ran.objects()
    jsonschema.validate(said, SCHEMA)
    assert (ran.code, said["finding"], said["verdict"], said["answer"]) == (0, "valid", "proved", True)
    assert said["policy"]["reviewed"] == "Ada" and not [w for w in said["warnings"] if "review" in w]
    assert [s["number"] for s in said["sentences"]] == [1, 3] and said["program"].startswith("(declare-sort Person 0)")
    assert "; age of {1} in years" in prompts[0] and "[3] Bo is over 30." in prompts[0]
    assert "Everybody over 17" not in prompts[0]
    assert "line 1, column" in prompts[1] and "did you mean `may_enter`?" in prompts[1]
    assert cli("check", said["certificate"]).code == 0

    with Server([fenced(fact.format(3, "may_enter"))]) as server:
        ran = cli("ask", "Bo is over 3. May Bo enter?", "--policy", file, *flags(server))
    assert ran.code == 1 and "finding: satisfiable" in ran.out
    assert 'yes, if "age of bo in years" > 17' in ran.out and 'no, if not ("age of bo in years" > 17)' in ran.out
    assert "forall" not in ran.out  # the rules are in the file

    asks = fact.replace("(> (age bo) {}) :named c1 :sentence 3", "(may_enter bo) :named c1 :sentence 4")
    with Server(
        [fenced("(define-fun mine () Bool true)"), fenced(asks.format("may_enter"))]
    ) as server:  # what is asked is no fact
        ran = cli("ask", "Bo is 30. May Bo enter?", "--policy", file, "--attempts", 2, *flags(server))
    assert ran.code == 1 and "finding: no translation" in ran.out and "assumes what is asked" in ran.out
    assert "a case declares no `mine`" in str(server.requests[1]["messages"][-1]["content"])

    with Server([fenced(fact.format(30, "may_enter")), fenced(fact.format(3, "may_enter"))]) as server:
        arguments = ("--post", "self-consistency=2", "--fresh", *flags(server))
        ran = cli("ask", "Bo is quite old. May Bo enter?", "--policy", file, *arguments)
    assert "finding: ambiguous" in ran.out


FEES = [f"Class {n}: who has at least {10 * n} points gets {n} books, others of this class none." for n in range(1, 31)]
RULES = "# Books\n" + "\n".join(FEES[:22]) + "\n# More books\nReading is good for you.\n" + "\n".join(FEES[22:])


def librarian(asked: dict[str, Any]) -> Answer:
    """A model that renders each sentence; of the first section with one formula that cannot be read, at first."""
    text = "\n".join(str(message["content"]) for message in asked["messages"])
    listed = text.partition("# Sentences to formalise")[2].partition("# How")[0]
    classes = re.findall(r"\[(\d+)\] Class (\d+):", listed)
    formula = "(=> (= class {0}) (= books (ite (>= points {0}0) {0} 0)))"
    rules = [{"sentences": [int(s)], "formula": formula.format(c)} for s, c in classes]
    if "could not be read" not in text:
        rules = [{**rule, "formula": str(rule["formula"]).replace("points 70", "pionts 70")} for rule in rules]
    names = [] if "(declare-fun points" in text.partition("# Sentences")[0] else ["points", "books", "class"]
    symbols = [{"declaration": f"(declare-const {n} Int)", "words": f'number of "{n}"'} for n in names]
    left = [{"sentence": int(s), "why": "a motive"} for s in re.findall(r"\[(\d+)\] Reading", listed)]
    return Answer(json.dumps({"symbols": symbols, "rules": rules, "left_out": left}))


def test_thirty_rules_are_formalised_tested_edited_and_tested_again(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text(RULES)
    file = tmp_path / "books.smt2"
    write = ("ask", "--policy", file, "--formalise", "rules.txt")
    with Server(librarian) as server:
        ran = cli(*write, *flags(server))
        assert ran.code == 0, ran.err
        assert server.calls == 4  # a section, once again for a fault in it, the rest of it, the second section
        faults = str(server.requests[1]["messages"][-1]["content"])
    assert ran.err.count("framework: the model's advice was read") == 3 and "verdict" not in ran.err
    assert re.findall(r"  (advice|unknown)  ", cli("runs").out) == ["advice"] * 3
    assert cli("show", "last").out.splitlines()[-1].startswith("advice  rules: books")
    assert {row["verdict"] for row in cli("runs", "--json").objects()} == {"unknown"}
    assert "unknown symbol `pionts`" in faults and "did you mean `points`?" in faults
    assert "not formalised: [23] Reading is good for you. (a motive)" in ran.out
    assert "30 rules of 31 sentences, not reviewed" in ran.out
    text = file.read_text()
    policy = read_policy(text)
    assert [p.sentences for p in policy.program.premises] == [(n,) for n in range(1, 32) if n != 23]
    assert not policy.unsaid and "; # More books" in text
    assert cli(*write, "--model", "m").code == 2  # a file that is there is left alone
    claim = (
        '(push 1)(set-info :test ("{0} points in class {0}: a book?" {1}))(assert (and (= class {0}) (= points {2})))'
    )
    claim += "(define-fun goal () Bool (> books 0))(pop 1)\n"
    tests = [claim.format(n, "valid" if n % 2 else "invalid", 10 * n - (n + 1) % 2) for n in range(1, 21)]
    file.write_text(text + "".join(tests))
    assert cli("ask", "--policy", file).out.splitlines()[-1].startswith("20 of 20 tests agree; 30 rules")
    file.write_text(file.read_text().replace("(>= points 70)", "(> points 70)"))
    ran = cli("ask", "--policy", file)
    assert ran.code == 1 and ran.out.count("FAILED") == 1 and "invalid, expected valid  7 points in class 7" in ran.out


def test_what_a_model_cannot_say_is_listed_and_nothing_is_written_without_an_answer(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text("Nobody smokes. Dogs are welcome.")
    bad = {"sentences": [1], "formula": "(not smokes)) (assert false"}
    reply = {"symbols": [{"declaration": "(assert false)", "words": "x"}], "rules": [bad], "left_out": []}
    file = tmp_path / "house.smt2"
    with Server([Answer(json.dumps(reply))]) as server:
        ran = cli("ask", "--policy", file, "--formalise", "rules.txt", *flags(server))
    assert ran.code == 0 and "0 rules of 2 sentences" in ran.out and "false" not in file.read_text()
    assert len(read_policy(file.read_text()).left_out) == 2
    with Server([Answer("I would rather not.")]) as server:
        ran = cli("ask", "--policy", "other.smt2", "--formalise", "rules.txt", *flags(server))
    assert ran.code == 1 and "other.smt2 is not written" in ran.err and not (tmp_path / "other.smt2").exists()


def test_an_edit_that_changes_what_a_rule_means_ends_its_review_and_the_page_hides_no_meaning() -> None:
    text = (
        "(declare-sort P 0)(declare-fun |may see| (P P) Bool)(declare-fun open (P) Bool)\n"
        '(set-info :words (|may see| "{1} may see {2}"))(set-info :words (open "{1} is open"))\n'
        "(define-fun seen ((x P) (y P)) Bool (|may see| x y))\n"
        "(assert (! (forall ((x P) (y P)) (=> (seen x y) (open y))) :named r1))\n"
        '(assert (! (forall ((x P)) (open x)) :named r2 :reading "All is open." :instead r1))\n'
    )
    policy = read_policy(text)
    for old, new in (("((x P) (y P)) Bool", "((y P) (x P)) Bool"), ("(open x)) :", "(not (open x))) :"), ("All", "It")):
        assert read_policy(text.replace(old, new)).digest != policy.digest, new
    assert policy.page() == [
        "Citing no sentence:",
        '    r1: for all x y: seen(x, y) => "y is open"',
        '    r2, a reading: for all x: "x is open" (All is open.)',
        '    by definition: for all x y: seen(x, y) = "x may see y"',
    ]
    assert policy.vocabulary()[1:3] == [
        "(declare-fun |may see| (P P) Bool) ; {1} may see {2}",
        "(declare-fun open (P) Bool) ; {1} is open",
    ]
    assert in_words("(f a b)", {"f": "{1} is fine"}) == "f(a, b)", "words without {2} would hide it"
    assert in_words("(f a b)", {"f": "{1} sees {2}", "a": "{2}"}) == '"{2} sees b"'
