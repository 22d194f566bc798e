//! GLB: poses that are read from the written bytes equal those of the clip. The tests of the package use the validator
//! of Khronos, and three.js.

use crate::common::recordings::mocap;
use glam::{Mat4, Quat, Vec3};
use kinestitch::Clip;
use kinestitch::motion::bvh::parse;
use kinestitch::motion::fk::Pose;
use kinestitch::motion::glb::write;
use serde_json::Value;

const SMALL: &str = "HIERARCHY
ROOT Hips
{
  OFFSET 0 95 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT mixamorig:Leg
  {
    OFFSET 10 -45 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -45 0
    }
  }
  JOINT \"Arm\"
  {
    OFFSET 60 50 0
    CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 60 0 0
    }
  }
}
ROOT Prop
{
  OFFSET 0 0 30
  CHANNELS 0
}
MOTION
Frames: 3
Frame Time: 0.04
0 95 0 10 20 30 1 2 3 60 50 0 0 0 0
1 95 10 170 80 30 1 2 3 60 51 0 0 0 0
2 95 20 -170 20 -100 1 2 3 60 50 0 0 0 0
";

struct Glb {
    json: Value,
    binary: Vec<u8>,
}

impl Glb {
    fn read(bytes: &[u8]) -> Self {
        let word = |offset: usize| u32::from_le_bytes(bytes[offset..offset + 4].try_into().unwrap()) as usize;
        assert_eq!(&bytes[..4], b"glTF");
        assert_eq!((word(4), word(8)), (2, bytes.len()));
        let json_length = word(12);
        assert_eq!(&bytes[16..20], b"JSON");
        let binary = 20 + json_length;
        assert_eq!(&bytes[binary + 4..binary + 8], b"BIN\0");
        assert_eq!(word(binary), bytes.len() - binary - 8);
        Self { json: serde_json::from_slice(&bytes[20..binary]).unwrap(), binary: bytes[binary + 8..].to_vec() }
    }

    fn floats(&self, accessor: &Value) -> Vec<f32> {
        let accessor = &self.json["accessors"][accessor.as_u64().unwrap() as usize];
        let view = &self.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let (start, length) =
            (view["byteOffset"].as_u64().unwrap() as usize, view["byteLength"].as_u64().unwrap() as usize);
        self.binary[start..start + length].chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    /// Computes the world positions of the joints at a frame, from the file's nodes and samplers alone.
    fn world_positions(&self, frame: usize) -> Vec<Vec3> {
        let nodes = self.json["nodes"].as_array().unwrap();
        let vec3 = |v: &Value| Vec3::from_array(std::array::from_fn(|i| v[i].as_f64().unwrap_or(0.0) as f32));
        let mut locals: Vec<(Vec3, Quat)> = nodes.iter().map(|n| (vec3(&n["translation"]), Quat::IDENTITY)).collect();
        let animation = &self.json["animations"][0];
        for channel in animation["channels"].as_array().unwrap() {
            let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
            let key = frame.min(self.floats(&sampler["input"]).len() - 1);
            let local = &mut locals[channel["target"]["node"].as_u64().unwrap() as usize];
            let values = self.floats(&sampler["output"]);
            match channel["target"]["path"].as_str().unwrap() {
                "rotation" => local.1 = Quat::from_slice(&values[key * 4..]),
                _ => local.0 = Vec3::from_slice(&values[key * 3..]),
            }
        }
        let mut worlds = vec![Mat4::IDENTITY; nodes.len()];
        let mut stack: Vec<(usize, Mat4)> = self.json["scenes"][0]["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|n| (n.as_u64().unwrap() as usize, Mat4::IDENTITY))
            .collect();
        while let Some((node, parent)) = stack.pop() {
            worlds[node] = parent * Mat4::from_rotation_translation(locals[node].1, locals[node].0);
            let children = nodes[node]["children"].as_array().into_iter().flatten();
            stack.extend(children.map(|child| (child.as_u64().unwrap() as usize, worlds[node])));
        }
        let joints = self.json["skins"][0]["joints"].as_array().unwrap();
        joints.iter().map(|joint| worlds[joint.as_u64().unwrap() as usize].w_axis.truncate()).collect()
    }
}

fn assert_same_poses(clip: &Clip) -> Glb {
    let glb = Glb::read(&write(clip).unwrap());
    for frame in [0, clip.frames() / 2, clip.frames() - 1] {
        let expected = Pose::from_clip(clip, frame).world_positions;
        let found = glb.world_positions(frame);
        assert_eq!(expected.len(), found.len());
        let worst = expected.iter().zip(&found).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        assert!(worst < 1e-4, "{} metres apart in frame {frame} of {}", worst, clip.name);
    }
    glb
}

#[test]
fn written_poses_equal_the_clip() {
    let clip = parse("small \"clip\"", SMALL.as_bytes()).unwrap().clip;
    let glb = assert_same_poses(&clip);
    let names: Vec<&str> = glb.json["nodes"].as_array().unwrap().iter().map(|n| n["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Hips", "mixamorig:Leg", "\"Arm\"", "Prop", "small \"clip\"", "Bones"]);
    let times = glb.floats(&glb.json["animations"][0]["samplers"][0]["input"]);
    assert_eq!(times, [0.0, 0.04, 0.08]);
    // The leg never turns, so one key is enough.
    assert_eq!(glb.floats(&glb.json["animations"][0]["samplers"][1]["output"]).len(), 4);
}

#[test]
fn rotation_keys_are_unit_quaternions_on_the_shorter_arc() {
    let clip = parse("small", SMALL.as_bytes()).unwrap().clip;
    let glb = Glb::read(&write(&clip).unwrap());
    let keys = glb.floats(&glb.json["animations"][0]["samplers"][0]["output"]);
    let keys: Vec<Quat> = keys.chunks_exact(4).map(Quat::from_slice).collect();
    assert!(keys.iter().all(|key| key.is_normalized()));
    assert!(keys.windows(2).all(|pair| pair[0].dot(pair[1]) >= 0.0));
}

#[test]
fn a_clip_with_one_joint_and_no_frames_can_be_written() {
    let text = "HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 3 Xrotation Yrotation Zrotation }";
    let clip = parse("one", text.as_bytes()).unwrap().clip;
    let glb = Glb::read(&write(&clip).unwrap());
    assert!(glb.json.get("animations").is_none());
    assert_eq!(glb.json["meshes"].as_array().unwrap().len(), 1);
}

#[test]
fn written_poses_of_recordings_equal_the_clips() {
    for set in ["lafan1", "bandai", "cmu", "dog"] {
        for file in mocap(set).unwrap_or_default().iter().step_by(97) {
            let clip = parse(set, &std::fs::read(file).unwrap()).unwrap().clip;
            assert_same_poses(&clip);
        }
    }
}
