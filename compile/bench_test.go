package compile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/format"
	"github.com/vflc/vflc/lang/parser"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

// written is a model with so many lines, a quarter of them data, parameters, lets and likelihoods each.
func written(lines int) *source.File {
	var s strings.Builder
	for i := range lines / 4 {
		fmt.Fprintf(&s,
			"data y%d : real[N]\nparam b%d ~ normal(0, 2.5)\nlet m%d = b%d * x%d + "+
				"exp(b%d)\ny%d ~ normal(m%d, 1)\n", i, i, i, i, 0, i, i, i)
	}
	return source.New("written.vfl", "data x0 : real[N]\n"+s.String())
}

// lets is a model of clients whose predictor is a sum of so many lets, or whose lets stand in one another.
func lets(n int, nested bool) *source.File {
	s := strings.Builder{}
	s.WriteString("client a, b\ndata y : real[N]\ndata x : real[N] @ a\ndata w : real[N] @ b\nparam u ~ " +
		"normal(0, 1) @ a\nparam v ~ normal(0, 1) @ b\nlet l0 = u * x + v * w\n")
	terms := []string{"l0"}
	for i := range n {
		if nested {
			fmt.Fprintf(&s, "let l%d = l%d + %d\n", i+1, i, i)
			terms[0] = fmt.Sprintf("l%d", i+1)
			continue
		}
		fmt.Fprintf(&s, "let l%d = u * %d * x\n", i+1, i)
		terms = append(terms, fmt.Sprintf("l%d", i+1))
	}
	fmt.Fprintf(&s, "y ~ normal(%s, 1)\ntransform augmented(rho = 0.5)\n", strings.Join(terms, " + "))
	return source.New("lets.vfl", s.String())
}

// measure reports also the CPU time, of the garbage collector too, which other jobs disturb least.
func measure(b *testing.B, run func()) {
	b.ReportAllocs()
	begin := stopwatch.Process()
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64(stopwatch.Process()-begin)/float64(b.N)/1e6, "cpu-ms/op")
}

// BenchmarkCheck checks a model of 1,000 lines.
func BenchmarkCheck(b *testing.B) {
	f := written(1000)
	measure(b, func() {
		tree, diags := parser.Parse(f)
		if _, more := check.Check(&check.Linked{File: tree}, stdlib.New(),
			check.Options{}); diags.HasErrors() || more.HasErrors() {
			b.Fatal(diags, more)
		}
	})
}

// BenchmarkFormat formats a model of 100 lines.
func BenchmarkFormat(b *testing.B) {
	f := written(100)
	measure(b, func() {
		tree, _ := parser.Parse(f)
		format.Format(tree)
	})
}

// BenchmarkLets compiles models of two clients with 2,000 lets.
func BenchmarkLets(b *testing.B) {
	for name, f := range map[string]*source.File{"sum": lets(2000, false), "nested": lets(2000, true)} {
		b.Run(name, func(b *testing.B) {
			measure(b, func() {
				if _, diags := compile.Compile(f, check.Options{}); diags.HasErrors() {
					b.Fatal(diags)
				}
			})
		})
	}
}
