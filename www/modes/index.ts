/** The modes of the page. */
import type { ModeEntry } from "../core/mode";
import { CHARACTERS } from "./control/characters";
import { Stitch } from "./stitch/stitch";

/** The control mode: in the menu only if the site has a controller's network. */
const CONTROL: ModeEntry = {
  id: "control",
  title: "Control",
  create: async (app) => new (await import("./control/control")).Control(app),
};

/**
 * The modes in menu order; the first is the default. The code of "Stitch" is loaded with the page, the code of the
 * others when they are first shown.
 */
export const MODES: readonly ModeEntry[] = [
  { id: "stitch", title: "Stitch", create: (app) => new Stitch(app) },
  {
    id: "inbetween",
    title: "In-between",
    create: async (app) => new (await import("./inbetween/inbetween")).Inbetween(app),
  },
  ...(CHARACTERS.length > 0 ? [CONTROL] : []),
];
