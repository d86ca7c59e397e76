package repl

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/plot"
)

// plotHeight is the number of lines of a panel.
const plotHeight = 10

func plotCommand() command {
	return command{name: "plot", args: "[NAME…] [KIND] [> FILE]", doc: "plot the posterior: " + strings.Join(plot.Names(), ", ") + "; > FILE writes a picture (" + strings.Join(plot.Endings(), ", ") + ")",
		values: func(s *Session, before []string) []string { return append(s.parameters(before), plot.Names()...) },
		run: func(s *Session, ctx context.Context, args string) error {
			r, err := s.runOf("")
			if err != nil {
				return err
			}
			shown, path, toFile := strings.Cut(args, ">")
			if path = strings.TrimSpace(path); toFile {
				if err := pictureName(path); err != nil {
					return err
				}
			}
			kind, names := kindOf(words(shown))
			return s.plot(ctx, r, kind, names, path)
		}}
}

// pictureName returns the error of a name of a file that is not that of a picture.
func pictureName(path string) error {
	if path == "" {
		return usagef(":plot … > FILE needs the name of a file that ends in %s", strings.Join(plot.Endings(), " or "))
	}
	if err := plot.CheckEnding(path); err != nil {
		return usagef("%v", err)
	}
	return nil
}

// kindOf takes the kind from the words, where it is the first or the last.
func kindOf(list []string) (kind string, names []string) {
	for _, at := range []int{len(list) - 1, 0} {
		if at >= 0 && len(list) > 0 && slices.Contains(plot.Names(), list[at]) {
			return list[at], slices.Delete(slices.Clone(list), at, at+1)
		}
	}
	return plot.Names()[0], list
}

// plot answers with a plot of a run, in characters or, if path is not empty, in a file.
func (s *Session) plot(ctx context.Context, r *run, kind string, names []string, path string) error {
	trace, err := r.elbo()
	if err != nil {
		return err
	}
	shown := plot.Run{Name: r.name, Draws: r.draws(), ELBO: trace}
	if plot.NeedsResponses(kind) {
		p, err := r.replicated(ctx, fit.PlottedReplicates)
		if err != nil {
			return err
		}
		shown.Responses = p.Plotted()
	}
	f, err := plot.Make(kind, []plot.Run{shown}, names)
	var choice *plot.ChoiceError
	switch {
	case errors.As(err, &choice):
		return usagef("%v; plots: %s", err, strings.Join(plot.Names(), ", "))
	case err != nil:
		return inputf("%v", err)
	case path != "":
		if err := f.Save(path, 0, 0); err != nil {
			return err
		}
		return s.say("exported", "written: %s", path)
	}
	size := plot.Size{Width: s.Width(), Height: plotHeight}
	return s.reply("plot", map[string]any{"fit": r.name, "text": f.Text(size)}, func(w io.Writer) error {
		size.Color = s.Color
		if _, err := io.WriteString(w, f.Text(size)); err != nil {
			return err
		}
		s.remind(w, r)
		return nil
	})
}

// elbo is the trace of the evidence lower bound: of a fit of this session in memory, of another in its folder.
func (r *run) elbo() ([]posterior.ELBOPoint, error) {
	if r.result != nil {
		return r.result.ELBO(), nil
	}
	return r.stored.ELBO()
}
