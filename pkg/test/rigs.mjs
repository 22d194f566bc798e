// For tests of three.js, glTF, FBX and the page: generated three.js characters (`character`), and their GLB and FBX
// files (`glbOf`, `loadGlb`, `fbxOf`). A character is a body of boxes on bones. Names, rotations, scales and facings of
// the bones are as in Mixamo, VRM 0 or Blender.
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
/** Ends of the last bones, relative to their joints, metres. */
const TIPS = {
  Head: [0, 0.2, 0],
  LeftHand: [0.17, 0, 0],
  RightHand: [-0.17, 0, 0],
  LeftToe: [0, 0, 0.07],
  RightToe: [0, 0, 0.07],
};
/** Thickness of the boxes by part of the body, metres. */
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

/** Splits a role into its side ("L", "R", or "" for the middle of the body) and its part of the body. */
function splitRole(role) {
  const [, side = "", part] = /^(Left|Right)?(.*)$/.exec(role);
  return [side.slice(0, 1), part];
}

/** Functions from a role to the name of its bone, by family. */
const NAMES = {
  mixamo: (role) => `mixamorig${role === "LeftToe" ? "LeftToeBase" : role === "RightToe" ? "RightToeBase" : role}`,
  vrm(role) {
    const [side, part] = splitRole(role);
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
    return `J_Bip_${side || "C"}_${name}`;
  },
  blender(role) {
    const [side, part] = splitRole(role);
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
    return name.replace("%", side);
  },
};

/**
 * Returns a character of a family. "mixamo": centimetres, below a node that scales, bones along y. "vrm": unrotated
 * bones, facing -z as in VRM 0. "blender": z up in an armature, bones along y with roll, a root bone on the ground.
 * `size` scales the body.
 */
export function character(family, { size = 1 } = {}) {
  const facing = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), family === "vrm" ? Math.PI : 0);
  const positionOf = (position) => new Vector3(...position).multiplyScalar(size).applyQuaternion(facing);
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

/** Returns a mesh with a box along every bone; each box is skinned to one bone. */
function boxMesh(bones, jointPositions, tipOf, family, size) {
  const [positions, normals, joints, weights, indices] = [[], [], [], [], []];
  // The skeleton of "blender" starts with the root bone, which has no box.
  const firstBone = family === "blender" ? 1 : 0;
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
      joints.push(index + firstBone, 0, 0, 0);
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
export class FileReader {
  readAsArrayBuffer(blob) {
    blob.arrayBuffer().then((buffer) => {
      this.result = buffer;
      this.onloadend();
    });
  }
}

/** Returns a character with animations as a GLB. */
export async function glbOf(model, animations = []) {
  globalThis.FileReader ??= FileReader;
  const { GLTFExporter } = await import("three/addons/exporters/GLTFExporter.js");
  return new Uint8Array(await new GLTFExporter().parseAsync(model, { binary: true, animations }));
}

/** Loads a GLB with three.js. */
export async function loadGlb(bytes) {
  globalThis.self ??= globalThis;
  globalThis.ProgressEvent ??= class extends Event {};
  const { GLTFLoader } = await import("three/addons/loaders/GLTFLoader.js");
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  return new GLTFLoader().parseAsync(buffer, "");
}

const fbxArray = (name, values) =>
  `\t\t${name}: *${values.length} {\n\t\t\ta: ${values.map((value) => +value.toFixed(6)).join(",")}\n\t\t}\n`;

/** Identifiers of the objects of an FBX file. Identifier 0 is the scene. */
const FBX_IDS = { geometry: 1, mesh: 2, material: 3, skin: 4, armature: 5, texture: 6, video: 7 };
const fbxBoneId = (index) => 100 + index;
const fbxClusterId = (index) => 500 + index;

/** Returns the mesh as an FBX object. `unit`: the unit of its lengths, centimetres. */
function fbxGeometry(geometry, unit) {
  const positions = [...geometry.getAttribute("position").array].map((value) => (value * 100) / unit);
  // The last corner of each polygon is stored as its bitwise complement.
  const polygons = [...geometry.index.array].map((vertex, i) => (i % 3 === 2 ? -vertex - 1 : vertex));
  const arrays = fbxArray("Vertices", positions) + fbxArray("PolygonVertexIndex", polygons);
  return `\tGeometry: ${FBX_IDS.geometry}, "Geometry::Body", "Mesh" {\n${arrays}\t}\n`;
}

/** Returns a node as an FBX object. `degrees`: rotations about x, y and z. */
function fbxNode(id, type, name, position, degrees = [0, 0, 0]) {
  const property = (name, values) =>
    `\t\t\tP: "Lcl ${name}", "Lcl ${name}", "", "A",${values.map((value) => +value.toFixed(6)).join(",")}\n`;
  const properties = property("Translation", position) + property("Rotation", degrees);
  const head = `\tModel: ${id}, "Model::${name}", "${type}" {\n\t\tVersion: 232\n`;
  return `${head}\t\tProperties70: {\n${properties}\t\t}\n\t}\n`;
}

/** Returns a bone as an FBX object. */
function fbxBone(bone, id, unit) {
  const { x, y, z } = new Euler().setFromQuaternion(bone.quaternion, "ZYX");
  const degrees = [x, y, z].map((angle) => (angle * 180) / Math.PI);
  const position = bone.position.toArray().map((value) => value / unit);
  return fbxNode(id, "LimbNode", bone.name, position, degrees);
}

/** Returns the vertices skinned to a bone as an FBX object. */
function fbxCluster(bone, id, vertices, unit) {
  const [translation, rotation, scale] = [new Vector3(), new Quaternion(), new Vector3()];
  bone.matrixWorld.decompose(translation, rotation, scale);
  const link = new Matrix4().compose(translation.multiplyScalar(100 / unit), rotation, new Vector3(1, 1, 1));
  return `\tDeformer: ${id}, "SubDeformer::", "Cluster" {\n\t\tVersion: 100\n${fbxArray("Indexes", vertices)}${fbxArray(
    "Weights",
    vertices.map(() => 1),
  )}${fbxArray("Transform", link.clone().invert().elements.slice())}${fbxArray("TransformLink", link.elements.slice())}\t}\n`;
}

/** Properties of FBX nodes, by the names of their curves. */
const FBX_PROPERTIES = { T: "Lcl Translation", R: "Lcl Rotation", S: "Lcl Scaling" };

/**
 * Returns the objects and connections of an animation of one second. `tracks`: identifier of the node, name of the
 * curves, and function from frame to the values for x, y and z.
 */
function fbxAnimation(name, index, tracks) {
  const [stack, layer] = [900, 901].map((id) => id + 20 * index);
  const times = Array.from({ length: 31 }, (_, frame) => (46_186_158_000 / 30) * frame);
  const objects = [
    `\tAnimationStack: ${stack}, "AnimStack::${name}", "" {\n\t\tVersion: 100\n\t}\n`,
    `\tAnimationLayer: ${layer}, "AnimLayer::Base", "" {\n\t\tVersion: 100\n\t}\n`,
  ];
  const connections = [[layer, stack]];
  const propertyConnections = [];
  tracks.forEach(([target, letter, valuesAt], track) => {
    const node = layer + 1 + 4 * track;
    objects.push(`\tAnimationCurveNode: ${node}, "AnimCurveNode::${letter}", "" {\n\t\tVersion: 100\n\t}\n`);
    connections.push([node, layer]);
    propertyConnections.push([node, target, FBX_PROPERTIES[letter]]);
    for (const [axisIndex, axis] of ["X", "Y", "Z"].entries()) {
      const curve = node + 1 + axisIndex;
      const values = times.map((_, frame) => valuesAt(frame)[axisIndex]);
      objects.push(
        `\tAnimationCurve: ${curve}, "AnimCurve::", "" {\n${fbxArray("KeyTime", times)}${fbxArray("KeyValueFloat", values)}\t}\n`,
      );
      propertyConnections.push([curve, node, `d|${axis}`]);
    }
  });
  return { objects, connections, propertyConnections };
}

/** Returns the objects and connections of a picture of the material. `base64`: its bytes. */
function fbxPicture(base64) {
  const { material, texture, video } = FBX_IDS;
  const objects = [
    `\tTexture: ${texture}, "Texture::Skin", "" {\n\t\tFileName: "skin.png"\n\t}\n`,
    `\tVideo: ${video}, "Video::Skin", "Clip" {\n\t\tRelativeFilename: "skin.png"\n\t\tContent: ,\n\t\t"${base64}"\n\t}\n`,
  ];
  return { objects, connections: [[video, texture]], propertyConnections: [[texture, material, "DiffuseColor"]] };
}

/** Returns the motion of the armature of `fbxOf`: from x 0 to 1 m, at y 0.5 m; its scale is 1 in all frames. */
const fbxArmatureTracks = (unit) => [
  [FBX_IDS.armature, "T", (frame) => [(100 / unit) * (frame / 30), 50 / unit, 0]],
  [FBX_IDS.armature, "S", () => [1, 1, 1]],
];

/**
 * Returns a "mixamo" character as an ASCII FBX file. `swingNames`: names of animations of the first bone, one second
 * each. `unit`: the file's unit, centimetres; `undefined`: the file does not state it, and lengths are in centimetres.
 * `armature`: name of a Null above all nodes, 0.5 m above the ground, which every animation moves; `undefined`: none.
 * `picture`: an embedded picture, base64.
 */
export function fbxOf({ mesh, bones }, swingNames = [], { unit, armature, picture } = {}) {
  const boneList = [...bones.values()];
  const { geometry, mesh: meshId, material, skin } = FBX_IDS;
  const skinIndices = mesh.geometry.getAttribute("skinIndex");
  const [lengthUnit, top] = [unit ?? 1, armature === undefined ? 0 : FBX_IDS.armature];
  const objects = [
    fbxGeometry(mesh.geometry, lengthUnit),
    `\tModel: ${meshId}, "Model::Body", "Mesh" {\n\t\tVersion: 232\n\t}\n`,
    `\tMaterial: ${material}, "Material::Skin", "" {\n\t\tVersion: 102\n\t\tShadingModel: "phong"\n` +
      '\t\tProperties70: {\n\t\t\tP: "DiffuseColor", "Color", "", "A",0.2,0.6,0.5\n\t\t}\n\t}\n',
    `\tDeformer: ${skin}, "Deformer::Skin", "Skin" {\n\t\tVersion: 101\n\t}\n`,
  ];
  const connections = [
    [meshId, top],
    [geometry, meshId],
    [material, meshId],
    [skin, geometry],
  ];
  if (top !== 0) {
    objects.push(fbxNode(top, "Null", armature, [0, 50 / lengthUnit, 0]));
    connections.push([top, 0]);
  }
  boneList.forEach((bone, index) => {
    const vertices = Array.from({ length: skinIndices.count }, (_, vertex) => vertex).filter(
      (vertex) => skinIndices.getX(vertex) === index,
    );
    const [boneId, clusterId] = [fbxBoneId(index), fbxClusterId(index)];
    objects.push(fbxBone(bone, boneId, lengthUnit), fbxCluster(bone, clusterId, vertices, lengthUnit));
    const parent = boneList.indexOf(bone.parent);
    connections.push([boneId, parent < 0 ? top : fbxBoneId(parent)], [clusterId, skin], [boneId, clusterId]);
  });
  const swing = [fbxBoneId(0), "R", (frame) => [0, 10 * Math.sin(frame / 5), 0]];
  const tracks = top === 0 ? [swing] : [swing, ...fbxArmatureTracks(lengthUnit)];
  const parts = swingNames.map((name, index) => fbxAnimation(name, index, tracks));
  if (picture !== undefined) parts.push(fbxPicture(picture));
  objects.push(...parts.flatMap((part) => part.objects));
  connections.push(...parts.flatMap((part) => part.connections));
  const propertyConnections = parts.flatMap((part) => part.propertyConnections);
  const objectLines = connections.map(([child, parent]) => `\tC: "OO",${child},${parent}\n`);
  const propertyLines = propertyConnections.map(([child, parent, name]) => `\tC: "OP",${child},${parent}, "${name}"\n`);
  const head = "; FBX 7.3.0 project file\nFBXHeaderExtension:  {\n\tFBXVersion: 7300\n}\n";
  const unitLine = unit === undefined ? "" : `\t\tP: "UnitScaleFactor", "double", "Number", "",${unit}\n`;
  const settings = `GlobalSettings:  {\n\tProperties70:  {\n${unitLine}\t}\n}\n`;
  const connectionLines = [...objectLines, ...propertyLines].join("");
  return `${head}${settings}Objects:  {\n${objects.join("")}}\nConnections:  {\n${connectionLines}}\n`;
}
