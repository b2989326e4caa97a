//! The two floating-point widths of the kernels.

use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// `f64` or `f32`.
pub trait Real:
    Copy
    + Default
    + PartialOrd
    + Send
    + Sync
    + std::fmt::Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + 'static
{
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// The nearest representable number.
    fn from_f64(value: f64) -> Self;
    /// The number in double precision.
    fn to_f64(self) -> f64;
    /// Square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// True for numbers that are neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// `self * factor + addend`, rounded once if `FUSED` (for code compiled with FMA instructions), else twice.
    fn mul_then_add<const FUSED: bool>(self, factor: Self, addend: Self) -> Self;
}

macro_rules! real {
    ($t:ty) => {
        impl Real for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $t
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                <$t>::sqrt(self)
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                <$t>::is_finite(self)
            }
            #[inline(always)]
            fn mul_then_add<const FUSED: bool>(self, factor: Self, addend: Self) -> Self {
                if FUSED { self.mul_add(factor, addend) } else { self * factor + addend }
            }
        }
    };
}
real!(f32);
real!(f64);
