package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// A problem is a model with a network at each of two clients, a and b, with its tables.
type problem struct {
	name, title string
	text        string
	tables      []string // as of --data
	head        string   // response and the server's parameters
	density     string   // of the predictor %s
	activation  string
	hidden      []int // widths of hidden layers, the same at both
	columns     map[string]string
	dir         string
	left        int // rows left out
}

// problems lists them. The heart data are read from a folder; simulated tables are written to dir.
func problems(folder, dir string) []*problem {
	at := func(name string) string { return filepath.Join(folder, "paper", "heart", name+".csv") }
	heart := []string{"server=" + at("server"), "a=" + at("client1"), "b=" + at("client2")}
	columns := map[string]string{
		"a": "zscore(Age), onehot(Sex), onehot(ChestPainType), zscore(RestingBP), zscore(Cholesterol)",
		"b": "FastingBS, onehot(RestingECG), zscore(MaxHR), onehot(ExerciseAngina), " +
			"zscore(Oldpeak), onehot(ST_Slope)",
	}
	const binary = "data y : binary[N] from HeartDisease\nparam m ~ normal(0, 1)\n"
	out := []*problem{
		{name: "heart", title: "Heart disease, 8 and 8 hidden units with relu", tables: heart, head: binary,
			density: "bernoulli_logit(%s)", activation: "relu", hidden: []int{8, 8}, columns: columns},
		{name: "heart-tanh", title: "Heart disease, 8 hidden units with tanh", tables: heart, head: binary,
			density: "bernoulli_logit(%s)", activation: "tanh", hidden: []int{8}, columns: columns},
		{name: "curves",
			title:   "Curves in four covariates, normal with unknown sigma, 8 hidden units with tanh",
			tables:  curves(dir),
			head:    "data y : real[N]\nparam m ~ normal(0, 1)\nparam sigma ~ half_normal(1)\n",
			density: "normal(%s, sigma)", activation: "tanh", hidden: []int{8},
			columns: map[string]string{"a": "x1, x2", "b": "x3, x4"}},
	}
	for _, p := range out {
		p.dir = dir
		p.text = p.model(func(c string) string {
			return fmt.Sprintf("data X%s : real[N, P%[1]s] @ %[1]s from %s\n", c, p.columns[c]) + p.network(c)
		})
	}
	return out
}

// model is the text around what each client has: it names the contribution h.
func (p *problem) model(client func(string) string) string {
	last := p.hidden[len(p.hidden)-1]
	text := "client a, b\n" + p.head
	for _, c := range []string{"a", "b"} {
		text += client(c) + fmt.Sprintf("param w%s : real[%d] ~ normal(0, 1) @ %[1]s\n", c, last)
	}
	return text + "y ~ " + fmt.Sprintf(p.density, "m + Ha * wa + Hb * wb") + "\n"
}

// network is the hidden layers of a client, a standard normal prior on every parameter.
func (p *problem) network(c string) (text string) {
	from, width := "X"+c, "P"+c
	for l, n := range p.hidden {
		text += fmt.Sprintf("param W%d%s : real[%s, %d] ~ normal(0, 1) @ %[2]s\nparam c%[1]d%[2]s : "+
			"real[%[4]d] ~ normal(0, 1) @ %[2]s\n", l, c, width, n)
		to := fmt.Sprintf("H%d%s", l, c)
		if l == len(p.hidden)-1 {
			to = "H" + c
		}
		text += fmt.Sprintf("let %s = %s(%s * W%d%s + c%[4]d%[5]s)\n", to, p.activation, from, l, c)
		from, width = to, fmt.Sprint(n)
	}
	return text
}

// curves writes tables whose response is a curve in each of four covariates, and noise.
func curves(dir string) []string {
	const rows = 450
	r := rand.New(rand.NewPCG(7, rows))
	server, a, b := "id,y", "id,x1,x2", "id,x3,x4"
	for i := range rows {
		var x [4]float64
		for k := range x {
			x[k] = r.NormFloat64()
		}
		y := math.Sin(2*x[0]) + 0.5*x[1]*x[1] + math.Tanh(2*x[2]) - 0.5*x[2]*x[3] + 0.5*r.NormFloat64()
		server += fmt.Sprintf("\n%d,%.6f", i, y)
		a += fmt.Sprintf("\n%d,%.6f,%.6f", i, x[0], x[1])
		b += fmt.Sprintf("\n%d,%.6f,%.6f", i, x[2], x[3])
	}
	var out []string
	for name, text := range map[string]string{"server": server, "a": a, "b": b} {
		path := filepath.Join(dir, name+".csv")
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			panic(err)
		}
		out = append(out, name+"="+path)
	}
	return out
}

// features writes the features of a fit as tables, and returns the model of them.
func (p *problem) features(f *fitted) (text string, tables []string, rows int, err error) {
	point, at := average(f.Draws), map[string]float64{}
	for k, c := range point.Columns() {
		at[c.Name] = point.Column(k)[0][0]
	}
	y := f.bound.Values["server"]["y"].Values
	rows = len(y)
	write := func(name string, columns [][]float64) {
		var b strings.Builder
		b.WriteString("id")
		for k := range columns {
			fmt.Fprintf(&b, ",%s", strings.Repeat(name, k+1))
		}
		for i := range rows {
			fmt.Fprintf(&b, "\n%d", i)
			for _, c := range columns {
				fmt.Fprintf(&b, ",%v", c[i])
			}
		}
		path := filepath.Join(p.dir, "features-"+name+".csv")
		if e := os.WriteFile(path, []byte(b.String()+"\n"), 0o600); e != nil {
			err = e
		}
		tables = append(tables, strings.Replace(name, "y", "server", 1)+"="+path)
	}
	write("y", [][]float64{y})
	for _, c := range []string{"a", "b"} {
		x := f.bound.Values[c]["X"+c].Values
		var in [][]float64
		for k := 0; k < len(x); k += rows {
			in = append(in, x[k:k+rows])
		}
		for l, n := range p.hidden {
			in = p.layer(in, n, func(j, k int) float64 {
				return at[fmt.Sprintf("W%d%s[%d,%d]", l, c, j+1, k+1)]
			}, func(k int) float64 { return at[fmt.Sprintf("c%d%s[%d]", l, c, k+1)] })
		}
		write(c, in)
	}
	text = p.model(func(c string) string {
		return fmt.Sprintf("data H%s : real[N, %d] @ %[1]s\n", c, p.hidden[len(p.hidden)-1])
	})
	return strings.ReplaceAll(text, " from HeartDisease", ""), tables, rows, err
}

// layer is n columns from others.
func (p *problem) layer(in [][]float64, n int, weight func(j, k int) float64,
	intercept func(k int) float64) (out [][]float64) {
	for k := range n {
		column := make([]float64, len(in[0]))
		for i := range column {
			v := intercept(k)
			for j, x := range in {
				v += x[i] * weight(j, k)
			}
			if column[i] = math.Tanh(v); p.activation == "relu" {
				column[i] = max(0, v)
			}
		}
		out = append(out, column)
	}
	return out
}
