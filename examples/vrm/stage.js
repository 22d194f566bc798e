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

/** Shows a model in a lit scene; calls `update(seconds)` before each frame. */
export function show(model, update) {
  const canvas = document.querySelector("canvas");
  const renderer = new WebGLRenderer({ canvas, antialias: true });
  renderer.setSize(canvas.clientWidth, canvas.clientHeight, false);
  const scene = new Scene();
  scene.background = new Color(0xeceef2);
  scene.add(
    new HemisphereLight(0xffffff, 0x888899, 2),
    new DirectionalLight(0xffffff, 2),
    new GridHelper(20, 20),
    model,
  );
  const camera = new PerspectiveCamera(40, canvas.clientWidth / canvas.clientHeight, 0.1, 100);
  camera.position.set(3, 2, 5);
  camera.lookAt(0, 1, 0);
  const clock = new Clock();
  renderer.setAnimationLoop(() => {
    update(clock.getDelta());
    renderer.render(scene, camera);
  });
}

/** Plays an animation of a model in a loop. Returns its mixer. */
export function play(model, animation) {
  const mixer = new AnimationMixer(model);
  mixer.clipAction(animation).play();
  return mixer;
}
