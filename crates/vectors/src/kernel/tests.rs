use proptest::prelude::*;

use super::*;

type Block = [u64; LANES];

fn blocks() -> impl Strategy<Value = (Vec<Block>, Vec<u64>)> {
    (1usize..40, 0usize..5).prop_flat_map(|(words, blocks)| {
        let codes = prop::collection::vec(prop::array::uniform8(extreme()), words * blocks);
        (codes, prop::collection::vec(extreme(), words))
    })
}

/// Words that are often all zeros or all ones, where counters would overflow.
fn extreme() -> impl Strategy<Value = u64> {
    prop_oneof![1 => Just(0), 1 => Just(u64::MAX), 2 => any::<u64>()]
}

fn bytes<T: Copy + std::fmt::Debug + 'static>(
    one: impl Strategy<Value = T> + Clone + 'static,
) -> impl Strategy<Value = [T; 64]> {
    prop::collection::vec(one, 64).prop_map(|values| std::array::from_fn(|i| values[i]))
}

proptest! {
    #[test]
    fn every_kernel_finds_the_hamming_distances_of_the_portable_one(
        (codes, query) in blocks(), limit in 0u16..1400,
    ) {
        let count = codes.len() / query.len();
        let run = |kernel: Kernel| {
            let (mut distances, mut hits) = (vec![[0; LANES]; count], vec![0; count]);
            kernel.hamming(&codes, &query, limit, &mut distances, &mut hits);
            for (distances, hits) in distances.iter_mut().zip(&hits) {
                for (lane, distance) in distances.iter_mut().enumerate() {
                    // Only the distances of hits are promised.
                    *distance *= u16::from((hits >> lane) & 1);
                }
            }
            (distances, hits)
        };
        for kernel in Kernel::available() {
            prop_assert_eq!(run(kernel), run(Kernel::PORTABLE), "{:?}", kernel);
        }
    }

    #[test]
    fn every_kernel_sums_the_values_of_the_portable_one(
        rows in prop::collection::vec((extreme(), bytes(any::<i8>())), 0..40),
    ) {
        let (bits, values): (Vec<u64>, Vec<[i8; 64]>) = rows.into_iter().unzip();
        let expected = Kernel::PORTABLE.masked_sum(&bits, &values);
        for kernel in Kernel::available() {
            prop_assert_eq!(kernel.masked_sum(&bits, &values), expected, "{:?}", kernel);
        }
    }

    #[test]
    fn every_kernel_multiplies_like_the_portable_one(
        rows in prop::collection::vec(
            (bytes(prop_oneof![Just(0u8), Just(255), any::<u8>()]), bytes(prop_oneof![Just(-128i8), Just(127), any::<i8>()])),
            0..40,
        ),
    ) {
        let (codes, values): (Vec<[u8; 64]>, Vec<[i8; 64]>) = rows.into_iter().unzip();
        let expected = Kernel::PORTABLE.byte_dot(&codes, &values);
        for kernel in Kernel::available() {
            prop_assert_eq!(kernel.byte_dot(&codes, &values), expected, "{:?}", kernel);
        }
    }
}

#[test]
fn the_portable_kernel_counts_by_hand() {
    let (mut distances, mut hits) = (vec![[0; LANES]], vec![0]);
    let codes = [[0, 1, 3, 7, 15, 31, 63, u64::MAX], [0; LANES]];
    Kernel::PORTABLE.hamming(&codes, &[0, 1], 3, &mut distances, &mut hits);
    assert_eq!(distances, [[1, 2, 3, 4, 5, 6, 7, 65]]);
    assert_eq!(hits, [0b111]);
}
