//! The credentials helper under the real `terraform`, which talks to a private
//! module registry of our own. Nothing leaves the machine.

#![allow(missing_docs)]

mod client;
mod failures;
#[path = "../guests/mod.rs"]
mod guests;
mod helper;
mod listener;
mod login;
mod modules;
mod objects;
mod proxy;
mod registry;
mod run;
mod scene;
