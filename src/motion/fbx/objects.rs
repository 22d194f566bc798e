//! Identifiers of the objects of a file, and the nodes of the tree.

use super::CENTIMETRES;
use super::out::{Out, Value, object_name};
use super::scene::{Cluster, Node, Scene};
use crate::motion::bvh::FbxAngles;
use fbxcel::writer::v7400::binary::Result;
use glam::{DMat4, Mat4, Vec3};

/// Kinds of objects. Each has a range of identifiers.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Document = 1,
    Model,
    Attribute,
    Pose,
    MeshModel,
    Geometry,
    Skin,
    Cluster,
    Material,
    Stack,
    Layer,
    CurveNode,
    Curve,
}

/// Returns the identifier of the object with this index among those of its kind. It is never 0, the scene.
pub(super) fn id(kind: Kind, index: usize) -> i64 {
    kind as i64 * 1_000_000_000_000 + index as i64
}

/// Returns the index of a cluster among those of all meshes.
pub(super) fn cluster_index(mesh: usize, cluster: usize) -> usize {
    mesh * 1_000_000 + cluster
}

/// Writes the nodes of the tree, each with its attribute.
pub(super) fn write_nodes(out: &mut Out, scene: &Scene) -> Result<()> {
    let displacements = scene.displacements();
    for (index, node) in scene.nodes.iter().enumerate() {
        let class = if node.is_bone { "LimbNode" } else { "Null" };
        let name = object_name(&node.name, "NodeAttribute");
        let values = [Value::I64(id(Kind::Attribute, index)), Value::Text(&name), Value::Text(class)];
        out.node("NodeAttribute", &values, |out| {
            out.leaf("TypeFlags", &[Value::Text(if node.is_bone { "Skeleton" } else { "Null" })])
        })?;
        let name = object_name(&node.name, "Model");
        let values = [Value::I64(id(Kind::Model, index)), Value::Text(&name), Value::Text(class)];
        out.node("Model", &values, |out| write_model(out, node, node.translation + displacements[index]))?;
    }
    Ok(())
}

fn write_model(out: &mut Out, node: &Node, translation: Vec3) -> Result<()> {
    out.leaf("Version", &[Value::I32(232)])?;
    out.node("Properties70", &[], |out| {
        // The order XYZ: the rotation about x is applied first.
        out.choice("RotationOrder", 0)?;
        out.property("RotationActive", ["bool", ""], "", vec![Value::I32(1)])?;
        // A child inherits rotation and scale of its parent as a product of matrices.
        out.choice("InheritType", 1)?;
        out.integer("DefaultAttributeIndex", 0)?;
        let translation = (translation.as_dvec3() * CENTIMETRES).to_array();
        out.vector("Lcl Translation", "Lcl Translation", "A", translation)?;
        out.vector("Lcl Rotation", "Lcl Rotation", "A", FbxAngles::default().next(node.rotation))?;
        out.vector("Lcl Scaling", "Lcl Scaling", "A", node.scale.as_dvec3().to_array())
    })?;
    out.leaf("Culling", &[Value::Text("CullingOff")])
}

/// Writes the bind pose: world transforms of nodes and meshes.
pub(super) fn write_bind_pose(out: &mut Out, scene: &Scene) -> Result<()> {
    let mut worlds = scene.rest();
    for cluster in scene.meshes.iter().flat_map(|mesh| &mesh.clusters) {
        worlds[cluster.node] = bind_of(scene, cluster);
    }
    let nodes = worlds.iter().enumerate().map(|(index, world)| (id(Kind::Model, index), *world));
    let meshes = (0..scene.meshes.len()).map(|mesh| (id(Kind::MeshModel, mesh), Mat4::IDENTITY));
    let entries: Vec<(i64, Mat4)> = nodes.chain(meshes).collect();
    let name = object_name(&scene.name, "Pose");
    let values = [Value::I64(id(Kind::Pose, 0)), Value::Text(&name), Value::Text("BindPose")];
    out.node("Pose", &values, |out| {
        out.leaf("Type", &[Value::Text("BindPose")])?;
        out.leaf("Version", &[Value::I32(100)])?;
        out.leaf("NbPoseNodes", &[Value::I32(entries.len() as i32)])?;
        for (id, world) in entries {
            out.node("PoseNode", &[], |out| {
                out.leaf("Node", &[Value::I64(id)])?;
                out.leaf("Matrix", &[matrix(world)])
            })?;
        }
        Ok(())
    })
}

/// Returns the world transform of a cluster's bone in the bind pose, displaced as at rest.
pub(super) fn bind_of(scene: &Scene, cluster: &Cluster) -> Mat4 {
    let mut bind = cluster.bind;
    let displacement = scene.displacements()[cluster.node];
    if let Some(parent) = scene.nodes[cluster.node].parent.filter(|_| displacement != Vec3::ZERO) {
        bind.w_axis += scene.rest()[parent].transform_vector3(displacement).extend(0.0);
    }
    bind
}

/// Returns a transform in centimetres, column by column.
pub(super) fn matrix(world: Mat4) -> Value<'static> {
    Value::F64s(in_centimetres(world).to_cols_array().to_vec())
}

/// Converts the translation of a transform to centimetres.
pub(super) fn in_centimetres(world: Mat4) -> DMat4 {
    let mut world = world.as_dmat4();
    world.w_axis = (world.w_axis.truncate() * CENTIMETRES).extend(1.0);
    world
}
