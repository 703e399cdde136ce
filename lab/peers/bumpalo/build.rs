// SPDX-License-Identifier: MIT
//! Tells the crate which bumpalo Cargo.lock chose.

fn main() {
    println!("cargo:rerun-if-changed=Cargo.lock");
    let lock = std::fs::read_to_string("Cargo.lock").unwrap_or_default();
    let version = lock
        .split("[[package]]")
        .find(|package| package.contains("name = \"bumpalo\""))
        .and_then(|package| package.split("version = \"").nth(1))
        .and_then(|rest| rest.split('"').next())
        .unwrap_or("unknown");
    println!("cargo:rustc-env=BUMPALO_VERSION={version}");
}
