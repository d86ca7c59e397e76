package fn

import (
	"strings"
	"testing"

	"github.com/vflc/vflc/lang/types"
	"github.com/vflc/vflc/stdlib/def"
)

// of reads a type as it is written in source, for tests: "real[N, 2]".
func of(s string) types.Type {
	name, dims, _ := strings.Cut(strings.TrimSuffix(s, "]"), "[")
	t := types.Type{}
	for e := types.Real; e <= types.Level; e++ {
		if e.String() == name {
			t.Elem = e
		}
	}
	if dims == "" {
		return t
	}
	for _, d := range strings.Split(dims, ", ") {
		size := types.Named(d)
		if d[0] >= '0' && d[0] <= '9' {
			size = types.Const(int(d[0] - '0'))
		}
		t.Dims = append(t.Dims, size)
	}
	return t
}

func TestInfer(t *testing.T) {
	functions := map[string]def.Structural{}
	for _, s := range Structural() {
		functions[s.Name] = s
	}
	tested := map[string]bool{}
	for _, c := range []struct{ call, want string }{ // want: a type, or "!" and part of the message
		{"sum(real[N])", "real"},
		{"sum(real[N, K])", "real"},
		{"sum(binary[N])", "count"},
		{"sum(int[N])", "int"},
		{"sum(real)", "!an array is needed, but this is a scalar (real)"},
		{"sum(level[N])", "!a level can only be an index or be compared"},
		{"mean(count[N])", "real"},
		{"mean(real)", "!an array is needed"},
		{"sd(real[N])", "real"},
		{"sd(level[N])", "!a number is needed"},
		{"dot(real[K]; real[K])", "real"},
		{"dot(real[K]; count[K])", "real"},
		{"dot(real[K]; real[N])", "!the same sizes, but they are real[K] and real[N]"},
		{"dot(real[N, K]; real[K])", "!a vector is needed, but this is a matrix (real[N, K])"},
		{"rowdot(real[N, K]; real[N, K])", "real[N]"},
		{"rowdot(real[N, K]; real[K, N])", "!the same sizes"},
		{"rowdot(real[N]; real[N])", "!a matrix is needed, but this is a vector (real[N])"},
		{"col(int[N])", "int[N, 1]"},
		{"col(real[N, K])", "real[N, K, 1]"},
		{"col(real)", "!an array is needed, but this is a scalar (real)"},
		{"row(int[N])", "int[1, N]"},
		{"row(real[N, K])", "real[1, N, K]"},
		{"row(real[N, K, L])", "!a vector or a matrix is needed, but this is real[N, K, L]"},
		{"col_means(real[N, K])", "real[K]"},
		{"col_means(binary[N, 3])", "real[3]"},
		{"col_means(real[N, K, L])", "!a matrix is needed, but this is real[N, K, L]"},
		{"cumulative_sum(real[N, K])", "real[N, K]"},
		{"cumulative_sum(binary[N])", "count[N]"},
		{"cumulative_sum(real)", "!an array is needed"},
		{"sort(real[N])", "real[N]"},
		{"sort(real[N, K])", "!a vector is needed"},
		{"rank(real[N])", "count[N]"},
		{"rank(real)", "!a vector is needed"},
		{"quantile(real[N, K]; real)", "real"},
		{"quantile(real[N]; real[K])", "real[K]"},
		{"quantile(real; real)", "!an array is needed"},
		{"cumulative_max(real[N, K])", "real[N, K]"},
		{"cumulative_max(binary[N])", "binary[N]"},
		{"cumulative_max(real)", "!an array is needed"},
		{"where(binary[N]; real; real[N])", "real[N]"},
		{"where(binary[N, K]; real[1, K]; int)", "real[N, K]"},
		{"where(binary[N, K]; real[K]; int)", "!do not go together"},
		{"where(binary; binary[N]; count[N])", "count[N]"},
		{"where(binary; int; count)", "int"},
		{"where(binary[N]; binary; binary)", "binary[N]"},
		{"where(real[N]; real; real)",
			"!the condition must be binary, such as a comparison, but it is real[N]"},
		{"where(binary[N]; real[K]; real)", "!do not go together"},
		{"where(binary[N]; level[N]; real)", "!a number is needed"},
		{"pow(int[N]; int)", "real[N]"},
		{"pow(real[N]; real[K])", "!do not go together"},
		{"min(real[N, K])", "real"},
		{"min(int; count[N])", "int[N]"},
		{"max(count[N])", "count"},
		{"max(real)", "!an array is needed"},
		{"max(real[N]; real[K])", "!do not go together"},
		{"row_sums(real[N, K])", "real[N]"},
		{"row_sums(real[N])", "!a matrix is needed"},
		{"row_sums(binary[N, K])", "count[N]"},
		{"col_sums(int[N, K])", "int[K]"},
		{"row_means(int[N, K])", "real[N]"},
		{"col_sums(real[N, K])", "real[K]"},
		{"row_max(int[N, K])", "int[N]"},
		{"row_max(real[N])", "!a matrix is needed"},
		{"row_min(real[N, K])", "real[N]"},
		{"col_max(real[N, K])", "real[K]"},
		{"col_min(count[N, 3])", "count[3]"},
		{"outer(real[N]; int[K])", "real[N, K]"},
		{"outer(real[N]; real)", "!a vector is needed"},
		{"append(real; real[N])", "real[N + 1]"},
		{"append(real[N]; int[N])", "real[2*N]"},
		{"append(count[N, K]; count[M, K])", "count[M + N, K]"},
		{"append(real[N, K]; real[N])", "!do not join"},
		{"log_sum_exp(real[N])", "real"},
		{"log_sum_exp(real[N, K])", "real[N]"},
		{"log_sum_exp(real; int[N])", "real[N]"},
		{"log_sum_exp(real)", "!an array is needed"},
		{"softmax(real[N, K])", "real[N, K]"},
		{"softmax(real)", "!an array is needed"},
		{"log_softmax(int[K])", "real[K]"},
		{"log_mix(real; real[N]; real[N])", "real[N]"},
		{"log_mix(real[K]; real[N]; real[N])", "!do not go together"},
		{"rep(real; int[N])", "real[N]"},
		{"rep(count; int[N]; int[K])", "count[N, K]"},
		{"rep(real[N]; int[N])", "!one number is repeated, but this is a vector"},
		{"pi()", "real"},
		{"cholesky(real[K, K])", "real[K, K]"},
		{"cholesky(real[N, K])", "!a square matrix is needed"},
		{"cholesky(real[K])", "!a matrix is needed"},
		{"solve(real[K, K]; int[K])", "real[K]"},
		{"solve(real[K, K]; real[K, N])", "real[K, N]"},
		{"solve(real[K, K]; real[N])", "!the right side has K rows"},
		{"solve(real[K, N]; real[K])", "!a square matrix"},
		{"diag(count[K])", "real[K, K]"},
		{"diag(real[K, K])", "!a vector is needed"},
		{"quad_form(real[K, K]; real[K])", "real"},
		{"quad_form(real[K, K]; real[K, N])", "real[N, N]"},
		{"quad_form(real[K, K]; real[N])", "!has K rows"},
		{"gp_exp_quad(real[N]; real; int)", "real[N, N]"},
		{"hmm_marginal(real[K, T]; real[K, K]; real[K])", "real"},
		{"hmm_marginal(real[T, K]; real[K, K]; real[K])", "!a row for each of T states"},
		{"hmm_hidden_state_prob(real[K, T]; real[K, K]; real[K])", "real[K, T]"},
		{"hmm_hidden_state_prob(real[K]; real[K, K]; real[K])", "!a matrix is needed"},
		{"gp_matern32(real[N, 2]; real; real)", "real[N, N]"},
		{"gp_matern52(real[N]; real[N]; real)", "!a scalar is needed"},
	} {
		name, rest, _ := strings.Cut(strings.TrimSuffix(c.call, ")"), "(")
		var args []types.Type
		for _, a := range strings.Split(rest, "; ") {
			if a != "" {
				args = append(args, of(a))
			}
		}
		fn := functions[name]
		tested[name] = true
		most := fn.Arity.Max
		if !fn.Arity.Allows(len(args)) || fn.Arity.Allows(fn.Arity.Min-1) ||
			fn.Arity.Allows(max(most, len(args))+1) != (most < 0) {
			t.Errorf("%s: wrong arity %v", c.call, fn.Arity)
		}
		got, err := fn.Infer(args)
		switch message, wrong := strings.CutPrefix(c.want, "!"); {
		case wrong && (err == nil || !strings.Contains(err.Error(), message)):
			t.Errorf("%s: error %v, want %q", c.call, err, message)
		case !wrong && (err != nil || got.String() != c.want):
			t.Errorf("%s is %v (%v), want %s", c.call, got, err, c.want)
		}
	}
	for name := range functions {
		if !tested[name] {
			t.Errorf("%s has no test of its shape rule", name)
		}
	}
}
