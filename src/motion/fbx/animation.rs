//! Animation: a stack with one layer, a node of curves for each animated property, and its three curves.

use super::objects::{Kind, id};
use super::out::{Out, Value, object_name};
use super::scene::{Scene, Track};
use super::{CENTIMETRES, TICKS};
use crate::motion::bvh::FbxAngles;
use fbxcel::writer::v7400::binary::Result;
use glam::{Quat, Vec3};

/// An animated property of a node.
pub(super) struct Property {
    /// Index of the node.
    pub node: usize,
    /// Its name.
    pub name: &'static str,
    /// Values of x, y and z, one for each frame, or two equal ones if nothing changes.
    values: [Vec<f32>; 3],
}

/// Returns the animated properties of all nodes. Those of the first track keep all their keys, so that the motion keeps
/// its length if nothing moves.
pub(super) fn properties(scene: &Scene) -> Vec<Property> {
    let mut properties = Vec::new();
    for (index, Track { node, rotations, translations }) in scene.tracks.iter().enumerate() {
        let mut add = |name, values: Vec<[f64; 3]>| {
            let is_still = values.iter().all(|value| *value == values[0]) && index > 0;
            let keys = if is_still { values.len().min(2) } else { values.len() };
            let axis = |axis: usize| values[..keys].iter().map(|value| value[axis] as f32).collect();
            properties.push(Property { node: *node, name, values: [axis(0), axis(1), axis(2)] });
        };
        if let Some(translations) = translations {
            let scaled = |translation: &Vec3| (translation.as_dvec3() * CENTIMETRES).to_array();
            add("Lcl Translation", translations.iter().map(scaled).collect());
        }
        if let Some(rotations) = rotations {
            let mut angles = FbxAngles::default();
            add("Lcl Rotation", rotations.iter().map(|rotation: &Quat| angles.next(*rotation)).collect());
        }
    }
    properties
}

/// Writes the stack, the layer and all curves.
pub(super) fn write(out: &mut Out, scene: &Scene, properties: &[Property]) -> Result<()> {
    let name = object_name(&scene.name, "AnimStack");
    let stop = (scene.seconds() * TICKS).round() as i64;
    out.node("AnimationStack", &[Value::I64(id(Kind::Stack, 0)), Value::Text(&name), Value::Text("")], |out| {
        out.node("Properties70", &[], |out| {
            out.time("LocalStart", 0)?;
            out.time("LocalStop", stop)?;
            out.time("ReferenceStart", 0)?;
            out.time("ReferenceStop", stop)
        })
    })?;
    let name = object_name(&scene.name, "AnimLayer");
    out.leaf("AnimationLayer", &[Value::I64(id(Kind::Layer, 0)), Value::Text(&name), Value::Text("")])?;
    for (index, property) in properties.iter().enumerate() {
        let name = object_name(if property.name == "Lcl Rotation" { "R" } else { "T" }, "AnimCurveNode");
        let values = [Value::I64(id(Kind::CurveNode, index)), Value::Text(&name), Value::Text("")];
        let first = |axis: usize| property.values[axis].first().copied().map_or(0.0, f64::from);
        out.node("AnimationCurveNode", &values, |out| {
            out.node("Properties70", &[], |out| {
                for (axis, name) in ["d|X", "d|Y", "d|Z"].into_iter().enumerate() {
                    out.property(name, ["Number", ""], "A", vec![Value::F64(first(axis))])?;
                }
                Ok(())
            })
        })?;
        for axis in 0..3 {
            write_curve(out, scene, 3 * index + axis, &property.values[axis])?;
        }
    }
    Ok(())
}

fn write_curve(out: &mut Out, scene: &Scene, index: usize, values: &[f32]) -> Result<()> {
    let name = object_name("", "AnimCurve");
    let ticks = |frame: usize| (frame as f64 / scene.fps * TICKS).round() as i64;
    let times = match values.len() == scene.frames {
        true => (0..scene.frames).map(ticks).collect(),
        false => vec![0, ticks(scene.frames - 1)],
    };
    out.node("AnimationCurve", &[Value::I64(id(Kind::Curve, index)), Value::Text(&name), Value::Text("")], |out| {
        out.leaf("Default", &[Value::F64(0.0)])?;
        out.leaf("KeyVer", &[Value::I32(4008)])?;
        out.leaf("KeyTime", &[Value::I64s(times)])?;
        out.leaf("KeyValueFloat", &[Value::F32s(values.to_vec())])?;
        // All keys are interpolated linearly.
        out.leaf("KeyAttrFlags", &[Value::I32s(vec![4])])?;
        out.leaf("KeyAttrDataFloat", &[Value::F32s(vec![0.0; 4])])?;
        out.leaf("KeyAttrRefCount", &[Value::I32s(vec![values.len() as i32])])
    })
}
