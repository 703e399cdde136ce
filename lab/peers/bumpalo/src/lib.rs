// SPDX-License-Identifier: MIT
//! bumpalo, as a peer of the suite `arena`: the loops of lab/workloads/arena/region_loops.h, here in
//! Rust so that its allocation is inlined.

use bumpalo::Bump;
use core::alloc::Layout;
use core::arch::asm;
use core::ffi::{c_char, c_void};
use core::ptr;

type Object = *mut c_void;

/// As in region_loops.h, field by field.
#[repr(C)]
pub struct RegionLoops {
    version: *const c_char,
    make: extern "C" fn(usize) -> *mut Bump,
    reset: extern "C" fn(*mut Bump, Object),
    release: extern "C" fn(*mut Bump, Object),
    fill_8: extern "C" fn(*mut Bump, usize) -> Object,
    fill_32: extern "C" fn(*mut Bump, usize) -> Object,
    fill_mixed: extern "C" fn(*mut Bump, usize, *const u16) -> Object,
    hot: extern "C" fn(usize) -> Object,
    request: extern "C" fn(usize) -> Object,
    one: extern "C" fn(usize) -> Object,
}

// Safety: written never, and its pointers are to constants.
unsafe impl Sync for RegionLoops {}

const HOT_OBJECTS: usize = 1000;
const REQUEST_OBJECTS: usize = 100;

static LOOPS: RegionLoops = RegionLoops {
    version: concat!(env!("BUMPALO_VERSION"), "\0").as_ptr().cast(),
    make,
    reset,
    release,
    fill_8: fill::<8>,
    fill_32: fill::<32>,
    fill_mixed,
    hot,
    request: short_lives::<32, REQUEST_OBJECTS>,
    one: short_lives::<64, 1>,
};

#[no_mangle]
pub extern "C" fn toft_peer() -> *const RegionLoops {
    &LOOPS
}

/// Makes the compiler believe that other code knows the address, and looks at all memory.
#[inline(always)]
fn escape<T>(address: *const T) {
    // Safety: no instruction.
    unsafe { asm!("/* {0} */", in(reg) address, options(nostack, preserves_flags)) };
}

/// Allocates, writes the object's address where the last one keeps its link, and returns where this
/// one keeps its own.
#[inline(always)]
fn link_object(region: &Bump, size: usize, link: *mut Object) -> *mut Object {
    // Safety: 8 is a power of two, and no size here comes near isize::MAX.
    let layout = unsafe { Layout::from_size_align_unchecked(size, 8) };
    let object: Object = region.alloc_layout(layout).as_ptr().cast();
    // Safety: the link is at least 8 bytes, aligned to 8, and nobody else's.
    unsafe { link.write(object) };
    escape(object);
    object.cast()
}

#[inline(always)]
fn fill_with(region: &Bump, sizes: impl Iterator<Item = usize>) -> Object {
    let mut first: Object = ptr::null_mut();
    let mut link: *mut Object = &mut first;
    for size in sizes {
        link = link_object(region, size, link);
    }
    // Safety: of the last object, or of the variable above.
    unsafe { link.write(ptr::null_mut()) };
    escape(link);
    first
}

#[inline(always)]
fn fill_region<const SIZE: usize>(region: &Bump, count: usize) -> Object {
    fill_with(region, (0..count).map(|_| SIZE))
}

extern "C" fn make(_capacity_bytes: usize) -> *mut Bump {
    Box::into_raw(Box::new(Bump::new()))
}

// Safety of the four below: the region comes from make(), and has one user at a time.

extern "C" fn reset(region: *mut Bump, _first: Object) {
    unsafe { (*region).reset() }
}

extern "C" fn release(region: *mut Bump, _first: Object) {
    drop(unsafe { Box::from_raw(region) })
}

extern "C" fn fill<const SIZE: usize>(region: *mut Bump, count: usize) -> Object {
    fill_region::<SIZE>(unsafe { &*region }, count)
}

extern "C" fn fill_mixed(region: *mut Bump, count: usize, sizes: *const u16) -> Object {
    let (region, sizes) = unsafe { (&*region, core::slice::from_raw_parts(sizes, count)) };
    fill_with(region, sizes.iter().map(|&size| size.into()))
}

extern "C" fn hot(rounds: usize) -> Object {
    let mut region = Bump::new();
    escape(&region);
    let mut first = ptr::null_mut();
    for _ in 0..rounds {
        first = fill_region::<8>(&region, HOT_OBJECTS);
        region.reset();
    }
    first
}

extern "C" fn short_lives<const SIZE: usize, const COUNT: usize>(rounds: usize) -> Object {
    let mut first = ptr::null_mut();
    for _ in 0..rounds {
        let region = Bump::new();
        escape(&region);
        first = fill_region::<SIZE>(&region, COUNT);
    }
    first
}
