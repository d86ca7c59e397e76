package splitmodel_test

import (
	"reflect"
	"testing"

	"github.com/vflc/vflc/stdlib"
	"github.com/vflc/vflc/tests/compiletest"
	"github.com/vflc/vflc/tests/splitmodel"
)

const columnsOfTwo = `server registry
client clinic, lab
data y    : binary[N]          @ shared
data age  : real[N]            @ clinic from zscore(age)
data sex  : level("f", "m")[N] @ clinic
data ward : level(W)[N]        @ clinic
data iron : real[N]            @ lab from zscore(iron)
data site : level(S)[N]        @ shared
`

// byFormula and byHand are one model: the second is what a person would write for the first.
const (
	byFormula = columnsOfTwo + `y ~ glm(bernoulli_logit, age * sex + spline(iron, 3) + (1 + age | ward) + (1 | site))
`
	byHand = columnsOfTwo + `data S1 : real[N, K1] @ clinic from onehot(sex, drop=f)
data A1 : real[N, P1] @ clinic from zscore(age), onehot(sex, drop=f)
data A2 : real[N, P2] @ lab from spline(iron, df=3)
param b ~ normal(0, 2.5)
param b_age_sex : real[K1] ~ normal(0, 2.5) @ clinic
param beta : real[P1] ~ normal(0, 2.5) @ clinic
param beta_spline_iron : real[P2] ~ normal(0, 2.5) @ lab
param sd_ward : real[2] ~ exponential(1) @ clinic
param L_ward : corr_cholesky[2] ~ lkj_corr_cholesky(2) @ clinic
param z_ward : real[W, 2] ~ normal(0, 1) @ clinic
param sd_site ~ exponential(1)
param u_site : real[S] ~ normal(0, sd_site) noncentered
let u = z_ward * (col(sd_ward) .* L_ward)'
y ~ bernoulli_logit(b + age .* (S1 * b_age_sex) + A1 * beta + A2 * beta_spline_iron + u[ward, 1] +
    u[ward, 2] .* age + u_site[site])
`
)

// A model of a formula has, under every transform, the density and the gradient of the one that is written by
// hand, bit for bit, and split between parties those of the pooled model.
func TestFormulas(t *testing.T) {
	tables := map[string]string{
		"registry": "id,y,site\n1,0,s\n2,1,t\n3,1,u\n4,0,s\n5,1,t\n6,0,u\n7,1,s\n",
		"clinic":   "id,age,sex,ward\n7,31,f,a\n6,44,m,b\n5,52,f,a\n4,61,m,c\n3,38,m,b\n2,49,f,c\n1,70,f,a\n",
		"lab":      "id,iron\n1,3.1\n2,0.4\n3,1.7\n4,2.2\n5,0.9\n6,1.1\n7,2.8\n",
	}
	formula := compiletest.Fixture{Text: byFormula, Tables: tables}
	hand := compiletest.Fixture{Text: byHand, Tables: tables}
	pooled, err := splitmodel.Evaluate(formula, stdlib.NoTransform, t.TempDir(), 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range stdlib.Transforms() {
		if kind.Released() {
			continue
		}
		got, err := splitmodel.Evaluate(formula, kind, t.TempDir(), 3)
		if err != nil {
			t.Fatal(kind, err)
		}
		want, err := splitmodel.Evaluate(hand, kind, t.TempDir(), 3)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the formula has %v, by hand it is %v (%v)", kind, got, want, err)
		}
		if d, err := splitmodel.Compare(formula, kind, t.TempDir(), pooled); err != nil || d != "" {
			t.Errorf("%s: %s (%v)", kind, d, err)
		}
	}
}
