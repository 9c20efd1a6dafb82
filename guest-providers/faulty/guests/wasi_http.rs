//! Makes a request through WASI.

use keyhost_guest::Error;
use wasip2::http::outgoing_handler::handle;
use wasip2::http::types::{Fields, OutgoingRequest};

keyhost_faulty_guests::faulty!("wasi-http", |_config, _metadata| {
    let request = OutgoingRequest::new(Fields::new());
    let _ = request.set_authority(Some("127.0.0.1:47633"));
    Err(Error::failure(format!(
        "request: {}",
        handle(request, None).is_ok()
    )))
});
