package project

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/vflc/vflc/portable"
	"github.com/vflc/vflc/runtime/vector"
)

// patients is the number of rows of the example ward.
const patients = 300

// wardTables makes up patients: whether they came back within a month depends on age, sex and ward, which the
// clinic knows, and on two values of the laboratory. Each table has its rows in an order of its own.
func wardTables() map[string][]byte {
	r := vector.NewGenerator(vector.SharedKey(1), "patients of a new project").Rand()
	wards, effects := []string{"cardiology", "medicine", "oncology", "surgery"},
		[]float64{0.4, -0.2, 0.6, -0.6}
	clinic, laboratory, registry := make([]string, patients), make([]string, patients),
		make([]string, patients)
	for i := range patients {
		id := fmt.Sprintf("P%04d", 1001+i)
		age, female, ward := math.Round(62+float64(14*portable.Normal(r))), r.Float64() < 0.5,
			r.IntN(len(wards))
		creatinine, sodium := portable.Exp(0.1+float64(0.35*portable.Normal(r))),
			139+float64(3.5*portable.Normal(r))
		eta := -0.5 + 0.6*(age-62)/14 + effects[ward] + 0.7*(portable.Log(creatinine)-0.1)/0.35 -
			0.5*(sodium-139)/3.5
		sex := "male"
		if female {
			sex, eta = "female", eta-0.4
		}
		again := 0
		if r.Float64() < 1/(1+portable.Exp(-eta)) {
			again = 1
		}
		clinic[i] = fmt.Sprintf("%s,%.0f,%s,%s", id, age, sex, wards[ward])
		laboratory[i] = fmt.Sprintf("%s,%.2f,%.0f", id, creatinine, sodium)
		registry[i] = fmt.Sprintf("%s,%d", id, again)
	}
	return map[string][]byte{
		"clinic.csv":     shuffled(r, "patient,age,sex,ward", clinic),
		"laboratory.csv": shuffled(r, "patient,creatinine,sodium", laboratory),
		"registry.csv":   shuffled(r, "patient,readmitted", registry),
	}
}

// shuffled is a CSV file with its lines in another order.
func shuffled(r *rand.Rand, header string, lines []string) []byte {
	r.Shuffle(len(lines), func(i, k int) { lines[i], lines[k] = lines[k], lines[i] })
	var b bytes.Buffer
	fmt.Fprintln(&b, header)
	for _, line := range lines {
		fmt.Fprintln(&b, line)
	}
	return b.Bytes()
}
