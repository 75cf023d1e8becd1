//! Imports of each crate: no cycle of more than three files, no layer of the platform imports from one above it, and the API does not
//! expose what is below it.
use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Attribute, FnArg, ImplItem, Item, ItemMod, ItemUse, Path, ReturnType, Type, UseTree, Visibility};

use super::tree::{root, tracked_files};

/// Largest permitted number of files in a cycle of imports.
const MOST: usize = 3;

/// The layers of the platform, lowest first: a layer imports only from itself and from those before it.
const LAYERS: [&str; 25] = [
    "address",
    "credential",
    "event",
    "fact",
    "clock",
    "node_calls",
    "detached",
    "faults",
    "ports",
    "pool_calls",
    "journal",
    "activity",
    "account",
    "state",
    "store",
    "chain",
    "indexer",
    "market",
    "cache",
    "genesis",
    "engine",
    "api",
    "services",
    "vectors",
    "platform",
];

/// The folders of `scenarios`, lowest first.
const ROOMS: [&str; 9] =
    ["model", "client", "fake_servers", "trial", "answers", "truth", "audit", "sections", "play"];

/// The only import of a folder from a higher one: a world keeps what the ledger has folded for every check.
const UPWARD: (&str, &str) = ("trial::world", "truth::ledger::FoldedAt");

/// The modules that services may import besides each other: the API, and the plain values of the lowest layers.
const NAMED_BY_SERVICES: [&str; 5] = ["api", "address", "event", "node_calls", "services"];

/// The name of a module within its crate.
type Module = Vec<String>;

/// The files of a crate, each with its imports: modules with the imported item, if there is one.
#[derive(Default)]
struct Crate {
    files: BTreeMap<Module, Imports>,
}

#[derive(Default)]
struct Imports {
    module: Module,
    /// Paths as written, without those of tests.
    written: Vec<Module>,
    /// Re-exported paths, by the name under which they are re-exported.
    exported: BTreeMap<String, Module>,
    items: Vec<Item>,
}

fn is_of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|one| one.path().is_ident("cfg") && quoted(&one.meta).contains("test"))
}

fn quoted(meta: &syn::Meta) -> String {
    meta.require_list().map(|list| list.tokens.to_string()).unwrap_or_default()
}

fn flatten(tree: &UseTree, above: &Module, found: &mut Vec<(String, Module)>) {
    let below = |name: &syn::Ident| [above.as_slice(), &[name.to_string()]].concat();
    match tree {
        UseTree::Path(path) => flatten(&path.tree, &below(&path.ident), found),
        UseTree::Name(name) if name.ident == "self" => {
            found.push((above.last().cloned().unwrap_or_default(), above.clone()));
        }
        UseTree::Name(name) => found.push((name.ident.to_string(), below(&name.ident))),
        UseTree::Rename(renamed) => found.push((renamed.rename.to_string(), below(&renamed.ident))),
        UseTree::Glob(_) => found.push(("*".to_owned(), above.clone())),
        UseTree::Group(group) => group.items.iter().for_each(|item| flatten(item, above, found)),
    }
}

impl<'ast> Visit<'ast> for Imports {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if item.content.is_some() && !is_of_tests(&item.attrs) {
            self.module.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.module.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let mut found = Vec::new();
        flatten(&item.tree, &Vec::new(), &mut found);
        let found = found.into_iter().map(|(name, path)| (name, self.absolute(path)));
        if matches!(item.vis, Visibility::Inherited) {
            let found: Vec<Module> = found.map(|(_, path)| path).collect();
            self.written.extend(found);
        } else {
            let found: Vec<(String, Module)> = found.collect();
            self.exported.extend(found);
        }
    }

    /// The path in `pub(in …)` is not an import.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_path(&mut self, path: &'ast Path) {
        let written: Module = path.segments.iter().map(|one| one.ident.to_string()).collect();
        if ["crate", "self", "super"].contains(&written[0].as_str()) {
            let path = self.absolute(written);
            self.written.push(path);
        }
        visit::visit_path(self, path);
    }
}

impl Imports {
    /// A path from the crate's root; one without a leading keyword may refer to a module below.
    fn absolute(&self, mut path: Module) -> Module {
        match path[0].as_str() {
            "crate" => path.split_off(1),
            "self" => [self.module.as_slice(), &path[1..]].concat(),
            "super" => {
                let up = path.iter().take_while(|name| *name == "super").count();
                [&self.module[..self.module.len() - up], &path[up..]].concat()
            }
            _ => [self.module.as_slice(), &path].concat(),
        }
    }
}

impl Crate {
    fn read(folder: &str) -> Self {
        let source = root().join(folder).join("src");
        let mut all = Self::default();
        for path in tracked_files() {
            let Ok(inside) = path.strip_prefix(&source) else { continue };
            if inside.extension().is_none_or(|ending| ending != "rs") {
                continue;
            }
            let mut module: Module =
                inside.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
            if ["mod", "lib", "main"].contains(&module[module.len() - 1].as_str()) {
                module.pop();
            }
            if module.iter().any(|name| name.ends_with("tests")) {
                continue;
            }
            let file = syn::parse_file(&std::fs::read_to_string(&path).unwrap()).unwrap();
            let mut imports = Imports { module: module.clone(), ..Imports::default() };
            imports.visit_file(&file);
            imports.items = file.items;
            all.files.insert(module, imports);
        }
        assert!(!all.files.is_empty(), "{folder} has sources");
        all
    }

    fn of_layer(&self, layer: &str) -> impl Iterator<Item = (&Module, &Imports)> {
        self.files.iter().filter(move |(module, _)| module.first().is_some_and(|first| first == layer))
    }

    /// The file to which a path leads: its deepest module that is a file, followed through re-exports.
    fn file_of(&self, path: &[String], patience: usize) -> Option<&Module> {
        let deepest = (0..=path.len()).rev().find_map(|end| self.files.get_key_value(&path[..end]))?;
        let (module, imports) = deepest;
        let exported = path.get(module.len()).and_then(|name| imports.exported.get(name));
        match exported {
            Some(exported) if patience > 0 => self.file_of(exported, patience - 1),
            _ => Some(module),
        }
    }

    /// The files from which each file imports.
    fn edges(&self) -> BTreeMap<&Module, BTreeSet<&Module>> {
        let of = |(module, imports): (_, &Imports)| {
            let named = imports.written.iter().filter_map(|path| self.file_of(path, 8));
            (module, named.filter(|file| *file != module && !file.is_empty()).collect())
        };
        self.files.iter().map(of).collect()
    }

    /// Sets of files each of which imports every other, directly or indirectly.
    fn cycles(&self) -> BTreeSet<BTreeSet<&Module>> {
        let edges = self.edges();
        let reached = |from: &Module| {
            let mut reached = BTreeSet::new();
            let mut open: Vec<&Module> = edges[from].iter().copied().collect();
            while let Some(next) = open.pop() {
                if reached.insert(next) {
                    open.extend(&edges[next]);
                }
            }
            reached
        };
        let all: BTreeMap<&Module, BTreeSet<&Module>> =
            edges.keys().map(|file| (*file, reached(file))).collect();
        let cycle =
            |file: &&Module| all[*file].iter().copied().filter(|other| all[*other].contains(*file)).collect();
        all.keys().map(cycle).collect()
    }
}

const CRATES: [&str; 9] = [
    "contracts",
    "harness",
    "harness/defects",
    "harness/packages",
    "scenarios",
    "sim",
    "sim/math",
    "sim/redaction",
    "sim/tool-server",
];

#[test]
fn no_import_cycle_has_more_than_three_files() {
    let mut found = Vec::new();
    for folder in CRATES {
        let sources = Crate::read(folder);
        let edges = sources.edges();
        for cycle in sources.cycles().into_iter().filter(|cycle| cycle.len() > MOST) {
            let within = cycle
                .iter()
                .flat_map(|file| edges[*file].intersection(&cycle).map(move |other| (file, other)));
            found.extend(
                within.map(|(file, other)| format!("{folder}: {} -> {}", file.join("::"), other.join("::"))),
            );
        }
    }
    assert!(found.is_empty(), "cycles of more than {MOST} files:\n{}", found.join("\n"));
}

/// The control of the test above: existing cycles are found.
#[test]
fn the_search_for_import_cycles_can_find() {
    let sources = Crate::read("scenarios");
    let of = |names: &[&[&str]]| {
        names.iter().map(|path| path.iter().map(ToString::to_string).collect()).collect::<BTreeSet<Module>>()
    };
    let found = sources.cycles().into_iter().any(|cycle| {
        cycle.into_iter().cloned().collect::<BTreeSet<_>>()
            == of(&[&["trial"], &["trial", "check"], &["trial", "clause"]])
    });
    assert!(found, "a check, its clause and its trial name each other");
}

#[test]
fn no_layer_of_the_platform_imports_from_one_above_it() {
    let sources = Crate::read("sim");
    let floor = |layer: &str| {
        let floor = LAYERS.iter().position(|one| *one == layer);
        floor.unwrap_or_else(|| panic!("{layer} is not among the layers of the platform"))
    };
    for (module, imports) in sources.files.iter().filter(|(module, _)| !module.is_empty()) {
        let named = imports.written.iter().chain(imports.exported.values());
        for path in named.filter(|path| path.first().is_some_and(|layer| LAYERS.contains(&layer.as_str()))) {
            assert!(floor(&path[0]) <= floor(&module[0]), "{module:?} imports {path:?}");
            let by_services = module[0] == "services" && !NAMED_BY_SERVICES.contains(&path[0].as_str());
            assert!(!by_services, "{module:?} names {path:?}; the services call the API");
        }
    }
}

#[test]
fn no_room_of_the_judge_imports_from_one_above_it() {
    let sources = Crate::read("scenarios");
    let floor = |room: &str| ROOMS.iter().position(|one| *one == room);
    let rooms: BTreeSet<&str> =
        sources.files.keys().filter(|module| module.len() > 1).map(|module| &*module[0]).collect();
    assert_eq!(rooms, ROOMS.into_iter().collect(), "every folder is a room");
    let mut upward = BTreeSet::new();
    for (module, imports) in &sources.files {
        let Some(own) = module.first().and_then(|room| floor(room)) else { continue };
        for path in imports.written.iter().chain(imports.exported.values()) {
            if path.first().and_then(|room| floor(room)).is_some_and(|other| other > own) {
                upward.insert((module.join("::"), path.join("::")));
            }
        }
    }
    let known = BTreeSet::from([(UPWARD.0.to_owned(), UPWARD.1.to_owned())]);
    assert_eq!(upward, known);
}

/// The API contains no HTTP status.
#[test]
fn the_api_knows_no_protocol() {
    let sources = Crate::read("sim");
    let mut read = 0;
    for (module, imports) in sources.of_layer("api") {
        read += 1;
        let foreign = imports
            .written
            .iter()
            .find(|path| path.iter().any(|name| ["axum", "http", "hyper"].contains(&name.as_str())));
        assert_eq!(foreign, None, "{module:?}");
    }
    assert!(read > 20, "{read} files");
}

/// The names in a type or a signature.
#[derive(Default)]
struct Names(BTreeSet<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_path(&mut self, path: &'ast Path) {
        self.0.extend(path.segments.iter().map(|one| one.ident.to_string()));
        visit::visit_path(self, path);
    }
}

impl Names {
    fn of(types: impl IntoIterator<Item = impl std::borrow::Borrow<Type>>) -> BTreeSet<String> {
        let mut names = Self::default();
        types.into_iter().for_each(|one| names.visit_type(one.borrow()));
        names.0
    }
}

/// The types from lower layers in a type's fields, and the fields and methods that expose them.
#[derive(Debug, Default)]
struct Parts {
    types: BTreeSet<String>,
    handed_out: BTreeSet<String>,
}

impl Parts {
    fn of(sources: &Crate, layer: &str, owner: &str) -> Self {
        let files: Vec<&Imports> = sources.of_layer(layer).map(|(_, file)| file).collect();
        let mut parts = Self::default();
        files.iter().for_each(|file| parts.read_fields(file, layer, owner));
        files.iter().for_each(|file| parts.read_methods(file, owner));
        assert!(!parts.types.is_empty(), "{owner} has nothing of the layers below {layer}");
        parts
    }

    fn read_fields(&mut self, file: &Imports, layer: &str, owner: &str) {
        let is_below = |path: &&Module| {
            path.first().is_some_and(|first| LAYERS.contains(&first.as_str()) && first != layer)
        };
        let below: BTreeSet<String> =
            file.written.iter().filter(is_below).filter_map(|path| path.last().cloned()).collect();
        for item in &file.items {
            if let Item::Struct(item) = item
                && item.ident == owner
            {
                let names = Names::of(item.fields.iter().map(|field| &field.ty));
                self.types.extend(names.intersection(&below).cloned());
                let open = item.fields.iter().filter(|field| !matches!(field.vis, Visibility::Inherited));
                self.handed_out.extend(open.filter_map(|field| Some(field.ident.as_ref()?.to_string())));
            }
        }
    }

    fn read_methods(&mut self, file: &Imports, owner: &str) {
        let of_owner = file.items.iter().filter_map(|item| match item {
            Item::Impl(item) if item.trait_.is_none() && !is_of_tests(&item.attrs) => {
                Names::of([&*item.self_ty]).contains(owner).then_some(item)
            }
            _ => None,
        });
        let methods = of_owner.flat_map(|item| &item.items).filter_map(|item| match item {
            ImplItem::Fn(method) if !matches!(method.vis, Visibility::Inherited) => Some(&method.sig),
            _ => None,
        });
        for method in methods {
            let returned = match &method.output {
                ReturnType::Type(_, returned) => Some(&**returned),
                ReturnType::Default => None,
            };
            // A constructor takes parts; a method could pass them to a function argument.
            let taken = method.inputs.iter().filter_map(|one| match one {
                FnArg::Typed(one) if method.receiver().is_some() => Some(&*one.ty),
                _ => None,
            });
            if !Names::of(taken.chain(returned)).is_disjoint(&self.types) {
                self.handed_out.insert(format!("{}()", method.ident));
            }
        }
    }
}

/// A service can reach nothing below the API through it: the compiler protects private fields, and no method exposes what they hold.
#[test]
fn the_api_keeps_to_itself_what_is_below_it() {
    let sources = Crate::read("sim");
    for owner in ["Api", "SwapApi"] {
        let Parts { types, handed_out } = Parts::of(&sources, "api", owner);
        assert_eq!(handed_out, BTreeSet::new(), "{owner}");
        for (module, imports) in sources.of_layer("services") {
            let named = imports.written.iter().find(|path| {
                path.first().is_some_and(|first| first == "api") && types.contains(&path[path.len() - 1])
            });
            assert_eq!(named, None, "{module:?} names a part of {owner}");
        }
    }
}

/// The control of the test above: the same search finds a method that exposes a private field, and a public field.
#[test]
fn the_search_for_what_is_handed_out_can_find() {
    let sources = Crate::read("sim");
    assert!(Parts::of(&sources, "platform", "Platform").handed_out.contains("engine()"));
    assert!(Parts::of(&sources, "engine", "Placed").handed_out.contains("chain"));
}
