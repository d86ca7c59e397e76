package session_test

import (
	"testing"

	"github.com/vflc/vflc/tests/brief"
)

func TestMain(m *testing.M) { brief.Run(m) }
