// Command encrypted measures sums over encrypted rows at the parameters of a run: keys, encryption, the slope
// of a logistic regression, its sums and their openings; with -fit, whole fits.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"text/tabwriter"

	"github.com/vflc/vflc/bench/stopwatch"
	"github.com/vflc/vflc/runtime/encrypted"
)

const interval = 10

func main() {
	holders := flag.Int("holders", 3, "holders of shares of the key")
	rows := flag.Int("n", 10000, "rows")
	columns := flag.Int("p", 21, "columns")
	openings := flag.Int("openings", 1000, "sums that are opened over the life of the key")
	memory := flag.Bool("memory", false, "also what is kept after each step")
	family := flag.String("fit", "",
		"a whole fit of n rows and 2 times 10 columns instead: logistic, rare, probit, poisson, negative, "+
			"normal, gamma, or all of them; effects: of effects of 10 groups whose scale is a parameter, "+
			"beside NUTS; paper: of the logistic design of 500 rows, with weights, by 2 and 10 clients")
	data := flag.String("data", "tests/reference", "the folder of that design")
	flag.Parse()
	if *family != "" {
		if err := whole(*family, *data, *rows); err != nil {
			log.Fatal(err)
		}
		return
	}
	b := &bench{memory: *memory, w: tabwriter.NewWriter(os.Stdout, 2, 8, 2, ' ', 0), columns: *columns}
	if err := b.run(*holders, *rows, *openings); err != nil {
		log.Fatal(err)
	}
	if err := b.w.Flush(); err != nil {
		log.Fatal(err)
	}
}

// whole runs fits of one name.
func whole(name, data string, n int) error {
	switch name {
	case "paper":
		return errors.Join(paper(data, 2), paper(data, 10))
	case "effects":
		for _, l := range slices.Sorted(maps.Keys(effects)) {
			if err := effectful(l, n); err != nil {
				return err
			}
		}
		return nil
	case "all":
		for _, l := range slices.Sorted(maps.Keys(likelihoods)) {
			if err := fits(l, n); err != nil {
				return err
			}
		}
		return nil
	}
	return fits(name, n)
}

type bench struct {
	w       *tabwriter.Writer
	params  *encrypted.Parameters
	secrets []*encrypted.Secret
	keys    *encrypted.CollectiveKeys
	columns int
	memory  bool
	last    float64
}

// line prints what happened since the last: CPU seconds of one of some repetitions, and megabytes.
func (b *bench) line(what string, times int, bytes int) {
	now := stopwatch.Process().Seconds()
	fmt.Fprintf(b.w, "%s\t%.3f CPU s\t", what, (now-b.last)/float64(times))
	if b.memory {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		fmt.Fprintf(b.w, "%.0f MB kept\t", float64(m.HeapAlloc)/1e6)
	}
	if bytes > 0 {
		fmt.Fprintf(b.w, "%.3f MB", float64(bytes)/1e6)
	}
	fmt.Fprintln(b.w)
	b.last = stopwatch.Process().Seconds()
}

func (b *bench) run(holders, n, openings int) error {
	var err error
	if b.params, err = encrypted.New(holders, openings); err != nil {
		return err
	}
	fmt.Fprintf(b.w, "%.0f bits of primes, %d rows a ciphertext, %d holders, %d openings, %d rows in %d\t\n",
		b.params.LogModulus(), b.params.Rows(), holders, openings, n, b.params.Ciphertexts(n))
	b.line("parameters", 1, 0)
	if err := b.ceremony(holders); err != nil {
		return err
	}
	return b.evaluate(holders, n)
}

func (b *bench) ceremony(holders int) error {
	var reference encrypted.ReferenceString
	var public, ones, twos [][]byte
	for range holders {
		s := b.params.NewSecret()
		share, err := s.PublicShare(reference)
		if err != nil {
			return err
		}
		one, err := s.RoundOne(reference)
		if err != nil {
			return err
		}
		b.secrets, public, ones = append(b.secrets, s), append(public, share), append(ones, one)
	}
	b.line("public share and round one, a holder", holders, len(public[0])+len(ones[0]))
	first, second := b.params.Rounds()
	if err := first.Add(first.Digits(), encrypted.List(ones)); err != nil {
		return err
	}
	for _, s := range b.secrets {
		two, err := s.RoundTwo(first)
		if err != nil {
			return err
		}
		twos = append(twos, two)
	}
	b.line("round two, a holder", holders, len(twos[0]))
	err := second.Add(second.Digits(), encrypted.List(twos))
	if err != nil {
		return err
	}
	b.keys, err = b.params.Keys(reference, encrypted.List(public), first, second)
	b.line("keys", 1, 0)
	return err
}

func (b *bench) vector(
	what string, kind encrypted.Kind, values []float64, within encrypted.Range,
) (*encrypted.Vector, error) {
	v, err := b.keys.Encrypt(kind, values, within)
	if err != nil {
		return nil, err
	}
	data, err := v.MarshalBinary()
	if err != nil {
		return nil, err
	}
	b.line(what+", encrypted", 1, len(data))
	v, err = b.params.Vector(len(values), data)
	if err == nil {
		v.Digest()
		b.line(what+", read, digest", 1, 0)
	}
	return v, err
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// chebyshev interpolates f on the interval.
func chebyshev(degree int, f func(float64) float64) []string {
	out := make([]string, degree+1)
	for j := range out {
		sum := 0.0
		for i := range out {
			angle := math.Pi * (float64(i) + .5) / float64(len(out))
			sum += f(interval*math.Cos(angle)) * math.Cos(float64(j)*angle)
		}
		sum *= 2 / float64(len(out))
		if j == 0 {
			sum /= 2
		}
		out[j] = strconv.FormatFloat(sum, 'x', -1, 64)
	}
	return out
}

func (b *bench) evaluate(holders, n int) error {
	rng := rand.New(rand.NewPCG(1, 2))
	cut, y, x := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range cut {
		cut[i] = .99 * interval / float64(holders) * (2*rng.Float64() - 1)
		x[i] = math.Max(-5, math.Min(5, rng.NormFloat64()))
		if rng.Float64() < logistic(float64(holders)*cut[i]) {
			y[i] = 1
		}
	}
	most := interval / float64(holders) * (1 - 1e-9)
	within := encrypted.Range{Max: most, Squares: most * most * float64(n), Interval: interval}
	contribution, err := b.vector("contribution", encrypted.Contribution, cut, within)
	if err != nil {
		return err
	}
	response, err := b.vector("response", encrypted.Response, y, encrypted.Range{Max: 1, Squares: float64(n)})
	if err != nil {
		return err
	}
	column, err := b.vector("column", encrypted.Column, x, encrypted.Range{Max: 5, Squares: 1.2 * float64(n)})
	if err != nil {
		return err
	}
	var contributions []*encrypted.Vector
	for range holders {
		contributions = append(contributions, contribution)
	}
	if err := b.slope(contributions, response, column); err != nil {
		return err
	}
	return b.curvature(contributions, column)
}

func (b *bench) rows(
	what string, f encrypted.PolynomialForm, contributions []*encrypted.Vector, response *encrypted.Vector,
) (*encrypted.EncryptedRows, error) {
	plan, err := b.params.Plan(f, len(contributions))
	if err != nil {
		return nil, err
	}
	b.line("plan of the "+what, 1, 0)
	rows, err := b.keys.Rows(plan, contributions, response)
	b.line(what, 1, 0)
	return rows, err
}

func (b *bench) slope(contributions []*encrypted.Vector, response, column *encrypted.Vector) error {
	term := chebyshev(63, func(s float64) float64 { return -logistic(s) })
	form := encrypted.PolynomialForm{Factor: []string{"0x1p+00"}, Term: term, Interval: interval, Products: 1}
	rows, err := b.rows("slope, degree 63", form, contributions, response)
	if err != nil {
		return err
	}
	var sum *encrypted.EncryptedSum
	for range b.columns {
		if sum, err = rows.Product(column); err != nil {
			return err
		}
	}
	b.line(fmt.Sprintf("sums of %d columns", b.columns), 1, 0)
	if _, err := rows.Total(nil); err != nil {
		return err
	}
	b.line("sum without a column", 1, 0)
	return b.open("a sum", sum)
}

func (b *bench) curvature(contributions []*encrypted.Vector, column *encrypted.Vector) error {
	term := chebyshev(63, func(s float64) float64 { return logistic(s) * logistic(-s) })
	form := encrypted.PolynomialForm{Term: term, Interval: interval, Products: 2}
	rows, err := b.rows("curvature, degree 63", form, contributions, nil)
	if err != nil {
		return err
	}
	weighed, err := rows.Weigh(column)
	if err != nil {
		return err
	}
	b.line("curvature times a column", 1, 0)
	var sum *encrypted.EncryptedSum
	for range 10 {
		if sum, err = weighed.Product(column); err != nil {
			return err
		}
	}
	b.line("and a second", 10, 0)
	return b.open("a sum of the curvature", sum)
}

func (b *bench) open(what string, sum *encrypted.EncryptedSum) error {
	var shares [][]byte
	for _, s := range b.secrets {
		share, err := s.Share(sum)
		if err != nil {
			return err
		}
		shares = append(shares, share)
	}
	b.line("a share of "+what, len(shares), len(shares[0]))
	v, err := sum.Open(encrypted.List(shares))
	if err != nil {
		return err
	}
	b.line("opening it", 1, 0)
	fmt.Fprintf(b.w, "%s\t%.3f\tdeviation %.2g, error below %.2g\n", what, v, sum.Deviation(), sum.Error())
	return nil
}
