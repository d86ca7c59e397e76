package split

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/vflc/vflc/compile/check"
	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/lang/source"
	"github.com/vflc/vflc/stdlib"
)

// ParseManifest reads a manifest and checks that its parts agree. It is usable only where the list has no
// errors.
func ParseManifest(file *source.File, universe *stdlib.Universe) (*Manifest, diag.List) {
	m := &Manifest{}
	dec := json.NewDecoder(bytes.NewReader([]byte(file.Text)))
	dec.DisallowUnknownFields()
	err := dec.Decode(m)
	if err == nil && dec.More() {
		err = errMore
	}
	if err != nil {
		var diags diag.List
		diags.Errorf(diag.BadManifest, file, offsetOf(err), "this is no manifest: %s",
			whatIsWrong(err)).Note("compile the model again, or ask who sent it")
		return nil, diags
	}
	m.file = file
	return m, m.invalid(file, universe)
}

// errMore is the error of a document that goes on after its end.
var errMore = errors.New("something follows its end")

// whatIsWrong says in words of the document, not of the program that reads it, what an error in JSON is.
func whatIsWrong(err error) string {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, errMore):
		return err.Error()
	case errors.Is(err, io.EOF):
		return "it is empty"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends too early"
	case errors.As(err, &syntax):
		return "it is not JSON from here on"
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Sprintf("it is %s, and %s is needed", jsonKinds[strings.Fields(kind.Value)[0]],
			kindOf(kind.Type))
	case errors.As(err, &kind):
		return fmt.Sprintf("%s is %s, and %s is needed", kind.Field, jsonKinds[strings.Fields(kind.Value)[0]],
			kindOf(kind.Type))
	}
	if _, field, ok := strings.Cut(err.Error(), "unknown field "); ok {
		return "it has a field " + strings.Trim(field, `"`) + ", which none has"
	}
	return "it cannot be read"
}

// jsonKinds are the kinds of JSON values, by the decoder's names.
var jsonKinds = map[string]string{"string": "text", "number": "a number", "bool": "true or false",
	"array": "a list", "object": "an object"}

// kindOf is the kind of JSON value that a field takes.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "an object"
	}
	return "a whole number"
}

// offsetOf is the place of an error in JSON.
func offsetOf(err error) source.Span {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return source.Span{Start: int(syntax.Offset) - 1, End: int(syntax.Offset)}
	case errors.As(err, &kind):
		return source.Span{Start: int(kind.Offset) - 1, End: int(kind.Offset)}
	}
	return source.Span{}
}

// invalid reports what no compiler of this version writes: other versions, an unknown transform, roles and
// lists that contradict one another. Where the manifest was not read from a file, program is where the errors
// are reported.
func (m *Manifest) invalid(program *source.File, universe *stdlib.Universe) diag.List {
	v := &validator{Manifest: m, at: program}
	if m.file != nil {
		v.at = m.file
	}
	v.versions()
	v.transform(universe)
	v.roles()
	if !v.diags.HasErrors() {
		v.cuts()
		v.receivers()
		v.priors(universe)
		v.accepted()
		v.release()
		v.predicted()
	}
	return v.diags
}

type validator struct {
	*Manifest
	at    *source.File
	exact bool // by the manifest's transform the cuts themselves cross
	diags diag.List
}

// errorf reports an error at the first mention of a field.
func (v *validator) errorf(field, format string, args ...any) *diag.Diagnostic {
	where := source.Span{}
	if i := strings.Index(v.at.Text, `"`+field+`":`); i >= 0 && v.file != nil {
		where = source.Span{Start: i, End: i + len(field) + 2}
	}
	return v.diags.Errorf(diag.BadManifest, v.at, where, format, args...)
}

func (v *validator) versions() {
	for _, f := range []struct{ field, what, got, want string }{
		{"schema", "the schema of this manifest", strconv.Itoa(v.Schema), strconv.Itoa(SchemaVersion)},
		{"language", "the language of this manifest", v.Language, LanguageVersion},
		{"protocol", "the protocol of this manifest", v.Protocol, ProtocolVersion},
	} {
		if f.got != f.want {
			v.errorf(f.field, "%s has version %q, and this vflc has %s", f.what, f.got,
				f.want).Note("compile the model again with this vflc, or run the vflc that wrote it")
		}
	}
}

func (v *validator) transform(universe *stdlib.Universe) {
	t, ok := v.Kind()
	v.exact = ok && t.CutsCross()
	switch {
	case !ok:
		v.errorf("transform", "the manifest's transform %q is unknown: there are %s", v.Transform,
			strings.Join(universe.Transforms(), ", "))
	case t.Released() != (v.Release != nil):
		v.errorf("transform", "transform %s and a release come together", stdlib.Private)
	case t.Pooled() && !t.Released():
		v.errorf("transform", "transform %s keeps all data in one place, so it has no party programs", t.Name)
	case !t.AtClients() && len(v.Sums) > 0,
		!t.Powers() && slices.ContainsFunc(v.Powers, func(p ManifestPower) bool { return !p.Home }):
		v.errorf("powers",
			"under transform %s no client evaluates a likelihood at the others' sum, but "+
				"the manifest lists some", t.Name)
	}
}

// roles checks that there is one server, and that every party has one program in the manifest's folder.
func (v *validator) roles() {
	names := map[string]bool{}
	for _, p := range v.Parties {
		role := roleClient
		if p.Name == v.Server {
			role = roleServer
		}
		switch {
		case names[p.Name]:
			v.errorf("parties", "the manifest lists %s twice", p.Name)
		case p.Role != role:
			v.errorf("parties", "%s has the role %q in the manifest, but the server is %s", p.Name, p.Role,
				v.Server)
		case p.Program != filepath.Base(p.Program) || strings.ContainsAny(p.Program, `/\`):
			v.errorf("parties", "the program %q of %s is outside the manifest's folder", p.Program, p.Name)
		case p.Family == "" && len(p.OwnSizes) > 0:
			v.errorf("parties", "%s is no family, so that it has no members with sizes of their own", p.Name)
		}
		names[p.Name] = true
	}
	if !names[v.Server] {
		v.errorf("server", "the manifest lists no party %q, its server", v.Server)
	}
}

func (v *validator) cuts() {
	for _, c := range v.Cuts {
		switch {
		case !v.isClient(c.Client):
			v.errorf("cuts", "%s is of %q, which is no client", c.Name, c.Client)
		case !v.noise(c):
		case c.Group < 1 || c.Group > len(v.Groups) || !slices.Contains(v.Groups[c.Group-1].Cuts, c.Name):
			v.errorf("groups", "%s is in group %d, which does not list it", c.Name, c.Group)
		case v.Groups[c.Group-1].Additive && !slices.Equal(v.Groups[c.Group-1].Shape, c.Shape):
			v.errorf("groups", "%s has another shape than the sum that it enters", c.Name)
		case v.Rows != "" && (len(c.Shape) == 0 || c.Shape[0] != v.Rows):
			v.errorf("rows", "%s does not have the %s rows that minibatches divide", c.Name, v.Rows)
		}
	}
	for _, g := range v.Groups {
		for _, name := range g.Cuts {
			if !slices.ContainsFunc(v.Cuts, func(c ManifestCut) bool {
				return c.Name == name && c.Group == g.Number
			}) {
				v.errorf("groups", "group %d lists %s, which is none of its cuts", g.Number, name)
			}
		}
	}
}

// noise checks that the auxiliary variable of a cut has noise, and a cut that crosses itself none. It returns
// false after an error.
func (v *validator) noise(c ManifestCut) bool {
	rho, err := strconv.ParseFloat(c.Rho, 64)
	switch {
	case v.exact && (c.Rho != "" || len(v.Rho) > 0):
		v.errorf("rho", "under transform %s the cuts themselves cross, but the manifest lists a rho",
			v.Transform)
	case v.exact:
		return true
	case err != nil || !(rho > 0) || formatRho(rho) != c.Rho:
		v.errorf("cuts", "the noise of %s has sd %q, which is no number above 0", c.Name, c.Rho)
	case v.Rho[c.Client] != c.Rho:
		v.errorf("rho", "the noise of %s has sd %s, but rho of %s is %q", c.Name, c.Rho, c.Client,
			v.Rho[c.Client])
	default:
		return true
	}
	return false
}

// receivers checks that everything that is sent down goes to clients.
func (v *validator) receivers() {
	for _, s := range v.Shared {
		for _, to := range s.To {
			if !v.isClient(to) {
				v.errorf("shared_parameters", "%s goes to %q, which is no client", s.Name, to)
			}
		}
	}
	for _, s := range v.Sums {
		if !v.isClient(s.To) {
			v.errorf("sums", "%s goes to %q, which is no client", s.Name, s.To)
		}
	}
	for _, p := range v.Powers {
		if !v.isClient(p.Party) {
			v.errorf("powers", "%s is evaluated by %q, which is no client", p, p.Party)
		}
	}
}

func (v *validator) priors(universe *stdlib.Universe) {
	for _, s := range v.Shared {
		if s.Prior != "" && s.Declared(universe) == nil {
			v.errorf("shared_parameters", "the prior of %s is %q, which does not declare it", s.Name, s.Prior)
		}
	}
}

func (v *validator) accepted() {
	if known, err := diag.ParseAccepted(strings.Join(v.Accepted, ",")); err != nil ||
		!slices.Equal(known, v.Accepted) {
		v.errorf("accepted", "the manifest accepts %q: known are %s, each once and in this order",
			[]string(v.Accepted), strings.Join(diag.AcceptanceNames(), ", "))
	}
}

// predicted checks the responses that programs of a prediction draw.
func (v *validator) predicted() {
	if len(v.Predicted) > 0 && !v.exact {
		v.errorf("predicted", "a prediction has clients send their cuts, which transform %s does not",
			v.Transform)
	}
	seen := map[string]bool{}
	for _, r := range v.Predicted {
		_, known := v.Party(r.Owner)
		if r.Name == "" || (r.Data == "") != r.Quantity || !known && r.Owner != check.Shared {
			v.errorf("predicted",
				"a response has a name, data and an owner that the manifest lists, a generated quantity no "+
					"data; here are %q, %q and %q", r.Name, r.Data, r.Owner)
		}
		for _, name := range []string{r.Name, r.Mean, r.Score} {
			if name != "" && seen[name] {
				v.errorf("predicted", "%s is listed twice", name)
			}
			seen[name] = true
		}
	}
}

func (v *validator) isClient(name string) bool {
	p, ok := v.Party(name)
	return ok && p.Role == roleClient
}
