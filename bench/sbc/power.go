package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"

	"github.com/vflc/vflc/bench/sbc/subject"
	"github.com/vflc/vflc/fit/calibrate"
)

// What power.vfl says: the sds of its priors, in the order of covariates below, and rho.
const (
	sdIntercept = 1
	sdSlope     = 0.3
	rho         = 1
)

// covariates are the tables of the clients of power.vfl, and their columns.
var covariates = [2]struct{ party, column, slope string }{{"clinic", "bmi", "by_bmi"},
	{"lab", "acidity", "by_acidity"}}

// power fits power.vfl to data drawn from its density, with the prior of the intercept narrower by a factor
// than the model has it. vflc calibrate does not, since the likelihood Π_j p(y | η_j)^(1/J) does not add up
// to 1 over y: it adds up to c = √(p₁p₂) + √(q₁q₂) ≤ 1 in a row, p and q being the probabilities of 1 and 0
// that the clients have. Parameters and auxiliary variables drawn from their priors, and kept with the
// probability Π c over the rows, with y = 1 in a row with the probability √(p₁p₂)/c, have the density of the
// model.
func power(vflc subject.Command, folder, work string, replicates int, seed uint64,
	factor float64) ([]calibrate.RankResult, error) {
	var x [2][]float64
	var flags []string
	for j, c := range covariates {
		path := filepath.Join(folder, "power", c.party+".csv")
		values, err := column(path, c.column)
		if err != nil {
			return nil, err
		}
		x[j], flags = values, append(flags, "--data", c.party+"="+path)
	}
	dir := filepath.Join(work, "power")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	ranks := subject.Ranks{}
	for replicate := range replicates {
		truth, y := drawn(rand.New(rand.NewPCG(seed, uint64(replicate))), x, factor)
		rows := [][]string{{"id", "y"}}
		for i, v := range y {
			rows = append(rows, []string{strconv.Itoa(i + 1), strconv.Itoa(v)})
		}
		table := filepath.Join(dir, "server.csv")
		if err := write(table, rows); err != nil {
			return nil, err
		}
		more := append(flags[:len(flags):len(flags)], "--data", "server="+table, "--seed",
			strconv.Itoa(replicate+1), "--overwrite")
		if err := ranks.Add(vflc, filepath.Join(folder, "power.vfl"), dir, 1000, 3000, truth,
			more...); err != nil {
			return nil, err
		}
	}
	return ranks.Judge(), nil
}

// drawn draws the parameters and responses of power.vfl.
func drawn(r *rand.Rand, x [2][]float64, factor float64) (truth map[string]float64, y []int) {
	y = make([]int, len(x[0]))
	for {
		a, slopes := sdIntercept/factor*r.NormFloat64(),
			[2]float64{sdSlope * r.NormFloat64(), sdSlope * r.NormFloat64()}
		kept := 1.0
		for i := range y {
			g := [2]float64{x[0][i] * slopes[0], x[1][i] * slopes[1]}
			z := [2]float64{g[0] + rho*r.NormFloat64(), g[1] + rho*r.NormFloat64()}
			p, q := 1.0, 1.0
			for _, eta := range []float64{a + g[0] + z[1], a + z[0] + g[1]} {
				p /= 1 + math.Exp(-eta)
				q /= 1 + math.Exp(eta)
			}
			one, c := math.Sqrt(p), math.Sqrt(p)+math.Sqrt(q)
			kept *= c
			y[i] = 0
			if r.Float64()*c < one {
				y[i] = 1
			}
		}
		if r.Float64() < kept {
			return map[string]float64{"a": a, covariates[0].slope: slopes[0], covariates[1].slope: slopes[1]},
				y
		}
	}
}

// column reads a column of numbers.
func column(path, name string) ([]float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	var out []float64
	for k, head := range rows[0] {
		if head != name {
			continue
		}
		for _, row := range rows[1:] {
			v, err := strconv.ParseFloat(row[k], 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			out = append(out, v)
		}
	}
	if out == nil {
		return nil, fmt.Errorf("%s has no column %s", path, name)
	}
	return out, nil
}

// write writes a table.
func write(path string, rows [][]string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = csv.NewWriter(f).WriteAll(rows)
	if shut := f.Close(); err == nil {
		err = shut
	}
	return err
}
