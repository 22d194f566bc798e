/** The stage around the figures: ground, light and shadow. */
import {
  CanvasTexture,
  Color,
  DirectionalLight,
  DoubleSide,
  Group,
  HemisphereLight,
  Mesh,
  MeshBasicMaterial,
  PlaneGeometry,
  ShaderMaterial,
  ShadowMaterial,
  Vector2,
} from "three";
import type { StageColors } from "./palette";

const VERTEX = /* glsl */ `
varying vec2 vGround;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  vGround = world.xz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

/** Draws lines for every unit and every five units, which fade with the distance from the figure. */
const FRAGMENT = /* glsl */ `
uniform vec3 uColor;
uniform vec2 uCentre;
uniform float uUnit;
varying vec2 vGround;
float line(float unit, float width) {
  vec2 at = vGround / unit;
  vec2 edge = fwidth(at);
  vec2 near = abs(fract(at - 0.5) - 0.5) / edge;
  return (1.0 - min(min(near.x, near.y) / width, 1.0)) * (1.0 - smoothstep(0.1, 0.6, max(edge.x, edge.y)));
}
void main() {
  float far = distance(vGround, uCentre) / uUnit;
  float fade = 1.0 - smoothstep(3.0, 14.0, far);
  float strength = max(line(uUnit, 1.0) * 0.26, line(uUnit * 5.0, 1.4) * 0.5) * fade;
  gl_FragColor = vec4(uColor, strength);
  #include <colorspace_fragment>
}`;

/** Creates a texture of a dark spot with a soft edge. */
function createSoftSpot(): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const brush = canvas.getContext("2d");
  if (brush) {
    const shade = brush.createRadialGradient(32, 32, 4, 32, 32, 31);
    shade.addColorStop(0, "rgb(0 0 0 / 100%)");
    shade.addColorStop(1, "rgb(0 0 0 / 0%)");
    brush.fillStyle = shade;
    brush.fillRect(0, 0, 64, 64);
  }
  return new CanvasTexture(canvas);
}

/** Ground and lights of the 3D view. */
export class Stage {
  readonly group = new Group();
  #grid: ShaderMaterial;
  // Does not write depth, because it lies in one plane with the grid.
  #shadow = new ShadowMaterial({ depthWrite: false });
  #gridPlane: Mesh;
  #shadowPlane: Mesh;
  #sun = new DirectionalLight("#ffffff", 2);
  #sky = new HemisphereLight("#ffffff", "#444444", 1.4);
  #figureHeight = 2;
  /** Replaces the shadow on machines on which drawing shadows is too slow. */
  #softShadow = new Mesh(
    new PlaneGeometry(1, 1).rotateX(-Math.PI / 2),
    new MeshBasicMaterial({ map: createSoftSpot(), transparent: true, depthWrite: false }),
  );

  constructor() {
    this.#grid = new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { uColor: { value: new Color() }, uCentre: { value: new Vector2() }, uUnit: { value: 1 } },
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
    });
    const plane = (material: ShaderMaterial | ShadowMaterial, size: number, order: number): Mesh => {
      const mesh = new Mesh(new PlaneGeometry(size, size).rotateX(-Math.PI / 2), material);
      mesh.renderOrder = order;
      return mesh;
    };
    // Sizes: in units of the grid, and in heights of the figure.
    this.#gridPlane = plane(this.#grid, 60, -1);
    this.#shadowPlane = plane(this.#shadow, 15, -2);
    this.#shadowPlane.receiveShadow = true;
    this.#sun.castShadow = true;
    this.#sun.shadow.mapSize.set(1024, 1024);
    this.#sun.shadow.radius = 4;
    this.#sun.shadow.normalBias = 0.02;
    this.#softShadow.visible = false;
    this.#softShadow.renderOrder = -2;
    this.group.add(this.#gridPlane, this.#shadowPlane, this.#softShadow, this.#sun, this.#sun.target, this.#sky);
    this.setFigureHeight(2);
  }

  setColors(colors: StageColors): void {
    (this.#grid.uniforms.uColor.value as Color).set(colors.grid);
    this.#shadow.opacity = colors.shadow;
    this.#softShadow.material.opacity = colors.shadow * 1.3;
    this.#sun.intensity = colors.light;
    this.#sky.color.set(colors.sky);
    this.#sky.groundColor.set(colors.ground);
  }

  /** Sets the height of the figures, metres, to which grid and shadow are scaled. */
  setFigureHeight(height: number): void {
    this.#figureHeight = height;
    this.#softShadow.scale.setScalar(height * 0.62);
    // Unit of the grid, metres: 1 for people, 0.1 for very small and 10 for very large figures.
    const unit = height < 0.4 ? 0.1 : height > 12 ? 10 : 1;
    this.#grid.uniforms.uUnit.value = unit;
    this.#gridPlane.scale.setScalar(unit);
    this.#shadowPlane.scale.setScalar(height);
    const { camera } = this.#sun.shadow;
    const halfSize = height * 1.6;
    Object.assign(camera, {
      left: -halfSize,
      right: halfSize,
      top: halfSize,
      bottom: -halfSize,
      near: 0.05 * height,
      far: 8 * height,
    });
    camera.updateProjectionMatrix();
  }

  setShadows(areDrawn: boolean): void {
    // Changing `castShadow` instead would rebuild every shader, on the slowest machines of all.
    this.#sun.shadow.intensity = areDrawn ? 1 : 0;
    this.#softShadow.visible = !areDrawn;
  }

  /** Moves ground and light to the figure's position on the ground, metres. `height`: height of uneven ground there. */
  follow(x: number, z: number, height: number): void {
    for (const plane of [this.#gridPlane, this.#shadowPlane]) plane.position.set(x, 0, z);
    this.#softShadow.position.set(x, height + 0.002 * this.#figureHeight, z);
    (this.#grid.uniforms.uCentre.value as Vector2).set(x, z);
    this.#sun.target.position.set(x, 0, z);
    this.#sun.position.set(x + this.#figureHeight * 1.4, this.#figureHeight * 3, z + this.#figureHeight * 1.1);
  }
}
