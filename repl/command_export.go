package repl

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/vflc/vflc/fit"
	"github.com/vflc/vflc/posterior"
	"github.com/vflc/vflc/posterior/export"
)

func exportCommand() command {
	return command{name: "export", args: "FILE|FOLDER [FIT]",
		doc: "write the draws of a fit (" + strings.Join(endings(), ", ") +
			"), or into a folder all that vflc run -o writes", files: true,
		run: func(s *Session, _ context.Context, args string) error {
			list := words(args)
			if len(list) == 0 || len(list) > 2 {
				return usagef(":export needs a file or a folder, as :export draws%s", endings()[0])
			}
			name := ""
			if len(list) == 2 {
				name = list[1]
			}
			r, err := s.runOf(name)
			if err != nil {
				return err
			}
			if err := s.export(r, list[0]); err != nil {
				return err
			}
			return s.say("exported", "written: %s", list[0])
		}}
}

func endings() []string {
	var out []string
	for _, f := range export.Formats("") {
		out = append(out, f.Ending)
	}
	return out
}

func (s *Session) export(r *run, path string) error {
	ending := filepath.Ext(strings.TrimRight(path, "/"))
	for _, f := range export.Formats(fit.Version()) {
		if f.Ending == ending {
			stored := *r.Run
			if r.Result != nil {
				// it is in memory: its name is no path
				stored = posterior.Run{Record: stored.Record, Document: stored.Document, Draws: stored.Draws}
			}
			return fit.Export(f, path, &stored)
		}
	}
	switch {
	case ending != "":
		return usagef(":export: no format %s; choose %s, or a folder", ending, strings.Join(endings(), ", "))
	case r.Result == nil:
		return inputf("%s is a folder already: %s", r.name, r.Path)
	}
	return r.Result.Save(path)
}
