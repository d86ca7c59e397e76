package node

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/vflc/vflc/compile"
	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/lang/diag"
)

// Peers get codes, never texts: a text of an error may quote data, and so may a path, a name of a column or a
// category. Every text of a control message therefore has a form, which is looked at before a message leaves
// and when one arrives. A field without one cannot be sent.

// A form is what a text of a control message may be.
type form struct {
	name   string
	allows func(string) bool
}

// pattern compiles its expression at the first text: most commands send none.
func pattern(name, expression string) form {
	compiled := sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:` + expression + `)$`)
	})
	return form{name, func(s string) bool { return compiled().MatchString(s) }}
}

func bytesOf(name string, most int) form {
	return form{name, func(s string) bool { return len(s) <= most }}
}

func oneOf[T ~string](name string, all ...T) form {
	return form{name, func(s string) bool { return slices.Contains(all, T(s)) }}
}

// The forms. Names are those of the model, which all parties read; the key column is the one that the server
// names.
var (
	aParty   = pattern("party", `[\pL_][\pL\pN_]*(\[[0-9]{1,9}\])?`)
	aNumber  = pattern("number of a run, a process or an alignment", `([0-9a-f]{32})?`)
	aDigest  = pattern("digest", `([0-9a-f]{16,64})?`)
	aVersion = pattern("version", `[\w.+()~-]{1,120}`)
	aName    = pattern("name of the model", `[\pL\pN_.+\[\],:() -]{0,500}`)
	aKey     = form{"key column", func(s string) bool {
		return len(s) <= 256 && !strings.ContainsAny(s, "\n\r")
	}}
	aSetting  = pattern("setting", `[\pL\pN_.,=+*-]{0,500}`)
	aCode     = form{"code", func(s string) bool { return meanings[EndReason(s)] != "" }}
	anAbsence = form{"absence", func(s string) bool { return absences[absence(s)] != "" }}
	aFact     = oneOf("kind of fact", compile.DisagreementKinds()...)
	aTask     = oneOf("kind of task", Fitting, Predicting, Checking, Weighing, Scoring)
	aBackend  = form{"backend", func(s string) bool { _, ok := fit.Backend(s); return ok || s == "" }}
	aBit      = bytesOf("bit for each row", mostControl)
	aFold     = bytesOf("fold of each row", mostControl)
	aColumn   = form{"column that all parties were started with", aKey.allows}
	aPublic   = bytesOf("public key", publicSize)
	aCert     = bytesOf("certificate", mostHello)
	aSigned   = bytesOf("signature", 64)
	aFamily   = pattern("family", `([\pL_][\pL\pN_]*)?`)
	aStage    = form{"what a stage tells", nil} // has the forms of its own type
)

// forms are those of the texts of all control messages, by type and field: of a map first that of its keys.
var forms = map[string][]form{
	"node.beat.Incarnation": {aNumber}, "node.beat.Run": {aNumber}, "node.beat.Finished": {aNumber},
	"node.beat.Missing": {aParty, anAbsence}, "node.beat.Body": {aStage},
	"node.status.Incarnation": {aNumber}, "node.status.Server": {aNumber}, "node.status.Finished": {aNumber},
	"node.status.Reply": {aStage},
	"node.ending.Party": {aParty}, "node.ending.Code": {aCode},
	"compile.Disagreement.Kind": {aFact}, "compile.Disagreement.What": {aName},
	"compile.Disagreement.Party": {aParty}, "compile.Disagreement.Other": {aParty},
	"node.announcement.Version": {aVersion}, "node.announcement.Protocol": {aVersion},
	"node.announcement.Model": {aName}, "node.announcement.Manifest": {aDigest},
	"node.announcement.Key":  {aKey},
	"node.announcement.Salt": {aNumber}, "node.announcement.Backend": {aBackend},
	"node.announcement.Settings": {aSetting, aSetting}, "node.Task.Kind": {aTask},
	"crossvalidate.Fold.By": {aColumn}, "node.dealt.Folds": {aFold},
	"node.origin.Run": {aNumber}, "node.origin.Manifest": {aDigest},
	"node.held.Rows": {aName}, "node.leaving.Rows": {aName}, "compile.RowDisclosure.Order": {aDigest},
	"compile.RowDisclosure.Left": {aBit},
	"node.facts.Program":         {aDigest}, "node.facts.Aligned": {aNumber},
	"compile.Facts.Sizes": {aName}, "compile.Facts.Order": {aDigest},
	"compile.Facts.Shared": {aName, aDigest}, "compile.Facts.Levels": {aName, aDigest},
	"node.signedKey.Public": {aPublic}, "node.signedKey.Cert": {aCert}, "node.signedKey.Signature": {aSigned},
	"node.agreement.Names": {aParty}, "node.agreement.Sizes": {aName}, "node.agreement.Members": {aParty},
	"node.agreement.Keys": {aParty},
	"lower.Outline.Name":  {aParty}, "lower.Outline.Family": {aFamily}, "lower.Outline.Outputs": {aName},
	"lower.OutlineCut.Name": {aName}, "lower.OutlineInput.Name": {aName}, "lower.OutlineInput.Sum": {aName},
	"compile.Wiring.Names": {aParty}, "model.Group.Name": {aName}, "model.Shared.Name": {aName},
	"node.hindrance.Algorithm": {aSetting}, "node.hindrance.Near": {aSetting},
	"node.announced.Rows": {aName},
	"node.call.Align":     {aNumber}, "node.call.Names": {aParty},
	"node.answer.Align": {aNumber}, "node.answer.Incarnation": {aNumber},
}

// tells and replies are what the server tells in each stage, and what is answered.
var (
	tells = [stages]func() any{
		fresh[announcement], fresh[leaving], fresh[dealt], fresh[agreement], fresh[compile.Wiring],
		fresh[start],
	}
	replies = [stages]func() any{
		fresh[held], fresh[facts], fresh[facts], fresh[outline], fresh[hindrance], fresh[struct{}],
	}
)

func fresh[T any]() any { return new(T) }

// wellFormed returns an error where a text of a control message has no form, or another one. It names the
// field, and not what is in it.
func wellFormed(message any) error {
	if field := formless(reflect.ValueOf(message), "", nil); field != "" {
		return coded(diag.FreeText, "a control message has a text that it may not have: %s", field)
	}
	return nil
}

// formless is the first field whose text has not its form; "": none. forms are those of the field at hand.
func formless(v reflect.Value, field string, forms []form) string {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return formless(v.Elem(), field, forms)
		}
	case reflect.String:
		return fits(v.String(), field, forms)
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return fits(string(v.Bytes()), field, forms)
		}
		for k := range v.Len() {
			if bad := formless(v.Index(k), field, forms); bad != "" {
				return bad
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			rest := forms
			if key.Kind() == reflect.String {
				if bad := fits(key.String(), field, forms); bad != "" {
					return bad
				}
				rest = forms[1:]
			}
			if bad := formless(v.MapIndex(key), field, rest); bad != "" {
				return bad
			}
		}
	case reflect.Struct:
		return formlessStruct(v)
	case reflect.Interface, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return field
	}
	return ""
}

func formlessStruct(v reflect.Value) string {
	for k := range v.NumField() {
		name := v.Type().String() + "." + v.Type().Field(k).Name
		if v.Type().Field(k).Type == reflect.TypeFor[json.RawMessage]() {
			if bad := formlessStage(v, v.Field(k).Bytes(), name); bad != "" {
				return bad
			}
			continue
		}
		if bad := formless(v.Field(k), name, forms[name]); bad != "" {
			return bad
		}
	}
	return ""
}

// formlessStage looks at what a stage tells or answers.
func formlessStage(v reflect.Value, text []byte, name string) string {
	all, stage := tells, v.FieldByName("Stage").Int()
	if v.Type() == reflect.TypeFor[status]() {
		all = replies
	}
	if len(text) == 0 {
		return ""
	}
	if stage < 0 || stage >= stages {
		return name
	}
	body := all[stage]()
	if json.Unmarshal(text, body) != nil {
		return name
	}
	return formless(reflect.ValueOf(body), name, nil)
}

func fits(text, field string, forms []form) string {
	if len(forms) > 0 && forms[0].allows(text) {
		return ""
	}
	if len(forms) == 0 {
		return field + " has none"
	}
	return fmt.Sprintf("%s is a %s", field, forms[0].name)
}

// An absence is why the run waits for a party.
type absence string

// The absences.
const (
	absentNew     absence = "new"
	absentSilent  absence = "silent"
	absentLeft    absence = "left"
	absentRevoked absence = "revoked"
)

// absences say what each means.
var absences = map[absence]string{
	absentNew:     "it has not joined yet",
	absentSilent:  "nothing was heard from it for 6 s",
	absentLeft:    "it was stopped, and can be started again",
	absentRevoked: "its certificate was revoked",
}
