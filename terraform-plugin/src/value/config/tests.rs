//! Configurations in the bytes that terraform sends.

use serde_json::json;

use super::*;
use crate::resources::AttributeType;

/// cty's unknown value, without and with what is known about it.
const UNKNOWN: rmpv::Value = rmpv::Value::Ext(0, Vec::new());
const REFINED: i8 = 12;

fn attributes() -> Vec<Attribute> {
    let kinds = [
        ("name", AttributeType::String),
        ("count", AttributeType::Number),
        ("flag", AttributeType::Bool),
        ("hosts", AttributeType::ListOfString),
        ("labels", AttributeType::MapOfString),
    ];
    let attribute = |(name, kind): (&str, _)| Attribute {
        name: name.to_owned(),
        kind,
        required: false,
        optional: true,
        computed: false,
        sensitive: false,
        description: String::new(),
    };
    kinds.map(attribute).into()
}

fn decode(value: &rmpv::Value) -> Result<Config, DecodeError> {
    let mut msgpack = Vec::new();
    rmpv::encode::write_value(&mut msgpack, value).expect("MessagePack");
    decode_bytes(msgpack)
}

fn decode_bytes(msgpack: Vec<u8>) -> Result<Config, DecodeError> {
    let json = Vec::new();
    Config::decode(Some(&DynamicValue { msgpack, json }), &attributes())
}

fn object(entries: &[(&str, rmpv::Value)]) -> rmpv::Value {
    let entries = entries.iter();
    rmpv::Value::Map(
        entries
            .map(|(name, value)| ((*name).into(), value.clone()))
            .collect(),
    )
}

#[track_caller]
fn known(entries: &[(&str, rmpv::Value)]) -> Json {
    let config = decode(&object(entries)).expect("a configuration");
    Json::Object(config.known().clone())
}

#[track_caller]
fn failure(result: Result<Config, DecodeError>) -> DecodeError {
    result.err().expect("a failure")
}

#[test]
fn reads_every_type_and_leaves_nulls_out() {
    let hosts = rmpv::Value::Array(vec!["a".into(), rmpv::Value::Nil]);
    let config = known(&[
        ("name", "n".into()),
        ("count", 3.into()),
        ("flag", rmpv::Value::Nil),
        ("hosts", hosts),
        ("labels", object(&[("k", "v".into())])),
    ]);
    let expected = json!({
        "name": "n", "count": 3, "hosts": ["a", null], "labels": { "k": "v" },
    });
    assert_eq!(config, expected);
}

#[test]
fn reads_numbers_of_every_encoding() {
    for (sent, read) in [
        (rmpv::Value::from(-1), json!(-1)),
        (u64::MAX.into(), json!(u64::MAX)),
        (0.5.into(), json!(0.5)),
        (rmpv::Value::F32(0.5), json!(0.5)),
        ("0.1".into(), json!(0.1)),
        ("-12".into(), json!(-12)),
    ] {
        assert_eq!(known(&[("count", sent)]), json!({ "count": read }));
    }
}

#[test]
fn names_unknown_attributes() {
    let refined = rmpv::Value::Ext(REFINED, vec![0x81, 0x01, 0xc2]);
    let config = decode(&object(&[
        ("name", UNKNOWN),
        ("count", refined),
        ("flag", true.into()),
        ("hosts", rmpv::Value::Array(vec!["a".into(), UNKNOWN])),
        ("labels", object(&[("k", UNKNOWN)])),
    ]));
    let config = config.expect("a configuration");
    assert_eq!(config.unknown(), ["name", "count", "hosts", "labels"]);
    assert_eq!(config.known().get("flag"), Some(&json!(true)));
    assert_eq!(config.known().len(), 1);
}

#[test]
fn an_unknown_object_is_unknown_in_all_its_attributes() {
    let config = decode(&UNKNOWN).expect("a configuration");
    assert_eq!(config.unknown().len(), attributes().len());
}

#[test]
fn reads_the_bytes_of_a_real_client() {
    // {"name": unknown}, as go-cty writes it.
    let config = decode_bytes(b"\x81\xa4name\xd4\x00\x00".to_vec());
    assert_eq!(config.expect("a configuration").unknown(), ["name"]);
}

#[test]
fn reads_json() {
    let json = br#"{"name":"n","count":null}"#.to_vec();
    let msgpack = Vec::new();
    let config = Config::decode(Some(&DynamicValue { msgpack, json }), &attributes());
    let config = config.expect("a configuration");
    assert_eq!(Json::Object(config.known().clone()), json!({ "name": "n" }));
}

#[test]
fn refuses_what_is_not_a_configuration() {
    assert_eq!(
        failure(Config::decode(None, &attributes())),
        DecodeError::Malformed
    );
    assert_eq!(failure(decode_bytes(Vec::new())), DecodeError::Malformed);
    assert_eq!(
        failure(decode_bytes(b"\x81\xa4na".to_vec())),
        DecodeError::Malformed
    );
    assert_eq!(
        failure(decode_bytes(b"\x80\x80".to_vec())),
        DecodeError::Malformed
    );
    assert_eq!(failure(decode(&rmpv::Value::Nil)), DecodeError::NotAnObject);
    let wrong = object(&[("flag", 1.into())]);
    let expected = DecodeError::WrongType("flag".to_owned());
    assert_eq!(failure(decode(&wrong)), expected);
}

#[test]
fn survives_deep_nesting() {
    // An array of one array of one array…
    let deep = decode_bytes(vec![0x91; 1 << 20]);
    assert_eq!(failure(deep), DecodeError::Malformed);
}
