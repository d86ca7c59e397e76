package data

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// patience is how long a server may take to answer the first message, unless the address says
// connect_timeout.
const patience = 15 * time.Second

// postgres is a server of PostgreSQL. What the address does not say is taken from PGHOST, PGUSER, PGPASSWORD,
// ~/.pgpass and their like, as psql does.
func postgres() engine {
	return engine{
		schemes: []string{"postgres", "postgresql"},
		tables: "SELECT table_name FROM information_schema.tables WHERE table_schema = " +
			"ANY(current_schemas(false)) ORDER BY table_name",
		check: func(address string, settings url.Values) error {
			u, err := url.Parse(address)
			if err != nil { // its text would show the address
				return errors.New("is no URL: write postgres://USER@HOST/DATABASE?query=SELECT …")
			}
			_, secret := u.User.Password()
			if secret || settings.Has("password") || settings.Has("sslpassword") {
				return errors.New("has a password, which a shell would keep in its history and a run in " +
					"its record: leave it out, and give it in PGPASSWORD or in ~/.pgpass")
			}
			return nil
		},
		open: func(address string, settings url.Values) (*sql.DB, error) {
			u, err := url.Parse(address)
			if err != nil {
				return nil, errors.New("is no URL")
			}
			u.RawQuery = settings.Encode()
			config, err := pgx.ParseConfig(u.String())
			if err != nil {
				return nil, fmt.Errorf("cannot be reached: %w", err)
			}
			if config.ConnectTimeout == 0 {
				config.ConnectTimeout = patience
			}
			return stdlib.OpenDB(*config), nil
		},
	}
}
