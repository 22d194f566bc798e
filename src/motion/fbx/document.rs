//! The sections of a file: header, settings, definitions, objects, connections, takes.

use super::TICKS;
use super::animation::{self, Property};
use super::mesh;
use super::objects::{Kind, cluster_index, id, write_bind_pose, write_nodes};
use super::out::{Out, Value};
use super::scene::Scene;
use fbxcel::writer::v7400::binary::Result;

/// Name of the program in the file.
const CREATOR: &str = concat!("Kinestitch ", env!("CARGO_PKG_VERSION"));
/// Identifier and time of a file that is not written by Autodesk's programs; one belongs to the other.
const FILE_ID: &[u8; 16] = b"\x28\xb3\x2a\xeb\xb6\x24\xcc\xc2\xbf\xc8\xb0\x2a\xa9\x2b\xfc\xf1";
const CREATION_TIME: &str = "1970-01-01 10:00:00:000";
/// Time mode of a rate that is stated as a number.
const CUSTOM_RATE: i32 = 14;

/// Writes all sections.
pub(super) fn write(out: &mut Out, scene: &Scene) -> Result<()> {
    let properties = if scene.frames > 0 { animation::properties(scene) } else { Vec::new() };
    write_header(out)?;
    write_settings(out, scene)?;
    write_documents(out, scene)?;
    write_definitions(out, scene, &properties)?;
    out.node("Objects", &[], |out| {
        write_nodes(out, scene)?;
        mesh::write(out, scene)?;
        write_bind_pose(out, scene)?;
        match scene.frames {
            0 => Ok(()),
            _ => animation::write(out, scene, &properties),
        }
    })?;
    out.node("Connections", &[], |out| write_connections(out, scene, &properties))?;
    write_takes(out, scene)
}

fn write_header(out: &mut Out) -> Result<()> {
    out.node("FBXHeaderExtension", &[], |out| {
        out.leaf("FBXHeaderVersion", &[Value::I32(1003)])?;
        out.leaf("FBXVersion", &[Value::I32(7400)])?;
        out.leaf("EncryptionType", &[Value::I32(0)])?;
        out.node("CreationTimeStamp", &[], |out| {
            out.leaf("Version", &[Value::I32(1000)])?;
            for (name, value) in [("Year", 1970), ("Month", 1), ("Day", 1), ("Hour", 10)] {
                out.leaf(name, &[Value::I32(value)])?;
            }
            ["Minute", "Second", "Millisecond"].iter().try_for_each(|name| out.leaf(name, &[Value::I32(0)]))
        })?;
        out.leaf("Creator", &[Value::Text(CREATOR)])
    })?;
    out.leaf("FileId", &[Value::Bytes(FILE_ID)])?;
    out.leaf("CreationTime", &[Value::Text(CREATION_TIME)])?;
    out.leaf("Creator", &[Value::Text(CREATOR)])
}

fn write_settings(out: &mut Out, scene: &Scene) -> Result<()> {
    out.node("GlobalSettings", &[], |out| {
        out.leaf("Version", &[Value::I32(1000)])?;
        out.node("Properties70", &[], |out| {
            for (name, axis) in [("UpAxis", 1), ("FrontAxis", 2), ("CoordAxis", 0)] {
                out.integer(name, axis)?;
                out.integer(&format!("{name}Sign"), 1)?;
            }
            out.number("UnitScaleFactor", 1.0)?;
            out.number("OriginalUnitScaleFactor", 1.0)?;
            out.choice("TimeMode", CUSTOM_RATE)?;
            out.time("TimeSpanStart", 0)?;
            out.time("TimeSpanStop", last_tick(scene))?;
            out.number("CustomFrameRate", scene.fps)
        })
    })
}

fn write_documents(out: &mut Out, scene: &Scene) -> Result<()> {
    out.node("Documents", &[], |out| {
        out.leaf("Count", &[Value::I32(1)])?;
        let values = [Value::I64(id(Kind::Document, 0)), Value::Text(""), Value::Text("Scene")];
        out.node("Document", &values, |out| {
            out.node("Properties70", &[], |out| {
                out.property("SourceObject", ["object", ""], "", Vec::new())?;
                out.property("ActiveAnimStackName", ["KString", ""], "", vec![Value::Text(&scene.name)])
            })?;
            out.leaf("RootNode", &[Value::I64(0)])
        })
    })?;
    out.leaf("References", &[])
}

fn write_definitions(out: &mut Out, scene: &Scene, properties: &[Property]) -> Result<()> {
    let clusters: usize = scene.meshes.iter().map(|mesh| mesh.clusters.len()).sum();
    let (nodes, meshes, stacks) = (scene.nodes.len(), scene.meshes.len(), usize::from(scene.frames > 0));
    let counts = [
        ("GlobalSettings", 1),
        ("NodeAttribute", nodes),
        ("Model", nodes + meshes),
        ("Geometry", meshes),
        ("Material", meshes),
        ("Deformer", meshes + clusters),
        ("Pose", 1),
        ("AnimationStack", stacks),
        ("AnimationLayer", stacks),
        ("AnimationCurveNode", properties.len()),
        ("AnimationCurve", 3 * properties.len()),
    ];
    out.node("Definitions", &[], |out| {
        out.leaf("Version", &[Value::I32(100)])?;
        out.leaf("Count", &[Value::I32(counts.iter().map(|(_, count)| *count as i32).sum())])?;
        for (name, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            out.node("ObjectType", &[Value::Text(name)], |out| out.leaf("Count", &[Value::I32(count as i32)]))?;
        }
        Ok(())
    })
}

fn write_connections(out: &mut Out, scene: &Scene, properties: &[Property]) -> Result<()> {
    let mut connect = |child: i64, parent: i64, property: Option<&str>| {
        let kind = if property.is_some() { "OP" } else { "OO" };
        let mut values = vec![Value::Text(kind), Value::I64(child), Value::I64(parent)];
        values.extend(property.map(Value::Text));
        out.leaf("C", &values)
    };
    for (index, node) in scene.nodes.iter().enumerate() {
        connect(id(Kind::Model, index), node.parent.map_or(0, |parent| id(Kind::Model, parent)), None)?;
        connect(id(Kind::Attribute, index), id(Kind::Model, index), None)?;
    }
    for (index, mesh) in scene.meshes.iter().enumerate() {
        connect(id(Kind::MeshModel, index), 0, None)?;
        connect(id(Kind::Geometry, index), id(Kind::MeshModel, index), None)?;
        connect(id(Kind::Material, index), id(Kind::MeshModel, index), None)?;
        connect(id(Kind::Skin, index), id(Kind::Geometry, index), None)?;
        for (number, cluster) in mesh.clusters.iter().enumerate() {
            let cluster_id = id(Kind::Cluster, cluster_index(index, number));
            connect(cluster_id, id(Kind::Skin, index), None)?;
            connect(id(Kind::Model, cluster.node), cluster_id, None)?;
        }
    }
    if scene.frames > 0 {
        connect(id(Kind::Layer, 0), id(Kind::Stack, 0), None)?;
    }
    for (index, property) in properties.iter().enumerate() {
        connect(id(Kind::CurveNode, index), id(Kind::Layer, 0), None)?;
        connect(id(Kind::CurveNode, index), id(Kind::Model, property.node), Some(property.name))?;
        for (axis, name) in ["d|X", "d|Y", "d|Z"].into_iter().enumerate() {
            connect(id(Kind::Curve, 3 * index + axis), id(Kind::CurveNode, index), Some(name))?;
        }
    }
    Ok(())
}

fn write_takes(out: &mut Out, scene: &Scene) -> Result<()> {
    out.node("Takes", &[], |out| {
        out.leaf("Current", &[Value::Text(&scene.name)])?;
        if scene.frames == 0 {
            return Ok(());
        }
        out.node("Take", &[Value::Text(&scene.name)], |out| {
            let span = || [Value::I64(0), Value::I64(last_tick(scene))];
            out.leaf("FileName", &[Value::Text(&format!("{}.tak", scene.name))])?;
            out.leaf("LocalTime", &span())?;
            out.leaf("ReferenceTime", &span())
        })
    })
}

/// Returns the time of the last frame.
fn last_tick(scene: &Scene) -> i64 {
    (scene.seconds() * TICKS).round() as i64
}
