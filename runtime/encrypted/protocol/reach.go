package protocol

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/encrypted"
	"github.com/vflc/vflc/runtime/encrypted/polynomial"
	"github.com/vflc/vflc/stdlib/linear"
)

// Bounds of contributions are numbers of so many binary digits, and at least leastBound: they are coarse, and
// say little. The half widths of the intervals of polynomials that hold their sum have a digit more.
const (
	boundDigits = 4
	reachDigits = 5
	leastBound  = 1.0 / 64
)

// up is the least number of so few digits that is not below v.
func up(v float64, digits int) float64 {
	part, power := math.Frexp(v)
	return math.Ldexp(math.Ceil(math.Ldexp(part, digits)), power-digits)
}

// A RangeError is an evaluation of which the sums cannot be decrypted, or not to what a fit needs. It is a
// density.ErrRange, at every party; nothing was decrypted.
type RangeError struct{ Reason, WayOut string }

// Error is the reason as a sentence.
func (e *RangeError) Error() string { return e.Reason + ": " + e.WayOut }

// Is makes it a density.ErrRange.
func (e *RangeError) Is(err error) bool { return err == density.ErrRange }

// beyond makes a RangeError of a refusal of polynomials or of a sum that is beyond the modulus.
func beyond(err error) error {
	var refusal *polynomial.Refusal
	switch {
	case errors.As(err, &refusal):
		return &RangeError{refusal.Reason, refusal.WayOut}
	case errors.Is(err, encrypted.ErrModulus):
		return &RangeError{strings.TrimPrefix(err.Error(), "encrypted: "),
			"scale the columns and the exposure, narrow the priors, or use another wire"}
	}
	return err
}

// reach is the half width of the narrowest interval that holds contributions within bounds, and the forms of
// quantities there. Noise grows with it. The error is a *RangeError where there are none.
func (e *EncryptedEnv) reach(bounds []float64, of ...polynomial.Approximated) (k float64,
	forms []encrypted.PolynomialForm,
	err error) {
	sum := 0.0
	for _, b := range bounds {
		sum += b
	}
	if !(sum <= math.MaxFloat64) {
		return 0, nil, &RangeError{"contributions are not finite", "scale the columns"}
	}
	k = up(sum, reachDigits)
	for _, q := range of {
		form, err := e.family.on(q, k)
		if err != nil {
			return 0, nil, beyond(err)
		}
		forms = append(forms, form)
	}
	return k, forms, nil
}

// mostNoise is the largest standard deviation of the noise of a decrypted gradient, in posterior standard
// deviations of a coefficient. A fit ends within 2 of these hundredths from the mode and polynomials within
// as much; so the coefficients are within a 20th of a standard deviation but for noise beyond two and a half
// of its own.
const mostNoise = 0.02

// NoiseWayOut is what makes noise less.
const NoiseWayOut = "scale the columns and the exposure, narrow the priors, leave out columns that others " +
	"nearly repeat, or use another wire"

// A NoiseError is the end of a run whose noise is more than that.
type NoiseError struct {
	Noise float64 // in posterior standard deviations
	On    float64 // half width of the interval of predictors
}

func (e *NoiseError) Error() string {
	return fmt.Sprintf("the noise that covers decrypted sums would be %.2g posterior standard deviations "+
		"of a coefficient, with predictors up to %.3g from that of an ordinary row, and it may be %g",
		e.Noise, e.On, mostNoise)
}

// heed states the noise of the sums that slopes are, by all columns, before these are decrypted. The error is
// a *RangeError at every party where it is too much by what all know: the curvature of an ordinary row and
// the squares of each column, which are stated to a power of 2, as if columns were orthogonal. It is a
// *NoiseError at the server where it is too much by the curvature that was decrypted.
func (e *EncryptedEnv) heed(sums []*encrypted.EncryptedSum, on float64) error {
	e.latest = e.latest[:0]
	worst, times := 0.0, e.times()
	for j, x := range e.views[0].all() {
		e.latest = append(e.latest, float64(times*sums[j].Deviation())/e.family.size)
		worst = max(worst, e.latest[j]/math.Sqrt(float64(times*e.family.bend*x.Range().Squares)/2))
	}
	if worst > mostNoise {
		err := &NoiseError{worst, on}
		return &RangeError{err.Error(), NoiseWayOut}
	}
	return e.known(worst, on)
}

// known keeps the noise of the last slopes, where the server knows the curvature by that, and else as given.
func (e *EncryptedEnv) known(noise, on float64) error {
	if p := len(e.latest); e.covariance != nil {
		noise = 0
		for j := range p {
			sum := 0.0
			for i, d := range e.latest {
				sum += float64(e.covariance[j*p+i] * d * e.covariance[j*p+i] * d)
			}
			noise = max(noise, math.Sqrt(sum/e.covariance[j*p+j]))
		}
	}
	if e.noise = max(e.noise, noise); noise > mostNoise {
		return &NoiseError{noise, on}
	}
	return nil
}

// collinear is the part of a column, squared, that others leave of it, below which priors alone determine its
// coefficient, as those of an intercept beside effects of all groups: what is left is noise of decryption,
// and of no covariance.
const collinear = 1e-7

// relate takes the curvature, at the server.
func (e *EncryptedEnv) relate(gram []float64, p int) error {
	factor := make([]float64, p*p)
	determined := linear.Cholesky(factor, gram, p)
	for j := range p {
		determined = determined && factor[j*p+j]*factor[j*p+j] > collinear*gram[j*p+j]
	}
	if e.covariance = nil; determined {
		e.covariance = make([]float64, p*p)
		linear.Inverse(e.covariance, factor, p)
	}
	return e.known(e.noise, e.curvature.Interval)
}
