//! A directory with a generated client and programs that use it.

use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;
use worldspace_projections::stubs::{Source, typescript};

/// Where `./check` puts the compiler.
const MODULES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/test-tools/typescript/node_modules");

/// What users may ask of their compiler besides what the configuration says: a bundler's way to find modules, less
/// strictness, and the library of Node without that of browsers.
const SETTINGS: &[&[&str]] = &[
    &["--types", "none", "--module", "esnext", "--moduleResolution", "bundler", "--lib", "es2022,dom"],
    &["--types", "none", "--strict", "false", "--exactOptionalPropertyTypes", "false"],
    &["--types", "node", "--lib", "es2022"],
];

pub(super) struct Project(TempDir);

impl Project {
    /// A project with a client of these interfaces; none, said on stderr, where the tools are missing.
    pub(super) fn new(module: &str, sources: &[Source]) -> Option<Self> {
        let tsc = PathBuf::from(MODULES).join("typescript/lib/tsc.js");
        let node = Command::new("node").arg("--version").output();
        if !tsc.exists() || !node.is_ok_and(|ran| ran.status.success()) {
            eprintln!("skipped: Node or {} is not there; ./check fetches the compiler by npm", tsc.display());
            return None;
        }
        let project = Self(tempfile::tempdir().unwrap());
        project.add("package.json", r#"{"type":"module"}"#);
        project.add("tsconfig.json", include_str!("tsconfig.json"));
        project.generate(module, sources);
        Some(project)
    }

    /// A client of these interfaces.
    pub(super) fn generate(&self, module: &str, sources: &[Source]) {
        for file in typescript::client(sources, module) {
            self.add(&file.name, &file.text);
        }
    }

    pub(super) fn add(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn node(&self, words: &[&str]) -> Output {
        Command::new("node").current_dir(self.0.path()).args(words).output().unwrap()
    }

    #[track_caller]
    fn tsc(&self, words: &[&str]) {
        let ran = self.node(&[&[&*format!("{MODULES}/typescript/lib/tsc.js")], words].concat());
        assert!(ran.status.success(), "{words:?}: {}", String::from_utf8_lossy(&ran.stdout));
    }

    /// Compiles the programs.
    #[track_caller]
    pub(super) fn compiles(&self) {
        self.tsc(&["-p", "tsconfig.json", "--typeRoots", &format!("{MODULES}/@types")]);
    }

    /// Checks the generated files alone, in every setting.
    #[track_caller]
    pub(super) fn compiles_anywhere(&self) {
        self.add("none/none/index.d.ts", "export {};\n");
        let roots = format!("none,{MODULES}/@types");
        for settings in SETTINGS {
            self.tsc(&[&["-p", "tsconfig.json", "--noEmit", "--typeRoots", &roots], *settings].concat());
        }
    }

    /// Runs a compiled program, which says `ok` and nothing else.
    #[track_caller]
    pub(super) fn runs(&self, program: &str, words: &[&str]) {
        let ran = self.node(&[&[&*format!("out/{program}.js")], words].concat());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(ran.status.success() && ran.stdout == b"ok\n", "{}{}", text(&ran.stdout), text(&ran.stderr));
    }
}
