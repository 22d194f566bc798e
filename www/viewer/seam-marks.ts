/** Marks of seams: each is a ring on the ground with a numbered plate above it. */
import {
  CanvasTexture,
  Group,
  Mesh,
  MeshBasicMaterial,
  RingGeometry,
  Sprite,
  SpriteMaterial,
  SRGBColorSpace,
} from "three";
import { TRANSPARENT, disposeMarks, SHOWN_SECS } from "./ground";
import { rootOf, type DisplayedMotion } from "./poses";

/** Draws a text on a round plate, as a texture. */
function createPlate(text: string, textColor: string, plateColor: string): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const brush = canvas.getContext("2d");
  if (brush) {
    brush.fillStyle = plateColor;
    brush.beginPath();
    brush.arc(32, 32, 30, 0, Math.PI * 2);
    brush.fill();
    brush.fillStyle = textColor;
    brush.font = "600 34px system-ui, sans-serif";
    brush.textAlign = "center";
    brush.textBaseline = "middle";
    brush.fillText(text, 32, 34);
  }
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}

/**
 * Marks of the seams near the playhead. Each is created when it is first visible: a motion may have hundreds of seams.
 */
export class SeamMarks {
  readonly group = new Group();
  #displayed: DisplayedMotion;
  #height: number;
  /** Colour of rings and plates. */
  #markColor: string;
  #numberColor: string;
  #marks: (Group | undefined)[] = [];

  constructor(displayed: DisplayedMotion, height: number, markColor: string, numberColor: string) {
    this.#displayed = displayed;
    this.#height = height;
    this.#markColor = markColor;
    this.#numberColor = numberColor;
  }

  /** Shows the marks near a frame. `layer`: camera layer of new marks. */
  show(frame: number, layer: number): void {
    const { motion, seams } = this.#displayed;
    const shownFrames = SHOWN_SECS * motion.fps;
    seams.forEach((seam, i) => {
      const isNear = Math.abs(seam.frame - frame) <= shownFrames;
      if (isNear && !this.#marks[i]) {
        const mark = (this.#marks[i] = this.#createMark(Math.min(motion.frames - 1, seam.frame), i + 1));
        mark.traverse((object) => object.layers.set(layer));
        this.group.add(mark);
      }
      const mark = this.#marks[i];
      if (mark) mark.visible = isNear;
    });
  }

  #createMark(frame: number, number: number): Group {
    const { motion } = this.#displayed;
    const height = this.#height;
    const offset = (frame * motion.joints.length + rootOf(motion)) * 3;
    const [x, z] = [motion.positions[offset], motion.positions[offset + 2]];
    const ring = new Mesh(
      new RingGeometry(0.15 * height, 0.162 * height, 40).rotateX(-Math.PI / 2),
      new MeshBasicMaterial({ ...TRANSPARENT, color: this.#markColor, opacity: 0.7 }),
    );
    ring.position.set(x, 0.004 * height, z);
    const map = createPlate(String(number), this.#numberColor, this.#markColor);
    const sign = new Sprite(new SpriteMaterial({ map, depthWrite: false }));
    sign.position.set(x, height * 1.2, z);
    sign.scale.setScalar(0.085 * height);
    return new Group().add(ring, sign);
  }

  dispose(): void {
    disposeMarks(this.group);
  }
}
