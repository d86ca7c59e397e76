package protocol

import (
	"context"
	"errors"
	"slices"

	"github.com/vflc/vflc/density"
	"github.com/vflc/vflc/runtime/encrypted"
)

// tell gives everyone what each party has, so many bytes by party.
func (e *Evaluator) tell(ctx context.Context, x *density.Exchange, bytes []int, own [][]byte) ([][]byte, error) {
	e.unsealed = true
	return e.via.RelayBytes(ctx, x, density.All, bytes, own)
}

// confirm has the clients compare what everybody was told, before sums that follow from it are decrypted.
func (e *Evaluator) confirm(ctx context.Context) error {
	c, ok := density.As[density.Chained](e.Env)
	if !ok || !e.unsealed {
		return nil
	}
	e.unsealed = false
	return c.End(ctx)
}

// alike are as many bytes of every party, and serverOnly of the server alone.
func (e *Evaluator) alike(n int) []int { return slices.Repeat([]int{n}, e.parties) }

func (e *Evaluator) serverOnly(n int) []int {
	out := e.alike(0)
	out[0] = n
	return out
}

// blame ends the run where an error is of what a party has sent. What one client has of another the server has brought:
// their seals tell whether it has brought all the same, and not whether that is what was sent.
func (e *Evaluator) blame(ctx context.Context, party int, err error) error {
	if err == nil {
		return nil
	}
	what := err.Error()
	if e.Blocks()[0].Index() > 0 && party > 0 {
		what += "; the server, which has brought it, may have altered it"
	}
	return e.via.Blame(ctx, party, what)
}

// blameHolder is blame of an error that says whose share it is of.
func (e *Evaluator) blameHolder(ctx context.Context, err error) error {
	var holder *encrypted.HolderError
	if errors.As(err, &holder) {
		return e.blame(ctx, holder.Holder, err)
	}
	return err
}
