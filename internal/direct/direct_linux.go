package direct

import (
	"syscall"
	"unsafe"
)

const possible = true

func (t *transfer) read(fd uintptr) bool { return t.call(syscall.SYS_READ, fd) }

func (t *transfer) write(fd uintptr) bool { return t.call(syscall.SYS_WRITE, fd) }

func (t *transfer) call(number, fd uintptr) bool {
	for {
		n, _, errno := syscall.RawSyscall(number, fd, uintptr(unsafe.Pointer(&t.bytes[0])),
			uintptr(len(t.bytes)))
		if errno != syscall.EINTR {
			return t.settled(int(n), errno)
		}
	}
}
