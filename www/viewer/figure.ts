/**
 * Draws a skeleton with instanced meshes: either as bones (octahedra) with joints, or as a body of limbs and a head.
 */
import {
  CapsuleGeometry,
  Color,
  Group,
  InstancedMesh,
  IcosahedronGeometry,
  Matrix4,
  MeshStandardMaterial,
  OctahedronGeometry,
  Quaternion,
  SphereGeometry,
  Vector3,
  type BufferGeometry,
} from "three";
import type { Role } from "kinestitch/worker";
import { jointOf, jointsToHips, type Skeleton } from "./poses";

/**
 * Half the depth of the limb that ends at a role's joint, as a fraction of the figure's height, and its ratio of width
 * to depth.
 */
const LIMB_SIZES: Partial<Record<Role, [halfDepth: number, widthRatio: number]>> = {
  LeftUpLeg: [0.05, 1],
  RightUpLeg: [0.05, 1],
  LeftLeg: [0.043, 1],
  RightLeg: [0.043, 1],
  LeftFoot: [0.03, 1],
  RightFoot: [0.03, 1],
  LeftToe: [0.022, 1],
  RightToe: [0.022, 1],
  Spine: [0.054, 1.5],
  Spine1: [0.054, 1.45],
  Spine2: [0.058, 1.55],
  Neck: [0.056, 1.5],
  Head: [0.029, 1],
  LeftShoulder: [0.036, 1],
  RightShoulder: [0.036, 1],
  LeftArm: [0.034, 1],
  RightArm: [0.034, 1],
  LeftForeArm: [0.026, 1],
  RightForeArm: [0.026, 1],
  LeftHand: [0.021, 1],
  RightHand: [0.021, 1],
};

/**
 * Drawn length beyond the last joint of a chain, as a fraction of the figure's height: End Sites in files often have
 * length 0. The head is drawn separately.
 */
const TIP_LENGTHS: Partial<Record<Role, number>> = {
  LeftToe: 0.035,
  RightToe: 0.035,
  LeftHand: 0.07,
  RightHand: 0.07,
};

/** Creates a bone from y = 0 to y = 1, widest near its start, as in other 3D programs. */
function createBone(): BufferGeometry {
  const geometry = new OctahedronGeometry(1, 0);
  const points = geometry.getAttribute("position");
  for (let i = 0; i < points.count; i++) {
    const y = points.getY(i);
    points.setY(i, y > 0.5 ? 1 : y < -0.5 ? 0 : 0.14);
  }
  geometry.computeVertexNormals();
  return geometry;
}

/** Creates a limb from y = 0 to y = 1 with radius 1 and round ends. Non-uniform scaling makes the ends ellipsoids. */
function createLimb(): BufferGeometry {
  const geometry = new CapsuleGeometry(1, 2, 5, 14);
  geometry.scale(1, 0.25, 1);
  geometry.translate(0, 0.5, 0);
  return geometry;
}

const UP = new Vector3(0, 1, 0);

/** A drawn skeleton. */
export class Figure {
  readonly group = new Group();
  readonly height: number;
  /** World joint positions, metres, [joints × 3]. The owner writes them, and then calls `draw`. */
  readonly pose: Float32Array;
  #skeleton: Skeleton;
  /**
   * Bones between the joints `from` and `to`. `halfDepth`: of the limb, metres. `tip`: 0, or the length of a bone that
   * continues the line beyond `to`, metres.
   */
  #bones: { from: number; to: number; halfDepth: number; widthRatio: number; tip: number }[] = [];
  /** Joints of the left and right upper arm; the line between them gives the direction of the trunk's width. */
  #shoulders: [number, number];
  #boneMesh: InstancedMesh;
  #limbMesh: InstancedMesh;
  #jointMesh: InstancedMesh;
  #head: { joint: number; mesh: InstancedMesh } | undefined;
  #jointRadii: Float32Array;
  /** Joints of each foot, which are highlighted together during contact. */
  #feet: readonly (readonly number[])[];
  #bodyColor = new Color();
  #jointColor = new Color();
  #contactColor = new Color();
  #contacts: readonly boolean[] = [];

  constructor(skeleton: Skeleton, isGhost = false) {
    this.#skeleton = skeleton;
    this.height = skeleton.height;
    this.pose = new Float32Array(skeleton.joints.length * 3);
    const ghostMaterial = isGhost ? { transparent: true, opacity: 0.3, depthWrite: false } : {};
    const smooth = new MeshStandardMaterial({ roughness: 0.6, ...ghostMaterial });
    const flat = new MeshStandardMaterial({ roughness: 0.6, flatShading: true, ...ghostMaterial });
    this.#jointRadii = this.#collectBones();
    this.#shoulders = [jointOf(skeleton, "LeftArm"), jointOf(skeleton, "RightArm")];
    const count = this.#bones.length;
    this.#boneMesh = new InstancedMesh(createBone(), flat, count);
    this.#limbMesh = new InstancedMesh(createLimb(), smooth, count);
    this.#jointMesh = new InstancedMesh(new IcosahedronGeometry(1, 2), smooth, skeleton.joints.length);
    const head = jointOf(skeleton, "Head");
    if (head >= 0) this.#head = { joint: head, mesh: new InstancedMesh(new SphereGeometry(1, 20, 14), smooth, 1) };
    for (const mesh of this.#meshes()) {
      mesh.frustumCulled = false;
      mesh.castShadow = !isGhost;
      this.group.add(mesh);
    }
    const feet = (side: "Left" | "Right"): number[] =>
      [jointOf(skeleton, `${side}Foot`), jointOf(skeleton, `${side}Toe`)].filter((joint) => joint >= 0);
    this.#feet = [feet("Left"), feet("Right")];
    this.setBody(true);
  }

  #meshes(): InstancedMesh[] {
    return [this.#boneMesh, this.#limbMesh, this.#jointMesh, ...(this.#head ? [this.#head.mesh] : [])];
  }

  /** Collects the bones. Returns the radius of each joint, metres. */
  #collectBones(): Float32Array {
    const { joints, rig } = this.#skeleton;
    const roles = new Map(Object.entries(rig).map(([role, name]) => [name, role as Role]));
    const hasChild = new Set(joints.map((joint) => joint.parent));
    const radii = new Float32Array(joints.length);
    // Eyes and jaws are inside the drawn head.
    const isInHead: boolean[] = [];
    joints.forEach(
      ({ parent }, j) => (isInHead[j] = parent >= 0 && (isInHead[parent] || roles.get(joints[parent].name) === "Head")),
    );
    const toHips = jointsToHips(this.#skeleton);
    joints.forEach((joint, j) => {
      const length = Math.hypot(...joint.offset);
      const role = roles.get(joint.name);
      const [fraction, widthRatio] = (role && LIMB_SIZES[role]) ?? [Math.min(0.03, (length * 0.16) / this.height), 1];
      const halfDepth = fraction * this.height;
      // Joints without a role, such as those of fingers, are smaller if their bones are short.
      radii[j] = Math.max(0.004 * this.height, Math.min(0.0135 * this.height, role ? 1 : length * 0.22));
      if (isInHead[j]) return;
      if (joint.parent >= 0 && length > 1e-5 && !toHips.has(j))
        this.#bones.push({ from: joint.parent, to: j, halfDepth, widthRatio, tip: 0 });
      if (!hasChild.has(j) && joint.parent >= 0) {
        const tip = role ? (TIP_LENGTHS[role] ?? 0) * this.height : Math.min(length * 0.6, 0.03 * this.height);
        if (tip > 0) this.#bones.push({ from: joint.parent, to: j, halfDepth: halfDepth * 0.85, widthRatio: 1, tip });
      }
    });
    return radii;
  }

  /** Shows the body, or the bones. */
  setBody(isBody: boolean): void {
    this.#limbMesh.visible = isBody;
    this.#boneMesh.visible = this.#jointMesh.visible = !isBody;
    if (this.#head) this.#head.mesh.visible = isBody;
  }

  setColors(body: string, joint: string, contact: string): void {
    this.#bodyColor.set(body);
    this.#jointColor.set(joint);
    this.#contactColor.set(contact);
    this.#paint();
  }

  setBodyColor(color: Color): void {
    if (this.#bodyColor.equals(color)) return;
    this.#bodyColor.copy(color);
    this.#paint();
  }

  /** Sets the joints of each foot. Without this call, they are the joints of the foot and toe roles. */
  setFeet(feet: readonly (readonly number[])[]): void {
    this.#feet = feet;
  }

  /** Highlights the feet in contact. The values have the order of the feet; by default left, right. */
  setContacts(...contacts: boolean[]): void {
    if (contacts.length === this.#contacts.length && contacts.every((isOn, i) => isOn === this.#contacts[i])) return;
    this.#contacts = contacts;
    this.#paint();
  }

  #isInContact(joint: number): boolean {
    return this.#feet.some((foot, side) => this.#contacts[side] && foot.includes(joint));
  }

  #paint(): void {
    this.#bones.forEach((bone, i) => {
      const color = this.#isInContact(bone.from) ? this.#contactColor : this.#bodyColor;
      this.#limbMesh.setColorAt(i, color);
      this.#boneMesh.setColorAt(i, color);
    });
    this.#jointRadii.forEach((_, joint) =>
      this.#jointMesh.setColorAt(joint, this.#isInContact(joint) ? this.#contactColor : this.#jointColor),
    );
    this.#head?.mesh.setColorAt(0, this.#bodyColor);
    for (const mesh of this.#meshes()) if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
  }

  #from = new Vector3();
  #to = new Vector3();
  #direction = new Vector3();
  #rotation = new Quaternion();
  #scale = new Vector3();
  #matrix = new Matrix4();

  /** Displays the pose in `pose`. */
  draw(): void {
    const { pose } = this;
    const positionOf = (joint: number, target: Vector3): Vector3 => target.fromArray(pose, joint * 3);
    this.#bones.forEach((bone, i) => {
      positionOf(bone.from, this.#from);
      positionOf(bone.to, this.#to);
      this.#direction.subVectors(this.#to, this.#from);
      let length = this.#direction.length();
      if (bone.tip > 0) {
        this.#from.copy(this.#to);
        this.#direction.multiplyScalar(length > 0 ? bone.tip / length : 0);
        length = length > 0 ? bone.tip : 0;
      }
      if (length < 1e-6) this.#matrix.makeScale(0, 0, 0);
      else {
        this.#rotation.setFromUnitVectors(UP, this.#direction.divideScalar(length));
        const width = Math.max(0.006 * this.height, Math.min(0.12 * length, 0.03 * this.height));
        this.#matrix.compose(this.#from, this.#rotation, this.#scale.set(width, length, width));
      }
      this.#boneMesh.setMatrixAt(i, this.#matrix);
      if (length >= 1e-6) {
        // Limbs extend a little beyond the joints, so that they overlap.
        const overlap = Math.min(bone.halfDepth * 0.7, length * 0.5);
        this.#from.addScaledVector(this.#direction, -overlap);
        if (bone.widthRatio > 1) this.#alignToShoulders();
        this.#matrix.compose(
          this.#from,
          this.#rotation,
          this.#scale.set(bone.halfDepth * bone.widthRatio, length + 2 * overlap, bone.halfDepth),
        );
      }
      this.#limbMesh.setMatrixAt(i, this.#matrix);
    });
    for (let j = 0; j < this.#jointRadii.length; j++) {
      const radius = this.#jointRadii[j] * (this.#isInContact(j) ? 1.8 : 1);
      this.#jointMesh.setMatrixAt(
        j,
        this.#matrix.makeScale(radius, radius, radius).setPosition(positionOf(j, this.#to)),
      );
    }
    this.#drawHead(positionOf);
    for (const mesh of this.#meshes()) mesh.instanceMatrix.needsUpdate = true;
  }

  #left = new Vector3();
  #forward = new Vector3();
  #basis = new Matrix4();

  /** Turns a limb of the trunk around its axis, so that its x axis points from the right to the left shoulder. */
  #alignToShoulders(): void {
    const [left, right] = this.#shoulders;
    if (left < 0 || right < 0) return;
    this.#left.fromArray(this.pose, left * 3).sub(this.#forward.fromArray(this.pose, right * 3));
    this.#left.addScaledVector(this.#direction, -this.#left.dot(this.#direction));
    if (this.#left.lengthSq() < 1e-10) return;
    this.#left.normalize();
    this.#forward.crossVectors(this.#left, this.#direction);
    this.#rotation.setFromRotationMatrix(this.#basis.makeBasis(this.#left, this.#direction, this.#forward));
  }

  #drawHead(positionOf: (joint: number, target: Vector3) => Vector3): void {
    if (!this.#head) return;
    const { joint, mesh } = this.#head;
    const parent = this.#skeleton.joints[joint].parent;
    positionOf(joint, this.#to);
    this.#direction.set(0, 1, 0);
    if (parent >= 0) this.#direction.subVectors(this.#to, positionOf(parent, this.#from)).normalize();
    if (this.#direction.lengthSq() < 0.5) this.#direction.set(0, 1, 0);
    this.#rotation.setFromUnitVectors(UP, this.#direction);
    this.#to.addScaledVector(this.#direction, 0.05 * this.height);
    const { height } = this;
    mesh.setMatrixAt(
      0,
      this.#matrix.compose(this.#to, this.#rotation, this.#scale.set(0.044 * height, 0.062 * height, 0.05 * height)),
    );
  }

  dispose(): void {
    this.group.removeFromParent();
    for (const mesh of this.#meshes()) {
      mesh.geometry.dispose();
      (mesh.material as MeshStandardMaterial).dispose();
      mesh.dispose();
    }
  }
}
