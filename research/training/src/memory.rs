//! Memory settings of the training process.

/// Makes the process keep freed memory for later allocations. By default, the C library of Linux returns large freed
/// blocks to the system at once; every training step then spends a quarter of its time on allocating the same pages
/// again. Has no effect on other systems.
pub fn keep_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `mallopt` takes two integers, and its settings may be changed at any time.
    #[allow(unsafe_code)]
    unsafe {
        libc::mallopt(libc::M_MMAP_MAX, 0);
        libc::mallopt(libc::M_TRIM_THRESHOLD, i32::MAX);
    }
}
