package main

import (
	"math"
	"strconv"

	"github.com/vflc/vflc/runtime/vector"
)

// A heart is the simulated table of one party, with the columns of the heart disease data.
type heart struct {
	columns []string
	cells   [][]string // by row
}

// heartDisease makes 300 patients for a model of that name: columns at two hospitals, and an outcome whose
// log odds are no linear function of them.
func heartDisease(model string) map[string][]byte {
	const n = 300
	r := vector.NewGenerator(vector.SharedKey(seed), "heart").Rand()
	a := heart{columns: []string{"Age", "Sex", "ChestPainType", "RestingBP", "Cholesterol"}}
	b := heart{columns: []string{"FastingBS", "RestingECG", "MaxHR", "ExerciseAngina", "Oldpeak", "ST_Slope"}}
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	whole := func(mean, sd float64) int { return int(math.Round(mean + float64(sd*r.NormFloat64()))) }
	y := make([]string, n)
	for i := range n {
		age, sex, pain, pressure, cholesterol := whole(54, 9), pick("M", "M", "F"),
			pick("ASY", "ASY", "ATA", "NAP", "TA"), whole(132, 17), whole(220, 50)
		sugar, ecg, rate, angina, slope := r.IntN(4)/3, pick("Normal", "Normal", "ST", "LVH"), whole(137, 25),
			pick("N", "N", "Y"), pick("Up", "Flat", "Down")
		depression := math.Round(math.Abs(10*r.NormFloat64())) / 10
		odds := -1.4 + 1.2*indicator(pain == "ASY")*indicator(age > 50) + 0.8*indicator(sex == "M") +
			1.1*indicator(angina == "Y") + float64(0.02*math.Abs(float64(rate-140)))
		odds += float64(0.7*depression)*indicator(slope != "Up") + 0.5*indicator(sugar == 1)
		y[i] = "0"
		if r.Float64() < 1/(1+math.Exp(-odds)) {
			y[i] = "1"
		}
		a.cells = append(a.cells, []string{strconv.Itoa(age), sex, pain, strconv.Itoa(pressure),
			strconv.Itoa(cholesterol)})
		b.cells = append(b.cells, []string{strconv.Itoa(sugar), ecg, strconv.Itoa(rate), angina,
			strconv.FormatFloat(depression, 'f', 1, 64), slope})
	}
	return map[string][]byte{
		model + "/registry.csv":   table([]string{"HeartDisease"}, n, func(i, _ int) string { return y[i] }),
		model + "/hospital_a.csv": a.table(),
		model + "/hospital_b.csv": b.table(),
	}
}

func (h heart) table() []byte {
	return table(h.columns, len(h.cells), func(i, c int) string { return h.cells[i][c] })
}

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
