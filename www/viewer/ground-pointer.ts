/** Conversion between positions on the screen and on the ground. */
import { Vector3, type PerspectiveCamera } from "three";

/** Converts pointer positions to points on the ground, and points in space to pixels of the window. */
export class GroundPointer {
  #host: HTMLElement;
  #camera: PerspectiveCamera;
  #vector = new Vector3();

  /** `host`: the element that the camera's image fills. */
  constructor(host: HTMLElement, camera: PerspectiveCamera) {
    this.#host = host;
    this.#camera = camera;
  }

  /** Returns the point on the ground under the pointer, metres; `undefined` above the horizon or if the camera is below. */
  groundUnder({ clientX, clientY }: Pick<PointerEvent, "clientX" | "clientY">): { x: number; z: number } | undefined {
    const { left, top, width, height } = this.#host.getBoundingClientRect();
    const origin = this.#camera.position;
    const ray = this.#vector
      .set(((clientX - left) / width) * 2 - 1, 1 - ((clientY - top) / height) * 2, 0.5)
      .unproject(this.#camera)
      .sub(origin);
    if (ray.y > -1e-4 || origin.y <= 0) return undefined;
    const distance = -origin.y / ray.y;
    return { x: origin.x + distance * ray.x, z: origin.z + distance * ray.z };
  }

  /**
   * Returns the pixel of the window at which a point is displayed, in the coordinates of pointer events; NaN for points
   * behind the camera.
   */
  toPixels(x: number, y: number, z: number): [number, number] {
    const { left, top, width, height } = this.#host.getBoundingClientRect();
    const point = this.#vector.set(x, y, z).project(this.#camera);
    // Points behind the camera are projected too, mirrored and beyond the far plane.
    if (point.z > 1) return [NaN, NaN];
    return [left + ((point.x + 1) / 2) * width, top + ((1 - point.y) / 2) * height];
  }
}
