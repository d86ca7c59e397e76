package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// A problem is a model with its tables.
type problem struct {
	name, title string
	trips       int // the most round trips of a run
	// model returns the text, its path, and the tables as values of --data.
	model func() (text, path string, flags []string, err error)
}

// problems lists them. Simulated tables are written to dir.
func problems(folder, dir string) []*problem {
	out := []*problem{
		logistic(folder, 2, 25),
		logistic(folder, 10, 40),
		{"heart", "logistic, heart disease, 918 rows, J = 2", 25, func() (string, string, []string, error) {
			path := filepath.Join("examples", "paper", "logistic_regression.vfl")
			text, err := os.ReadFile(path)
			at := func(name string) string { return filepath.Join(folder, "paper", "heart", name) }
			return string(text), path, []string{"registry=" + at("server.csv"), "hospital_a=" + at("client1.csv"), "hospital_b=" + at("client2.csv")}, err
		}},
	}
	for _, m := range simulations {
		out = append(out, &problem{m.name, fmt.Sprintf("%s, %d rows, J = 2", m.title, m.rows), 25, func() (string, string, []string, error) { return m.files(dir) }})
	}
	return out
}

// logistic is the logistic design of 500 rows and 20 covariates.
func logistic(folder string, clients, trips int) *problem {
	return &problem{fmt.Sprint("logistic", clients), fmt.Sprintf("logistic, 500 rows, J = %d", clients), trips, func() (string, string, []string, error) {
		at := filepath.Join(folder, "paper", "logistic")
		text, predictor, flags := "data y : binary[N]\nparam b ~ normal(0, 1)\n", "b", []string{"server=" + filepath.Join(at, "server.csv")}
		for j := 1; j <= clients; j++ {
			text += fmt.Sprintf("client c%d\ndata X%[1]d : real[N, P%[1]d] @ c%[1]d\nparam t%[1]d : real[P%[1]d] ~ normal(0, 1) @ c%[1]d\n", j)
			predictor += fmt.Sprintf(" + X%d * t%[1]d", j)
			flags = append(flags, fmt.Sprintf("c%d=%s", j, filepath.Join(at, fmt.Sprintf("%dclients", clients), fmt.Sprintf("client%d.csv", j))))
		}
		return text + "y ~ bernoulli_logit(" + predictor + ")\n", "logistic.vfl", flags, nil
	}}
}

// A simulation is a regression of which two clients have four and three covariates.
type simulation struct {
	name, title string
	rows        int
	head        string // the response and the server's parameters
	likelihood  string // of the predictor %s
	draw        func(r *rand.Rand, eta float64) float64
}

var simulations = []simulation{
	{"poisson", "Poisson", 5000, "data y : count[N]\nparam b ~ normal(0, 1)\n", "poisson_log(%s)", poissonOf},
	{"linear", "linear, unknown sigma", 200, "data y : real[N]\nparam b ~ normal(0, 1)\nparam sigma ~ half_normal(2)\n", "normal(%s, sigma)",
		func(r *rand.Rand, eta float64) float64 { return eta + 0.7*r.NormFloat64() }},
	{"robust", "Student t, unknown scale and degrees of freedom", 300, "data y : real[N]\nparam b ~ normal(0, 1)\nparam s ~ half_normal(2)\nparam nu ~ gamma(2, 0.1)\n", "student_t(nu, %s, s)",
		func(r *rand.Rand, eta float64) float64 { // with four degrees of freedom
			squares := 0.0
			for range 4 {
				squares += math.Pow(r.NormFloat64(), 2)
			}
			return eta + 0.7*r.NormFloat64()/math.Sqrt(squares/4)
		}},
	{"negative", "negative binomial, unknown dispersion", 500, "data y : count[N]\nparam b ~ normal(0, 1)\nparam phi ~ gamma(2, 0.5)\n", "neg_binomial_2_log(%s, phi)",
		func(r *rand.Rand, eta float64) float64 { // a gamma of shape 2, the sum of two exponentials
			return poissonOf(r, eta+math.Log((r.ExpFloat64()+r.ExpFloat64())/2))
		}},
}

func poissonOf(r *rand.Rand, eta float64) float64 {
	n, p, limit := 0.0, r.Float64(), math.Exp(-math.Exp(eta))
	for ; p > limit; n++ {
		p *= r.Float64()
	}
	return n
}

// files writes the tables.
func (m simulation) files(dir string) (text, path string, flags []string, err error) {
	r := rand.New(rand.NewPCG(7, uint64(m.rows)))
	slopes := [2][]float64{{0.3, -0.2, 0.1, 0}, {0.25, -0.15, 0.05}}
	eta := make([]float64, m.rows)
	for i := range eta {
		eta[i] = 0.5
	}
	text, predictor := m.head, "b"
	for j, by := range slopes {
		var table strings.Builder
		table.WriteString("id")
		for k := range by {
			fmt.Fprintf(&table, ",x%d", k+1)
		}
		for i := range eta {
			fmt.Fprintf(&table, "\n%d", i)
			for _, b := range by {
				x := math.Round(1e4*r.NormFloat64()) / 1e4
				eta[i] += b * x
				fmt.Fprintf(&table, ",%g", x)
			}
		}
		if err := write(dir, m.name, &flags, fmt.Sprintf("c%d", j+1), table.String()); err != nil {
			return "", "", nil, err
		}
		text += fmt.Sprintf("client c%d\ndata X%[1]d : real[N, P%[1]d] @ c%[1]d\nparam t%[1]d : real[P%[1]d] ~ normal(0, 1) @ c%[1]d\n", j+1)
		predictor += fmt.Sprintf(" + X%d * t%[1]d", j+1)
	}
	var table strings.Builder
	table.WriteString("id,y")
	for i, e := range eta {
		fmt.Fprintf(&table, "\n%d,%g", i, m.draw(r, e))
	}
	err = write(dir, m.name, &flags, "server", table.String())
	return text + "y ~ " + fmt.Sprintf(m.likelihood, predictor) + "\n", m.name + ".vfl", flags, err
}

func write(dir, model string, flags *[]string, party, table string) error {
	path := filepath.Join(dir, model+"-"+party+".csv")
	*flags = append(*flags, party+"="+path)
	return os.WriteFile(path, []byte(table+"\n"), 0o600)
}
