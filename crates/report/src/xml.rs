//! As much XML as a report needs: indented elements with attributes and text.

/// Writes one document.
pub struct Xml {
    text: String,
    open: Vec<&'static str>,
}

impl Xml {
    pub fn new() -> Xml {
        Xml { text: String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"), open: Vec::new() }
    }

    fn start(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.text.push_str(&"  ".repeat(self.open.len()));
        self.text.push_str(&format!("<{name}"));
        for (name, value) in attributes {
            self.text.push_str(&format!(" {name}=\"{}\"", escaped(value, true)));
        }
    }

    /// An element for what follows, until [`Xml::close`].
    pub fn open(&mut self, name: &'static str, attributes: &[(&str, &str)]) {
        self.start(name, attributes);
        self.text.push_str(">\n");
        self.open.push(name);
    }

    /// An element that holds text, or nothing.
    pub fn element(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        self.start(name, attributes);
        if text.is_empty() {
            self.text.push_str("/>\n");
        } else {
            self.text.push_str(&format!(">{}</{name}>\n", escaped(text, false)));
        }
    }

    /// Ends the innermost open element.
    pub fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            self.text.push_str(&format!("{}</{name}>\n", "  ".repeat(self.open.len())));
        }
    }

    pub fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }
}

/// Characters that XML 1.0 cannot hold at all become U+FFFD. In attributes, line ends would be read as spaces.
fn escaped(text: &str, attribute: bool) -> String {
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => result.push_str("&amp;"),
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            '"' if attribute => result.push_str("&quot;"),
            '\n' | '\t' if attribute => result.push_str(&format!("&#{};", u32::from(character))),
            '\n' | '\t' => result.push(character),
            '\r' => result.push_str("&#13;"),
            '\0'..'\x20' | '\u{FFFE}' | '\u{FFFF}' => result.push('\u{FFFD}'),
            _ => result.push(character),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_can_be_text() {
        let mut xml = Xml::new();
        xml.open("a", &[("b", "\"<\n>\" & 'c'")]);
        xml.element("d", &[], "]]> \x1b[31m\r\n\"");
        xml.element("e", &[], "");
        let text = xml.finish();
        let (_, body) = text.split_once("?>\n").unwrap();
        assert_eq!(
            body,
            "<a b=\"&quot;&lt;&#10;&gt;&quot; &amp; 'c'\">\n  <d>]]&gt; \u{FFFD}[31m&#13;\n\"</d>\n  <e/>\n</a>\n"
        );
    }
}
