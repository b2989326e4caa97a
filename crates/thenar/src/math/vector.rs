//! Vector registers, as far as the dense kernels need them.

use super::Real;

/// A few numbers that are worked on together: one register of the machine, or a plain array.
///
/// # Safety
/// The AVX2 types may only be used in code that runs after AVX2 and FMA have been detected, and only inlined into
/// functions compiled for them.
pub(crate) unsafe trait Vector: Copy {
    type Scalar: Real;
    const LEN: usize;
    /// # Safety
    /// `LEN` numbers must be readable at `from`.
    unsafe fn load(from: *const Self::Scalar) -> Self;
    /// # Safety
    /// `LEN` numbers must be writable at `to`.
    unsafe fn store(self, to: *mut Self::Scalar);
    fn splat(value: Self::Scalar) -> Self;
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self - a * b`, rounded once where the machine can.
    fn minus_product(self, a: Self, b: Self) -> Self;
}

/// Four numbers on any machine, with separate multiplication and addition.
#[derive(Clone, Copy)]
pub(crate) struct Array<T, const N: usize>([T; N]);

// SAFETY: needs no special instructions.
unsafe impl<T: Real, const N: usize> Vector for Array<T, N> {
    type Scalar = T;
    const LEN: usize = N;
    #[inline(always)]
    unsafe fn load(from: *const T) -> Self {
        // SAFETY: promised by the caller.
        Array(unsafe { from.cast::<[T; N]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut T) {
        // SAFETY: promised by the caller.
        unsafe { to.cast::<[T; N]>().write_unaligned(self.0) }
    }
    #[inline(always)]
    fn splat(value: T) -> Self {
        Array([value; N])
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Array(std::array::from_fn(|i| self.0[i] + other.0[i]))
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Array(std::array::from_fn(|i| self.0[i] * other.0[i]))
    }
    #[inline(always)]
    fn minus_product(self, a: Self, b: Self) -> Self {
        Array(std::array::from_fn(|i| self.0[i] - a.0[i] * b.0[i]))
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2 {
    use super::Vector;
    use std::arch::x86_64::{
        __m256, __m256d, _mm256_add_pd, _mm256_add_ps, _mm256_fnmadd_pd, _mm256_fnmadd_ps, _mm256_loadu_pd,
        _mm256_loadu_ps, _mm256_mul_pd, _mm256_mul_ps, _mm256_set1_pd, _mm256_set1_ps, _mm256_storeu_pd,
        _mm256_storeu_ps,
    };

    macro_rules! register {
        ($name:ident, $register:ty, $scalar:ty, $len:expr, $load:ident, $store:ident, $splat:ident, $add:ident, $mul:ident, $fnmadd:ident) => {
            #[derive(Clone, Copy)]
            pub(crate) struct $name($register);

            // SAFETY: used in code compiled for AVX2 and FMA only, after detection.
            unsafe impl Vector for $name {
                type Scalar = $scalar;
                const LEN: usize = $len;
                #[inline(always)]
                unsafe fn load(from: *const $scalar) -> Self {
                    // SAFETY: promised by the caller.
                    $name(unsafe { $load(from) })
                }
                #[inline(always)]
                unsafe fn store(self, to: *mut $scalar) {
                    // SAFETY: promised by the caller.
                    unsafe { $store(to, self.0) }
                }
                #[inline(always)]
                fn splat(value: $scalar) -> Self {
                    // SAFETY: see the trait.
                    $name(unsafe { $splat(value) })
                }
                #[inline(always)]
                fn add(self, other: Self) -> Self {
                    // SAFETY: see the trait.
                    $name(unsafe { $add(self.0, other.0) })
                }
                #[inline(always)]
                fn mul(self, other: Self) -> Self {
                    // SAFETY: see the trait.
                    $name(unsafe { $mul(self.0, other.0) })
                }
                #[inline(always)]
                fn minus_product(self, a: Self, b: Self) -> Self {
                    // SAFETY: see the trait.
                    $name(unsafe { $fnmadd(a.0, b.0, self.0) })
                }
            }
        };
    }

    register!(
        F64x4,
        __m256d,
        f64,
        4,
        _mm256_loadu_pd,
        _mm256_storeu_pd,
        _mm256_set1_pd,
        _mm256_add_pd,
        _mm256_mul_pd,
        _mm256_fnmadd_pd
    );
    register!(
        F32x8,
        __m256,
        f32,
        8,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_set1_ps,
        _mm256_add_ps,
        _mm256_mul_ps,
        _mm256_fnmadd_ps
    );
}
