/** Draws the path ahead of a character: arrows on the ground, and a line through them. */
import {
  BufferAttribute,
  BufferGeometry,
  Group,
  InstancedMesh,
  Line,
  LineBasicMaterial,
  Matrix4,
  MeshBasicMaterial,
  Vector3,
} from "three";
import { TRANSPARENT } from "./ground";

/** Creates an arrow head of length 1 that points to +z. */
function arrowHead(): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array([-0.5, 0, -0.4, 0.5, 0, -0.4, 0, 0, 0.6]), 3));
  return geometry;
}

/** The drawn path ahead of a character. */
export class PathAhead {
  readonly group = new Group();
  #points: number;
  #height: number;
  #heads: InstancedMesh;
  #line: Line;
  #matrix = new Matrix4();
  #size = new Vector3();

  /** Creates a path with a number of points. `height`: of the figure, metres, which sets the size of the arrows. */
  constructor(points: number, height: number) {
    this.#points = points;
    this.#height = height;
    this.#heads = new InstancedMesh(arrowHead(), new MeshBasicMaterial({ ...TRANSPARENT, opacity: 0.85 }), points);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(points * 3), 3));
    this.#line = new Line(geometry, new LineBasicMaterial({ transparent: true, depthWrite: false, opacity: 0.6 }));
    for (const object of [this.#heads, this.#line]) object.frustumCulled = false;
    this.group.add(this.#heads, this.#line);
  }

  setColors(color: string, line: string): void {
    (this.#heads.material as MeshBasicMaterial).color.set(color);
    (this.#line.material as LineBasicMaterial).color.set(line);
  }

  /** Draws a path: x, z and the direction as a unit vector, [points × 4], on ground with these heights, metres. */
  draw(path: Float32Array, heightAt: (x: number, z: number) => number = () => 0): void {
    const line = this.#line.geometry.getAttribute("position") as BufferAttribute;
    this.#size.setScalar(0.055 * this.#height);
    for (let i = 0; i < this.#points; i++) {
      const [x = 0, z = 0, faceX = 0, faceZ = 1] = path.subarray(i * 4, i * 4 + 4);
      const y = heightAt(x, z);
      line.setXYZ(i, x, y + 0.004 * this.#height, z);
      this.#matrix.makeRotationY(Math.atan2(faceX, faceZ));
      this.#heads.setMatrixAt(i, this.#matrix.scale(this.#size).setPosition(x, y + 0.005 * this.#height, z));
    }
    line.needsUpdate = true;
    this.#heads.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    for (const object of [this.#heads, this.#line]) {
      object.geometry.dispose();
      (object.material as MeshBasicMaterial).dispose();
    }
    this.#heads.dispose();
  }
}
