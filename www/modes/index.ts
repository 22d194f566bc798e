/** The modes of the page, in the order in which they stand. */
import type { App } from "../core/app";
import type { Mode } from "../core/mode";
import { Inbetween } from "./inbetween/inbetween";
import { Stitch } from "./stitch/stitch";

export const MODES: readonly ((app: App) => Mode)[] = [(app) => new Stitch(app), (app) => new Inbetween(app)];
