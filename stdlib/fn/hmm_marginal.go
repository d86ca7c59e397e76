package fn

import (
	"fmt"

	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

const hmmExample = "data y : real[T]\nparam mu : ordered[2] ~ normal(0, 3)\nparam P : simplex[2, 2] ~ dirichlet(2)\n" +
	"param rho : simplex[2] ~ dirichlet(1)\nlet lp = [normal_lpdf(y | mu[k], 1) for k in 1..2]\n"

// HMMMarginal is the log density of a hidden Markov model.
func HMMMarginal() def.Structural {
	return def.Structural{
		Name: "hmm_marginal",
		Doc: "The log density of a hidden Markov model of K states over T steps, added up over all sequences of states: `hmm_marginal(log_omega, Gamma, rho)` with `log_omega[k, t]` " +
			"the log density of what was observed at step t in state k, `Gamma[i, j]` the probability of state j after state i, and `rho[k]` that of beginning in state k. " +
			"Rows of `Gamma` sum to 1, else the value is NaN.\n\n" +
			"`factor` adds it to the log density. Several sequences have a factor each; a gap is a step in which every state has the log density 0. It is computed by the forward algorithm, its gradient " +
			"by the forward-backward algorithm, in time T·K².\n\nSource: Stan Functions Reference, \"Hidden Markov models\"; Rabiner (1989), Proceedings of the IEEE 77.",
		Examples: []string{hmmExample + "factor hmm_marginal(lp, P, rho)"},
		Arity:    def.Arity{Min: 3, Max: 3},
		Range:    func([]def.Range) def.Range { return def.Reals() },
		Mixes:    true,
		Modes:    true,
		Infer: func(args []types.Type) (types.Type, error) {
			return types.Type{Elem: types.Real}, hmmShapes(args)
		},
	}
}

func hmmShapes(args []types.Type) error {
	for k, rank := range []int{2, 2, 1} {
		if err := ofRank(args[k], rank); err != nil {
			return err
		}
	}
	if err := squareMatrix(args[1]); err != nil {
		return err
	}
	for _, t := range args[1:] {
		if states := args[0].Dims[0]; !t.Dims[0].Equal(states) {
			return fmt.Errorf("log_omega is %s, with a row for each of %s states, but this is %s", args[0], states, t)
		}
	}
	return nil
}
