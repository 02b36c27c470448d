//! What values of requests may be, in the OpenAPI document: bounds, formats and enumerations.
//!
//! They are in `bounds.json`: of parameters by name, of one operation's parameters, of bodies that are lists, and of members of
//! schemas. A text there names a fragment of `shared`. What a member must be is read by hand-written readers, which tell every
//! error; `.ci/fuzz` asks the service whether readers and document agree.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// Schemas of members and parameters as the readers have them.
const BOUNDS: &str = include_str!("bounds.json");

/// Where schemas are.
const SCHEMAS: &str = "#/components/schemas/";

/// Members that may stand for each other.
const DURATION: [&str; 2] = ["duration_s", "duration"];

/// Adds what `bounds.json` says to a document, and closes the objects of bodies, which have no other members.
///
/// # Errors
/// `bounds.json` names what is not there.
pub fn add(document: &mut Value) -> Result<(), String> {
    let bounds: Value = serde_json::from_str(BOUNDS).map_err(|error| error.to_string())?;
    let shared = &bounds["shared"];
    let mut unused = names_of(&bounds);
    for (operation, name) in operations(document) {
        for parameter in members(operation, "parameters") {
            let parameter_name = parameter["name"].as_str().unwrap_or_default().to_owned();
            let own = format!("{name} {parameter_name}");
            let schema = &mut parameter["schema"];
            if schema["format"] != "uuid" && schema["enum"].is_null() {
                for place in [("parameters", &parameter_name), ("parameters of", &own)] {
                    if let Some(more) = bounds[place.0].get(place.1) {
                        unused.remove(&format!("{} {}", place.0, place.1));
                        merge(schema, more, shared)?;
                    }
                }
            }
            widen(schema);
        }
        let body = operation.pointer_mut("/requestBody/content/application~1json/schema");
        let Some(body) = body else { continue };
        if let Some(more) = bounds["lists"].get(&name) {
            unused.remove(&format!("lists {name}"));
            merge(body, more, shared)?;
        }
        // A body that may be left out may not be null.
        needed(body);
    }
    let bodies = schemas_of_bodies(document);
    let schemas = &mut document["components"]["schemas"];
    for (name, places) in bounds["schemas"].as_object().into_iter().flatten() {
        for (place, more) in places.as_object().into_iter().flatten() {
            let schema = schemas.get_mut(name).and_then(|schema| member(schema, place));
            let schema = schema.ok_or_else(|| format!("there is no {place} in {name}"))?;
            merge(schema, more, shared)?;
        }
    }
    for name in &bodies {
        flatten(schemas, name);
        close(&mut schemas[name]);
        widen(&mut schemas[name]);
    }
    if unused.is_empty() { Ok(()) } else { Err(format!("nothing has these bounds: {unused:?}")) }
}

/// All operations, with their names.
fn operations(document: &mut Value) -> impl Iterator<Item = (&mut Value, String)> {
    let paths = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    let operations =
        paths.flat_map(|item| item.as_object_mut().into_iter().flat_map(Map::values_mut));
    operations.filter_map(|operation| {
        let name = operation.get("operationId")?.as_str()?.to_owned();
        Some((operation, name))
    })
}

fn members<'a>(of: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> {
    of.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten()
}

/// What is said of parameters and lists, by its place.
fn names_of(bounds: &Value) -> BTreeSet<String> {
    let places = ["parameters", "parameters of", "lists"];
    let names = |place: &'static str| {
        bounds[place]
            .as_object()
            .into_iter()
            .flat_map(Map::keys)
            .map(move |name| format!("{place} {name}"))
    };
    places.into_iter().flat_map(names).collect()
}

/// A member of a schema, one of the schemas that it may be (`oneOf/1`), or itself where the place is empty.
fn member<'a>(schema: &'a mut Value, place: &str) -> Option<&'a mut Value> {
    if place.is_empty() {
        return Some(schema);
    }
    if let Some(number) = place.strip_prefix("oneOf/") {
        return schema.get_mut("oneOf")?.get_mut(number.parse::<usize>().ok()?);
    }
    let here = schema["properties"].get(place).is_some();
    if here {
        return schema["properties"].get_mut(place);
    }
    let parts = schema.get_mut("allOf")?.as_array_mut()?;
    parts.iter_mut().find_map(|part| part.get_mut("properties")?.get_mut(place))
}

/// Adds a fragment, the shared one that a text names, or those of a list. What is null there is taken away, and with `"null": false` that a
/// value may be null; an enumeration of what may be null
/// has null too.
fn merge(schema: &mut Value, more: &Value, shared: &Value) -> Result<(), String> {
    let more = match more {
        Value::String(name) => shared.get(name).ok_or_else(|| format!("there is no {name:?}"))?,
        more => more,
    };
    if let Value::Array(fragments) = more {
        return fragments.iter().try_for_each(|one| merge(schema, one, shared));
    }
    if more.get("null").is_some() {
        needed(schema);
    }
    let (Some(schema), Some(more)) = (schema.as_object_mut(), more.as_object()) else {
        return Err(format!("{more} is added to what is no schema"));
    };
    for (keyword, value) in more {
        match (keyword.as_str(), value) {
            ("null", _) => {}
            (_, Value::Null) => drop(schema.shift_remove(keyword)),
            ("items" | "additionalProperties" | "propertyNames", value) if !value.is_boolean() => {
                merge(schema.entry(keyword).or_insert_with(|| json!({})), value, shared)?;
            }
            ("enum", Value::Array(words)) => {
                let may_be_null =
                    schema["type"].as_array().is_some_and(|it| it.contains(&json!("null")));
                let null = may_be_null.then_some(Value::Null);
                schema.insert(keyword.clone(), words.iter().cloned().chain(null).collect());
            }
            (_, value) => drop(schema.insert(keyword.clone(), value.clone())),
        }
    }
    Ok(())
}

/// Takes away that a value may be null.
fn needed(schema: &mut Value) {
    let null = json!({ "type": "null" });
    if let Some(types) = schema.get_mut("type").and_then(Value::as_array_mut) {
        types.retain(|it| it != "null");
        if let [only] = &types[..] {
            schema["type"] = only.clone();
        }
    } else if let Some([only, other]) =
        schema.get("oneOf").and_then(Value::as_array).map(Vec::as_slice)
        && *other == null
    {
        *schema = only.clone();
    }
}

/// Names of the schemas that bodies of requests are made of.
fn schemas_of_bodies(document: &mut Value) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    let mut left: Vec<Value> =
        operations(document).map(|(operation, _)| operation["requestBody"].clone()).collect();
    while let Some(value) = left.pop() {
        match value {
            Value::Object(members) => {
                let schema = members.get("$ref").and_then(Value::as_str);
                let name = schema.and_then(|it| it.strip_prefix(SCHEMAS)).map(str::to_owned);
                if let Some(name) = name.filter(|name| !named.contains(name)) {
                    left.push(document["components"]["schemas"][&name].clone());
                    named.insert(name);
                }
                left.extend(members.into_iter().map(|(_, member)| member));
            }
            Value::Array(items) => left.extend(items),
            _ => {}
        }
    }
    named
}

/// Makes one object of the parts that a schema consists of.
fn flatten(schemas: &mut Value, name: &str) {
    let Some(Value::Array(parts)) =
        schemas[name].as_object_mut().and_then(|it| it.shift_remove("allOf"))
    else {
        return;
    };
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for part in parts {
        let named = part["$ref"].as_str().and_then(|it| it.strip_prefix(SCHEMAS));
        let part = named.map_or(&part, |name| &schemas[name]);
        properties.extend(part["properties"].as_object().cloned().unwrap_or_default());
        required.extend(part["required"].as_array().cloned().unwrap_or_default());
    }
    let schema = &mut schemas[name];
    schema["type"] = json!("object");
    schema["required"] = Value::Array(required);
    schema["properties"] = Value::Object(properties);
}

/// Closes an object: it has no other members. Its duration may stand as `duration_s` or `duration`.
fn close(schema: &mut Value) {
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    if let Some(duration) = properties.get_mut(DURATION[0]) {
        needed(duration);
        let mut other = duration.clone();
        other["description"] = json!("In place of `duration_s`.");
        properties.insert(DURATION[1].to_owned(), other);
        if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|it| it != DURATION[0]);
        }
    }
    schema["additionalProperties"] = json!(false);
}

/// Whole numbers of 32 bits that have no sign are more than `int32` has.
fn widen(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            let is_unsigned =
                members.get("minimum").and_then(Value::as_i64).is_some_and(|it| it >= 0);
            if is_unsigned
                && members.get("format").is_some_and(|it| it == "int32")
                && !members.contains_key("maximum")
            {
                members.insert("format".to_owned(), json!("int64"));
                members.insert("maximum".to_owned(), json!(u32::MAX));
            }
            members.values_mut().for_each(widen);
        }
        Value::Array(items) => items.iter_mut().for_each(widen),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use planner::rights::Action;
    use serde_json::{Value, json};

    use super::BOUNDS;

    #[test]
    fn an_action_is_one_of_all_actions() {
        let bounds: Value = serde_json::from_str(BOUNDS).unwrap();
        let words: Vec<&str> = Action::ALL.iter().map(|action| action.word()).collect();
        assert_eq!(bounds["shared"]["action"]["enum"], json!(words));
    }

    /// Each bound is one of something, and bodies have no members but those that they tell.
    #[test]
    fn the_document_has_the_bounds_of_values() {
        let document = crate::http::v1::document().unwrap();
        let schemas = &document["components"]["schemas"];
        let search = &schemas["SearchDocument"]["properties"];
        assert_eq!(search["mode"]["enum"], json!(["slots", "exact"]));
        assert_eq!(search["slot_s"]["maximum"], 86_400);
        let reservation = &schemas["ReservationRequest"];
        assert_eq!(reservation["additionalProperties"], false);
        assert_eq!(reservation["allOf"], Value::Null);
        assert_eq!(reservation["required"], json!(["earliest_start"]));
        assert_eq!(
            reservation["properties"]["on_cap"]["enum"],
            json!(["refuse", "negotiate", null])
        );
        assert_eq!(reservation["properties"]["duration"]["$ref"], "#/components/schemas/Duration");
        let list = &document["paths"]["/api/v1/nodes"]["get"]["parameters"];
        assert_eq!(list[0]["schema"]["maximum"], u32::MAX);
        assert_eq!(list[1]["schema"]["maximum"], 10_000);
    }
}
