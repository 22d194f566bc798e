// A playable character in a field with coins. Keys: W, Shift, A, D and Space, or the arrow keys.
import * as THREE from "three";
import { createGameController } from "./controller.js";
import { createHero } from "./hero.js";

const canvas = document.querySelector("canvas");
const status = document.querySelector("p[role=status]");
const renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
const scene = new THREE.Scene();
scene.background = new THREE.Color(0xdfe7ef);
const sun = new THREE.DirectionalLight(0xffffff, 2);
sun.position.set(3, 8, 4);
scene.add(new THREE.HemisphereLight(0xffffff, 0x777788, 2), sun, new THREE.GridHelper(20, 20, 0x667788, 0xaabbcc));
const camera = new THREE.PerspectiveCamera(45, 1, 0.1, 100);

const hero = await createHero(import.meta.env.BASE_URL, new URLSearchParams(location.search).get("pack"));
const move = createGameController(hero);
scene.add(hero.model);

const coins = Array.from({ length: 8 }, (_, i) => {
  const coin = new THREE.Mesh(
    new THREE.CylinderGeometry(0.25, 0.25, 0.06, 24).rotateX(Math.PI / 2),
    new THREE.MeshStandardMaterial({ color: 0xd9a400 }),
  );
  coin.position.set(4 * Math.sin(i * 0.9), 0.8, 2 + i);
  scene.add(coin);
  return coin;
});

const keys = new Set();
const isDown = (...names) => names.some((name) => keys.has(name));
addEventListener("keydown", ({ code }) => keys.add(code));
addEventListener("keyup", ({ code }) => keys.delete(code));
addEventListener("blur", () => keys.clear());

/** Advances the game by some seconds. */
function step(seconds) {
  const isMoving = isDown("KeyW", "ArrowUp");
  hero.gait = !isMoving ? "idle" : isDown("ShiftLeft", "ShiftRight") ? "run" : "walk";
  hero.wave(isDown("Space"));
  move(seconds, Number(isDown("KeyA", "ArrowLeft")) - Number(isDown("KeyD", "ArrowRight")));
  for (const coin of coins) {
    coin.rotation.y += seconds * 2;
    const { x, z } = coin.position;
    if (Math.hypot(x - hero.model.position.x, z - hero.model.position.z) < 0.7) coin.visible = false;
  }
  const cameraGoal = new THREE.Vector3(0, 2.2, -4).applyQuaternion(hero.model.quaternion).add(hero.model.position);
  camera.position.lerp(cameraGoal, 1 - Math.exp(-4 * seconds));
  camera.lookAt(hero.model.position.x, 1, hero.model.position.z);
}

function resize() {
  renderer.setSize(innerWidth, innerHeight, false);
  camera.aspect = innerWidth / innerHeight;
  camera.updateProjectionMatrix();
}
addEventListener("resize", resize);
resize();
camera.position.set(0, 2.2, -4);

const clock = new THREE.Clock();
renderer.setAnimationLoop(() => {
  step(Math.min(0.1, clock.getDelta()));
  const collected = coins.filter(({ visible }) => !visible).length;
  const text = `Ready: ${collected} of ${coins.length} coins, ${hero.gait}`;
  // Screen readers may announce every assignment, also of the same text.
  if (status.textContent !== text) status.textContent = text;
  renderer.render(scene, camera);
});

// For the test of this example.
window.game = { hero, THREE };
