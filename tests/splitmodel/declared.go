package splitmodel

// Tilted declares the asymmetric Laplace distribution.
const Tilted = `dist tilted(y | mu, sigma : real<lower=0>, p : real<lower=0, upper=1>) {
    let u = (y - mu) / sigma
    log = log(p) + log1m(p) - log(sigma) - u * (p - (u < 0))
    cdf = where(u < 0, p * exp((1 - p) * u), 1 - (1 - p) * exp(-p * u))
    generate a ~ exponential(1)
    generate b ~ exponential(1)
    generate y = mu + sigma * (a / p - b / (1 - p))
}
`

// Counted declares a count with extra zeros.
const Counted = `dist counted(k : count | eta, p : real<lower=0, upper=1>) =
    where(k == 0, log_mix(p, 0, -exp(eta)), log1m(p) + k * eta - exp(eta) - lgamma(k + 1))
`

// Share declares a number with probability at both ends.
const Share = `dist share(v : real<lower=0, upper=1> | mu : real<lower=0, upper=1>, phi : real<lower=0>,
    z : real<lower=0, upper=1>) {
    let a = mu * phi
    let b = phi - a
    let inside = lgamma(phi) - lgamma(a) - lgamma(b) + (a - 1) * log(v) + (b - 1) * log1m(v)
    log = where(v == 0, log(z / 2), where(v == 1, log(z / 2), log1m(z) + inside))
    mean = (1 - z) * mu + z / 2
    generate w ~ beta(a, b)
    generate o ~ bernoulli(z)
    generate c ~ bernoulli(0.5)
    generate v = where(o == 1, c, w)
}
`
