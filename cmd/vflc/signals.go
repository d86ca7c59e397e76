package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// endings lists the signals that end a run in good order.
func endings() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} }

// A signalled is the cause of a context that a signal has ended.
type signalled struct{ os.Signal }

func (s *signalled) Error() string { return s.String() }

// interrupted returns a context that ends with the first signal of endings. A second one ends the process.
// Signals that were ignored when the process began, as by nohup, stay ignored.
func interrupted(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	got := make(chan os.Signal, 1)
	for _, s := range endings() {
		if !signal.Ignored(s) {
			signal.Notify(got, s)
		}
	}
	go func() {
		select {
		case s := <-got:
			signal.Stop(got)
			cancel(&signalled{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(got)
		cancel(nil)
	}
}

// exitOf returns the exit code of a process that a signal has ended, as shells give it.
func exitOf(s os.Signal) int {
	if n, ok := s.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return exitInput
}

// interruption returns the failure with the exit code of the signal that has ended a context of interrupted;
// nil if none has.
func interruption(ctx context.Context) error {
	var by *signalled
	if errors.As(context.Cause(ctx), &by) {
		return shown(exitOf(by.Signal))
	}
	return nil
}
