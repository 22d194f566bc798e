// The page's viewer: drags of handles, the bones of figures, uneven ground, the quality of the drawing; and the stick
// for touch screens. Their modules are bundled for Node, with simulated events and a simulated camera.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bundlePage } from "./page-bundle.mjs";

const simulation = {
  name: "simulation",
  setup(bundler) {
    bundler.onLoad({ filter: /www\/viewer\/ground-pointer\.ts$/ }, () => ({
      contents: `export class GroundPointer {
        groundUnder = ({ clientX, clientY }) => (clientY < 0 ? undefined : { x: clientX, z: clientY });
        toPixels = (x, y, z) => [x, z - y];
      }`,
    }));
  },
};

const SOURCE = `
export { GROUNDS } from "./www/modes/control/grounds";
export { TouchStick } from "./www/modes/control/touch-stick";
export { listenForDrags } from "./www/viewer/handle-drag";
export { bonesOf } from "./www/viewer/poses";
export { Quality } from "./www/viewer/quality";
export { heightAt, lineIndices, surfaceTriangles } from "./www/viewer/terrain";`;

const page = await bundlePage(SOURCE, [simulation]);

// The touch stick and the quality use the window when they are called.
globalThis.window = new EventTarget();

describe("a drag of a handle", () => {
  /** Listens for drags of a handle. Returns a function that sends pointer events, and the list of reported moves. */
  function listen(handle) {
    const classList = { add: () => undefined, remove: () => undefined, toggle: () => undefined };
    const host = Object.assign(new EventTarget(), { classList, setPointerCapture: () => undefined });
    const moves = [];
    const onMove = (_, { x, z }, done) => moves.push([x, z, done]);
    page.listenForDrags(host, {}, () => ({ list: [handle], height: 100, onSelect: () => undefined, onMove }));
    const send = (type, pointerId, clientX, clientY) => {
      const fields = { pointerId, clientX, clientY, isPrimary: pointerId === 1, button: 0, buttons: 1 };
      host.dispatchEvent(Object.assign(new Event(type), fields, { pointerType: "touch" }));
    };
    return { send, moves };
  }

  it("follows only the pointer that began it", () => {
    const { send, moves } = listen({ id: "a", x: 100, z: 100, heading: 0, selected: false });
    send("pointerdown", 1, 100, 100);
    send("pointermove", 1, 110, 100);
    send("pointerdown", 2, 300, 300);
    send("pointermove", 2, 320, 300);
    send("pointerup", 2, 320, 300);
    send("pointermove", 1, 110, 130);
    send("pointerup", 1, 110, 130);
    assert.deepEqual(moves, [
      [110, 100, false],
      [110, 130, false],
      [110, 130, true],
    ]);
  });

  it("moves a figure that is grabbed above the horizon", () => {
    // The simulated horizon is at 0; the figure is displayed from its feet at 60 to its head at -40.
    const { send, moves } = listen({ id: "a", x: 100, z: 60, heading: 0, selected: false });
    send("pointerdown", 1, 100, -20);
    send("pointermove", 1, 130, -10);
    send("pointerup", 1, 130, -10);
    assert.deepEqual(moves, [
      [130, 70, false],
      [130, 70, true],
    ]);
  });
});

describe("the bones of a figure", () => {
  const joint = (name, parent) => ({ name, parent, offset: [0, 1, 0] });

  it("begin at the hips; the joints above the hips have no bones", () => {
    const joints = [joint("scene", -1), joint("root", 0), joint("pelvis", 1), joint("spine", 2), joint("thigh", 2)];
    const bones = [
      [2, 3],
      [2, 4],
    ];
    assert.deepEqual(page.bonesOf({ joints, rig: { Hips: "pelvis" } }), bones);
  });

  it("are all lines between joints if no hips are mapped", () => {
    assert.deepEqual(page.bonesOf({ joints: [joint("a", -1), joint("b", 0)], rig: {} }), [[0, 1]]);
  });
});

describe("uneven ground", () => {
  it("is drawn nowhere above `heightAt`, the height of feet and path", () => {
    const heights = Float32Array.from({ length: 25 }, (_, i) => Math.sin(i * i));
    const field = { x: -1, z: 2, spacing: 0.5, columns: 5, heights };
    const triangles = page.surfaceTriangles(field);
    assert.equal(triangles.length, 16 * 2 * 3);
    for (let i = 0; i < triangles.length; i += 3) {
      const corners = triangles.slice(i, i + 3);
      const middle = (valueOf) => corners.reduce((sum, point) => sum + valueOf(point), 0) / 3;
      const x = middle((point) => field.x + (point % 5) * field.spacing);
      const z = middle((point) => field.z + Math.floor(point / 5) * field.spacing);
      assert.ok(middle((point) => heights[point]) <= page.heightAt(field, x, z) + 1e-6, `triangle ${corners}`);
    }
  });

  it("has lines near whole metres, as the level ground, and at its edges", () => {
    const [first, spacing, count] = [-8.4, 0.08, 211];
    const lines = [...page.lineIndices(first, spacing, count)].sort((a, b) => a - b);
    assert.deepEqual([lines[0], lines.at(-1), lines.length], [0, 210, 19]);
    const inside = lines.slice(1, -1).map((index) => first + index * spacing);
    inside.forEach((position, i) => assert.ok(Math.abs(position - (i - 8)) <= spacing / 2 + 1e-9, `${position}`));
  });

  it("of the menu is nowhere below the level ground", () => {
    for (const { name, field } of page.GROUNDS) assert.ok(!field || Math.min(...field().heights) >= 0, name);
  });
});

describe("the quality of the drawing", () => {
  /** Measures frames of these durations, milliseconds. Returns the pixel ratios and shadows that were applied. */
  function levelsAfter(devicePixelRatio, durations) {
    Object.assign(window, { devicePixelRatio });
    const applied = [];
    const quality = new page.Quality((ratio, shadows) => applied.push([ratio, shadows]));
    let now = 1;
    quality.tick(now);
    for (const duration of durations) quality.tick((now += duration));
    return applied;
  }
  const frames = (count, duration) => Array(count).fill(duration);

  it("is lowered if frames are slow, also if each takes more than a second", () => {
    assert.deepEqual(levelsAfter(2, frames(24, 16)), [[2, true]]);
    assert.deepEqual(levelsAfter(2, frames(24, 40)), [
      [2, true],
      [1, true],
    ]);
    assert.deepEqual(levelsAfter(2, frames(7, 1500)), [
      [2, true],
      [1, true],
    ]);
  });

  it("is kept after a single long frame, as of a hidden tab", () => {
    assert.deepEqual(levelsAfter(2, [...frames(5, 16), 60_000, ...frames(40, 16), 1200, ...frames(40, 16)]), [
      [2, true],
    ]);
  });

  it("has the pixel ratio of the current screen, limited by the level", () => {
    Object.assign(window, { devicePixelRatio: 1 });
    const quality = new page.Quality(() => undefined);
    const ratioOn = (devicePixelRatio) => Object.assign(window, { devicePixelRatio }) && quality.pixelRatio;
    assert.deepEqual([1, 1.5, 3].map(ratioOn), [1, 1.5, 2]);
    Object.assign(window, { devicePixelRatio: 2 });
    for (let frame = 0; frame <= 24; frame++) quality.tick(1 + 40 * frame);
    assert.deepEqual([3, 0.5].map(ratioOn), [1, 0.5]);
  });

  it("skips levels that would look the same on this screen", () => {
    assert.deepEqual(levelsAfter(1, frames(100, 40)), [
      [1, true],
      [1, false],
      [0.7, false],
    ]);
    assert.deepEqual(levelsAfter(0.5, frames(100, 40)), [
      [0.5, true],
      [0.5, false],
    ]);
  });
});

describe("the touch stick", () => {
  /** Creates a stick. Returns its deflection and area, and functions that begin, move and end touches. */
  function createStick() {
    const stick = { right: 0, forward: 0 };
    const captured = new Set();
    const area = {
      setPointerCapture: (pointerId) => captured.add(pointerId),
      hasPointerCapture: (pointerId) => captured.has(pointerId),
      getBoundingClientRect: () => ({ left: 0, top: 0, width: 100, height: 100 }),
      firstElementChild: { style: {} },
    };
    const [begin, move] = new page.TouchStick(stick).view().values.map(
      (listener) =>
        (pointerId, clientX, button = 0) =>
          listener({ pointerId, clientX, clientY: 50, button, currentTarget: area }),
    );
    const end = (pointerId, type) => {
      captured.delete(pointerId);
      window.dispatchEvent(Object.assign(new Event(type), { pointerId }));
    };
    return { stick, area, begin, move, end };
  }

  it("returns to its centre if it is removed while it is touched", () => {
    const { stick, area, begin, end } = createStick();
    begin(3, 100);
    assert.equal(stick.right, 1);
    end(4, "lostpointercapture");
    assert.equal(stick.right, 1);
    end(3, "lostpointercapture");
    assert.deepEqual([stick.right, Math.abs(stick.forward)], [0, 0]);
    assert.equal(area.firstElementChild.style.transform, "translate(0px, 0px)");
  });

  it("follows only the finger that touched it first, until that is lifted", () => {
    const { stick, begin, move, end } = createStick();
    begin(3, 100);
    begin(4, 0);
    assert.equal(stick.right, 1);
    end(4, "pointerup");
    assert.equal(stick.right, 1);
    move(3, 75);
    assert.equal(stick.right, 0.5);
    end(3, "pointerup");
    assert.equal(stick.right, 0);
    begin(4, 0);
    assert.equal(stick.right, -1);
    end(4, "pointerup");
  });

  it("returns to its centre, and its knob too, if the window loses the focus; the finger that is still down is ignored", () => {
    for (const type of ["blur", "visibilitychange"]) {
      const { stick, area, begin, move, end } = createStick();
      begin(3, 100);
      window.dispatchEvent(new Event(type));
      assert.equal(stick.right, 0);
      assert.equal(area.firstElementChild.style.transform, "translate(0px, 0px)");
      move(3, 75);
      assert.equal(stick.right, 0);
      end(3, "pointerup");
      begin(4, 0);
      assert.equal(stick.right, -1);
      end(4, "pointerup");
    }
  });

  it("does not follow the right button of a mouse", () => {
    const { stick, begin } = createStick();
    begin(1, 100, 2);
    assert.equal(stick.right, 0);
  });
});
