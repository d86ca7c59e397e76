//go:build unix

package data

import (
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/vflc/vflc/lang/diag"
	"github.com/vflc/vflc/tests/await"
)

// postgresProgram finds a program of a PostgreSQL installation, or skips the test.
func postgresProgram(t *testing.T, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(found) == 0 {
		t.Skipf("no PostgreSQL here: %s is not installed", name)
	}
	return found[len(found)-1]
}

// another is who runs the server where the test is root, which PostgreSQL refuses to be.
func another(t *testing.T) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	t.Skip("the test runs as root, and there is no user postgres or nobody to run the server")
	return nil
}

// postgresServer starts a server with a user reader, whose password it asks for, and returns the address of
// its database.
func postgresServer(t *testing.T, password string) string {
	t.Helper()
	initdb, server := postgresProgram(t, "initdb"), postgresProgram(t, "postgres")
	who := another(t)
	// that of the test may be closed to others, and its path too long for a socket
	dir, err := os.MkdirTemp("", "pg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte(password+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if who != nil {
		if err := os.Chown(dir, int(who.Uid), int(who.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	run := func(name string, args ...string) *exec.Cmd {
		c := exec.Command(name, args...)
		c.Dir, c.SysProcAttr = dir, &syscall.SysProcAttr{Credential: who}
		c.Env = []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH")}
		return c
	}
	folder := filepath.Join(dir, "data")
	if out, err := run(initdb, "-D", folder, "-U", "reader", "--pwfile", secret, "-A", "scram-sha-256",
		"--no-sync").CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	var log strings.Builder
	s := run(server, "-D", folder, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off")
	s.Stderr = &log
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Wait() }()
	t.Cleanup(func() {
		s.Process.Signal(syscall.SIGQUIT) //nolint:errcheck // it may have ended
		<-ended
		ended <- nil
	})
	address := "postgres://reader@/postgres?host=" + url.PathEscape(dir)
	t.Setenv("PGPASSWORD", password)
	var list diag.List
	if !await.Until(func() bool {
		select {
		case err := <-ended:
			ended <- nil
			t.Fatalf("the server ended: %v\n%s", err, log.String())
		default:
		}
		_, list = Open(address + "&query=SELECT 1 AS one")
		return len(list) == 0
	}) {
		t.Fatalf("no connection: %v", Errors(list))
	}
	return address
}

// postgresExec runs statements, which may write.
func postgresExec(t *testing.T, address string, statements ...string) {
	t.Helper()
	d, err := databaseOf(address)
	if err != nil {
		t.Fatal(err)
	}
	db, err := d.open(d.address, d.settings)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
}

// A table of PostgreSQL gives the columns of the same table as CSV; nothing is written, and the password is
// in no message.
func TestPostgres(t *testing.T) {
	const password = "hunter2 of the ward"
	address := postgresServer(t, password)
	postgresExec(t, address,
		"CREATE TABLE visits(id text, age numeric(6, 2), n smallint, smoker boolean, site "+
			"varchar(9), seen date, big bigint)",
		"INSERT INTO visits VALUES ('P1', 61.5, 3, true, 'north', '2024-03-01', 9007199254740993), ('007', "+
			"NULL, -1, false, NULL, NULL, -5)")
	for _, clause := range []string{"", "&table=visits", "&table=public.visits",
		"&query=SELECT * FROM visits ORDER BY n DESC;"} {
		wantTable(t, address+clause, visitsCSV)
	}
	for query, want := range map[string]string{
		"DELETE FROM visits":                         "read-only transaction",
		"SELECT * FROM nowhere":                      `relation "nowhere" does not exist`,
		"SELECT 'x'::bytea AS b":                     "column b holds bytes",
		"SELECT 'NaN'::float8 AS y, 1 AS n":          "",
		"SELECT 1.5::real AS y, '{1,2}'::int[] AS a": "",
		"SELECT now() AS moment, 0.1::numeric AS y":  "",
	} {
		_, list := Open(address + "&query=" + query)
		text := Errors(list).Error()
		if !strings.Contains(text, want) || (want == "") != (text == "") || strings.Contains(text, password) {
			t.Errorf("%s: %q, want %q", query, text, want)
		}
	}
	bound, list := Bind(View{Table: mustOpen(t, address+"&query=SELECT 'NaN'::float8 AS y, 1 AS n")},
		[]Want{{Name: "y", Owner: "server", Rank: 1}})
	if text := Errors(list).Error(); !strings.Contains(text, "not a finite number") {
		t.Errorf("NaN is %v: %s", bound, text)
	}
	t.Setenv("PGPASSWORD", "hunter3")
	_, list = Open(address + "&table=visits")
	if text := Errors(list).Error(); !strings.Contains(text, "password authentication failed") ||
		strings.Contains(text, "hunter") {
		t.Errorf("a wrong password: %q", text)
	}
}

func mustOpen(t *testing.T, source string) *Table {
	t.Helper()
	table, list := Open(source)
	if len(list) > 0 {
		t.Fatal(Errors(list))
	}
	return table
}
