// heightFieldOf of kinestitch/three: heights of a scene's meshes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Box3, BoxGeometry, Group, InstancedMesh, Matrix4, Mesh, PlaneGeometry } from "three";
import { heightFieldOf } from "kinestitch/three";

const boundsOf = (object) => new Box3().setFromObject(object);

/** Returns the height of the grid point that is nearest to x, z. */
const heightNear = ({ x: minX, z: minZ, spacing, columns, heights }, x, z) =>
  heights[Math.round((z - minZ) / spacing) * columns + Math.round((x - minX) / spacing)];

/** Returns three steps, each 20 cm higher than the one before, along z; the group is away from the origin. */
function stairs() {
  const group = new Group();
  for (let step = 1; step <= 3; step++) {
    const mesh = new Mesh(new BoxGeometry(2, 0.2 * step, 0.4));
    mesh.position.set(0, 0.1 * step, 0.4 * step);
    group.add(mesh);
  }
  group.position.set(10, 1, 0);
  return group;
}

test("the highest surface counts, in world units, with a margin at the floor", () => {
  const object = stairs();
  const ground = heightFieldOf(object, boundsOf(object));
  for (const step of [1, 2, 3]) assert.ok(Math.abs(heightNear(ground, 10, 0.4 * step) - 1 - 0.2 * step) < 1e-6);
  assert.equal(ground.heights[0], 0);
  assert.equal(heightFieldOf(object, boundsOf(object), { floor: 1 }).heights[0], 1);
  assert.equal(ground.heights.length % ground.columns, 0);
});

test("`scale` converts a scene in centimetres to metres", () => {
  const metres = stairs();
  const centimetres = new Group().add(stairs());
  centimetres.scale.setScalar(100);
  const options = { spacing: 0.1, ceiling: 1.5, floor: 0.9 };
  const expected = heightFieldOf(metres, boundsOf(metres), options);
  const ground = heightFieldOf(centimetres, boundsOf(centimetres), { ...options, scale: 0.01 });
  assert.equal(ground.columns, expected.columns);
  for (const name of ["x", "z"]) assert.ok(Math.abs(ground[name] - expected[name]) < 1e-9, name);
  assert.equal(ground.heights.length, expected.heights.length);
  ground.heights.forEach((height, i) => assert.ok(Math.abs(height - expected.heights[i]) < 1e-5, `point ${i}`));
  for (const scale of [0, -1, NaN, "1"])
    assert.throws(() => heightFieldOf(metres, boundsOf(metres), { scale }), { code: "option", option: "scale" });
});

test("a ceiling is ignored, and a slope is interpolated", () => {
  const slope = new Mesh(new PlaneGeometry(4, 4).rotateX(-Math.PI / 2).rotateZ(Math.atan(0.5)));
  const roof = new Mesh(new PlaneGeometry(4, 4).rotateX(-Math.PI / 2));
  roof.position.y = 3;
  const object = new Group().add(slope, roof);
  const ground = heightFieldOf(object, boundsOf(object), { ceiling: 2.5 });
  for (const x of [-1, 0, 1]) {
    const column = Math.round((x - ground.x) / ground.spacing);
    assert.ok(Math.abs(heightNear(ground, x, 0) - 0.5 * (ground.x + column * ground.spacing)) < 1e-4);
  }
});

test("all instances of a mesh count", () => {
  const steps = new InstancedMesh(new BoxGeometry(1, 0.2, 1), undefined, 3);
  for (let i = 0; i < 3; i++) steps.setMatrixAt(i, new Matrix4().makeTranslation(5 + i, 0.1 + 0.2 * i, 0));
  const ground = heightFieldOf(steps, boundsOf(steps));
  for (let i = 0; i < 3; i++) assert.ok(Math.abs(heightNear(ground, 5 + i, 0) - 0.2 * (i + 1)) < 1e-6);
});

test("grid points on the edge of a surface have its height, wherever the object is", () => {
  for (const x of [0, 0.3, 1.07, -4.61]) {
    const box = new Mesh(new BoxGeometry(1, 0.2, 1));
    box.position.set(x, 0.1, x);
    const { heights } = heightFieldOf(box, boundsOf(box));
    assert.equal(heights.filter((height) => height > 0.1).length, 21 * 21, `${x}`);
  }
});

test("bounds without area, and too many points, are refused", () => {
  const wrong = { code: "option", message: /ground/ };
  assert.throws(() => heightFieldOf(new Group(), new Box3()), wrong);
  assert.throws(() => heightFieldOf(stairs(), boundsOf(stairs()), { spacing: 1e-4 }), wrong);
  for (const bounds of [undefined, { spacing: 0.1 }]) assert.throws(() => heightFieldOf(stairs(), bounds), wrong);
});

test("unknown options, and a floor or ceiling that is not a number, are refused by name", () => {
  for (const [option, value] of [
    ["cieling", 2],
    ["floor", NaN],
    ["ceiling", NaN],
    ["ceiling", "2"],
  ])
    assert.throws(() => heightFieldOf(stairs(), boundsOf(stairs()), { [option]: value }), { code: "option", option });
});

test("a spacing that is not a number above 0 is refused by name", () => {
  for (const spacing of [0, -1, NaN, Infinity, "1"])
    assert.throws(
      () => heightFieldOf(stairs(), boundsOf(stairs()), { spacing }),
      { code: "option", option: "spacing", message: /^spacing must be a number above 0 \(metres\), not / },
      `${spacing}`,
    );
});
