package protocol

import (
	"context"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/encrypted"
)

// Curvatures implements density.Encrypting.
func (e *EncryptedEnv) Curvatures(ctx context.Context, gram []float64) error {
	if err := e.spend(density.Decryption{Sums: density.CrossProducts}); err != nil {
		return err
	}
	times, rows := float64(flat(e.curvature)*e.times()), make([]*encrypted.EncryptedRows, len(e.views))
	if times == 0 {
		plan, err := e.params.Plan(e.curvature, len(e.columns))
		if err != nil {
			return err
		}
		for i, v := range e.views {
			if rows[i], err = v.keys.Rows(plan, v.at, nil); err != nil {
				return err
			}
		}
		times = 1
	}
	by := weighed
	if e.curvature.Products < 2 {
		by = multiplied
	}
	p := len(e.views[0].all())
	data := make([]float64, p*p)
	for from, to := 0, 0; from < p; from = to {
		for to = from + 1; to < p && pairs(from, to+1) <= atOnce; {
			to++
		}
		sums, err := e.derived(func(i int, v *view) ([]*encrypted.EncryptedSum, error) {
			return crossed(v, from, to, by(v, rows[i]))
		})
		if err != nil {
			return beyond(err)
		}
		got, err := e.open(ctx, curvatures, 0, sums)
		if err != nil {
			return err
		}
		for j := from; j < to && got != nil; j++ {
			for i := range j + 1 {
				v := got[pairs(from, j)+i] * times
				data[j*p+i], data[i*p+j] = v, v
			}
		}
	}
	if e.Blocks()[0].Index() > 0 {
		return nil
	}
	e.spread(gram, data)
	return e.relate(data, p)
}

// atOnce is how many sums are derived before they are opened: half a megabyte is kept of each.
const atOnce = 256

// pairs is how many pairs columns from one number to below another make with themselves and those before.
func pairs(from, to int) int { return to*(to+1)/2 - from*(from+1)/2 }

// crossed are the sums of products of columns from one number to below another with those up to each, as by
// makes them of one of the columns.
func crossed(v *view, from, to int, by crossing) (out []*encrypted.EncryptedSum, err error) {
	all := v.all()
	for j := from; j < to; j++ {
		with, err := by(all[j])
		if err != nil {
			return nil, err
		}
		more, err := byColumn(all[:j+1], with)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

// A crossing makes the sum of products of a column with others.
type crossing = func(z *encrypted.Vector) (func(x *encrypted.Vector) (*encrypted.EncryptedSum, error), error)

// weighed multiplies rows with one column and then with others; without rows, the columns.
func weighed(v *view, rows *encrypted.EncryptedRows) crossing {
	return func(z *encrypted.Vector) (func(x *encrypted.Vector) (*encrypted.EncryptedSum, error), error) {
		if rows == nil {
			return func(x *encrypted.Vector) (*encrypted.EncryptedSum, error) {
				return v.keys.Cross(z, x)
			}, nil
		}
		weighed, err := rows.Weigh(z)
		if err != nil {
			return nil, err
		}
		return weighed.Product, nil
	}
}

// multiplied multiplies columns with one another, and then with rows of which a product is left but one. That
// takes twice as long.
func multiplied(v *view, rows *encrypted.EncryptedRows) crossing {
	return func(z *encrypted.Vector) (func(x *encrypted.Vector) (*encrypted.EncryptedSum, error), error) {
		return func(x *encrypted.Vector) (*encrypted.EncryptedSum, error) {
			both, err := v.keys.Multiply(z, x)
			if err != nil {
				return nil, err
			}
			return rows.Product(both)
		}, nil
	}
}
