package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// pythonFolder holds the Python package, from the folder of the sources.
const pythonFolder = "python"

// platforms are the tags of a wheel with the binary of a target. It is static, so that any C library of Linux
// will do; macOS 12 is the oldest that Go builds for.
func platforms(target string) []string {
	return map[string][]string{
		"linux/amd64":   {"manylinux2014_x86_64", "manylinux_2_17_x86_64", "musllinux_1_1_x86_64"},
		"linux/arm64":   {"manylinux2014_aarch64", "manylinux_2_17_aarch64", "musllinux_1_1_aarch64"},
		"darwin/amd64":  {"macosx_12_0_x86_64"},
		"darwin/arm64":  {"macosx_12_0_arm64"},
		"windows/amd64": {"win_amd64"},
		"windows/arm64": {"win_arm64"},
	}[target]
}

// A pyproject is what a wheel takes from pyproject.toml.
type pyproject struct {
	Project struct {
		Name, Version, Description, License string
		Python                              string              `toml:"requires-python"`
		Extras                              map[string][]string `toml:"optional-dependencies"`
		Scripts                             map[string]string
	}
}

func readProject(sources string) (p pyproject, err error) {
	_, err = toml.DecodeFile(filepath.Join(sources, pythonFolder, "pyproject.toml"), &p)
	return p, err
}

// file is the name of the wheel for a target.
func (p pyproject) file(target string) string {
	return fmt.Sprintf("%s-%s-py3-none-%s.whl", p.Project.Name, p.Project.Version,
		strings.Join(platforms(target), "."))
}

// metadata is the file METADATA: core metadata 2.4.
func (p pyproject) metadata(readme []byte) []byte {
	var b bytes.Buffer
	o := p.Project
	fmt.Fprintf(&b, "Metadata-Version: 2.4\nName: %s\nVersion: %s\nSummary: %s\nLicense-Expression: %s\n",
		o.Name, o.Version, o.Description, o.License)
	fmt.Fprintf(&b, "License-File: LICENSE\nRequires-Python: %s\n", o.Python)
	for _, extra := range slices.Sorted(maps.Keys(o.Extras)) {
		fmt.Fprintf(&b, "Provides-Extra: %s\n", extra)
		for _, needs := range o.Extras[extra] {
			fmt.Fprintf(&b, "Requires-Dist: %s; extra == '%s'\n", needs, extra)
		}
	}
	fmt.Fprintf(&b, "Description-Content-Type: text/markdown\n\n%s", readme)
	return b.Bytes()
}

// wheelSources lists the files of the Python package, relative to the folder of the sources, in their order.
func wheelSources(sources string) ([]string, error) {
	out := []string{"LICENSE", path.Join(pythonFolder, "README.md"), path.Join(pythonFolder, "pyproject.toml")}
	base := path.Join(pythonFolder, "src", "vflc")
	err := fs.WalkDir(os.DirFS(sources), base, func(name string, d fs.DirEntry, err error) error {
		if err == nil && (path.Ext(name) == ".py" || path.Base(name) == "py.typed") {
			out = append(out, name)
		}
		return err
	})
	slices.Sort(out)
	return out, err
}

// writeWheel writes the wheel with a target's binary, which is a file, into a folder, and returns its name.
func writeWheel(sources, target, program, out string) (string, error) {
	p, err := readProject(sources)
	if err != nil {
		return "", err
	}
	files, err := p.contents(sources, target, program)
	if err != nil {
		return "", err
	}
	to, err := os.Create(filepath.Join(out, p.file(target)))
	if err != nil {
		return "", err
	}
	if err := zipped(to, files, p.info()+"/RECORD"); err != nil {
		to.Close()
		return "", err
	}
	return p.file(target), to.Close()
}

func (p pyproject) info() string { return p.Project.Name + "-" + p.Project.Version + ".dist-info" }

// contents are the files of a wheel by name, but for its RECORD.
func (p pyproject) contents(sources, target, program string) (map[string][]byte, error) {
	files := map[string][]byte{}
	names, err := wheelSources(sources)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if files[name], err = os.ReadFile(filepath.Join(sources, name)); err != nil {
			return nil, err
		}
	}
	out := map[string][]byte{
		p.info() + "/METADATA":         p.metadata(files[path.Join(pythonFolder, "README.md")]),
		p.info() + "/licenses/LICENSE": files["LICENSE"],
	}
	for name, text := range files {
		if inside, ok := strings.CutPrefix(name, path.Join(pythonFolder, "src")+"/"); ok {
			out[inside] = text
		}
	}
	wheel := "Wheel-Version: 1.0\nGenerator: vflc\nRoot-Is-Purelib: false\n"
	for _, platform := range platforms(target) {
		wheel += "Tag: py3-none-" + platform + "\n"
	}
	scripts := "[console_scripts]\n"
	for _, name := range slices.Sorted(maps.Keys(p.Project.Scripts)) {
		scripts += name + " = " + p.Project.Scripts[name] + "\n"
	}
	out[p.info()+"/WHEEL"], out[p.info()+"/entry_points.txt"] = []byte(wheel), []byte(scripts)
	name := "vflc/bin/vflc"
	if strings.HasPrefix(target, "windows/") {
		name += ".exe"
	}
	out[name], err = os.ReadFile(program)
	return out, err
}

// zipped writes files in their order, and then the record of their digests. Bytes do not depend on the time:
// all have that of SOURCE_DATE_EPOCH or the first that a zip can hold.
func zipped(to *os.File, files map[string][]byte, record string) error {
	at := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	if epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		at = time.Unix(max(epoch, at.Unix()), 0).UTC()
	}
	archive := zip.NewWriter(to)
	var lines strings.Builder
	add := func(name string, text []byte) error {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: at}
		h.SetMode(0o644)
		if strings.Contains(name, "/bin/") {
			h.SetMode(0o755)
		}
		w, err := archive.CreateHeader(h)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sum := sha256.Sum256(files[name])
		fmt.Fprintf(&lines, "%s,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(sum[:]),
			len(files[name]))
		if err := add(name, files[name]); err != nil {
			return err
		}
	}
	fmt.Fprintf(&lines, "%s,,\n", record)
	if err := add(record, []byte(lines.String())); err != nil {
		return err
	}
	return archive.Close()
}
