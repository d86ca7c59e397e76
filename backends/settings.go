package backends

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/stdlib/def"
)

// A Setting is one thing that a user may choose, as a flag or in vfl.toml.
type Setting struct {
	Name    string   // of the flag, without dashes
	Doc     string   // one phrase, with the unit
	Default any      // an int, a float64, a string or a bool; it is also the type of the setting
	Choices []string // of a string: what it may be; nil: any
	Min     float64  // of a number: the least value allowed
	Max     float64  // of a number: the greatest; 0: no limit
	// Near is the default, of a setting that has another one there, of chains that begin near an
	// approximation, and of the fit of that.
	Near any
	Role SettingRole // what it means to whoever runs the algorithm
	// Auxiliary: it concerns auxiliary variables, so that setting it is an error under a transform by which
	// the cuts themselves cross.
	Auxiliary bool
}

// Usage says what the setting does, what it may be, and its default.
func (d Setting) Usage() string {
	doc := d.Doc
	if d.Choices != nil {
		doc += " (" + strings.Join(strings.Fields(strings.Join(d.Choices, " ")), ", ") + ")"
	}
	if d.Default == "" || d.Default == false {
		return doc
	}
	return fmt.Sprintf("%s (default %v)", doc, d.Default)
}

// Switch reports whether the setting is true or false, or also left to the algorithm: then its name alone
// says true.
func (d Setting) Switch() bool {
	_, ok := d.Default.(bool)
	return ok || slices.Contains(d.Choices, "true")
}

// A SettingRole is what a setting means to whoever runs the algorithm, whatever the setting is called. At
// most one setting has each. Those of a Plan are ints, and Fits knows the types of all.
type SettingRole int

// The roles.
const (
	Own        SettingRole = iota // the setting concerns the algorithm alone
	Chains                        // how many chains there are
	Warmup                        // how many transitions a chain makes before its first draw
	Draws                         // how many draws a chain gives, or are taken from the approximation
	MaxDepth                      // how many doublings a trajectory has at most
	Minibatch                     // how many rows an evaluation has, 0 for all: New then takes a Windowed Env
	Iterations                    // how many iterations a fit has at most
	// the acceptance statistic that the step size is adapted to: smaller steps for a larger one
	TargetAccept
	Rate // the step size of a stochastic optimiser
	// the approximation near which chains begin and warm up together: an algorithm or the folder of a run;
	// "": none
	Initial
	Superchains // how many starting points chains share that begin near an approximation
	Wire        // how clients write what is added up; one choice is "fixed"
	SecureSum   // whether that is masked; one choice is "on"
	// the share of the rows of a model with weights that a fit is stopped by: New then takes an Env with two
	// windows, the first to fit
	HeldOut
)

// roles holds, by Role, its name in the record of a run and a value of the type that its setting has.
var roles = [...]struct {
	name  string
	value any
}{
	{"own", nil}, {"chains", 0}, {"warmup", 0}, {"draws", 0}, {"max-depth", 0}, {"minibatch", 0},
	{"iterations", 0}, {"target-accept", 0.0}, {"rate", 0.0}, {"initial", ""},
	{"superchains", 0}, {"wire", ""}, {"secure-sum", ""}, {"held-out", 0.0},
}

// String is the role's name in the record of a run.
func (r SettingRole) String() string { return roles[r].name }

// Fits reports whether a default is of the type that a setting with this role has.
func (r SettingRole) Fits(value any) bool {
	return reflect.TypeOf(value) == reflect.TypeOf(roles[r].value)
}

// Roles returns the names of the settings that have a role, by the names of the roles.
func (a Algorithm) Roles() map[string]string {
	out := map[string]string{}
	for _, d := range a.Settings {
		if d.Role != Own {
			out[d.Role.String()] = d.Name
		}
	}
	return out
}

// A Workload is what the settings of a run ask for, by their roles. A number is 0 where no setting has the
// role.
type Workload struct {
	Chains    int // 1 where no setting has the role
	Warmup    int // transitions of a chain
	Draws     int // of a chain, or from the approximation
	MaxDepth  int // most doublings of a trajectory; 0: there are no trees
	Minibatch int // rows of an evaluation; 0: all
	// Initial is the approximation near which chains begin, and Superchains the number of their starting
	// points: "" and 0 where each chain has one of its own.
	Initial     string
	Superchains int
	HeldOut     float64 // share of the rows of a model with weights; 0: none
	// Fixed: what is added up over clients is written as integers. Masked: and hidden by masks; Fixed then
	// holds too.
	Fixed, Masked bool
	// Short: and what evaluations exchange is rounded to fewer bytes.
	Short bool
	// Encrypted: rows are encrypted, and sums over them alone are decrypted.
	Encrypted bool
}

// Settings is what a run uses: every setting of its algorithm has a value, given or default.
type Settings struct {
	Transform def.Transform
	Plan      Workload
	// UnlikeNoise: how many clients have auxiliary variables, a family as three, where two have different
	// rho; else 0.
	UnlikeNoise int
	// Auxiliary: draws of auxiliary variables are wanted.
	Auxiliary bool
	// Hyper: priors may depend on parameters, as far as programs tell; what data tell, settings that were
	// chosen by these say.
	Hyper    bool
	values   map[string]any
	defaults map[string]any
}

// Choices of the settings that OnTheWire returns.
const (
	plainWire, fixedWire, shortWire, encryptedWire = "plain", "fixed", "short", "encrypted"
	sumsOff, sumsOn                                = "off", "on"
)

// OnTheWire are the settings of every algorithm about how messages are written.
func OnTheWire() []Setting {
	return []Setting{
		{Name: "wire",
			Doc: "how clients write what is added up over two or more of them: plain sends the numbers; " +
				"fixed integers on a grid, whose sum is exact whatever the order, so that masks change no " +
				"bit; encrypted (sfvi or nuts, transform exact): ciphertexts, of which sums over " +
				"rows alone are decrypted", Default: plainWire,
			Choices: []string{plainWire, fixedWire, encryptedWire}, Role: Wire},
		{Name: "secure-sum",
			Doc: "on: what clients add up is masked, so that the server receives sums; that protects no " +
				"rows (vflc audit); with --wire fixed, whose results it has", Default: sumsOff,
			Choices: []string{sumsOff, sumsOn}, Role: SecureSum},
	}
}

// OnShortWire is OnTheWire for an algorithm whose results stay within their Monte Carlo error where a log
// density is off by 0.01, at random.
func OnShortWire() []Setting {
	all := OnTheWire()
	wire := &all[0]
	wire.Doc += "; short as fixed, and evaluations in words of three bytes, whose rounding moves a log " +
		"density by 0.01 as a standard deviation: a third of the bytes, and the choice with --secure-sum"
	wire.Choices = append(wire.Choices, shortWire)
	return all
}

// Encrypted reports whether settings, given by name, ask for rows that stay encrypted.
func Encrypted(given map[string]string) bool {
	return given[roles[Wire].name] == encryptedWire
}

// EncryptedRows are the settings that ask for such a run.
func EncryptedRows() map[string]string { return map[string]string{roles[Wire].name: encryptedWire} }

// In returns the setting that has a role, and whether there is one.
func (a Algorithm) In(role SettingRole) (Setting, bool) {
	at := slices.IndexFunc(a.Settings, func(d Setting) bool { return d.Role == role })
	if at < 0 {
		return Setting{}, false
	}
	return a.Settings[at], true
}

// plan reads the settings by their roles.
func (a Algorithm) plan(s Settings) Workload {
	value := func(role SettingRole, absent int) int {
		if d, ok := a.In(role); ok {
			return s.Int(d.Name)
		}
		return absent
	}
	p := Workload{Chains: value(Chains, 1), Warmup: value(Warmup, 0), Draws: value(Draws, 0),
		MaxDepth: value(MaxDepth, 0), Minibatch: value(Minibatch, 0)}
	if d, ok := a.In(HeldOut); ok {
		p.HeldOut = s.Float(d.Name)
	}
	if d, ok := a.In(Initial); ok && s.Text(d.Name) != "" {
		p.Initial, p.Superchains = s.Text(d.Name), value(Superchains, 0)
	}
	is := func(role SettingRole, choice string) bool {
		d, ok := a.In(role)
		return ok && s.Text(d.Name) == choice
	}
	p.Short = is(Wire, shortWire)
	p.Fixed, p.Masked, p.Encrypted = p.Short || is(Wire, fixedWire), is(SecureSum, sumsOn),
		is(Wire, encryptedWire)
	return p
}

// mask makes the wire fixed or, where there is that choice, short where sums are masked. The error is where
// another was asked for.
func (s *Settings) mask(a Algorithm, given map[string]string) error {
	secure, ok := a.In(SecureSum)
	wire, both := a.In(Wire)
	if !ok || !both || s.Text(secure.Name) != sumsOn {
		return nil
	}
	if asked := given[wire.Name]; asked == fixedWire || asked == shortWire {
		return nil
	} else if asked != "" {
		return fmt.Errorf("--%s %s hides integers, so it needs --%s %s: leave --%s out", secure.Name, sumsOn,
			wire.Name, fixedWire, wire.Name)
	}
	s.values[wire.Name] = fixedWire
	if slices.Contains(wire.Choices, shortWire) {
		s.values[wire.Name] = shortWire
	}
	return nil
}

// Resolve checks what a user gave against the settings of the algorithm and fills in the defaults. The error
// names every mistake.
func (a Algorithm) Resolve(transform def.Transform, given map[string]string) (Settings, error) {
	var wrong []error
	if !slices.ContainsFunc(a.Transforms, func(t def.Transform) bool { return t.Name == transform.Name }) {
		wrong = append(wrong, fmt.Errorf("%s does not run on transform %q; it runs on %s", a.Name, transform,
			transformNames(a.Transforms)))
	}
	s := Settings{Transform: transform, values: map[string]any{}, defaults: map[string]any{}}
	for _, d := range a.Settings {
		s.values[d.Name], s.defaults[d.Name] = d.Default, d.Default
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		at := slices.IndexFunc(a.Settings, func(d Setting) bool { return d.Name == name })
		if at < 0 {
			wrong = append(wrong, fmt.Errorf("%s has no setting %q", a.Name, name))
			continue
		}
		if a.Settings[at].Auxiliary && transform.CutsCross() {
			wrong = append(wrong, fmt.Errorf("--%s concerns auxiliary variables, and transform %s has none",
				name, transform))
			continue
		}
		v, err := a.Settings[at].Parse(given[name])
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--%s: %w", name, err))
		}
		s.values[name] = v
	}
	if d, ok := a.In(Initial); ok && s.Text(d.Name) != "" {
		s.near(a, given)
	}
	if err := s.mask(a, given); err != nil {
		wrong = append(wrong, err)
	}
	s.Plan = a.plan(s)
	if err := a.encryptable(s); err != nil {
		wrong = append(wrong, err)
	}
	return s, errors.Join(wrong...)
}

// encryptable is the reason why rows cannot be encrypted, where the settings ask for that.
func (a Algorithm) encryptable(s Settings) error {
	wire, _ := a.In(Wire)
	switch {
	case !s.Plan.Encrypted:
		return nil
	case !a.Encrypts:
		return fmt.Errorf("--%s %s: %s moves auxiliary variables by a derivative for each row, which "+
			"nobody can decrypt, however many rows there are; use --backend sfvi, or nuts "+
			"where enough rows allow it", wire.Name, encryptedWire, a.Name)
	case s.Plan.Initial != "":
		start, _ := a.In(Initial)
		return fmt.Errorf("--%s %s: chains begin by themselves, without an approximation; leave --%s out",
			wire.Name, encryptedWire, start.Name)
	case !s.Transform.CutsCross():
		return fmt.Errorf("--%s %s: contributions are encrypted without noise; use --transform exact",
			wire.Name, encryptedWire)
	}
	return nil
}

// ResolveStart is Resolve with nothing given, for a fit near which chains begin.
func (a Algorithm) ResolveStart(transform def.Transform) (Settings, error) {
	s, err := a.Resolve(transform, nil)
	s.near(a, nil)
	s.Plan = a.plan(s)
	return s, err
}

// near fills in the other defaults of settings that have some.
func (s *Settings) near(a Algorithm, given map[string]string) {
	for _, d := range a.Settings {
		if _, set := given[d.Name]; !set && d.Near != nil {
			s.values[d.Name], s.defaults[d.Name] = d.Near, d.Near
		}
	}
}

// Recorded returns what the record of a run sets otherwise than by default, as on the command line.
func (a Algorithm) Recorded(values map[string]any) map[string]string {
	given := map[string]string{}
	for _, d := range a.Settings {
		text := fmt.Sprint(values[d.Name])
		if x, ok := values[d.Name].(float64); ok {
			text = strconv.FormatFloat(x, 'f', -1, 64)
		}
		if values[d.Name] != nil && text != fmt.Sprint(d.Default) {
			given[d.Name] = text
		}
	}
	return given
}

func transformNames(list []def.Transform) string {
	var names []string
	for _, t := range list {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}

// Parse reads a value of the setting. The error does not name the setting: it is --NAME on a command line,
// and NAME in a file.
func (d Setting) Parse(text string) (any, error) {
	switch d.Default.(type) {
	case int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return n, fmt.Errorf("%q is not a whole number", text)
		}
		return n, d.within(float64(n), text)
	case float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return x, fmt.Errorf("%q is not a number", text)
		}
		return x, d.within(x, text)
	case bool:
		v, err := strconv.ParseBool(text)
		if err != nil {
			return v, fmt.Errorf("%q is neither true nor false", text)
		}
		return v, nil
	default:
		if d.Choices != nil && !slices.Contains(d.Choices, text) {
			return text, fmt.Errorf("%q is not one of %s", text, d.choices())
		}
		return text, nil
	}
}

func (d Setting) within(x float64, text string) error {
	if !(x >= d.Min) {
		return fmt.Errorf("%s is less than %g", text, d.Min)
	}
	if d.Max != 0 && x > d.Max {
		return fmt.Errorf("%s is more than %g", text, d.Max)
	}
	return nil
}

func (d Setting) choices() string {
	shown := make([]string, len(d.Choices))
	for i, c := range d.Choices {
		shown[i] = c
		if c == "" {
			shown[i] = `""`
		}
	}
	return strings.Join(shown, ", ")
}

// Int returns the whole number set under name. It panics where the algorithm declares no such setting of this
// type, as do Float, Text and Bool.
func (s Settings) Int(name string) int { return setting[int](s, name) }

// Float returns the number set under name.
func (s Settings) Float(name string) float64 { return setting[float64](s, name) }

// Text returns the string set under name.
func (s Settings) Text(name string) string { return setting[string](s, name) }

// Bool returns the truth value set under name.
func (s Settings) Bool(name string) bool { return setting[bool](s, name) }

func setting[T any](s Settings, name string) T {
	v, ok := s.values[name].(T)
	if !ok {
		panic(fmt.Sprintf("backends: setting %q is not a declared %T", name, v))
	}
	return v
}

// With returns the settings with another value of one.
func (s Settings) With(name string, value any) Settings {
	s.values = maps.Clone(s.values)
	s.values[name] = value
	return s
}

// Differs reports whether a setting has another value than its default.
func (s Settings) Differs(name string) bool { return s.values[name] != s.defaults[name] }

// All returns every setting by name, for the record of a run.
func (s Settings) All() map[string]any { return maps.Clone(s.values) }

// String lists the transform and every setting in the order of their names: two runs with equal strings do
// the same.
func (s Settings) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "transform=%s", s.Transform)
	for _, name := range slices.Sorted(maps.Keys(s.values)) {
		fmt.Fprintf(&b, " %s=%v", name, s.values[name])
	}
	return b.String()
}
