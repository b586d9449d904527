"""Rules that are data: what a step needs and what it gives, as patterns over our terms.

A line is ``name | arguments | premises | conclusion | names with what they stand for``; one with ``{a,b}`` is two lines,
with ``a`` and with ``b``. Of several lines for a name the first that fits counts. Any atom that is no symbol of the
theories is a variable of the pattern; ``xs*or`` stands for some operands of an ``or`` (the argument is their ``or``, or
the literal that has none), ``~xs*or`` for their denials, ``xs*or#n1`` for one of them; ``or1`` is an ``or`` that is its only operand when it has one; ``@i`` is the variable of the
quantifiers that rules make. A number is a literal of `Int`, ``0r`` of `Real`, so that a rule with a number holds for
that sort alone; the others hold for every sort at which their terms can be built. A test has a solver prove each line.
"""

# ruff: noqa: E501 -- a rule is one line
from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Sequence
from typing import NamedTuple

from goedels_poetry.checker.cpc.reader import SExpr, Value, a_term, expressions
from goedels_poetry.checker.cpc.terms import INT, REAL, RESERVED, Rejected, Term, Terms, sides

TABLE = """\
contra | | F (not F) | false
modus_ponens | | F (=> F G) | G
not_not_elim | | (not (not F)) | F
eq_resolve | | F (= F G) | G
ite_eq | (ite C t s) | | (ite C (= (ite C t s) t) (= (ite C t s) s))
skolem_intro | (@purify t) | | (= (@purify t) t)
eq-refl | t | | (= (= t t) true)
eq-symm | t s | | (= (= t s) (= s t))
eq-ite-lift | C t s r | | (= (= (ite C t s) r) (ite C (= t r) (= s r)))
distinct-binary-elim | t s | | (= (distinct t s) (not (= t s)))
bool-double-not-elim | F | | (= (not (not F)) F)
bool-impl-elim | F G | | (= (=> F G) (or (not F) G))
bool-implies-de-morgan | F G | | (= (not (=> F G)) (and F (not G)))
bool-not-ite-elim | C F G | | (= (not (ite C F G)) (ite C (not F) (not G)))
ite-neg-branch | C F G | (= (not G) F) | (= (ite C F G) (= C F))
ite-expand | C F G | | (= (ite C F G) (and (or (not C) F) (or C G)))
ite-not-cond | C t s | | (= (ite (not C) t s) (ite C s t))
ite-eq-branch | C t | | (= (ite C t t) t)
arith-geq-tighten | t s | | (= (not (>= t s)) (>= s (+ t 1)))
arith-int-eq-conflict | t c | (= (= (to_real (to_int c)) c) false) | (= (= (to_real t) c) false)
arith-int-geq-tighten | t c d | (= (= (to_real (to_int c)) c) false) (= d (+ (to_int c) 1)) | (= (>= (to_real t) c) (>= t d))
arith-abs-eq | t s | | (= (= (abs t) (abs s)) (or (= t s) (= t (- s))))
arith-div-total-zero-real | t | | (= (/_total t 0r) 0r)
arith-to-int-elim-to-real | t | | (= (to_int (to_real t)) t)
arith-mod-over-mod-1 | c r | (= (= c 0) false) | (= (mod_total (mod_total r c) c) (mod_total r c))
bool-eq-nrefl | F | | (= (= F (not F)) false)
bool-dual-impl-eq | F G | | (= (and (=> F G) (=> G F)) (= F G))
bool-or-and-distrib | F G Gs*and H Hs*or | | (= (or (and F G Gs*and) H Hs*or) (and (or F H Hs*or) (or (and1 G Gs*and) H Hs*or)))
bool-implies-or-distrib | F G Gs*or H | | (= (=> (or F G Gs*or) H) (and (=> F H) (=> (or1 G Gs*or) H)))
bool-xor-comm | F G | | (= (xor F G) (xor G F))
eq-cond-deq | t s r | (= (= s r) false) | (= (= (= t s) (= t r)) (and (not (= t s)) (not (= t r))))
array-store-swap | a i j e f | (= (= i j) false) | (= (store (store a i e) j f) (store (store a j f) i e))
array-store-overwrite | a i e f | | (= (store (store a i e) i f) (store a i f))
array-store-self | a i | | (= (store a i (select a i)) a)
array-read-over-write-split | a i e j | | (= (select (store a j e) i) (ite (= i j) e (select a i)))
arrays_ext | | (not (= a b)) | (not (= (select a (@array_deq_diff a b)) (select b (@array_deq_diff a b))))
split | F | | (or F (not F))
implies_elim | | (=> F G) | (or (not F) G)
not_implies_elim{1,2} | | (not (=> F G)) | {F,(not G)}
equiv_elim{1,2} | | (= F G) | {(or (not F) G),(or F (not G))}
not_equiv_elim{1,2} | | (not (= F G)) | {(or F G),(or (not F) (not G))}
ite_elim{1,2} | | (ite C F G) | (or {(not C) F,C G})
not_ite_elim{1,2} | | (not (ite C F G)) | (or {(not C) (not F),C (not G)})
cnf_implies_pos | (=> F G) | | (or (not (=> F G)) (not F) G)
cnf_implies_neg{1,2} | (=> F G) | | (or (=> F G) {F,(not G)})
cnf_equiv_{pos1,pos2,neg1,neg2} | (= F G) | | (or {(not (= F G)) (not F) G,(not (= F G)) F (not G),(= F G) F G,(= F G) (not F) (not G)})
cnf_xor_{pos1,pos2,neg1,neg2} | (xor F G) | | (or {(not (xor F G)) F G,(not (xor F G)) (not F) (not G),(xor F G) (not F) G,(xor F G) F (not G)})
cnf_ite_pos{1,2,3} | (ite C F G) | | (or (not (ite C F G)) {(not C) F,C G,F G})
cnf_ite_neg{1,2,3} | (ite C F G) | | (or (ite C F G) {(not C) (not F),C (not G),(not F) (not G)})
bool-impl-false{1,2} | F | | (= {(=> F false) (not F),(=> false F) true})
bool-impl-true{1,2} | F | | (= {(=> F true) true,(=> true F) F})
bool-and-conf{,2} | xs*and F ys*and zs*and | | (= (and xs*and {F ys*and (not F),(not F) ys*and F} zs*and) false)
bool-or-taut{,2} | xs*or F ys*or zs*or | | (= (or xs*or {F ys*or (not F),(not F) ys*or F} zs*or) true)
bool-not-eq-elim{1,2} | F G | | (= (not (= F G)) {(= (not F) G),(= F (not G))})
ite-{then,else}-lookahead-self | C F | | (= (ite C {C F,F C}) (ite C {true F,F false}))
ite-{then,else}-lookahead-not-self | C F | | (= (ite C {(not C) F,F (not C)}) (ite C {false F,F true}))
ite-{true,false}-cond | t s | | (= (ite {true,false} t s) {t,s})
arith-elim-{gt,lt} | t s | | (= ({>,<} t s) (not (>= {s t,t s})))
arith-geq-norm1-{int,real} | t s | | (= (>= t s) (>= (- t s) {0,0r}))
arith-eq-elim-{int,real} | t s | | (= (= t s) (and (>= t s) (<= t s)))
arith-{geq,leq}-ite-lift | C t s r | | (= ({>=,<=} (ite C t s) r) (ite C ({>=,<=} t r) ({>=,<=} s r)))
arith-elim-int-{gt,lt} | t s | | (= ({>,<} t s) (>= {t (+ s 1),s (+ t 1)}))
arith-min-lt{1,2} | t s | | (= (<= (ite (< t s) t s) {t,s}) true)
arith-max-geq{1,2} | t s | | (= (>= (ite (>= t s) t s) {t,s}) true)
arith-int-{div,mod}-total | t s | (= (= s 0) false) | (= ({div,mod} t s) ({div,mod}_total t s))
arith-int-{div,mod}-total-one | t | | (= ({div,mod}_total t 1) {t,0})
arith-int-{div,mod}-total-zero | t | | (= ({div,mod}_total t 0) {0,t})
bool-xor-{refl,false} | F | | (= (xor F {F) false,false) F})
bool-xor-{nrefl,true} | F | | (= (xor F {(not F)) true,true) (not F)})
arith-abs-{int,real}-gt | t s | | (= (> (abs t) (abs s)) (ite (>= t {0,0r}) (ite (>= s {0,0r}) (> t s) (> t (- s))) (ite (>= s {0,0r}) (> (- t) s) (> (- t) (- s)))))
bool-not-{true,false} | F | (= F {false,true}) | (= (not F) {true,false})
bool-eq-{true,false} | F | | (= (= F {true) F,false) (not F)})
arith_mult_pos | m ({=,<,<=,>,>=} t s) | | (=> (and (> m 0) ({=,<,<=,>,>=} t s)) ({=,<,<=,>,>=} (* m t) (* m s)))
arith_mult_neg | m ({=,<,<=,>,>=} t s) | | (=> (and (< m 0) ({=,<,<=,>,>=} t s)) ({=,>,>=,<,<=} (* m t) (* m s)))
arith_mult_pos | m ({=,<,<=,>,>=} t s) | | (=> (and (> m 0r) ({=,<,<=,>,>=} t s)) ({=,<,<=,>,>=} (* m t) (* m s)))
arith_mult_neg | m ({=,<,<=,>,>=} t s) | | (=> (and (< m 0r) ({=,<,<=,>,>=} t s)) ({=,>,>=,<,<=} (* m t) (* m s)))
arith_trichotomy | | {(not (= t s)) (<= t s),(<= t s) (not (= t s)),(not (= t s)) (not (> t s)),(not (> t s)) (not (= t s))} | (< t s)
arith_trichotomy | | {(not (= t s)) (>= t s),(>= t s) (not (= t s)),(not (= t s)) (not (< t s)),(not (< t s)) (not (= t s))} | (> t s)
arith_trichotomy | | {(>= t s) (<= t s),(<= t s) (>= t s),(>= t s) (not (> t s)),(not (> t s)) (>= t s),(not (< t s)) (<= t s),(<= t s) (not (< t s)),(not (< t s)) (not (> t s)),(not (> t s)) (not (< t s))} | (= t s)
arith_reduction | ({div,mod} t s) | | (= ({div,mod} t s) (ite (= s 0) ({@int_div_by_zero,@mod_by_zero} t) ({div,mod}_total t s)))
arith_reduction | (abs t) | | (= (abs t) (ite (< t {0,0r}) (- t) t))
arith_reduction | (to_int t) | | (and (= (to_int t) K) (and (<= 0r R) (< R 1r))) | K (@purify (to_int t)) R (- t (to_real K))
arith_reduction | (/ t s) | | (= (/ t s) (ite (= s 0r) (@div_by_zero t) (/_total t s)))
arith_reduction | (/_total t s) | | (and (= (/_total t s) K) (=> (not (= s 0r)) (= (* s K) t))) | K (@purify (/_total t s))
refl | t | | (= t t)
symm | | (= t s) | (= s t)
symm | | (not (= t s)) | (not (= s t))
and_elim | n1 | (and xs*and) | xs*and#n1
not_or_elim | n1 | (not (or xs*or)) | (not xs*or#n1)
cnf_and_pos | (and xs*and) n1 | | (or (not (and xs*and)) xs*and#n1)
cnf_or_neg | (or xs*or) n1 | | (or (or xs*or) (not xs*or#n1))
not_and | | (not (and xs*and)) | (or ~xs*and)
cnf_and_neg | (and xs*and) | | (or (and xs*and) ~xs*and)
cnf_or_pos | (or xs*or) | | (or (not (or xs*or)) xs*or)
{true,false}_intro | | {F,(not F)} | (= F {true,false})
{true,false}_elim | | (= F {true,false}) | {F,(not F)}
bool-{or,and}-de-morgan | F G zs*{or,and} | | (= (not ({or,and} F G zs*{or,and})) ({and,or} (not F) (not ({or1,and1} G zs*{or,and}))))
ite-{then-true,else-false,then-false,else-true} | C F | | (= (ite C {true F,F false,false F,F true}) {(or C F),(and C F),(and (not C) F),(or (not C) F)})
ite-{then,else,then-neg,else-neg}-lookahead | C t s r | | (= (ite C {(ite C t s) r,t (ite C s r),(ite (not C) t s) r,t (ite (not C) s r)}) (ite C {t r,t r,s r,t s}))
arith-int-{div,mod}-total-neg | t s | (= (< s 0) true) | (= ({div,mod}_total t s) {(- (div_total t (- s))),(mod_total t (- s))})
bool-{xor-elim,not-xor-elim} | F G | | (= {(xor F G),(not (xor F G))} {(= (not F) G),(= F G)})
arith-{elim-leq,leq-norm} | t s | | (= (<= t s) {(>= s t),(not (>= t (+ s 1)))})
array-read-over-write{,2} | a i {,j }e | {,(= (= i j) false)} | (= (select (store a i e) {i,j}) {e,(select a j)})
arrays_read_over_write{,_1} | (select (store a i e) {j,i}) | {(not (= i j)),} | (= (select (store a i e) {j,i}) {(select a j),e})
bv-extract-whole | v1 n1 | (= (>= n1 (- (@bvsize v1) 1)) true) | (= (extract n1 0 v1) v1)
bv-extract-extract | v1 n1 n2 n3 n4 n5 n6 | (= n5 (+ n1 n4)) (= n6 (+ n1 n3)) | (= (extract n4 n3 (extract n2 n1 v1)) (extract n5 n6 v1))
bv-extract-concat-1 | v1 v2*concat v3 n1 n2 | (= (<= n2 (@bvsize v1)) true) | (= (extract n2 n1 (concat v2*concat v3 v1)) (extract n2 n1 v1))
bv-extract-concat-2 | v1 v2*concat v3 n1 n2 n3 n4 | (= (< n1 (@bvsize v1)) true) (= (>= n2 (@bvsize v1)) true) (= n3 (- n2 (@bvsize v1))) (= n4 (- (@bvsize v1) 1)) | (= (extract n2 n1 (concat v2*concat v3 v1)) (concat (extract n3 0 (concat1 v2*concat v3)) (extract n4 n1 v1)))
bv-extract-concat-3 | v1 v2 v3*concat n1 n2 n3 n4 | (= (>= n1 (@bvsize v1)) true) (= n3 (- n2 (@bvsize v1))) (= n4 (- n1 (@bvsize v1))) | (= (extract n2 n1 (concat v3*concat v2 v1)) (extract n3 n4 (concat1 v3*concat v2)))
bv-extract-concat-4 | v1 v2 v3*concat n1 n2 | (= (< n2 (- (@bvsize (concat v1 v2 v3*concat)) (@bvsize v1))) true) | (= (extract n2 n1 (concat v1 v3*concat v2)) (extract n2 n1 (concat1 v3*concat v2)))
bv-concat-extract-merge | v1*concat v2 v3*concat n1 n2 n3 n4 | (= n3 (+ n2 1)) | (= (concat v1*concat (extract n4 n3 v2) (extract n2 n1 v2) v3*concat) (concat1 v1*concat (extract n4 n1 v2) v3*concat))
bv-extract-not | v1 n1 n2 | | (= (extract n2 n1 (bvnot v1)) (bvnot (extract n2 n1 v1)))
bv-{ugt,uge,sgt,sge}-eliminate | v1 v2 | | (= (bv{ugt,uge,sgt,sge} v1 v2) (bv{ult,ule,slt,sle} v2 v1))
bv-{u,s}le-eliminate | v1 v2 | | (= (bv{u,s}le v1 v2) (not (bv{u,s}lt v2 v1)))
bv-{nand,nor,xnor}-eliminate | v1 v2 | | (= (bv{nand,nor,xnor} v1 v2) (bvnot (bv{and,or,xor} v1 v2)))
bv-sub-eliminate | v1 v2 | | (= (bvsub v1 v2) (bvadd v1 (bvneg v2)))
bv-comp-eliminate | v1 v2 | | (= (bvcomp v1 v2) (ite (= v1 v2) (int_to_bv 1 1) (int_to_bv 1 0)))
bv-zero-extend-eliminate | v1 n1 | | (= (zero_extend n1 v1) (concat (int_to_bv n1 0) v1))
bv-{zero,sign}-extend-eliminate-0 | v1 | | (= ({zero,sign}_extend 0 v1) v1)
bv-sdiv-eliminate | v1 v2 n1 | (= n1 (- (@bvsize v1) 1)) | (= (bvsdiv v1 v2) (ite (xor (= (extract n1 n1 v1) (int_to_bv 1 1)) (= (extract n1 n1 v2) (int_to_bv 1 1))) (bvneg (bvudiv (ite (= (extract n1 n1 v1) (int_to_bv 1 1)) (bvneg v1) v1) (ite (= (extract n1 n1 v2) (int_to_bv 1 1)) (bvneg v2) v2))) (bvudiv (ite (= (extract n1 n1 v1) (int_to_bv 1 1)) (bvneg v1) v1) (ite (= (extract n1 n1 v2) (int_to_bv 1 1)) (bvneg v2) v2))))
bv-srem-eliminate | v1 v2 n1 | (= n1 (- (@bvsize v1) 1)) | (= (bvsrem v1 v2) (ite (= (extract n1 n1 v1) (int_to_bv 1 1)) (bvneg (bvurem (ite (= (extract n1 n1 v1) (int_to_bv 1 1)) (bvneg v1) v1) (ite (= (extract n1 n1 v2) (int_to_bv 1 1)) (bvneg v2) v2))) (bvurem (ite (= (extract n1 n1 v1) (int_to_bv 1 1)) (bvneg v1) v1) (ite (= (extract n1 n1 v2) (int_to_bv 1 1)) (bvneg v2) v2))))
bv-{shl,lshr,ashr}-by-const-0 | v1 n1 | | (= (bv{shl,lshr,ashr} v1 (int_to_bv n1 0)) v1)
bv-shl-by-const-1 | v1 n1 n2 n3 | (= (< n1 (@bvsize v1)) true) (= n3 (- (@bvsize v1) (+ 1 n1))) | (= (bvshl v1 (int_to_bv n2 n1)) (concat (extract n3 0 v1) (int_to_bv n1 0)))
bv-{shl,lshr,ashr}-zero | v1 n1 | | (= (bv{shl,lshr,ashr} (int_to_bv n1 0) v1) (int_to_bv n1 0))
bv-{and,or,xor}-concat-pullup | v1*bv{and,or,xor} v2*bv{and,or,xor} v3 v4 v5*concat n1 n2 n3 | (= n2 (@bvsize v3)) (= n1 (- (@bvsize (concat v4 v3 v5*concat)) 1)) (= n3 (- (@bvsize v3) 1)) | (= (bv{and,or,xor} v1*bv{and,or,xor} (concat v5*concat v4 v3) v2*bv{and,or,xor}) (concat (bv{and,or,xor} (extract n1 n2 (bv{and,or,xor}1 v1*bv{and,or,xor} v2*bv{and,or,xor})) (concat1 v5*concat v4)) (bv{and,or,xor} (extract n3 0 (bv{and,or,xor}1 v1*bv{and,or,xor} v2*bv{and,or,xor})) v3)))
bv-{and,or,xor}-concat-pullup2 | v1*bv{and,or,xor} v2*bv{and,or,xor} v3 v4 v5*concat n1 n2 n3 | (= n2 (- (@bvsize (concat v4 v3 v5*concat)) (@bvsize v4))) (= n1 (- (@bvsize (concat v4 v3 v5*concat)) 1)) (= n3 (- (- (@bvsize (concat v4 v3 v5*concat)) (@bvsize v4)) 1)) | (= (bv{and,or,xor} v1*bv{and,or,xor} (concat v4 v3 v5*concat) v2*bv{and,or,xor}) (concat (bv{and,or,xor} (extract n1 n2 (bv{and,or,xor}1 v1*bv{and,or,xor} v2*bv{and,or,xor})) v4) (bv{and,or,xor} (extract n3 0 (bv{and,or,xor}1 v1*bv{and,or,xor} v2*bv{and,or,xor})) (concat1 v3 v5*concat))))
bv-{and,or,xor}-concat-pullup3 | v1*bv{and,or,xor} v2*bv{and,or,xor} v3 v4 v5 n1 n2 n3 n4 n5 | (= n1 (- (+ (@bvsize v5) (@bvsize v3) (@bvsize v4)) 1)) (= n2 (+ (@bvsize v3) (@bvsize v5))) (= n3 (- (+ (@bvsize v3) (@bvsize v5)) 1)) (= n4 (@bvsize v5)) (= n5 (- (@bvsize v5) 1)) | (= (bv{and,or,xor} v1*bv{and,or,xor} (concat v4 v3 v5) v2*bv{and,or,xor}) (concat (bv{and,or,xor} (extract n1 n2 (bv{and,or,xor}1 v1*bv{and,or,xor} v2*bv{and,or,xor})) v4) (bv{and,or,xor} (extract n3 n4 (bv{and,or,xor}1 v1*bv{and,or,xor} v2*bv{and,or,xor})) v3) (bv{and,or,xor} (extract n5 0 (bv{and,or,xor}1 v1*bv{and,or,xor} v2*bv{and,or,xor})) v5)))
bv-smod-eliminate | v1 v2 n1 n2 | (= n1 (@bvsize v1)) (= n2 (- (@bvsize v1) 1)) | (= (bvsmod v1 v2) (ite (= (bvurem (ite (= (extract n2 n2 v1) (int_to_bv 1 0)) v1 (bvneg v1)) (ite (= (extract n2 n2 v2) (int_to_bv 1 0)) v2 (bvneg v2))) (int_to_bv n1 0)) (bvurem (ite (= (extract n2 n2 v1) (int_to_bv 1 0)) v1 (bvneg v1)) (ite (= (extract n2 n2 v2) (int_to_bv 1 0)) v2 (bvneg v2))) (ite (and (= (extract n2 n2 v1) (int_to_bv 1 0)) (= (extract n2 n2 v2) (int_to_bv 1 0))) (bvurem (ite (= (extract n2 n2 v1) (int_to_bv 1 0)) v1 (bvneg v1)) (ite (= (extract n2 n2 v2) (int_to_bv 1 0)) v2 (bvneg v2))) (ite (and (= (extract n2 n2 v1) (int_to_bv 1 1)) (= (extract n2 n2 v2) (int_to_bv 1 0))) (bvadd (bvneg (bvurem (ite (= (extract n2 n2 v1) (int_to_bv 1 0)) v1 (bvneg v1)) (ite (= (extract n2 n2 v2) (int_to_bv 1 0)) v2 (bvneg v2)))) v2) (ite (and (= (extract n2 n2 v1) (int_to_bv 1 0)) (= (extract n2 n2 v2) (int_to_bv 1 1))) (bvadd (bvurem (ite (= (extract n2 n2 v1) (int_to_bv 1 0)) v1 (bvneg v1)) (ite (= (extract n2 n2 v2) (int_to_bv 1 0)) v2 (bvneg v2))) v2) (bvneg (bvurem (ite (= (extract n2 n2 v1) (int_to_bv 1 0)) v1 (bvneg v1)) (ite (= (extract n2 n2 v2) (int_to_bv 1 0)) v2 (bvneg v2)))))))))
bv-xor-simplify-1 | v1*bvxor v2*bvxor v3*bvxor v4 | | (= (bvxor v1*bvxor v4 v2*bvxor v4 v3*bvxor) (bvxor1 v1*bvxor v2*bvxor v3*bvxor))
bv-xor-duplicate | v1 n1 | (= n1 (@bvsize v1)) | (= (bvxor v1 v1) (int_to_bv n1 0))
bv-commutative-{xor,add} | v1 v2 | | (= (bv{xor,add} v1 v2) (bv{xor,add} v2 v1))
bv-ule-max | v1 n1 n2 | (= n2 (@bvsize v1)) (= n1 (- (int.pow2 (@bvsize v1)) 1)) | (= (bvule v1 (int_to_bv n2 n1)) true)
bv-ult-one | v1 n1 | (= (> (@bvsize v1) 0) true) | (= (bvult v1 (int_to_bv n1 1)) (= v1 (int_to_bv n1 0)))
bv-ult-add-one | v1 v2*bvadd v3*bvadd v4 n1 | (= v4 (int_to_bv n1 1)) (= n1 (@bvsize v1)) | (= (bvult v1 (bvadd v2*bvadd v4 v3*bvadd)) (and (not (= (bvadd1 v2*bvadd v3*bvadd) (bvnot (int_to_bv n1 0)))) (not (bvult (bvadd1 v2*bvadd v3*bvadd) v1))))
bv-not-ult | v1 v2 | | (= (not (bvult v1 v2)) (bvule v2 v1))
bv-mult-pow2-1 | v1*bvmul v2*bvmul v3 n1 n2 n3 n4 | (= (int.ispow2 n2) true) (= n3 (int.log2 n2)) (= n4 (- (- n1 (int.log2 n2)) 1)) | (= (bvmul v1*bvmul v3 (int_to_bv n1 n2) v2*bvmul) (concat (extract n4 0 (bvmul1 v1*bvmul v3 v2*bvmul)) (int_to_bv n3 0)))
bv-rotate-{left,right}-eliminate-2 | v1 n1 | (= (mod n1 (@bvsize v1)) 0) | (= (rotate_{left,right} n1 v1) v1)
bv-{and,or}-simplify-1 | v1*bv{and,or} v2*bv{and,or} v3*bv{and,or} v4 n1 | (= n1 (@bvsize v4)) | (= (bv{and,or} v1*bv{and,or} (bvnot v4) v2*bv{and,or} v4 v3*bv{and,or}) {,(bvnot }(int_to_bv n1 0){,)})
bv-{and,or}-simplify-2 | v1*bv{and,or} v2*bv{and,or} v3*bv{and,or} v4 n1 | (= n1 (@bvsize v4)) | (= (bv{and,or} v1*bv{and,or} v4 v2*bv{and,or} (bvnot v4) v3*bv{and,or}) {,(bvnot }(int_to_bv n1 0){,)})
bv-{ult,lt,ule,sle}-self | v1 | | (= (bv{ult,slt,ule,sle} v1 v1) {false,false,true,true})
bv-{ult-zero-1,ult-zero-2,ule-zero,zero-ule} | v1 n1 | | (= ({bvult (int_to_bv n1 0) v1,bvult v1 (int_to_bv n1 0),bvule v1 (int_to_bv n1 0),bvule (int_to_bv n1 0) v1}) {(not (= v1 (int_to_bv n1 0))),false,(= v1 (int_to_bv n1 0)),true})
bv-{udiv-one,urem-one,udiv-zero} | v1 n1 | | (= ({bvudiv,bvurem,bvudiv} v1 (int_to_bv n1 {1,1,0})) {v1,(int_to_bv n1 0),(bvnot (int_to_bv n1 0))})
bv-{lshr,ashr}-by-const-1 | v1 n1 n2 n3 | (= (< n1 (@bvsize v1)) true) (= n3 (- (@bvsize v1) 1)) | (= (bv{lshr,ashr} v1 (int_to_bv n2 n1)) (concat {(int_to_bv n1 0),(repeat n1 (extract n3 n3 v1))} (extract n3 n1 v1)))
bv-rotate-{left,right}-eliminate-1 | v1 n1 n2 n3 n4 | (= (= (mod n1 (@bvsize v1)) 0) false) (= n2 (- {(@bvsize v1) (+ 1 (mod n1 (@bvsize v1))),(mod n1 (@bvsize v1)) 1})) (= n3 (- (@bvsize v1) 1)) (= n4 {(- (@bvsize v1) (mod n1 (@bvsize v1))),(mod n1 (@bvsize v1))}) | (= (rotate_{left,right} n1 v1) (concat (extract n2 0 v1) (extract n3 n4 v1)))
bv-{udiv,urem}-pow2-not-one | v1 n1 n2 n3 n4 | (= (int.ispow2 n1) true) (= (> n1 1) true) (= n3 {(int.log2 n1),(- n2 (int.log2 n1))}) (= n4 (- {n2,(int.log2 n1)} 1)) | (= (bv{udiv,urem} v1 (int_to_bv n2 n1)) (concat (int_to_bv n3 0) (extract n4 {n3,0} v1)))
bv-{not-idemp,not-neq} | v1 | {,(= (> (@bvsize v1) 0) true)} | (= ({bvnot (bvnot v1),= v1 (bvnot v1)}) {v1,false})
bv-{shl,lshr}-by-const-2 | v1 n1 n2{ n3,} | (= (>= n1 (@bvsize v1)) true) (= (< n1 (int.pow2 (@bvsize v1))) true){ (= n3 (@bvsize v1)),} | (= (bv{shl,lshr} v1 (int_to_bv n2 n1)) (int_to_bv {n3,n2} 0))
uf-bv2nat-int2bv | n1 v1 | (= (@bvsize v1) n1) | (= (int_to_bv n1 (ubv_to_int v1)) v1)
uf-int2bv-bv2nat | n1 n2 | | (= (ubv_to_int (int_to_bv n1 n2)) (mod_total n2 (int.pow2 n1)))
uf-bv2nat-geq-elim | v1 n1 n2 | (= n2 (@bvsize v1)) | (= (>= (ubv_to_int v1) n1) (ite (>= n1 (int.pow2 n2)) false (ite (< n1 0) true (bvuge v1 (int_to_bv n2 n1)))))
uf-int2bv-{bvult,bvule}-equiv | v1 v2 | | (= ({bvult,bvule} v1 v2) ({<,<=} (ubv_to_int v1) (ubv_to_int v2)))
str-len-concat-rec | s1 s2 s3*str.++ | | (= (str.len (str.++ s1 s2 s3*str.++)) (+ (str.len s1) (str.len (str.++1 s2 s3*str.++))))
str-eq-ctn-false | s1*str.++ s2 s3*str.++ s4 | (= (str.contains s4 s2) false) | (= (= (str.++ s1*str.++ s2 s3*str.++) s4) false)
str-eq-ctn-full-false{1,2} | s1 s2 | (= (str.contains s{2,1} s{1,2}) false) | (= (= s1 s2) false)
str-substr-empty-str | s1 n1 n2 | (= (str.len s1) 0) | (= (str.substr s1 n1 n2) s1)
str-substr-eq-empty | s1 s2 n1 n2 | (= n1 0) (= (> n2 n1) true) (= (str.len s2) 0) | (= (= (str.substr s1 n1 n2) s2) (= s1 s2))
str-substr-concat1 | s1 s2*str.++ n1 n2 | (= (>= n1 0) true) (= (>= (str.len s1) (+ n1 n2)) true) | (= (str.substr (str.++ s1 s2*str.++) n1 n2) (str.substr s1 n1 n2))
str-substr-concat2 | s1 s2 s3*str.++ n1 n2 | (= (>= n1 (str.len s1)) true) | (= (str.substr (str.++ s1 s2 s3*str.++) n1 n2) (str.substr (str.++1 s2 s3*str.++) (- n1 (str.len s1)) n2))
str-len-substr-in-range | s1 n1 n2 | (= (>= n1 0) true) (= (>= n2 0) true) (= (>= (str.len s1) (+ n1 n2)) true) | (= (str.len (str.substr s1 n1 n2)) n2)
str-at-elim | s1 n1 | | (= (str.at s1 n1) (str.substr s1 n1 1))
str-{pre,suf}fixof-eq | s1 s2 | (= (>= (str.len s1) (str.len s2)) true) | (= (str.{pre,suf}fixof s1 s2) (= s1 s2))
str-contains-leq-len-eq | s1 s2 | (= (>= (str.len s2) (str.len s1)) true) | (= (str.contains s1 s2) (= s1 s2))
str-contains-emp | s1 s2 | (= (str.len s2) 0) | (= (str.contains s1 s2) true)
str-contains-concat-find | s1*str.++ s2 s3 s4*str.++ | (= (str.contains s2 s3) true) | (= (str.contains (str.++ s1*str.++ s2 s4*str.++) s3) true)
str-contains-split-char | s1 s2 s3*str.++ s4 | (= (str.len s4) 1) | (= (str.contains (str.++ s1 s2 s3*str.++) s4) (or (str.contains s1 s4) (str.contains (str.++1 s2 s3*str.++) s4)))
str-contains-char | s1 s2 String | (= (str.len s1) 1) | (= (str.contains s1 s2) (or (= "" s2) (= s1 s2)))
str-replace-prefix | s1 s2 s3*str.++ s4 | | (= (str.replace (str.++ s1 s2 s3*str.++) s1 s4) (str.++ s4 s2 s3*str.++))
str-replace-empty | s1 s2 s3 | (= (str.len s3) 0) | (= (str.replace s1 s3 s2) (str.++ s2 s1))
str-indexof-self | s1 n1 String | | (= (str.indexof s1 s1 n1) (str.indexof "" "" n1))
str-indexof-find-emp | s1 s2 n1 | (= (str.len s2) 0) (= (>= (str.len s1) n1) true) (= (>= n1 0) true) | (= (str.indexof s1 s2 n1) n1)
str-indexof-contains-concat-pre | s1*str.++ s2 s3*str.++ s4 | | (= (str.indexof (str.++ s1*str.++ s2 s4 s3*str.++) s2 0) (str.indexof (str.++1 s1*str.++ s2) s2 0))
str-indexof-eq-irr | s1 s2 s3 n1 | (= (<= n1 (str.len s1)) true) (= (<= n1 (str.len s3)) true) (= (str.substr s1 n1 (str.len s1)) (str.substr s3 n1 (str.len s3))) | (= (= (str.indexof s1 s2 n1) (str.indexof s3 s2 n1)) true)
str-len-eq-zero-base | s1 String | | (= (= (str.len s1) 0) (= s1 ""))
str-len-eq-zero-concat-rec | s1 s2 s3*str.++ String | | (= (= (str.len (str.++ s1 s2 s3*str.++)) 0) (and (= s1 "") (= (str.len (str.++1 s2 s3*str.++)) 0)))
str-lt-elim | s1 s2 | | (= (str.< s1 s2) (and (not (= s1 s2)) (str.<= s1 s2)))
str-is-digit-elim | s1 | | (= (str.is_digit s1) (and (<= 48 (str.to_code s1)) (<= (str.to_code s1) 57)))
str-leq-empty | s1 | | (= (str.<= "" s1) true)
str-in-re-range-elim | s1 s2 s3 | (= (str.len s2) 1) (= (str.len s3) 1) | (= (str.in_re s1 (re.range s2 s3)) (and (<= (str.to_code s2) (str.to_code s1)) (<= (str.to_code s1) (str.to_code s3))))
str-concat-unify{,-rev} | s1 s2 s3*str.++ s4 s5*str.++ | | (= (= (str.++ {s1 s2 s3*str.++,s2 s3*str.++ s1}) (str.++ {s1 s4 s5*str.++,s4 s5*str.++ s1})) (= (str.++1 s2 s3*str.++) (str.++1 s4 s5*str.++)))
str-concat-unify-base{,-rev} | s1 s2 s3*str.++ String | | (= (= s1 (str.++ {s1 s2 s3*str.++,s2 s3*str.++ s1})) (= "" (str.++1 s2 s3*str.++)))
str-concat-clash{,-rev} | s1 s2*str.++ s3 s4*str.++ | (= (= s1 s3) false) (= (str.len s1) (str.len s3)) | (= (= (str.++ {s1 s2*str.++,s2*str.++ s1}) (str.++ {s3 s4*str.++,s4*str.++ s3})) false)
str-concat-clash2{,-rev} | s1 s2 s3*str.++ | (= (= s1 s2) false) (= (str.len s1) (str.len s2)) | (= (= s1 (str.++ {s2 s3*str.++,s3*str.++ s2})) false)
str-substr-empty-{range,start,start-neg} | s1 n1 n2 String | (= ({>= 0 n2,>= n1 (str.len s1),< n1 0}) true) | (= (str.substr s1 n1 n2) "")
str-substr-full{,-eq} | s1 n1 | (= {(>= n1 (str.len s1)) true,(str.len s1) n1}) | (= (str.substr s1 0 n1) s1)
str-{prefixof,suffixof}-elim | s1 s2 | | (= (str.{prefixof,suffixof} s1 s2) (= s1 (str.substr s2 {0,(- (str.len s2) (str.len s1))} (str.len s1))))
str-replace-{self,id} | s1 s2 | | (= (str.replace s1 {s1 s2,s2 s2}) {s2,s1})
str-replace{,-all}-no-contains | s1 s2 s3 | (= (str.contains s1 s2) false) | (= (str.replace{,_all} s1 s2 s3) s1)
str-indexof-{no-contains,oob,oob2} | s1 s2 n1 | (= ({str.contains (str.substr s1 n1 (str.len s1)) s2,> n1 (str.len s1),> 0 n1}) {false,true,true}) | (= (str.indexof s1 s2 n1) -1)
str-in-re-{union,inter}-elim | s1 r1 r2 r3*re.{union,inter} | | (= (str.in_re s1 (re.{union,inter} r1 r2 r3*re.{union,inter})) ({or,and} (str.in_re s1 r1) (str.in_re s1 (re.{union1,inter1} r2 r3*re.{union,inter}))))
str-contains-{refl} | s1 | | (= (str.contains s1 s1) true)
string_length_pos | s1 | | (or (and (= (str.len s1) 0) (= s1 "")) (> (str.len s1) 0))
string_length_non_empty | | (not (= s1 "")) | (not (= (str.len s1) 0))
string_code_inj | s1 s2 | | (or (= (str.to_code s1) -1) (not (= (str.to_code s1) (str.to_code s2))) (= s1 s2))
string_ext | | (not (= s1 s2)) | (or (not (= (str.len s1) (str.len s2))) (and (not (= (str.substr s1 I 1) (str.substr s2 I 1))) (<= 0 I) (< I (str.len s1)))) | I (@strings_deq_diff s1 s2)
string_eager_reduction | (str.to_code s1) | | (ite (= (str.len s1) 1) (and (>= (str.to_code s1) 0) (< (str.to_code s1) 196608)) (= (str.to_code s1) -1))
string_eager_reduction | (str.from_code n1) | | (ite (and (<= 0 n1) (< n1 196608)) (= n1 (str.to_code K)) (= K "")) | K (@purify (str.from_code n1))
string_eager_reduction | (str.to_int s1) | | (>= (str.to_int s1) -1)
string_eager_reduction | (str.contains s1 s2) | | (ite (str.contains s1 s2) (= s1 (str.++ K s2 L)) (not (= s1 s2))) | K (@purify (str.substr s1 0 (str.indexof s1 s2 0))) I (+ (str.len K) (str.len s2)) L (@purify (str.substr s1 I (- (str.len s1) I)))
string_eager_reduction | (str.indexof s1 s2 n1) | | (and (or (= I -1) (>= I n1)) (<= I (str.len s1))) | I (str.indexof s1 s2 n1)
string_reduction | (str.substr s1 n1 n2) | | (and (ite (and (>= n1 0) (> (str.len s1) n1) (> n2 0)) (and (= s1 (str.++ L K M)) (= (str.len L) n1) (or (= (str.len M) (- (str.len s1) I)) (= (str.len M) 0)) (<= (str.len K) n2)) (= K "")) (= (str.substr s1 n1 n2) K)) | K (@purify (str.substr s1 n1 n2)) L (@purify (str.substr s1 0 n1)) I (+ n1 n2) M (@purify (str.substr s1 I (- (str.len s1) I)))
string_reduction | (str.contains s1 s2) | | (and (= K (not (forall @i (or (not (>= @i 0)) (not (<= @i (- (str.len s1) (str.len s2)))) (not (= (str.substr s1 @i (str.len s2)) s2)))))) (= (str.contains s1 s2) K)) | K (@purify (str.contains s1 s2))
string_reduction | (str.indexof s1 s2 n1) | | (and (ite (or (not (str.contains X s2)) (> n1 (str.len s1)) (> 0 n1)) (= K -1) (ite (= s2 "") (= K n1) (and (= X (str.++ L s2 M)) (not (str.contains (str.++ L (str.substr s2 0 (- (str.len s2) 1))) s2)) (= K (+ n1 (str.len L)))))) (= (str.indexof s1 s2 n1) K)) | K (@purify (str.indexof s1 s2 n1)) X (str.substr s1 n1 (- (str.len s1) n1)) L (@purify (str.substr X 0 (str.indexof X s2 0))) I (+ (str.len L) (str.len s2)) M (@purify (str.substr X I (- (str.len X) I)))
string_reduction | (str.replace s1 s2 s3) | | (and (ite (= s2 "") (= K (str.++ s3 s1)) (ite (str.contains s1 s2) (and (= s1 (str.++ L s2 M)) (= K (str.++ L s3 M)) (not (str.contains (str.++ L (str.substr s2 0 (- (str.len s2) 1))) s2))) (= K s1))) (= (str.replace s1 s2 s3) K)) | K (@purify (str.replace s1 s2 s3)) L (@purify (str.substr s1 0 (str.indexof s1 s2 0))) I (+ (str.len L) (str.len s2)) M (@purify (str.substr s1 I (- (str.len s1) I)))
string_decompose | {false,true} | (>= n1 0) (>= (str.len s1) n1) | (and (= s1 (str.++ K L)) (= (str.len {K,L}) n1)) | K (@purify (str.substr s1 0 {n1,(- (str.len s1) n1)})) L (@purify (str.substr s1 {n1 (- (str.len s1) n1),(- (str.len s1) n1) n1}))
re-diff-elim | r1 r2 | | (= (re.diff r1 r2) (re.inter r1 (re.comp r2)))
re-repeat-elim | n1 r1 | | (= (re.^ n1 r1) (re.loop n1 n1 r1))
re-all-elim | | | (= re.all (re.* re.allchar))
re-concat-star-swap | r1*re.++ r2 r3*re.++ | | (= (re.++ r1*re.++ (re.* r2) r2 r3*re.++) (re.++ r1*re.++ r2 (re.* r2) r3*re.++))
re-concat-merge | r1*re.++ s1 s2 r2*re.++ | | (= (re.++ r1*re.++ (str.to_re s1) (str.to_re s2) r2*re.++) (re.++1 r1*re.++ (str.to_re (str.++ s1 s2)) r2*re.++))
re-inter-cstring | r1 r2*re.inter s1 | (= (str.in_re s1 (re.inter (str.to_re s1) r1 r2*re.inter)) true) | (= (re.inter (str.to_re s1) r1 r2*re.inter) (str.to_re s1))
re-in-cstring | s1 s2 | | (= (str.in_re s1 (str.to_re s2)) (= s1 s2))
re-in-comp | s1 r1 | | (= (str.in_re s1 (re.comp r1)) (not (str.in_re s1 r1)))
re-{opt,plus}-elim | r1 | | (= (re.{opt,+} r1) {(re.union (str.to_re "") r1),(re.++ r1 (re.* r1))})
re-in-{empty,sigma,sigma-star} | s1 | | (= (str.in_re s1 {re.none,re.allchar,(re.* re.allchar)}) {false,(= (str.len s1) 1),true})
re_inter | | (str.in_re s1 r1) (str.in_re s1 r2) | (str.in_re s1 (re.inter r1 r2))
re_unfold_neg | | (not (str.in_re s1 (re.* r1))) | (and (not (= s1 "")) (forall @i (or (<= @i 0) (< (str.len s1) @i) (not (str.in_re (str.substr s1 0 @i) r1)) (not (str.in_re (str.substr s1 @i (- (str.len s1) @i)) (re.* r1))))))
re_unfold_neg | | (not (str.in_re s1 (re.++ r1 r2*re.++))) | (forall @i (or (< @i 0) (< (str.len s1) @i) (not (str.in_re (str.substr s1 0 @i) r1)) (not (str.in_re (str.substr s1 @i (- (str.len s1) @i)) (re.++1 r2*re.++)))))
"""

_CHOICE = re.compile(r"\{([^}]*)\}")
Bound = dict[str, "Term | tuple[Term, ...]"]


class Pattern(NamedTuple):
    """A line of the table."""

    arguments: tuple[SExpr, ...]
    premises: tuple[SExpr, ...]
    conclusion: SExpr
    names: tuple[SExpr, ...] = ()


@functools.cache
def patterns() -> dict[str, tuple[Pattern, ...]]:
    """The table, by the names of its rules."""
    found: dict[str, tuple[Pattern, ...]] = {}
    for line in TABLE.splitlines():
        choices = [len(part.split(",")) for part in _CHOICE.findall(line)] or [1]
        for i in range(choices[0]):
            name, *parts = _CHOICE.sub(lambda part, i=i: part[1].split(",")[i], line).split("|")  # type: ignore[misc]
            arguments, premises, (conclusion,), *names = [tuple(expressions(part)) for part in parts]
            found[name.strip()] = (*found.get(name.strip(), ()), Pattern(arguments, premises, conclusion, *names))
    return found


def by_pattern(rule: str, terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    """The conclusion of a rule of the table; raises `Rejected` where no line fits, or its terms are ill-sorted."""
    for pattern in patterns()[rule][:-1]:
        with contextlib.suppress(Rejected):
            return _concluded(pattern, terms, premises, arguments)
    return _concluded(patterns()[rule][-1], terms, premises, arguments)


def _concluded(pattern: Pattern, terms: Terms, premises: Sequence[Term], arguments: Sequence[Value]) -> Term:
    if len(premises) != len(pattern.premises) or len(arguments) != len(pattern.arguments):
        raise Rejected("wrong numbers of premises or arguments")
    bound: Bound = {}
    pairs = zip((*pattern.arguments, *pattern.premises), (*arguments, *premises), strict=True)
    for wanted, given in pairs:
        if isinstance(wanted, str) and _is_list(wanted):
            bound[wanted] = operands(terms, a_term(given), wanted.partition("*")[2])
        elif not _matches(terms, wanted, a_term(given), bound):
            raise Rejected("a premise or an argument does not have the form that the rule needs")
    for name, meant in zip(pattern.names[::2], pattern.names[1::2], strict=True):
        bound[str(name)] = build(terms, meant, bound)
    return build(terms, pattern.conclusion, bound)


def neutral(terms: Terms, op: str, width: int = 0) -> Term:
    """The operand that changes nothing, of bit-vectors of a width."""
    match op:
        case "and" | "or":
            return terms.true if op == "and" else terms.false
        case "str.++":
            return terms.string("")
        case "re.++":
            return terms.app("str.to_re", terms.string(""))
        case "re.union" | "re.inter":
            return terms.app("re.none" if op == "re.union" else "re.all")
        case "concat":
            return terms.bits(0, 0)
    return terms.bits({"bvand": -1, "bvmul": 1}.get(op, 0), width)


def operands(terms: Terms, given: Term, op: str) -> tuple[Term, ...]:
    """The operands of a function that takes any number of them; none of what is neutral for it."""
    if given.op == op:
        return given.args
    if given is not neutral(terms, op, given.width if op[:2] == "bv" else 0):
        raise Rejected(f"operands of {op} were expected")
    return ()


def _is_list(pattern: str) -> bool:
    return "*" in pattern[1:] and "#" not in pattern and is_pattern_variable(pattern)


def _matches(terms: Terms, pattern: SExpr, term: Term, bound: Bound) -> bool:
    with contextlib.suppress(KeyError):  # of a variable that is not bound yet
        return build(terms, pattern, bound) is term
    if isinstance(pattern, str):
        return bound.setdefault(pattern, term) is term
    parts, args = pattern[1:], term.args
    if isinstance(parts[-1], str) and _is_list(parts[-1]) and len(args) >= len(parts) - 1:
        if bound.setdefault(parts[-1], args[len(parts) - 1 :]) != args[len(parts) - 1 :]:
            return False
        parts, args = parts[:-1], args[: len(parts) - 1]
    if term.op != pattern[0] or len(args) != len(parts) or term.binders:
        return False
    return all(_matches(terms, p, t, bound) for p, t in zip(parts, args, strict=True))


def is_pattern_variable(name: str) -> bool:
    """Whether an atom of a pattern stands for any term."""
    return name not in RESERVED and name[0] not in '0123456789-"@'


def build(terms: Terms, pattern: SExpr, bound: Bound) -> Term:
    """The term of a pattern; raises `Rejected` where it is ill-sorted, `KeyError` for a variable that is not bound."""
    if isinstance(pattern, str):
        if "#" in pattern:
            name, _, place = pattern.partition("#")
            parts, number = bound[name], build(terms, place, bound).value
            if not isinstance(parts, tuple) or not isinstance(number, int) or not 0 <= number < len(parts):
                raise Rejected("the number of an operand was expected")
            return parts[number]
        if is_pattern_variable(pattern):
            found = bound[pattern]
            assert isinstance(found, Term)
            return found
        if pattern == "@i":
            return terms.variable("@var.str_index", INT)
        if pattern[0] in "0123456789-":
            return terms.number(int(pattern.rstrip("r")), REAL if pattern.endswith("r") else INT)
        return terms.string("") if pattern == '""' else terms.app(pattern)
    op, args = str(pattern[0]), list[Term]()
    for part in pattern[1:]:
        found = bound[part.lstrip("~")] if isinstance(part, str) and _is_list(part) else build(terms, part, bound)
        denied = [terms.app("not", t) for t in found] if isinstance(found, tuple) and part[0] == "~" else found
        args.extend(denied if isinstance(denied, list | tuple) else (denied,))
    if op == "forall":
        known = [t for found in bound.values() for t in (found if isinstance(found, tuple) else (found,))]
        if any(args[0] in term.free for term in known):
            raise Rejected("a variable would be captured")
        return terms.quantified(op, args[:1], args[1])
    return joined(terms, op[:-1], args) if op[-1] == "1" else terms.app(op, *args)


def joined(terms: Terms, op: str, parts: Sequence[Term]) -> Term:
    """``op`` of parts: of one that part, of none what is neutral."""
    return terms.app(op, *parts) if len(parts) > 1 else parts[0] if parts else neutral(terms, op)


def only(arguments: Sequence[Value], premises: Sequence[Term] = ()) -> Term:
    """The one argument of a rule without premises."""
    if len(arguments) != 1 or premises:
        raise Rejected("one argument and no premise were expected")
    return a_term(arguments[0])


def equation(arguments: Sequence[Value], premises: Sequence[Term]) -> tuple[Term, Term, Term]:
    """The equation that is the one argument, and its sides."""
    wanted = only(arguments, premises)
    return (wanted, *sides(wanted))
