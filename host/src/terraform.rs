//! The components of a configuration as Terraform's ephemeral resources.
//! <https://developer.hashicorp.com/terraform/plugin/terraform-plugin-protocol>

mod key;
mod leases;
mod reference;
mod resources;
mod schema;

pub use reference::reference;
pub use resources::Provider;
pub use schema::PROVIDER;
