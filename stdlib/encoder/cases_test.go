package encoder

import (
	"math"

	"github.com/vflc/vflc/stdlib/def"
)

// A testCase is an encoder fitted to the columns In, which it encodes as the columns Out, and New, where
// there are any, as Then.
type testCase struct {
	Options map[string]string
	In, New []def.Column
	Out     [][]float64
	Then    [][]float64
	Within  float64 // absolute tolerance; 0: 1e-15
}

// cases are by encoder.
func cases() map[string][]testCase {
	return map[string][]testCase{
		"center": {
			{In: numbers(1, 2, 6), Out: [][]float64{{-2, -1, 3}}},
			{In: numbers(1e15, 1e15+1, 1e15+2), Out: [][]float64{{-1, 0, 1}}}, // no cancellation
		},
		"clip": {
			{In: numbers(-1e300, -2, 0.5, 7, 1e300), Options: map[string]string{"lower": "-2", "upper": "6.5"},
				Out: [][]float64{{-2, -2, 0.5, 6.5, 6.5}}},
		},
		"interact": {
			{In: both(numbers(1, -2, 3), numbers(4, 5, 0.5)), Out: [][]float64{{4, -10, 1.5}}},
			{In: both(numbers(7, 8, 9), words("m", "f", "x")),
				Out: [][]float64{{0, 8, 0}, {7, 0, 0}, {0, 0, 9}}},
			{In: both(words("b", "a"), words("t", "s")), Out: [][]float64{{0, 1}, {0, 0}, {0, 0}, {1, 0}}},
		},
		"is": {
			{In: words("Y", "N", "y"), Options: map[string]string{"category": "Y"},
				Out: [][]float64{{1, 0, 0}}},
			{In: numbers(3, 1, 3), Options: map[string]string{"category": "3.0"}, Out: [][]float64{{1, 0, 1}},
				New: words("3.00", "none"), Then: [][]float64{{1, 0}}},
		},
		"log": {
			{In: numbers(1, math.E, 0.5), Out: [][]float64{{0, 1, -math.Ln2}}},
		},
		"onehot": {
			{In: numbers(10, 9, 9), Out: [][]float64{{0, 1, 1}, {1, 0, 0}}}, // by value
			{In: numbers(math.Copysign(0, -1), 0, 1), Out: [][]float64{{1, 1, 0}, {0, 0, 1}}},
			{In: words("10", "9", "x"), Out: [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
			{In: words("b", "a", "B"), Out: [][]float64{{0, 0, 1}, {0, 1, 0}, {1, 0, 0}}}, // by bytes
			{In: words("b", "a", "c"), Options: map[string]string{"drop": "first"},
				Out: [][]float64{{1, 0, 0}, {0, 0, 1}}},
			{In: words("b", "a", "c"), Options: map[string]string{"drop": "b"},
				Out: [][]float64{{0, 1, 0}, {0, 0, 1}}},
			{In: numbers(3, 1, 2), Options: map[string]string{"drop": "3.0"},
				Out: [][]float64{{0, 1, 0}, {0, 0, 1}}, New: numbers(2, 3),
				Then: [][]float64{{0, 0}, {1, 0}}},
		},
		"poly": {
			{ // numpy: the QR decomposition of the Vandermonde matrix, and R's formulas for new rows
				In: numbers(1, 2, 4, 7, 11, 16), Options: map[string]string{"degree": "3"},
				New: numbers(0, 20, 5.5), Within: 1e-14,
				Out: [][]float64{
					{-0.4516223023309455, -0.37420133621706914, -0.2193594039893164, 0.012903494352312722,
						0.32258735880781825, 0.7096921893772},
					{0.44249767886870983, 0.1896418623723042, -0.2054453509033297, -0.5215151215238364,
						-0.42669419033768435, 0.5215151215238365},
					{-0.4222003309207494, 0.08444006618415009, 0.527750413650936, 0.23221018200641183,
						-0.654410512927161, 0.23221018200641194},
				},
				Then: [][]float64{
					{-0.529043268444822, 1.0193760538327055, -0.10322795481850187},
					{0.7322283019375077, 1.9438290893161165, -0.4049643936075243},
					{-1.1601126870744576, 4.952409881700382, 0.4834193789042575},
				},
			},
			{In: numbers(1, 2, 3), Options: map[string]string{"degree": "2"},
				Out: [][]float64{{-1 / math.Sqrt2, 0, 1 / math.Sqrt2},
					{1 / math.Sqrt(6), -2 / math.Sqrt(6), 1 / math.Sqrt(6)}}},
			{In: numbers(-1e100, 0, 1e100), Options: map[string]string{"degree": "1"},
				Out: [][]float64{{-1 / math.Sqrt2, 0, 1 / math.Sqrt2}}},
		},
		"spline": {
			{ // scipy: BSpline and the QR decomposition, with numpy's quantiles
				In: numbers(1, 2, 4, 7, 11, 16), Options: map[string]string{"df": "3"},
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
				Options: map[string]string{"df": "5"}, Within: 2e-14, Out: women,
			},
		},
		"zscore": {
			{In: numbers(1, 2, 3), Out: [][]float64{{-1, 0, 1}}},
			{In: numbers(0, 2), Out: [][]float64{{-1 / math.Sqrt2, 1 / math.Sqrt2}}},
		},
	}
}

// both puts two columns for test vectors beside each other, named x and z.
func both(a, b []def.Column) []def.Column {
	b[0].Name = "z"
	return []def.Column{a[0], b[0]}
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

// numbers and words are columns named x for test vectors. The words are distinct.
func numbers(v ...float64) []def.Column { return []def.Column{{Name: "x", Numbers: v}} }

func words(w ...string) []def.Column {
	c := def.Column{Name: "x", Words: w}
	for k := range w {
		c.Codes = append(c.Codes, int32(k))
	}
	return []def.Column{c}
}
