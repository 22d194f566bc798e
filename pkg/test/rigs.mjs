// Generated three.js characters: a body of boxes on bones. Names, rotations, scales and facings of the bones are those
// of various programs that make rigs.
import {
  Bone,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Euler,
  Group,
  Matrix4,
  MeshStandardMaterial,
  Object3D,
  Quaternion,
  Skeleton,
  SkinnedMesh,
  Vector3,
} from "three";

/** Joints of a body in T-pose on the ground, facing +z, left is +x: role, parent, position in metres. */
const BODY = [
  ["Hips", null, [0, 0.95, 0]],
  ["Spine", "Hips", [0, 1.06, 0.01]],
  ["Spine1", "Spine", [0, 1.18, 0.01]],
  ["Spine2", "Spine1", [0, 1.3, 0]],
  ["Neck", "Spine2", [0, 1.46, -0.01]],
  ["Head", "Neck", [0, 1.55, 0.01]],
  ...["Left", "Right"].flatMap((side) => {
    const x = (value) => (side === "Left" ? value : -value);
    return [
      [`${side}Shoulder`, "Spine2", [x(0.05), 1.41, 0]],
      [`${side}Arm`, `${side}Shoulder`, [x(0.17), 1.41, -0.01]],
      [`${side}ForeArm`, `${side}Arm`, [x(0.44), 1.41, -0.02]],
      [`${side}Hand`, `${side}ForeArm`, [x(0.69), 1.41, -0.01]],
      [`${side}UpLeg`, "Hips", [x(0.09), 0.91, 0]],
      [`${side}Leg`, `${side}UpLeg`, [x(0.095), 0.5, 0.01]],
      [`${side}Foot`, `${side}Leg`, [x(0.1), 0.09, -0.02]],
      [`${side}Toe`, `${side}Foot`, [x(0.105), 0.025, 0.11]],
    ];
  }),
];
const TIPS = {
  Head: [0, 0.2, 0],
  LeftHand: [0.17, 0, 0],
  RightHand: [-0.17, 0, 0],
  LeftToe: [0, 0, 0.07],
  RightToe: [0, 0, 0.07],
};
const GIRTH = {
  Hips: 0.13,
  Spine: 0.13,
  Spine1: 0.14,
  Spine2: 0.15,
  Neck: 0.06,
  Head: 0.09,
  UpLeg: 0.08,
  Leg: 0.06,
  Foot: 0.045,
  Toe: 0.04,
  Shoulder: 0.06,
  Arm: 0.05,
  ForeArm: 0.04,
  Hand: 0.035,
};

const withSideLetter = (side, name) =>
  [
    ["Left", "L"],
    ["Right", "R"],
  ].reduce((text, [word, letter]) => (side === word ? text.replace("%", letter) : text), name);

/** Bone names by family. */
const NAMES = {
  mixamo: (role) => `mixamorig${role === "LeftToe" ? "LeftToeBase" : role === "RightToe" ? "RightToeBase" : role}`,
  vrm(role) {
    const side = /^(Left|Right)/.exec(role)?.[1];
    const part = role.replace(/^(Left|Right)/, "");
    const name = {
      Hips: "Hips",
      Spine: "Spine",
      Spine1: "Chest",
      Spine2: "UpperChest",
      Neck: "Neck",
      Head: "Head",
      Shoulder: "Shoulder",
      Arm: "UpperArm",
      ForeArm: "LowerArm",
      Hand: "Hand",
      UpLeg: "UpperLeg",
      Leg: "LowerLeg",
      Foot: "Foot",
      Toe: "ToeBase",
    }[part];
    return `J_Bip_${side ? side[0] : "C"}_${name}`;
  },
  blender(role) {
    const side = /^(Left|Right)/.exec(role)?.[1];
    const part = role.replace(/^(Left|Right)/, "");
    const name = {
      Hips: "spine",
      Spine: "spine001",
      Spine1: "spine002",
      Spine2: "spine003",
      Neck: "neck",
      Head: "head",
      Shoulder: "shoulder%",
      Arm: "upper_arm%",
      ForeArm: "forearm%",
      Hand: "hand%",
      UpLeg: "thigh%",
      Leg: "shin%",
      Foot: "foot%",
      Toe: "toe%",
    }[part];
    return withSideLetter(side, name);
  },
};

/**
 * A character of a family. "mixamo": centimetres, below a node that scales and rotates, bones along y. "vrm": unrotated
 * bones, facing -z as in VRM 0. "blender": z up in an armature, bones along y with roll, a root bone on the ground.
 * `size` scales the body, `legs` only its legs.
 */
export function character(family, { size = 1, legs = 1 } = {}) {
  const facing = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), family === "vrm" ? Math.PI : 0);
  const hip = 0.91;
  const positionOf = ([x, y, z]) =>
    new Vector3(x, y < hip ? y * legs : y + hip * (legs - 1), z).multiplyScalar(size).applyQuaternion(facing);
  const model = new Group();
  model.name = `${family} model`;
  const armature = new Object3D();
  armature.name = "Armature";
  model.add(armature);
  if (family === "mixamo") armature.scale.setScalar(0.01);
  if (family === "blender") armature.rotation.x = -Math.PI / 2;
  model.updateMatrixWorld(true);

  const jointPositions = new Map(BODY.map(([role, , position]) => [role, positionOf(position)]));
  const tipOf = (role) => {
    const child = BODY.find(
      ([name, parent]) =>
        parent === role && (role !== "Hips" || name === "Spine") && (role !== "Spine2" || name === "Neck"),
    );
    const tip = TIPS[role];
    return child
      ? jointPositions.get(child[0]).clone()
      : new Vector3(...tip).multiplyScalar(size).applyQuaternion(facing).add(jointPositions.get(role));
  };
  const bones = new Map();
  const worlds = new Map();
  let root = armature;
  if (family === "blender") {
    root = new Bone();
    root.name = "root";
    armature.add(root);
  }
  for (const [role, parent] of BODY) {
    const along = tipOf(role).sub(jointPositions.get(role)).normalize();
    const world = new Quaternion();
    if (family !== "vrm") {
      world.setFromUnitVectors(new Vector3(0, 1, 0), along);
      if (family === "blender")
        world.multiply(new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), 0.7 * role.length));
    }
    worlds.set(role, new Matrix4().compose(jointPositions.get(role), world, new Vector3(1, 1, 1)));
    const bone = new Bone();
    bone.name = NAMES[family](role);
    bones.set(role, bone);
    const parentBone = parent ? bones.get(parent) : root;
    parentBone.add(bone);
    parentBone.updateWorldMatrix(true, false);
    const scale = family === "mixamo" ? 0.01 : 1;
    const local = parentBone.matrixWorld
      .clone()
      .invert()
      .multiply(new Matrix4().compose(jointPositions.get(role), world, new Vector3(scale, scale, scale)));
    local.decompose(bone.position, bone.quaternion, bone.scale);
    bone.updateWorldMatrix(false, false);
  }
  model.updateMatrixWorld(true);
  const mesh = boxMesh(bones, jointPositions, tipOf, family, size);
  model.add(mesh);
  const skeleton = new Skeleton([...(family === "blender" ? [root] : []), ...bones.values()]);
  mesh.bind(skeleton, new Matrix4());
  return { model, mesh, bones };
}

/** A mesh with a box along every bone; each box is skinned to one bone. */
function boxMesh(bones, jointPositions, tipOf, family, size) {
  const [positions, normals, joints, weights, indices] = [[], [], [], [], []];
  const first = family === "blender" ? 1 : 0;
  [...bones.keys()].forEach((role, index) => {
    const from = jointPositions.get(role);
    const to = tipOf(role);
    const length = from.distanceTo(to);
    const girth = GIRTH[role.replace(/^(Left|Right)/, "")] * size;
    const flat = /Foot|Toe/.test(role);
    const box = new BoxGeometry(girth * 1.3, length * 1.02, girth * (/^(Hips|Spine)/.test(role) ? 1 : 1.2));
    box.translate(0, length / 2, 0);
    box.applyQuaternion(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), to.clone().sub(from).normalize()));
    box.translate(from.x, from.y, from.z);
    const start = positions.length / 3;
    const [p, n] = [box.getAttribute("position"), box.getAttribute("normal")];
    for (let i = 0; i < p.count; i++) {
      // Keeps the soles on the ground.
      positions.push(p.getX(i), flat ? Math.max(0, p.getY(i)) : p.getY(i), p.getZ(i));
      normals.push(n.getX(i), n.getY(i), n.getZ(i));
      joints.push(index + first, 0, 0, 0);
      weights.push(1, 0, 0, 0);
    }
    indices.push(...Array.from(box.index.array, (vertex) => vertex + start));
  });
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute("normal", new BufferAttribute(new Float32Array(normals), 3));
  geometry.setAttribute("skinIndex", new BufferAttribute(new Uint16Array(joints), 4));
  geometry.setAttribute("skinWeight", new BufferAttribute(new Float32Array(weights), 4));
  geometry.setIndex(indices);
  const mesh = new SkinnedMesh(
    geometry,
    new MeshStandardMaterial({
      color: { mixamo: 0xb0584f, vrm: 0x6f86c9, blender: 0xc9a15f }[family],
      roughness: 0.8,
      metalness: 0,
    }),
  );
  mesh.name = "Body";
  return mesh;
}

/** The browser API that three.js's exporter needs. */
class FileReader {
  readAsArrayBuffer(blob) {
    blob.arrayBuffer().then((buffer) => {
      this.result = buffer;
      this.onloadend();
    });
  }
}

/** A character with animations as a GLB. */
export async function glbOf(model, animations = []) {
  globalThis.FileReader ??= FileReader;
  const { GLTFExporter } = await import("three/addons/exporters/GLTFExporter.js");
  return new Uint8Array(await new GLTFExporter().parseAsync(model, { binary: true, animations }));
}

/** A GLB loaded by three.js. */
export async function loadedGlb(bytes) {
  globalThis.self ??= globalThis;
  globalThis.ProgressEvent ??= class extends Event {};
  const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  return new GLTFLoader().parseAsync(buffer, "");
}

/**
 * A "mixamo" character as an ASCII FBX file, in centimetres. `swings`: names of animations of the first bone, one
 * second each.
 */
export function fbxOf({ mesh, bones }, swings = []) {
  const list = [...bones.values()];
  const numbers = (name, values) =>
    `\t\t${name}: *${values.length} {\n\t\t\ta: ${values.map((value) => +value.toFixed(6)).join(",")}\n\t\t}\n`;
  const lcl = (property, values) =>
    `\t\t\tP: "Lcl ${property}", "Lcl ${property}", "", "A",${values.map((value) => +value.toFixed(6)).join(",")}\n`;
  const { geometry } = mesh;
  const position = [...geometry.getAttribute("position").array].map((value) => value * 100);
  // The last corner of each polygon is stored as its bitwise complement.
  const polygons = [...geometry.index.array].map((vertex, i) => (i % 3 === 2 ? -vertex - 1 : vertex));
  const joints = geometry.getAttribute("skinIndex");
  const objects = [
    `\tGeometry: 1, "Geometry::Body", "Mesh" {\n${numbers("Vertices", position)}${numbers("PolygonVertexIndex", polygons)}\t}\n`,
    `\tModel: 2, "Model::Body", "Mesh" {\n\t\tVersion: 232\n\t}\n`,
    `\tMaterial: 3, "Material::Skin", "" {\n\t\tVersion: 102\n\t\tShadingModel: "phong"\n\t\tProperties70: {\n\t\t\tP: "DiffuseColor", "Color", "", "A",0.2,0.6,0.5\n\t\t}\n\t}\n`,
    `\tDeformer: 4, "Deformer::Skin", "Skin" {\n\t\tVersion: 101\n\t}\n`,
  ];
  const connections = [
    [2, 0],
    [1, 2],
    [3, 2],
    [4, 1],
  ];
  list.forEach((bone, i) => {
    const { x, y, z } = new Euler().setFromQuaternion(bone.quaternion, "ZYX");
    const degrees = [x, y, z].map((angle) => (angle * 180) / Math.PI);
    objects.push(
      `\tModel: ${100 + i}, "Model::${bone.name}", "LimbNode" {\n\t\tVersion: 232\n\t\tProperties70: {\n${lcl("Translation", bone.position.toArray())}${lcl("Rotation", degrees)}\t\t}\n\t}\n`,
    );
    const [translation, rotation, scale] = [new Vector3(), new Quaternion(), new Vector3()];
    bone.matrixWorld.decompose(translation, rotation, scale);
    const link = new Matrix4().compose(translation.multiplyScalar(100), rotation, new Vector3(1, 1, 1));
    const vertices = Array.from({ length: joints.count }, (_, vertex) => vertex).filter(
      (vertex) => joints.getX(vertex) === i,
    );
    objects.push(
      `\tDeformer: ${500 + i}, "SubDeformer::", "Cluster" {\n\t\tVersion: 100\n${numbers("Indexes", vertices)}${numbers(
        "Weights",
        vertices.map(() => 1),
      )}${numbers("Transform", link.clone().invert().elements.slice())}${numbers("TransformLink", link.elements.slice())}\t}\n`,
    );
    const parent = list.indexOf(bone.parent);
    connections.push([100 + i, parent < 0 ? 0 : 100 + parent], [500 + i, 4], [100 + i, 500 + i]);
  });
  const properties = [];
  swings.forEach((name, i) => {
    const [stack, layer, node, curve] = [900, 901, 902, 903].map((id) => id + 10 * i);
    const times = Array.from({ length: 31 }, (_, frame) => (46_186_158_000 / 30) * frame);
    objects.push(
      `\tAnimationStack: ${stack}, "AnimStack::${name}", "" {\n\t\tVersion: 100\n\t}\n`,
      `\tAnimationLayer: ${layer}, "AnimLayer::Base", "" {\n\t\tVersion: 100\n\t}\n`,
      `\tAnimationCurveNode: ${node}, "AnimCurveNode::R", "" {\n\t\tVersion: 100\n\t}\n`,
    );
    connections.push([layer, stack], [node, layer]);
    properties.push([node, 100, "Lcl Rotation"]);
    ["X", "Y", "Z"].forEach((axis, index) => {
      const degrees = times.map((_, frame) => (axis === "Y" ? 10 * Math.sin(frame / 5) : 0));
      objects.push(
        `\tAnimationCurve: ${curve + index}, "AnimCurve::", "" {\n${numbers("KeyTime", times)}${numbers("KeyValueFloat", degrees)}\t}\n`,
      );
      properties.push([curve + index, node, `d|${axis}`]);
    });
  });
  const propertyConnections = properties.map(([from, to, property]) => `\tC: "OP",${from},${to}, "${property}"\n`);
  return `; FBX 7.3.0 project file\nFBXHeaderExtension:  {\n\tFBXVersion: 7300\n}\nObjects:  {\n${objects.join("")}}\nConnections:  {\n${connections.map(([from, to]) => `\tC: "OO",${from},${to}\n`).join("")}${propertyConnections.join("")}}\n`;
}
