package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Texts have a contrast of 4.5 or more to their background, as WCAG 2.2 asks (success criterion 1.4.3), in
// light, in the dark and on paper.
func TestContrast(t *testing.T) {
	style, err := pages.ReadFile("page/style.css")
	good(t, nil, err)
	schemes := strings.Split(string(style), ":root {")[1:]
	if len(schemes) != 3 {
		t.Fatalf("%d schemes of colours", len(schemes))
	}
	for k, scheme := range schemes {
		scheme, _, _ = strings.Cut(scheme, "}")
		colour := map[string]float64{}
		for _, m := range regexp.MustCompile(`--([a-z0-9]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(scheme,
			-1) {
			colour[m[1]] = luminance(t, m[2])
		}
		for _, name := range []string{"ink", "quiet", "link", "good", "shared", "p0", "p1", "p2", "p3", "p4",
			"p5", "p6", "p7"} {
			for _, ground := range []string{"paper", "panel"} {
				a, b := colour[name], colour[ground]
				if contrast := (max(a, b) + 0.05) / (min(a, b) + 0.05); contrast < 4.5 {
					t.Errorf("scheme %d: %s on %s has a contrast of %.1f", k+1, name, ground, contrast)
				}
			}
		}
	}
}

// luminance is the relative luminance of a colour in sRGB, as WCAG 2.2 defines it.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		good(t, nil, err)
		v := float64(n) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}
