//! Who the two sides are: each knows the other's one certificate.

use std::sync::Arc;

use rcgen::{CertificateParams, KeyPair, PKCS_ECDSA_P256_SHA256};
use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{CertificateError, DigitallySignedStruct, DistinguishedName, ServerConfig};
use rustls::{SignatureScheme, version::TLS13};

/// The name by which go-plugin's client checks the certificate.
const SERVER_NAME: &str = "localhost";

/// Why there is no identity to serve under. Without details: they are of the
/// libraries below.
#[derive(Debug, thiserror::Error)]
#[error("cannot make a certificate to serve under")]
pub(crate) struct IdentityError;

/// A fresh certificate, and how to serve under it to the client of that certificate.
///
/// # Errors
///
/// When no key can be made.
pub(crate) fn configure(
    client: CertificateDer<'static>,
) -> Result<(CertificateDer<'static>, ServerConfig), IdentityError> {
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).map_err(|_| IdentityError)?;
    let certificate = CertificateParams::new(vec![SERVER_NAME.to_owned()])
        .and_then(|params| params.self_signed(&key))
        .map_err(|_| IdentityError)?;
    let certificate = certificate.der().clone();
    let key = PrivatePkcs8KeyDer::from(key.serialize_der());
    // Named, not the process's default. The client's key is P-521, which ring lacks.
    let crypto = Arc::new(aws_lc_rs::default_provider());
    let verifier = PinnedClient {
        certificate: client,
        crypto: Arc::clone(&crypto),
    };
    let mut config = ServerConfig::builder_with_provider(crypto)
        .with_protocol_versions(&[&TLS13])
        .and_then(|builder| {
            builder
                .with_client_cert_verifier(Arc::new(verifier))
                .with_single_cert(vec![certificate.clone()], key.into())
        })
        .map_err(|_| IdentityError)?;
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok((certificate, config))
}

/// Lets the client in that shows this very certificate. Not by WebPKI: that refuses
/// go-plugin's, which calls itself an authority.
#[derive(Debug)]
struct PinnedClient {
    certificate: CertificateDer<'static>,
    crypto: Arc<CryptoProvider>,
}

impl ClientCertVerifier for PinnedClient {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        if *end_entity != self.certificate {
            return Err(CertificateError::ApplicationVerificationFailure.into());
        }
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.crypto.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.crypto.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = &self.crypto.signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}
