package testmodel

import (
	"math"

	"github.com/vflc/vflc/stdlib"
	"gonum.org/v1/gonum/mat"
)

// A Guide is a family of products of Gaussians with a closed-form optimum where the joint density is
// Gaussian.
type Guide int

// The guides: which quantities are independent. b is always a block of its own.
const (
	Structured  Guide = iota // (θ_j, z_j) for every client
	Noncentered              // θ_j and every element of e_j = (z_j − g_j)/ρ
	MeanField                // θ_j and every element of z_j
	Independent              // every element of every θ_j and of e_j
)

// A Fit is a Gaussian approximation of the posterior of (b, θ_1, θ_2, …): its ELBO, means and sds. LogZ is
// the log evidence of the model, and Exact the sds of the exact posterior; the exact means are those of the
// fit.
type Fit struct {
	ELBO, LogZ      float64
	Mean, SD, Exact []float64
}

// Optimum returns the best approximation in a family, for a normal likelihood with affine cuts. With P the
// joint precision in the guide's coordinates and blocks b: means are exact, the covariance of a block is
// (P_bb)⁻¹, and the divergence is ½(Σ_b log det P_bb − log det P).
func (m GLM) Optimum(guide Guide) Fit {
	j := m.joint(guide != MeanField)
	var chol mat.Cholesky
	if !chol.Factorize(j.precision) {
		panic("testmodel: the joint density is not a proper Gaussian")
	}
	var mean mat.VecDense
	if err := chol.SolveVecTo(&mean, mat.NewVecDense(len(j.linear), j.linear)); err != nil {
		panic("testmodel: " + err.Error())
	}
	var cov mat.SymDense
	if err := chol.InverseTo(&cov); err != nil {
		panic("testmodel: " + err.Error())
	}
	logDet := chol.LogDet()
	f := Fit{LogZ: j.constant + 0.5*mat.Dot(&mean, mat.NewVecDense(len(j.linear), j.linear)) - 0.5*logDet +
		float64(len(j.linear))*halfLog2Pi}
	gap := -logDet
	for _, ids := range j.blocks(m, guide) {
		c, det := inverse(j.precision, ids)
		gap += det
		for k, id := range ids {
			if id < j.params {
				f.Mean = append(f.Mean, mean.AtVec(id))
				f.SD = append(f.SD, math.Sqrt(c.At(k, k)))
				f.Exact = append(f.Exact, math.Sqrt(cov.At(id, id)))
			}
		}
	}
	f.ELBO = f.LogZ - 0.5*gap
	return f
}

// inverse returns the inverse of the principal submatrix of p at ids, and the log determinant of that
// submatrix.
func inverse(p *mat.SymDense, ids []int) (*mat.SymDense, float64) {
	sub := mat.NewSymDense(len(ids), nil)
	for r, i := range ids {
		for c := r; c < len(ids); c++ {
			sub.SetSym(r, c, p.At(i, ids[c]))
		}
	}
	var chol mat.Cholesky
	var inv mat.SymDense
	if !chol.Factorize(sub) || chol.InverseTo(&inv) != nil {
		panic("testmodel: a block of the joint density is not a proper Gaussian")
	}
	return &inv, chol.LogDet()
}

// A joint is log p(x) = −½xᵀPx + hᵀx + c over x = (b, θ_1, θ_2, …, auxiliary variables by client).
type joint struct {
	precision *mat.SymDense
	linear    []float64
	constant  float64
	params    int
	rows      int
}

// joint multiplies the densities of the model, with auxiliary variables e where free, else z.
func (m GLM) joint(free bool) *joint {
	params := 1
	for j := range m.X {
		params += m.columns(j)
	}
	dim := params
	aux := m.Transform.Noise() && (!m.Transform.AtClients() || m.Clients() > 1)
	if aux {
		dim += m.Clients() * len(m.Y)
	}
	t := &joint{precision: mat.NewSymDense(dim, nil), linear: make([]float64, dim), params: params,
		rows: len(m.Y)}
	for k := range params {
		t.multiply(form{k: 1}, 0, 1, 1)
	}
	for i, y := range m.Y {
		if !aux {
			t.multiply(m.predictor(i, t, free, func(int) bool { return true }), y, m.Sigma, 1)
			continue
		}
		for j := range m.X {
			if free {
				t.multiply(form{t.aux(j, i): 1}, 0, 1, 1)
				continue
			}
			d := m.contribution(form{}, i, j, -1)
			d[t.aux(j, i)] += 1
			t.multiply(d, 0, m.Rho, 1)
		}
		if m.Transform == stdlib.Augmented {
			t.multiply(m.predictor(i, t, free, func(int) bool { return false }), y, m.Sigma, 1)
			continue
		}
		for j := range m.X {
			t.multiply(m.predictor(i, t, free, func(k int) bool {
				return k == j
			}), y, m.Sigma, 1/float64(m.Clients()))
		}
	}
	return t
}

// A form is a linear form in x: coefficients by index.
type form map[int]float64

// contribution adds by·g_ij to a form.
func (m GLM) contribution(f form, i, j int, by float64) form {
	at := 1
	for k := range j {
		at += m.columns(k)
	}
	for c := range m.columns(j) {
		f[at+c] += by * m.X[j][c*len(m.Y)+i]
	}
	return f
}

// predictor is b plus, for each client, its contribution where exact is true, else its auxiliary variable.
func (m GLM) predictor(i int, t *joint, free bool, exact func(j int) bool) form {
	f := form{0: 1}
	for j := range m.X {
		switch {
		case exact(j):
			m.contribution(f, i, j, 1)
		case free:
			m.contribution(f, i, j, 1)[t.aux(j, i)] += m.Rho
		default:
			f[t.aux(j, i)] += 1
		}
	}
	return f
}

func (t *joint) aux(j, i int) int { return t.params + j*t.rows + i }

// multiply multiplies the density by N(f·x; target, sd²)^power.
func (t *joint) multiply(f form, target, sd, power float64) {
	w := power / (sd * sd)
	for a, u := range f {
		t.linear[a] += w * u * target
		for b, v := range f {
			if b >= a {
				t.precision.SetSym(a, b, t.precision.At(a, b)+w*u*v)
			}
		}
	}
	t.constant += power * (-0.5*target*target/(sd*sd) - math.Log(sd) - halfLog2Pi)
}

// blocks lists the indices of each factor of a guide, those of (b, θ_1, …) in order.
func (t *joint) blocks(m GLM, guide Guide) [][]int {
	if guide == Independent {
		return singles(0, len(t.linear))
	}
	if m.Transform == stdlib.NoTransform {
		return [][]int{span(0, t.params)}
	}
	out := [][]int{{0}}
	at := 1
	hasAux := len(t.linear) > t.params
	for j := range m.X {
		ids := span(at, m.columns(j))
		at += m.columns(j)
		if hasAux && guide == Structured {
			ids = append(ids, span(t.aux(j, 0), t.rows)...)
		}
		out = append(out, ids)
	}
	if hasAux && guide != Structured {
		out = append(out, singles(t.params, len(t.linear))...)
	}
	return out
}

func singles(from, to int) [][]int {
	out := make([][]int, 0, to-from)
	for k := from; k < to; k++ {
		out = append(out, []int{k})
	}
	return out
}

func span(from, n int) []int {
	ids := make([]int, n)
	for k := range ids {
		ids[k] = from + k
	}
	return ids
}
