//! The choice of a device: its words, the measurement's verdict, and what a failure says.
#![cfg(feature = "flex")]

use kinestitch::nn::device::{Asked, GpuTime, Kind, cause, faster};

#[test]
fn names_are_read_back_and_others_refused() {
    for asked in [Asked::Auto, Asked::WebGpu, Asked::Cpu] {
        assert_eq!(Asked::from_name(asked.name()).unwrap(), asked);
    }
    let error = Asked::from_name("gpu").unwrap_err();
    assert_eq!(error.code(), "option");
    assert_eq!(error.to_string(), "option device: \"gpu\" is not one of auto, webgpu, cpu");
}

#[test]
fn the_faster_device_is_kept_and_the_reason_names_both_times() {
    let (kind, reason) = faster(30.0, GpuTime::Measured(12.4));
    assert_eq!((kind, reason.as_str()), (Kind::WebGpu, "WebGPU is faster: 60 frames in 12 ms, 30 ms on the CPU"));
    let (kind, reason) = faster(12.0, GpuTime::Measured(30.0));
    assert_eq!((kind, reason.as_str()), (Kind::Cpu, "the CPU is faster: 60 frames in 12 ms, 30 ms with WebGPU"));
    let (kind, reason) = faster(25.0, GpuTime::TooSlow(800.0));
    let expected = "the CPU is faster: 60 frames in 25 ms, where WebGPU took 800 ms for 1";
    assert_eq!((kind, reason.as_str()), (Kind::Cpu, expected));
}

#[test]
fn the_cause_of_a_failure_is_its_innermost_line() {
    let poisoned = "The device is poisoned\nCaused by:\n  The device is poisoned\nCaused by:\n  Destroyed: Device was \
                    destroyed.\nBacktrace:\nNo backtrace available";
    assert_eq!(cause(poisoned), "Destroyed: Device was destroyed.");
    assert_eq!(cause("Value 1 is invalid.\n - While calling [Device].\n\n"), "Value 1 is invalid.");
    assert_eq!(cause("plain"), "plain");
    assert_eq!(cause(""), "");
}
