package vector

import (
	"syscall"
	"unsafe"
)

// hugePage is the size of a large page of memory in bytes, and of what they are asked for at least.
const hugePage = 2 << 20

// OnHugePages asks for large pages for memory that nothing has been written to yet: a pass over a matrix of
// many megabytes needs a new page every 4 KiB otherwise, and instructions that prefetch stop at pages whose
// address is not known. Where the system has none, nothing changes.
func OnHugePages[T float64 | int32](values []T) {
	var one T
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))),
		int(unsafe.Sizeof(one))*len(values))
	begin := -uintptr(unsafe.Pointer(unsafe.SliceData(bytes))) % hugePage
	if whole := (uintptr(len(bytes)) - begin) / hugePage * hugePage; uintptr(len(bytes)) >= 2*hugePage {
		syscall.Madvise(bytes[begin:begin+whole], syscall.MADV_HUGEPAGE)
	}
}
