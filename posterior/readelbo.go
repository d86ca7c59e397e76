package posterior

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
)

// ReadELBO reads what WriteELBO writes. The error names the line.
func ReadELBO(r io.Reader) ([]ELBOPoint, error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	var out []ELBOPoint
	for k, line := range lines {
		if k == 0 {
			continue
		}
		i, err1 := strconv.Atoi(line[0])
		var v [2]float64
		for c := range v {
			if v[c], err = strconv.ParseFloat(line[min(c+1, len(line)-1)], 64); err != nil {
				break
			}
		}
		if err1 != nil || err != nil || len(line) != 3 {
			return nil, fmt.Errorf("line %d: not the numbers iteration, elbo, se", k+1)
		}
		out = append(out, ELBOPoint{i, v[0], v[1]})
	}
	return out, nil
}
