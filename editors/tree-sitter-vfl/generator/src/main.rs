//! Writes src/parser.c of the grammar.js of a folder, which is the one argument.

use tree_sitter_generate::{generate_parser_in_directory, OptLevel, ABI_VERSION_MAX};

fn main() {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".into());
    let mut notes = Vec::new();
    let made = generate_parser_in_directory(
        &folder,
        None::<String>,
        None::<String>,
        ABI_VERSION_MAX,
        None,
        None,
        true,
        OptLevel::default(),
        &mut notes,
    );
    for note in notes {
        eprintln!("{folder}: {note}");
    }
    if let Err(e) = made {
        eprintln!("{folder}: {e}");
        std::process::exit(1);
    }
}
