// Command tables fits four public tables, split by columns over two clients, under none, exact, augmented and
// power, and prints what each transform does to the posterior and what it costs: a Markdown table.
//
//	pip install statsmodels scikit-learn pandas && python bench/tables/fetch.py /tmp/tables
//	go build -o /tmp/vflc ./cmd/vflc && go run ./bench/tables -vflc /tmp/vflc -data /tmp/tables
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// tables are the models of this folder, with a folder of data each.
var tables = []string{"cancer", "diabetes", "star98", "randhie"}

// A fit is one way to fit a model.
type fit struct{ transform, rho string }

var fits = []fit{{"none", ""}, {"exact", ""}, {"augmented", ""}, {"power", ""}}

// A summary is what a run writes of itself.
type summary struct {
	Parameters []parameter `json:"parameters"`
	Rho        *float64    `json:"rho"`
	Work       struct {
		Gradients, Rounds float64
	} `json:"work"`
}

type parameter struct {
	Name     string  `json:"name"`
	Mean, SD float64 `json:",omitempty"`
	ESS      float64 `json:"ess_bulk"`
}

func main() {
	program := flag.String("vflc", "vflc", "the program")
	data := flag.String("data", "", "folder that fetch.py wrote")
	flag.Parse()
	if err := run(*program, *data); err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

func run(program, data string) error {
	fmt.Println("| table | transform | rho | largest difference of means, in sds | median ratio of " +
		"coefficients | median ratio of sds | evaluations a draw | rounds a draw | smallest bulk ESS |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, table := range tables {
		var truth summary
		for i, f := range fits {
			s, err := sample(program, filepath.Join(data, table), table, f)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", table, f.transform, err)
			}
			if i == 0 {
				truth = s
			}
			s.print(table, f, truth)
		}
	}
	return nil
}

// sample runs one fit with the defaults, which are 4 chains of 1000 draws after as many of warm-up.
func sample(program, data, table string, f fit) (summary, error) {
	var s summary
	dir, err := os.MkdirTemp("", "tables")
	if err != nil {
		return s, err
	}
	defer os.RemoveAll(dir)
	args := []string{"run", filepath.Join("bench", "tables", table+".vfl"), "--quiet", "--transform",
		f.transform, "-o", filepath.Join(dir, "run")}
	if f.rho != "" {
		args = append(args, "--rho", f.rho)
	}
	for _, party := range []string{"registry", "clinic", "laboratory"} {
		args = append(args, "--data", party+"="+filepath.Join(data, party+".csv"))
	}
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return s, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "run", "summary.json"))
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(text, &s)
}

func (s summary) print(table string, f fit, truth summary) {
	var shift float64
	var ratios, sds, ess []float64
	for _, p := range s.Parameters {
		t := truth.Parameters[slices.IndexFunc(truth.Parameters, func(q parameter) bool {
			return q.Name == p.Name
		})]
		shift = max(shift, math.Abs(p.Mean-t.Mean)/t.SD)
		if math.Abs(t.Mean) > 2*t.SD {
			ratios = append(ratios, p.Mean/t.Mean)
		}
		sds = append(sds, p.SD/t.SD)
		ess = append(ess, p.ESS)
	}
	rho := "–"
	if s.Rho != nil {
		rho = fmt.Sprintf("%.3g", *s.Rho)
	}
	const draws = 8000 // of four chains, warm-up included
	fmt.Printf("| %s | %s | %s | %.2f | %.3f | %.3f | %.1f | %.1f | %.0f |\n", table, f.transform, rho, shift,
		median(ratios), median(sds),
		s.Work.Gradients/draws, s.Work.Rounds/draws, slices.Min(ess))
}

func median(v []float64) float64 {
	slices.Sort(v)
	if len(v) == 0 {
		return math.NaN()
	}
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
