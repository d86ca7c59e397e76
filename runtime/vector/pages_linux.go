package vector

import (
	"syscall"
	"unsafe"
)

// hugePage is the size of a large page of memory in bytes, and of what they are asked for at least.
const hugePage = 2 << 20

// OnHugePages asks for large pages for memory that nothing has been written to yet: a pass over a matrix of many megabytes needs a new page every 4 KiB otherwise, and instructions
// that prefetch stop at pages whose address is not known. Where the system has none, nothing changes.
func OnHugePages(values []float64) {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), 8*len(values))
	begin := -uintptr(unsafe.Pointer(unsafe.SliceData(bytes))) % hugePage
	if whole := (uintptr(len(bytes)) - begin) / hugePage * hugePage; uintptr(len(bytes)) >= 2*hugePage {
		syscall.Madvise(bytes[begin:begin+whole], syscall.MADV_HUGEPAGE)
	}
}
