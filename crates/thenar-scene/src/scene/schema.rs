//! The JSON schema of scene files, for editors that complete and check TOML.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::{Direction, Scene};

/// The schema as `thenar scenes --schema` prints it and `docs/scene.schema.json` holds it.
#[must_use]
pub fn schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(Scene);
    schema.insert("title".to_owned(), "Thenar scene".into());
    schema.to_value()
}

impl JsonSchema for Direction {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Direction".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = super::direction::NAMED.iter().map(|(name, _)| *name).collect();
        json_schema!({
            "description": "A direction in the world by name (forward is -z, up is +y) or a vector of any length.",
            "anyOf": [
                { "type": "string", "enum": names },
                { "type": "array", "items": { "type": "number" }, "minItems": 3, "maxItems": 3 }
            ]
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::schema;
    use crate::library;

    /// What is wrong with a value under a schema: the part of JSON Schema that ours uses, and nothing else.
    fn fault(root: &Value, schema: &Value, value: &Value, path: &str) -> Option<String> {
        let Some(rules) = schema.as_object() else {
            return (schema == &Value::Bool(false)).then(|| format!("{path}: not allowed"));
        };
        let inner = |schema: &Value, value: &Value, path: &str| fault(root, schema, value, path);
        for (keyword, rule) in rules {
            let found = match keyword.as_str() {
                "$schema" | "$defs" | "title" | "description" | "default" | "format" => None,
                "$ref" => {
                    let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                    inner(&root["$defs"][name], value, path)
                }
                "type" => {
                    let kinds: Vec<&str> = match rule {
                        Value::Array(list) => list.iter().map(|kind| kind.as_str().unwrap()).collect(),
                        one => vec![one.as_str().unwrap()],
                    };
                    let is = |kind: &&str| match *kind {
                        "object" => value.is_object(),
                        "array" => value.is_array(),
                        "string" => value.is_string(),
                        "boolean" => value.is_boolean(),
                        "number" => value.is_number(),
                        "integer" => value.is_i64() || value.is_u64(),
                        "null" => value.is_null(),
                        other => panic!("unknown type {other}"),
                    };
                    (!kinds.iter().any(is)).then(|| format!("{path}: {value} is no {kinds:?}"))
                }
                "enum" => (!rule.as_array().unwrap().contains(value)).then(|| format!("{path}: {value} not in {rule}")),
                "const" => (rule != value).then(|| format!("{path}: {value} is not {rule}")),
                "minimum" => (value.as_f64() < rule.as_f64()).then(|| format!("{path}: {value} is below {rule}")),
                "oneOf" | "anyOf" => {
                    let faults: Vec<_> = rule.as_array().unwrap().iter().map(|s| inner(s, value, path)).collect();
                    let fits = faults.iter().filter(|fault| fault.is_none()).count();
                    (fits == 0 || keyword == "oneOf" && fits > 1).then(|| format!("{path}: {fits} fit; {faults:?}"))
                }
                "required" => rule
                    .as_array()
                    .unwrap()
                    .iter()
                    .find_map(|key| value.get(key.as_str().unwrap()).is_none().then(|| format!("{path}: no {key}"))),
                "properties" => rule.as_object().unwrap().iter().find_map(|(key, schema)| {
                    value.get(key).and_then(|value| inner(schema, value, &format!("{path}.{key}")))
                }),
                "additionalProperties" => {
                    let known = |key: &String| schema["properties"].get(key).is_some();
                    let others = value.as_object().into_iter().flatten().filter(|(key, _)| !known(key));
                    others.into_iter().find_map(|(key, value)| inner(rule, value, &format!("{path}.{key}")))
                }
                "items" => {
                    value.as_array().into_iter().flatten().find_map(|item| inner(rule, item, &format!("{path}[]")))
                }
                "minItems" | "maxItems" if !value.is_array() => None,
                "minItems" | "maxItems" => {
                    let (count, bound) = (value.as_array().unwrap().len() as u64, rule.as_u64().unwrap());
                    let fits = if keyword == "minItems" { count >= bound } else { count <= bound };
                    (!fits).then(|| format!("{path}: {count} items, {keyword} {bound}"))
                }
                other => panic!("{path}: the schema uses `{other}`, which this test does not know"),
            };
            // A value of the wrong type would only confuse the other rules.
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn fault_of(text: &str) -> Option<String> {
        let table: toml::Table = text.parse().unwrap();
        let schema = schema();
        fault(&schema, &schema, &serde_json::to_value(table).unwrap(), "scene")
    }

    #[test]
    fn all_scenes_of_the_library_fit() {
        for (name, text) in library::scenes() {
            assert_eq!(fault_of(text), None, "{name}");
        }
    }

    #[test]
    fn mistakes_do_not_fit() {
        let ball = library::scenes().next().unwrap().1;
        for (good, bad) in [
            ("seconds = 9.5", "secunds = 9.5"),
            ("seconds = 9.5", "seconds = \"long\""),
            ("measure = \"height\"", "measure = \"hight\""),
            ("facing = \"down\"", "facing = \"downwards\""),
            ("facing = \"down\"", "facing = [1, 2]"),
            ("shape = { sphere = 0.0365 }", "shape = { sphere = 0.0365, plane = true }"),
            ("side = \"right\"", "side = \"middle\""),
        ] {
            assert!(ball.contains(good), "{good}");
            assert!(fault_of(&ball.replacen(good, bad, 1)).is_some(), "{bad}");
        }
    }

    #[test]
    fn the_file_in_docs_is_current() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scene.schema.json");
        let stored: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        assert!(stored == schema(), "renew it: thenar scenes --schema > docs/scene.schema.json");
    }
}
