/** Camera of the 3D view: the user orbits it by pointer and keys, and it follows the figure. */
import { PerspectiveCamera, Spherical, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { FIELD_OF_VIEW, INITIAL_DIRECTION, initialDistance, TARGET_HEIGHT } from "./initial-view";

/**
 * Vertical movement of the root that the camera ignores, as a fraction of the figure's height: steps, jumps, crouches.
 */
const RISE_TOLERANCE = 0.25;

/** The camera of a view, and its controls. */
export class Camera {
  readonly camera = new PerspectiveCamera(FIELD_OF_VIEW);
  readonly controls: OrbitControls;
  /** Whether the camera follows the figure. */
  follow = true;
  /** Current vertical displacement of the camera's target, because the figure climbs, metres. */
  #rise = 0;
  #height = 1.75;
  #figurePosition = new Vector3(0, 1.75 * TARGET_HEIGHT, 0);
  #displacement = new Vector3();

  constructor(element: HTMLElement, onChange: () => void) {
    this.controls = new OrbitControls(this.camera, element);
    Object.assign(this.controls, {
      enableDamping: true,
      dampingFactor: 0.16,
      maxPolarAngle: Math.PI * 0.54,
      zoomSpeed: 1.1,
    });
    this.#limitDistances();
    this.controls.addEventListener("change", onChange);
    this.view("frame");
  }

  /** Sets the height of the figure, metres, to which all distances are scaled. */
  setHeight(height: number): void {
    if (Math.abs(height - this.#height) < 0.02 * height) return;
    const offset = this.camera.position
      .clone()
      .sub(this.controls.target)
      .multiplyScalar(height / this.#height);
    this.#height = height;
    this.#limitDistances();
    this.#figurePosition.setY(height * TARGET_HEIGHT);
    this.controls.target.setY(height * TARGET_HEIGHT);
    this.#rise = 0;
    this.camera.position.copy(this.controls.target).add(offset);
  }

  /** Sets the limits of zooming and the drawn depth for the height of the figure. */
  #limitDistances(): void {
    Object.assign(this.controls, { minDistance: 0.3 * this.#height, maxDistance: 25 * this.#height });
    Object.assign(this.camera, { near: 0.02 * this.#height, far: 120 * this.#height });
    this.camera.updateProjectionMatrix();
  }

  /**
   * Sets the position of the figure on the ground, and the height of its root or middle, metres. A following camera moves
   * along: vertically only as far as this height differs from the usual one by more than {@link RISE_TOLERANCE}.
   */
  track(x: number, z: number, height = this.#height * TARGET_HEIGHT): void {
    const offset = height - this.#height * TARGET_HEIGHT;
    const rise = Math.sign(offset) * Math.max(0, Math.abs(offset) - RISE_TOLERANCE * this.#height);
    this.#figurePosition.set(x, this.#height * TARGET_HEIGHT + rise, z);
    if (!this.follow) return;
    this.#displacement.set(x - this.controls.target.x, rise - this.#rise, z - this.controls.target.z);
    this.#rise = rise;
    if (this.#displacement.lengthSq() < 1e-10) return;
    this.controls.target.add(this.#displacement);
    this.camera.position.add(this.#displacement);
  }

  /** Moves to a standard view of the figure; "frame" is the initial view. */
  view(name: "front" | "side" | "top" | "frame"): void {
    const directions = { front: [0, 0.12, 1], side: [1, 0.12, 0], top: [0, 1, 0.001], frame: INITIAL_DIRECTION };
    const [x, y, z] = directions[name];
    const distance = this.#height * initialDistance(this.camera.aspect || 1);
    this.controls.target.copy(this.#figurePosition);
    this.#rise = this.#figurePosition.y - this.#height * TARGET_HEIGHT;
    this.camera.position.set(x, y, z).normalize().multiplyScalar(distance).add(this.controls.target);
    this.controls.update();
  }

  /** Moves the camera so that figures at all these positions on the ground are visible. */
  frameAll(positions: readonly { x: number; z: number }[]): void {
    const [xs, zs] = [positions.map(({ x }) => x), positions.map(({ z }) => z)];
    const center = (values: number[]): number => (Math.min(...values) + Math.max(...values)) / 2;
    const [x, z] = [center(xs), center(zs)];
    const radius =
      Math.max(...positions.map((position) => Math.hypot(position.x - x, position.z - z))) + 0.45 * this.#height;
    const halfTangent = Math.tan((this.camera.fov * Math.PI) / 360) * Math.min(1.25, this.camera.aspect || 1);
    const distance = Math.max(1.95 * this.#height, (0.95 * radius) / halfTangent + 0.35 * radius);
    this.controls.target.set(x, this.#height * 0.45, z);
    this.#rise = 0;
    this.camera.position.set(0.95, 0.42, 0.8).normalize().multiplyScalar(distance).add(this.controls.target);
    this.controls.update();
  }

  /** Heading of the camera: the direction in which it looks, radians from +z towards +x. */
  get heading(): number {
    return Math.atan2(this.controls.target.x - this.camera.position.x, this.controls.target.z - this.camera.position.z);
  }

  /** Orbits the camera around its target, radians. */
  orbit(right: number, up: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const angles = new Spherical().setFromVector3(offset);
    angles.theta += right;
    angles.phi = Math.max(0.02, Math.min(this.controls.maxPolarAngle, angles.phi - up));
    this.camera.position.copy(this.controls.target).add(offset.setFromSpherical(angles));
    this.controls.update();
  }

  /** Multiplies the distance of the camera from its target. */
  zoom(factor: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const length = Math.max(this.controls.minDistance, Math.min(this.controls.maxDistance, offset.length() * factor));
    this.camera.position.copy(this.controls.target).add(offset.setLength(length));
    this.controls.update();
  }

  /** Applies damping, which continues after the pointer is released. Returns whether the camera moved. */
  update(): boolean {
    return this.controls.update();
  }
}
