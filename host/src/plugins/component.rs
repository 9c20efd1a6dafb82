//! A loaded component, whatever its kind: what the adapters of all worlds share.
//! A macro and no generic type, since what bindgen makes of a world is private.

/// Defines the loaded component of a world, by its kind and by the types that
/// bindgen generated: loading, the rules that it runs under, and instances.
macro_rules! component {
    ($(#[$documentation:meta])* $component:ident, $kind:ident, $pre:ident, $instance:ident) => {
        $(#[$documentation])*
        #[derive(Clone)]
        pub struct $component {
            pre: $pre<$crate::sandbox::state::State>,
            sandbox: $crate::sandbox::Sandbox,
        }

        impl $component {
            /// Loads a component; `name` is what the operator calls it.
            ///
            /// # Errors
            /// [`Refused`]($crate::component::Refused) before any of it runs.
            pub fn load(
                engine: &$crate::engine::Engine,
                cache: &$crate::component::cache::Cache,
                name: &str,
                request: &$crate::component::Request<'_>,
                log: std::sync::Arc<dyn $crate::log::LogSink>,
            ) -> Result<Self, $crate::component::Refused> {
                let kind = $crate::component::kind::PluginKind::$kind;
                Ok(Self {
                    pre: $crate::component::load(engine, cache, request, kind, $pre::new)?,
                    sandbox: $crate::sandbox::Sandbox::new(engine, name, request, log, kind),
                })
            }

            /// The limits that it runs under.
            pub fn limits(&self) -> &$crate::limits::Limits {
                &self.sandbox.limits
            }

            /// What the operator calls the component.
            pub fn name(&self) -> &str {
                &self.sandbox.component
            }

            /// The same component with its texts shown as they are: to judge one
            /// with secrets that are made up.
            #[must_use]
            pub fn without_redaction(mut self) -> Self {
                self.sandbox.redacts = false;
                self
            }

            /// The same component with another storage.
            #[must_use]
            pub fn with_bucket(&self, bucket: $crate::storage::Bucket) -> Self {
                let mut other = self.clone();
                other.sandbox.bucket = Some(bucket);
                other
            }

            /// The same component, told another time.
            #[must_use]
            pub fn with_clock(mut self, clock: $crate::clock::WallClock) -> Self {
                self.sandbox.clock = clock;
                self
            }

            fn instantiate(
                &self,
                store: &mut wasmtime::Store<$crate::sandbox::state::State>,
            ) -> Result<$instance, $crate::sandbox::fault::Fault> {
                self.pre
                    .instantiate(&mut *store)
                    .map_err(|error| $crate::sandbox::fault::Fault::of(&error, store))
            }

            /// Makes a call that needs nothing built, in a fresh instance.
            fn call<T>(
                &self,
                call: impl FnOnce(
                    &$instance,
                    &mut wasmtime::Store<$crate::sandbox::state::State>,
                ) -> wasmtime::Result<T>,
            ) -> Result<T, $crate::plugins::error::CallError> {
                self.sandbox.run(|store| {
                    let instance = self.instantiate(store)?;
                    call(&instance, store)
                        .map_err(|error| $crate::sandbox::fault::Fault::of(&error, store).into())
                })
            }
        }
    };
}

pub(super) use component;
