import {
  AnimationMixer,
  Clock,
  Color,
  DirectionalLight,
  GridHelper,
  HemisphereLight,
  PerspectiveCamera,
  Scene,
  WebGLRenderer,
} from "three";

/** Shows a model in a lit scene; calls `update(delta)` before each frame, with the seconds since the previous frame. */
export function show(model, update) {
  const canvas = document.querySelector("canvas");
  const renderer = new WebGLRenderer({ canvas, antialias: true });
  renderer.setPixelRatio(devicePixelRatio);
  const scene = new Scene();
  scene.background = new Color(0xeceef2);
  scene.add(
    new HemisphereLight(0xffffff, 0x888899, 2),
    new DirectionalLight(0xffffff, 2),
    new GridHelper(20, 20),
    model,
  );
  const camera = new PerspectiveCamera(40, 1, 0.1, 100);
  camera.position.set(3, 2, 5);
  camera.lookAt(0, 1, 0);
  // Called once at the start, and after every change of the canvas's size.
  new ResizeObserver(() => {
    renderer.setSize(canvas.clientWidth, canvas.clientHeight, false);
    camera.aspect = canvas.clientWidth / canvas.clientHeight;
    camera.updateProjectionMatrix();
  }).observe(canvas);
  const clock = new Clock();
  renderer.setAnimationLoop(() => {
    update(clock.getDelta());
    renderer.render(scene, camera);
  });
}

/**
 * Plays an animation of a model again and again, with a jump if its last pose differs from its first; `loop` of the
 * package makes motions that repeat without a jump. Returns the mixer.
 */
export function play(model, animation) {
  const mixer = new AnimationMixer(model);
  mixer.clipAction(animation).play();
  return mixer;
}
