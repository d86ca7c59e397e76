package fit

import (
	"slices"

	"github.com/vflc/vflc/backends"
	"github.com/vflc/vflc/posterior"
)

// Diagnose examines the draws of a run that was written to a folder, as Result.Diagnose examines those of a
// run in memory.
func Diagnose(r *posterior.Run) []posterior.Finding {
	return findings(r.Draws, posterior.Summarise(r.Draws), r.Document, r.Record)
}

// Diagnose returns the reasons not to trust the result, the worst first within each check; it never returns
// nil.
func (r *Result) Diagnose() []posterior.Finding { return r.findings }

// findings is the one source of what is wrong with a run: vflc run prints it, vflc diagnose repeats it from
// the folder, and --strict of both decides by it. It never returns nil, so that JSON shows an empty list.
// Document and record may be nil.
func findings(d *posterior.Draws, rows []posterior.SummaryRow, document *posterior.SummaryDocument,
	record *posterior.Record) []posterior.Finding {
	var known *posterior.Diagnostics
	if document != nil {
		known = &document.Diagnostics
	}
	a := adviceOn(rows, record)
	found := append([]posterior.Finding{}, posterior.Examine(d, rows, known, a)...)
	if document == nil || document.Note == "" {
		return found
	}
	// Where draws are conditional on a maximum, its parameters are constant.
	return slices.DeleteFunc(found, func(f posterior.Finding) bool {
		return f.Check == "constant" && f.Value == 0
	})
}

// adviceOn is advice for a run with these rows of its summary: samplers do not run on weights.
func adviceOn(rows []posterior.SummaryRow, record *posterior.Record) posterior.Advice {
	a := advice(record)
	if slices.ContainsFunc(rows, func(r posterior.SummaryRow) bool { return r.Point }) {
		a.Exact = ""
	}
	return a
}

// advice names the settings of a run's algorithm.
func advice(record *posterior.Record) posterior.Advice {
	if record == nil {
		return posterior.PlainAdvice()
	}
	algorithm, _ := Backend(record.Backend)
	roles := record.Roles
	if roles == nil {
		roles = algorithm.Roles()
	}
	flag := func(role backends.SettingRole) string {
		if name := roles[role.String()]; name != "" {
			return "--" + name
		}
		return ""
	}
	a := posterior.Advice{
		Chains: flag(backends.Chains), Draws: flag(backends.Draws), Warmup: flag(backends.Warmup),
		Iterations: flag(backends.Iterations), Rate: flag(backends.Rate), MaxDepth: flag(backends.MaxDepth),
		TargetAccept: flag(backends.TargetAccept), Closer: algorithm.Closer,
	}
	a.Improper = record.Improper
	a.Recentred = algorithm.Recentres != nil && algorithm.Recentres(record.Settings)
	switch depth := record.Settings[roles[backends.MaxDepth.String()]].(type) {
	case int:
		a.Depth = depth
	case float64: // read from JSON
		a.Depth = int(depth)
	}
	a.Exact = chains()
	if algorithm.Precedes != nil && algorithm.Precedes(record.Settings) {
		a.Exact, a.Closer, a.Iterations = a.Exact+" --init RUN, which begins at these draws", "", ""
	}
	if WireOf(record).Encrypted { // where neither is possible
		a.Exact, a.Closer = a.Exact+" on another wire, over which numbers of every row cross", "more rows"
	}
	return a
}

// chains is the algorithm that samples the posterior, as on the command line.
func chains() string {
	all := Backends()
	return "--backend " + all[slices.IndexFunc(all, func(b backends.Algorithm) bool {
		return b.Gives == backends.Markov
	})].Name
}

// Onward are, as on the command line before the folder of the run, the settings of chains that begin at its
// draws, where weights do not correct these and no setting of its algorithm brings them closer; "": there is
// no such run.
func (r *Result) Onward() string {
	algorithm, _ := Backend(r.Record.Backend)
	far := slices.ContainsFunc(r.findings, func(f posterior.Finding) bool {
		return f.Check == "khat" || f.Check == "uncorrected"
	})
	if r.dir == "" || !far || float64(r.Document.Diagnostics.Khat) <= posterior.KhatBound ||
		algorithm.Precedes == nil || !algorithm.Precedes(r.Record.Settings) {
		return ""
	}
	return chains() + " --init"
}
