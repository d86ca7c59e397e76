package posterior

import (
	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"

	"github.com/vflc/vflc/portable"
)

// directLags is the largest number of lags for which sums of products cost less than a Fourier transform,
// which computes all lags at once. Most chains need a few.
const directLags = 128

// An autocovariance computes, per lag, the autocovariance with divisor n, averaged over chains of n draws.
type autocovariance struct {
	centred [][]float64
	all     []float64 // by lag, computed with the first lag beyond directLags
}

func newAutocovariance(chains [][]float64) *autocovariance { return centredIn(nil, chains) }

// centredIn is newAutocovariance with memory for all draws, nil for new memory.
func centredIn(flat []float64, chains [][]float64) *autocovariance {
	n := len(chains[0])
	a := &autocovariance{centred: make([][]float64, len(chains))}
	flat = room(flat, len(chains)*n)
	for k, chain := range chains {
		centred, centre := flat[k*n:][:n], mean(chain)
		for i, v := range chain {
			centred[i] = v - centre
		}
		a.centred[k] = centred
	}
	return a
}

// draws returns the number of draws of all chains together.
func (a *autocovariance) draws() float64 { return float64(len(a.centred[0]) * len(a.centred)) }

func (a *autocovariance) at(lag int) float64 {
	if a.all == nil && lag > directLags {
		a.transform()
	}
	if a.all != nil {
		return a.all[lag]
	}
	s := 0.0
	for _, c := range a.centred {
		s += portable.Dot(c[lag:], c[:len(c)-lag])
	}
	return s / a.draws()
}

// transform sets all from the mean of the chains' power spectra.
func (a *autocovariance) transform() {
	n := len(a.centred[0])
	size := 1
	for size < 2*n { // zeros enough that the circular convolution does not wrap
		size *= 2
	}
	fft := fourier.NewFFT(size)
	padded, spectrum, power := make([]float64, size), make([]complex128, size/2+1),
		make([]complex128, size/2+1)
	for _, c := range a.centred {
		copy(padded, c)
		fft.Coefficients(spectrum, padded)
		for i, z := range spectrum {
			power[i] += complex(float64(real(z)*real(z))+float64(imag(z)*imag(z)), 0)
		}
	}
	fft.Sequence(padded, power)
	a.all = padded[:n]
	floats.Scale(1/(float64(size)*a.draws()), a.all)
}
