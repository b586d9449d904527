/-
A persistent Lean: one JSON request a line on standard input, one JSON answer a line on standard output (same id).

Run as `lean --run Driver.lean` with the search path of a project. It speaks the protocol of the embedded driver, with
two differences: time is kept by whoever started it (by killing it), and axioms are true ones throughout, for imported
proofs are there. Written against Lean 4.28; where older or newer versions are known to differ, `by first` takes the
form that elaborates.

A text can run programs while it is elaborated. Such a program is kept from the answers by their ids, which it is not
told, and from the machine by the sandbox; whether a text may have one at all is decided before it comes here.
-/
import Lean

open Lean Elab

namespace GoedelsPoetry

/-! ## What differs between versions of Lean -/

/-- A position in a text, in bytes. -/
abbrev Place : Type := by first | exact String.Pos.Raw | exact String.Pos

def messageKind (message : Message) : Name := by first | exact message.data.kind | exact Name.anonymous

def messageText (message : Message) : IO String := by first | exact message.data.toString | exact (liftM message.data.toString)

def setBool (options : Options) (name : Name) (value : Bool) : Options := by
  first | exact options.setBool name value | exact options.insert name (DataValue.ofBool value)

def setNat (options : Options) (name : Name) (value : Nat) : Options := by
  first | exact options.setNat name value | exact options.insert name (DataValue.ofNat value)

/-- The fields of a JSON object. -/
def fieldsOf (object : Json) : List (String × Json) :=
  match object with
  | .obj fields => by
    first
    | exact fields.foldl (init := []) fun found key value => (key, value) :: found
    | exact fields.fold (init := []) fun found key value => (key, value) :: found
  | _ => []

/-- Every constant once more through the kernel, on top of `env`. -/
def replayAll (env : Environment) (added : List (Name × ConstantInfo)) : IO Unit := by
  first
  | exact do let _ ← env.replay (Std.HashMap.ofList added)
  | exact do let _ ← env.replay (Lean.HashMap.ofList added)
  | exact throw (IO.userError "this version of Lean cannot replay declarations")

/-- Whether an inductive type occurs in itself below another type, as in `List Tree`. -/
def isNested (value : InductiveVal) : Bool := by first | exact value.numNested > 0 | exact value.isNested

def isTheorem (info : ConstantInfo) : Bool := info matches .thmInfo _

/-- The axioms on which a constant rests, transitively. -/
def axiomsOf (env : Environment) (name : Name) : Array Name :=
  (((CollectAxioms.collect name).run env).run {}).2.axioms

/-- Definitional equality by the kernel. -/
def kernelEqual (env : Environment) (a b : Expr) : Bool :=
  match Kernel.isDefEq env {} a b with
  | .ok same => same
  | .error _ => false

/-- Constants that a text has added to what it imports. -/
def localConstants (env : Environment) : List (Name × ConstantInfo) :=
  env.constants.foldStage2 (fun found name info => (name, info) :: found) []

/-! ## Plain helpers -/

/-- A name as it is written, without guillemets. -/
def nameText (name : Name) : String := name.toString (escape := false)

def names (all : Array Name) : Json := Json.arr (all.map (Json.str ∘ nameText))

def strings (all : List String) : Json := Json.arr (all.map Json.str).toArray

def text? (request : Json) (key : String) : Option String := (request.getObjValAs? String key).toOption

def flag (request : Json) (key : String) : Bool := (request.getObjValAs? Bool key).toOption.getD false

def texts (request : Json) (key : String) : List String := (request.getObjValAs? (List String) key).toOption.getD []

def utf8Bytes (c : Char) : Nat :=
  if c.toNat < 0x80 then 1 else if c.toNat < 0x800 then 2 else if c.toNat < 0x10000 then 3 else 4

def fromChars (chars : List Char) : String := chars.foldl String.push ""

/-- Without white space at both ends. -/
def trimmed (source : String) : String :=
  fromChars ((source.toList.dropWhile Char.isWhitespace).reverse.dropWhile Char.isWhitespace).reverse

/-- For each byte of a text (and its end) the number of code points before it. -/
def codePointTable (source : String) : Array Nat :=
  let filled := source.toList.foldl (init := ((#[] : Array Nat), 0)) fun (table, k) c =>
    ((List.range (utf8Bytes c)).foldl (fun t _ => t.push k) table, k + 1)
  filled.1.push filled.2

/-- The characters of the first so many bytes. -/
def charactersBefore : List Char → Nat → List Char
  | [], _ => []
  | c :: rest, left => if left == 0 then [] else c :: charactersBefore rest (left - utf8Bytes c)

def codePoint (table : Array Nat) (at_ : Nat) : Nat := table.getD at_ (table.getD (table.size - 1) 0)

def optionsOf (request : Json) : Options :=
  let given := (request.getObjVal? "options").toOption.getD Json.null
  -- Messages of what runs beside a command would be lost, and nothing may still run when the answer is given.
  (fieldsOf given).foldl (init := setBool {} `Elab.async false) fun options (key, value) =>
    match value with
    | .bool b => setBool options key.toName b
    | .num n => if n.exponent == 0 && n.mantissa ≥ 0 then setNat options key.toName n.mantissa.toNat else options
    | _ => options

/-! ## Messages -/

def severityText : MessageSeverity → String
  | .information => "info"
  | .warning => "warning"
  | .error => "error"

def messageJson (message : Message) : IO Json := do
  let kind := messageKind message
  let place (p : Option Position) (f : Position → Nat) : Json := match p with
    | some q => toJson (f q)
    | none => Json.null
  return Json.mkObj [("severity", severityText message.severity), ("line", toJson message.pos.line),
    ("column", toJson message.pos.column), ("endLine", place message.endPos (·.line)),
    ("endColumn", place message.endPos (·.column)), ("kind", if kind.isAnonymous then "" else nameText kind),
    ("text", ← messageText message)]

def hasErrors (log : MessageLog) : Bool := log.toList.any fun m => m.severity matches .error

/-! ## Syntax -/

/-- The nodes for which `keep` holds, in order; below them and below those for which `skip` holds nothing is looked for. -/
partial def nodes (keep skip : SyntaxNodeKind → Bool) (stx : Syntax) : Array Syntax :=
  if keep stx.getKind then #[stx]
  else if skip stx.getKind then #[]
  else stx.getArgs.foldl (fun found arg => found ++ nodes keep skip arg) #[]

def tacticSorry : SyntaxNodeKind := `Lean.Parser.Tactic.tacticSorry
def termSorry : SyntaxNodeKind := `Lean.Parser.Term.sorry

def rangeOf (stx : Syntax) : Nat × Nat :=
  match stx.getPos?, stx.getTailPos? with
  | some start, some stop => (start.byteIdx, stop.byteIdx)
  | _, _ => (0, 0)

/-- Where the statement of a declaration ends: `:=`, `|` or `where` follow. -/
def headEnd (stx : Syntax) : Option Nat := do
  let signature ← (nodes (· == `Lean.Parser.Command.declSig) (fun _ => false) stx)[0]?
  let stop : Place ← signature.getTailPos?
  return stop.byteIdx

/-- What stands inside of `open … in`, `set_option … in` and the like. -/
partial def innermost (stx : Syntax) : Syntax :=
  if stx.getKind == `Lean.Parser.Command.in then innermost stx[2] else stx

def describe (table : Array Nat) (stx : Syntax) (currentNamespace : Name) : Json :=
  let one := innermost stx
  let inner := if one.getKind == `Lean.Parser.Command.declaration then nameText one[1].getKind
    else if one.getKind == `lemma then "lemma" else ""
  let (start, stop) := rangeOf stx
  let declared := nodes (· == `Lean.Parser.Command.declId) (· == `Lean.Parser.Term.byTactic) stx
  let head : Json := match if inner == "" then none else headEnd one with
    | some place => toJson (codePoint table place)
    | none => toJson (-1 : Int)
  Json.mkObj [("kind", nameText stx.getKind), ("declaration", inner), ("start", toJson (codePoint table start)),
    ("end", toJson (codePoint table stop)), ("names", names (declared.map (·[0].getId))),
    ("namespace", nameText currentNamespace), ("head", head)]

/-! ## Commands, one at a time -/

/-- A text that has been elaborated up to some place. -/
structure Progress where
  state : Command.State
  parser : Parser.ModuleParserState
  messages : Array Json := #[]
  failed : Bool := false
  commands : Array Json := #[]
  holes : Array Json := #[]

/-- Elaborate one command. What it prints becomes nothing: standard output belongs to the protocol. -/
def elaborateCommand (context : Parser.InputContext) (state : Command.State) (parser : Parser.ModuleParserState)
    (place : Place) (stx : Syntax) : IO Command.State := do
  let start : Frontend.State := { commandState := state, parserState := parser, cmdPos := place }
  let run : IO (Unit × Frontend.State) := ((Frontend.elabCommandAtFrontend stx).run { inputCtx := context }).run start
  let (_, _, after) ← IO.FS.withIsolatedStreams run
  return after.commandState

/-- Parse and elaborate commands until the end of the text. `stopAtEnd`: the end itself is not elaborated. -/
partial def elaborateFrom (context : Parser.InputContext) (table : Array Nat) (stopAtEnd : Bool)
    (each : Syntax → Command.State → Command.State → IO (Array Json)) (progress : Progress) : IO Progress := do
  let scope := progress.state.scopes.head!
  let module : Parser.ParserModuleContext :=
    { env := progress.state.env, options := scope.opts, currNamespace := scope.currNamespace, openDecls := scope.openDecls }
  let (stx, next, parsed) := Parser.parseCommand context module progress.parser {}
  let last := Parser.isTerminalCommand stx
  if last && stopAtEnd && stx.getKind == `Lean.Parser.Command.eoi then
    let said ← parsed.toList.toArray.mapM messageJson
    return { progress with parser := next, messages := progress.messages ++ said, failed := progress.failed || hasErrors parsed }
  -- The errors of the parser go in with the state: Lean then leaves out the errors that only follow from them.
  let before := { progress.state with messages := {}, infoState := { enabled := true } }
  let after ← elaborateCommand context { before with messages := parsed } next progress.parser.pos stx
  let kept := if hasErrors parsed && !hasErrors after.messages then parsed.toList ++ after.messages.toList else after.messages.toList
  let said ← kept.toArray.mapM messageJson
  let found ← each stx before after
  let progress := { progress with
    state := { after with messages := {}, infoState := { enabled := true } }, parser := next
    messages := progress.messages ++ said, failed := progress.failed || kept.any (fun m => m.severity matches .error)
    commands := progress.commands.push (describe table stx scope.currNamespace), holes := progress.holes ++ found }
  if last then return progress
  elaborateFrom context table stopAtEnd each progress

/-! ## Goals at holes -/

/-- How a statement is printed: the first form that elaborates back to the same statement is used. -/
def printForms : List (List Name) :=
  let plain := [`pp.fullNames, `pp.deepTerms, `pp.proofs, `pp.piBinderTypes, `pp.letVarTypes, `pp.mvars]
  [plain, plain ++ [`pp.funBinderTypes, `pp.numericTypes, `pp.analyze],
   plain ++ [`pp.funBinderTypes, `pp.explicit, `pp.universes], plain ++ [`pp.all]]

def printOptions (start : Options) (form : List Name) : Options :=
  let quiet := [`pp.sanitizeNames, `pp.fieldNotation].foldl (fun o n => setBool o n false) (setNat start `pp.maxSteps 1000000)
  form.foldl (fun o n => setBool o n true) quiet

def lineWidth : Nat := 110

def probe : Name := `_goedels_poetry_probe

/-- Whether `printed`, elaborated where the command stands, is the statement from which it was printed. -/
def readsBack (before : Command.State) (printed : String) (levels : List Name) (type : Expr) : IO Bool := do
  let declared := if levels.isEmpty then "" else ".{" ++ ", ".intercalate (levels.map nameText) ++ "}"
  let source := s!"theorem {probe}{declared} : {printed} := sorry"
  let context := Parser.mkInputContext source "Main.lean"
  let scope := before.scopes.head!
  let module : Parser.ParserModuleContext :=
    { env := before.env, options := scope.opts, currNamespace := scope.currNamespace, openDecls := scope.openDecls }
  let (stx, next, parsed) := Parser.parseCommand context module {} {}
  if hasErrors parsed || next.pos.byteIdx < source.utf8ByteSize then return false
  let after ← elaborateCommand context { before with messages := {} } next {} stx
  if hasErrors after.messages then return false
  match (localConstants after.env).find? fun (name, _) => (nameText name).endsWith (nameText probe) with
  | none => return false
  | some (_, info) => return levels.all info.levelParams.contains && (info.type == type || kernelEqual after.env info.type type)

structure Local where
  decl : LocalDecl
  shown : Name
  hidden : Bool

def binderText : BinderInfo → String
  | .default => "default"
  | .implicit => "implicit"
  | .strictImplicit => "strict"
  | .instImplicit => "inst"

/-- A name that is not taken: `stem_1`, `stem_2`, … -/
partial def freshName (taken : List Name) (stem : String) (k : Nat := 1) : Name :=
  let candidate := Name.mkSimple s!"{stem}_{k}"
  if taken.contains candidate then freshName taken stem (k + 1) else candidate

/-- The local variables of a goal with names that can be written; hidden ones (inaccessible, shadowed) get new names. -/
def locals (context : LocalContext) : List Local × LocalContext :=
  let decls := context.foldl (init := ([] : List LocalDecl)) fun found decl =>
    if decl.isImplementationDetail || decl.isAuxDecl then found else decl :: found
  let decls := decls.reverse
  let start : List Local × LocalContext × List Name := ([], context, decls.map (·.userName))
  let (found, renamed, _) := decls.foldl (init := start) fun (found, renamed, taken) decl =>
    let name := decl.userName
    let later := decls.filter fun other => other.index > decl.index && other.userName == name
    if name.hasMacroScopes || !later.isEmpty then
      let plain := nameText name.eraseMacroScopes
      let kept := plain.toList.filter fun c => c.isAlphanum || c == '_' || c == '\'' || c.toNat > 127
      let stem := if kept.isEmpty || plain == "[anonymous]" then "x" else fromChars kept
      let fresh := freshName taken stem
      (found ++ [{ decl, shown := fresh, hidden := true }], renamed.setUserName decl.fvarId fresh, fresh :: taken)
    else (found ++ [{ decl, shown := name, hidden := false }], renamed, taken)
  (found, renamed)

/-- A goal as a closed statement that elaborates back to itself; the statement is "" when no printed form does. -/
def closedGoal (context : ContextInfo) (lctx : LocalContext) (target : Expr) (before : Command.State) (goal : String) : IO Json := do
  let (found, renamed) := locals lctx
  let type ← context.runMetaM renamed do
    let goal ← instantiateMVars target
    instantiateMVars (← Meta.mkForallFVars (found.map (mkFVar ·.decl.fvarId)).toArray goal (usedLetOnly := false))
  let declared := before.scopes.head!.levelNames
  let levels := (collectLevelParams {} type).params.toList.filter fun level => !declared.contains level
  let binder (l : Local) : Json := Json.mkObj [("name", nameText l.shown), ("hidden", l.hidden), ("let", l.decl.isLet),
    ("info", if l.decl.isLet then "default" else binderText l.decl.binderInfo)]
  let answer (statement : String) : Json := Json.mkObj [("goal", goal), ("statement", statement),
    ("binders", Json.arr (found.map binder).toArray), ("levels", names levels.toArray)]
  if type.hasMVar || type.hasFVar then return answer ""
  for form in printForms do
    let printed ← context.runMetaM {} <| withOptions (printOptions · form) do
      return (← Meta.ppExpr type).pretty lineWidth
    if ← readsBack before printed levels type then return answer printed
  return answer ""

def goalOf (context : ContextInfo) (goal : MVarId) : IO (LocalContext × Expr) :=
  context.runMetaM {} do
    let decl ← goal.getDecl
    return (decl.lctx, decl.type)

def tacticGoals (map : FileMap) (tree : InfoTree) (place : Place) (before : Command.State) : IO (Array Json) := do
  let mut found := #[]
  for result in tree.goalsAt? map place do
    let info := result.tacticInfo
    let (mctx, goals) := if result.useAfter then (info.mctxAfter, info.goalsAfter) else (info.mctxBefore, info.goalsBefore)
    let context := { result.ctxInfo with mctx }
    for goal in goals do
      let shown := trimmed (← context.ppGoals [goal]).pretty
      let (lctx, target) ← goalOf context goal
      found := found.push (← closedGoal context lctx target before shown)
  return found

def termGoals (tree : InfoTree) (place : Place) (before : Command.State) : IO (Array Json) := do
  let some found := tree.termGoalAt? place | return #[]
  let .ofTermInfo term := found.info | return #[]
  let some expected := term.expectedType? | return #[]
  let shown ← found.ctx.runMetaM term.lctx do return (← Meta.ppExpr (← instantiateMVars expected)).pretty lineWidth
  return #[← closedGoal found.ctx term.lctx expected before s!"⊢ {shown}"]

/-- Every `sorry` of a command with the goals for which it stands. -/
def holesOf (context : Parser.InputContext) (table : Array Nat) (stx : Syntax) (before after : Command.State) : IO (Array Json) := do
  let mut found := #[]
  for hole in nodes (fun k => k == tacticSorry || k == termSorry) (fun _ => false) stx do
    let some place := hole.getPos? | continue
    let tactic := hole.getKind == tacticSorry
    let (start, stop) := rangeOf hole
    let mut goals := #[]
    for tree in after.infoState.trees.toArray do
      if goals.isEmpty then
        goals ← if tactic then tacticGoals context.fileMap tree place before else termGoals tree place before
    found := found.push (Json.mkObj [("start", toJson (codePoint table start)), ("end", toJson (codePoint table stop)),
      ("tactic", tactic), ("goals", Json.arr goals)])
  return found

/-! ## A whole text: imports once, prefix once -/

/-- Imports that have been read: their environment, or the messages why not. -/
structure Header where
  env : Environment
  messages : Array Json
  failed : Bool

structure Cache where
  headers : List (String × Header) := []
  prefixes : List (String × Progress) := []

def mostHeaders : Nat := 4
def mostPrefixes : Nat := 6

abbrev Session := StateRefT Cache IO

def headerOf (source : String) (context : Parser.InputContext) (options : Options) :
    Session (Header × Parser.ModuleParserState) := do
  let (stx, parser, log) ← Parser.parseHeader context
  let (start, stop) := rangeOf stx
  let key := fromChars ((charactersBefore source.toList stop).drop (charactersBefore source.toList start).length)
  if let some known := (← get).headers.lookup key then return (known, parser)
  let (env, log) ← processHeader stx options log context
  let header : Header := { env := env.setMainModule `Main, messages := ← log.toList.toArray.mapM (fun m => (messageJson m : IO Json)), failed := hasErrors log }
  unless header.failed do modify fun c => { c with headers := (key, header) :: c.headers.take (mostHeaders - 1) }
  return (header, parser)

/-- What `source` is when its imports have been read: nothing elaborated yet. -/
def begin_ (source : String) (options : Options) : Session Progress := do
  let (header, parser) ← headerOf source (Parser.mkInputContext source "Main.lean") options
  return { state := Command.mkState header.env {} options, parser, messages := header.messages, failed := header.failed }

def sameImports (a b : Environment) : Bool := a.header.imports.map (·.module) == b.header.imports.map (·.module)

/-- Whether `b` imports all that `a` does. -/
def importsAll (a b : Environment) : Bool :=
  a.header.imports.all fun i => b.header.imports.any fun j => i.module == j.module

def nothing : Syntax → Command.State → Command.State → IO (Array Json) := fun _ _ _ => return #[]

/-- The state after `text`, kept for the next request. -/
def afterPrefix (text : String) (options : Options) : Session Progress := do
  let key := s!"{options}\n{text}"
  if let some known := (← get).prefixes.lookup key then return known
  let start ← begin_ text options
  let context := Parser.mkInputContext text "Main.lean"
  let done ← if start.failed then pure start else (elaborateFrom context (codePointTable text) true nothing start : IO Progress)
  modify fun c => { c with prefixes := (key, done) :: c.prefixes.take (mostPrefixes - 1) }
  return done

/-- Elaborate prefix + code; none of it when the imports fail. -/
def elaborateText (text code : String) (options : Options) (holes : Bool) : Session (Progress × Bool) := do
  let whole := text ++ code
  let table := codePointTable whole
  let context := Parser.mkInputContext whole "Main.lean"
  let start ← begin_ whole options
  if start.failed then return (start, false)
  let each := if holes then holesOf context table else nothing
  let mut progress := start
  if start.parser.pos.byteIdx ≤ text.utf8ByteSize && text != "" then
    let kept ← afterPrefix text options
    if sameImports kept.state.env start.state.env then
      progress := { kept with parser := { start.parser with pos := ⟨text.utf8ByteSize⟩ } }
  let done ← (elaborateFrom context table false each progress : IO Progress)
  return (done, true)

/-! ## The gate -/

def kindText : ConstantInfo → String
  | .axiomInfo _ => "axiom"
  | .defnInfo _ => "def"
  | .thmInfo _ => "theorem"
  | .opaqueInfo _ => "opaque"
  | .quotInfo _ => "quot"
  | .inductInfo _ => "inductive"
  | .ctorInfo _ => "constructor"
  | .recInfo _ => "recursor"

/-- Constants that the text has added, with the axioms on which each rests. -/
def declarations (env : Environment) : Array Json :=
  let found := localConstants env |>.map fun (name, info) =>
    let base : List (String × Json) := [("name", nameText name), ("kind", kindText info)]
    let resting : List (String × Json) := match info with
      | .axiomInfo _ | .defnInfo _ | .thmInfo _ | .opaqueInfo _ =>
        [("axioms", names ((axiomsOf env name).qsort fun a b => nameText a < nameText b))]
      | _ => []
    let unsafe_ : List (String × Json) := match info with
      | .defnInfo value => if value.safety matches .safe then [] else [("unsafe", true)]
      | _ => []
    let nested : List (String × Json) := match info with
      | .inductInfo value => if isNested value then [("nested", true)] else []
      | _ => []
    (nameText name, Json.mkObj (base ++ resting ++ unsafe_ ++ nested))
  (found.toArray.qsort fun a b => a.1 < b.1).map (·.2)

def valueOf? : ConstantInfo → Option Expr
  | .defnInfo value => some value.value
  | .opaqueInfo value => some value.value
  | _ => none

def begins (chars : List Char) (with_ : String) : Bool := with_.toList.isPrefixOf chars

/-- Names that Lean makes by itself, such as `t.match_1`: they depend on what was elaborated before. -/
def madeByLean : Name → Bool
  | .str above last =>
    let chars := last.toList
    (begins chars "_" && !begins chars "_private") || (begins chars "match_" && (chars.getD 6 ' ').isDigit)
      || last == "splitter" || begins chars "congr_eq" || madeByLean above
  | .num above _ => madeByLean above
  | .anonymous => false

/-- Such a name, of something that its type and value say all about: an inductive type called `_T` is not. -/
def isMade (name : Name) (info : ConstantInfo) : Bool :=
  madeByLean name && match info with
    | .defnInfo _ | .thmInfo _ => true
    | _ => false

abbrev Constants := List (Name × ConstantInfo)

mutual
/-- Equality of expressions of two texts, up to the names of what Lean has made by itself. `seen`: pairs that were met
before; one difference anywhere makes the whole answer false. -/
partial def alike (theirs ours : Constants) (a b : Expr) : StateM ExprSet Bool := do
  let pair := mkApp a b
  if (← get).contains pair then return true
  modify (·.insert pair)
  match a, b with
  | .const n us, .const m vs =>
    if us != vs then return false
    match theirs.lookup n, ours.lookup m with
    | some x, some y => if isMade n x && isMade m y then sameConstant theirs ours x y else return n == m
    | none, none => return n == m
    | _, _ => return false
  | .app f x, .app g y => return (← alike theirs ours f g) && (← alike theirs ours x y)
  | .lam _ t x _, .lam _ u y _ => return (← alike theirs ours t u) && (← alike theirs ours x y)
  | .forallE _ t x _, .forallE _ u y _ => return (← alike theirs ours t u) && (← alike theirs ours x y)
  | .letE _ t v x _, .letE _ u w y _ =>
    return (← alike theirs ours t u) && (← alike theirs ours v w) && (← alike theirs ours x y)
  | .mdata _ x, .mdata _ y => alike theirs ours x y
  | .proj n i x, .proj m j y => return n == m && i == j && (← alike theirs ours x y)
  | _, _ => return a == b

partial def sameConstant (theirs ours : Constants) (x y : ConstantInfo) : StateM ExprSet Bool := do
  if kindText x != kindText y || x.levelParams != y.levelParams then return false
  unless ← alike theirs ours x.type y.type do return false
  match valueOf? x, valueOf? y with
  | some v, some w => alike theirs ours v w
  | none, none => return true
  | _, _ => return false
end

/-- Why `ours` does not state what `theirs` states: `wanted` theorems with the same type, every other definition, type
and axiom unchanged; "" when it does. With `negates`, the first wanted one is to state that this theorem is false. -/
def difference (theirs ours : Constants) (names : List String) (negates : String) : String := Id.run do
  let wanted := if negates.isEmpty then names else names.drop 1
  unless negates.isEmpty do
    let some (_, a) := theirs.find? (nameText ·.1 == negates) | return s!"the reference does not declare {negates}"
    let some (_, b) := ours.find? (fun found => names.head? == some (nameText found.1)) | return s!"{names.head?} is missing"
    let says := match b.type with
      | .app (.const ``Not []) claim => a.levelParams == b.levelParams && ((alike theirs ours a.type claim).run {}).1
      | _ => false
    unless isTheorem a && isTheorem b && says do return s!"{nameText b.name} does not say that {negates} is false"
  for name in wanted do
    unless theirs.any (nameText ·.1 == name) do return s!"the reference does not declare {name}"
  for (name, a) in theirs do
    let shown := nameText name
    let isWanted := wanted.contains shown
    if !isWanted && (isTheorem a || isMade name a) then continue
    let some b := ours.lookup name | return s!"{shown} is missing"
    if kindText a != kindText b then return s!"{shown} is no longer a {kindText a}"
    unless a.levelParams == b.levelParams && ((alike theirs ours a.type b.type).run {}).1 do
      return s!"the type of {shown} is another one"
    unless isWanted || ((sameConstant theirs ours a b).run {}).1 do return s!"the value of {shown} is another one"
  return ""

/-- `theirs`: the reference, elaborated before the code was. -/
def compare (request : Json) (theirs : Progress × Bool) (done : Progress) (elaborated : Bool) : Json :=
  let why := if !theirs.2 || theirs.1.failed then "the reference does not elaborate"
    else if !elaborated then "the code does not elaborate"
    else if !importsAll theirs.1.state.env done.state.env then "it does not import all that the reference does"
    else difference (localConstants theirs.1.state.env) (localConstants done.state.env) (texts request "names")
      ((text? request "negates").getD "")
  Json.mkObj [("same", why == ""), ("why", why)]

/-- Every declaration of the text once more through the kernel, on top of the imports alone. -/
def replay (source : String) (options : Options) (done : Progress) : Session Json := do
  let start ← begin_ source options
  let added := localConstants done.state.env
  let failed ← try
      replayAll start.state.env added
      pure ""
    catch error => pure (toString error)
  return Json.mkObj [("count", toJson added.length), ("failed", failed)]

/-! ## Values -/

def mostValue : Nat := 400

/-- A datum in constructors and numerals; none where the term is no datum or too large. -/
partial def valueText (env : Environment) (term : Expr) (depth : Nat := 60) : Option String := do
  guard (depth > 0)
  let value ← (Kernel.whnf env {} term).toOption
  match value.getAppFn with
  | .lit (.natVal n) => return toString n
  | .lit (.strVal s) => return (Json.str s).compress
  | .const `Nat.zero _ => return "0"
  | .const `Nat.succ _ =>
    let below ← valueText env (← value.getAppArgs[0]?) (depth - 1)
    return match below.toNat? with
      | some n => toString (n + 1)
      | none => s!"(succ {below})"
  | .const name _ =>
    let .ctorInfo constructor ← env.find? name | none
    let shown ← (value.getAppArgs.toList.drop constructor.numParams).mapM fun a => valueText env a (depth - 1)
    let whole := if shown.isEmpty then nameText name else s!"({nameText name} {" ".intercalate shown})"
    guard (whole.length ≤ mostValue)
    return whole
  | _ => none

def evaluate (request : Json) : Session Json := do
  let terms := texts request "terms"
  let arguments := (request.getObjValAs? (List (List String)) "arguments").toOption.getD []
  let data := (arguments.foldl (· ++ ·) []).eraseDups
  let define (stem : String) (body : List String) : List String :=
    (List.range body.length).zipWith (fun i t => s!"noncomputable def {stem}{i} := ({t})") body
  let code := "\n" ++ "\n".intercalate (define "_goedels_data_" data ++ define "_goedels_term_" terms) ++ "\n"
  let (done, fine) ← elaborateText ((text? request "prefix").getD "") code (optionsOf request) false
  unless fine do return Json.mkObj [("values", Json.arr #[]), ("messages", Json.arr done.messages)]
  let env := done.state.env
  let added := (localConstants env).map fun (name, _) => (nameText name, name)
  let constant (last : String) : Option Expr :=
    (added.find? fun (shown, _) => shown == last || shown.endsWith ("." ++ last)).map fun (_, name) => mkConst name
  let place (datum : String) : Option Expr := do constant s!"_goedels_data_{← data.findIdx? (· == datum)}"
  let value (i : Nat) (given : List String) : Json :=
    match (do valueText env (mkAppN (← constant s!"_goedels_term_{i}") (← given.mapM place).toArray) : Option String) with
    | some shown => shown
    | none => Json.null
  let rows := (List.range terms.length).map fun i => Json.arr (arguments.map (value i)).toArray
  return Json.mkObj [("values", Json.arr rows.toArray), ("messages", Json.arr #[])]

/-! ## Requests -/

def check (request : Json) : Session Json := do
  let options := optionsOf request
  let (text, code) := ((text? request "prefix").getD "", (text? request "code").getD "")
  let theirs ← (text? request "reference").mapM fun reference => elaborateText "" reference options false
  let (done, elaborated) ← elaborateText text code options (flag request "holes")
  let mut answer : List (String × Json) := [("ok", elaborated && !done.failed), ("messages", Json.arr done.messages),
    ("imports", names (done.state.env.header.imports.map (·.module)))]
  if flag request "commands" then answer := answer ++ [("commands", Json.arr done.commands)]
  if flag request "holes" then answer := answer ++ [("holes", Json.arr done.holes)]
  if elaborated && flag request "declarations" then answer := answer ++ [("declarations", Json.arr (declarations done.state.env))]
  if let some theirs := theirs then
    answer := answer ++ [("statement", compare request theirs done elaborated)]
  if elaborated && flag request "replay" then answer := answer ++ [("replay", ← replay (text ++ code) options done)]
  return Json.mkObj answer

/-- Resident memory in bytes; 0 where the system does not say. -/
def residentBytes : IO Nat := do
  try
    let said ← IO.FS.readFile "/proc/self/statm"
    return ((said.splitOn " ").getD 1 "0").toNat?.getD 0 * 4096
  catch _ => return 0

def answerTo (line : String) : Session Json := do
  let .ok request := Json.parse line | return Json.mkObj [("event", "bad-request"), ("error", "not JSON")]
  let id := (request.getObjVal? "id").toOption.getD Json.null
  let began ← IO.monoMsNow
  let answer ← try
      let told ← match text? request "op" with
        | some "evaluate" => evaluate request
        | some "check" => check request
        | other => throw (IO.userError s!"unknown operation {other}")
      pure (Json.mkObj [("status", "done")] |>.mergeObj told)
    catch error => pure (Json.mkObj [("status", "crash"), ("error", toString error)])
  let frame := Json.mkObj [("id", id), ("ms", toJson ((← IO.monoMsNow) - began)), ("memory", toJson (← residentBytes))]
  return answer.mergeObj frame

partial def serve (input output : IO.FS.Stream) : Session Unit := do
  let line ← input.getLine
  if line.isEmpty then return
  unless line.all Char.isWhitespace do
    output.putStr ((← answerTo line).compress ++ "\n")
    output.flush
  serve input output

end GoedelsPoetry

open GoedelsPoetry in
/-- The streams are taken before any other code runs; what elaborated code prints goes elsewhere. -/
unsafe def main (_ : List String) : IO UInt32 := do
  let (input, output) := (← IO.getStdin, ← IO.getStdout)
  enableInitializersExecution
  initSearchPath (← findSysroot)
  output.putStr ((Json.mkObj [("event", "ready"), ("version", Lean.versionString)]).compress ++ "\n")
  output.flush
  let _ ← (serve input output).run {}
  return 0
