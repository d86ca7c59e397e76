package plot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vflc/vflc/posterior"
)

// example is a run of some parameters named by stems with 1, 2, …, with divergent transitions.
func example(name, stem string, parameters, chains, draws int) RunView {
	r := rand.New(rand.NewPCG(uint64(parameters), 7))
	d := posterior.NewDraws([]posterior.Variable{{Name: "mu"}, {Name: stem, Dims: []int{parameters - 1}}},
		chains, draws)
	for c := range chains {
		for i := range draws {
			x := make([]float64, parameters)
			for k := range x {
				x[k] = r.NormFloat64() * float64(k+1)
			}
			d.Append(c, x)
			d.AppendTransition(c, posterior.Transition{Energy: r.NormFloat64(), Leapfrogs: 3,
				Divergent: i%50 == 7})
		}
	}
	run := RunView{Name: name, Draws: d}
	for _, kind := range []struct {
		name string
		of   func() float64
	}{{"y", r.NormFloat64}, {"cases", func() float64 {
		return math.Floor(4 * r.Float64())
	}}, {"ill", func() float64 { return math.Floor(2 * r.Float64()) }}} {
		one := Replicated{Name: kind.name}
		for i := range 8 {
			y := make([]float64, 30)
			for e := range y {
				y[e] = kind.of()
			}
			if i == 0 {
				one.Observed = y
				continue
			}
			one.Replicates = append(one.Replicates, y)
		}
		run.Responses = append(run.Responses, one)
	}
	line := func(name string, ys ...float64) BandLine {
		b := BandLine{Name: name, Middle: ys}
		for i, y := range ys {
			b.X, b.Lower, b.Upper = append(b.X, float64(i)), append(b.Lower, y-1), append(b.Upper, y+2)
		}
		return b
	}
	run.Effects = []EffectPanel{{Title: "age:sex", X: "age", Y: "expectation of y", Band: "95 %",
		Lines: []BandLine{line("sex = <f>", 1, 2, 5, 3), line("sex = m", 0, 2, 4, 9)}},
		{Title: "ward", X: "ward", Y: "expectation of y", Names: []string{"north", "south & west"},
			Lines: []BandLine{line("", 3, 4)}}}
	for i := range 40 {
		run.ELBO = append(run.ELBO, posterior.ELBOPoint{Iteration: 500 * (i + 1),
			Value: -200 - 1e4/float64(i+1), SE: 0.3})
	}
	return run
}

// A recorder is a canvas that keeps the boxes of texts and checks that everything is a number.
type recorder struct {
	*typeface
	t             *testing.T
	width, height float64
	texts         []lettered
	lines         int
}

type lettered struct {
	text                     string
	left, top, right, bottom float64
}

func (r *recorder) size() (width, height float64) { return r.width, r.height }
func (r *recorder) check(points ...point) {
	for _, p := range points {
		if !finite(p.x) || !finite(p.y) {
			r.t.Fatalf("a point at %v", p)
		}
	}
}
func (r *recorder) line(points []point, _ pen)                     { r.check(points...); r.lines++ }
func (r *recorder) fill(points []point, _ color, _ float64)        { r.check(points...) }
func (r *recorder) dots(at []point, _ float64, _ color, _ float64) { r.check(at...) }
func (r *recorder) cross(at point, _ float64, _ color, _ float64)  { r.check(at) }
func (r *recorder) text(at point, s string, l lettering) {
	if s == "" {
		return
	}
	wide := r.measure(s, l)
	back := wide * []float64{0, 0.5, 1}[l.anchor]
	b := lettered{s, at.x - back, at.y - l.size/2, at.x - back + wide, at.y + l.size/2}
	if l.up {
		b = lettered{s, at.x - l.size/2, at.y + back - wide, at.x + l.size/2, at.y + back}
	}
	r.texts = append(r.texts, b)
}

// Texts of every kind of plot lie inside the picture and do not touch: with one run and several, few
// parameters and many, short names and long.
func TestTextsAreLegible(t *testing.T) {
	long := "an_effect_of_the_hospital_with_a_name_that_no_axis_has_room_for"
	for _, parameters := range []int{5, 60} {
		for _, stem := range []string{"b", long} {
			for _, several := range []int{1, 3} {
				var runs []RunView
				for k := range several {
					runs = append(runs, example(fmt.Sprintf("run_%d", k), stem, parameters, 4, 200))
				}
				for _, k := range Kinds() {
					if k.one && several > 1 {
						continue
					}
					legible(t, fmt.Sprintf("%s of %d runs with %d of %.5s", k.Name, several, parameters,
						stem), k, runs)
				}
			}
		}
	}
}

func legible(t *testing.T, what string, k Kind, runs []RunView) {
	t.Helper()
	f, err := Make(k.Name, runs, nil)
	if err != nil {
		t.Fatal(err)
	}
	readable(t, what, f)
}

func readable(t *testing.T, what string, f *Figure) {
	t.Helper()
	width, height := f.natural()
	r := &recorder{typeface: newTypeface(), t: t, width: width, height: height}
	if err := f.draw(r, 0, 0); err != nil {
		t.Fatal(err)
	}
	if len(r.texts) < 3 || r.lines == 0 {
		t.Errorf("%s: %d texts and %d lines", what, len(r.texts), r.lines)
	}
	for i, a := range r.texts {
		if a.left < 0 || a.top < 0 || a.right > width || a.bottom > height {
			t.Errorf("%s: %q is cut off", what, a.text)
		}
		for _, b := range r.texts[:i] {
			if a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom {
				t.Errorf("%s: %q and %q overlap", what, a.text, b.text)
			}
		}
	}
}

// An SVG document is well formed, has no part that a page could forbid or that another document of the page
// could have too, and the same input makes the same bytes.
func TestFilesAreSoundAndRepeatable(t *testing.T) {
	run := example("a & <b>", "x", 4, 2, 60)
	for _, k := range Kinds() {
		var first bytes.Buffer
		for i := range 2 {
			f, err := Make(k.Name, []RunView{run}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := f.SVG(&out, 0, 0); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = out
			} else if !bytes.Equal(out.Bytes(), first.Bytes()) {
				t.Errorf("%s differs from itself", k.Name)
			}
		}
		sound(t, k.Name, first.Bytes())
	}
}

func sound(t *testing.T, name string, svg []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if slices.Contains([]string{"script", "style", "image", "use"}, start.Name.Local) {
			t.Errorf("%s has a %s", name, start.Name.Local)
		}
		for _, a := range start.Attr {
			if slices.Contains([]string{"id", "class", "style", "href"}, a.Name.Local) ||
				strings.Contains(a.Value, "NaN") {
				t.Errorf("%s: %s=%q", name, a.Name.Local, a.Value)
			}
		}
	}
}

// Draws that are not finite, constant, or only one make a picture that tells so, or an error, and never a
// panic.
func TestOddDrawsOfFigures(t *testing.T) {
	for name, values := range map[string][]float64{"NaN": {math.NaN(), 1, 2, math.NaN(), 3, 4},
		"infinite": {math.Inf(1), math.Inf(-1)}, "all NaN": {math.NaN(), math.NaN()},
		"constant": {2, 2, 2, 2, 2, 2, 2}, "one": {1}, "huge": {-1e308, 1e308, 0, 1e308},
		"tiny": {1e-310, 2e-310, 3e-310}, "none": nil, "steady": {1e15, 1e15 + 1, 1e15 + 2}} {
		d := posterior.NewDraws([]posterior.Variable{{Name: "x"}, {Name: "y"}}, 2, 8)
		for c := range 2 {
			for _, v := range values {
				d.Append(c, []float64{v, v})
				d.AppendTransition(c, posterior.Transition{Energy: v, Leapfrogs: 1})
			}
		}
		run := RunView{Name: "r", Draws: d,
			ELBO: []posterior.ELBOPoint{{Iteration: 1, Value: math.Inf(-1), SE: math.NaN()}}}
		for _, k := range Kinds() {
			f, err := Make(k.Name, []RunView{run}, nil)
			if err != nil {
				continue
			}
			var b bytes.Buffer
			if err := f.SVG(&b, 0, 0); err != nil {
				t.Errorf("%s of %s: %v", k.Name, name, err)
			}
			sound(t, k.Name+" of "+name, b.Bytes())
			if text := f.Text(Canvas{Width: 60}); text == "" || strings.Contains(text, "NaN") {
				t.Errorf("%s of %s: %q", k.Name, name, text)
			}
		}
	}
}

// What is not there is named, with what there is.
func TestChoices(t *testing.T) {
	a, b := example("a", "beta", 4, 2, 20), example("b", "gamma", 4, 1, 20)
	b.ELBO = nil
	b.Draws.Transitions = nil
	for _, c := range []struct {
		kind   string
		runs   []RunView
		names  []string
		want   string
		choice bool
	}{
		{"tracee", []RunView{a}, nil, "there is no plot tracee; did you mean trace?; choose forest, trace,",
			true},
		{"trace", []RunView{a}, []string{"bta"}, "no parameter bta in these draws (mu, beta); did you mean beta?",
			true},
		{"pairs", []RunView{a}, []string{"mu"}, "at least 2 parameters, not 1", true},
		{"pairs", []RunView{a, b}, nil, "pairs shows one run, not 2", true},
		{"pairs", []RunView{example("c", "x", 12, 2, 20)}, []string{"x"}, "at most 8 parameters, not 11", true},
		{"energy", []RunView{a}, []string{"mu"}, "name no parameters", true},
		{"elbo", []RunView{a, b}, nil, "b has no ELBO: it is that of a variational fit", false},
		{"energy", []RunView{b}, nil, "b has no energies", false},
		{"rank", []RunView{b}, nil, "compares chains, and b has one", false},
	} {
		_, err := Make(c.kind, c.runs, c.names)
		_, choice := err.(*ChoiceError)
		if err == nil || !strings.Contains(err.Error(), c.want) || choice != c.choice {
			t.Errorf("%s %v: %v, want …%s…", c.kind, c.names, err, c.want)
		}
	}
	f, err := Make("trace", []RunView{a, b}, []string{"beta[2]", "gamma[1]"})
	if err != nil || len(f.panels) != 4 || f.panels[1].marks[0] != (mark)(remark{"not in this run"}) {
		t.Errorf("parameters of either run: %v", err)
	}
}

// A picture of the first parameters names how many there are, also in characters; one of all of them does
// not.
func TestPicturesOfSomeParametersSaySo(t *testing.T) {
	many := example("a", "beta", 70, 2, 40)
	for _, k := range Kinds() {
		if k.first == 0 || k.Responses {
			continue
		}
		f, err := Make(k.Name, []RunView{many}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("The first %d of 70 parameters.", k.first)
		for medium, text := range map[string]string{"characters": f.Text(Canvas{Width: 200}),
			"characters with colours": f.Text(Canvas{Width: 200, Color: true}), "the note of a file": f.note} {
			if strings.Contains(text, want) != (k.first < 70) {
				t.Errorf("%s in %s: %q is there: %v", k.Name, medium, want, k.first >= 70)
			}
		}
		few, err := Make(k.Name, []RunView{many}, []string{"mu", "beta[1]"})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(few.Text(Canvas{Width: 200}), "The first") {
			t.Errorf("%s of named parameters has a note on the rest", k.Name)
		}
	}
}

// A picture that is too small for its panels is refused, in either direction.
func TestTooSmall(t *testing.T) {
	f, err := Make("trace", []RunView{example("a", "x", 12, 2, 20)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range [][2]int{{100, 0}, {0, 100}} {
		if err := f.SVG(io.Discard, s[0], s[1]); err == nil ||
			!strings.Contains(err.Error(), "too small for 2 by 6 panels") {
			t.Error(err)
		}
	}
}

// Labels may have any characters: those that no document may have are replaced.
func TestLabelsAreEscaped(t *testing.T) {
	run := RunView{Name: "r", Draws: posterior.NewDraws([]posterior.Variable{{Name: "u<&\"'\x01\xff>"}}, 1, 2)}
	run.Draws.Append(0, []float64{1})
	run.Draws.Append(0, []float64{2})
	f, err := Make("forest", []RunView{run}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.SVG(&b, 0, 0); err != nil {
		t.Fatal(err)
	}
	sound(t, "forest", b.Bytes())
	if !strings.Contains(b.String(), "u&lt;&amp;&#34;&#39;\uFFFD\uFFFD&gt;") {
		t.Error(b.String())
	}
}

// Text fits its width, and has colours only if they are asked for.
func TestTextFits(t *testing.T) {
	run := example("a", "b", 5, 3, 100)
	for _, k := range Kinds() {
		f, err := Make(k.Name, []RunView{run}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, width := range []int{60, 80, 140} {
			text := f.Text(Canvas{Width: width, Height: 6})
			for line := range strings.Lines(text) {
				if posterior.Width(strings.TrimSuffix(line, "\n")) > width {
					t.Errorf("%s is wider than %d: %q", k.Name, width, line)
				}
			}
			if strings.Contains(text, "\x1b") {
				t.Errorf("%s has colours", k.Name)
			}
		}
	}
}

// In characters too, no number of an axis touches the axis or another number, whatever the width.
func TestNumbersOfAxesStayWhole(t *testing.T) {
	for _, kind := range []string{"trace", "density", "pairs"} {
		f, err := Make(kind, []RunView{example("one", "w", 5, 2, 60)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for width := 30; width < 130; width++ {
			for line := range strings.Lines(f.Text(Canvas{Width: width, Height: 10})) {
				head, _, axis := strings.Cut(line, "│")
				if number := strings.TrimSpace(head); axis && number != "" {
					if _, err := strconv.ParseFloat(strings.Replace(number, "−", "-", 1), 64); err != nil ||
						strings.HasSuffix(number, ".") {
						t.Errorf("%s, %d columns: %q", kind, width, line)
					}
				}
				for _, word := range strings.Fields(line) {
					if strings.Count(word, "−") > 1 || strings.Count(word, ".") > 1 &&
						strings.Trim(word, "−.0123456789") == "" {
						t.Errorf("%s, %d columns: %q", kind, width, line)
					}
				}
			}
		}
	}
}

// A kind is one file of its name, and documented.
func TestAKindIsAFile(t *testing.T) {
	for _, k := range Kinds() {
		text, err := os.ReadFile(k.Name + ".go")
		if err != nil || !strings.Contains(string(text), `Kind{Name: "`+k.Name+`"`) || k.Doc == "" {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
}

// A picture that cannot be written leaves the file as it was, and no other file.
func TestSaveIsAtomic(t *testing.T) {
	f, err := Make("trace", []RunView{example("a", "x", 3, 2, 20)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.SVG")
	if err := f.Save(path, 0, 0); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	if err := f.Save(path, 0, 20); err == nil || len(before) == 0 {
		t.Errorf("%v, %d bytes", err, len(before))
	}
	after, _ := os.ReadFile(path)
	files, _ := os.ReadDir(filepath.Dir(path))
	if !bytes.Equal(before, after) || len(files) != 1 {
		t.Errorf("%d files", len(files))
	}
	if err := f.Save(filepath.Join(t.TempDir(), "a.gif"), 0, 0); err == nil ||
		!strings.Contains(err.Error(), "ends in .svg") {
		t.Error(err)
	}
}
