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
		heart(folder, 25),
		{"categories", "logistic, heart disease, a column for each category, 918 rows, J = 2", 25,
			func() (string, string, []string, error) {
				path := filepath.Join("examples", "paper", "logistic_regression.vfl")
				text, err := os.ReadFile(path)
				at := func(name string) string { return filepath.Join(folder, "paper", "heart", name) }
				return string(text), path, []string{"registry=" + at("server.csv"),
					"hospital_a=" + at("client1.csv"), "hospital_b=" + at("client2.csv")}, err
			}},
	}
	for _, m := range simulations {
		out = append(out, &problem{m.name, fmt.Sprintf("%s, %d rows, J = 2", m.title, m.rows), 25,
			func() (string, string, []string, error) {
				return m.files(dir)
			}})
	}
	return out
}

// heart is the heart data with a column for each category but the first, of which the clients have seven and
// eight: 16 parameters.
func heart(folder string, trips int) *problem {
	return &problem{"heart", "logistic, heart disease, 918 rows, J = 2", trips,
		func() (string, string, []string, error) {
			at := func(name string) string { return filepath.Join(folder, "paper", "heart", name) }
			return `server registry
client hospital_a, hospital_b
data y : binary[N] from HeartDisease
data XA : real[N, PA] @ hospital_a from zscore(Age), onehot(Sex, drop=first), onehot(ChestPainType, drop=first), zscore(RestingBP), zscore(Cholesterol)
data XB : real[N, PB] @ hospital_b from FastingBS, onehot(RestingECG, drop=first), zscore(MaxHR), onehot(ExerciseAngina, drop=first), zscore(Oldpeak), onehot(ST_Slope, drop=first)
param b ~ normal(0, 1)
param wa : real[PA] ~ normal(0, 1) @ hospital_a
param wb : real[PB] ~ normal(0, 1) @ hospital_b
y ~ bernoulli_logit(b + XA * wa + XB * wb)
`, "heart.vfl", []string{"registry=" + at("server.csv"), "hospital_a=" + at("client1.csv"), "hospital_b=" + at("client2.csv")}, nil
		}}
}

// logistic is the logistic design of 500 rows and 20 covariates.
func logistic(folder string, clients, trips int) *problem {
	return &problem{fmt.Sprint("logistic", clients), fmt.Sprintf("logistic, 500 rows, J = %d", clients),
		trips, func() (string, string, []string, error) {
			at := filepath.Join(folder, "paper", "logistic")
			text, predictor, flags := "data y : binary[N]\nparam b ~ normal(0, 1)\n", "b",
				[]string{"server=" + filepath.Join(at, "server.csv")}
			for j := 1; j <= clients; j++ {
				text += fmt.Sprintf("client c%d\ndata X%[1]d : real[N, P%[1]d] @ c%[1]d\nparam t%[1]d : "+
					"real[P%[1]d] ~ normal(0, 1) @ c%[1]d\n", j)
				predictor += fmt.Sprintf(" + X%d * t%[1]d", j)
				flags = append(flags,
					fmt.Sprintf("c%d=%s", j, filepath.Join(at, fmt.Sprintf("%dclients", clients),
						fmt.Sprintf("client%d.csv", j))))
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
	classes     string // ", K" where the coefficients are a matrix
	draw        func(r *rand.Rand, eta float64) float64
}

var simulations = []simulation{
	{"poisson", "Poisson", 5000, "data y : count[N]\nparam b ~ normal(0, 1)\n", "poisson_log(%s)", "",
		poissonOf},
	{"linear", "linear, unknown sigma", 200,
		"data y : real[N]\nparam b ~ normal(0, 1)\nparam sigma ~ half_normal(2)\n", "normal(%s, sigma)", "",
		func(r *rand.Rand, eta float64) float64 { return eta + 0.7*r.NormFloat64() }},
	{"robust", "Student t, unknown scale and degrees of freedom", 300,
		"data y : real[N]\nparam b ~ normal(0, 1)\nparam s ~ half_normal(2)\nparam nu ~ gamma(2, 0.1)\n",
		"student_t(nu, %s, s)", "",
		func(r *rand.Rand, eta float64) float64 { // with four degrees of freedom
			squares := 0.0
			for range 4 {
				squares += math.Pow(r.NormFloat64(), 2)
			}
			return eta + 0.7*r.NormFloat64()/math.Sqrt(squares/4)
		}},
	{"negative", "negative binomial, unknown dispersion", 500,
		"data y : count[N]\nparam b ~ normal(0, 1)\nparam phi ~ gamma(2, 0.5)\n",
		"neg_binomial_2_log(%s, phi)", "",
		func(r *rand.Rand, eta float64) float64 { // a gamma of shape 2, the sum of two exponentials
			return poissonOf(r, eta+math.Log((r.ExpFloat64()+r.ExpFloat64())/2))
		}},
	{"multinomial", "multinomial, 3 categories", 300,
		"data y : level(3)[N]\nparam c : real[3] ~ normal(0, 1)\nlet b = row(c)\n", "categorical_logit(%s)", ", 3",
		categoryOf(3)},
	{"wide", "multinomial, 6 categories", 1000,
		"data y : level(6)[N]\nparam c : real[6] ~ normal(0, 1)\nlet b = row(c)\n", "categorical_logit(%s)", ", 6",
		categoryOf(6)},
	{"ordinal", "ordinal, 6 categories, logistic", 500,
		"data y : level(6)[N]\nlet b = 0\nparam k : ordered[5] ~ normal(0, 5)\n", "ordered_logistic(%s, k)",
		"",
		func(r *rand.Rand, eta float64) float64 {
			u := r.Float64()
			return ordered(eta + math.Log(u/(1-u)))
		}},
	{"probit", "ordinal, 6 categories, normal", 500,
		"data y : level(6)[N]\nlet b = 0\nparam k : ordered[5] ~ normal(0, 5)\n", "ordered_probit(%s, k)", "",
		func(r *rand.Rand, eta float64) float64 { return ordered(eta + r.NormFloat64()) }},
}

// categoryOf draws one of some categories, whose predictors are multiples of one.
func categoryOf(categories int) func(r *rand.Rand, eta float64) float64 {
	return func(r *rand.Rand, eta float64) float64 {
		best, at := math.Inf(-1), 0
		for k := range categories {
			if v := float64(k-1)*eta - math.Log(r.ExpFloat64()); v > best {
				best, at = v, k
			}
		}
		return float64(at + 1)
	}
}

// ordered is the category of a latent variable.
func ordered(v float64) (category float64) {
	category = 1
	for _, c := range []float64{-1.5, -0.5, 0.5, 1, 2} {
		if v > c {
			category++
		}
	}
	return category
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
		text += fmt.Sprintf("client c%d\ndata X%[1]d : real[N, P%[1]d] @ c%[1]d\nparam t%[1]d : "+
			"real[P%[1]d%[2]s] ~ normal(0, 1) @ c%[1]d\n", j+1, m.classes)
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
