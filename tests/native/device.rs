//! Messages of device failures.

use kinestitch::nn::device::cause;

#[test]
fn the_cause_of_a_failure_is_its_innermost_line() {
    let poisoned = "The device is poisoned\nCaused by:\n  The device is poisoned\nCaused by:\n  Destroyed: Device was \
                    destroyed.\nBacktrace:\nNo backtrace available";
    assert_eq!(cause(poisoned), "Destroyed: Device was destroyed.");
    assert_eq!(cause("Value 1 is invalid.\n - While calling [Device].\n\n"), "Value 1 is invalid.");
    assert_eq!(cause("plain"), "plain");
    assert_eq!(cause(""), "");
}
