#!/usr/bin/env bash
# Makes src/parser.c of grammar.js, and build/vfl.so of that. Needs cargo, node and a C compiler; `tree-sitter generate` and `tree-sitter build` do the same.
set -euo pipefail
cd "$(dirname "$0")"

target=${CARGO_TARGET_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/tree-sitter-vfl}
cargo build --quiet --locked --manifest-path generator/Cargo.toml --target-dir "$target"
"$target/debug/generator" .
mkdir -p build
cc -shared -fPIC -O1 -w -Isrc -o build/vfl.so src/parser.c
