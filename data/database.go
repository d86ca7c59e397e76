package data

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vflc/vflc/internal/safefile"
	"github.com/vflc/vflc/lang/diag"
)

// An engine is a kind of database that tables can be read from.
type engine struct {
	driver  string   // its name among those of database/sql, where the program has it
	product string   // for messages
	schemes []string // before the colon of an address
	endings []string // of a file that is such a database without a scheme
	tables  string   // a query for the names of all tables
	// check refuses an address and its settings, apart from table and query, before it is opened.
	check func(address string, settings url.Values) error
	// open opens an address for reading alone.
	open func(address string, settings url.Values) (*sql.DB, error)
}

func engines() []engine { return []engine{sqlite(), postgres()} }

// A database is the result of a query as a table, or a table by its name. Its text is ADDRESS?table=NAME or
// ADDRESS?query=SELECT …, where the query is what follows, to the end, as it is typed.
type database struct {
	engine
	name     string // the address, for messages
	address  string // without the scheme, where the engine has files
	clause   string // the question mark and what follows
	settings url.Values
	table    string
	query    string
	most     int64
	read     *memory // once read
}

// databaseOf parses a source; nil if it is none of a database. The error never has a part of the text that
// may be a password.
func databaseOf(source string) (*database, error) {
	base, rest, _ := strings.Cut(source, "?")
	clause := source[len(base):]
	scheme, path, schemed := strings.Cut(base, ":")
	for _, e := range engines() {
		d := &database{engine: e, name: base, address: base, clause: clause, settings: url.Values{},
			most: safefile.MaxBytes}
		switch {
		case schemed && slices.Contains(e.schemes, strings.ToLower(scheme)):
			if e.file() {
				d.address = strings.TrimPrefix(path, "//")
			}
		case slices.Contains(e.endings, strings.ToLower(filepath.Ext(base))):
		default:
			continue
		}
		if err := d.clauses(rest); err != nil {
			return nil, err
		}
		return d, d.check(d.address, d.settings)
	}
	return nil, nil
}

// file reports whether an address is a file.
func (e engine) file() bool { return len(e.endings) > 0 }

// isDatabase reports whether a source is one of a database: neither commas nor patterns are read in it.
func isDatabase(source string) bool {
	d, err := databaseOf(source)
	return d != nil || err != nil
}

// moved is the text of the source with its file at another place.
func (d *database) moved(place func(path string) (string, error)) (string, error) {
	if !d.file() {
		return d.address + d.clause, nil
	}
	path, err := place(d.address)
	return d.schemes[0] + ":" + path + d.clause, err
}

// shown is a source without a password and without what follows the address.
func shown(source string) string {
	if !isDatabase(source) {
		return source
	}
	base, _, _ := strings.Cut(source, "?")
	from, to := strings.Index(base, "://")+3, strings.LastIndex(base, "@")
	if from < 3 || to < from {
		return base
	}
	user, _, _ := strings.Cut(base[from:to], ":")
	return base[:from] + user + base[to:]
}

// Secret reports whether a text may have the address of a server with a password in it, so that it must not
// be kept. It errs on the side of caution.
func Secret(text string) bool {
	for _, e := range engines() {
		for _, scheme := range e.schemes {
			at := strings.Index(strings.ToLower(text), scheme+":")
			if e.file() || at < 0 {
				continue
			}
			rest := strings.ToLower(text[at+len(scheme)+1:])
			if at := strings.LastIndex(rest, "@"); at >= 0 && strings.Contains(rest[:at], ":") ||
				strings.Contains(rest, "password") {
				return true
			}
		}
	}
	return false
}

// clauses reads what follows the question mark.
func (d *database) clauses(text string) error {
	for text != "" {
		var item string
		if query, ok := strings.CutPrefix(text, "query="); ok {
			d.query = strings.TrimSuffix(strings.TrimSpace(query), ";")
			break
		}
		item, text, _ = strings.Cut(text, "&")
		name, value, _ := strings.Cut(item, "=")
		if name == "table" {
			d.table = value
			continue
		}
		value, err := url.QueryUnescape(value)
		if err != nil {
			return fmt.Errorf("the setting %s is not written as in a URL", name)
		}
		d.settings.Set(name, value)
	}
	if d.query != "" && d.table != "" {
		return errors.New("has a table and a query; give one of them")
	}
	return nil
}

// Read implements Reader.
func (d *database) Read() (*Table, diag.List) {
	var list diag.List
	columns, err := d.columns()
	if coded := Errors(nil); errors.As(err, &coded) {
		return nil, diag.List(coded.At(d.name))
	}
	if err != nil {
		fail(&list, diag.Unreadable, d.name, "%v", err)
		return nil, list
	}
	d.read = &memory{name: d.name, columns: columns}
	table, list := d.read.Read()
	if table != nil {
		table.reader = d
	}
	return table, list
}

// Texts implements Reader.
func (d *database) Texts(name string) ([]string, error) { return d.read.Texts(name) }

// columns runs the query in a transaction that cannot write.
func (d *database) columns() ([]Values, error) {
	if !slices.Contains(sql.Drivers(), d.driver) {
		return nil, Coded(diag.LeftOut, "a light build has no readers of databases: run vflc of a release, or build it "+
			"without -tags light; or export the table from %s as CSV", d.product)
	}
	db, err := d.open(d.address, d.settings)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	ctx := context.Background()
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("cannot be opened: %s", brief(err))
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	query, err := d.statement(ctx, tx)
	if err != nil {
		return nil, err
	}
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("the query failed: %s", brief(err))
	}
	defer rows.Close()
	return d.cells(rows)
}

// brief is the first reason of an error that lists several on lines of their own, as of a host with several
// addresses.
func brief(err error) string {
	lines := strings.SplitN(err.Error(), "\n", 3)
	return strings.Join(strings.Fields(strings.Join(lines[:min(2, len(lines))], " ")), " ")
}

// statement is the query to run: as given, or all of a table.
func (d *database) statement(ctx context.Context, tx *sql.Tx) (string, error) {
	if d.query != "" {
		return d.query, nil
	}
	if d.table == "" {
		rows, err := tx.QueryContext(ctx, d.tables)
		if err != nil {
			return "", fmt.Errorf("its tables cannot be listed: %w", err)
		}
		defer rows.Close()
		var names []string
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				return "", err
			}
			names = append(names, name)
		}
		switch {
		case rows.Err() != nil:
			return "", fmt.Errorf("its tables cannot be listed: %w", rows.Err())
		case len(names) == 0:
			return "", errors.New("has no table")
		case len(names) > 1:
			return "", fmt.Errorf("has several tables (%s): write %s?table=%s, or %s?query=SELECT … FROM …",
				listed(names), d.name, names[0], d.name)
		}
		return "SELECT * FROM " + quoted(names[0]), nil
	}
	schema, name, ok := strings.Cut(d.table, ".")
	if !ok {
		return "SELECT * FROM " + quoted(d.table), nil
	}
	return "SELECT * FROM " + quoted(schema) + "." + quoted(name), nil
}

func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func (d *database) cells(rows *sql.Rows) ([]Values, error) {
	kinds, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	cells := make([]databaseCells, len(kinds))
	values, into := make([]any, len(kinds)), make([]any, len(kinds))
	for i, k := range kinds {
		kind := strings.ToUpper(k.DatabaseTypeName())
		cells[i] = databaseCells{name: k.Name(), numeric: kind == "NUMERIC", date: kind == "DATE"}
		into[i] = &values[i]
	}
	held := int64(0)
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, fmt.Errorf("a row cannot be read: %w", err)
		}
		for i, v := range values {
			n, err := cells[i].add(v)
			if err != nil {
				return nil, err
			}
			if held += int64(n); held > d.most {
				return nil, fmt.Errorf("has more than %d bytes (--max-bytes): select fewer rows or columns",
					d.most)
			}
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("the query failed: %s", brief(err))
	}
	if len(cells) == 0 {
		return nil, errors.New("the query gives no columns: it is a SELECT")
	}
	out := make([]Values, len(cells))
	for i := range cells {
		out[i] = cells[i].values()
	}
	return out, nil
}

// databaseCells collects the cells of one column: as numbers, and as words, which it is where one cell is no
// number that a float64 holds. NULL is a missing cell, and dates are words as ISO 8601 writes them.
type databaseCells struct {
	name    string
	numeric bool // exact decimals, which come as text
	date    bool
	numbers []float64
	words   []string
	worded  bool
}

// add appends a cell and returns its size.
func (c *databaseCells) add(v any) (size int, err error) {
	number, text := math.NaN(), ""
	switch v := v.(type) {
	case nil:
	case int64:
		number, text = float64(v), strconv.FormatInt(v, 10)
		c.worded = c.worded || math.Abs(number) >= maxWhole
	case float64:
		number, text = v, strconv.FormatFloat(v, 'g', -1, 64)
		c.worded = c.worded || math.IsNaN(v) || math.IsInf(v, 0) // which is no missing cell
	case float32:
		return c.add(float64(v))
	case bool:
		return c.add(map[bool]int64{false: 0, true: 1}[v])
	case time.Time:
		text, c.worded = v.UTC().Format(time.RFC3339Nano), true
		if c.date {
			text = v.Format(time.DateOnly)
		}
	case string:
		if text = v; !c.numeric {
			c.worded = true
			break
		}
		if number, err = strconv.ParseFloat(v, 64); err != nil || math.IsNaN(number) ||
			underflows(number, v) {
			c.worded = true
		}
		err = nil
	case []byte:
		return 0, fmt.Errorf("column %s holds bytes, which are neither numbers nor text: "+
			"leave it out of the query", c.name)
	default:
		return 0, fmt.Errorf("column %s has values of a kind that a table cannot hold (%T): convert it to "+
			"a number or a text in the query, as CAST(%s AS text)", c.name, v, c.name)
	}
	if !isText(text) {
		return 0, fmt.Errorf("column %s holds bytes that are no text", c.name)
	}
	c.numbers, c.words = append(c.numbers, number), append(c.words, text)
	return 8 + len(text), nil
}

func (c *databaseCells) values() Values {
	if c.worded {
		return Values{Name: c.name, Words: c.words}
	}
	return Values{Name: c.name, Numbers: c.numbers}
}
