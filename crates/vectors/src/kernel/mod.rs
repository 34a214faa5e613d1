//! The inner loops of a search, in one version per instruction set, chosen at run time.
//!
//! Every version returns the same integers as [`portable`], so that results never depend on the machine.
//! This folder is the only place with `unsafe`: calls into functions compiled for a detected instruction
//! set, and loads from and stores to arrays whose length is part of their type.

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "vector loads and stores take raw pointers")]
mod avx2;
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "vector loads and stores take raw pointers")]
mod avx512;
mod portable;
#[cfg(test)]
mod tests;

/// How many rows share a block of binary codes: word `w` of all eight rows lies in one cache line.
pub(crate) const LANES: usize = 8;

/// The instruction set that a search uses. Only sets that this machine has can be obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(Level);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// Calls the version of `$name` for the level of `$kernel`.
macro_rules! dispatch {
    ($kernel:expr, $name:ident($($argument:expr),*)) => {
        match $kernel.0 {
            Level::Portable => portable::$name($($argument),*),
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "the level is only made after its features were detected")]
            Level::Avx2 => unsafe { avx2::$name($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "the level is only made after its features were detected")]
            Level::Avx512 => unsafe { avx512::$name($($argument),*) },
        }
    };
}

impl Kernel {
    /// Plain Rust, available everywhere.
    pub const PORTABLE: Kernel = Kernel(Level::Portable);

    /// The fastest kernel of this machine.
    pub fn best() -> Kernel {
        Kernel::available().last().copied().unwrap_or(Kernel::PORTABLE)
    }

    /// Every kernel that this machine can run, slowest first.
    pub fn available() -> Vec<Kernel> {
        #[cfg_attr(
            not(target_arch = "x86_64"),
            expect(unused_mut, reason = "other machines have one kernel")
        )]
        let mut kernels = vec![Kernel::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                kernels.push(Kernel(Level::Avx2));
            }
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vpopcntdq")
                && is_x86_feature_detected!("avx512vnni")
            {
                kernels.push(Kernel(Level::Avx512));
            }
        }
        kernels
    }

    /// Hamming distances of `query` to the rows of each block of `codes`.
    ///
    /// `codes` holds `query.len()` groups of eight words per block. Bit `i` of `hits[b]` says that row `i` of
    /// block `b` is at most `limit` away; `distances` are written for blocks with a hit, the rest is stale.
    pub(crate) fn hamming(
        self,
        codes: &[[u64; LANES]],
        query: &[u64],
        limit: u16,
        distances: &mut [[u16; LANES]],
        hits: &mut [u8],
    ) {
        dispatch!(self, hamming(codes, query, limit, distances, hits))
    }

    /// The sum of the `values` whose bit is set.
    pub(crate) fn masked_sum(self, bits: &[u64], values: &[[i8; 64]]) -> i32 {
        dispatch!(self, masked_sum(bits, values))
    }

    /// The inner product of unsigned codes and signed values.
    pub(crate) fn byte_dot(self, codes: &[[u8; 64]], values: &[[i8; 64]]) -> i32 {
        dispatch!(self, byte_dot(codes, values))
    }
}
