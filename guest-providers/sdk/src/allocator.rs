//! Memory for instances that live for one call.

use core::alloc::{GlobalAlloc, Layout};
use core::arch::wasm32::{memory_grow, memory_size};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicUsize, Ordering};

const PAGE: usize = 64 << 10;

unsafe extern "C" {
    /// Where the linker's data ends.
    static __heap_base: u8;
}

/// An allocator that hands memory out and takes only the last piece back: an
/// instance lives for one call, and all its memory goes with it. It is smaller
/// and quicker than a general one, and usual calls need no new memory.
///
/// A guest that makes and drops much, in loops, is better off without it, and so
/// is one of which another part grows the memory.
///
/// ```ignore
/// #[cfg(target_arch = "wasm32")]
/// #[global_allocator]
/// static ALLOCATOR: keyhost_guest::CallAllocator = keyhost_guest::CallAllocator::new();
/// ```
#[derive(Default)]
pub struct CallAllocator {
    /// The first free address; 0 stands for the heap's base.
    top: AtomicUsize,
}

impl CallAllocator {
    /// An allocator that has handed out nothing.
    pub const fn new() -> Self {
        Self {
            top: AtomicUsize::new(0),
        }
    }

    fn top(&self) -> usize {
        match self.top.load(Ordering::Relaxed) {
            0 => &raw const __heap_base as usize,
            top => top,
        }
    }

    /// Hands out what begins at an address.
    fn take(&self, start: usize, size: usize) -> *mut u8 {
        let Some(end) = start.checked_add(size) else {
            return null_mut();
        };
        let have = memory_size::<0>() * PAGE;
        if end > have && memory_grow::<0>((end - have).div_ceil(PAGE)) == usize::MAX {
            return null_mut();
        }
        self.top.store(end, Ordering::Relaxed);
        start as *mut u8
    }
}

// SAFETY: addresses from the top on are handed out once, or again after the
// last piece came back; instances have one thread, and whoever chooses this
// allocator has nothing else that grows the memory.
unsafe impl GlobalAlloc for CallAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match self.top().checked_next_multiple_of(layout.align()) {
            Some(start) => self.take(start, layout.size()),
            None => null_mut(),
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if pointer as usize + layout.size() == self.top() {
            self.top.store(pointer as usize, Ordering::Relaxed);
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if pointer as usize + layout.size() == self.top() {
            return self.take(pointer as usize, size);
        }
        if size <= layout.size() {
            return pointer;
        }
        // SAFETY: the size is not zero and fits the alignment, as the caller
        // promised, and both pieces are at least as long as what is copied.
        unsafe {
            let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !moved.is_null() {
                core::ptr::copy_nonoverlapping(pointer, moved, layout.size());
            }
            moved
        }
    }
}
