//! Which instruction set the hot loops use.

/// The choice between the vector kernels of this machine and the portable ones.
///
/// Both run the same algorithm. The portable path never fuses a multiplication with an addition and therefore gives the
/// same bits on every machine; the vector path is faster and differs from it by rounding only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernels(Path);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Path {
    Portable,
    // Constructed by `auto` alone, after detection: owning this value proves that the instructions exist.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Kernels {
    /// The fastest kernels this machine can run.
    #[must_use]
    pub fn auto() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            return Kernels(Path::Avx2);
        }
        Kernels::portable()
    }

    /// The kernels that give the same bits on every machine.
    #[must_use]
    pub const fn portable() -> Self {
        Kernels(Path::Portable)
    }

    /// The name that recordings carry: `avx2` or `portable`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Path::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Path::Avx2 => "avx2",
        }
    }

    /// True if AVX2 and FMA are present and wanted.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn has_avx2(self) -> bool {
        self.0 == Path::Avx2
    }
}

impl Default for Kernels {
    fn default() -> Self {
        Kernels::auto()
    }
}

/// Calls `$kernel::<.., FUSED>(args)` compiled for AVX2 and FMA if `$kernels` has them, else compiled for the baseline.
///
/// The kernel must be `#[inline(always)]` and be named directly: passed as a closure it would be compiled without the
/// vector instructions of the wrapper.
macro_rules! dispatch {
    ($kernels:expr, fn $wrapper:ident<$($generic:ident $(: $bound:path)?),*>($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? { $fused:ident => $call:expr }) => {{
        #[cfg(target_arch = "x86_64")]
        if $kernels.has_avx2() {
            #[target_feature(enable = "avx2,fma")]
            fn $wrapper<$($generic $(: $bound)?),*>($($arg: $ty),*) $(-> $ret)? {
                const $fused: bool = true;
                $call
            }
            // SAFETY: `has_avx2` is true only on values made by `Kernels::auto` after detecting AVX2 and FMA.
            return unsafe { $wrapper::<$($generic),*>($($arg),*) };
        }
        const $fused: bool = false;
        $call
    }};
}
pub(crate) use dispatch;
