//! filter IN OUT SET,SET: keeps recordings of the sets that are not of the test split.
use std::path::Path;
use training::data::{Split, pack};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let mut r = pack::load(Path::new(&a[1])).unwrap();
    let sets: Vec<&str> = a[3].split(',').collect();
    r.retain(|r| r.split != Split::Test && sets.contains(&r.set.as_str()));
    pack::save(Path::new(&a[2]), &r).unwrap();
    println!("{}", r.len());
}
