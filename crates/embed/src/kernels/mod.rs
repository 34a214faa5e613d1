//! The arithmetic of the forward pass, in three speeds with one result.
//!
//! Everything but `x86` is safe code on slices. Sums are taken in a fixed order (sixteen lanes, then a tree) and no
//! operation is fused, so every instruction set gives the same bits: a vector does not depend on the machine.

pub(crate) mod attention;
pub(crate) mod float;
pub(crate) mod int8;
pub(crate) mod math;
pub(crate) mod matrix;
pub(crate) mod quantize;
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "vector instructions: pointer loads, and calls that a runtime check guards")]
mod x86;

/// Numbers that one step of a loop handles.
pub(crate) const LANES: usize = 16;

/// An instruction set that this processor has. Values come from detection only, which is what makes a call into
/// `x86` sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Isa(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl Isa {
    /// What every processor can do.
    pub const PORTABLE: Self = Self(Kind::Portable);

    /// The fastest that this processor has.
    pub fn best() -> Self {
        Self::all().first().copied().unwrap_or(Self::PORTABLE)
    }

    /// All that this processor has, fastest first.
    pub fn all() -> Vec<Self> {
        let mut found = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if x86::has_avx512_vnni() {
                found.push(Self(Kind::Avx512Vnni));
            }
            if x86::has_avx2() {
                found.push(Self(Kind::Avx2));
            }
        }
        found.push(Self::PORTABLE);
        found
    }

    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512Vnni => "avx512-vnni",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            Kind::Portable => "portable",
        }
    }

    /// Runs safe code translated for this instruction set: `work` and what it calls must be `#[inline(always)]`, or
    /// they stay what they are.
    #[inline]
    pub(crate) fn run<R>(self, work: impl FnOnce() -> R) -> R {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512Vnni => x86::run_avx512(self, work),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => x86::run_avx2(self, work),
            Kind::Portable => work(),
        }
    }
}

/// The first `length` elements of a buffer that grows and never shrinks: what is reused is not cleared again.
pub(crate) fn reserve<T: Copy + Default>(buffer: &mut Vec<T>, length: usize) -> &mut [T] {
    if buffer.len() < length {
        buffer.resize(length, T::default());
    }
    &mut buffer[..length]
}
