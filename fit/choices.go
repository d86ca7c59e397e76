package fit

// What a user chooses about a fit beside the settings of its algorithm is what the model means, and how the
// fit is made and kept. Each is a flag of vflc run, and NAME=VALUE at the prompt.

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib"
)

// A Choice is one thing that a user may choose. Values are texts; those of several elements are separated by
// commas.
type Choice struct {
	Name   string          // without dashes
	Doc    string          // one phrase; what is in backquotes stands for the value
	Switch bool            // its values are true and false
	Repeat bool            // it may be chosen several times; the values are joined by commas
	Model  bool            // it changes what the model means
	Values func() []string // what a value, or an element of it, may be; nil: what no list holds
	apply  func(o *FitChoices, value string) error
}

// A FitChoices is what was chosen. Of the options of the fit, these are Seed, From, Inits, LogLik and
// Auxiliary.
type FitChoices struct {
	Model check.Options
	Run   Options
}

// Choices lists the choices, in the order in which they are applied.
func Choices() []Choice {
	return []Choice{
		{Name: "transform", Model: true, Values: stdlib.TransformNames, apply: setTransform,
			Doc: "use this `transform` in place of the model's own: " + inWords(stdlib.TransformNames())},
		{Name: "rho", Model: true, apply: setRho,
			Doc: "standard deviation of auxiliary variables, in place of the model's own: " +
				"`R`, or CLIENT=R,CLIENT=R"},
		{Name: "set", Model: true, Repeat: true, apply: setConsts,
			Doc: "value of a const, in place of the model's own: `NAME=VALUE`; repeatable"},
		{Name: "accept", Model: true, Repeat: true, Values: diag.AcceptanceNames, apply: setAccepted,
			Doc: "`disclosures` that are accepted: " + acceptable()},
		{Name: "prior-only", Model: true, Switch: true, apply: setPriorOnly,
			Doc: "leave the likelihoods out, all parties in one: draws are from the prior; generated " +
				"quantities are those of the prior"},
		{Name: "seed", apply: setSeed,
			Doc: "`seed` of all random numbers, a whole number"},
		{Name: "from", apply: func(o *FitChoices, v string) error { o.Run.From = v; return nil },
			Doc: "start from the last positions, metric and step sizes of the run in this `folder`; a " +
				"short warm-up is then enough"},
		{Name: "inits", apply: func(o *FitChoices, v string) error {
			o.Run.Inits = strings.Split(v, ",")
			return nil
		},
			Doc: "Stan-JSON `file` of initial values on the declared scale, for all chains; with %d in its " +
				"name, or as FILE,FILE,…, one for each; parameters that it does not name begin as without it"},
		{Name: "log-lik", Switch: true, apply: func(o *FitChoices, v string) error {
			return setSwitch(&o.Run.LogLik, v)
		},
			Doc: "write the log density of every observation at every draw to " +
				"draws.zarr, for vflc loo and ArviZ"},
		{Name: "save-aux", Switch: true, apply: func(o *FitChoices, v string) error {
			return setSwitch(&o.Run.Auxiliary, v)
		},
			Doc: "write the draws of the auxiliary variables too; each belongs to its client"},
	}
}

// ChoiceNamed returns a choice by its name, and whether there is one.
func ChoiceNamed(name string) (Choice, bool) {
	for _, c := range Choices() {
		if c.Name == name {
			return c, true
		}
	}
	return Choice{}, false
}

// ParseChoices reads values by the names of their choices; "" stands for a choice that was not made. The
// error is a *Wrong.
func ParseChoices(given map[string]string) (FitChoices, error) {
	o := FitChoices{Model: check.Options{Set: map[string]float64{}}, Run: Options{Seed: 1}}
	for _, c := range Choices() {
		value := given[c.Name]
		if value == "" {
			continue
		}
		if err := c.apply(&o, value); err != nil {
			var w *WrongChoice
			if errors.As(err, &w) {
				return o, &WrongChoice{Name: c.Name, Value: w.Value, Why: w.Why}
			}
			return o, &WrongChoice{Name: c.Name, Value: value, Why: err.Error()}
		}
	}
	return o, nil
}

// A Wrong is why a value cannot be chosen.
type WrongChoice struct {
	Name  string // of the choice
	Value string // what is wrong in it; "": the choice itself
	Why   string
}

// Error says it as at the prompt.
func (w *WrongChoice) Error() string { return join(w.Name, "=", w.Value) + ": " + w.Why }

// Flag says it as of a flag of a command.
func (w *WrongChoice) Flag() string { return join("--"+w.Name, " ", w.Value) + ": " + w.Why }

func join(name, by, value string) string {
	if value == "" {
		return name
	}
	return name + by + value
}

func setTransform(o *FitChoices, value string) error {
	var ok bool
	if o.Model.Transform, ok = stdlib.TransformNamed(value); !ok {
		return fmt.Errorf("choose %s", inWords(stdlib.TransformNames()))
	}
	return nil
}

// MaxRho is the largest rho: its square is finite.
const MaxRho = 1e100

func setRho(o *FitChoices, value string) error {
	if !strings.Contains(value, "=") {
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || !(v > 0) || v > MaxRho {
			return errors.New("write a positive number, or CLIENT=NUMBER,…")
		}
		o.Model.Rho = v
		return nil
	}
	o.Model.RhoBy = map[string]float64{}
	for part := range strings.SplitSeq(value, ",") {
		name, v, err := assignment(part)
		if err != nil {
			return err
		}
		if !(v > 0) || v > MaxRho {
			return &WrongChoice{Value: part, Why: "rho must be positive"}
		}
		o.Model.RhoBy[name] = v
	}
	return nil
}

func setConsts(o *FitChoices, value string) error {
	for part := range strings.SplitSeq(value, ",") {
		name, v, err := assignment(part)
		if err != nil {
			return err
		}
		o.Model.Set[name] = v
	}
	return nil
}

// assignment reads NAME=NUMBER.
func assignment(text string) (string, float64, error) {
	name, value, ok := strings.Cut(strings.TrimSpace(text), "=")
	v, err := strconv.ParseFloat(value, 64)
	if !ok || name == "" || err != nil || math.IsNaN(v) {
		return "", 0, &WrongChoice{Value: text, Why: "write NAME=NUMBER"}
	}
	return name, v, nil
}

func setAccepted(o *FitChoices, value string) (err error) {
	if o.Model.Accept, err = diag.ParseAccepted(value); err != nil {
		return &WrongChoice{Why: err.Error()}
	}
	return nil
}

// acceptable lists what may be accepted.
func acceptable() string {
	var out []string
	for _, d := range diag.Acceptances() {
		out = append(out, d.Name+" ("+d.Doc+")")
	}
	return strings.Join(out, ", ")
}

func setPriorOnly(o *FitChoices, value string) error {
	if err := setSwitch(&o.Model.PriorOnly, value); err != nil || !o.Model.PriorOnly {
		return err
	}
	if o.Model.Transform.Name != "" && !o.Model.Transform.Pooled() {
		return &WrongChoice{Why: "without likelihoods nothing crosses between parties, so there is no " +
			"transform; leave transform out"}
	}
	o.Model.Transform = stdlib.NoTransform
	return nil
}

func setSwitch(to *bool, value string) (err error) {
	if *to, err = strconv.ParseBool(value); err != nil {
		return errors.New("write true or false")
	}
	return nil
}

func setSeed(o *FitChoices, value string) (err error) {
	if o.Run.Seed, err = strconv.ParseUint(value, 10, 64); err != nil {
		return errors.New("write a whole number that is not negative")
	}
	return nil
}

// Names is an error for a const or a client that the choices name and the model has not. The error is a
// *Wrong.
func (o FitChoices) Names(m *compile.Model) error {
	var consts, clients []string
	for _, s := range m.Checked.Order {
		if s.Kind == check.Const {
			consts = append(consts, s.Name)
		}
	}
	for _, c := range m.Checked.Clients {
		clients = append(clients, c.Name)
	}
	if err := known("set", "const", o.Model.Set, consts); err != nil {
		return err
	}
	return known("rho", "client", o.Model.RhoBy, clients)
}

func known(choice, kind string, chosen map[string]float64, names []string) error {
	for _, name := range slices.Sorted(maps.Keys(chosen)) {
		if !slices.Contains(names, name) {
			near := check.Nearest(name, names)
			if near != "" {
				near = "; did you mean " + near + "?"
			}
			return &WrongChoice{Name: choice, Value: name,
				Why: "the model has no " + kind + " " + name + near}
		}
	}
	return nil
}

// Noise is an error where a rho was chosen and the model has no auxiliary variables. The error is a *Wrong.
func (o FitChoices) Noise(m *compile.Model) error {
	if kind := m.Checked.Transform.Kind; kind.CutsCross() && (o.Model.Rho != 0 || o.Model.RhoBy != nil) {
		return &WrongChoice{Name: "rho",
			Why: fmt.Sprintf("under transform %s the cuts cross without noise, and there is no rho", kind)}
	}
	return nil
}

// inWords lists names as a sentence does: "a, b or c".
func inWords(names []string) string {
	n := len(names) - 1
	return strings.Join(names[:n], ", ") + " or " + names[n]
}
