package repl

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vflc/vflc/internal/safefile"
)

//go:embed demo
var demo embed.FS

// demoFolder is where :demo writes.
const demoFolder = "vflc-demo"

func demoCommand() command {
	return command{name: "demo", args: "[FOLDER]",
		doc: "write a small model with the tables of three parties to a folder (" + demoFolder +
			"), and open it",
		run: func(s *Session, _ context.Context, args string) error {
			folder := demoFolder
			if list := words(args); len(list) == 1 {
				folder = list[0]
			}
			if err := writeDemo(folder); err != nil {
				return err
			}
			if err := s.Open(filepath.Join(folder, "recovery.vfl")); err != nil {
				return err
			}
			return s.say("demo", "try :model, :data, :owners, :fit, beta_clinic, P(beta_lab[1] > 0), :plot")
		}}
}

// writeDemo writes the files that are not there yet. One that differs is left alone, and is an error.
func writeDemo(folder string) error {
	return fs.WalkDir(demo, "demo", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := demo.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("demo", filepath.FromSlash(name))
		if err != nil {
			return err
		}
		path := filepath.Join(folder, rel)
		switch old, err := os.ReadFile(path); {
		case err == nil && string(old) == string(text):
			return nil
		case err == nil:
			return inputf("%s is there already, and is not of the demo; :demo FOLDER "+
				"writes to another folder", path)
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return safefile.WriteBytes(path, 0o644, text)
	})
}
