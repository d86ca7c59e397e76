package export

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// Zarr directories are of format 2, consolidated and uncompressed, in the layout that xarray and ArviZ open:
// https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html; the attribute _ARRAY_DIMENSIONS is xarray's.

// An Array is one variable. Exactly one of Floats, Ints, Bools and Texts holds its elements, last index
// fastest.
type Array struct {
	Name   string
	Dims   []string // names of the dimensions
	Shape  []int
	Floats []float64
	Ints   []int64
	Bools  []bool
	Texts  []string
}

// A Group is a set of variables; those whose name is their only dimension are coordinates.
type Group struct {
	Name   string
	Attrs  map[string]any
	Arrays []Array
}

// WriteZarr replaces dir by a directory with the groups. They are written beside it and renamed, so that dir
// is complete or absent; an existing dir is absent for a moment. Only its owner may read it. An array is one
// chunk, or if it is large and has the dimensions chain, draw, … one chunk per chain.
func WriteZarr(dir string, attrs map[string]any, groups []Group) error {
	temp, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	w := &writer{root: temp, meta: map[string]json.RawMessage{}}
	w.all(attrs, groups)
	if w.err != nil {
		return w.err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(temp, dir)
}

// A writer writes below root and collects the metadata; the first error stops it.
type writer struct {
	root string
	meta map[string]json.RawMessage
	err  error
}

func (w *writer) all(attrs map[string]any, groups []Group) {
	w.json(".zgroup", map[string]any{"zarr_format": 2})
	w.attributes("", attrs)
	for _, g := range groups {
		w.json(path.Join(g.Name, ".zgroup"), map[string]any{"zarr_format": 2})
		w.attributes(g.Name, g.Attrs)
		for _, a := range g.Arrays {
			w.array(path.Join(g.Name, a.Name), a)
		}
	}
	// last, so that a directory with consolidated metadata is complete
	consolidated := map[string]any{"zarr_consolidated_format": 1, "metadata": w.meta}
	w.json(".zmetadata", consolidated)
}

// attributes leaves out empty attributes: readers do not accept null.
func (w *writer) attributes(group string, attrs map[string]any) {
	if attrs != nil {
		w.json(path.Join(group, ".zattrs"), attrs)
	}
}

func (w *writer) file(name string, text []byte) {
	if w.err != nil {
		return
	}
	at := filepath.Join(w.root, filepath.FromSlash(name))
	// the first file in its folder
	if w.err = os.WriteFile(at, text, 0o600); errors.Is(w.err, fs.ErrNotExist) {
		if w.err = os.MkdirAll(filepath.Dir(at), 0o700); w.err == nil {
			w.err = os.WriteFile(at, text, 0o600)
		}
	}
}

func (w *writer) json(name string, v any) {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("%s: %w", name, err)
	}
	w.meta[name] = text
	w.file(name, append(text, '\n'))
}

// header is the content of .zarray. The fill value is null: readers treat elements that equal any other as
// missing.
type header struct {
	Format     int     `json:"zarr_format"`
	Shape      []int   `json:"shape"`
	Chunks     []int   `json:"chunks"`
	Type       string  `json:"dtype"`
	Order      string  `json:"order"`
	Compressor *string `json:"compressor"`
	Filters    *string `json:"filters"`
	Fill       *string `json:"fill_value"`
	Separator  string  `json:"dimension_separator"`
}

// wholeChunk is the largest number of bytes of an array in one chunk: readers are fast with chunks of about a
// megabyte, and slow with many small files.
const wholeChunk = 1 << 20

func (w *writer) array(name string, a Array) {
	kind, raw := a.encode()
	if elements(a.Shape) != a.length() || len(a.Dims) != len(a.Shape) || strings.ContainsAny(a.Name, `/\`) {
		w.err = errors.Join(w.err, fmt.Errorf("zarr: %s: %d elements of shape %v with dimensions %v", name,
			a.length(), a.Shape, a.Dims))
		return
	}
	h := header{Format: 2, Shape: a.Shape, Type: kind, Order: "C", Separator: "."}
	for k, n := range a.Shape {
		if k == 0 && a.Dims[0] == "chain" && len(a.Dims) > 1 && len(raw) > wholeChunk {
			n = 1
		}
		h.Chunks = append(h.Chunks, max(1, n))
	}
	if h.Shape == nil {
		h.Shape, h.Chunks = []int{}, []int{}
	}
	w.json(path.Join(name, ".zarray"), h)
	w.json(path.Join(name, ".zattrs"), map[string]any{"_ARRAY_DIMENSIONS": append([]string{}, a.Dims...)})
	if len(raw) == 0 {
		return
	}
	chunks := 1
	if len(h.Shape) > 0 && h.Chunks[0] < h.Shape[0] {
		chunks = h.Shape[0]
	}
	for c := range chunks {
		size := len(raw) / chunks
		w.file(path.Join(name, chunkName(c, len(h.Shape))), raw[c*size:(c+1)*size])
	}
}

// chunkName is the file of chunk c of the first dimension.
func chunkName(c, dims int) string {
	return strconv.Itoa(c) + strings.Repeat(".0", max(0, dims-1))
}

func elements(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func (a Array) length() int {
	return max(len(a.Floats), len(a.Ints), len(a.Bools), len(a.Texts))
}

// encode returns the elements' type and bytes, little-endian.
func (a Array) encode() (kind string, raw []byte) {
	switch {
	case a.Ints != nil:
		for _, v := range a.Ints {
			raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
		}
		return "<i8", raw
	case a.Bools != nil:
		for _, v := range a.Bools {
			b := byte(0)
			if v {
				b = 1
			}
			raw = append(raw, b)
		}
		return "|b1", raw
	case a.Texts != nil:
		return encodeTexts(a.Texts)
	}
	for _, v := range a.Floats {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(v))
	}
	return "<f8", raw
}

// encodeTexts writes fixed-width UTF-32.
func encodeTexts(texts []string) (kind string, raw []byte) {
	width := 1
	for _, t := range texts {
		width = max(width, len([]rune(t)))
	}
	for _, t := range texts {
		runes := append([]rune(t), make([]rune, width-len([]rune(t)))...)
		for _, r := range runes {
			raw = binary.LittleEndian.AppendUint32(raw, uint32(r))
		}
	}
	return "<U" + strconv.Itoa(width), raw
}

// ReadFloats reads an array of float64 that Write wrote, such as "log_likelihood/y" below dir. The error is
// fs.ErrNotExist if there is none.
func ReadFloats(dir, name string) (values []float64, shape []int, err error) {
	at := filepath.Join(dir, filepath.FromSlash(name))
	text, err := os.ReadFile(filepath.Join(at, ".zarray"))
	if err != nil {
		return nil, nil, err
	}
	var h header
	if err := json.Unmarshal(text, &h); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", at, err)
	}
	if h.Type != "<f8" && h.Type != "<i8" || h.Order != "C" || h.Compressor != nil ||
		len(h.Chunks) != len(h.Shape) {
		return nil, nil, fmt.Errorf("%s: not in the form that vflc writes", at)
	}
	chunks := 1
	if len(h.Shape) > 0 && h.Chunks[0] == 1 {
		chunks = h.Shape[0]
	}
	for c := range chunks {
		raw, err := os.ReadFile(filepath.Join(at, chunkName(c, len(h.Shape))))
		if err != nil {
			return nil, nil, err
		}
		for ; len(raw) >= 8; raw = raw[8:] {
			if bits := binary.LittleEndian.Uint64(raw); h.Type == "<i8" {
				values = append(values, float64(int64(bits)))
			} else {
				values = append(values, math.Float64frombits(bits))
			}
		}
	}
	if len(values) != elements(h.Shape) {
		return nil, nil, fmt.Errorf("%s: %d elements, not %v", at, len(values), h.Shape)
	}
	return values, h.Shape, nil
}

// Names lists the arrays of a group in the order of their names; none if there is no such group.
func Names(dir, group string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(dir, group))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(dir, group, e.Name(), ".zarray")); err == nil {
			out = append(out, e.Name())
		}
	}
	return out, err
}
