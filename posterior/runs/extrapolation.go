package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vflc/vflc/posterior"
)

// ExtrapolationFile is the list of the fits in the folder of an extrapolation, which has no other file of its
// own.
const ExtrapolationFile = "extrapolation.json"

// An Extrapolation lists fits of one model at several rho. Each is the folder of a run by itself, from which
// the posterior without noise is computed anew whenever it is asked for.
type Extrapolation struct {
	Schema  int               `json:"schema"`
	Model   string            `json:"model"`
	Clients int               `json:"clients"` // J in rho√J
	Fits    []ExtrapolatedFit `json:"fits"`    // from the largest rho to the smallest
}

// An ExtrapolatedFit is the folder of a fit, within that of the extrapolation.
type ExtrapolatedFit struct {
	Folder string  `json:"folder"`
	Rho    float64 `json:"rho"`
}

// ReadExtrapolation reads the list of fits in a folder; an error of fs.ErrNotExist where it has none.
func ReadExtrapolation(dir string) (*Extrapolation, error) {
	x, path := &Extrapolation{}, filepath.Join(dir, ExtrapolationFile)
	if err := decode(path, x); err != nil {
		return nil, err
	}
	for _, f := range x.Fits {
		if !filepath.IsLocal(f.Folder) || !(f.Rho > 0) {
			return nil, fmt.Errorf("%s: a fit has the folder %q and rho %v", path, f.Folder, f.Rho)
		}
	}
	if len(x.Fits) == 0 || x.Clients < 1 || x.Schema != posterior.Schema {
		return nil, fmt.Errorf("%s is not the list of an extrapolation's fits that this version writes", path)
	}
	return x, nil
}

// HasExtrapolation reports whether a folder is that of an extrapolation.
func HasExtrapolation(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, ExtrapolationFile))
	return !errors.Is(err, fs.ErrNotExist) && err == nil
}

// several is the error of a command that needs one run.
func (x *Extrapolation) several(dir string) error {
	return fmt.Errorf("%s holds %d fits of an extrapolation to rho = 0; name one of them, as %s", dir,
		len(x.Fits), filepath.Join(dir, x.Fits[len(x.Fits)-1].Folder))
}
