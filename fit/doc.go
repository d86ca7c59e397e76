// Package fit runs an inference, as a library. A run has four steps, each of which can be replaced or left
// out:
//
//   - compile.Compile turns the text of a model into a compiled model, or diagnostics of its errors.
//   - Open reads the tables of the parties, which data.Locate finds, and prepares a run of an algorithm on
//     them: a Prepared. OpenBound does the
//     same for data in memory (compile.BindValues).
//   - Prepared.Sample runs the algorithm over all parties in this process, and returns a Result.
//   - Result.Summary, Diagnose and WriteTable describe the posterior, and Save writes it to a folder that
//     posterior.OpenRun reads.
//
// A run with a folder (Options.Dir) saves its chains while it runs: after an interrupt or a crash it is
// opened again with Options.Resume, and gives the draws that it would have given. Options.From starts a run
// where another ended. Random numbers depend only on Options.Seed, not on the number of cores.
//
// Nothing here writes to a screen, listens to signals or ends the process. An error of a model or its data is
// a diagnostic (diag.List); options that do not fit are a UsageError; a density without a finite starting
// point is an InitError, which names the variable and the term; a run that was stopped before its first draw
// is an InterruptedError; and a Progress reports how far a run is.
//
// Backends lists the algorithms of this version. Options also accept an algorithm that is not listed: the
// roles of its settings describe what a run needs, such as the number of draws of a chain.
//
// Package calibrate, below this one, checks an algorithm on a model by simulation; package assess estimates
// how well a model predicts.
package fit
