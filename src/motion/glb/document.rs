//! The JSON part of a glTF 2.0 file: the properties needed for a skeleton with a mesh and one animation.

use serde::Serialize;

/// Component types of accessors (glTF 2.0, section 5.1.3).
#[derive(Clone, Copy)]
pub(super) enum Component {
    U8 = 5121,
    U16 = 5123,
    U32 = 5125,
    F32 = 5126,
}

/// Purpose of a buffer view (glTF 2.0, section 5.11.5).
#[derive(Clone, Copy)]
pub(super) enum Target {
    Vertices = 34962,
    Indices = 34963,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document<'a> {
    pub asset: Asset,
    pub scene: usize,
    pub scenes: [Scene; 1],
    pub nodes: Vec<Node<'a>>,
    pub meshes: [Mesh; 1],
    pub materials: [Material; 1],
    pub skins: [Skin; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub animations: Option<[Animation<'a>; 1]>,
    pub buffers: [Buffer; 1],
    pub buffer_views: Vec<View>,
    pub accessors: Vec<Accessor>,
}

#[derive(Serialize)]
pub(super) struct Asset {
    pub version: &'static str,
    pub generator: &'static str,
}

#[derive(Serialize)]
pub(super) struct Scene {
    pub nodes: [usize; 2],
}

#[derive(Serialize, Default)]
pub(super) struct Node<'a> {
    pub name: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub children: &'a [usize],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translation: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skin: Option<usize>,
}

#[derive(Serialize)]
pub(super) struct Mesh {
    pub name: &'static str,
    pub primitives: [Primitive; 1],
}

#[derive(Serialize)]
pub(super) struct Primitive {
    pub attributes: Attributes,
    pub indices: usize,
    pub material: usize,
}

/// Indices of the accessors of vertex attributes.
#[derive(Serialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub positions: usize,
    #[serde(rename = "JOINTS_0")]
    pub joints: usize,
    #[serde(rename = "WEIGHTS_0")]
    pub weights: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Material {
    pub name: &'static str,
    pub double_sided: bool,
    pub pbr_metallic_roughness: PbrMaterial,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PbrMaterial {
    pub base_color_factor: [f32; 4],
    pub metallic_factor: f32,
    pub roughness_factor: f32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    pub joints: Vec<usize>,
    pub skeleton: usize,
    pub inverse_bind_matrices: usize,
}

#[derive(Serialize)]
pub(super) struct Animation<'a> {
    pub name: &'a str,
    pub samplers: Vec<Sampler>,
    pub channels: Vec<Channel>,
}

/// Indices of the accessors of times and values.
#[derive(Serialize)]
pub(super) struct Sampler {
    pub input: usize,
    pub output: usize,
    pub interpolation: &'static str,
}

#[derive(Serialize)]
pub(super) struct Channel {
    pub sampler: usize,
    pub target: AnimationTarget,
}

#[derive(Serialize)]
pub(super) struct AnimationTarget {
    pub node: usize,
    pub path: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub byte_length: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct View {
    pub buffer: usize,
    pub byte_offset: usize,
    pub byte_length: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub buffer_view: usize,
    pub component_type: u32,
    pub count: usize,
    #[serde(rename = "type")]
    pub shape: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub normalized: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub min: Vec<f32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub max: Vec<f32>,
}
