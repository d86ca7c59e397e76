package fn

import (
	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// HMMHiddenStateProb are the probabilities of the states of a hidden Markov model.
func HMMHiddenStateProb() def.Structural {
	return def.Structural{
		Name: "hmm_hidden_state_prob",
		Doc: "The probability of each state at each step of a hidden Markov model, given everything observed, of the arguments of `hmm_marginal`: K×T, and columns sum to 1. " +
			"Of parameters it may stand in generated quantities only.",
		Examples: []string{hmmExample + "factor hmm_marginal(lp, P, rho)\ngenerate state = hmm_hidden_state_prob(lp, P, rho)"},
		Arity:    def.Arity{Min: 3, Max: 3},
		Range:    func([]def.Range) def.Range { return def.Range{Upper: 1, LowerIn: true, UpperIn: true} },
		Mixes:    true,
		Jumps:    true,
		Infer: func(args []types.Type) (types.Type, error) {
			return types.Type{Elem: types.Real, Dims: args[0].Dims}, hmmShapes(args)
		},
	}
}
