package fit

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vflc/vflc/stdlib"
)

// A missing cell that is imputed is a parameter of its row alone: the contributions of two columns span two
// directions and one for each such row, by which the server knows how many there are and where. The verdict
// says so of whoever can compute the contribution, and not of the owner.
func TestVerdictOfImputedCells(t *testing.T) {
	const rows, missing = 150, 7
	dir, random := t.TempDir(), rand.New(rand.NewPCG(9, 10))
	tables := map[string]*strings.Builder{"server": {}, "a": {}, "b": {}}
	tables["server"].WriteString("id,y\n")
	tables["a"].WriteString("id,p,q\n")
	tables["b"].WriteString("id,r\n")
	for i := range rows {
		q := fmt.Sprint(random.NormFloat64())
		if i%20 == 3 && i/20 < missing {
			q = ""
		}
		fmt.Fprintf(tables["server"], "%d,%v\n", i, random.NormFloat64())
		fmt.Fprintf(tables["a"], "%d,%v,%s\n", i, random.NormFloat64(), q)
		fmt.Fprintf(tables["b"], "%d,%v\n", i, random.NormFloat64())
	}
	write(t, filepath.Join(dir, "m.vfl"), `client a, b
data y : real[N] @ server
data p : real[N] @ a
data q : real[N] @ a missing impute ~ normal(0, 1)
data r : real[N] @ b
param m ~ normal(0, 1)
param bp ~ normal(0, 1) @ a
param bq ~ normal(1, 1) @ a
param br ~ normal(0, 1) @ b
y ~ normal(m + (p * bp + q * bq) + r * br, 1)
`)
	for name, table := range tables {
		write(t, filepath.Join(dir, "m", name+".csv"), table.String())
	}
	b := bindPath(t, filepath.Join(dir, "m.vfl"), stdlib.Exact, 0)
	for _, line := range verdictOf(t, b, "nuts", nil, nil) {
		if says := strings.Contains(line.String(),
			"which rows are incomplete at a"); says == (line.Receivers[0] == "a") {
			t.Error(line)
		}
	}
	_, report := attacked(t, b, "nuts", map[string]string{"draws": "200", "warmup": "200"})
	if d := report.Cuts[0].Directions; d != 2+missing {
		t.Errorf("%d directions for two columns and %d missing cells", d, missing)
	}
	if d := report.Cuts[1].Directions; d != 1 {
		t.Errorf("%d directions for one column", d)
	}
}
