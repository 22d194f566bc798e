/** The 3D view: a canvas with one motion, or with two side by side. It is drawn only after changes. */
import { Color, PCFSoftShadowMap, Scene, type Group, Vector3, WebGLRenderer } from "three";
import type { HeightField, Role } from "kinestitch/worker";
import { Camera } from "./camera";
import { MotionView, type ViewOptions } from "./motion-view";
import { LiveView, type LiveSkeleton } from "./live-skeleton";
import { DARK, LIGHT, type StageColors } from "./palette";
import type { DisplayedMotion } from "./poses";
import { Quality } from "./quality";
import { heightAt, Terrain } from "./terrain";
import { Stage } from "./stage";

/** A target of the camera if there is no motion, such as a controlled character. */
export interface Focus {
  /** Height of the figure, metres. */
  readonly height: number;
  /** Returns the position on the ground and, on uneven ground, the height of the figure's middle, metres. */
  position(): readonly [x: number, z: number, height?: number];
}

const DEFAULTS: ViewOptions = { ghosts: true, path: true, contacts: true, body: true };
/** Smallest aspect ratio at which both feet of a running figure are in view. */
const STRIDE_ASPECT = 1.1;
/** Interval at which the compilation of shaders is checked, milliseconds. */
const COMPILE_POLL_MS = 10;
/** Colours of figures without segments, by side. */
const PLAIN_COLORS = { a: "#7f9bd6", b: "#d6a27f" };

/** The 3D view of the page. */
export class Viewer {
  readonly canvas: HTMLCanvasElement;
  readonly camera: Camera;
  #host: HTMLElement;
  #renderer: WebGLRenderer;
  #scene = new Scene();
  #stage = new Stage();
  #colors: StageColors | undefined;
  #options = DEFAULTS;
  #motionViews: Partial<Record<"a" | "b", MotionView>> = {};
  #liveViews: LiveView[] = [];
  #terrain: Terrain | undefined;
  /**
   * Views that were removed from the scene. They are disposed after the new views are drawn: otherwise three.js would
   * discard the shaders, and rebuild them.
   */
  #removedViews: (MotionView | LiveView)[] = [];
  /** Whether the compilation before the first figure has ended. Later figures are not waited for. */
  #isFirstCompilationDone = false;
  #isDisposed = false;
  #markedRole: Role | undefined;
  #frames = { a: 0, b: 0 };
  /** Whether a motion or a live skeleton has been drawn. */
  isDrawn = false;
  #needsDraw = true;
  #quality: Quality;
  #resizeObserver: ResizeObserver;
  #focus: Focus | undefined;

  /** Creates the view in `host`. `label`: for screen readers. Throws if the browser has no WebGL 2. */
  constructor(host: HTMLElement, label: string) {
    this.#host = host;
    this.#renderer = new WebGLRenderer({ antialias: true, powerPreference: "high-performance" });
    // three.js would read the log of every shader program, and the read blocks until the program is compiled.
    this.#renderer.debug.checkShaderErrors = false;
    this.#renderer.shadowMap.enabled = true;
    this.#renderer.shadowMap.type = PCFSoftShadowMap;
    this.#renderer.setScissorTest(true);
    this.canvas = this.#renderer.domElement;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", label);
    // three.js, which listens already, prepares the restored context, but does not draw.
    this.canvas.addEventListener("webglcontextrestored", () => this.requestDraw());
    host.prepend(this.canvas);
    this.camera = new Camera(this.canvas, () => (this.#needsDraw = true));
    this.#scene.add(this.#stage.group);
    this.#quality = new Quality((ratio, shadows) => {
      this.#stage.setShadows(shadows);
      this.#renderer.shadowMap.autoUpdate = shadows;
      this.#resize(ratio);
    });
    this.#resizeObserver = new ResizeObserver(() => {
      this.#resize();
      // Resizing clears the canvas, and the browser paints before the next animation frame.
      this.#draw();
    });
    this.#resizeObserver.observe(host);
    this.#resize();
    this.setTheme(true);
  }

  #resize(pixelRatio = this.#quality.pixelRatio): void {
    const { clientWidth, clientHeight } = this.#host;
    if (clientWidth === 0 || clientHeight === 0) return;
    if (pixelRatio !== this.#renderer.getPixelRatio()) this.#renderer.setPixelRatio(pixelRatio);
    this.#renderer.setSize(clientWidth, clientHeight, false);
    // `Camera.view` uses the aspect ratio, also before the first frame is drawn.
    this.camera.camera.aspect = clientWidth / clientHeight;
    this.#needsDraw = true;
  }

  setTheme(isDark: boolean): void {
    const colors = isDark ? DARK : LIGHT;
    if (this.#colors === colors) return;
    this.#colors = colors;
    this.#scene.background = new Color(colors.background);
    this.#stage.setColors(colors);
    this.#terrain?.setColors(colors);
    for (const view of [...Object.values(this.#motionViews), ...this.#liveViews]) view.setColors(colors);
    this.#applyOptions();
  }

  setOptions({ ghosts, path, contacts, body }: ViewOptions): void {
    const options = { ghosts, path, contacts, body };
    if (Object.entries(options).every(([name, value]) => this.#options[name as keyof ViewOptions] === value)) return;
    this.#options = options;
    this.#applyOptions();
  }

  #applyOptions(): void {
    for (const view of Object.values(this.#motionViews)) view.setOptions(this.#options);
    for (const live of this.#liveViews) live.setOptions(this.#options);
    this.#assignLayers();
    this.#pose();
  }

  /** Sets the motion of a side. If both sides have a motion, they are shown side by side. */
  setMotion(side: "a" | "b", displayed: DisplayedMotion | undefined): void {
    const previous = this.#motionViews[side];
    if (previous?.displayed === displayed) return;
    const isFirst = !this.#motionViews.a && !this.#motionViews.b;
    if (previous) this.#removedViews.push(previous);
    previous?.group.removeFromParent();
    delete this.#motionViews[side];
    if (displayed) {
      const view = new MotionView(displayed, this.#colors ?? DARK, this.#options, PLAIN_COLORS[side]);
      view.markRole(this.#markedRole);
      this.#motionViews[side] = view;
      this.#scene.add(view.group);
    }
    const { height } = this.#motionViews.a ?? this.#motionViews.b ?? {};
    if (height !== undefined) this.#setHeight(height);
    this.#assignLayers();
    this.#pose();
    if (isFirst && displayed) this.camera.view("frame");
    if (displayed && !this.#isFirstCompilationDone) void this.#compile();
  }

  /** Sets the height of the figure, metres, to which stage and camera distances are scaled. */
  #setHeight(height: number): void {
    this.#stage.setFigureHeight(height);
    this.camera.setHeight(height);
  }

  /** Sets the skeletons that are posed in every frame. They are shown with the motion of side a. */
  setLiveSkeletons(skeletons: readonly LiveSkeleton[]): void {
    const areSame =
      skeletons.length === this.#liveViews.length && skeletons.every((live, i) => this.#liveViews[i].live === live);
    if (areSame) return;
    const previous = this.#liveViews;
    this.#liveViews = skeletons.map((live) => {
      const existing = previous.find((view) => view.live === live);
      if (existing) return existing;
      const view = new LiveView(live);
      view.setColors(this.#colors ?? DARK);
      view.setOptions(this.#options);
      this.#scene.add(view.group);
      return view;
    });
    for (const view of previous.filter((other) => !this.#liveViews.includes(other))) {
      view.group.removeFromParent();
      this.#removedViews.push(view);
    }
    this.#assignLayers();
    this.#pose();
    if (this.#liveViews.length && !this.#isFirstCompilationDone) void this.#compile();
  }

  /** Sets uneven ground; `undefined`: level ground. */
  setTerrain(field: HeightField | undefined): void {
    if (field === this.#terrain?.field) return;
    this.#terrain?.dispose();
    this.#terrain = field && new Terrain(field);
    if (this.#terrain) {
      this.#terrain.setColors(this.#colors ?? DARK);
      this.#scene.add(this.#terrain.group);
    }
    this.#needsDraw = true;
  }

  /** Compiles the shaders before the first render, without blocking the page if the browser supports it. */
  async #compile(): Promise<void> {
    if (this.#renderer.extensions.has("KHR_parallel_shader_compile")) {
      this.#renderer.compile(this.#scene, this.camera.camera);
      // `compileAsync` of three.js never settles if a material is disposed in the meantime.
      while (!this.#isDisposed && this.#isCompiling()) await new Promise((done) => setTimeout(done, COMPILE_POLL_MS));
    }
    this.#isFirstCompilationDone = true;
    this.#needsDraw = true;
  }

  #isCompiling(): boolean {
    // The types of three.js lack `isReady`.
    const programs = (this.#renderer.info.programs ?? []) as unknown as { isReady(): boolean }[];
    return programs.some((program) => !program.isReady());
  }

  /** Marks the joint of a role on the figure of every motion. */
  markRole(role: Role | undefined): void {
    if (role === this.#markedRole) return;
    this.#markedRole = role;
    for (const view of Object.values(this.#motionViews)) view.markRole(role);
    this.#assignLayers();
    this.#needsDraw = true;
  }

  #assignLayers(): void {
    this.#motionViews.a?.setLayer(1);
    this.#motionViews.b?.setLayer(2);
    for (const { group } of this.#liveViews) group.traverse((object) => object.layers.set(1));
  }

  /** Sets the frame, which may be fractional. `frameB`: frame of side b, if its timing differs. */
  setFrame(frame: number, frameB = frame): void {
    const isSame = frame === this.#frames.a && frameB === this.#frames.b;
    this.#frames = { a: frame, b: frameB };
    // The figures need no update. But if the user has just switched following on, the camera moves to the figure, which
    // requests a draw.
    if (isSame && this.#liveViews.length === 0) this.#aimCamera();
    else this.#pose();
  }

  /** Poses all figures in the current frame. */
  #pose(): void {
    for (const side of ["a", "b"] as const) this.#motionViews[side]?.setFrame(this.#frames[side]);
    for (const live of this.#liveViews) live.setFrame(this.#frames.a);
    this.#aimCamera();
    this.#needsDraw = true;
  }

  #aimCamera(): void {
    const leadView = this.#motionViews.a ?? this.#motionViews.b;
    const target: readonly [number, number, number?] | undefined = leadView
      ? this.#cameraTarget(leadView)
      : this.#focus?.position();
    if (target) this.camera.track(...target);
  }

  /**
   * Sets the target of the camera for a view without a motion. The height of the target scales stage and camera
   * distances.
   */
  setFocus(focus: Focus | undefined): void {
    if (focus === this.#focus) return;
    this.#focus = focus;
    if (!focus) return;
    this.#setHeight(focus.height);
    this.#pose();
  }

  #cameraTarget(view: MotionView): [x: number, z: number, height: number] {
    return view.cameraTarget(view === this.#motionViews.b ? this.#frames.b : this.#frames.a);
  }

  /**
   * Draws the view if anything has changed. `playing`: frame durations are measured, and the quality adapts to them.
   */
  render(now: number, playing: boolean): void {
    if (playing) this.#quality.tick(now);
    else this.#quality.pause();
    // A window that is moved to another screen may keep its size.
    if (this.#quality.pixelRatio !== this.#renderer.getPixelRatio()) this.#resize();
    this.camera.update();
    this.#draw();
  }

  /** Draws the view if anything has changed. A figure is not drawn before the first compilation has ended. */
  #draw(): void {
    if (
      !this.#needsDraw ||
      (!this.#isFirstCompilationDone && (this.#motionViews.a ?? this.#motionViews.b ?? this.#liveViews[0]))
    )
      return;
    this.#needsDraw = false;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const { a, b } = this.#motionViews;
    const shown = [a, b].filter((view) => view !== undefined);
    const { camera } = this.camera;
    const focusPosition = this.#focus?.position() ?? [0, 0];
    const [leadX, leadZ] = shown[0] ? this.#cameraTarget(shown[0]) : focusPosition;
    const columns = Math.max(1, shown.length);
    for (let column = 0; column < columns; column++) {
      const view = shown[column];
      const left = Math.round((column * width) / columns);
      const right = Math.round(((column + 1) * width) / columns);
      // Both sides are viewed from one direction. The camera is moved to the figure of each side.
      const [x, z] = view ? this.#cameraTarget(view) : focusPosition;
      const offset = new Vector3(x - leadX, 0, z - leadZ);
      this.#stage.follow(x, z, this.#terrain ? heightAt(this.#terrain.field, x, z) : 0);
      camera.position.add(offset);
      camera.aspect = (right - left) / Math.max(1, height);
      // Two columns are narrow: zoom out until both feet of a running figure fit.
      camera.zoom = columns > 1 ? Math.max(0.55, Math.min(1, camera.aspect / STRIDE_ASPECT)) : 1;
      camera.updateProjectionMatrix();
      camera.layers.set(0);
      if (view ?? this.#liveViews.length) camera.layers.enable(view && view === b ? 2 : 1);
      this.#renderer.setViewport(left, 0, right - left, height);
      this.#renderer.setScissor(left, 0, right - left, height);
      this.#renderer.render(this.#scene, camera);
      camera.position.sub(offset);
    }
    this.isDrawn ||= shown.length > 0 || this.#liveViews.length > 0;
    for (const view of this.#removedViews.splice(0)) view.dispose();
  }

  /** Adds objects to the scene. */
  add(group: Group): void {
    this.#scene.add(group);
  }

  /** Requests that the view is drawn in the next animation frame. */
  requestDraw(): void {
    this.#needsDraw = true;
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#resizeObserver.disconnect();
    for (const view of [...Object.values(this.#motionViews), ...this.#liveViews, ...this.#removedViews]) view.dispose();
    this.#terrain?.dispose();
    this.camera.controls.dispose();
    this.#renderer.dispose();
    // Browsers limit the number of contexts on a page, and this one may not be garbage-collected for a while.
    this.#renderer.forceContextLoss();
    this.canvas.remove();
  }
}
