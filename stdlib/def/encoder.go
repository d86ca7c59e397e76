package def

// An Encoder turns columns of a table into columns of a matrix, in the `from` clause of a data declaration. It is fitted privately
// by the owner of the data. The descriptor says what may be written; the numerics are in data.
type Encoder struct {
	Name     string
	Doc      string   // Markdown: what it computes and how many columns it gives
	Examples []string // declarations that check, for `vflc doc`
	Columns  Arity    // how many column names it takes, before the options
	Options  []Option
}

// An Option is a named argument of an encoder, written NAME=VALUE. It may always be left out.
type Option struct {
	Name   string
	Doc    string   // one phrase: the effect, and what happens without it
	Values []string // the words allowed
}

// Option returns the option with the given name.
func (e *Encoder) Option(name string) (Option, bool) {
	for _, o := range e.Options {
		if o.Name == name {
			return o, true
		}
	}
	return Option{}, false
}
