//! Calls as the client makes them, without a connection.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::fake::{Ending, Fake};
use crate::proto::tfplugin6::deferred::Reason;
use crate::proto::tfplugin6::provider_server::Provider as _;
use crate::proto::tfplugin6::{ClientCapabilities, DynamicValue};

fn provider(fake: Fake) -> (Arc<Fake>, Provider) {
    let fake = Arc::new(fake);
    let options = Arc::new(Options {
        close_time_limit: Duration::from_millis(100),
        ..Options::new("fake")
    });
    let resources: Arc<dyn EphemeralResources> = Arc::clone(&fake) as _;
    let leases = Arc::new(Leases::new(Arc::clone(&resources), Arc::clone(&options)));
    (fake, Provider::new(resources, options, leases))
}

async fn open(provider: &Provider, config: &[u8], may_defer: bool) -> open_resource::Response {
    let request = open_resource::Request {
        type_name: "fake_session".to_owned(),
        config: Some(DynamicValue {
            msgpack: config.to_vec(),
            json: Vec::new(),
        }),
        client_capabilities: Some(ClientCapabilities {
            deferral_allowed: may_defer,
        }),
    };
    let response = provider
        .open_ephemeral_resource(Request::new(request))
        .await;
    response.expect("a response").into_inner()
}

const NAMED: &[u8] = b"\x81\xa4name\xa1n";
const NAME_UNKNOWN: &[u8] = b"\x81\xa4name\xd4\x00\x00";

#[tokio::test]
async fn answers_every_attribute() {
    for (token, sent) in [
        (json!("t"), &b"\x82\xa4name\xa1n\xa5token\xa1t"[..]),
        (Value::Null, &b"\x82\xa4name\xa1n\xa5token\xc0"[..]),
    ] {
        let (_, provider) = provider(Fake {
            token,
            ..Fake::default()
        });
        let response = open(&provider, NAMED, false).await;
        assert!(response.diagnostics.is_empty());
        assert_eq!(response.result.expect("a result").msgpack, sent);
    }
}

#[tokio::test]
async fn closes_at_once_what_gave_wrong_values() {
    let (fake, provider) = provider(Fake {
        token: json!(1),
        ..Fake::default()
    });
    let response = open(&provider, NAMED, false).await;
    assert!(response.result.is_none());
    assert_eq!(
        response.diagnostics[0].detail,
        "`token` is not of the type that its schema says"
    );
    assert_eq!(fake.calls(), ["types", "open n", "close n"]);
}

#[tokio::test]
async fn defers_what_is_not_known_if_the_client_can() {
    let (fake, provider) = provider(Fake::default());
    let response = open(&provider, NAME_UNKNOWN, true).await;
    let reason = response.deferred.expect("deferred").reason;
    assert_eq!(reason, i32::from(Reason::ResourceConfigUnknown));
    let unknown = b"\x82\xa4name\xd4\x00\x00\xa5token\xd4\x00\x00";
    assert_eq!(response.result.expect("a result").msgpack, unknown);

    let response = open(&provider, NAME_UNKNOWN, false).await;
    assert!(response.deferred.is_none());
    assert_eq!(
        response.diagnostics[0].summary,
        "The configuration is not known yet"
    );
    assert_eq!(fake.calls(), ["types"]);
}

#[tokio::test]
async fn validates_what_is_known() {
    let (fake, provider) = provider(Fake::default());
    for msgpack in [NAMED, NAME_UNKNOWN] {
        let request = validate_resource::Request {
            type_name: "fake_session".to_owned(),
            config: Some(DynamicValue {
                msgpack: msgpack.to_vec(),
                json: Vec::new(),
            }),
        };
        let request = Request::new(request);
        let response = provider.validate_ephemeral_resource_config(request).await;
        assert!(
            response
                .expect("a response")
                .into_inner()
                .diagnostics
                .is_empty()
        );
    }
    let calls = ["types", r#"validate {"name":"n"}"#, "validate {}"];
    assert_eq!(fake.calls(), calls);
}

#[tokio::test]
async fn a_panic_is_a_diagnostic_without_its_text() {
    let (_, provider) = provider(Fake {
        open: Ending::Panic,
        ..Fake::default()
    });
    let response = open(&provider, NAMED, false).await;
    let [diagnostic] = &response.diagnostics[..] else {
        panic!("one diagnostic");
    };
    assert_eq!(diagnostic.summary, "The provider failed unexpectedly");
    assert!(!diagnostic.detail.contains("secret"));
}

#[tokio::test]
async fn a_panic_in_the_types_is_a_diagnostic_of_the_schema() {
    let (_, provider) = provider(Fake {
        types: Ending::Panic,
        ..Fake::default()
    });
    let response = provider
        .get_provider_schema(Request::new(schema::Request {}))
        .await;
    let response = response.expect("a response").into_inner();
    assert_eq!(response.diagnostics.len(), 1);
}

#[tokio::test]
async fn says_every_type_with_its_prefix() {
    let (_, provider) = provider(Fake::default());
    let response = provider
        .get_provider_schema(Request::new(schema::Request {}))
        .await;
    let schemas = response
        .expect("a response")
        .into_inner()
        .ephemeral_resource_schemas;
    let block = schemas["fake_session"].block.as_ref().expect("a block");
    let token = block.attributes.iter().find(|found| found.name == "token");
    let token = token.expect("the attribute");
    assert_eq!(token.r#type, br#""string""#);
    assert!(token.sensitive && token.computed && !token.required);
}

#[tokio::test]
async fn stopping_closes_and_opens_no_more() {
    let (fake, provider) = provider(Fake::default());
    let opened = open(&provider, NAMED, false).await;
    let stopped = provider.stop_provider(Request::new(stop::Request {})).await;
    assert_eq!(stopped.expect("a response").into_inner().error, "");
    let refused = open(&provider, NAMED, false).await;
    assert_eq!(refused.diagnostics[0].summary, "The run is being stopped");
    let request = close::Request {
        type_name: "fake_session".to_owned(),
        private: opened.private,
    };
    let closed = provider
        .close_ephemeral_resource(Request::new(request))
        .await;
    assert!(
        closed
            .expect("a response")
            .into_inner()
            .diagnostics
            .is_empty()
    );
    assert_eq!(fake.calls(), ["types", "open n", "close n"]);
}
