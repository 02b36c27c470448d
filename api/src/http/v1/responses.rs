//! What responses mean: each has a description in the OpenAPI document, as its specification wants.

use serde_json::Value;
use utoipa::openapi::{OpenApi, RefOr, Response};

/// Describes every response whose handler says nothing of its own: successes by what they carry,
/// problems by their status.
pub fn describe(description: &mut OpenApi) {
    let schemas = description.components.as_ref().map(|it| serde_json::to_value(&it.schemas));
    let schemas = schemas.and_then(Result::ok).unwrap_or_default();
    let items = description.paths.paths.values_mut();
    let operations = items.flat_map(|item| {
        [&mut item.get, &mut item.put, &mut item.post, &mut item.patch, &mut item.delete]
            .into_iter()
            .flatten()
    });
    for (status, response) in operations.flat_map(|operation| &mut operation.responses.responses) {
        if let RefOr::T(response) = response
            && response.description.is_empty()
        {
            let carried = carried(response, &schemas).filter(|_| status.starts_with('2'));
            response.description = carried.unwrap_or_else(|| of_status(status).to_owned());
        }
    }
}

/// The first sentences of what a response's body is.
fn carried(response: &Response, schemas: &Value) -> Option<String> {
    let body = response.content.values().find_map(|content| match content {
        RefOr::T(content) => match &content.schema {
            Some(RefOr::Ref(body)) => Some(body.ref_location.as_str()),
            _ => None,
        },
        RefOr::Ref(_) => None,
    })?;
    let name = body.rsplit('/').next()?;
    let text = schemas[name]["description"].as_str()?;
    Some(text.split("\n\n").next()?.replace('\n', " ").trim_end_matches('.').to_owned())
}

/// What a status means wherever it is answered.
fn of_status(status: &str) -> &'static str {
    match status {
        "200" => "What was asked for",
        "201" => "Made",
        "202" => "Taken on; it is done later",
        "204" => "Done, and there is nothing to tell",
        "400" => {
            "The request has errors: `errors` lists each with its place, and nothing was changed"
        }
        "401" => "No token, or one that is not valid",
        "403" => "The caller's role, or a rule of the site, does not permit this",
        "404" => "There is no such thing, or the caller may not know of it",
        "409" => "It does not go with what there is now; `code` says why",
        "412" => "Changed since it was read",
        "413" => "The body is larger than this route takes",
        "415" => "The body's media type is none that this route reads",
        "422" => "The request is understood and cannot be carried out",
        "429" => "The caller's share is used up; see Retry-After",
        "503" => "Too busy, or the database is out of reach; see Retry-After",
        _ => "The service failed; its log says why",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    /// The specification wants a description of every response; clients' generators refuse
    /// documents without.
    #[test]
    fn every_response_has_a_description() {
        let document = serde_json::to_value(crate::http::v1::openapi()).unwrap();
        let operations = document["paths"].as_object().unwrap().values();
        let operations = operations.flat_map(|item| item.as_object().unwrap().values());
        let mut count = 0;
        for operation in operations {
            for (status, response) in operation["responses"].as_object().unwrap() {
                let told = response["description"].as_str().unwrap_or_default();
                assert!(told.len() > 3, "{status} of {}", operation["operationId"]);
                count += 1;
            }
        }
        assert!(count >= 200, "{count}");
        let responses = &document["paths"]["/api/v1/quotes"]["post"]["responses"];
        assert_ne!(responses["200"]["description"], Value::Null);
        assert_eq!(responses["401"]["description"], "No token, or one that is not valid");
    }
}
