package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/data"
	"github.com/vflc/vflc/lang/source"
)

func TestDbg(t *testing.T) {
	fi, _ := strconv.Atoi(os.Getenv("F"))
	ki, _ := strconv.Atoi(os.Getenv("K"))
	rows, _ := strconv.Atoi(os.Getenv("N"))
	eps, _ := strconv.ParseFloat(os.Getenv("E"), 64)
	sets, _ := strconv.Atoi(os.Getenv("S"))
	f, k := families[fi], kinds[ki]
	var zz [6]float64
	hit, all := 0., 0.
	for seed := range sets {
		values, se := simulate(f, k, rows, uint64(seed))
		m, _ := compile.Compile(source.New("m.vfl", fmt.Sprintf(text, k.declared, f.declared)),
			check.Options{Set: map[string]float64{"epsilon": eps}})
		b, _, err := compile.BindValues(m, values, nil)
		if err != nil {
			t.Fatal(err)
		}
		mo, err := b.Moments()
		if err != nil {
			t.Fatal(err)
		}
		p, _ := b.Posterior(mo)
		given, _, err := compile.BindValues(p, map[string]data.Bindings{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := sample(given, uint64(seed))
		if err != nil {
			t.Fatal(err)
		}
		g := mo.Gradients
		if g == nil {
			t.Fatal("no gradients")
		}
		fmt.Printf("%3d norm %.2f part %.2f steps", seed, g.Norm, mo.Terms.Part)
		for _, s := range g.Steps {
			fmt.Printf(" [%.3f τ%.1f at", s.Scale, s.Shape)
			for _, v := range s.At {
				fmt.Printf(" %.2f", v)
			}
			fmt.Printf("]")
		}
		fmt.Print(" z:")
		for i, row := range r.Summary()[:len(truth)] {
			z := (float64(row.Mean) - truth[i]) / float64(row.SD)
			zz[i] += z * z
			all++
			if float64(row.Q5) <= truth[i] && truth[i] <= float64(row.Q95) {
				hit++
			}
			fmt.Printf(" %5.2f(w%.2f)", z, float64(row.SD)/se[i])
		}
		last := r.Summary()[len(r.Summary())-1]
		fmt.Printf(" s %.3f±%.3f\n", last.Mean, last.SD)
	}
	for i := range zz {
		zz[i] = math.Sqrt(zz[i] / float64(sets))
	}
	fmt.Println("rms z", zz, "coverage", hit/all)
}
