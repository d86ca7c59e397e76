package terminal

import "golang.org/x/sys/unix"

const getState, setState = unix.TIOCGETA, unix.TIOCSETA
