//! The result of a run as one JSON document.

use hotfire_host::{Device, LaunchPool};
use serde_json::json;

use crate::report::Table;
use spmv::matrix::Matrix;

/// Everything that the text says too.
pub fn run(device: &Device, matrix: &Matrix, heavy: usize, pool: &LaunchPool, table: &Table) -> Result<String, String> {
    let document = json!({
        "device": device.name().map_err(|error| error.to_string())?,
        "matrix": matrix_facts(matrix),
        "heavy": heavy,
        "pool": { "slots": pool.granted(), "bound": pool.needed() },
        "runs": table.rows,
    });
    serde_json::to_string_pretty(&document).map_err(|error| error.to_string())
}

/// What a reader must know of a matrix.
pub fn matrix_facts(matrix: &Matrix) -> serde_json::Value {
    json!({
        "name": matrix.name,
        "rows": matrix.rows(),
        "columns": matrix.columns,
        "entries": matrix.entries(),
        "longest": matrix.lengths().max().unwrap_or(0),
    })
}
