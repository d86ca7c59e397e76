package repl

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/plot"
)

// plotHeight is the number of lines of a trace.
const plotHeight = 10

func plotCommand() command {
	return command{name: "plot", args: "[NAME…] [KIND]", doc: "plot the posterior: " + strings.Join(plotKinds(), ", "),
		values: func(s *Session, before []string) []string { return append(s.parameters(before), plotKinds()...) },
		run: func(s *Session, _ context.Context, args string) error {
			r, err := s.runOf("")
			if err != nil {
				return err
			}
			kind, names := plot.Kinds()[0], words(args)
			if i := slices.Index(names, ">"); i >= 0 || strings.Contains(args, ">") {
				return usagef(":plot draws in the terminal only; vflc plot and :export work with files")
			}
			if n := len(names); n > 0 {
				if k := slices.Index(plotKinds(), names[n-1]); k >= 0 {
					kind, names = plot.Kinds()[k], names[:n-1]
				}
			}
			return s.plot(r, kind, names)
		}}
}

func plotKinds() []string {
	var out []string
	for _, k := range plot.Kinds() {
		out = append(out, k.Name)
	}
	return out
}

// plot draws parameters of a run, or expressions at its draws.
func (s *Session) plot(r *run, kind plot.Kind, names []string) error {
	d := r.draws()
	columns, err := d.Choose(names)
	if err != nil {
		return usagef("%v; plots: %s", err, strings.Join(plotKinds(), ", "))
	}
	if kind.Most > 0 && len(columns) > kind.Most {
		return usagef("%d frames are too many: name at most %d scalars of %s", len(columns), kind.Most, strings.Join(d.Names(), ", "))
	}
	return s.picture(r, d, columns, kind)
}

// picture answers with a plot: every plot of a session comes through here.
func (s *Session) picture(r *run, d *posterior.Draws, columns []int, kind plot.Kind) error {
	size := plot.Size{Width: s.Width(), Height: plotHeight, Color: s.Color}
	return s.reply("plot", map[string]any{"fit": r.name, "text": kind.Draw(d, columns, plot.Size{Width: size.Width, Height: size.Height})}, func(w io.Writer) error {
		if _, err := io.WriteString(w, kind.Draw(d, columns, size)); err != nil {
			return err
		}
		s.remind(w, r)
		return nil
	})
}
