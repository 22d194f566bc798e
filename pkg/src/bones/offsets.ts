/** Which bones move in their parents, in world metres, and the offsets of the others. */
import { quote } from "../core/quote.js";
import { type OffsetRanges, restOffsets } from "./motion.js";
import { bodySize, type RestPose } from "./rest.js";
import { length, subtract, type Vector } from "./rotation.js";

/** Largest distance of a fixed bone from its offset, as a fraction of the body's size: 0.05 mm for a person. */
const FIXED = 3e-5;
/** Movement of a bone in its parent that is reported, as a fraction of the body's size. */
const NOTEWORTHY = 0.01;
/** Maximum number of names in a message. */
const MAX_NAMES = 4;

/** Returns whether each bone moves in its parent, and the offsets: of fixed bones those that the animations show. */
export function measureOffsets(rest: RestPose, ranges: OffsetRanges): { moves: boolean[]; offsets: Vector[] } {
  const limit = FIXED * bodySize(rest.bones);
  const restPositions = restOffsets(rest);
  const measured = rest.bones.map(({ moves }, bone) => {
    const range = ranges.range(bone);
    const offset = restPositions[bone] as Vector;
    if (!range) return { moves, offset };
    if (range.radius > limit) return { moves: true, offset };
    // Rounding of the file's numbers does not change the offset.
    return { moves, offset: length(subtract(range.middle, offset)) > limit && !moves ? range.middle : offset };
  });
  return { moves: measured.map(({ moves }) => moves), offsets: measured.map(({ offset }) => offset) };
}

/** Describes bones that are stretched or moved in their parents: they are no rotations over fixed lengths. */
export function describeMoves(
  rest: RestPose,
  ranges: OffsetRanges,
  moves: readonly boolean[],
  hasScale: boolean,
): string[] {
  const limit = NOTEWORTHY * bodySize(rest.bones);
  const stretched = rest.bones.filter(
    ({ moves: isCarrier }, bone) => !isCarrier && moves[bone] === true && (ranges.range(bone)?.radius ?? 0) > limit,
  );
  const names = stretched.slice(0, MAX_NAMES).map(({ name }) => quote(name));
  const more = stretched.length > MAX_NAMES ? ` and ${stretched.length - MAX_NAMES} more` : "";
  return [
    ...(stretched.length > 0
      ? [`bones move in their parents or are stretched (${names.join(", ")}${more}); their positions are kept`]
      : []),
    ...(hasScale ? ["the animation scales nodes; the positions of joints are kept, the scale of meshes is not"] : []),
  ];
}
