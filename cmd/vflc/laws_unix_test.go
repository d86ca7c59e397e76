//go:build unix

package main

import (
	"slices"
	"testing"

	"github.com/vflc/vflc/posterior"
)

// lawsModel has a censored response, and one that is a mixture with a distribution that the model declares.
const lawsModel = `dist tilted(y | mu, sigma : real<lower=0>, p : real<lower=0, upper=1>) {
    let u = (y - mu) / sigma
    log = log(p) + log1m(p) - log(sigma) - u * (p - (u < 0))
    cdf = where(u < 0, p * exp((1 - p) * u), 1 - (1 - p) * exp(-p * u))
    mean = mu + sigma * (1 - 2 * p) / (p * (1 - p))
    generate a ~ exponential(1)
    generate b ~ exponential(1)
    generate y = mu + sigma * (a / p - b / (1 - p))
}
client a, b
data y : real[N]
data t : real<lower=0>[N]
data x : real[N] @ a
data w : real[N] @ b
param m ~ tilted(0, 1, 0.5)
param ba ~ normal(0, 1) @ a
param bb ~ normal(0, 1) @ b
t ~ weibull(2, exp(m + x * ba + w * bb)) censor(right=3)
y ~ mixture(0.7, tilted(x * ba + w * bb, 1, 0.3), normal(4, 1)) truncate(lower=-9)
transform exact
`

// Replicates and a cross-validation of such responses across processes are those of one process.
func TestMixturesAndCensoringApart(t *testing.T) {
	t.Parallel()
	s := newTasksOf(t, lawsModel, map[string]string{
		"m/server.csv": "id,y,t\np1,1.1,3\np2,0.3,0.4\np3,4.2,1.7\np4,-1.5,3\np5,0.2,0.9\np6,3.7,2.2\np7,1,3\n" +
			"p8,-0.4,1.2\np9,0.8,0.6\n",
		"m/a.csv": "id,x\np1,0.5\np2,-0.3\np3,1.2\np4,0.1\np5,-0.9\np6,0.2\np7,0.8\np8,-1.1\np9,0.4\n",
		"m/b.csv": "id,w\np9,0.4\np8,1.1\np7,0.8\np6,-0.2\np5,-0.9\np4,0.1\np3,-1.2\np2,-0.3\np1,0.5\n",
	})
	task := func(folder string, args func(party string) []string) {
		t.Helper()
		var all []*played
		for _, party := range []string{"server", "a", "b"} {
			all = append(all, s.play(party, append(args(party), "-o", folder+"/"+party)...))
		}
		s.end(all...)
	}
	task("checked", func(party string) []string { return []string{"--ppc", "demo/runs/" + party} })
	s.wantSame("checked/server/"+posterior.ChecksFile, "ppc", "whole", "--written", "--draws", "0", "--seed", "7",
		"--json")
	fits := []string{"--chains", "1", "--warmup", "20", "--max-depth", "4", "--draws", "20"}
	task("validated", func(party string) []string {
		args := []string{"--cv", "3", "--data", "m/" + party + ".csv"}
		if party == "server" {
			args = append(args, fits...)
		}
		return args
	})
	s.wantSame("validated/server/"+posterior.ValidationFile, slices.Concat([]string{"cv", "m.vfl", "--folds", "3",
		"--seed", "7", "--secure-sum=on", "--json"}, fits)...)
}
