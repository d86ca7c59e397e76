package spill

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// The types of file systems that are memory themselves.
const (
	tmpfs = 0x01021994
	ramfs = 0x858458f6
)

// reserved makes a file of so many bytes in a folder and maps it. The file has no name.
func reserved(dir string, size int) ([]byte, error) {
	var where syscall.Statfs_t
	if err := syscall.Statfs(dir, &where); err != nil {
		return nil, err
	}
	if kind := uint32(where.Type); kind == tmpfs || kind == ramfs {
		return nil, errors.New("this folder is in memory itself")
	}
	f, err := os.CreateTemp(dir, "vflc-")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return nil, err
	}
	for {
		if err = syscall.Fallocate(int(f.Fd()), 0, 0, int64(size)); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
}

// forget gives the pages of a mapping back; they stay in the file.
func forget(mapped []byte) { syscall.Madvise(mapped, syscall.MADV_DONTNEED) }

// resident is how many bytes of files, this program among them, are in the memory of this process.
func resident() int {
	text, err := os.ReadFile("/proc/self/statm")
	if words := strings.Fields(string(text)); err == nil && len(words) > 2 {
		pages, _ := strconv.Atoi(words[2])
		return pages * os.Getpagesize()
	}
	return 0
}
