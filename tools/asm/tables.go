package main

import (
	"fmt"
	"strconv"
	"strings"
)

// coefficients returns the Go source of the tables of the portable functions.
func coefficients() string {
	var b strings.Builder
	b.WriteString("package portable\n\n// Polynomials fitted by tools/asm/fit.py, lowest power first; the " +
		"comments there state what each approximates, and how well.\nvar (\n")
	for _, t := range []struct {
		name string
		c    []float64
	}{
		{"expTail", expTail}, {"logTail", logTail}, {"sinTail", sinTail}, {"cosTail", cosTail},
		{"sineTail", sineTail}, {"cosineTail", cosineTail}, {"stirlingTail", stirlingTail},
		{"digammaTail", digammaTail}, {"millsSeries", millsSeries},
	} {
		fmt.Fprintf(&b, "\t%s = [%d]float64{%s}\n", t.name, len(t.c), row(t.c))
	}
	for _, t := range []struct {
		name    string
		rows    [][8]float64
		centres [8]float64
	}{
		{"lgammaPieces", lgammaPieces, lgammaPiecesCentre},
		{"digammaPieces", digammaPieces, digammaPiecesCentre},
	} {
		fmt.Fprintf(&b, "\t%s = [%d][8]float64{\n", t.name, len(t.rows))
		for _, r := range t.rows {
			fmt.Fprintf(&b, "\t\t{%s},\n", row(r[:]))
		}
		fmt.Fprintf(&b, "\t}\n\t%sCentre = [8]float64{%s}\n", t.name, row(t.centres[:]))
	}
	fmt.Fprintf(&b,
		")\n\n// The zero of the digamma function, in two parts.\nconst (\n\tdigammaRoot = "+
			"%s\n\tdigammaRootLow = %s\n)\n", hex(digammaRoot), hex(digammaRootLow))
	return b.String()
}

func row(c []float64) string {
	var out []string
	for _, x := range c {
		out = append(out, hex(x))
	}
	return strings.Join(out, ", ")
}

func hex(x float64) string { return strconv.FormatFloat(x, 'x', -1, 64) }
