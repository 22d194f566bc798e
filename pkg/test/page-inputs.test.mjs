// Input devices of the mode Control: keys and gamepads. Its module is bundled for Node, with simulated events.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bundlePage } from "./page-bundle.mjs";

const page = await bundlePage(`export { Inputs } from "./www/modes/control/inputs";`);

const simulatedWindow = Object.assign(new EventTarget(), { matches: () => false });
Object.assign(globalThis, {
  window: simulatedWindow,
  document: Object.assign(new EventTarget(), { querySelector: () => null }),
});
Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });

describe("inputs of the mode Control", () => {
  const sendKey = (type, key, code = `Key${key.toUpperCase()}`, modifiers = {}) =>
    simulatedWindow.dispatchEvent(
      Object.assign(new Event(type, { cancelable: true }), { key, code, shiftKey: false, ...modifiers }),
    );
  const pressKey = (...key) => sendKey("keydown", ...key);
  const releaseKey = (...key) => sendKey("keyup", ...key);

  /** Calls `use` with inputs that listen. `callbacks`: those that differ from a character that acts. */
  function withInputs(use, callbacks = {}) {
    const inputs = new page.Inputs({
      allowsLetters: () => true,
      canAct: () => true,
      onSteer: () => undefined,
      ...callbacks,
    });
    inputs.listen();
    use(inputs);
    inputs.stopListening();
  }

  it("ignore the key J while the character stands still", () => {
    let canAct = false;
    withInputs(
      (inputs) => {
        pressKey("j");
        assert.equal(inputs.read(0).jump, false);
        canAct = true;
        assert.equal(inputs.read(0.02).jump, false);
        pressKey("j");
        assert.equal(inputs.read(0.2).jump, true);
        assert.equal(inputs.read(0.2).jump, false);
      },
      { canAct: () => canAct },
    );
  });

  it("release the held keys with Cmd, during which macOS does not report other released keys", () => {
    withInputs((inputs) => {
      pressKey("w");
      assert.equal(inputs.read(0).stick.forward, 1);
      pressKey("Meta", "MetaLeft");
      releaseKey("Meta", "MetaLeft");
      assert.equal(inputs.read(0).stick.forward, 0);
    });
  });

  it("release a key whose character is another one meanwhile, because of Option, AltGr or another layout", () => {
    withInputs((inputs) => {
      for (const [key, modifiers] of [
        ["∑", { altKey: true }],
        ["ł", { ctrlKey: true, altKey: true }],
        ["z", {}],
      ]) {
        pressKey("w");
        pressKey("a");
        assert.deepEqual(inputs.read(0).stick, { right: -1, forward: 1 });
        releaseKey(key, "KeyW", modifiers);
        assert.deepEqual(inputs.read(0).stick, { right: -1, forward: 0 });
        releaseKey("a");
        assert.deepEqual(inputs.read(0).stick, { right: 0, forward: 0 });
      }
    });
  });

  it("follow the keyboard layout: W and A steer wherever they are", () => {
    withInputs((inputs) => {
      // On French keyboards.
      pressKey("w", "KeyZ");
      pressKey("a", "KeyQ");
      assert.deepEqual(inputs.read(0).stick, { right: -1, forward: 1 });
      releaseKey("w", "KeyZ");
      releaseKey("a", "KeyQ");
      assert.deepEqual(inputs.read(0).stick, { right: 0, forward: 0 });
    });
  });

  it("are not read from a gamepad without the standard mapping, on which an axis may be a trigger", () => {
    const pad = (mapping, axes) => ({ connected: true, mapping, axes, buttons: [{ pressed: true }] });
    const gamepads = [null, pad("", [0, 0, -1, 0])];
    navigator.getGamepads = () => gamepads;
    let steers = 0;
    withInputs(
      (inputs) => {
        assert.deepEqual(inputs.read(0), {
          stick: { right: 0, forward: 0 },
          fast: false,
          jump: false,
          facing: undefined,
        });
        assert.equal(steers, 0);
        gamepads.push(pad("standard", [0, -1, 1, 0]));
        const { stick, jump, facing } = inputs.read(0);
        assert.deepEqual([stick.forward, jump, facing.right], [1, true, 1]);
        assert.equal(steers, 1);
      },
      { onSteer: () => steers++ },
    );
    delete navigator.getGamepads;
  });
});
