//! Reading in chunks gives the same clips, warnings and errors as reading at once.

use crate::common::fixtures::repository;
use kinestitch::motion::bvh::{Parsed, ReadOptions, Reader, read};
use kinestitch::{Error, Result};

fn strict() -> ReadOptions {
    ReadOptions { strict: true, ..ReadOptions::default() }
}

/// Refuses damaged files.
fn parse(name: &str, bytes: &[u8]) -> Result<Parsed> {
    read(name, bytes, &strict())
}

fn parse_in_pieces(bytes: &[u8], length: usize) -> Result<Parsed> {
    read_in_pieces(bytes, length, strict())
}

fn read_in_pieces(bytes: &[u8], length: usize, options: ReadOptions) -> Result<Parsed> {
    let mut reader = Reader::new("clip", bytes.len(), options)?;
    for piece in bytes.chunks(length) {
        reader.push(piece)?;
    }
    reader.finish()
}

fn check(text: &[u8], what: &str) {
    for options in [strict(), ReadOptions::default()] {
        check_with(text, what, &options);
    }
}

fn check_with(text: &[u8], what: &str, options: &ReadOptions) {
    let whole = read("clip", text, options);
    // The header is first parsed after the first piece, so every cut of it is tried.
    for length in 1..=text.len().max(1) {
        match (&whole, read_in_pieces(text, length, options.clone())) {
            (Ok(whole), Ok(pieces)) => {
                assert_eq!(whole.clip, pieces.clip, "{what} in pieces of {length}");
                assert_eq!((whole.unit, &whole.source), (pieces.unit, &pieces.source), "{what}, {length}");
            }
            (Err(whole), Err(pieces)) => assert_eq!(whole, &pieces, "{what} in pieces of {length}"),
            (whole, pieces) => panic!("{what} in pieces of {length}: {:?} {:?}", whole.as_ref().err(), pieces.err()),
        }
    }
}

const HEADER: &str = "HIERARCHY\nROOT a\n{\n OFFSET 0 1 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n End Site\n {\n  \
                      OFFSET 0 1 0\n }\n}\n";

#[test]
fn reading_in_pieces_gives_the_same_clip() {
    let motion = "MOTION\nFrames: 3\nFrame Time: 0.0333\n1 2 3\n4.5 -6e-1 7\n\n8 9 10";
    let text = format!("{HEADER}{motion}");
    check(text.as_bytes(), "a small file");
    check(format!("{text}\n").as_bytes(), "a line end at the end");
    check(format!("\u{feff}{text}\n \n").as_bytes(), "a byte order mark");
    check(text.replace('\n', "\r\n").as_bytes(), "CRLF");
    check(text.replace('\n', "\r").as_bytes(), "CR");
    check(text.replace("Frames: 3", "Frames: 9").as_bytes(), "too few rows");
    check(HEADER.as_bytes(), "no MOTION");
    let fixture = std::fs::read(repository("tests/fixtures/ada-walk.bvh")).expect("a fixture");
    for length in [4096, 65536] {
        assert_eq!(parse("clip", &fixture).map(|p| p.clip), parse_in_pieces(&fixture, length).map(|p| p.clip));
    }
}

#[test]
fn reading_in_pieces_gives_the_same_errors() {
    let rows = "MOTION\nFrames: 4\nFrame Time: 0.0333\n1 2 3\n4 5 6\n7 8 9\n10 11 12\n";
    let text = format!("{HEADER}{rows}");
    for (what, broken) in [
        ("an empty file", String::new()),
        ("cut off in the header", text[..60].to_owned()),
        ("cut off in MOTION", text[..HEADER.len() + 3].to_owned()),
        ("cut off in a number of the header", text[..HEADER.len() + 12].to_owned()),
        ("cut off in a row", text.trim_end().trim_end_matches("11 12").to_owned()),
        ("a word in a row", text.replace("8 9", "8 nine")),
        ("a short row", text.replace("8 9", "8")),
        ("a long row", text.replace("8 9", "8 9 9")),
        ("a comma", text.replace("8 9", "8,5 9")),
        ("nan", text.replace("8 9", "nan 9")),
        ("no frame time", text.replace("0.0333", "0")),
        ("a keyword with other letters", text.replace("ROOT", "R\u{f6}\u{f6}t")),
        ("a word in the header", text.replacen("0 1 0", "0 one 0", 1)),
        ("a brace after the start of a number", text.replacen("0 1 0", "0 1e}2 0", 1)),
        ("a label continued in the next line", text.replace("Frame Time:", "Frame\nTimes:")),
        ("a word after the frame time", text.replace("0.0333", "0.0333 seconds")),
        ("a joint without name", text.replace("ROOT a", "ROOT ")),
        ("an unknown channel", text.replace("Yrotation", "Yrotations")),
        ("a joint without offset", text.replacen("OFFSET 0 1 0", "", 1)),
        ("UTF-16 without a byte order mark", text.chars().flat_map(|letter| [letter, '\0']).collect()),
    ] {
        assert!(parse("clip", broken.as_bytes()).is_err(), "{what}");
        check(broken.as_bytes(), what);
        check(broken.replace('\n', "\r\n").as_bytes(), what);
        check(broken.replace('\n', "\r").as_bytes(), what);
    }
}

#[test]
fn an_error_in_the_header_is_returned_before_the_rest_of_the_file() {
    for text in [HEADER.replacen("0 1 0", "0 one 0", 1), "{ \"asset\": {} }\n".to_owned()] {
        let rest = "0.5 ".repeat(1000);
        let error = parse("clip", format!("{text}{rest}").as_bytes()).unwrap_err();
        let mut reader = Reader::new("clip", text.len() + rest.len(), strict()).unwrap();
        assert_eq!(reader.push(text.as_bytes()), Err(error));
    }
}

#[test]
fn a_size_above_the_limit_is_rejected_before_reading() {
    assert!(matches!(Reader::new("clip", 1 << 31, strict()), Err(Error::Limit { .. })));
}

#[test]
fn long_headers_and_lines_do_not_take_quadratic_time() {
    let blank = " ".repeat(8 << 20);
    let digits = "1 ".repeat(4 << 20);
    let start = std::time::Instant::now();
    for text in [blank, format!("{HEADER}MOTION\nFrames: 1\nFrame Time: 1\n{digits}")] {
        let error = parse("clip", text.as_bytes()).unwrap_err();
        assert_eq!(parse_in_pieces(text.as_bytes(), 256).err(), Some(error));
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
