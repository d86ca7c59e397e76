package attack

import (
	"math/rand/v2"
	"testing"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/model"
	"github.com/vflc/vflc/runtime/session"
)

// twoClients is a plan, as far as recorders read it, of n rows and clients with the noise given.
func planOf(n int, rho ...float64) *model.Plan {
	p := &model.Plan{Names: []string{"server"}, Parties: []*model.Spec{{Party: "server"}}}
	g := model.Group{Name: "z", Len: n, Receivers: []model.Port{{}}}
	for k, r := range rho {
		name := string(rune('a' + k))
		p.Names = append(p.Names, name)
		p.Parties = append(p.Parties,
			&model.Spec{Party: name, Cuts: []density.Cut{{Name: "z_" + name, Rows: n, Cols: 1, Rho: r}}})
		g.Members = append(g.Members, model.Port{Party: k + 1})
	}
	p.Groups = []model.Group{g}
	return p
}

// BenchmarkRecorder is what a round costs with two clients and 500 rows.
func BenchmarkRecorder(b *testing.B) {
	const n = 500
	r := NewRecorder(planOf(n, 1, 1))
	z, a := [][][]float64{{make([]float64, n), make([]float64, n)}}, make([]float64, n)
	for i := range n {
		z[0][0][i], z[0][1][i] = rand.NormFloat64(), rand.NormFloat64()
	}
	total, part := [][]float64{a}, [][][]float64{{a}}
	b.ReportAllocs()
	for b.Loop() {
		r.Sent(session.AllRows, z, nil)
		r.Answered(total, part)
	}
}
