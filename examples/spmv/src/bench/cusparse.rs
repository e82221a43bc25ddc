//! cuSPARSE's product of a matrix in compressed rows, in this process and stream, where the library is installed.

use std::ffi::c_void;
use std::ptr;

use cudarc::cusparse::sys::{
    self, cudaDataType_t, cusparseIndexBase_t, cusparseIndexType_t, cusparseOperation_t, cusparseSpMVAlg_t,
    cusparseStatus_t,
};
use hotfire_host::DeviceBuffer;

use crate::device::Product;
use crate::text;
use spmv::matrix::Matrix;

/// The two algorithms for compressed rows.
#[derive(Clone, Copy)]
pub enum Algorithm {
    /// What the library chooses by itself.
    First,
    /// Equal results bit for bit.
    Second,
}

impl Algorithm {
    pub const ALL: [Self; 2] = [Self::First, Self::Second];

    pub fn name(self) -> &'static str {
        match self {
            Self::First => "cuSPARSE",
            Self::Second => "cuSPARSE ALG2",
        }
    }

    fn number(self) -> cusparseSpMVAlg_t {
        match self {
            Self::First => cusparseSpMVAlg_t::CUSPARSE_SPMV_CSR_ALG1,
            Self::Second => cusparseSpMVAlg_t::CUSPARSE_SPMV_CSR_ALG2,
        }
    }
}

fn check(call: &str, status: cusparseStatus_t) -> Result<(), String> {
    if status == cusparseStatus_t::CUSPARSE_STATUS_SUCCESS { Ok(()) } else { Err(format!("{call}: {status:?}")) }
}

/// The loaded library.
pub struct Library(sys::cusparseHandle_t);

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once. An error has nobody to go to.
        let _ = unsafe { sys::cusparseDestroy(self.0) };
    }
}

impl Library {
    /// `None` where there is no such library.
    pub fn load() -> Result<Option<Self>, String> {
        // SAFETY: this only looks whether the library can be loaded.
        if !unsafe { sys::is_culib_present() } {
            return Ok(None);
        }
        let mut handle = ptr::null_mut();
        // SAFETY: a place for the result; the device's context is current.
        check("cusparseCreate", unsafe { sys::cusparseCreate(&mut handle) })?;
        Ok(Some(Self(handle)))
    }

    /// y = A x with the matrix and the vector that `product` has on the device, prepared as far as the library can.
    pub fn product<'a>(
        &'a self,
        product: &'a Product,
        matrix: &Matrix,
        algorithm: Algorithm,
    ) -> Result<Spmv<'a>, String> {
        const REAL: cudaDataType_t = cudaDataType_t::CUDA_R_32F;
        let stream = product.stream();
        let [start, column, value, x] = product.addresses().map(|address| address as *mut c_void);
        let (rows, columns, entries) = (matrix.rows() as i64, matrix.columns as i64, matrix.entries() as i64);
        let y = DeviceBuffer::<f32>::zeroed(stream, matrix.rows()).map_err(text)?;
        let (mut a, mut vx, mut vy) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let (index, base) = (cusparseIndexType_t::CUSPARSE_INDEX_32I, cusparseIndexBase_t::CUSPARSE_INDEX_BASE_ZERO);
        // SAFETY: places for results; the arrays have the sizes that are given and live as long as `product` and `y`.
        unsafe {
            check("cusparseSetStream", sys::cusparseSetStream(self.0, stream.handle().cast()))?;
            let made =
                sys::cusparseCreateCsr(&mut a, rows, columns, entries, start, column, value, index, index, base, REAL);
            check("cusparseCreateCsr", made)?;
            check("cusparseCreateDnVec", sys::cusparseCreateDnVec(&mut vx, columns, x, REAL))?;
            let place = y.address().get() as *mut c_void;
            check("cusparseCreateDnVec", sys::cusparseCreateDnVec(&mut vy, rows, place, REAL))?;
        }
        let buffer = DeviceBuffer::zeroed(stream, 0).map_err(text)?;
        let mut spmv =
            Spmv { library: self, product, a, x: vx, y: vy, result: y, buffer, algorithm: algorithm.number() };
        let (operation, one, zero) = (cusparseOperation_t::CUSPARSE_OPERATION_NON_TRANSPOSE, 1f32, 0f32);
        let (one, zero) = ((&raw const one).cast(), (&raw const zero).cast());
        let mut size = 0;
        // SAFETY: the descriptors live; the scalars are read during the call; a place for the result.
        let answer = unsafe {
            sys::cusparseSpMV_bufferSize(
                self.0,
                operation,
                one,
                a.cast_const(),
                vx.cast_const(),
                zero,
                vy,
                REAL,
                spmv.algorithm,
                &mut size,
            )
        };
        check("cusparseSpMV_bufferSize", answer)?;
        spmv.buffer = DeviceBuffer::zeroed(stream, size).map_err(text)?;
        let place = spmv.buffer.address().get() as *mut c_void;
        // SAFETY: as above; the buffer has the size that was asked for.
        let answer = unsafe {
            sys::cusparseSpMV_preprocess(
                self.0,
                operation,
                one,
                a.cast_const(),
                vx.cast_const(),
                zero,
                vy,
                REAL,
                spmv.algorithm,
                place,
            )
        };
        check("cusparseSpMV_preprocess", answer)?;
        Ok(spmv)
    }
}

/// A product that is ready to be run.
pub struct Spmv<'a> {
    library: &'a Library,
    product: &'a Product,
    a: sys::cusparseSpMatDescr_t,
    x: sys::cusparseDnVecDescr_t,
    y: sys::cusparseDnVecDescr_t,
    result: DeviceBuffer<f32>,
    buffer: DeviceBuffer<u8>,
    algorithm: cusparseSpMVAlg_t,
}

impl Spmv<'_> {
    fn submit(&mut self) -> Result<(), String> {
        let (one, zero) = (1f32, 0f32);
        let (one, zero) = ((&raw const one).cast(), (&raw const zero).cast());
        // SAFETY: descriptors, arrays and buffer live until the stream is synchronised by every caller; the scalars are read during the call.
        let answer = unsafe {
            sys::cusparseSpMV(
                self.library.0,
                cusparseOperation_t::CUSPARSE_OPERATION_NON_TRANSPOSE,
                one,
                self.a.cast_const(),
                self.x.cast_const(),
                zero,
                self.y,
                cudaDataType_t::CUDA_R_32F,
                self.algorithm,
                self.buffer.address().get() as *mut c_void,
            )
        };
        check("cusparseSpMV", answer)
    }

    /// One product's result, without an activation.
    pub fn result(&mut self) -> Result<Vec<f32>, String> {
        self.submit()?;
        self.result.read(self.product.stream()).map_err(text)
    }

    /// Milliseconds of each of several products in a row.
    pub fn time_row(&mut self, products: u32) -> Result<f64, String> {
        let stream = self.product.stream();
        let begin = stream.record(true).map_err(text)?;
        for _ in 0..products {
            self.submit()?;
        }
        let end = stream.record(true).map_err(text)?;
        end.synchronize().map_err(text)?;
        Ok(begin.milliseconds_to(&end).map_err(text)? / f64::from(products))
    }
}

impl Drop for Spmv<'_> {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once, before the arrays that they name. An error has nobody to go to.
        unsafe {
            let _ = sys::cusparseDestroySpMat(self.a.cast_const());
            let _ = sys::cusparseDestroyDnVec(self.x.cast_const());
            let _ = sys::cusparseDestroyDnVec(self.y.cast_const());
        }
    }
}
