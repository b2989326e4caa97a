//! Vector registers, as far as the kernels need them.

use super::Real;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A few numbers that are worked on together: one register of the machine, or a plain array.
///
/// Kernels are written once over this trait. They must not use closures: a closure is compiled without the vector
/// instructions of the function that it is inlined into.
///
/// # Safety
/// The AVX2 types may only be used in code that runs after AVX2 and FMA have been detected, and only inlined into
/// functions compiled for them.
pub(crate) unsafe trait Vector:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    type Scalar: Real;
    const LEN: usize;
    /// # Safety
    /// `LEN` numbers must be readable at `from`.
    unsafe fn load(from: *const Self::Scalar) -> Self;
    /// # Safety
    /// `LEN` numbers must be writable at `to`.
    unsafe fn store(self, to: *mut Self::Scalar);
    fn splat(value: Self::Scalar) -> Self;
    /// `self * a + b`, rounded once where the machine can.
    fn times_plus(self, a: Self, b: Self) -> Self;
    /// `self - a * b`, rounded once where the machine can.
    fn minus_product(self, a: Self, b: Self) -> Self;
    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    /// The larger number, or that of `other` if one is NaN.
    fn max(self, other: Self) -> Self;
    /// The smaller number, or that of `other` if one is NaN.
    fn min(self, other: Self) -> Self;
    /// The sum of the numbers, halves first.
    fn sum(self) -> Self::Scalar;
    /// Where `self < limit` the number of `below`, elsewhere (and for NaN) that of `otherwise`.
    fn select_below(self, limit: Self, below: Self, otherwise: Self) -> Self;
}

/// Four `f64`, one per element of a group of four.
///
/// # Safety
/// As for [`Vector`].
pub(crate) unsafe trait Quad: Vector<Scalar = f64> {
    fn from_array(values: [f64; 4]) -> Self;
    /// Rows become columns.
    fn transpose(rows: [Self; 4]) -> [Self; 4];
}

/// Numbers on any machine, with separate multiplication and addition.
#[derive(Clone, Copy)]
pub(crate) struct Array<T, const N: usize>([T; N]);

macro_rules! array_operator {
    ($trait:ident, $method:ident, $operator:tt) => {
        impl<T: Real, const N: usize> $trait for Array<T, N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Array(std::array::from_fn(|i| self.0[i] $operator other.0[i]))
            }
        }
    };
}
array_operator!(Add, add, +);
array_operator!(Sub, sub, -);
array_operator!(Mul, mul, *);
array_operator!(Div, div, /);

impl<T: Real, const N: usize> Neg for Array<T, N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Array(std::array::from_fn(|i| -self.0[i]))
    }
}

// SAFETY: needs no special instructions.
unsafe impl<T: Real, const N: usize> Vector for Array<T, N> {
    type Scalar = T;
    const LEN: usize = N;
    // SAFETY: as in the trait.
    #[inline(always)]
    unsafe fn load(from: *const T) -> Self {
        // SAFETY: promised by the caller.
        Array(unsafe { from.cast::<[T; N]>().read_unaligned() })
    }
    // SAFETY: as in the trait.
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
    fn times_plus(self, a: Self, b: Self) -> Self {
        self * a + b
    }
    #[inline(always)]
    fn minus_product(self, a: Self, b: Self) -> Self {
        self - a * b
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Array(self.0.map(T::sqrt))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Array(self.0.map(|v| if v < T::ZERO { -v } else { v }))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Array(std::array::from_fn(|i| if self.0[i] > other.0[i] { self.0[i] } else { other.0[i] }))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Array(std::array::from_fn(|i| if self.0[i] < other.0[i] { self.0[i] } else { other.0[i] }))
    }
    #[inline(always)]
    fn sum(self) -> T {
        let mut values = self.0;
        let mut half = N / 2;
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
        Array(std::array::from_fn(|i| if self.0[i] < limit.0[i] { below.0[i] } else { otherwise.0[i] }))
    }
}

// SAFETY: needs no special instructions.
unsafe impl Quad for Array<f64, 4> {
    #[inline(always)]
    fn from_array(values: [f64; 4]) -> Self {
        Array(values)
    }
    #[inline(always)]
    fn transpose(rows: [Self; 4]) -> [Self; 4] {
        std::array::from_fn(|i| Array(std::array::from_fn(|j| rows[j].0[i])))
    }
}

/// Two vectors side by side: twice the independent work hides the latency of long chains of operations.
#[derive(Clone, Copy)]
pub(crate) struct Double<V>(pub [V; 2]);

macro_rules! double_operator {
    ($trait:ident, $method:ident) => {
        impl<V: Vector> $trait for Double<V> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Double([self.0[0].$method(other.0[0]), self.0[1].$method(other.0[1])])
            }
        }
    };
}
double_operator!(Add, add);
double_operator!(Sub, sub);
double_operator!(Mul, mul);
double_operator!(Div, div);

impl<V: Vector> Neg for Double<V> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Double([-self.0[0], -self.0[1]])
    }
}

// SAFETY: needs what its halves need.
unsafe impl<V: Vector> Vector for Double<V> {
    type Scalar = V::Scalar;
    const LEN: usize = 2 * V::LEN;
    // SAFETY: as in the trait.
    #[inline(always)]
    unsafe fn load(from: *const V::Scalar) -> Self {
        // SAFETY: promised by the caller.
        unsafe { Double([V::load(from), V::load(from.add(V::LEN))]) }
    }
    // SAFETY: as in the trait.
    #[inline(always)]
    unsafe fn store(self, to: *mut V::Scalar) {
        // SAFETY: promised by the caller.
        unsafe {
            self.0[0].store(to);
            self.0[1].store(to.add(V::LEN));
        }
    }
    #[inline(always)]
    fn splat(value: V::Scalar) -> Self {
        Double([V::splat(value), V::splat(value)])
    }
    #[inline(always)]
    fn times_plus(self, a: Self, b: Self) -> Self {
        Double([self.0[0].times_plus(a.0[0], b.0[0]), self.0[1].times_plus(a.0[1], b.0[1])])
    }
    #[inline(always)]
    fn minus_product(self, a: Self, b: Self) -> Self {
        Double([self.0[0].minus_product(a.0[0], b.0[0]), self.0[1].minus_product(a.0[1], b.0[1])])
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Double([self.0[0].sqrt(), self.0[1].sqrt()])
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Double([self.0[0].abs(), self.0[1].abs()])
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Double([self.0[0].max(other.0[0]), self.0[1].max(other.0[1])])
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Double([self.0[0].min(other.0[0]), self.0[1].min(other.0[1])])
    }
    #[inline(always)]
    fn sum(self) -> V::Scalar {
        (self.0[0] + self.0[1]).sum()
    }
    #[inline(always)]
    fn select_below(self, limit: Self, below: Self, otherwise: Self) -> Self {
        Double([
            self.0[0].select_below(limit.0[0], below.0[0], otherwise.0[0]),
            self.0[1].select_below(limit.0[1], below.0[1], otherwise.0[1]),
        ])
    }
}
