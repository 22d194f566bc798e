//! Skinned meshes: geometry, material, and the clusters of vertices that bones move.

use super::CENTIMETRES;
use super::objects::{Kind, bind_of, cluster_index, id, in_centimetres};
use super::out::{Out, Value, object_name};
use super::scene::{Cluster, Mesh, Scene};
use fbxcel::writer::v7400::binary::Result;
use glam::{Mat4, Vec3};

/// Writes all meshes.
pub(super) fn write(out: &mut Out, scene: &Scene) -> Result<()> {
    for (index, mesh) in scene.meshes.iter().enumerate() {
        let name = object_name(&mesh.name, "Geometry");
        let values = [Value::I64(id(Kind::Geometry, index)), Value::Text(&name), Value::Text("Mesh")];
        out.node("Geometry", &values, |out| write_geometry(out, mesh))?;
        write_model(out, index, mesh)?;
        write_material(out, index, mesh)?;
        let name = object_name(&mesh.name, "Deformer");
        let values = [Value::I64(id(Kind::Skin, index)), Value::Text(&name), Value::Text("Skin")];
        out.node("Deformer", &values, |out| {
            out.leaf("Version", &[Value::I32(101)])?;
            out.leaf("Link_DeformAcuracy", &[Value::F64(50.0)])
        })?;
        for (number, cluster) in mesh.clusters.iter().enumerate() {
            let name = object_name(&scene.nodes[cluster.node].name, "SubDeformer");
            let id = id(Kind::Cluster, cluster_index(index, number));
            out.node("Deformer", &[Value::I64(id), Value::Text(&name), Value::Text("Cluster")], |out| {
                write_cluster(out, cluster, bind_of(scene, cluster))
            })?;
        }
    }
    Ok(())
}

fn write_model(out: &mut Out, index: usize, mesh: &Mesh) -> Result<()> {
    let name = object_name(&mesh.name, "Model");
    let values = [Value::I64(id(Kind::MeshModel, index)), Value::Text(&name), Value::Text("Mesh")];
    out.node("Model", &values, |out| {
        out.leaf("Version", &[Value::I32(232)])?;
        out.node("Properties70", &[], |out| {
            out.choice("InheritType", 1)?;
            out.integer("DefaultAttributeIndex", 0)
        })?;
        out.leaf("Culling", &[Value::Text("CullingOff")])
    })
}

fn write_material(out: &mut Out, index: usize, mesh: &Mesh) -> Result<()> {
    let name = object_name(&mesh.name, "Material");
    out.node("Material", &[Value::I64(id(Kind::Material, index)), Value::Text(&name), Value::Text("")], |out| {
        out.leaf("Version", &[Value::I32(102)])?;
        out.leaf("ShadingModel", &[Value::Text("phong")])?;
        out.leaf("MultiLayer", &[Value::I32(0)])?;
        out.node("Properties70", &[], |out| {
            out.vector("DiffuseColor", "Color", "A", mesh.color.map(f64::from))?;
            out.property("DiffuseFactor", ["Number", ""], "A", vec![Value::F64(1.0)])
        })
    })
}

fn write_geometry(out: &mut Out, mesh: &Mesh) -> Result<()> {
    let numbers = |vectors: &[Vec3], scale: f64| {
        Value::F64s(vectors.iter().flat_map(|vector| (vector.as_dvec3() * scale).to_array()).collect())
    };
    // The last vertex of a polygon is stored as its complement.
    let corners = mesh.triangles.iter().flat_map(|&[a, b, c]| [a as i32, b as i32, !(c as i32)]);
    out.leaf("Vertices", &[numbers(&mesh.positions, CENTIMETRES)])?;
    out.leaf("PolygonVertexIndex", &[Value::I32s(corners.collect())])?;
    out.leaf("GeometryVersion", &[Value::I32(124)])?;
    let mut layers = vec!["LayerElementMaterial"];
    let element = |out: &mut Out, name: &str, mapping: &str, reference: &str, data: Vec<(&str, Value)>| {
        out.node(name, &[Value::I32(0)], |out| {
            out.leaf("Version", &[Value::I32(101)])?;
            out.leaf("Name", &[Value::Text("")])?;
            out.leaf("MappingInformationType", &[Value::Text(mapping)])?;
            out.leaf("ReferenceInformationType", &[Value::Text(reference)])?;
            data.into_iter().try_for_each(|(name, value)| out.leaf(name, &[value]))
        })
    };
    if !mesh.normals.is_empty() {
        layers.push("LayerElementNormal");
        let data = vec![("Normals", numbers(&mesh.normals, 1.0))];
        element(out, "LayerElementNormal", "ByVertice", "Direct", data)?;
    }
    if !mesh.uvs.is_empty() {
        layers.push("LayerElementUV");
        let uvs = mesh.uvs.iter().flat_map(|uv| uv.as_dvec2().to_array()).collect();
        let indices = mesh.triangles.iter().flatten().map(|&vertex| vertex as i32).collect();
        let data = vec![("UV", Value::F64s(uvs)), ("UVIndex", Value::I32s(indices))];
        element(out, "LayerElementUV", "ByPolygonVertex", "IndexToDirect", data)?;
    }
    let data = vec![("Materials", Value::I32s(vec![0]))];
    element(out, "LayerElementMaterial", "AllSame", "IndexToDirect", data)?;
    out.node("Layer", &[Value::I32(0)], |out| {
        out.leaf("Version", &[Value::I32(100)])?;
        for layer in layers {
            out.node("LayerElement", &[], |out| {
                out.leaf("Type", &[Value::Text(layer)])?;
                out.leaf("TypedIndex", &[Value::I32(0)])
            })?;
        }
        Ok(())
    })
}

fn write_cluster(out: &mut Out, cluster: &Cluster, bind: Mat4) -> Result<()> {
    let link = in_centimetres(bind);
    // The mesh stands at the origin, so its transform relative to the bone is the inverse of the bone's.
    let relative = if link.determinant() == 0.0 { glam::DMat4::IDENTITY } else { link.inverse() };
    let (vertices, weights): (Vec<i32>, Vec<f64>) =
        cluster.weights.iter().map(|&(vertex, weight)| (vertex as i32, f64::from(weight))).unzip();
    out.leaf("Version", &[Value::I32(100)])?;
    out.leaf("UserData", &[Value::Text(""), Value::Text("")])?;
    out.leaf("Indexes", &[Value::I32s(vertices)])?;
    out.leaf("Weights", &[Value::F64s(weights)])?;
    out.leaf("Transform", &[Value::F64s(relative.to_cols_array().to_vec())])?;
    out.leaf("TransformLink", &[Value::F64s(link.to_cols_array().to_vec())])
}
