/** Types of the parsed commands. */
import type { RootMotion } from "../bones/root-motion.js";
import type {
  BvhOptions,
  Ground,
  InbetweenOptions,
  GroundPose,
  LscoreOptions,
  NetworkOptions,
  StitchOptions,
} from "../core/types.js";

/** Parsed arguments of `kinestitch info FILES`. */
export interface InfoCommand {
  do: "info";
  files: string[];
  bvh: BvhOptions;
  json: boolean;
  /** Name of the animation in GLB and glTF files. */
  animation?: string;
}

/** Parsed arguments of `kinestitch info --networks`. */
export interface NetworksCommand {
  do: "networks";
  networks: NetworkOptions;
  json: boolean;
}

/** Parsed arguments of `kinestitch stitch`. */
export interface StitchCommand {
  do: "stitch";
  files: string[];
  output: Output;
  networks: NetworkOptions;
  options: StitchOptions;
  /** Name of the animation in GLB and glTF files. */
  animation?: string;
  json: boolean;
}

/** A key of `inbetween`: one frame of a file. */
export interface KeyArgument {
  file: string;
  frame: number;
}

/** Parsed arguments of `kinestitch inbetween`. */
export interface InbetweenCommand {
  do: "inbetween";
  keys: KeyArgument[];
  /** Output file; with `options.candidates` the folder of the results. */
  output: Output;
  networks: NetworkOptions;
  options: InbetweenOptions;
  /** Ground pose of the last key; heading in radians. */
  at?: GroundPose;
  /** Name of the animation in GLB and glTF files. */
  animation?: string;
  json: boolean;
}

/** Parsed arguments of `kinestitch convert`. */
export interface ConvertCommand {
  do: "convert";
  files: { file: string; output: Output }[];
  /** Folder of the outputs, created if it does not exist; omitted if the output is named as a file. */
  outputFolder?: string;
  fps?: number;
  /** Name of the animation in a GLB or glTF file. */
  animation?: string;
  /** File of a character (GLB, glTF or VRM) to which the motion is applied. */
  character?: string;
  rootMotion?: RootMotion;
  /** Whether the motion is moved to the ground of the character. */
  ground?: Ground;
  bvh: BvhOptions;
  json: boolean;
}

/** Parsed arguments of `kinestitch lscore`. */
export interface LscoreCommand {
  do: "lscore";
  files: [string, string];
  options: LscoreOptions;
  /** CSV file for the scores of all cuts. */
  map?: string;
  /** Name of the animation in GLB and glTF files. */
  animation?: string;
  json: boolean;
}

/** Parsed arguments of `kinestitch phases`. */
export interface PhasesCommand {
  do: "phases";
  file: string;
  joints: string[];
  /** Object that the joints touch: the first root joint of `file`. `radius`: distance of contact, metres. */
  object?: { file: string; radius: number };
  /** SVG file for the picture. */
  svg?: string;
  /** Name of the animation in GLB and glTF files. */
  animation?: string;
  json: boolean;
}

/** Parsed arguments of `kinestitch judge`. */
export interface JudgeCommand {
  do: "judge";
  file: string;
  /** Files that were joined to `file`, in order. */
  clips: string[];
  /** Name of the animation in GLB and glTF files. */
  animation?: string;
  networks: NetworkOptions;
  json: boolean;
}

/** Parsed arguments of a command; `do` is its name. */
export type Command =
  | InfoCommand
  | NetworksCommand
  | StitchCommand
  | InbetweenCommand
  | ConvertCommand
  | LscoreCommand
  | PhasesCommand
  | JudgeCommand
  | { do: "help"; topic: string | undefined }
  | { do: "version" };

/** Names of the output formats. */
export const formats = ["bvh", "glb", "vrma", "fbx"] as const;

/** Destination of a result: a file, a folder for several results, or `-` for standard output; and the format. */
export interface Output {
  path: string;
  format: (typeof formats)[number];
}
