/-
A persistent Lean: one JSON request a line on standard input, one JSON answer a line on standard output (same id).

Run as `lean --run Driver.lean` with the search path of a project. It speaks the protocol of the embedded driver, with
three differences: time is kept by whoever started it (by killing it); axioms are true ones throughout, for imported
proofs are there; and no command is barred (`reference`, `kinds`, `barred` are ignored).

Written against Lean 4.28; where older or newer versions are known to differ, `by first` takes the form that elaborates.

A text can run programs while it is elaborated. Such a program is kept from the answers by their ids, which it is not
told, and from the machine by the sandbox. A process that has elaborated a text is not believed about it: another one,
which elaborates nothing, adds what the text has declared, as data, by Lean's kernel (`replay`).
-/
import Lean

open Lean Elab

namespace GoedelsPoetry

/-! ## Names -/

/-- A part that could be taken for something else is quoted, so that different names have different texts. -/
def partText (part : String) : String :=
  if part.any fun c => c == '"' || c == '«' || c == '»' then (Json.str part).compress
  else if part.all Char.isDigit || part.any fun c => c.isWhitespace || c == '.' then s!"«{part}»" else part

/-- A name as it is written, mostly without guillemets. -/
def nameText : Name → String
  | .anonymous => ""
  | .str .anonymous last => partText last
  | .num .anonymous last => toString last
  | .str above last => s!"{nameText above}.{partText last}"
  | .num above last => s!"{nameText above}.{last}"

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

/-- The axioms on which a constant rests, transitively. -/
def axiomsOf (env : Environment) (name : Name) : Array Name :=
  (((CollectAxioms.collect name).run env).run {}).2.axioms

/-- Why the kernel refuses a declaration. -/
abbrev Refusal : Type := by first | exact Kernel.Exception | exact KernelException

/-- An environment as the kernel sees it. -/
abbrev KernelEnv : Type := by first | exact Kernel.Environment | exact Environment

def kernelOf (env : Environment) : KernelEnv := by first | exact env.toKernelEnv | exact env

/-- The environment with a declaration more, by the kernel, which may take as long as it likes. -/
def addByKernel (env : KernelEnv) (declaration : Declaration) : Except Refusal KernelEnv := by
  first | exact Kernel.Environment.addDeclCore env 0 declaration none | exact Environment.addDeclCore env 0 declaration none

/-- Definitional equality by the kernel. -/
def kernelEqual (env : Environment) (a b : Expr) : Bool :=
  match Kernel.isDefEq env {} a b with
  | .ok same => same
  | .error _ => false

/-- Constants that a text has added to what it imports. -/
def localConstants (env : Environment) : List (Name × ConstantInfo) :=
  env.constants.foldStage2 (fun found name info => (name, info) :: found) []

/-! ## Plain helpers -/

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
  let place (p : Option Position) (f : Position → Nat) : Json := match p with
    | some q => toJson (f q)
    | none => Json.null
  return Json.mkObj [("severity", severityText message.severity), ("line", toJson message.pos.line),
    ("column", toJson message.pos.column), ("endLine", place message.endPos (·.line)),
    ("endColumn", place message.endPos (·.column)), ("kind", nameText (messageKind message)),
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

/-- The commands that a command is made of: those on both sides of every `in`, and those of a `mutual`. -/
partial def parts (stx : Syntax) : List Syntax :=
  if stx.getKind == `Lean.Parser.Command.in then parts stx[0] ++ parts stx[2]
  else if stx.getKind == `Lean.Parser.Command.mutual then
    stx[1].getArgs.foldl (fun found inner => found ++ parts inner) [stx]
  else [stx]

/-- The kind of what a declaration declares, and of another command its own. -/
def kindOf (stx : Syntax) : SyntaxNodeKind :=
  if stx.getKind == `Lean.Parser.Command.declaration then stx[1].getKind else stx.getKind

def describe (table : Array Nat) (stx : Syntax) (currentNamespace : Name) : Json :=
  let one := innermost stx
  let inner := if one.getKind == `Lean.Parser.Command.declaration || one.getKind == `lemma then nameText (kindOf one) else ""
  let (start, stop) := rangeOf stx
  let declared := nodes (· == `Lean.Parser.Command.declId) (· == `Lean.Parser.Term.byTactic) stx
  let head : Json := match if inner == "" then none else headEnd one with
    | some place => toJson (codePoint table place)
    | none => toJson (-1 : Int)
  Json.mkObj [("kind", nameText stx.getKind), ("parts", names ((parts stx).map kindOf).toArray),
    ("declaration", inner), ("start", toJson (codePoint table start)), ("end", toJson (codePoint table stop)),
    ("names", names (declared.map (·[0].getId))),
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

/-- Whether `printed`, elaborated where the command stands, is the statement from which it was printed: an equal one, or the
same where `exactly`. -/
def readsBack (before : Command.State) (printed : String) (levels : List Name) (type : Expr) (exactly any : Bool) : IO Bool := do
  let declared := if levels.isEmpty then "" else ".{" ++ ", ".intercalate (levels.map nameText) ++ "}"
  let source := if any then s!"axiom {probe}{declared} : {printed}" else s!"theorem {probe}{declared} : {printed} := sorry"
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
  | some (_, info) => return levels.all info.levelParams.contains && (info.type == type || !exactly && kernelEqual after.env info.type type)

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

/-- A goal as a closed statement that elaborates back to itself; the statement is "" when no printed form does.
Forms that read back as the same term go before those that read back as an equal one. `any`: it need be no proposition. -/
def closedGoal (context : ContextInfo) (lctx : LocalContext) (target : Expr) (before : Command.State) (goal : String)
    (any : Bool := false) : IO Json := do
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
  for same in [true, false] do
    for form in printForms do
      let printed ← context.runMetaM {} <| withOptions (printOptions · form) do
        return (← Meta.ppExpr type).pretty lineWidth
      if ← readsBack before printed levels type same any then return answer printed
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
  libraries : List (List String × KernelEnv) := []

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

/-! ## What a text has declared -/

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
    (nameText name, Json.mkObj (base ++ resting ++ unsafe_))
  (found.toArray.qsort fun a b => a.1 < b.1).map (·.2)

/-! ## Declarations as data: the export format of lean4export 3.1.0, one JSON object a line -/

def mostBytes : Nat := 56 * 1048576

/-- A stream that grows. Ids are consecutive, those of names and levels from 1; equal things have one id. -/
structure Export where
  lines : Array String := #[]
  bytes : Nat := 0
  next : Array Nat := #[1, 1, 0]
  ids : PersistentHashMap String Nat := {}
  names : PersistentHashMap Name Nat := {}
  levels : PersistentHashMap Level Nat := {}
  exprs : PersistentHashMap ExprStructEq Nat := {}
  /-- Constants that are about to be written, by the first of their record, and those that are. -/
  opened : NameSet := {}
  done : NameSet := {}

abbrev ExportM := StateT Export (Except String)

def write (line : String) : ExportM Unit := do
  let bytes := (← get).bytes + line.utf8ByteSize + 1
  if bytes > mostBytes then throw s!"more than {mostBytes} bytes of declarations"
  modify fun s => { s with lines := s.lines.push line, bytes }

/-- The id of what is written so, new or known. `table`: 0 for names, 1 for levels, 2 for expressions. -/
def shared (table : Nat) (kind : String) (value : Json) : ExportM Nat := do
  let body := s!"\"{kind}\":{value.compress}"
  if let some id := (← get).ids.find? body then return id
  let id := (← get).next.getD table 0
  modify fun s => { s with next := s.next.modify table (· + 1), ids := s.ids.insert body id }
  write ("{\"" ++ ["in", "il", "ie"].getD table "" ++ s!"\":{id},{body}}")
  return id

partial def nameId (name : Name) : ExportM Nat := do
  if let some id := (← get).names.find? name then return id
  let id ← match name with
    | .anonymous => pure 0
    | .str above last => shared 0 "str" (Json.mkObj [("pre", toJson (← nameId above)), ("str", last)])
    | .num above last => shared 0 "num" (Json.mkObj [("pre", toJson (← nameId above)), ("i", toJson last)])
  modify fun s => { s with names := s.names.insert name id }
  return id

def nameIds (all : List Name) : ExportM Json := return toJson (← all.mapM nameId)

partial def levelId (level : Level) : ExportM Nat := do
  if let some id := (← get).levels.find? level then return id
  let id ← match level with
    | .zero => pure 0
    | .succ below => shared 1 "succ" (toJson (← levelId below))
    | .max a b => shared 1 "max" (toJson [← levelId a, ← levelId b])
    | .imax a b => shared 1 "imax" (toJson [← levelId a, ← levelId b])
    | .param name => shared 1 "param" (toJson (← nameId name))
    | .mvar _ => throw "a metavariable in a declaration"
  modify fun s => { s with levels := s.levels.insert level id }
  return id

def binderWords : List (BinderInfo × String) :=
  [(.default, "default"), (.implicit, "implicit"), (.strictImplicit, "strictImplicit"),
   (.instImplicit, "instImplicit")]

mutual
partial def exprId (e : Expr) : ExportM Nat := do
  if let some id := (← get).exprs.find? e then return id
  let id ← match e with
    | .bvar index => shared 2 "bvar" (toJson index)
    | .sort level => shared 2 "sort" (toJson (← levelId level))
    | .const name us =>
      shared 2 "const" (Json.mkObj [("name", toJson (← nameId name)), ("us", toJson (← us.mapM levelId))])
    | .app f a => shared 2 "app" (Json.mkObj [("fn", toJson (← exprId f)), ("arg", toJson (← exprId a))])
    | .lam name type body info => binding "lam" name type body info
    | .forallE name type body info => binding "forallE" name type body info
    | .letE name type value body nondep =>
      shared 2 "letE" (Json.mkObj [("name", toJson (← nameId name)), ("type", toJson (← exprId type)),
        ("value", toJson (← exprId value)), ("body", toJson (← exprId body)), ("nondep", nondep)])
    | .lit (.natVal n) => shared 2 "natVal" (toString n)
    | .lit (.strVal s) => shared 2 "strVal" s
    | .mdata _ inner => exprId inner
    | .proj type index struct => shared 2 "proj" (Json.mkObj [("typeName", toJson (← nameId type)),
        ("idx", toJson index), ("struct", toJson (← exprId struct))])
    | .fvar _ => throw "a free variable in a declaration"
    | .mvar _ => throw "a metavariable in a declaration"
  modify fun s => { s with exprs := s.exprs.insert e id }
  return id

partial def binding (kind : String) (name : Name) (type body : Expr) (info : BinderInfo) : ExportM Nat := do
  shared 2 kind (Json.mkObj [("name", toJson (← nameId name)), ("type", toJson (← exprId type)),
    ("body", toJson (← exprId body)), ("binderInfo", (binderWords.lookup info).getD "")])
end

/-- The end of the fields of a record, those that not every constant has. -/
def ownFields : ConstantInfo → ExportM (List (String × Json))
  | .axiomInfo v => return [("isUnsafe", v.isUnsafe)]
  | .defnInfo v => do
    let hints : Json := match v.hints with
      | .opaque => "opaque"
      | .abbrev => "abbrev"
      | .regular height => Json.mkObj [("regular", toJson height.toNat)]
    let safety := match v.safety with
      | .unsafe => "unsafe"
      | .safe => "safe"
      | .partial => "partial"
    return [("value", toJson (← exprId v.value)), ("hints", hints), ("safety", safety),
      ("all", ← nameIds v.all)]
  | .thmInfo v => return [("value", toJson (← exprId v.value)), ("all", ← nameIds v.all)]
  | .opaqueInfo v =>
    return [("value", toJson (← exprId v.value)), ("isUnsafe", v.isUnsafe), ("all", ← nameIds v.all)]
  | .quotInfo v =>
    let kind := match v.kind with
      | .type => "type"
      | .ctor => "ctor"
      | .lift => "lift"
      | .ind => "ind"
    return [("kind", kind)]
  | .inductInfo v => return [("numParams", toJson v.numParams), ("numIndices", toJson v.numIndices),
      ("all", ← nameIds v.all), ("ctors", ← nameIds v.ctors), ("isRec", v.isRec), ("isUnsafe", v.isUnsafe),
      ("isReflexive", v.isReflexive)]
  | .ctorInfo v => return [("induct", toJson (← nameId v.induct)), ("cidx", toJson v.cidx),
      ("numParams", toJson v.numParams), ("numFields", toJson v.numFields), ("isUnsafe", v.isUnsafe)]
  | .recInfo v => do
    let rules ← v.rules.mapM fun rule => return Json.mkObj [("ctor", toJson (← nameId rule.ctor)),
      ("nfields", toJson rule.nfields), ("rhs", toJson (← exprId rule.rhs))]
    return [("all", ← nameIds v.all), ("numParams", toJson v.numParams), ("numIndices", toJson v.numIndices),
      ("numMotives", toJson v.numMotives), ("numMinors", toJson v.numMinors), ("rules", Json.arr rules.toArray),
      ("k", v.k), ("isUnsafe", v.isUnsafe)]

def constantJson (info : ConstantInfo) (fields : List (String × Json)) : ExportM Json :=
  return Json.mkObj ([("name", toJson (← nameId info.name)), ("levelParams", ← nameIds info.levelParams),
    ("type", toJson (← exprId info.type))] ++ fields)

def fullJson (info : ConstantInfo) : ExportM Json := do constantJson info (← ownFields info)

abbrev Find := Name → Option ConstantInfo

/-- The recursors of types that occur below other types: `T.rec_1`, `T.rec_2`, … -/
partial def nestedRecursors (find : Find) (all : List Name) (k : Nat := 1) : List ConstantInfo :=
  match find (.str (all.headD .anonymous) s!"rec_{k}") with
  | some (.recInfo value) => if value.all == all then .recInfo value :: nestedRecursors find all (k + 1) else []
  | _ => []

abbrev Constants := List ConstantInfo

/-- Types, constructors and recursors that are one record. -/
def familyOf (find : Find) (all : List Name) : Option (Constants × Constants × Constants) := do
  let types ← all.mapM find
  let constructors ← types.mapM fun
    | .inductInfo value => value.ctors.mapM find
    | _ => none
  let recursors ← all.mapM fun type => find (.str type "rec")
  return (types, constructors.foldl (· ++ ·) [], recursors ++ nestedRecursors find all)

/-- The constants of its record: an inductive type stands with its family, its constructors and its recursors. -/
def together (find : Find) (info : ConstantInfo) : Except String Constants := do
  let above := match info with
    | .ctorInfo value => find value.induct
    | .recInfo value => find (value.all.headD .anonymous)
    | _ => info
  match above with
  | some (.inductInfo value) =>
    let some (types, constructors, recursors) := familyOf find value.all
      | throw s!"{value.name} is incomplete"
    return types ++ constructors ++ recursors
  | _ => return [info]

/-- What the literals of an expression stand for. -/
def behindLiterals (e : Expr) : List Name :=
  (if (e.find? (·.isRawNatLit)).isSome then [`Nat] else []) ++ if (e.find? (·.isStringLit)).isSome then
    [`String, `String.ofList, `Char.ofNat, `List.nil, `List.cons, `Nat] else []

/-- `library`: without proofs. -/
def expressionsOf (library : Bool) (info : ConstantInfo) : List Expr :=
  info.type :: match info with
    | .defnInfo v => [v.value]
    | .thmInfo v => if library then [] else [v.value]
    | .opaqueInfo v => [v.value]
    | .recInfo v => v.rules.map (·.rhs)
    | _ => []

/-- What has to stand before a constant. The type of a projection is below the types of what is projected. -/
def needs (library : Bool) (info : ConstantInfo) : List Name :=
  let start := if info matches .quotInfo _ then [`Eq, `Quot, `Quot.mk, `Quot.lift, `Quot.ind] else []
  (expressionsOf library info).foldl (init := start) fun found e =>
    e.getUsedConstants.toList ++ behindLiterals e ++ found

/-- Write one record. `library`: theorems without their proofs. -/
def record (find : Find) (library : Bool) (info : ConstantInfo) : ExportM Unit := do
  let line (kind : String) (value : Json) := write (Json.mkObj [(kind, value)]).compress
  match info with
  | .axiomInfo _ => line "axiom" (← fullJson info)
  | .defnInfo _ => line "def" (← fullJson info)
  | .thmInfo _ =>
    if library then line "assumed" (← constantJson info [("kind", "thm")]) else line "thm" (← fullJson info)
  | .opaqueInfo _ => line "opaque" (← fullJson info)
  | .quotInfo _ => line "quot" (← fullJson info)
  | .inductInfo value => do
    let some (types, constructors, recursors) := familyOf find value.all
      | throw s!"{value.name} is incomplete"
    let nested := Json.mkObj [("numNested", toJson (recursors.length - types.length))]
    let types ← types.mapM fun type => return (← fullJson type).mergeObj nested
    line "inductive" (Json.mkObj [("types", Json.arr types.toArray),
      ("ctors", toJson (← constructors.mapM fullJson)), ("recs", toJson (← recursors.mapM fullJson))])
  | _ => throw s!"{info.name} without its type"

/-- Write constants, before each of them all that it needs and `find` knows. -/
partial def declare (find : Find) (library : Bool) : List Name → ExportM Unit
  | [] => return
  | name :: rest => do
    let some info := find name | declare find library rest
    let family ← together find info
    let first := (family.headD info).name
    if (← get).done.contains first then declare find library rest
    else if (← get).opened.contains first then
      record find library (family.headD info)
      modify fun s => { s with done := s.done.insert first }
      declare find library rest
    else
      modify fun s => { s with opened := s.opened.insert first }
      let own := family.map (·.name)
      let opened := (← get).opened
      let below := family.foldl (fun found member => needs library member ++ found) []
      declare find library (below.filter (fun n => !own.contains n && !opened.contains n) ++ name :: rest)

def exported (find : Find) (library : Bool) (roots : List Name) : IO String :=
  match (declare find library roots).run {} with
  | .ok (_, made) => return "\n".intercalate made.lines.toList
  | .error why => throw (IO.userError why)

/-- All constants that the text has added. -/
def asData (env : Environment) : IO String := do
  let added := localConstants env
  let table : PersistentHashMap Name ConstantInfo := added.foldl (fun t (name, info) => t.insert name info) {}
  exported table.find? false (added.map (·.1))

/-! ## Declarations that come as data, through the kernel -/

/-- The terms of a stream by their ids. -/
structure Tables where
  names : Array Name := #[.anonymous]
  levels : Array Level := #[.zero]
  exprs : Array Expr := #[]

def known {α : Type} (table : Array α) (id : Json) : Except String α := do
  match table[(← id.getNat?)]? with
  | some found => return found
  | none => throw "an id that was not given before"

def name (t : Tables) (record : Json) (key : String) : Except String Name := do
  known t.names (← record.getObjVal? key)

def expr (t : Tables) (record : Json) (key : String) : Except String Expr := do
  known t.exprs (← record.getObjVal? key)

def rows (record : Json) (key : String) : Except String (List Json) := record.getObjValAs? (List Json) key

def readName (t : Tables) (kind : String) (value : Json) : Except String Name := do
  match kind with
  | "str" => return .str (← name t value "pre") (← value.getObjValAs? String "str")
  | "num" => return .num (← name t value "pre") (← value.getObjValAs? Nat "i")
  | other => throw s!"a name of the kind {other}"

def readLevel (t : Tables) (kind : String) (value : Json) : Except String Level := do
  match kind, value with
  | "succ", below => return .succ (← known t.levels below)
  | "param", parameter => return .param (← known t.names parameter)
  | "max", .arr #[a, b] => return .max (← known t.levels a) (← known t.levels b)
  | "imax", .arr #[a, b] => return .imax (← known t.levels a) (← known t.levels b)
  | other, _ => throw s!"a level of the kind {other}"

def readExpr (t : Tables) (kind : String) (value : Json) : Except String Expr := do
  match kind with
  | "bvar" => return .bvar (← value.getNat?)
  | "sort" => return .sort (← known t.levels value)
  | "const" => return .const (← name t value "name") (← (← rows value "us").mapM (known t.levels))
  | "app" => return .app (← expr t value "fn") (← expr t value "arg")
  | "lam" | "forallE" =>
    let word ← value.getObjValAs? String "binderInfo"
    let some (info, _) := binderWords.find? (·.2 == word) | throw s!"a binder of the kind {word}"
    let (name, type, body) := (← name t value "name", ← expr t value "type", ← expr t value "body")
    return if kind == "lam" then .lam name type body info else .forallE name type body info
  | "letE" =>
    let (name, type, body) := (← name t value "name", ← expr t value "type", ← expr t value "body")
    return .letE name type (← expr t value "value") body false
  | "natVal" =>
    let some n := (← value.getStr?).toNat? | throw "a number"
    return .lit (.natVal n)
  | "strVal" => return .lit (.strVal (← value.getStr?))
  | "proj" =>
    return .proj (← name t value "typeName") (← value.getObjValAs? Nat "idx") (← expr t value "struct")
  | other => throw s!"an expression of the kind {other}"

/-- What one line of a stream says. -/
inductive Row where
  | name (found : Name)
  | level (found : Level)
  | expr (found : Expr)
  | declared (kind : String) (record : Json)
  | nothing

def readRow (t : Tables) (line : String) : Except String Row := do
  let (ids, rest) := (fieldsOf (← Json.parse line)).partition fun (key, _) => ["in", "il", "ie"].contains key
  let next (id : Json) (size : Nat) : Except String Unit := do
    unless (← id.getNat?) == size do throw "ids are not consecutive"
  match ids, rest with
  | [("in", id)], [(kind, value)] => do next id t.names.size; return .name (← readName t kind value)
  | [("il", id)], [(kind, value)] => do next id t.levels.size; return .level (← readLevel t kind value)
  | [("ie", id)], [(kind, value)] => do next id t.exprs.size; return .expr (← readExpr t kind value)
  | [], [("meta", _)] => return .nothing
  | [], [(kind, record)] => return .declared kind record
  | _, _ => throw "a line that is no record"

/-- In place, where nobody else holds these tables: they may be long. -/
def Tables.push (t : Tables) : Row → Tables
  | .name found => { t with names := t.names.push found }
  | .level found => { t with levels := t.levels.push found }
  | .expr found => { t with exprs := t.exprs.push found }
  | _ => t

def readConstant (t : Tables) (d : Json) : Except String ConstantVal :=
  return { name := ← name t d "name", levelParams := ← (← rows d "levelParams").mapM (known t.names),
           type := ← expr t d "type" }

def readHints (hints : Json) : Except String ReducibilityHints := do
  match hints with
  | "opaque" => return .opaque
  | "abbrev" => return .abbrev
  | other => return .regular (← other.getObjValAs? Nat "regular").toUInt32

/-- What a record declares: the names, Lean's declaration, and what the kernel has to make of it by itself. -/
structure Declared where
  names : List Name
  declaration : Option Declaration := none
  made : List ConstantVal := []

/-- Everything is declared as safe: what is not, the kernel does not let pass as that. -/
def readDeclaration (t : Tables) (kind : String) (d : Json) : Except String Declared := do
  if kind == "inductive" then
    let constants (key : String) : Except String (List ConstantVal) := do (← rows d key).mapM (readConstant t)
    let (types, constructors, recursors) := (← constants "types", ← constants "ctors", ← constants "recs")
    let owners ← (← rows d "ctors").mapM (name t · "induct")
    let family : List InductiveType := types.map fun { name, type, .. } =>
      let own := (owners.zip constructors).filter (·.1 == name)
      { name, type, ctors := own.map fun (_, c) => { name := c.name, type := c.type } }
    let some first := types.head? | throw "an inductive type without a type"
    let parameters ← ((← rows d "types").headD Json.null).getObjValAs? Nat "numParams"
    return { names := (types ++ constructors ++ recursors).map (·.name), made := constructors ++ recursors,
             declaration := some (.inductDecl first.levelParams parameters family false) }
  let c ← readConstant t d
  let value := expr t d "value"
  let declaration ← match kind with
    | "axiom" => pure (some (.axiomDecl { c with isUnsafe := false }))
    | "def" =>
      let hints ← readHints (← d.getObjVal? "hints")
      pure (some (.defnDecl { c with value := ← value, hints, safety := .safe }))
    | "thm" => pure (some (.thmDecl { c with value := ← value }))
    | "opaque" => pure (some (.opaqueDecl { c with value := ← value, isUnsafe := false }))
    | "quot" => pure none  -- of the library: a stream may repeat them
    | other => throw s!"a declaration of the kind {other}"
  return { names := [c.name], declaration }

/-- Why the kernel refuses a declaration; none where Lean gave up. -/
def refusalText : Refusal → Option String
  | .unknownConstant .. => "an unknown constant"
  | .alreadyDeclared .. => "declared already"
  | .declTypeMismatch .. => "the value has another type"
  | .declHasMVars .. => "metavariables"
  | .declHasFVars .. => "free variables"
  | .funExpected .. => "a function was expected"
  | .typeExpected .. => "a type was expected"
  | .letTypeMismatch .. => "the value of a let has another type"
  | .exprTypeMismatch .. => "a type mismatch"
  | .appTypeMismatch .. => "an argument has another type"
  | .invalidProj .. => "no such projection"
  | .thmTypeIsNotProp .. => "the theorem is no proposition"
  | .other .. => "refused"
  | .deterministicTimeout | .excessiveMemory | .deepRecursion | .interrupted => none

/-- The environment with a declaration more, or why there is none and at which constant. -/
def added (env : KernelEnv) (d : Declared) : Except (Option String × Name) KernelEnv := do
  let some declaration := d.declaration | return env
  let env ← match addByKernel env declaration with
    | .ok env => pure env
    | .error refusal => throw (refusalText refusal, d.names.headD .anonymous)
  for theirs in d.made do
    let same := (env.find? theirs.name).any fun ours =>
      ours.type == theirs.type && ours.levelParams == theirs.levelParams
    unless same do throw (some "not what the kernel makes of its type", theirs.name)
  return env

/-- What has become of a stream. -/
structure Replayed where
  env : KernelEnv
  tables : Tables := {}
  declared : Array Name := #[]
  count : Nat := 0
  failed : String := ""
  place : Name := .anonymous
  each : Array Json := #[]

/-- Every line of a stream. `each`: every declaration by itself, and none is added. -/
def replayed (env : KernelEnv) (data : String) (each : Bool) : Replayed := Id.run do
  let mut r : Replayed := { env }
  let mut tables : Tables := {}
  for line in data.splitOn "\n" do
    if line.isEmpty then continue
    match readRow tables line with
    | .error why => return { r with failed := s!"the data: {why}" }
    | .ok (.declared kind record) =>
      match readDeclaration tables kind record with
      | .error why => return { r with failed := s!"the data: {why}" }
      | .ok d =>
        r := { r with declared := r.declared ++ d.names.toArray }
        let alone (refused : Json) :=
          Json.mkObj [("name", nameText (d.names.headD .anonymous)), ("refused", refused)]
        match added r.env d with
        | .ok env =>
          if each then r := { r with each := r.each.push (alone "") }
          else if d.declaration.isSome then r := { r with env, count := r.count + 1 }
        | .error (why, place) =>
          if each then r := { r with each := r.each.push (alone (toJson why)) }
          else return { r with failed := why.getD "Lean gave up: too much time, memory or depth", place }
    | .ok row => tables := tables.push row
  return { r with tables }

/-- The axioms on which constants rest, through all proofs that are there. -/
partial def axiomsBelow (find : Find) (names : List Name) (seen axioms : NameSet) : NameSet :=
  match names with
  | [] => axioms
  | name :: rest =>
    match if seen.contains name then none else find name with
    | none => axiomsBelow find rest seen axioms
    | some info =>
      let constructors := match info with
        | .inductInfo value => value.ctors
        | _ => []
      let below := (expressionsOf false info).foldl (fun found e => e.getUsedConstants.toList ++ found) constructors
      let axioms := if info matches .axiomInfo _ then axioms.insert name else axioms
      axiomsBelow find (below ++ rest) (seen.insert name) axioms

/-- Imports alone; no program of theirs is run. -/
def imported (modules : List String) : Session KernelEnv := do
  if let some known := (← get).libraries.lookup modules then return known
  let env := kernelOf (← importModules (modules.map fun name => ({ module := name.toName } : Import)).toArray {})
  modify fun c => { c with libraries := [(modules, env)] }
  return env

/-- What the imports declare of all that a stream mentions, as data. -/
def belowStream (start : KernelEnv) (r : Replayed) : IO String :=
  let declared : NameSet := r.declared.foldl (·.insert ·) {}
  let find (name : Name) := if declared.contains name then none else start.find? name
  let mentioned := r.tables.exprs.foldl (init := []) fun found e => match e with
    | .const name _ | .proj name _ _ => name :: found
    | .lit _ => behindLiterals e ++ found
    | _ => found
  exported find true mentioned

/-- The environment with what a stream declares, and the names of that. -/
def declaredIn (env : Environment) (data : String) : Except String (Environment × List Name) := do
  let mut (env, tables, found) := (env, ({} : Tables), [])
  for line in data.splitOn "\n" do
    if line.isEmpty then continue
    match ← readRow tables line with
    | .declared kind record =>
      let d ← readDeclaration tables kind record
      let some declaration := d.declaration | continue
      let .ok next := env.addDeclCore 0 declaration none | throw "a declaration that is not accepted"
      env := next
      found := d.names ++ found
    | row => tables := tables.push row
  return (env, found)

def valueOf : ConstantInfo → Option Expr
  | .defnInfo v => some v.value
  | _ => none

def hole : String := "example : True := sorry"

/-- What constants of a stream are, as text that reads back; "" where no form does. -/
def shown (modules : List String) (data : String) (wanted : List String) : Session Json := do
  let source := "prelude\n" ++ "\n".intercalate (modules.map ("import " ++ ·)) ++ "\n" ++ hole
  let start ← begin_ source (setBool {} `checkBinderAnnotations false)
  let (env, found) ← IO.ofExcept (declaredIn start.state.env data)
  let context := Parser.mkInputContext source "Main.lean"
  let each (stx : Syntax) (before after : Command.State) : IO (Array Json) := do
    let some place := (nodes (· == termSorry) (fun _ => false) stx)[0]? >>= Syntax.getPos? | return #[]
    let some result := after.infoState.trees.toArray.findSome? (·.termGoalAt? place) | return #[]
    wanted.toArray.mapM fun wanted => do
      let some info := found.find? (nameText · == wanted) >>= env.find? | throw (IO.userError "a constant to show that is not there")
      let fact ← match valueOf info with
        | none => pure info.type
        | some value => result.ctx.runMetaM {} (Meta.mkEq (mkConst info.name (info.levelParams.map mkLevelParam)) value)
      closedGoal result.ctx {} fact before "" true
  let done ← (elaborateFrom context (codePointTable source) true each { start with state := { start.state with env } } : IO Progress)
  return Json.arr (done.holes.map fun goal => (goal.getObjVal? "statement").toOption.getD Json.null)

def replay (request : Json) : Session Json := do
  let start ← imported (texts request "modules")
  let stream (key : String) := (text? request key).getD ""
  let each := flag request "each"
  let r := replayed start (stream (if each then "base" else "data")) false
  let axioms := if each || r.failed != "" then {} else axiomsBelow r.env.find? r.declared.toList {} {}
  let mut answer := [("replay", Json.mkObj [("count", toJson r.count), ("failed", r.failed),
    ("at", nameText r.place), ("axioms", toJson ((axioms.toList.map nameText).toArray.qsort (· < ·)))])]
  if flag request "library" && r.failed == "" then
    answer := answer ++ [("library", Json.str (← belowStream start r))]
  let wanted := texts request "show"
  if !wanted.isEmpty && r.failed == "" then
    answer := answer ++ [("shown", ← shown (texts request "modules") (stream "data") wanted)]
  if each then
    let alone := replayed r.env (stream "data") true
    if alone.failed != "" then throw (IO.userError alone.failed)
    answer := answer ++ [("each", Json.arr alone.each)]
  return Json.mkObj answer

/-! ## Requests -/

def check (request : Json) : Session Json := do
  let options := optionsOf request
  let (text, code) := ((text? request "prefix").getD "", (text? request "code").getD "")
  let (done, elaborated) ← elaborateText text code options (flag request "holes")
  let mut answer : List (String × Json) := [("ok", elaborated && !done.failed), ("messages", Json.arr done.messages),
    ("imports", names (done.state.env.header.imports.map (·.module)))]
  if flag request "commands" then answer := answer ++ [("commands", Json.arr done.commands)]
  if flag request "holes" then answer := answer ++ [("holes", Json.arr done.holes)]
  if elaborated && flag request "declarations" then answer := answer ++ [("declarations", Json.arr (declarations done.state.env))]
  if elaborated && flag request "export" then answer := answer ++ [("data", Json.str (← asData done.state.env))]
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
        | some "check" => check request
        | some "replay" => replay request
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
