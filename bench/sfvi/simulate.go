package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// simulate writes a copy of the model of examples/logistic_family.vfl to a folder, with tables of normal
// covariates for each of its clients.
func simulate(folder string, rows, clients, columns int) (path string, err error) {
	text, err := os.ReadFile(filepath.Join("examples", "logistic_family.vfl"))
	if err != nil {
		return "", err
	}
	r := rand.New(rand.NewPCG(uint64(rows), uint64(clients)))
	tables := map[string]string{"server": table("y", rows, 1, func() string { return fmt.Sprint(r.IntN(2)) })}
	for j := range clients {
		tables[filepath.Join("lab", fmt.Sprint("lab", j+1))] = table("x", rows, columns, func() string {
			return fmt.Sprintf("%.6f", r.NormFloat64())
		})
	}
	path = filepath.Join(folder, "logistic_family.vfl")
	if err := os.MkdirAll(filepath.Join(folder, "logistic_family", "lab"), 0o755); err != nil {
		return "", err
	}
	for name, rows := range tables {
		if err := os.WriteFile(filepath.Join(folder, "logistic_family", name+".csv"), []byte(rows),
			0o644); err != nil {
			return "", err
		}
	}
	return path, os.WriteFile(path, text, 0o644)
}

// table is a CSV file with a key and some columns.
func table(name string, rows, columns int, cell func() string) string {
	var b strings.Builder
	b.WriteString("id")
	for j := range columns {
		fmt.Fprintf(&b, ",%s%d", name, j+1)
	}
	for i := range rows {
		fmt.Fprintf(&b, "\n%d", i+1)
		for range columns {
			b.WriteString("," + cell())
		}
	}
	return strings.Replace(b.String(), "y1", "y", 1) + "\n"
}
