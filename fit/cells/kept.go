package cells

import (
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/vflc/vflc/internal/safefile"
)

// keptMost bounds the bytes of the files that a worker keeps for later cells.
const keptMost = 1 << 30

// A kept is what a worker has fetched: files by their digests, in a folder of its own. Where they have more
// than most bytes, those go that were not used for the longest time. The cells of a command have the same
// model and the same tables.
type kept struct {
	dir  string
	most int64

	lock  sync.Mutex
	files map[string]*keptFile
	bytes int64
	uses  int64
}

// A keptFile is a file that is there, or is being fetched.
type keptFile struct {
	fetching sync.Mutex
	size     int64 // as used, of kept.lock; -1: the file is not there
	used     int64
}

// get returns the file of a digest; fetch gets it where it is not there. Whoever wants the same file in the
// meantime waits. A fetched file of another digest is returned and not kept.
func (k *kept) get(digest string, fetch func() ([]byte, error)) ([]byte, error) {
	f := k.file(digest)
	f.fetching.Lock()
	defer f.fetching.Unlock()
	if k.has(f) {
		if text, err := os.ReadFile(k.path(digest)); err == nil && Digest("", text).SHA256 == digest {
			return text, nil
		}
	}
	text, err := fetch()
	k.keep(digest, f, text, err == nil && Digest("", text).SHA256 == digest)
	return text, err
}

func (k *kept) path(digest string) string { return filepath.Join(k.dir, digest) }

// file is what is known of a digest.
func (k *kept) file(digest string) *keptFile {
	k.lock.Lock()
	defer k.lock.Unlock()
	if f := k.files[digest]; f != nil {
		return f
	}
	if k.files == nil {
		k.files = map[string]*keptFile{}
	}
	f := &keptFile{size: -1}
	k.files[digest] = f
	return f
}

// has reports whether a file is there, which is a use of it.
func (k *kept) has(f *keptFile) bool {
	k.lock.Lock()
	defer k.lock.Unlock()
	k.uses++
	f.used = k.uses
	return f.size >= 0
}

// keep writes a file that is right, in the place of those that were not used for the longest time. One that
// is not written is fetched again.
func (k *kept) keep(digest string, f *keptFile, text []byte, right bool) {
	k.lock.Lock()
	defer k.lock.Unlock()
	k.drop(digest, f)
	size := int64(len(text))
	if !right || size > k.most {
		return
	}
	for k.bytes+size > k.most {
		oldest := ""
		for other, o := range k.files {
			if o.size >= 0 && (oldest == "" || o.used < k.files[oldest].used) {
				oldest = other
			}
		}
		k.drop(oldest, k.files[oldest])
	}
	if os.MkdirAll(k.dir, 0o700) != nil || safefile.WriteSoon(k.path(digest), 0o600,
		func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		}) != nil {
		return
	}
	f.size, k.files[digest] = size, f
	k.bytes += size
}

// drop forgets a file, and removes it if it is there. The caller has the lock.
func (k *kept) drop(digest string, f *keptFile) {
	delete(k.files, digest)
	if f.size < 0 {
		return
	}
	k.bytes -= f.size
	f.size = -1
	_ = os.Remove(k.path(digest)) // what is left goes with the folder
}
