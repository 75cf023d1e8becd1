//! Forms of the console. Each describes its call in attributes; the script sends it and shows the `curl` line.
use maud::{Markup, html};

/// A field of a form: its name in the call, its label, and its initial value. An empty field is not sent.
#[derive(Clone, Copy)]
pub(super) enum Field<'a> {
    /// Sent as text.
    Text(&'a str, &'a str, &'a str),
    /// Sent as text; a list on the page, given by its id, suggests values.
    Picked(&'a str, &'a str, &'a str),
    /// Sent as a number.
    Number(&'a str, &'a str, &'a str),
    /// Sent as a number; a list on the page suggests values.
    PickedNumber(&'a str, &'a str, &'a str),
    /// One of these texts.
    Choice(&'a str, &'a str, &'a [(&'a str, &'a str)]),
    /// One of these numbers or booleans.
    JsonChoice(&'a str, &'a str, &'a [(&'a str, &'a str)]),
}

/// A form that makes a call; `{name}` in the path is the value of that field.
pub(super) fn form(method: &str, path: &str, button: &str, fields: &[Field<'_>]) -> Markup {
    forms(path, &[(method, button)], fields)
}

/// A form whose action only a checkpoint can undo.
pub(super) fn dangerous(method: &str, path: &str, button: &str, fields: &[Field<'_>]) -> Markup {
    html! { div.dangerous { (form(method, path, button, fields)) } }
}

/// A button that makes one call with this body.
pub(super) fn preset(method: &str, path: &str, body: &str, text: &str) -> Markup {
    html! { button.plain type="button" data-method=(method) data-path=(path) data-body=(body) { (text) } }
}

/// A form whose buttons make calls with different methods and the same fields.
pub(super) fn forms(path: &str, buttons: &[(&str, &str)], fields: &[Field<'_>]) -> Markup {
    html! {
        form.filters data-path=(path) {
            @for field in fields {
                @match *field {
                    Field::Text(name, label, value) => {
                        label { (label) input name=(name) value=(value) autocomplete="off"; }
                    },
                    Field::Picked(name, label, list) => {
                        label { (label) input name=(name) list=(list) autocomplete="off"; }
                    },
                    Field::Number(name, label, value) => {
                        label { (label) input name=(name) value=(value) inputmode="numeric" autocomplete="off" data-json; }
                    },
                    Field::PickedNumber(name, label, list) => {
                        label { (label) input name=(name) list=(list) inputmode="numeric" autocomplete="off" data-json; }
                    },
                    Field::Choice(name, label, values) => { label { (label) (choice(name, values, false)) } },
                    Field::JsonChoice(name, label, values) => { label { (label) (choice(name, values, true)) } },
                }
            }
            @for (method, button) in buttons { button.plain type="submit" data-method=(method) { (button) } }
        }
    }
}

fn choice(name: &str, values: &[(&str, &str)], is_json: bool) -> Markup {
    html! {
        select name=(name) data-json[is_json] {
            @for (value, text) in values { option value=(value) { (text) } }
        }
    }
}

/// A part of a tab, under a heading with this `id`.
pub(super) fn tile(id: &str, title: &str, content: &Markup) -> Markup {
    html! {
        section.tile aria-labelledby=(id) {
            h2 id=(id) { (title) }
            (content)
        }
    }
}
