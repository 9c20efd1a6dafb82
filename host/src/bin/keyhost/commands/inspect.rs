use std::fmt::Write;

use anyhow::Context;
use keyhost::component::imports::Interface;
use keyhost::component::kind::PluginKind;
use keyhost::component::{Refused, Request, source};
use keyhost::descriptor::{Attribute, Descriptor, Output};
use keyhost::digest::Digest;
use keyhost::engine::Engine;
use keyhost::grants::Grants;
use keyhost::guest_text;
use keyhost::limits::Limits;
use keyhost::plugins::credentials_helper::CredentialsHelperComponent;
use keyhost::plugins::ephemeral_resource::EphemeralResourceComponent;
use keyhost::plugins::key_provider::KeyProviderComponent;
use serde_json::json;

use crate::cli::{Format, Global, Inspect};
use crate::files;

struct Facts {
    kind: PluginKind,
    size: usize,
    digest: Digest,
    interface: Interface,
    descriptor: Descriptor,
    outputs: Vec<Output>,
}

/// Shows what a component is. It runs under the default limits, to be asked what it declares.
pub(crate) fn run(global: &Global, command: &Inspect) -> anyhow::Result<()> {
    let limits = Limits::default();
    let bytes = source::read(&command.path, &limits).map_err(Refused::from)?;
    let interface = Interface::of(&command.path, &bytes).map_err(Refused::from)?;
    let kind = interface.kind(&command.path).map_err(Refused::from)?;
    let request = Request {
        sha256: Some(Digest::of(&bytes)),
        // It may import a storage, and finds none.
        grants: Grants {
            storage: true,
            ..Grants::default()
        },
        ..Request::new(&command.path, &limits)
    };
    let name = command.path.display().to_string();
    let (engine, cache, log) = (Engine::new()?, global.cache(), global.log_sink());
    let mut outputs = Vec::new();
    let described = match kind {
        PluginKind::KeyProvider => {
            KeyProviderComponent::load(&engine, &cache, &name, &request, log)?.describe()
        }
        PluginKind::CredentialsHelper => {
            CredentialsHelperComponent::load(&engine, &cache, &name, &request, log)?.describe()
        }
        PluginKind::EphemeralResource => {
            EphemeralResourceComponent::load(&engine, &cache, &name, &request, log)?
                .describe()
                .map(|description| {
                    outputs = description.outputs;
                    description.descriptor
                })
        }
    };
    let facts = Facts {
        size: bytes.len(),
        digest: Digest::of(&bytes),
        kind,
        interface,
        outputs,
        descriptor: described.with_context(|| format!("{name} cannot be used"))?,
    };
    let text = match command.format {
        Format::Text => facts.text(),
        Format::Json => facts.json()?,
    };
    files::print(text.as_bytes())
}

impl Facts {
    fn text(&self) -> String {
        let Descriptor {
            id,
            version,
            attributes,
        } = &self.descriptor;
        let mut text = format!(
            "{} {id}, version {version}\nsize         {} bytes\nsha256       {}\nwasi         {}\ngrants       {}\nimports      {}\n",
            self.kind,
            self.size,
            self.digest,
            if self.interface.imports_wasi() {
                "wanted, and shut"
            } else {
                "not wanted"
            },
            if self.interface.imports_storage() {
                "storage, or it is refused"
            } else {
                "none needed to be loaded"
            },
            self.interface.imports.join("\n             "),
        );
        text.push_str("attributes\n");
        let names = attributes.iter().map(|attribute| &attribute.name);
        let width = names
            .chain(self.outputs.iter().map(|output| &output.name))
            .map(String::len)
            .max()
            .unwrap_or(0);
        for attribute in attributes {
            // Writing to a text cannot fail.
            let _ = writeln!(
                text,
                "  {:width$}  {}; {}. {}",
                attribute.name,
                attribute.kind,
                requirement(attribute),
                attribute.description,
            );
        }
        if !self.outputs.is_empty() {
            text.push_str("outputs\n");
        }
        for output in &self.outputs {
            let sensitive = if output.sensitive {
                ", made by the host alone"
            } else {
                ""
            };
            let _ = writeln!(
                text,
                "  {:width$}  {}{sensitive}. {}",
                output.name, output.kind, output.description,
            );
        }
        text
    }

    fn json(&self) -> anyhow::Result<String> {
        let attributes: Vec<_> = self
            .descriptor
            .attributes
            .iter()
            .map(|attribute| {
                json!({
                    "name": attribute.name,
                    "type": attribute.kind.to_string(),
                    "required": attribute.required,
                    "sensitive": attribute.sensitive,
                    "default": attribute.default,
                    "description": attribute.description,
                })
            })
            .collect();
        let outputs: Vec<_> = self
            .outputs
            .iter()
            .map(|output| {
                json!({
                    "name": output.name,
                    "type": output.kind.to_string(),
                    "sensitive": output.sensitive,
                    "description": output.description,
                })
            })
            .collect();
        let facts = json!({
            "kind": self.kind.to_string().replace(' ', "_"),
            "id": self.descriptor.id,
            "version": self.descriptor.version,
            "size": self.size,
            "sha256": self.digest.to_string(),
            "wasi": self.interface.imports_wasi(),
            "storage": self.interface.imports_storage(),
            "imports": self.interface.imports,
            "exports": self.interface.exports,
            "attributes": attributes,
            "outputs": outputs,
        });
        Ok(serde_json::to_string_pretty(&facts)? + "\n")
    }
}

fn requirement(attribute: &Attribute) -> String {
    let sensitive = if attribute.sensitive {
        ", seen by the host alone"
    } else {
        ""
    };
    let requirement = match &attribute.default {
        Some(default) => format!("default {}", guest_text::fit(&default.to_string())),
        None if attribute.required => "required".to_owned(),
        None => "optional".to_owned(),
    };
    requirement + sensitive
}
