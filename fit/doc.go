// Package fit is what a run is, as a library. A run goes in four steps, each of which can be replaced or left out:
//
//   - compile.Compile turns the text of a model into a compiled model, or diagnostics of what is wrong with it.
//   - Open reads the tables of the parties, which data.Locate finds, and prepares a run of an algorithm on them: a Prepared. OpenBound does so
//     for data in memory (compile.BindValues).
//   - Prepared.Sample runs the algorithm over all parties in this process, and gives a Result.
//   - Result.Summary, Diagnose and WriteTable describe the posterior, and Save writes it to a folder that package runs can read.
//
// A run with a folder (Options.Dir) saves its chains while it runs: after an interrupt or a crash it is opened again with Options.Resume, and goes on to the
// draws that it would have had. Options.From begins a run where another ended. Random numbers depend on Options.Seed alone, never on the number of cores.
//
// Nothing here writes to a screen, listens to signals or ends the process. What is wrong with a model or its data is a diagnostic (diag.List); what was asked
// for and does not fit is a UsageError; a density without a finite starting point is an InitError, which names the variable and the term; a run that
// was stopped before its first draw is an InterruptedError; and a Progress shows how far a run is.
//
// Backends lists the algorithms of this version. One that is not listed can be given in Options as well: what a run must know of its settings, such as how
// many draws a chain gives, stands in their roles.
//
// Package calibrate, below this one, checks an algorithm on a model by simulation; package accuracy estimates how well a model predicts.
package fit
