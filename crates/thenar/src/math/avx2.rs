//! The vector registers of AVX2.

use super::vector::{Quad, Vector};
use std::arch::x86_64::{
    __m256, __m256d, _CMP_LT_OQ, _mm256_add_pd, _mm256_add_ps, _mm256_andnot_pd, _mm256_andnot_ps, _mm256_blendv_pd,
    _mm256_blendv_ps, _mm256_cmp_pd, _mm256_cmp_ps, _mm256_div_pd, _mm256_div_ps, _mm256_fmadd_pd, _mm256_fmadd_ps,
    _mm256_fnmadd_pd, _mm256_fnmadd_ps, _mm256_loadu_pd, _mm256_loadu_ps, _mm256_max_pd, _mm256_max_ps, _mm256_min_pd,
    _mm256_min_ps, _mm256_mul_pd, _mm256_mul_ps, _mm256_permute2f128_pd, _mm256_set_pd, _mm256_set1_pd, _mm256_set1_ps,
    _mm256_sqrt_pd, _mm256_sqrt_ps, _mm256_storeu_pd, _mm256_storeu_ps, _mm256_sub_pd, _mm256_sub_ps,
    _mm256_unpackhi_pd, _mm256_unpacklo_pd, _mm256_xor_pd, _mm256_xor_ps,
};
use std::ops::{Add, Div, Mul, Neg, Sub};

macro_rules! operator {
    ($name:ident, $trait:ident, $method:ident, $instruction:ident) => {
        impl $trait for $name {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: such values exist only where AVX2 does, see `Vector`.
                $name(unsafe { $instruction(self.0, other.0) })
            }
        }
    };
}

macro_rules! register {
    ($name:ident, $register:ty, $scalar:ty, $len:expr, $load:ident, $store:ident, $splat:ident, $add:ident, $sub:ident,
     $mul:ident, $div:ident, $fmadd:ident, $fnmadd:ident, $sqrt:ident, $andnot:ident, $xor:ident, $max:ident, $min:ident,
     $compare:ident, $blend:ident) => {
        #[derive(Clone, Copy)]
        pub(crate) struct $name($register);

        operator!($name, Add, add, $add);
        operator!($name, Sub, sub, $sub);
        operator!($name, Mul, mul, $mul);
        operator!($name, Div, div, $div);

        impl Neg for $name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                // SAFETY: see `Vector`.
                $name(unsafe { $xor(self.0, $splat(-0.0)) })
            }
        }

        // SAFETY: used only inlined into functions compiled for AVX2 and FMA, after detection.
        unsafe impl Vector for $name {
            type Scalar = $scalar;
            const LEN: usize = $len;
            // SAFETY: as in the trait.
            #[inline(always)]
            unsafe fn load(from: *const $scalar) -> Self {
                // SAFETY: promised by the caller.
                $name(unsafe { $load(from) })
            }
            // SAFETY: as in the trait.
            #[inline(always)]
            unsafe fn store(self, to: *mut $scalar) {
                // SAFETY: promised by the caller.
                unsafe { $store(to, self.0) }
            }
            #[inline(always)]
            fn splat(value: $scalar) -> Self {
                // SAFETY: see `Vector`.
                $name(unsafe { $splat(value) })
            }
            #[inline(always)]
            fn times_plus(self, a: Self, b: Self) -> Self {
                // SAFETY: see `Vector`.
                $name(unsafe { $fmadd(self.0, a.0, b.0) })
            }
            #[inline(always)]
            fn minus_product(self, a: Self, b: Self) -> Self {
                // SAFETY: see `Vector`.
                $name(unsafe { $fnmadd(a.0, b.0, self.0) })
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                // SAFETY: see `Vector`.
                $name(unsafe { $sqrt(self.0) })
            }
            #[inline(always)]
            fn abs(self) -> Self {
                // SAFETY: see `Vector`.
                $name(unsafe { $andnot($splat(-0.0), self.0) })
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                // SAFETY: see `Vector`.
                $name(unsafe { $max(self.0, other.0) })
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                // SAFETY: see `Vector`.
                $name(unsafe { $min(self.0, other.0) })
            }
            #[inline(always)]
            fn sum(self) -> $scalar {
                let mut values = [0.0; $len];
                // SAFETY: room for one register.
                unsafe { $store(values.as_mut_ptr(), self.0) };
                let mut half = $len / 2;
                while half > 0 {
                    for i in 0..half {
                        values[i] += values[i + half];
                    }
                    half /= 2;
                }
                values[0]
            }
            #[inline(always)]
            fn select_below(self, limit: Self, below: Self, otherwise: Self) -> Self {
                // SAFETY: see `Vector`.
                $name(unsafe { $blend(otherwise.0, below.0, $compare::<_CMP_LT_OQ>(self.0, limit.0)) })
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
    _mm256_sub_pd,
    _mm256_mul_pd,
    _mm256_div_pd,
    _mm256_fmadd_pd,
    _mm256_fnmadd_pd,
    _mm256_sqrt_pd,
    _mm256_andnot_pd,
    _mm256_xor_pd,
    _mm256_max_pd,
    _mm256_min_pd,
    _mm256_cmp_pd,
    _mm256_blendv_pd
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
    _mm256_sub_ps,
    _mm256_mul_ps,
    _mm256_div_ps,
    _mm256_fmadd_ps,
    _mm256_fnmadd_ps,
    _mm256_sqrt_ps,
    _mm256_andnot_ps,
    _mm256_xor_ps,
    _mm256_max_ps,
    _mm256_min_ps,
    _mm256_cmp_ps,
    _mm256_blendv_ps
);

// SAFETY: as for `Vector`.
unsafe impl Quad for F64x4 {
    #[inline(always)]
    fn from_array([a, b, c, d]: [f64; 4]) -> Self {
        // SAFETY: see `Vector`.
        F64x4(unsafe { _mm256_set_pd(d, c, b, a) })
    }
    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: see `Vector`.
        unsafe {
            let (ab_even, ab_odd) = (_mm256_unpacklo_pd(a.0, b.0), _mm256_unpackhi_pd(a.0, b.0));
            let (cd_even, cd_odd) = (_mm256_unpacklo_pd(c.0, d.0), _mm256_unpackhi_pd(c.0, d.0));
            [
                F64x4(_mm256_permute2f128_pd::<0x20>(ab_even, cd_even)),
                F64x4(_mm256_permute2f128_pd::<0x20>(ab_odd, cd_odd)),
                F64x4(_mm256_permute2f128_pd::<0x31>(ab_even, cd_even)),
                F64x4(_mm256_permute2f128_pd::<0x31>(ab_odd, cd_odd)),
            ]
        }
    }
}
