package posterior

import (
	"encoding/json"
	"io"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/internal/grouped"
)

// Schema is the version of the layout of summary.json and run.json. It increases when the meaning of a key
// changes or a key is removed.
const Schema = 1

// A SummaryDocument is the content of summary.json. A field that does not apply is null.
type SummaryDocument struct {
	Schema    int    `json:"schema"`
	Model     string `json:"model"`
	Backend   string `json:"backend"`
	Transform string `json:"transform"`
	Rho       any    `json:"rho"` // one number, or one per client by name, or nil
	Seed      uint64 `json:"seed"`
	// what parties that are apart should do, and a simulation need not
	Deployment string `json:"deployment,omitempty"`
	// describes draws that are not of the posterior or an approximation of it
	Note       string       `json:"note,omitempty"`
	Parameters []SummaryRow `json:"parameters"`
	// auxiliary variables whose draws are in the files, after those of the parameters
	Auxiliary []Variable `json:"auxiliary,omitempty"`
	// what the noise of auxiliary variables does, for each response that they reach
	Forecasts []Forecast `json:"forecasts,omitempty"`
	// the largest that noise makes; nil: there is none, or it is not known
	Moves       *Moved      `json:"moves,omitempty"`
	Diagnostics Diagnostics `json:"diagnostics"`
	ELBO        ELBO        `json:"elbo"`
	// the logarithm of the marginal likelihood, from importance weights that are reliable, of fits that
	// have it
	Evidence *ELBO `json:"evidence,omitempty"`
	// the final ELBO of each of several fits, of which the best is kept
	Restarts []ELBO       `json:"restarts,omitempty"`
	Timing   Timing       `json:"timing"`
	Work     density.Work `json:"work"`
	Sooner   *Sooner      `json:"sooner,omitempty"`
}

// Sooner is a run of another algorithm, by its settings as on the command line, and between how many round
// trips one after another it is forecast to take: fewer than the run that took the others.
type Sooner struct {
	Settings string `json:"settings"`
	Least    int64  `json:"least_round_trips"`
	Most     int64  `json:"most_round_trips"`
	// as far as the program of the party says that has it: others are elsewhere
	Own bool `json:"own_program,omitempty"`
}

// String is as in "8 to 45 round trips".
func (s *Sooner) String() string {
	out := grouped.Digits(s.Least) + " to " + grouped.Count(s.Most, "round trip")
	if s.Own {
		out += ", as far as the program of this party says,"
	}
	return out
}

// Diagnostics show whether to trust a run. Divergences, MaxDepthHits and EBFMI are those of Markov chains;
// Khat and Converged of variational fits.
type Diagnostics struct {
	Divergences  *int     `json:"divergences"`
	MaxDepthHits *int     `json:"max_depth_hits"`
	EBFMI        []Number `json:"ebfmi"`                 // one per chain
	Superchains  int      `json:"superchains,omitempty"` // over which R-hat is nested
	Khat         Number   `json:"khat"`                  // Pareto shape of the importance weights
	// by weights that are not reliable; nil: they are, or there are none
	Moved *Moved `json:"moved,omitempty"`
	// draws whose weights said that no more would correct them; 0: all were weighed
	Weighed int `json:"weighed,omitempty"`
	// by these weights: parameters are weighted summaries, and draws are resampled
	Corrected   bool   `json:"corrected,omitempty"`
	Uncorrected string `json:"uncorrected,omitempty"` // why they cannot be, and what could
	Converged   *bool  `json:"converged"`
	// the fit was stopped by rows that were held out, beyond which iterations make predictions worse
	Validated bool     `json:"held_out,omitempty"`
	Messages  []string `json:"messages"` // the findings of the run as text, one per check
	// Noted are findings that draws do not show, which the run itself made: an interrupt, evaluations without
	// a finite density, a fit that did not converge.
	Noted []Finding `json:"noted,omitempty"`
}

// Moved is how far the importance weights of the draws, where they are not reliable enough to correct them,
// would move means and standard deviations at the most: means in standard deviations, and standard deviations
// as a share of themselves.
type Moved struct {
	Means Number `json:"means"`
	SDs   Number `json:"sds"`
}

// ELBO is the evidence lower bound of the fit in nats, with its Monte Carlo standard error.
type ELBO struct {
	Value Number `json:"value"`
	SE    Number `json:"se"`
}

// Timing is in seconds. The CPU times are those of all cores during warm-up, which ends with that of the last
// chain, and during sampling; they are left out where the system does not report them.
type Timing struct {
	LoadS        Number  `json:"load_s"`
	WarmupS      Number  `json:"warmup_s"`
	SamplingS    Number  `json:"sampling_s"`
	TotalS       Number  `json:"total_s"`
	WarmupCPUS   *Number `json:"warmup_cpu_s,omitempty"`
	SamplingCPUS *Number `json:"sampling_cpu_s,omitempty"`
}

// WriteJSON writes v indented, with a final newline.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
