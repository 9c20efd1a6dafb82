//! WASI's first preview, answered inside the component: nothing is there.

use std::collections::BTreeMap;

use wasm_encoder::reencode::{Reencode, RoundtripReencoder};
use wasm_encoder::{
    CodeSection, EntityType, ExportKind, ExportSection, Function, FunctionSection, ImportSection,
    InstructionSink, MemArg, MemoryType, Module as Encoded, TypeSection,
};
use wasmparser::{FuncType, ValType};

use super::ComponentizeError;
use super::module::Module;
use crate::guest_text;

/// Error numbers of WASI's first preview: success, "bad file descriptor" and
/// "not supported".
const SUCCESS: i32 = 0;
const BADF: i32 = 8;
const NOSYS: i32 = 52;

/// A module that defines each function that another one wants.
pub(super) fn adapter(module: &Module) -> Result<Vec<u8>, ComponentizeError> {
    let mut types = TypeSection::new();
    let mut functions = FunctionSection::new();
    let mut exports = ExportSection::new();
    let mut code = CodeSection::new();
    let wanted: BTreeMap<_, _> = module.wasi_functions().collect();
    for (index, (name, function)) in (0..).zip(wanted) {
        types.ty().func_type(&numbers_alone(name, function)?);
        functions.function(index);
        exports.export(name, ExportKind::Func, index);
        code.function(&body(name, function));
    }
    let mut imports = ImportSection::new();
    let memory = MemoryType {
        minimum: 0,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    };
    imports.import("env", "memory", EntityType::Memory(memory));
    let mut encoded = Encoded::new();
    encoded
        .section(&types)
        .section(&imports)
        .section(&functions)
        .section(&exports)
        .section(&code);
    Ok(encoded.finish())
}

/// The type of a function; WASI's first preview has numbers alone.
fn numbers_alone(
    name: &str,
    function: &FuncType,
) -> Result<wasm_encoder::FuncType, ComponentizeError> {
    use ValType::{F32, F64, I32, I64};
    let mut values = function.params().iter().chain(function.results());
    let numbers = values.all(|value| matches!(value, I32 | I64 | F32 | F64));
    let encoded = RoundtripReencoder.func_type(function.clone());
    encoded.ok().filter(|_| numbers).ok_or_else(|| {
        let name = guest_text::fit(name);
        ComponentizeError::Unfit(format!("WASI has no function {name} of that type"))
    })
}

fn body(name: &str, function: &FuncType) -> Function {
    let mut body = Function::new([]);
    let mut code = body.instructions();
    let error_number = function.results() == [ValType::I32];
    match name {
        "args_sizes_get" | "environ_sizes_get" if function.params() == [ValType::I32; 2] => {
            store_zero(&mut code, 0);
            store_zero(&mut code, 1);
            code.i32_const(SUCCESS);
        }
        "args_get" | "environ_get" | "sched_yield" if error_number => {
            code.i32_const(SUCCESS);
        }
        // What ends the search for open directories.
        _ if name.starts_with("fd_") && error_number => {
            code.i32_const(BADF);
        }
        _ if error_number => {
            code.i32_const(NOSYS);
        }
        // proc_exit, and what nobody knows.
        _ => {
            code.unreachable();
        }
    }
    code.end();
    body
}

fn store_zero(code: &mut InstructionSink<'_>, pointer: u32) {
    code.local_get(pointer).i32_const(0).i32_store(MemArg {
        offset: 0,
        align: 2,
        memory_index: 0,
    });
}
