// Release builds the binaries that a release ships: static ones for Linux, macOS and Windows on amd64 and
// arm64, wheels of the Python package that hold them, checksums, and a software bill of materials.
//
//	go -C tools run ./release -o ../dist          build, into dist
//	go -C tools run ./release -o ../dist -check   build again, with an empty cache and from a copy of the sources in another folder, and compare with dist
//	go -C tools run ./release -o ../dist -targets linux/amd64    build for one system alone
//
// The bytes depend on the sources and the version of Go alone: no path, time, or state of a repository is in
// them.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Names of the files beside the binaries.
const (
	sumsFile = "SHA256SUMS"
	bomFile  = "vflc.cdx.json"
)

// targets are systems and processors.
func targets() []string {
	return []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64",
		"windows/arm64"}
}

func main() {
	out := flag.String("o", filepath.Join("..", "dist"), "`folder` for the binaries")
	check := flag.Bool("check", false, "build again and compare with the folder")
	only := flag.String("targets", strings.Join(targets(), ","),
		"`targets` to build, as linux/amd64,windows/arm64")
	flag.Parse()
	if err := release(*out, *check, strings.Split(*only, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// tags choose encoding/json in the reader of Arrow: another JSON is 1.4 MB of each program.
const tags = "arrow_json_stdlib"

// A workspace has binaries without go-cmp, which finds methods by name, so that a program keeps all methods
// of all types. What stands in for it is in replaced.
const (
	workspace = "tools/release/release.work"
	replaced  = "tools/release/gocmp"
)

// mostBytes is the largest size of a binary. One with all methods is larger: what calls them by name, as
// text/template does, is listed by
//
//	go build -ldflags=-dumpdep ./cmd/vflc 2>&1 | grep -a ReflectMethod
const mostBytes = 60_000_000

// root is the folder of the sources, from that of the module of tools.
const root = ".."

func release(out string, check bool, wanted []string) error {
	if err := known(wanted); err != nil {
		return err
	}
	if !check {
		return build(root, out, "", wanted)
	}
	scratch, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	copied, again := filepath.Join(scratch, "sources"), filepath.Join(scratch, "dist")
	if err := copySources(copied); err != nil {
		return err
	}
	if err := build(copied, again, filepath.Join(scratch, "cache"), wanted); err != nil {
		return err
	}
	return same(out, again, wanted)
}

// known is an error where one of some targets is none.
func known(wanted []string) error {
	for _, t := range wanted {
		if !slices.Contains(targets(), t) {
			return fmt.Errorf("no target %s: %s", t, strings.Join(targets(), ", "))
		}
	}
	return nil
}

// sourceFiles lists the files of the packages of this module that the command is made of, with those embedded
// in them, relative to the folder of the module and in their order.
func sourceFiles(sources string) ([]string, error) {
	list := exec.Command("go", "list", "-tags", tags, "-deps", "-f",
		"{{if .Module}}{{if .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}\n{{end}}{{range "+
			".SFiles}}{{$d}}/{{.}}\n{{end}}{{range .IgnoredGoFiles}}{{$d}}/{{.}}\n{{end}}{{range "+
			".IgnoredOtherFiles}}{{$d}}/{{.}}\n{{end}}{{range "+
			".EmbedFiles}}{{$d}}/{{.}}\n{{end}}{{end}}{{end}}", "./cmd/vflc")
	list.Dir, list.Stderr = sources, os.Stderr
	// the others' files are ignored there, and listed
	list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOOS=linux", "GOARCH=amd64")
	text, err := list.Output()
	if err != nil {
		return nil, err
	}
	from, err := filepath.Abs(sources)
	if err != nil {
		return nil, err
	}
	out := []string{"go.mod", "go.sum", workspace, replaced + "/go.mod", replaced + "/cmp/cmp.go"}
	for name := range strings.Lines(string(text)) {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		relative, err := filepath.Rel(from, name)
		if err != nil {
			return nil, err
		}
		out = append(out, filepath.ToSlash(relative))
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// copySources copies the files of the command into a folder.
func copySources(to string) error {
	names, err := sourceFiles(root)
	if err != nil {
		return err
	}
	more, err := wheelSources(root)
	if err != nil {
		return err
	}
	for _, name := range slices.Concat(names, more) {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(target), 0o755),
			os.WriteFile(target, text, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// version is the digest by which programs of the same sources know one another, whatever the system that they
// are built for: of the names and contents of all files.
func version(sources string) (string, error) {
	names, err := sourceFiles(sources)
	if err != nil {
		return "", err
	}
	all := sha256.New()
	for _, name := range names {
		sum, err := digest(filepath.Join(sources, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(all, "%s  %s\n", sum, name)
	}
	return hex.EncodeToString(all.Sum(nil))[:12], nil
}

// same compares what two builds have written.
func same(one, other string, wanted []string) error {
	p, err := readProject(root)
	if err != nil {
		return err
	}
	names := []string{sumsFile, bomFile}
	for _, t := range wanted {
		names = append(names, binary(t), p.file(t))
	}
	for _, name := range names {
		a, err := digest(filepath.Join(one, name))
		if err != nil {
			return err
		}
		b, err := digest(filepath.Join(other, name))
		if err != nil {
			return err
		}
		if a != b {
			return fmt.Errorf("%s differs between two builds: %s, %s", name, a, b)
		}
		fmt.Printf("%s is the same in both builds\n", name)
	}
	return nil
}

// binary is the name of the binary of a target.
func binary(target string) string {
	name := "vflc-" + strings.ReplaceAll(target, "/", "-")
	if strings.HasPrefix(target, "windows/") {
		name += ".exe"
	}
	return name
}

// build builds the targets from sources into a folder; cache is the folder of Go's build cache, "" for the
// usual one.
func build(sources, out, cache string, wanted []string) error {
	out, err := filepath.Abs(out)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	work, err := filepath.Abs(filepath.Join(sources, workspace))
	if err != nil {
		return err
	}
	own, err := version(sources)
	if err != nil {
		return err
	}
	var sums strings.Builder
	modules := map[string]component{}
	for _, t := range wanted {
		system, processor, _ := strings.Cut(t, "/")
		path := filepath.Join(out, binary(t))
		cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly", "-tags", tags,
			"-ldflags=-s -w -buildid= -X github.com/vflc/vflc/fit.sources="+own, "-o", path, "./cmd/vflc")
		cmd.Dir, cmd.Stderr = sources, os.Stderr
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK="+work, "GOEXPERIMENT=",
			"GOAMD64=v1", "GOARM64=v8.0", "GOOS="+system, "GOARCH="+processor)
		if cache != "" {
			cmd.Env = append(cmd.Env, "GOCACHE="+cache)
		}
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", t, err)
		}
		if err := small(path); err != nil {
			return err
		}
		wheel, err := writeWheel(sources, t, path, out)
		if err != nil {
			return err
		}
		for _, name := range []string{binary(t), wheel} {
			sum, err := digest(filepath.Join(out, name))
			if err != nil {
				return err
			}
			fmt.Fprintf(&sums, "%s  %s\n", sum, name)
			fmt.Println(sum, name)
		}
		if err := collect(path, modules); err != nil {
			return err
		}
	}
	bom, err := billOfMaterials(modules)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(out, sumsFile), []byte(sums.String()), 0o644),
		os.WriteFile(filepath.Join(out, bomFile), bom, 0o644))
}

// small is an error where a file is larger than a binary may be.
func small(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Size() > mostBytes {
		return fmt.Errorf("%s has %d bytes, at most %d", path, info.Size(), mostBytes)
	}
	return err
}

func digest(path string) (string, error) {
	text, err := os.ReadFile(path)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// A component is one of CycloneDX.
type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	PURL    string `json:"purl,omitempty"`
}

// collect adds the modules that are linked into a binary.
func collect(path string, modules map[string]component) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			continue // in the workspace, and of this project
		}
		url := "pkg:golang/" + m.Path + "@" + m.Version
		modules[url] = component{"library", url, m.Path, m.Version, url}
	}
	url := "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")
	modules[url] = component{"library", url, "std", strings.TrimPrefix(info.GoVersion, "go"), url}
	return nil
}

// billOfMaterials is CycloneDX 1.5 as JSON, without times and random numbers.
func billOfMaterials(modules map[string]component) ([]byte, error) {
	var list []component
	for _, m := range modules {
		list = append(list, m)
	}
	slices.SortFunc(list, func(a, b component) int { return strings.Compare(a.Ref, b.Ref) })
	text, err := json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata": map[string]any{"component": component{Type: "application", Ref: "vflc", Name: "vflc"},
			"properties": []map[string]string{{"name": "go", "value": runtime.Version()}}},
		"components": list,
	}, "", "  ")
	return append(text, '\n'), err
}
