/** The modes of the page, in the order in which they stand. */
import type { App } from "../core/app";
import type { Mode } from "../core/mode";
import { Stitch } from "./stitch/stitch";

export const MODES: readonly ((app: App) => Mode)[] = [(app) => new Stitch(app)];
