package study

import "slices"

// A Command is one of vflc that a cell may be.
type Command struct {
	Name string
	Doc  string
	// Writes is what it writes into the folder of a cell.
	Writes string
	// Output is the flag that takes the path of what it writes, "" where it prints JSON.
	Output string
	// Resumes is true where it continues what an interrupt has left.
	Resumes bool
}

// Commands lists what a cell may be; the first is the default.
func Commands() []Command {
	return []Command{
		{Name: "run", Doc: "a fit", Writes: RunDir, Output: "output", Resumes: true},
		{Name: "cv", Doc: "a cross-validation", Writes: CVFile},
	}
}

// The names of what cells write.
const (
	RunDir = "run"
	CVFile = "cv.json"
)

// CommandOf finds a command by name.
func CommandOf(name string) (Command, bool) {
	i := slices.IndexFunc(Commands(), func(c Command) bool { return c.Name == name })
	if i < 0 {
		return Command{}, false
	}
	return Commands()[i], true
}

func commandNames() []string {
	var out []string
	for _, c := range Commands() {
		out = append(out, c.Name)
	}
	return out
}
