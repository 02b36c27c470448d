use super::*;

fn errors(text: &str) -> Vec<String> {
    let part = |reader: &mut Reader, raw: &RawValue| {
        let object = reader.object(raw, &["power_w", "list", "when"])?;
        let power = reader.required(&object, "power_w", Reader::power);
        let list = reader.optional(&object, "list", |r, raw| r.array(raw, Reader::whole_number));
        let when = reader.optional(&object, "when", Reader::duration);
        Some((power?, list?, when?))
    };
    read(text, part).err().unwrap_or_default().iter().map(ToString::to_string).collect()
}

#[test]
fn lists_every_error_with_its_pointer() {
    let text = r#"{"power_w": -1, "list": [1, "x", 1.5], "a/b": 0, "when": "P1Y"}"#;
    assert_eq!(
        errors(text),
        [
            "/a~1b: is not a known field; known are power_w, list, when",
            "/power_w: must lie between 0 and 1e11 W",
            "/list/1: is not a number",
            "/list/2: is not a whole number",
            "/when: is not a duration such as 3600 or \"PT1H\"",
        ]
    );
}

#[test]
fn members_under_free_keys_are_all_read() {
    let numbers = |text: &str| {
        read(text, |reader, raw| reader.members(raw, |reader, _, raw| reader.whole_number(raw)))
    };
    let both = [("a".to_owned(), 1), ("b/c".to_owned(), 2)];
    assert_eq!(numbers(r#"{"a": 1, "b/c": 2}"#).unwrap(), both);
    let errors = numbers(r#"{"a": "x", "a": 2, "b/c": 0.5}"#).unwrap_err();
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        ["/a: is not a number", "/a: appears twice", "/b~1c: is not a whole number"]
    );
    assert_eq!(numbers("[1]").unwrap_err()[0].to_string(), "is not an object");
}

#[test]
fn accepts_whole_numbers_with_a_point_and_iso_durations() {
    assert!(errors(r#"{"power_w": 0.000001, "list": [2.0], "when": "P1DT1H"}"#).is_empty());
    assert!(errors(r#"{"power_w": 1, "list": null}"#).is_empty());
}

#[test]
fn names_line_and_column_of_a_syntax_error() {
    assert_eq!(errors("{\"power_w\": NaN}").len(), 1);
    assert!(errors("{\"power_w\": NaN}")[0].contains("line 1 column"));
    assert_eq!(errors("[]"), ["is not an object"]);
    assert_eq!(errors(r#"{"power_w": 1, "power_w": 2}"#), ["/power_w: appears twice"]);
    assert_eq!(errors("{}"), ["/power_w: is missing"]);
}
