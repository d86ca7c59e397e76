//go:build rebuild

package processors

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/stdlib/def"
	"github.com/vflc/vflc/tests/densities"
)

var printLibrary = flag.Bool("library", false, "print what the standard library computes")

// Densities, derivatives, tails and random numbers of all distributions with numbers as parameters, and
// functions with their derivatives, are the same bits on amd64 and on arm64: at the values that the
// distributions' own tests use, and around them.
func TestLibraryIsTheSameEverywhere(t *testing.T) {
	if *printLibrary {
		for name, bits := range library() {
			fmt.Printf("library %s %x\n", name, sha256.Sum256(bits))
		}
		return
	}
	seen := map[string]map[string]string{}
	for _, processor := range []string{"amd64", "arm64"} {
		e := emulator(t, processor)
		program := filepath.Join(t.TempDir(), processor)
		build := exec.Command("go", "test", "-tags", "rebuild", "-c", "-o", program, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+processor)
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		args := []string{program, "-test.run", "^" + t.Name() + "$", "-library"}
		if e != "" {
			args = append([]string{e}, args...)
		}
		out, err := exec.Command(args[0], args[1:]...).Output()
		if err != nil {
			t.Fatal(err)
		}
		seen[processor] = map[string]string{}
		for line := range bytes.Lines(out) {
			var name, digest string
			if n, _ := fmt.Sscanf(string(line), "library %s %s", &name, &digest); n == 2 {
				seen[processor][name] = digest
			}
		}
	}
	if n := len(seen["amd64"]); n < 80 || n != len(seen["arm64"]) {
		t.Errorf("%d things on amd64, %d on arm64", n, len(seen["arm64"]))
	}
	for name, digest := range seen["amd64"] {
		if seen["arm64"][name] != digest {
			t.Errorf("%s computes other bits on arm64", name)
		}
	}
}

// A record holds numbers in order. The payload and the sign of a NaN may differ.
type record struct{ bytes.Buffer }

func (r *record) add(v ...float64) {
	for _, x := range v {
		if x != x {
			x = math.NaN()
		}
		fmt.Fprintf(r, "%x ", math.Float64bits(x))
	}
}

// library returns what everything computes, by name.
func library() map[string][]byte {
	out := map[string][]byte{}
	u := stdlib.New()
	for _, name := range u.Funcs() {
		f, ok := u.Func(name)
		if !ok {
			continue
		}
		var r record
		draw := rand.New(rand.NewPCG(1, 2))
		for i := range 3000 {
			x := draw.NormFloat64() * math.Ldexp(1, i%40-20)
			y, dx := []float64{0}, []float64{0}
			f.Forward(y, []float64{x})
			f.Backward(dx, []float64{1}, []float64{x}, y)
			r.add(y[0], dx[0])
		}
		out["function:"+name] = r.Bytes()
	}
	values := densities.Numbers()
	for _, name := range u.Dists() {
		d, _ := u.Dist(name)
		if d.LogDensity == nil {
			continue
		}
		var r record
		jitter := rand.New(rand.NewPCG(3, 4))
		for _, c := range values[name] {
			for i := range 12 {
				x, theta := c.X, append([]float64(nil), c.Theta...)
				if i > 0 {
					if !d.Discrete {
						x *= 1 + float64(0.2*jitter.Float64())
					}
					for k := range theta {
						if !d.Params[k].Integral {
							theta[k] *= 1 + float64(0.1*jitter.Float64())
						}
					}
				}
				b := &def.Batch{N: 1, X: def.Scalar(x), DX: []float64{0}, LP: []float64{0}}
				for _, v := range theta {
					b.Theta, b.DTheta = append(b.Theta, def.Scalar(v)), append(b.DTheta, []float64{0})
				}
				keep := func(of func(*def.Batch) float64) {
					if of == nil {
						return
					}
					r.add(of(b), b.DX[0], b.LP[0])
					for _, d := range b.DTheta {
						r.add(d[0])
					}
				}
				keep(d.LogDensity)
				keep(d.LogCDF)
				keep(d.LogCCDF)
				if d.Carrier != nil {
					r.add(d.Carrier(x, theta))
				}
				if d.Sample != nil {
					random := rand.New(rand.NewPCG(5, uint64(i)))
					for range 40 {
						r.add(d.Sample(random, theta))
					}
				}
			}
		}
		out["distribution:"+name] = r.Bytes()
	}
	return out
}
