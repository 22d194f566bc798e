/** Finds the nodes of a file or a scene that form a skeleton, and makes their names unique. */

/** Access to the hierarchy of nodes of a file or a scene. */
export interface NodeAccess<Node> {
  parent(node: Node): Node | null;
  children(node: Node): readonly Node[];
}

/**
 * Finds the skeleton of the largest skin. Trees are made from the joints of all skins, all nodes between joints, and
 * the ancestors of joints up to the highest animated one. The skeleton consists of the trees that contain a joint of
 * the largest skin.
 *
 * @param skins The joints of each skin.
 * @param animated Nodes that an animation changes.
 * @returns `joints`: the nodes of the skeleton, parents before children, the largest tree first; empty if no skin has
 * joints. `otherSkeletons`: number of trees that contain joints of other skins only.
 */
export function findSkeleton<Node>(
  nodes: NodeAccess<Node>,
  skins: readonly (readonly Node[])[],
  animated: ReadonlySet<Node>,
): { joints: Node[]; otherSkeletons: number } {
  const [largest = []] = [...skins].sort((a, b) => b.length - a.length);
  const members = new Set(skins.flat());
  for (const joint of [...members]) {
    // Ancestors become members only if there is a joint or an animated node at or above them.
    let path: Node[] = [];
    for (let ancestor = nodes.parent(joint); ancestor !== null; ancestor = nodes.parent(ancestor)) {
      path.push(ancestor);
      if (!members.has(ancestor) && !animated.has(ancestor)) continue;
      path.forEach((node) => members.add(node));
      path = [];
    }
  }
  const flatten = (node: Node): Node[] => [
    node,
    ...nodes
      .children(node)
      .filter((child) => members.has(child))
      .flatMap(flatten),
  ];
  const isTop = (node: Node): boolean => {
    const ancestor = nodes.parent(node);
    return ancestor === null || !members.has(ancestor);
  };
  const trees = [...members]
    .filter(isTop)
    .map(flatten)
    .sort((a, b) => b.length - a.length);
  const mainJoints = new Set(largest);
  const mainTrees = trees.filter((tree) => tree.some((node) => mainJoints.has(node)));
  return { joints: mainTrees.flat(), otherSkeletons: trees.length - mainTrees.length };
}

/** Makes names unique: a name that is already used gets a number, such as "Hand_2". */
export function makeUnique(names: readonly string[]): string[] {
  const used = new Set<string>();
  // Next number to try for each name: counting from 2 every time would take quadratic time.
  const next = new Map<string, number>();
  return names.map((name) => {
    let unique = name;
    if (used.has(name)) {
      let i = next.get(name) ?? 2;
      while (used.has((unique = `${name}_${i}`))) i++;
      next.set(name, i + 1);
    }
    used.add(unique);
    return unique;
  });
}
