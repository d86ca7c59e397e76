package testmodel

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/stdlib"
)

// Logistic reads the logistic design of the reference data under dir (2 or 10 clients, 500 rows). The error
// is that of os.Open where the data are absent.
func Logistic(dir string, clients int) (GLM, error) {
	base := filepath.Join(dir, "paper", "logistic")
	y, err := readColumns(filepath.Join(base, "server.csv"))
	if err != nil {
		return GLM{}, err
	}
	m := GLM{Y: y[0], Transform: stdlib.Augmented, Rho: 1}
	for j := range clients {
		cols, err := readColumns(filepath.Join(base, fmt.Sprintf("%dclients", clients),
			fmt.Sprintf("client%d.csv", j+1)))
		if err != nil {
			return GLM{}, err
		}
		m.X = append(m.X, slices.Concat(cols...))
	}
	return m, nil
}

// LogisticTables returns the tables of so many clients of the logistic design, whose folder has those of two:
// the clients share the same columns out evenly, in their order.
func LogisticTables(dir string, clients int) ([]string, error) {
	var lines [][]string
	for j := range 2 {
		text, err := os.ReadFile(filepath.Join(dir, "paper", "logistic", "2clients",
			fmt.Sprintf("client%d.csv", j+1)))
		if err != nil {
			return nil, err
		}
		for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
			if cells := strings.Split(line, ","); j == 0 {
				lines = append(lines, cells)
			} else {
				lines[i] = append(lines[i], cells[1:]...)
			}
		}
	}
	out, each := make([]string, clients), (len(lines[0])-1)/clients
	for j := range out {
		for _, cells := range lines {
			out[j] += cells[0] + "," + strings.Join(cells[1+j*each:1+(j+1)*each], ",") + "\n"
		}
	}
	return out, nil
}

// readColumns reads a CSV file's columns after the first, the key.
func readColumns(path string) ([][]float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	out := make([][]float64, len(rows[0])-1)
	for _, row := range rows[1:] {
		for c := range out {
			v, err := strconv.ParseFloat(row[c+1], 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			out[c] = append(out[c], v)
		}
	}
	return out, nil
}

// A Reference is one entry of the reference fits: an exact posterior, an exact optimum of a guide, or the
// result of a published fit.
type Reference struct {
	Model    string    `json:"model"`
	Guide    string    `json:"guide"`
	Schedule string    `json:"schedule"`
	J        int       `json:"J"`
	Rho      float64   `json:"rho"`
	ELBO     float64   `json:"elbo"`
	LogZ     float64   `json:"log_z"`
	Mean     []float64 `json:"mean"` // b, then the slopes
	SD       []float64 `json:"sd"`
}

// References are the tables of the reference fits.
type References struct {
	Exact   []Reference `json:"exact"`
	Optimum []Reference `json:"optimum"`
	Fits    []Reference `json:"fits"`
}

// ReadReferences reads the reference results for variational fits of the logistic design.
func ReadReferences(dir string) (References, error) {
	var r References
	text, err := os.ReadFile(filepath.Join(dir, "reference", "vi_logistic.json"))
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(text, &r)
}

// Select returns the entries of one panel; guide "" takes all.
func Select(from []Reference, model string, clients int, rho float64, guide string) []Reference {
	return slices.DeleteFunc(slices.Clone(from), func(r Reference) bool {
		return r.Model != model || r.J != clients || r.Rho != rho || (guide != "" && r.Guide != guide)
	})
}
