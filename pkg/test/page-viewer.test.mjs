// Drags of handles and the bones of figures in the page's viewer. Its modules are bundled for Node, with simulated
// events and a simulated camera.
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

const page = await bundlePage(
  'export { listenForDrags } from "./www/viewer/handle-drag"; export { bonesOf } from "./www/viewer/poses";',
  [simulation],
);

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

  it("begin at the hips, also below two joints that stay at the origin", () => {
    const joints = [joint("scene", -1), joint("root", 0), joint("pelvis", 1), joint("spine", 2), joint("thigh", 2)];
    const bones = [
      [2, 3],
      [2, 4],
    ];
    assert.deepEqual(page.bonesOf({ joints, rig: { Hips: "pelvis" } }), bones);
  });

  it("are all lines between joints without mapped hips", () => {
    assert.deepEqual(page.bonesOf({ joints: [joint("a", -1), joint("b", 0)], rig: {} }), [[0, 1]]);
  });
});
