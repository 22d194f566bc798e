/** Finds the nodes of a file or a scene that form a skeleton. */

/** Access to the hierarchy of nodes of a file or a scene. */
export interface NodeAccess<Node> {
  parent(node: Node): Node | null;
  children(node: Node): readonly Node[];
}

/**
 * Finds the joints of the largest skin, parents before children, with all nodes between joints, and with their
 * ancestors up to the highest animated ancestor. Empty if there are no joints. `otherSkeletons`: number of skeletons of
 * other skins.
 */
export function findSkeleton<Node>(
  nodes: NodeAccess<Node>,
  skins: readonly (readonly Node[])[],
  animated: ReadonlySet<Node>,
): { joints: Node[]; otherSkeletons: number } {
  const [largest = []] = [...skins].sort((a, b) => b.length - a.length);
  const members = new Set(skins.flat());
  for (const joint of [...members]) {
    let path: Node[] = [];
    for (let ancestor = nodes.parent(joint); ancestor; ancestor = nodes.parent(ancestor)) {
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
    return !ancestor || !members.has(ancestor);
  };
  const trees = [...members]
    .filter(isTop)
    .map(flatten)
    .sort((a, b) => b.length - a.length);
  const main = new Set(largest);
  const mainTrees = trees.filter((tree) => tree.some((joint) => main.has(joint)));
  return { joints: mainTrees.flat(), otherSkeletons: trees.length - mainTrees.length };
}

/** Makes names unique by numbers, such as "Hand_2". */
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
