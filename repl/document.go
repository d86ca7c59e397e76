package repl

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/stdlib"
)

// document answers ?NAME: the page of a distribution, function or encoder, of a diagnostic, of what may be
// set in :fit, or of a command.
func (s *Session) document(ctx context.Context, name string) error {
	name = strings.TrimSpace(name)
	if name == "" {
		return s.command(ctx, "help")
	}
	var b bytes.Buffer
	if p, ok := diag.Explain(diag.Code(strings.ToUpper(name))); ok {
		if err := p.Write(&b); err != nil {
			return err
		}
		return s.say("page", "%s", bytes.TrimSpace(b.Bytes()))
	}
	for i, p := range stdlib.PagesOf(s.library(), name) {
		if i > 0 {
			b.WriteString("\n")
		}
		if err := p.Write(&b); err != nil {
			return err
		}
	}
	if page := setting(name); page != "" {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString(page)
	}
	if b.Len() > 0 {
		return s.say("page", "%s", bytes.TrimSpace(b.Bytes()))
	}
	if strings.HasPrefix(name, ":") || slices.Contains(s.commandNames(), name) {
		return s.command(ctx, "help "+name)
	}
	return inputf("there is no page of %s%s; vflc doc and vflc explain list them", name,
		nearest(name, s.documented()))
}

// documented lists everything that has a page.
func (s *Session) documented() []string {
	out := append(stdlib.PageNames(s.library()), settingNames()...)
	for _, p := range diag.Pages {
		out = append(out, string(p.Code))
	}
	return out
}

// library has what is built in, and what the model declares.
func (s *Session) library() *stdlib.Universe {
	if s.now != nil && s.now.built != nil && s.now.built.Checked != nil {
		return s.now.built.Checked.Universe
	}
	return s.universe
}
