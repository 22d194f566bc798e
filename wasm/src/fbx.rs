//! Writing FBX files.

use crate::error::js_error;
use crate::value::from_js;
use glam::{Mat4, Quat, Vec2, Vec3};
use kinestitch::motion::fbx::scene::{Cluster, Mesh, Node, Scene, Track};
use kinestitch::motion::{fbx, pack};
use serde::Deserialize;
use wasm_bindgen::prelude::*;

/// The package's `FbxScene`.
#[derive(Deserialize)]
struct SceneFields {
    name: String,
    fps: f64,
    frames: usize,
    nodes: Vec<NodeFields>,
    tracks: Vec<TrackFields>,
    meshes: Vec<MeshFields>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NodeFields {
    name: String,
    /// -1 for a root.
    parent: i32,
    translation: [f32; 3],
    rotation: [f32; 4],
    scale: [f32; 3],
    is_bone: bool,
}

#[derive(Deserialize)]
struct TrackFields {
    node: usize,
    #[serde(default)]
    rotations: Option<Vec<f32>>,
    #[serde(default)]
    translations: Option<Vec<f32>>,
}

#[derive(Deserialize)]
struct MeshFields {
    name: String,
    positions: Vec<f32>,
    #[serde(default)]
    normals: Vec<f32>,
    #[serde(default)]
    uvs: Vec<f32>,
    indices: Vec<u32>,
    /// Bones of the mesh.
    joints: Vec<JointFields>,
    /// Indices in `joints`, `set` numbers for each vertex, and their weights.
    influences: Vec<u32>,
    weights: Vec<f32>,
    color: [f32; 3],
}

#[derive(Deserialize)]
struct JointFields {
    node: usize,
    /// World transform in the bind pose, column by column.
    bind: Vec<f32>,
}

/// Encodes a clip, packed as bytes by [`pack::pack`], as an FBX file.
///
/// # Errors
/// Throws the errors of [`pack::unpack`] and [`fbx::write`].
#[wasm_bindgen(js_name = writeClip)]
pub fn write_clip(bytes: &[u8]) -> Result<Vec<u8>, JsValue> {
    let clip = pack::unpack(bytes, None).map_err(js_error)?.clip;
    fbx::write(&clip).map_err(js_error)
}

/// Encodes a scene as an FBX file.
///
/// # Errors
/// Throws the errors of [`fbx::write_scene`].
#[wasm_bindgen(js_name = writeScene)]
pub fn write_scene(scene: JsValue) -> Result<Vec<u8>, JsValue> {
    let fields: SceneFields = from_js("scene", scene)?;
    let node = |node: NodeFields| Node {
        name: node.name,
        parent: usize::try_from(node.parent).ok(),
        translation: node.translation.into(),
        rotation: Quat::from_array(node.rotation).normalize(),
        scale: node.scale.into(),
        is_bone: node.is_bone,
    };
    let track = |track: TrackFields| Track {
        node: track.node,
        rotations: track.rotations.map(|values| {
            values.as_chunks::<4>().0.iter().map(|&rotation| Quat::from_array(rotation).normalize()).collect()
        }),
        translations: track.translations.map(|values| vectors(&values)),
    };
    let scene = Scene {
        name: fields.name,
        fps: fields.fps,
        frames: fields.frames,
        nodes: fields.nodes.into_iter().map(node).collect(),
        tracks: fields.tracks.into_iter().map(track).collect(),
        meshes: fields.meshes.into_iter().map(mesh).collect(),
    };
    fbx::write_scene(&scene).map_err(js_error)
}

fn vectors(values: &[f32]) -> Vec<Vec3> {
    values.as_chunks::<3>().0.iter().map(|&vector| Vec3::from_array(vector)).collect()
}

fn mesh(fields: MeshFields) -> Mesh {
    let vertices = fields.positions.len() / 3;
    let set = fields.influences.len().checked_div(vertices).unwrap_or(0);
    let mut clusters: Vec<Cluster> = fields
        .joints
        .iter()
        .map(|joint| Cluster {
            node: joint.node,
            weights: Vec::new(),
            bind: joint.bind.first_chunk::<16>().map_or(Mat4::IDENTITY, Mat4::from_cols_array),
        })
        .collect();
    for (index, (&joint, &weight)) in fields.influences.iter().zip(&fields.weights).enumerate() {
        if weight > 0.0
            && let Some(cluster) = clusters.get_mut(joint as usize)
            && let Some(vertex) = index.checked_div(set)
        {
            cluster.weights.push((vertex as u32, weight));
        }
    }
    clusters.retain(|cluster| !cluster.weights.is_empty());
    Mesh {
        name: fields.name,
        positions: vectors(&fields.positions),
        normals: vectors(&fields.normals),
        uvs: fields.uvs.as_chunks::<2>().0.iter().map(|&uv| Vec2::from_array(uv)).collect(),
        triangles: fields.indices.as_chunks::<3>().0.to_vec(),
        clusters,
        color: fields.color,
    }
}
