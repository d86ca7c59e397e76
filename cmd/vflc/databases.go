//go:build databases

package main

import _ "github.com/vflc/vflc/data/drivers" // --data of SQLite and PostgreSQL
