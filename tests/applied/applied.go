// Package applied makes the data of examples/applied that vflc simulate does not make, with their truth.
package applied

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"
)

// HiddenMarkov draws parameters from the priors of hmm.vfl, whose states are summed out, so that vflc itself
// draws no data. It has two covariates at each client and T rows, which it writes to tables in a folder:
// shared.csv, clinic.csv and lab.csv. It returns the parameters by their names in a summary.
func HiddenMarkov(dir string, r *rand.Rand, T int) (map[string]float64, error) {
	truth := map[string]float64{
		"P[1,1]": distuv.Beta{Alpha: 8, Beta: 2, Src: r}.Rand(),
		"P[2,2]": distuv.Beta{Alpha: 8, Beta: 2, Src: r}.Rand(),
		"sigma":  distuv.Gamma{Alpha: 4, Beta: 8, Src: r}.Rand(),
	}
	truth["P[1,2]"], truth["P[2,1]"] = 1-truth["P[1,1]"], 1-truth["P[2,2]"]
	for _, name := range []string{"beta_a[1]", "beta_a[2]", "beta_b[1]", "beta_b[2]"} {
		truth[name] = r.NormFloat64()
	}
	low, high := 2*r.NormFloat64(), 2*r.NormFloat64() // two ordered normals are independent ones in order
	truth["mu[1]"], truth["mu[2]"] = min(low, high), max(low, high)

	shared, clinic, lab := [][]string{{"id", "y"}}, [][]string{{"id", "XA_1", "XA_2"}},
		[][]string{{"id", "XB_1", "XB_2"}}
	upper := r.Float64() < 0.5 // the first state has the probabilities 1/2
	for t := range T {
		if t > 0 {
			stay := truth["P[1,1]"]
			if upper {
				stay = truth["P[2,2]"]
			}
			if r.Float64() >= stay {
				upper = !upper
			}
		}
		mean := truth["mu[1]"]
		if upper {
			mean = truth["mu[2]"]
		}
		id, x := strconv.Itoa(t+1), [4]float64{}
		for k, name := range []string{"beta_a[1]", "beta_a[2]", "beta_b[1]", "beta_b[2]"} {
			x[k] = r.NormFloat64()
			mean += truth[name] * x[k]
		}
		shared = append(shared, []string{id, number(mean + truth["sigma"]*r.NormFloat64())})
		clinic = append(clinic, []string{id, number(x[0]), number(x[1])})
		lab = append(lab, []string{id, number(x[2]), number(x[3])})
	}
	for name, rows := range map[string][][]string{"shared": shared, "clinic": clinic, "lab": lab} {
		if err := table(filepath.Join(dir, name+".csv"), rows); err != nil {
			return nil, err
		}
	}
	return truth, nil
}

// Blank empties every fifth cell of a column of a table, from the first, and returns what stood there.
func Blank(path, column string) ([]float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(f).ReadAll()
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	at := slices.Index(rows[0], column)
	if at < 0 {
		return nil, fmt.Errorf("%s has no column %s", path, column)
	}
	var out []float64
	for i := 1; i < len(rows); i += 5 {
		v, err := strconv.ParseFloat(rows[i][at], 64)
		if err != nil {
			return nil, err
		}
		out, rows[i][at] = append(out, v), ""
	}
	return out, table(path, rows)
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func table(path string, rows [][]string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(csv.NewWriter(f).WriteAll(rows), f.Close())
}
