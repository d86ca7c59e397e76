package posterior

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// A Forecast says what the noise of auxiliary variables does to the fit of one response, compared with one of
// the true model. See package stretch for its definition.
type Forecast struct {
	Response string `json:"response"`
	Noise    Number `json:"noise_sd"`     // on the predictor
	Power    bool   `json:"-"`            // the noise is that of the others at each client
	Slope    Number `json:"coefficients"` // by which coefficients are multiplied
	Shift    Number `json:"intercept"`    // added to the intercept
	// by which posterior standard deviations of coefficients are multiplied
	SD Number `json:"sds"`
	// by which other parameters of the distribution are multiplied
	Scales map[string]Number `json:"scales,omitempty"`
	Reason string            `json:"reason,omitempty"` // why there is no forecast
}

// visible is the shift of the intercept that is mentioned, in standard deviations of the noise.
const visible = 0.02

// String is the forecast as a sentence.
func (f Forecast) String() string {
	noise := "rho√J"
	if f.Power {
		noise = "rho√(J-1)"
	}
	if f.Reason != "" {
		return "no forecast for this likelihood: " + f.Reason
	}
	text := fmt.Sprintf("%s = %.2g on the predictor: expect coefficients about %.2f times "+
		"those of the true model", noise, float64(f.Noise), float64(f.Slope))
	if s := float64(f.Shift); math.Abs(s) > visible*float64(f.Noise) {
		text += fmt.Sprintf(" and %+.2g on the intercept", s)
	}
	text += fmt.Sprintf(", sds %.2f times", float64(f.SD))
	for _, name := range slices.Sorted(maps.Keys(f.Scales)) {
		text += fmt.Sprintf(", %s %.2f times", name, float64(f.Scales[name]))
	}
	return text
}
