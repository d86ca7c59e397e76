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
	return command{name: "plot", args: "[NAME…] [KIND] [FIT…] [> FILE]",
		doc: "plot the posterior, of several fits side by side: " + strings.Join(plot.Names(), ", ") +
			"; > FILE writes a picture (" + plot.Ending + ")",
		values: func(s *Session, before []string) []string {
			return slices.Concat(s.parameters(before), plot.Names(), s.runNames())
		},
		run: func(s *Session, ctx context.Context, args string) error {
			r, err := s.runOf("")
			if err != nil {
				return err
			}
			list := []*run{r}
			shown, path, toFile := strings.Cut(args, ">")
			if path = strings.TrimSpace(path); toFile {
				if err := pictureName(path); err != nil {
					return err
				}
			}
			asked, fits := s.fitsIn(words(shown))
			if len(fits) > 0 {
				list = fits
			}
			kind, names := kindOf(asked)
			return s.plot(ctx, list, kind, names, path)
		}}
}

// fitsIn takes the names of fits from words. A parameter of the same name goes before.
func (s *Session) fitsIn(list []string) (others []string, fits []*run) {
	for _, word := range list {
		at := slices.IndexFunc(s.runs, func(r *run) bool { return r.name == word })
		if at < 0 || slices.Contains(s.parameters(nil), word) {
			others = append(others, word)
			continue
		}
		fits = append(fits, s.runs[at])
	}
	return others, fits
}

// pictureName returns the error of a name of a file that is not that of a picture.
func pictureName(path string) error {
	if path == "" {
		return usagef(":plot … > FILE needs the name of a file that ends in %s", plot.Ending)
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

// plot answers with a plot of runs, in characters or, if path is not empty, in a file.
func (s *Session) plot(ctx context.Context, list []*run, kind string, names []string, path string) error {
	var shown []plot.Run
	var of []string
	for _, r := range list {
		trace, err := r.elbo()
		if err != nil {
			return err
		}
		one := plot.Run{Name: r.name, Draws: r.draws(), ELBO: trace}
		if plot.NeedsResponses(kind) {
			p, err := r.replicated(ctx, fit.PlottedReplicates)
			if err != nil {
				return err
			}
			one.Responses = p.Plotted()
		}
		shown, of = append(shown, one), append(of, r.name)
	}
	f, err := plot.Make(kind, shown, names)
	var choice *plot.ChoiceError
	switch {
	case errors.As(err, &choice):
		return usagef("%v; plots: %s", err, strings.Join(plot.Names(), ", "))
	case err != nil:
		return err
	case path != "":
		if err := f.Save(path, 0, 0); err != nil {
			return err
		}
		return s.say("exported", "written: %s", path)
	}
	size := plot.Size{Width: s.Width(), Height: plotHeight}
	return s.reply("plot", map[string]any{"fit": strings.Join(of, ", "), "text": f.Text(size)},
		func(w io.Writer) error {
			size.Color = s.Color
			if _, err := io.WriteString(w, f.Text(size)); err != nil {
				return err
			}
			for _, r := range list {
				s.remind(w, r)
			}
			return nil
		})
}

// elbo is the trace of the evidence lower bound: of a fit of this session in memory, of another in its
// folder.
func (r *run) elbo() ([]posterior.ELBOPoint, error) {
	if r.result != nil {
		return r.result.ELBO(), nil
	}
	return r.stored.ELBO()
}
