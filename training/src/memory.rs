//! Memory of a training process.

/// Keeps freed memory in the process. By default the C library of Linux returns large blocks at once, and every step
/// spends a quarter of its time on getting the same pages again. Has no effect elsewhere.
pub fn keep_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `mallopt` takes two integers, and its settings may be changed at any time.
    #[allow(unsafe_code)]
    unsafe {
        libc::mallopt(libc::M_MMAP_MAX, 0);
        libc::mallopt(libc::M_TRIM_THRESHOLD, i32::MAX);
    }
}
