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
		{"col(real)", "!a vector is needed, but this is a scalar (real)"},
		{"col_means(real[N, K])", "real[K]"},
		{"col_means(binary[N, 3])", "real[3]"},
		{"col_means(real[N, K, L])", "!a matrix is needed, but this is real[N, K, L]"},
		{"cumulative_sum(real[N, K])", "real[N, K]"},
		{"cumulative_sum(binary[N])", "count[N]"},
		{"cumulative_sum(real)", "!an array is needed"},
		{"where(binary[N]; real; real[N])", "real[N]"},
		{"where(binary[N, K]; real[K]; int)", "real[N, K]"},
		{"where(binary; binary[N]; count[N])", "count[N]"},
		{"where(binary; int; count)", "int"},
		{"where(binary[N]; binary; binary)", "binary[N]"},
		{"where(real[N]; real; real)", "!the condition must be binary, such as a comparison, but it is real[N]"},
		{"where(binary[N]; real[K]; real)", "!do not broadcast"},
		{"where(binary[N]; level[N]; real)", "!a number is needed"},
	} {
		name, rest, _ := strings.Cut(strings.TrimSuffix(c.call, ")"), "(")
		var args []types.Type
		for _, a := range strings.Split(rest, "; ") {
			args = append(args, of(a))
		}
		fn := functions[name]
		tested[name] = true
		if !fn.Arity.Allows(len(args)) || fn.Arity.Allows(0) || fn.Arity.Allows(len(args)+1) {
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
