package encoder

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/vflc/vflc/stdlib/def"
)

// Spline gives a basis of natural cubic splines, the columns of R's ns(x, df): cubic between knots, linear
// beyond the smallest and the largest fitted value. The df - 1 inner knots are at equally spaced quantiles
// (R's type 7), and there is no column for the intercept.
//
// The cubic B-splines without the first one are multiplied by the part of an orthogonal matrix that is
// orthogonal to the two conditions of a natural spline, second derivatives of 0 at the ends; Householder
// reflections give this matrix, with signs as in LINPACK. The fitted numbers are the smallest value and the
// range; the df + 7 knots, mapped to [0, 1], the ends four times each; and the matrix, df + 2 rows by df
// columns, row by row.
func Spline() def.Encoder {
	const name, df = "spline", "df"
	return def.Encoder{
		Name: name,
		Doc: "A natural cubic spline of a numeric column, as R's ns: df columns, named spline(age, 1) and " +
			"so on. Between its knots the spline is cubic, beyond the smallest and largest value that it " +
			"was fitted to it is linear. " +
			"The df - 1 inner knots are the quantiles that divide the fitted rows equally. The " +
			"coefficients have no meaning one by one; the curve has.",
		Examples: []string{"data X : real[N, P] from spline(age, df=4)"},
		Cases: []def.EncoderCase{
			{ // scipy: BSpline and the QR decomposition, with numpy's quantiles
				In: numbers(1, 2, 4, 7, 11, 16), Options: map[string]string{df: "3"},
				New: numbers(0, 20, 5.5), Within: 1e-14,
				Out: [][]float64{
					{0, -0.08547332746856025, -0.10433951731274355, 0.2763792123349132, 0.45850219872945713,
						-0.15349490691956447},
					{0, 0.2370232744888918, 0.5497936009056585, 0.5127053786718377, 0.3450111320733117,
						0.4070951879171057},
					{0, -0.1476538431242277, -0.3422642909294383, -0.28111010934805886, 0.11067431221782588,
						0.7463997190024586},
				},
				Then: [][]float64{
					{0.09195314988534353, -0.7794169301018615, 0.0587581653864898},
					{-0.24387574534808498, 0.5019318580962415, 0.5822785485377524},
					{0.15192259546274148, 1.2774850720056194, -0.35483256719377965},
				},
			},
			{ // scipy again, for the column of the example in the help page of R's ns
				In:      numbers(58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72),
				Options: map[string]string{df: "5"}, Within: 2e-14, Out: women,
			},
		},
		Columns: one(),
		Options: []def.Option{{Name: df,
			Doc: "the number of columns, one more than there are inner knots; without it 4", Least: 1,
			Most: 50}},
		Fit: func(c []def.Column, f *def.Fitted) *def.Fault {
			n, err := strconv.Atoi(f.Options[df])
			if err != nil {
				n = 4
			}
			return fitSpline(c[0].Numbers, n, f)
		},
		Names: func(columns []string, f *def.Fitted) []string {
			return numbered(name, columns[0], columnsOf(f))
		},
		Apply: applySpline,
	}
}

// women is the basis of fifteen heights from 58 to 72.
var women = [][]float64{
	{0, 0.007592322643343052, 0.060738581146744415, 0.2047497570456754, 0.43343051506316793,
		0.6256681243926138, 0.6477162293488823, 0.479166666666667, 0.24684159378036988, 0.08084305150631713,
		0.013119533527696889, 6.0738581146747e-05, 0, 0, 0},
	{0, 0, 0, 6.073858114674678e-05, 0.013119533527696839, 0.08084305150631682, 0.24684159378036907,
		0.4791666666666662, 0.6477162293488822, 0.6256681243926145, 0.43343051506316876, 0.20474975704567588,
		0.06073858114674454, 0.0075923226433430675, 0},
	{0, -0.08670223130687954, -0.15030440098670414, -0.16778344761784236, -0.13244035332844833,
		-0.0739971974119994, -0.026160070105848712, 0.014063024003184734, 0.09733619159135537,
		0.27076825628210405, 0.48059836179369675, 0.5954159725114537, 0.5009718172983483, 0.2246112730806612,
		-0.14285714285714285},
	{0, 0.2601066939206386, 0.45091320296011245, 0.5033503428535272, 0.39732105998534506, 0.22199159223599824,
		0.079937936265068, 0.020310927990445517, 0.022860229890655896, 0.06324187838400651,
		0.12526030820491443, 0.19899260724698023, 0.2755102040816325, 0.3520408163265305,
		0.42857142857142855},
	{0, -0.17340446261375908, -0.3006088019734083, -0.3355668952356847, -0.26488070665689667,
		-0.1479943948239988, -0.053291957510045326, -0.01354061866029701, -0.015240153260437265,
		-0.04052131056504228, -0.05240871858947672, 0.0007809246147435068, 0.16277939747327458,
		0.41575558794946527, 0.7142857142857142},
}

// cubic is the degree of the pieces.
const cubic = 3

// columnsOf solves 2 + (df + 7) + (df + 2) df for df, the number of columns.
func columnsOf(f *def.Fitted) int {
	df := 1
	for 2+df+7+(df+2)*df < len(f.Numbers) {
		df++
	}
	return df
}

func fitSpline(x []float64, df int, f *def.Fitted) *def.Fault {
	sorted := slices.Sorted(slices.Values(x))
	low, high := sorted[0], sorted[len(sorted)-1]
	few := distinct(x, df+1) <= df
	inner := make([]float64, df+1)
	for k := range inner {
		inner[k] = (quantile(sorted, float64(k)/float64(df)) - low) / (high - low)
	}
	for k := range df {
		if few || !(inner[k] < inner[k+1]) {
			return &def.Fault{Kind: def.NoVariation,
				Text: fmt.Sprintf("has too few different values for spline with df=%d: its columns could "+
					"not be told apart; lower df", df)}
		}
	}
	knots := slices.Concat([]float64{0, 0, 0, 0}, inner[1:df], []float64{1, 1, 1, 1})
	f.Numbers = slices.Concat([]float64{low, high - low}, knots, natural(knots, df))
	return nil
}

// quantile is R's type 7: between the order statistics around (n-1)q.
func quantile(sorted []float64, q float64) float64 {
	at := float64(q * float64(len(sorted)-1))
	k := min(int(at), len(sorted)-2)
	if k < 0 {
		return sorted[0]
	}
	return sorted[k] + float64((at-float64(k))*(sorted[k+1]-sorted[k]))
}

// natural is the orthogonal matrix of the reflections that map the conditions at the two ends to the first
// two coordinates, without its first two columns.
func natural(knots []float64, df int) []float64 {
	n := df + 2
	ends := [2][]float64{make([]float64, n), make([]float64, n)}
	for j := range n {
		unit := make([]float64, n+1)
		unit[j+1] = 1
		ends[0][j], ends[1][j] = curvature(knots, unit, 0), curvature(knots, unit, 1)
	}
	first := reflector(ends[0], 0)
	reflect(first, ends[1])
	second := reflector(ends[1], 1)
	out := make([]float64, n*df)
	for k := range df {
		column := make([]float64, n)
		column[k+2] = 1
		reflect(second, column)
		reflect(first, column)
		for j, v := range column {
			out[j*df+k] = v
		}
	}
	return out
}

// reflector returns the vector w of the reflection I - 2ww' that maps v, from the element l on, to a multiple
// of the unit vector of l.
func reflector(v []float64, l int) []float64 {
	w := make([]float64, len(v))
	copy(w[l:], v[l:])
	w[l] += math.Copysign(norm(w), w[l])
	length := norm(w)
	for i := range w {
		w[i] /= length
	}
	return w
}

// reflect applies the reflection of w to v.
func reflect(w, v []float64) {
	d := 0.0
	for i := range v {
		d += float64(w[i] * v[i])
	}
	for i := range v {
		v[i] -= float64(2 * d * w[i])
	}
}

func norm(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += float64(x * x)
	}
	return math.Sqrt(s)
}

// curvature is the second derivative, at the end 0 or 1, of the cubic spline with the given coefficients.
func curvature(knots, c []float64, end float64) float64 {
	c = slices.Clone(c)
	for p := cubic; p > 1; p-- { // the coefficients of a derivative are differences
		for i := 0; i+1 < len(c); i++ {
			c[i] = float64(p) * (c[i+1] - c[i]) / (knots[i+p+1] - knots[i+1])
		}
		c, knots = c[:len(c)-1], knots[1:len(knots)-1]
	}
	if end == 0 {
		return c[0]
	}
	return c[len(c)-1]
}

func applySpline(c []def.Column, f *def.Fitted, out [][]float64, fault func(int, def.Fault)) {
	df := len(out)
	knots, matrix := f.Numbers[2:df+9], f.Numbers[df+9:]
	for i, x := range c[0].Numbers {
		u := (x - f.Numbers[0]) / f.Numbers[1]
		var b [cubic + 1]float64
		first := bases(knots, u, &b)
		for k := range out {
			s := 0.0
			for j, v := range b {
				if row := first + j - 1; row >= 0 {
					s += float64(v * matrix[row*df+k])
				}
			}
			out[k][i] = s
		}
		tooFar(i, x, out, fault)
	}
}

// bases computes the cubic B-splines that are not 0 at u, and returns the index of the first. Beyond the ends
// they continue as straight lines.
func bases(knots []float64, u float64, b *[cubic + 1]float64) (first int) {
	at := max(0, min(1, u))
	m := cubic // the interval from knot m to knot m+1 holds u
	for m+2 < len(knots)-cubic && at >= knots[m+1] {
		m++
	}
	var slope [cubic + 1]float64
	*b = [cubic + 1]float64{1}
	for p := 1; p <= cubic; p++ { // de Boor, A Practical Guide to Splines, ch. X
		var next [cubic + 1]float64
		for j := range p {
			left, right := knots[m+1+j-p], knots[m+1+j]
			share := b[j] / (right - left)
			next[j] += float64((right - at) * share)
			next[j+1] += float64((at - left) * share)
			if p == cubic {
				slope[j] -= float64(cubic * share)
				slope[j+1] += float64(cubic * share)
			}
		}
		*b = next
	}
	if u != at {
		for j := range b {
			b[j] += float64((u - at) * slope[j])
		}
	}
	return m - cubic
}
