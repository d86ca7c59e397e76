package console

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Pair opens a pseudo-terminal: the end of the person, and that of the program.
func Pair() (person, program *os.File, err error) {
	person, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	fd := int(person.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		person.Close()
		return nil, nil, err
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		person.Close()
	}
	return person, program, err
}

// resize sets the size of the terminal, as its window would.
func resize(f *os.File, width, height int) error {
	return unix.IoctlSetWinsize(int(f.Fd()), unix.TIOCSWINSZ,
		&unix.Winsize{Row: uint16(height), Col: uint16(width)})
}
